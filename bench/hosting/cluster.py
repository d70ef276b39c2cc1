"""Clusters on hosts: a NATS server on one, a coordinator on another, members on others; or the ranks of mpiexec over ssh."""
import json, os, pathlib, shutil, signal, subprocess, time

from host import Site

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ORACLES = ROOT / "programs/oracles"
# 2^N paths, and WORK steps of a loop on each.
BITS = """
#include <klee/klee.h>
int main(void) {
  unsigned char bits[N];
  volatile int work = 0;
  int ones = 0;
  klee_make_symbolic(bits, sizeof bits, "bits");
  for (int i = 0; i < N; i++) if (bits[i] & 1) ones++;
  while (work < WORK) work++;
  return ones;
}
"""
SERVER = "server"


class Wrong(Exception):
    """What must hold does not."""


class Program:
    """A program with a known number of paths, and its paths as one worker finds them on this machine alone."""

    def __init__(self, cleave, folder, name, defines, paths):
        self.file, self.count = folder / f"{name}{''.join(defines)}", paths
        source = ORACLES / f"{name}.c"
        if name == "bits":
            source = folder / "bits.c"
            source.write_text(BITS)
        subprocess.run([cleave, "cc", "-O0", *defines, f"-I{ORACLES}", "-o", self.file, source], check=True)
        directory = folder / "undisturbed"
        command = [cleave, "run", "--workers", "1", "--write-tests", "no", "--output-dir", directory, self.file]
        start = time.monotonic()
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.seconds = time.monotonic() - start
        found = paths_of(cleave, directory)
        self.paths = frozenset(found)
        if len(found) != paths or len(self.paths) != paths:
            raise Wrong(f"{self.file.name} has {len(found)} paths undisturbed, {paths} are right")
        shutil.rmtree(directory)


def expected(name, n):
    """The paths that the program's header says."""
    for line in (ORACLES / f"{name}.c").read_text().splitlines():
        if line.startswith(f"// cleave: expect -DN={n} paths="):
            return int(line.split("paths=")[1].split()[0])
    raise KeyError(f"{name} says nothing of N={n}")


def oracle(cleave, folder, name, n):
    return Program(cleave, folder, name, [f"-DN={n}"], expected(name, n))


def bits(cleave, folder, n, work):
    return Program(cleave, folder, "bits", [f"-DN={n}", f"-DWORK={work}"], 2**n)


def records(cleave, directory):
    listing = subprocess.check_output([cleave, "list", "--json", directory], text=True)
    return [json.loads(line) for line in listing.splitlines()]


def paths_of(cleave, directory):
    return [record["path"] for record in records(cleave, directory) if record["record"] == "test"]


def check_whole(cleave, directory, program):
    """The run has the program's paths, each once, and nothing is open."""
    found = paths_of(cleave, directory)
    account = json.loads(subprocess.check_output([cleave, "stats", "--json", directory]))
    if not account.get("each_once", True):
        raise Wrong("the sum of weights says that not each path was found once")
    if len(found) != program.count or frozenset(found) != program.paths or account["doubled"] or account["open_regions"]:
        raise Wrong(f"{len(found)} paths, {len(set(found))} of them different, {len(program.paths - set(found))} missing, "
                    f"{len(set(found) - program.paths)} that are none; {account['doubled']} doubled, "
                    f"{account['open_regions']} regions open; {program.count} paths are right")
    return account


def check_calm(*tasks):
    """Nobody came to an internal error."""
    for task in tasks:
        said = task.said()
        if any(bad in said for bad in ("INTERNAL ERROR", "internal error", "panicked", "crashed")):
            raise Wrong(f"{task.host.name} said: {said[-2000:]}")


class Cluster(Site):
    """A site with Cleave on it: `coordinators` and `members` are names of hosts; the NATS server has one more."""

    def __init__(self, folder, cleave, coordinators, members, clocks=None):
        names = [SERVER, *coordinators, *members]
        super().__init__(folder, names, clocks)
        self.cleave, self.coordinators, self.members = cleave, coordinators, members
        self.nats = None
        for host in self.hosts.values():
            os.link(cleave, host.disk / "cleave")
            self.write_key(host)

    def write_key(self, host):
        key = host.disk / "key"
        key.write_text("a key of these hosts alone 0123456789abcdef\n")
        key.chmod(0o600)

    @property
    def url(self):
        return f"nats://{SERVER}:4222"

    def start_server(self):
        self.nats = self[SERVER].start("nats-server", "-a", self[SERVER].address, "-p", "4222", name="nats-server")
        deadline = time.monotonic() + 20
        while "Server is ready" not in self.nats.said():
            if time.monotonic() > deadline or self.nats.has_ended():
                raise Wrong(f"nats-server does not start: {self.nats.said()}")
            time.sleep(0.01)

    def stop_server(self, number=signal.SIGKILL):
        self.nats.signal(number)
        self.nats.wait(10)

    def coordinate(self, name, command, *words):
        return self[name].start("cleave", command, "--cluster", self.url, "--cluster-key", "key", *words, name=command)

    def run_on(self, name, directory, program, *options):
        """`cleave run` on a host; `directory` is on its disk."""
        shutil.copy2(program.file, self[name].disk / "program")
        return self.coordinate(name, "run", "--write-tests", "no", *options, "--output-dir", directory, "program")

    def join(self, name, workers=1):
        return self[name].start("cleave", "join", self.url, "--cluster-key", "key", "--any-program", "--workers", workers, name="join")

    def move(self, directory, source, target):
        """Carries a run directory from one host's disk to another's."""
        shutil.copytree(self[source].disk / directory, self[target].disk / directory, symlinks=True)
        shutil.rmtree(self[source].disk / directory)

    def gather(self, directory, home):
        """Brings the shards of all hosts home: paths stay where they are found."""
        target = self[home].disk / directory / "shards"
        target.mkdir(exist_ok=True)
        for name in self.members:
            for shard in (self[name].disk / "cleave-shards").glob("*.paths"):
                shutil.copy2(shard, target)

    def forget(self, directory, home):
        """Removes a run, with all its shards."""
        shutil.rmtree(self[home].disk / directory, ignore_errors=True)
        for name in self.members:
            shutil.rmtree(self[name].disk / "cleave-shards", ignore_errors=True)

    def reset(self, name):
        """A host that was off is on again, with its disk."""
        self[name].off()
        self[name].switch_on()

    def workers_on(self, name):
        """The worker processes of Cleave on a host."""
        words = self[name].run("sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; true")
        return words.count("cleave worker")


def finish(task, seconds, what):
    code = task.wait(seconds)
    if code is None:
        raise Wrong(f"{what} on {task.host.name} has no end after {seconds} s: {task.said()[-1500:]}")
    return code


def finish_well(task, seconds, what):
    """Waits for its end, which has to be a success."""
    if (code := finish(task, seconds, what)) != 0:
        raise Wrong(f"{what} on {task.host.name} ended with {code}: {task.said()[-1500:]}")


def explore(cluster, program, members):
    """An undisturbed run on these members; returns its account and how long it took."""
    coordinator, directory = cluster.coordinators[0], f"run-{program.file.name}-{len(members)}"
    start = time.monotonic()
    task = cluster.run_on(coordinator, directory, program)
    nodes = [cluster.join(name) for name in members]
    code = finish(task, 300, "the run")
    took = time.monotonic() - start
    check_calm(task, *nodes)
    if code != 0:
        raise Wrong(f"the run ended with {code}: {task.said()[-1500:]}")
    late = 0
    for node in nodes:
        # A small run may be over before all are there; who is late waits for the next.
        if node.wait(3) is None:
            late += 1
            node.signal(signal.SIGTERM)
        finish_well(node, 5, "a member")
    cluster.gather(directory, coordinator)
    account = check_whole(cluster.cleave, cluster[coordinator].disk / directory, program)
    cluster.forget(directory, coordinator)
    return account, took, late


def wait_until(seconds, holds, task):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise Wrong(f"it does not come to that: {task.said()[-1500:]}")
        time.sleep(0.05)


def endless(cleave, folder):
    """A program that no run explores to its end."""
    file, source = folder / "endless", folder / "endless.c"
    source.write_text(BITS)
    subprocess.run([cleave, "cc", "-O0", "-DN=30", "-DWORK=20000", "-o", file, source], check=True)
    return file


def out_of_reach(cluster, program, seconds=14):
    """The server's host is cut off for longer than members and coordinator wait for one another."""
    home = cluster.coordinators[0]
    shutil.copy2(program, cluster[home].disk / "program")
    run = cluster.coordinate(home, "run", "--write-tests", "no", "--output-dir", "run", "program")
    nodes = [cluster.join(name) for name in cluster.members]
    wait_until(60, lambda: all("joined the run" in node.said() for node in nodes), run)
    time.sleep(2)
    cluster.unplug(SERVER)
    time.sleep(seconds)
    cluster.plug(SERVER)
    time.sleep(seconds)
    run.signal(signal.SIGTERM)
    finish(run, 20, "the run")
    for node in nodes:
        if (code := finish(node, 20, "a member")) != 0 or node.said().count("joined the run") != 1:
            raise Wrong(f"{node.host.name} ended with {code}, and was a member more than once: {node.said()[-1500:]}")
    if "has vanished" in run.said():
        raise Wrong(f"the run gave members up: {run.said()[-1500:]}")
    check_calm(run, *nodes)


def outgrown(cluster, program, small=200_000):
    """A run that does not fit on one of its machines' disks: the first member's shards have `small` bytes. The member is dismissed when they are full,
    two others go on, in another session; what all three keep is gathered over the network, and has all paths."""
    home, members = cluster.coordinators[0], cluster.members[:3]
    first, *others = members
    cluster[first].run("sh", "-c", f"mkdir -p cleave-shards && mount -t tmpfs -o size={small} tmpfs cleave-shards")
    run = cluster.run_on(home, "run", program)
    full = cluster.join(first)
    nodes = [full]
    if (code := full.wait(60)) is None or "room" not in full.said() and "space" not in full.said():
        raise Wrong(f"{first}'s disk of {small} bytes is full, and it ended with {code}: {full.said()[-1500:]}")
    nodes += [cluster.join(name) for name in others]
    wait_until(60, lambda: all("joined the run" in node.said() for node in nodes), run)
    time.sleep(program.seconds / 5)
    run.signal(signal.SIGTERM)
    finish(run, 20, "the run")
    before = json.loads(subprocess.check_output([cluster.cleave, "stats", "--json", cluster[home].disk / "run"]))
    if before["open_regions"] == 0:
        raise Wrong("the first session found everything: nothing is left to resume")
    for node in nodes[1:]:
        finish_well(node, 10, "a member of a session that is over")
    resumed = cluster.coordinate(home, "resume", "run")
    again = [cluster.join(name) for name in others]
    finish_well(resumed, 300, "the resumed run")
    sizes = {name: int(cluster[name].run("sh", "-c", "cat cleave-shards/*.paths | wc -c")) for name in members}
    # All join once more, to bring home what they have.
    gatherers = [cluster.join(name) for name in members]
    gathering = cluster.coordinate(home, "gather", "run", "--patience", "60s")
    finish_well(gathering, 90, "cleave gather")
    for node in [*again, *gatherers]:
        if not node.has_ended():
            node.signal(signal.SIGTERM)
        finish_well(node, 10, "a member")
    check_calm(run, resumed, *nodes, *again, *gatherers)
    account = check_whole(cluster.cleave, cluster[home].disk / "run", program)
    return before, account, sizes


class Ranks(Cluster):
    """Hosts that reach one another by ssh, each with keys of its own: for mpiexec."""

    def __init__(self, folder, cleave, names):
        super().__init__(folder, cleave, names[:1], names[1:])
        self.names = names
        public = {}
        for name in names:
            host = self[name]
            host.run("dropbearkey", "-t", "ed25519", "-f", "hostkey")
            host.run("sh", "-c", "mkdir -m 700 /root/.ssh && ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519")
            public[name] = host.run("cat", "/root/.ssh/id_ed25519.pub").strip()
        for name in names:
            host = self[name]
            (host.disk / "authorized_keys").write_text("\n".join(public.values()) + "\n")
            host.run("sh", "-c", "cp authorized_keys /root/.ssh/ && chmod 600 /root/.ssh/authorized_keys && "
                     "printf 'Host *\\nStrictHostKeyChecking accept-new\\n' > /root/.ssh/config && chmod 755 /root")
            host.start("dropbear", "-F", "-E", "-s", "-r", "hostkey", name="ssh-server")

    def mpiexec(self, names, directory, program):
        host = self[names[0]]
        for name in names:
            shutil.copy2(program.file, self[name].disk / "program")
        (host.disk / "hostfile").write_text("".join(f"{name}:1\n" for name in names))
        return host.start("mpiexec.mpich", "-f", "hostfile", "-launcher", "ssh", "-iface", "eth0", "-n", len(names), "/disk/cleave", "run",
                          "--write-tests", "no", "--output-dir", directory, "program", name="mpiexec")


def explore_ranks(cluster, program, names):
    """A run of mpiexec with a rank on each of these hosts."""
    directory = f"run-{program.file.name}-{len(names)}"
    start = time.monotonic()
    task = cluster.mpiexec(names, directory, program)
    code = finish(task, 120, "mpiexec")
    took = time.monotonic() - start
    check_calm(task)
    if code != 0:
        raise Wrong(f"mpiexec ended with {code}: {task.said()[-1500:]}")
    account = check_whole(cluster.cleave, cluster[names[0]].disk / directory, program)
    return account, took

"""Hosts on one machine. Each has a network, a tree of processes, a root file system (what it writes is its own), a name and
clocks of its own, and a wire to the switch. Needs root: namespaces, overlayfs, /dev/net/tun."""
import fcntl, json, os, pathlib, shutil, signal, socket, struct, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
FAKETIME = pathlib.Path("/usr/lib") / f"{os.uname().machine}-linux-gnu" / "faketime/libfaketimeMT.so.1"
# 10.99.0.N; no host can reach anything else, as no wire leads out.
NETWORK = "10.99.0"
TUNSETIFF, TAP_WITHOUT_HEADER = 0x400454CA, 0x0002 | 0x1000

# The first process of a host. Everything it mounts goes with it.
BOOT = r"""
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$AT/store"
mkdir "$AT/store/upper" "$AT/store/work" "$AT/store/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$AT/store/upper,workdir=$AT/store/work" "$AT/store/root"
cd "$AT/store/root"
mkdir -p disk
mount --rbind /dev dev
for own in tmp run root dev/shm; do mount -t tmpfs -o mode=755 tmpfs $own; done
chmod 1777 tmp dev/shm
mkdir -p run/sshd
mount -t proc proc proc
mount -t sysfs sysfs sys
mount --bind "$AT/disk" disk
hostname "$NAME"
echo "$NAME" > etc/hostname
printf '%s\n' "$HOSTS" > etc/hosts
ip link set lo up
ip link set "$TAP" name eth0
ip link set eth0 address "$MAC"
ip address add "$ADDRESS/24" dev eth0
ip link set eth0 up
mkdir -p old
pivot_root . old
umount -l /old
exec > /disk/booted
exec sleep infinity
"""


def why_not():
    """Why hosts cannot be made here; `None` if they can."""
    if os.geteuid() != 0:
        return "hosts in namespaces need root"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    for tool in ("unshare", "nsenter", "ip", "pivot_root"):
        if not shutil.which(tool):
            return f"there is no `{tool}`; scripts/setup.sh tests installs it"
    with tempfile.TemporaryDirectory() as folder:
        script = (f"mount -t tmpfs t {folder} && mkdir {folder}/u {folder}/w {folder}/r && "
                  f"mount -t overlay o -o lowerdir=/,upperdir={folder}/u,workdir={folder}/w {folder}/r")
        tried = subprocess.run(["unshare", *NAMESPACES, "--monotonic", "1", "sh", "-c", script], capture_output=True, text=True)
    if tried.returncode:
        return f"namespaces and overlayfs are not allowed here: {tried.stderr.strip() or tried.returncode}"
    try:
        os.close(tap("cleave-try"))
    except OSError as error:
        return f"TAP devices are not allowed here: {error}"
    return None


NAMESPACES = ["--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--time"]


def tap(name):
    """A new TAP device. It goes when the descriptor is closed."""
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    try:
        fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH", name.encode(), TAP_WITHOUT_HEADER))
    except OSError:
        os.close(fd)
        raise
    return fd


def children(pid):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class Task:
    """A process on a host, and what it says."""

    def __init__(self, host, words, name, environment):
        host.tasks += 1
        self.host, self.log = host, host.folder / f"{host.tasks}-{name}.log"
        inside = ["nsenter", "--target", str(host.first), "--mount", "--uts", "--ipc", "--net", "--pid", "--time",
                  "--wdns=/disk", "env", "-i", *host.environment(), *(f"{k}={v}" for k, v in environment.items()), *map(str, words)]
        with open(self.log, "wb") as log:
            self.outer = subprocess.Popen(inside, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def signal(self, number):
        """Signals the process itself, not the one that waits for it outside."""
        deadline = time.monotonic() + 10
        while self.outer.poll() is None and time.monotonic() < deadline:
            inner = children(self.outer.pid)
            # Until then it is not the program yet.
            if inner and pathlib.Path(f"/proc/{inner[0]}/comm").read_text().strip() not in ("nsenter", "env"):
                os.kill(inner[0], number)
                return
            time.sleep(0.01)

    def has_ended(self):
        return self.outer.poll() is not None

    def wait(self, seconds):
        """Its exit code; `None` if it has not ended in time."""
        try:
            return self.outer.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def said(self):
        return self.log.read_text(errors="replace")


class Host:
    """A host. `clock` are the seconds that its clocks are ahead (or behind): of the time of day, and since it was switched on."""

    def __init__(self, number, name, folder, names, switch, clock=(0, 0)):
        self.number, self.name, self.folder, self.names, self.clock = number, name, folder, names, clock
        self.address = f"{NETWORK}.{number}"
        self.disk, self.tasks = folder / "disk", 0
        self.switch = switch
        self.disk.mkdir(parents=True)
        (folder / "store").mkdir()
        self.outer = None
        self.switch_on()

    def switch_on(self):
        booted = self.disk / "booted"
        booted.unlink(missing_ok=True)
        hosts = "\n".join(["127.0.0.1 localhost", *(f"{NETWORK}.{n} {name}" for n, name in self.names)])
        environment = {**os.environ, "AT": str(self.folder), "NAME": self.name, "HOSTS": hosts, "ADDRESS": self.address,
                       "MAC": f"02:00:00:00:00:{self.number:02x}", "TAP": f"cleave{self.number}"}
        # The clocks of a namespace may be ahead of the machine's, or behind it by less than it has run.
        offset = str(self.clock[1])
        words = ["unshare", *NAMESPACES, "--kill-child", "--monotonic", offset, "--boottime", offset, "sh", "-c",
                 f"read go; {BOOT}"]
        self.outer = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        while not children(self.outer.pid):
            if self.outer.poll() is not None:
                raise OSError(f"host {self.name} cannot be made: {self.outer.stderr.read().decode()}")
            time.sleep(0.002)
        self.first = children(self.outer.pid)[0]
        # A host that is switched on again has another device: the last one went with its processes.
        wire = tap(f"cleave{self.number}")
        subprocess.run(["ip", "link", "set", f"cleave{self.number}", "netns", str(self.first)], check=True)
        self.switch.order(f"wire {self.number}", wire)
        os.close(wire)
        self.outer.stdin.write(b"go\n")
        self.outer.stdin.close()
        while not booted.exists():
            if self.outer.poll() is not None:
                raise OSError(f"host {self.name} does not start: {self.outer.stderr.read().decode()}")
            time.sleep(0.002)

    def environment(self):
        words = ["HOME=/root", "LANG=C.UTF-8", "PATH=/disk:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
        if self.clock[0] and FAKETIME.exists():
            words += [f"LD_PRELOAD={FAKETIME}", f"FAKETIME={self.clock[0]:+d}s", "DONT_FAKE_MONOTONIC=1"]
        return words

    def start(self, *words, name="task", **environment):
        return Task(self, words, name, environment)

    def run(self, *words, seconds=60, **environment):
        """Runs a command to its end; returns what it said. It has to succeed."""
        task = self.start(*words, **environment)
        if task.wait(seconds) != 0:
            task.signal(signal.SIGKILL)
            raise AssertionError(f"{self.name}: {' '.join(map(str, words))}: {task.outer.returncode}: {task.said()}")
        return task.said()

    def off(self):
        """Pulls the plug: every process of it is gone at once, and nobody hears a word of that. Its disk stays."""
        if self.outer and self.outer.poll() is None:
            self.switch.order(f"down {self.number}")
            os.kill(self.first, signal.SIGKILL)
            self.outer.wait()
            self.outer.stderr.close()


class Switch:
    """The process of switch.py."""

    def __init__(self, hosts, delay, mbit):
        self.orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen([sys.executable, HERE / "switch.py", str(delay), str(mbit), str(hosts)], stdin=theirs)
        theirs.close()

    def order(self, line, *descriptors):
        socket.send_fds(self.orders, [line.encode()], descriptors)
        return self.orders.recv(1 << 16).decode()

    def end(self):
        self.orders.close()
        self.process.wait()


class Site:
    """Hosts on one switch. The order of `names` is that of their numbers, from 1; `delay` is in milliseconds, one way."""

    def __init__(self, folder, names, clocks=None, delay=1.0, mbit=100.0):
        numbered, self.hosts = list(enumerate(names, 1)), {}
        self.switch = Switch(len(names), delay, mbit)
        try:
            for number, name in numbered:
                clock = clocks[name] if clocks else (0, 0)
                self.hosts[name] = Host(number, name, pathlib.Path(folder) / name, numbered, self.switch, clock)
        except BaseException:
            self.switch_off()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.switch_off()

    def switch_off(self):
        for host in self.hosts.values():
            host.off()
        self.switch.end()

    def __getitem__(self, name):
        return self.hosts[name]

    def unplug(self, name):
        self.switch.order(f"down {self.hosts[name].number}")

    def plug(self, name):
        self.switch.order(f"up {self.hosts[name].number}")

    def counts(self):
        """What each host sent and got, as the switch has it."""
        return dict(zip(self.hosts, json.loads(self.switch.order("counts"))))

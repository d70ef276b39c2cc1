"""Rounds in which hosts join, leave, are killed, are cut off, and servers and coordinators restart; each ends with all paths."""
import collections, signal, time

from cluster import Wrong, check_calm, check_whole, finish

# A host leaves within so long, in seconds: docs/cluster.md.
LEAVING = 2.0
# A run has an end; a round that needs longer makes no progress.
PATIENCE = 240
KINDS = ["join", "leave", "kill", "power", "partition", "server", "coordinator"]


def began_not(node, code):
    """Whether a member was told to leave before it did anything: it does not hear signals from its first instruction on."""
    return code == -signal.SIGTERM and not node.said()


class Round:
    """One run on a cluster. `kinds` are the events to come, in this order; when they are over, nobody disturbs any more."""

    def __init__(self, cluster, program, directory, dice, kinds, say):
        self.cluster, self.program, self.directory, self.dice, self.say = cluster, program, directory, dice, say
        self.kinds = list(kinds)
        self.got, self.leaving = collections.Counter(), []
        self.nodes, self.gone = {}, []
        self.home = cluster.coordinators[0]
        self.plugs = []

    def free(self):
        return [name for name in self.cluster.members if name not in self.nodes]

    def joined(self):
        """Members that are in the run, or look for it."""
        return [name for name, node in self.nodes.items() if not node.has_ended()]

    def join(self):
        if self.free():
            name = self.dice.choice(self.free())
            self.nodes[name] = self.cluster.join(name)
            return name
        return None

    def leave(self):
        if not self.joined():
            return None
        name = self.dice.choice(self.joined())
        node = self.nodes.pop(name)
        since = time.monotonic()
        node.signal(signal.SIGTERM)
        code = finish(node, 20, "a member that leaves")
        took = time.monotonic() - since
        self.leaving.append(took)
        self.gone.append(node)
        if code != 0 and not began_not(node, code) and not self.has_no_server(node):
            raise Wrong(f"{name} left with {code}: {node.said()[-1500:]}")
        if took > LEAVING:
            raise Wrong(f"{name} took {took:.2f} s to leave: {node.said()[-1500:]}")
        return name

    def kill(self):
        """Ends the process of a member at once. Its workers do not live on."""
        if not self.joined():
            return None
        name = self.dice.choice(self.joined())
        node = self.nodes.pop(name)
        node.signal(signal.SIGKILL)
        node.wait(10)
        self.gone.append(node)
        deadline = time.monotonic() + 5
        while self.cluster.workers_on(name):
            if time.monotonic() > deadline:
                raise Wrong(f"{name}: workers run on though `cleave join` was killed")
            time.sleep(0.05)
        return name

    def power(self):
        """A member's host is off, and on again."""
        if not self.joined():
            return None
        name = self.dice.choice(self.joined())
        self.gone.append(self.nodes.pop(name))
        self.cluster.reset(name)
        return name

    def partition(self):
        """A host is cut off for a while: for a moment, or for longer than anybody waits for it."""
        names = [*self.joined(), *self.joined(), self.home, "server"]
        name, seconds = self.dice.choice(names), self.dice.choice([0.5, 3, 11])
        if any(plugged == name for _, plugged in self.plugs):
            return None
        self.cluster.unplug(name)
        self.plugs.append((time.monotonic() + seconds, name))
        return f"{name} for {seconds} s"

    def server(self):
        how = self.dice.choice([signal.SIGTERM, signal.SIGKILL, None])
        if how is None:
            self.cluster.reset("server")
        else:
            self.cluster.stop_server(how)
        pause = self.dice.choice([0.1, 1, 4])
        time.sleep(pause)
        self.cluster.start_server()
        return f"{'off and on' if how is None else how.name}, {pause} s"

    def coordinator(self):
        """The coordinator ends, and its run goes on at another host."""
        how = self.dice.choice([signal.SIGTERM, signal.SIGKILL, None])
        # Before it says so there is no run that could go on.
        if self.run.has_ended() or "searching" not in self.run.said():
            return None
        if how is None:
            self.cluster.reset(self.home)
        else:
            self.run.signal(how)
        code = finish(self.run, 20, "the coordinator")
        if self.has_no_server(self.run):
            code = 0
        self.gone.append(self.run)
        if how == signal.SIGTERM and code not in (0, 4, 143):
            raise Wrong(f"the coordinator ended with {code} when it was terminated: {self.run.said()[-1500:]}")
        target = next(name for name in self.cluster.coordinators if name != self.home)
        self.cluster.move(self.directory, self.home, target)
        self.home = target
        self.run = self.cluster.coordinate(self.home, "resume", self.directory)
        return f"{'off' if how is None else how.name}, to {target}"

    def mend(self, always=False):
        """Plugs in who was cut off for long enough."""
        now = time.monotonic()
        for plug in list(self.plugs):
            if always or now >= plug[0]:
                self.plugs.remove(plug)
                self.cluster.plug(plug[1])

    def has_no_server(self, task):
        """Whether this command ended as it could not begin: it was started while the server was not to be reached."""
        if task.wait(1) != 1 or "cannot connect to nats://" not in task.said():
            return False
        self.got["began in vain"] += 1
        self.gone.append(task)
        return True

    def watch(self, seconds):
        """Waits; a member that ends is free again, and nobody ends with an error."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.run.has_ended():
            self.mend()
            for name, node in list(self.nodes.items()):
                if node.has_ended():
                    self.nodes.pop(name)
                    if not self.has_no_server(node) and (code := node.wait(1)) != 0:
                        raise Wrong(f"{name} ended with {code}: {node.said()[-1500:]}")
                    self.gone.append(node)
            time.sleep(0.01)

    def is_over(self):
        """Whether the run has ended; one that could not begin begins again."""
        if not self.run.has_ended():
            return False
        if not self.has_no_server(self.run):
            return True
        self.watch_cut_offs()
        if (self.cluster[self.home].disk / self.directory).exists():
            self.run = self.cluster.coordinate(self.home, "resume", self.directory)
        else:
            self.run = self.cluster.run_on(self.home, self.directory, self.program)
        return False

    def watch_cut_offs(self):
        """Waits until everybody is plugged in again."""
        while self.plugs:
            self.mend()
            time.sleep(0.01)

    def play(self):
        start = time.monotonic()
        self.run = self.cluster.run_on(self.home, self.directory, self.program)
        for _ in range(self.dice.choice([1, 2, 3])):
            self.join()
        while not self.is_over():
            if self.kinds:
                kind = self.kinds.pop(0)
                self.watch(self.dice.uniform(0.2, 1.0) * min(3, self.program.seconds / 4))
                if self.is_over():
                    break
                what = getattr(self, kind)()
                if what:
                    self.got[kind] += 1
                    self.say(f"    {time.monotonic() - start:5.1f} s: {kind} {what}")
            elif not self.plugs and len(self.joined()) < 2:
                self.join()
            self.watch(0.2)
            if time.monotonic() - start > PATIENCE:
                raise Wrong(f"no end after {PATIENCE} s: {self.run.said()[-1500:]}")
        self.mend(always=True)
        code = self.run.wait(1)
        if code != 0:
            raise Wrong(f"the run ended with {code}: {self.run.said()[-1500:]}")
        self.dismiss()
        check_calm(self.run, *self.gone)
        self.cluster.gather(self.directory, self.home)
        account = check_whole(self.cluster.cleave, self.cluster[self.home].disk / self.directory, self.program)
        self.cluster.forget(self.directory, self.home)
        return account, time.monotonic() - start

    def dismiss(self):
        """The run is over: who is still there looks for the next one, and is told to leave."""
        time.sleep(0.5)
        for name, node in self.nodes.items():
            since = time.monotonic()
            node.signal(signal.SIGTERM)
            code = finish(node, 20, "a member")
            took = time.monotonic() - since
            if code != 0 and not began_not(node, code) and not self.has_no_server(node) or took > LEAVING:
                raise Wrong(f"after the run, {name} ended with {code} after {took:.2f} s: {node.said()[-1500:]}")
            self.gone.append(node)
        self.nodes = {}

    def clean(self):
        """After something was wrong: the next round finds what it needs."""
        self.mend(always=True)
        for task in [self.run, *self.nodes.values()]:
            if not task.has_ended():
                task.signal(signal.SIGKILL)
                task.wait(10)
        for name in self.cluster.coordinators:
            self.cluster.forget(self.directory, name)
        if self.cluster.nats.has_ended():
            self.cluster.start_server()

"""Runs of Cleave for the tables: explore, simulate, replay, and what they say."""

import collections
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import programs as built  # noqa: E402: scripts/programs.py has the table of programs.

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
CLEAVE = pathlib.Path(os.environ.get("CLEAVE", TARGET / "release/cleave")).resolve()
# Runs that did their work: all explored, with bugs, stopped by a limit, or with paths that are not modelled.
DONE = (0, 3, 4, 5)
# How long a run may take beyond its limit before it counts as hung, in seconds.
GRACE = 120


class Wrong(Exception):
    """A run failed; the text says what was run and what it said, in a line."""


class Cores:
    """The cores of the machine. Rows that are measured side by side share them: a command waits until as many are free as it uses, first
    come, first served."""

    def __init__(self, count):
        self.count, self.free = count, count
        self.waiting, self.changed = collections.deque(), threading.Condition()

    @contextlib.contextmanager
    def held(self, wanted):
        """As many cores, or all there are."""
        wanted, me = min(wanted, self.count), object()
        with self.changed:
            self.waiting.append(me)
            self.changed.wait_for(lambda: self.waiting[0] is me and self.free >= wanted)
            self.waiting.popleft()
            self.free -= wanted
            self.changed.notify_all()
        try:
            yield
        finally:
            with self.changed:
                self.free += wanted
                self.changed.notify_all()


CORES = Cores(os.cpu_count())
# Commands that are running, of all rows, and whether more may begin.
RUNNING, STOPPED = set(), threading.Event()


class Runs:
    """Makes run directories in a folder of their own, which is gone at the end."""

    def __init__(self, seconds):
        self.seconds = seconds
        place = os.environ.get("PLACE", "/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.folder = tempfile.TemporaryDirectory(prefix="cleave-evaluate-", dir=place)
        self.numbers = itertools.count(1)

    def close(self):
        self.folder.cleanup()

    def explore(self, program, *options, limit=None, arguments=None):
        """One run without test files, on as many workers as `options` say or on all cores: its directory and its account. `limit` is in
        seconds; `arguments` are a text of words or a list."""
        directory = pathlib.Path(self.folder.name) / str(next(self.numbers))
        limits = ["--max-time", f"{limit}s"] if limit else []
        words = program.arguments if arguments is None else arguments
        words = words.split() if isinstance(words, str) else words
        command = [CLEAVE, "run", "--tests", "none", *limits, *map(str, options), "--output-dir", directory, program.file, *words]
        workers = options[options.index("--workers") + 1] if "--workers" in options else CORES.count
        answer(command, (limit or 10 * self.seconds) + GRACE, cores=workers)
        return directory, json.loads((directory / "summary.json").read_text())

    def forget(self, *directories):
        """Removes run directories that nobody needs any more."""
        for directory in directories:
            shutil.rmtree(directory, ignore_errors=True)

    def ktest_names(self, directory, most):
        """Names of the run's tests of which an end is foretold, evenly chosen."""
        records = [r["id"] for r in listing(directory) if r["record"] == "test" and r["kind"] in ("completed", "failed")]
        step = max(1, len(records) / most)
        chosen = [records[int(i * step)] for i in range(min(most, len(records)))]
        return [directory / "tests" / f"test{number:06}.ktest" for number in chosen]


def answer(command, seconds, good=DONE, cores=1):
    """What a command prints that uses so many cores; an error where it fails or hangs."""
    with CORES.held(cores):
        if STOPPED.is_set():
            raise Wrong("stopped")
        child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        RUNNING.add(child)
        try:
            out, said = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as hung:
            child.kill()
            child.communicate()
            raise Wrong(f"{shown(command)} did not end within {seconds:.0f} s") from hung
        finally:
            RUNNING.discard(child)
    if child.returncode not in good:
        said = [line for line in said.splitlines() if line.strip()][-1:] or ["nothing was said"]
        raise Wrong(f"{shown(command)} ended with {child.returncode}: {said[0]}")
    return out


def stop():
    """Ends the commands that are running; no more begin."""
    STOPPED.set()
    for child in list(RUNNING):
        child.kill()


def shown(command):
    """A command without folders."""
    return " ".join(pathlib.Path(str(word)).name if "/" in str(word) else str(word) for word in command)


def listing(directory):
    """The records of `cleave list --json`."""
    return [json.loads(line) for line in answer([CLEAVE, "list", "--json", directory], 600).splitlines()]


def bug_functions(directory):
    """The bugs of a run: the innermost function with its kind, each once."""
    with contextlib.closing(sqlite3.connect(f"file:{directory / 'db.sqlite'}?mode=ro", uri=True)) as database:
        rows = database.execute("SELECT kind, trace FROM bugs WHERE path_kind = 'failed'").fetchall()
    return sorted({f"{json.loads(trace)[0]['function']} {kind}" for kind, trace in rows})


def paths(summary):
    """How many paths a run has recorded."""
    return sum(n for kind, n in summary["paths"].items() if kind not in ("cut", "unknown"))


def simulate(directory, *options):
    """What `cleave simulate` foretells: {(policy, workers): row}."""
    said = json.loads(answer([CLEAVE, "simulate", "--json", *map(str, options), directory], 3600))
    return {(row["policy"], row["workers"]): row for row in said[0]["rows"]}


def replayed(program, names):
    """Tests that were replayed natively and of which an end was foretold, how many ended so, and the first that did not. A bug that
    a native run need not show foretells nothing certain."""
    if not names:
        return 0, 0, None
    said = answer([CLEAVE, "replay", "--json", program.file, *names], 60 + 10 * len(names), good=(0, 1, 3))
    verdicts = [json.loads(line) for line in said.splitlines()]
    verdicts = [v for v in verdicts if "test" in v and v.get("verdict") != "ran"]
    others = [v for v in verdicts if v.get("verdict") != "agrees"]
    return len(verdicts), len(verdicts) - len(others), (others[0] if others else None)


def spread(values):
    """Least, average, most."""
    return [min(values), statistics.mean(values), max(values)]


def share(part, whole):
    """A share in per cent; 0 of nothing is 0."""
    return 100 * part / whole if whole else 0.0

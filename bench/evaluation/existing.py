"""Tables that commands of bench/ and `cleave bench` make already: ParSym's and S2PF's."""

import os
import pathlib
import re
import subprocess

from . import papers, runs, text


class Existing:
    """A table that consists of what commands print; a command a row."""

    def __init__(self, title, commands, about, paper):
        self.TITLE, self.commands, self.about, self.paper = title, commands, about, paper

    def names(self):
        """The rows."""
        return list(self.commands)

    def seconds(self, _count, limit):
        """About how long it takes."""
        return self.about(limit)

    def measure(self, name, work):
        """Runs the command and keeps what it printed."""
        command = [part.format(cleave=runs.CLEAVE, root=runs.ROOT) for part in self.commands[name](work.seconds)]
        with runs.CORES.held(runs.CORES.count):
            done = subprocess.run(command, cwd=runs.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env=os.environ | {"CLEAVE": str(runs.CLEAVE), "RUNS": "1"})
        if done.returncode:
            raise runs.Wrong(f"{runs.shown(command)} ended with {done.returncode}: {done.stdout.strip()[-200:]}")
        # Commands that only name the file that they wrote mean what is in it.
        named = [line.split(": ", 1)[1] for line in done.stdout.splitlines() if re.search(r": \S+\.txt$", line)]
        return {"name": name, "said": "\n".join([done.stdout, *(pathlib.Path(file).read_text() for file in named)])}

    def write(self, rows):
        """What the commands printed, and what the paper prints."""
        parts = [row["said"].rstrip() + "\n" for row in rows if not row.get("failed")]
        return "\n".join([*parts, self.paper(rows)]) + text.failed(rows)


def parsym_sizes(limit):
    """How many of grep's paths: the paper's three sizes where there is time."""
    return [str(n) for n in (1000, 10000, 100000) if limit >= n / 1000] or ["1000"]


def parsym_paper(_rows):
    """Table I, as it is printed."""
    out = [["grep", name, *[text.number(cell, 0) for cell in cells]] for name, cells in papers.rows("parsym", "grep").items()]
    out += [["trees", name, *[text.number(cell, 0) for cell in cells]] for name, cells in papers.rows("parsym", "trees").items()]
    head = ["", "size", "serial s", "2", "8", "32", "128", "512 processors"]
    return f"The paper ({papers.DATA['parsym']['source']}), seconds; - is more than five hours\n{text.columns(head, out)}"


# From this limit on, the papers' whole sizes are measured.
WHOLE = 60


def s2pf_command(name, limit):
    """The paper's lengths of sequences, or shorter ones where there is little time."""
    return ["{cleave}", "bench", "s2pf", name, *(["--quick"] if limit < WHOLE else [])]


def s2pf_paper(_rows):
    """Table 1, as it is printed."""
    out = [[program, mode, *[text.number(cell, 0) for cell in cells[:3]], text.number(cells[3]), text.number(cells[4])]
           for (program, mode), cells in papers.modes().items()]
    head = ["program", "mode", "sat", "unsat", "calls", "s", "saved %"]
    return f"The paper ({papers.DATA['s2pf']['source']})\n{text.columns(head, out)}"


PARSYM = Existing("ParSym (2010, table I): grep and binary trees", {
    "grep": lambda limit: ["{root}/bench/grep", *parsym_sizes(limit)],
    "trees": lambda _limit: ["{root}/bench/run", "structures"],
    "grep-parsym": lambda _limit: ["{root}/bench/simulate", "grep-parsym"],
}, lambda limit: 1800 + 10 * limit, parsym_paper)
S2PF = Existing("S2PF (2012, table 1): solver calls and time", {
    name: lambda limit, name=name: s2pf_command(name, limit) for name in "wbs treemap bintree fibheap list binheap".split()
}, lambda limit: 600 if limit < WHOLE else 1800, s2pf_paper)

"""Rows that are measured are kept in bench/results/rows, so that an interrupted table goes on where it was, on another machine as well.

A row says of which commit it is, when and on which machine it was measured, and how busy that was. A row of another commit stays
in the table and is marked there until it is measured again."""

import datetime
import hashlib
import json
import os
import pathlib
import platform
import subprocess

# Files that decide what a run does: a commit that changes none of them is no other commit.
CODE = ["crates", ":(exclude)crates/*/tests", "runtime", "Cargo.lock", "programs/debian", "scripts/programs.py"]


class Kept:
    """The rows of a table, for one limit of time. A file of JSON, a row a line; the last one of a name counts."""

    def __init__(self, folder, table, seconds, code):
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / f"{table}-{seconds}s.jsonl"
        self.code = code
        self.rows = {}
        if self.file.exists():
            for line in self.file.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    continue  # The row that was written when the machine stopped.
                self.rows[row["name"]] = row

    def order(self, names, anew=False, missing=False):
        """Names whose rows are to be measured: those without a row or with one that failed, then those of other commits, oldest first.
        `missing` leaves out the latter; `anew` takes all."""
        lost = [name for name in names if name not in self.rows or self.rows[name].get("failed")]
        old = [name for name in names if name not in lost and (anew or not self.code.same(self.rows[name]["commit"]))]
        return lost + ([] if missing else sorted(old, key=lambda name: self.rows[name]["date"]))

    def add(self, row):
        """Keeps a row with what it was measured by. It is on the disk when this returns."""
        row |= {"commit": self.code.name, "date": f"{datetime.datetime.now():%Y-%m-%d %H:%M}", "machine": machine(), "load": round(os.getloadavg()[0], 1)}
        self.rows[row["name"]] = row
        with self.file.open("a") as out:
            out.write(json.dumps(row) + "\n")
            out.flush()

    def tidy(self):
        """Leaves one line a name in the file, in the order of names."""
        made = self.file.with_suffix(".new")
        made.write_text("".join(json.dumps(self.rows[name]) + "\n" for name in sorted(self.rows)))
        made.replace(self.file)

    def note(self, names):
        """When and where rows were measured, and which are of other commits; a few lines."""
        rows = [self.rows[name] for name in names if name in self.rows]
        if not rows:
            return "no row is measured yet\n"
        loads, dates = [row["load"] for row in rows], [row["date"] for row in rows]
        out = [f"{len(rows)} of {len(names)} rows, {min(dates)} to {max(dates)}; load {min(loads)} to {max(loads)}"]
        out += sorted({row["machine"] for row in rows})
        for commit in sorted({row["commit"] for row in rows}):
            mine = [row["name"] for row in rows if row["commit"] == commit]
            if self.code.same(commit):
                out.append(f"commit {commit}: {len(mine)} rows")
            else:
                out.append(f"OTHER COMMIT {commit}, {len(mine)} rows: {' '.join(mine)}")
        return "\n".join(out) + "\n"


class Code:
    """The state of the sources: a commit, with a digest of what is changed and not committed."""

    def __init__(self, root):
        self.root, self.known = root, {}
        changed = self.git("diff", "HEAD", "--", *CODE)
        self.name = self.git("log", "-1", "--format=%h", "--abbrev=8").strip()
        if changed:
            self.name += "+" + hashlib.sha256(changed.encode()).hexdigest()[:8]

    def git(self, *words):
        """What git prints; nothing where it fails."""
        return subprocess.run(["git", "-C", self.root, *words], capture_output=True, text=True).stdout

    def same(self, commit):
        """Whether a commit has the code that is here."""
        if commit not in self.known:
            plain = "+" not in commit + self.name
            asked = ["git", "-C", self.root, "diff", "--quiet", commit, "--", *CODE]
            self.known[commit] = commit == self.name or (plain and subprocess.run(asked, capture_output=True).returncode == 0)
        return self.known[commit]


def machine():
    """Cores, processor, memory and kernel of this machine."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) / 2**20
    return f"{os.cpu_count()} cores of {cpu}, {memory:.0f} GiB; Linux {platform.release()}"

"""Rows that are measured are kept in build/evaluate, so that an interrupted table goes on where it was."""

import hashlib
import json


class Kept:
    """The finished rows of a table, for one limit of time and one cleave. A file of JSON, a row a line."""

    def __init__(self, folder, table, seconds, cleave, anew=False):
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / f"{table}-{seconds}s-{digest(cleave)}.jsonl"
        if anew:
            self.file.unlink(missing_ok=True)
        self.rows = {}
        if self.file.exists():
            for line in self.file.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    continue  # The row that was written when the machine stopped.
                self.rows[row["name"]] = row

    def has(self, name, program=None):
        """Whether a row is measured, of this very program. One that failed is measured anew."""
        row = self.rows.get(name)
        return row is not None and not row.get("failed") and row.get("program") == of(program)

    def add(self, row, program=None):
        """Keeps a row, and which program it is of. It is on the disk when this returns."""
        row["program"] = of(program)
        self.rows[row["name"]] = row
        with self.file.open("a") as out:
            out.write(json.dumps(row) + "\n")
            out.flush()


def of(program):
    """What stands for a program in its row; nothing where there is none."""
    return digest(program) if program and program.exists() else None


def digest(file):
    """Eight characters that stand for a file's content."""
    made = hashlib.sha256()
    with file.open("rb") as data:
        while part := data.read(1 << 20):
            made.update(part)
    return made.hexdigest()[:8]

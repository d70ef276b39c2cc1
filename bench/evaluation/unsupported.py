"""Every program of coreutils with arguments, files and standard input: is there a path that ends at something not modelled?"""

from . import coverage, own, runs, text

ARGUMENTS = "--sym-args 0 2 3 --sym-files 1 4 --sym-stdin 6"
TITLE = f"Coreutils at {ARGUMENTS}: what is not modelled"
names = coverage.names


def seconds(count, limit):
    """About how long a table of so many rows takes."""
    return count * (limit + 3)


def measure(program, work):
    """A row: paths of each kind, and what was met, by name."""
    directory, said = work.explore(program, limit=work.seconds, arguments=ARGUMENTS)
    places = [r for r in runs.listing(directory) if r["record"] == "bug"]
    work.forget(directory)
    kinds = {kind: [own.shown(r) for r in places if r["counts_as"] == kind] for kind in ("failed", "unsupported")}
    return {"name": program.name, **own.account(said), "bug_places": kinds["failed"], "unsupported_places": kinds["unsupported"],
            "other": None, "replayed": 0, "agree": 0}


def write(rows):
    """The table: those programs with something to tell, and how many have nothing."""
    good = [row for row in rows if not row.get("failed")]
    clean = [row for row in good if not row["unsupported"]]
    out = [[row["name"], row["paths"], row["unsupported"], row["unknown"], row["bugs"]] for row in good if row not in clean]
    return (f"{len(clean)} of {len(good)} programs have no unsupported path.\n{text.columns(['program', 'paths', 'unsupported', 'unknown', 'bugs'], out)}"
            f"\n{own.met(good)}{text.failed(rows)}")

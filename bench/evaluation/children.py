"""Programs explored with the children that they execute: what is not modelled, and whether every replay is as foretold."""

import shlex
import tomllib

from . import own, runs, text

REPLAYED = 500
TITLE = "Programs with their children"


class Row:
    """A block [children.NAME] of programs.toml."""

    def __init__(self, name, block, programs):
        unknown = set(block) - {"program", "executes", "options", "arguments"}
        main = block.get("program", name)
        # NAME=PROGRAM, or a program that is executed by its own name.
        self.children = {where: one for where, _, one in (word.rpartition("=") for word in block["executes"].split())
                         for where in [where or one]}
        missing = [one for one in [main, *self.children.values()] if one not in programs]
        if unknown or missing:
            raise SystemExit(f"programs.toml: children {name} names {', '.join(sorted(unknown) + missing)}, which is not there")
        self.name, self.main, self.file = name, main, programs[main].file
        self.files = {where: programs[one].file for where, one in self.children.items()}
        self.options = block.get("options", "").split()
        self.arguments = block["arguments"].replace("{files}", str(runs.built.HERE / "files"))


def rows():
    """The table's rows, by name."""
    data = tomllib.loads((runs.built.HERE / "programs.toml").read_text())
    programs = runs.built.table()[1]
    return {name: Row(name, block, programs) for name, block in data["children"].items()}


def names():
    """What is explored."""
    return list(rows())


def program(name):
    """The program that a row is measured on."""
    return rows()[name]


def seconds(count, limit):
    """About how long a table of so many rows takes."""
    return count * (limit + 25)


def measure(row, work):
    """A row: one run with all children, and natively as many of its tests as there is patience for."""
    missing = [where for where, file in row.files.items() if not file.exists()]
    if missing:
        raise runs.Wrong(f"{', '.join(missing)} not built; `make programs` builds it")
    given = [word for where, file in row.files.items() for word in ("--program", f"{where}={file}")]
    directory, said = work.explore(row, *row.options, *given, limit=work.seconds, arguments=shlex.split(row.arguments))
    records = runs.listing(directory)
    made = {"name": row.name, **own.account(said), "given": sorted(row.files)}
    made["suppressed"] = said["paths"].get("suppressed", 0)
    made["bug_places"] = [own.shown(r) for r in records if r["record"] == "bug" and r["counts_as"] == "failed"]
    made["unsupported_places"] = [own.shown(r) for r in records if r["record"] == "bug" and r["counts_as"] == "unsupported"]
    cover = runs.json.loads(runs.answer([runs.CLEAVE, "coverage", "--json", directory], 600))
    made["reached"] = reached(row, cover)
    made["replayed"], made["agree"], other = runs.replayed(row, work.ktest_names(directory, REPLAYED))
    made["other"] = other and f"{other.get('verdict')}: {other.get('text', '')[:160]}"
    work.forget(directory)
    return made


def reached(row, cover):
    """The children that some path executes: a line is covered that no other program has."""
    alone = {names[0] for file, names in cover["programs"].items() if len(names) == 1 and any(cover["files"].get(file, {}).values())}
    return sorted(where for where, one in row.children.items() if one != row.main and one in alone)


def write(measured):
    """The table, and below it what every program met."""
    good = [row for row in measured if not row.get("failed")]
    out = []
    for row in good:
        rate = row["paths"] / row["exploring"] if row["exploring"] else None
        out.append([row["name"], row["paths"], "all" if row["ended"] else "limit", text.number(rate, 0), row["bugs"], row["suppressed"],
                    row["unsupported"], row["unknown"], f"{row['agree']}/{row['replayed']}", " ".join(row["reached"])])
    if good:
        agree, count = (sum(row[what] for row in good) for what in ("agree", "replayed"))
        out.append(["all", *[sum(row["paths"] for row in good)], "", "",
                    *[sum(row[what] for row in good) for what in ("bugs", "suppressed", "unsupported", "unknown")], f"{agree}/{count}", ""])
    head = ["program", "paths", "ended", "paths/s", "bugs", "suppressed", "unsupported", "unknown", "replay", "children that ran"]
    return f"{NOTE}\n{text.columns(head, out)}\n{own.met(good)}{text.failed(measured)}"


NOTE = f"""One run on all cores with the options, children and arguments of the blocks [children.NAME] of programs/debian/programs.toml. replay: of up
to {REPLAYED} tests, evenly chosen, those that end natively as foretold. children that ran: other programs of which a path covers
lines; a program that executes itself is not named."""

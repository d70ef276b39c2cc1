"""Our own table: every program, for a limit of time, with all that its account says, and tests of it replayed natively."""

from . import papers, runs, text

REPLAYED = 200
TITLE = "All programs"


def names():
    """All programs of the table."""
    return list(runs.built.table()[1])


def seconds(count, limit):
    """About how long a table of so many rows takes."""
    return count * (limit + 12)


def measure(program, work):
    """A row: one run on all cores, and natively as many of its tests as there is patience for."""
    directory, said = work.explore(program, limit=work.seconds)
    records = runs.listing(directory)
    row = {"name": program.name, "arguments": program.arguments, **account(said)}
    row["bug_places"] = [shown(r) for r in records if r["record"] == "bug" and r["counts_as"] == "failed"]
    row["unsupported_places"] = [shown(r) for r in records if r["record"] == "bug" and r["counts_as"] == "unsupported"]
    row["replayed"], row["agree"], other = runs.replayed(program, work.ktest_names(directory, REPLAYED))
    row["other"] = other and f"{other.get('verdict')}: {other.get('text', '')[:160]}"
    work.forget(directory)
    return row


def account(said):
    """The figures of summary.json that the tables need."""
    cover = said["coverage"]
    return {"paths": runs.paths(said), "ended": said["stop_reason"] == "exhausted", "exploring": said["exploring_s"],
            "lines": [cover["lines_covered"], cover["lines"]], "branches": [cover["branches_covered"], cover["branches"]],
            "bugs": said["bugs"], "unsupported": said["paths"]["unsupported"], "unknown": said["paths"]["unknown"],
            "solver": runs.share(said["solver_seconds"], said["busy_seconds"]), "memory": said["peak_memory_bytes"],
            "instructions": said["instructions"], "deaths": said["worker_deaths"], "internal": sum(said["internal_errors"].values()),
            "doubled": said["doubled"]}


def shown(record):
    """A bug, or what is not modelled, in a line."""
    return f"{record['paths']}x {record['kind']}: {record['message'][:150]} ({record['place']})"


def write(rows):
    """The table, and below it what every program met."""
    out, told = [], papers.rows("klee-here")
    good = [row for row in rows if not row.get("failed")]
    for row in good:
        rate = row["paths"] / row["exploring"] if row["exploring"] else None
        klee = told.get(row["name"])
        out.append([row["name"], row["paths"], "all" if row["ended"] else "limit", text.number(rate, 0),
                    text.number(runs.share(*row["lines"])), text.number(runs.share(*row["branches"])), row["bugs"], row["unsupported"],
                    row["unknown"], text.number(row["solver"], 0), text.number(row["memory"] / 1e6, 0), f"{row['agree']}/{row['replayed']}",
                    text.number(klee and klee[0] / klee[1], 0)])
    if good:
        agree, replayed = sum(row["agree"] for row in good), sum(row["replayed"] for row in good)
        lines, branches = ([sum(row[what][i] for row in good) for i in (0, 1)] for what in ("lines", "branches"))
        out.append(["all", sum(row["paths"] for row in good), "", "", text.number(runs.share(*lines)), text.number(runs.share(*branches)),
                    *[sum(row[what] for row in good) for what in ("bugs", "unsupported", "unknown")], "", "", f"{agree}/{replayed}", ""])
    head = ["program", "paths", "ended", "paths/s", "lines %", "branches %", "bugs", "unsupported", "unknown", "solver %", "MB",
            "replay", "KLEE paths/s"]
    return f"{NOTE}\n{text.columns(head, out)}\n{met(good)}{text.failed(rows)}"


def met(rows):
    """Below the table: bugs, what is not modelled, replays that differ, errors of Cleave, by program."""
    lines = []
    for row in rows:
        lines += [f"  {row['name']}: bug: {place}" for place in row["bug_places"]]
        lines += [f"  {row['name']}: unsupported: {place}" for place in row["unsupported_places"]]
        if row["other"]:
            lines.append(f"  {row['name']}: replay: {row['replayed'] - row['agree']} of {row['replayed']} differ, first: {row['other']}")
        for what in ("deaths", "internal", "doubled"):
            if row[what]:
                lines.append(f"  {row['name']}: {what}: {row[what]}")
    return "what they met:\n" + "\n".join(lines) + "\n" if lines else "no bugs, nothing unsupported, all replays as foretold\n"


NOTE = f"""One run on all cores with the arguments of programs/debian/programs.toml. lines, branches: of the program's own code, gnulib and the
like included, that a test covers. solver: of the workers' time. MB: the largest worker. replay: of up to {REPLAYED} tests, evenly chosen,
those that end natively as foretold. KLEE paths/s: {papers.DATA['klee-here']['source']}, the same arguments."""

"""Lines covered over all coreutils, beside KLEE's (OSDI 2008)."""

import pathlib

from . import papers, runs, text, world

# What KLEE's authors gave to most programs within their hour, and to eight others (https://klee-se.org/docs/coreutils-experiments).
ARGUMENTS = "--sym-args 0 1 10 --sym-args 0 2 2 --sym-files 1 8 --sym-stdin 8 --sym-stdout"
OTHERS = {
    "dd": "--sym-args 0 3 10 --sym-files 1 8 --sym-stdin 8 --sym-stdout",
    "dircolors": "--sym-args 0 3 10 --sym-files 2 12 --sym-stdin 12 --sym-stdout",
    "echo": "--sym-args 0 4 300 --sym-files 2 30 --sym-stdin 30 --sym-stdout",
    "expr": "--sym-args 0 1 10 --sym-args 0 3 2 --sym-stdout",
    "mknod": "--sym-args 0 1 10 --sym-args 0 3 2 --sym-files 1 8 --sym-stdin 8 --sym-stdout",
    "od": "--sym-args 0 3 10 --sym-files 2 12 --sym-stdin 12 --sym-stdout",
    "pathchk": "--sym-args 0 1 2 --sym-args 0 1 300 --sym-files 1 8 --sym-stdin 8 --sym-stdout",
    "printf": "--sym-args 0 3 10 --sym-files 2 12 --sym-stdin 12 --sym-stdout",
}
TITLE = "Lines of coreutils covered, as KLEE was measured on it (2008)"
BANDS = [(100, 101), (90, 100), (80, 90), (70, 80), (60, 70), (50, 60), (0, 50)]


def names():
    """All programs of coreutils."""
    return [p.name for p in runs.built.table()[1].values() if p.package.name == "coreutils"]


def seconds(count, limit):
    """About how long a table of so many rows takes."""
    return count * (limit + 8) / runs.CORES.count


def measure(program, work):
    """A row: two runs of half the time each, the second with calls that fail and streams that may be a terminal. A line is covered
    that one of them covers."""
    there = pathlib.Path(work.folder.name) / "world"
    world.make(there)
    accounts, lines = [], {}
    for world_too in ([], ["--fail-calls", "1", "--sym-terminal"]):
        options = ["--workers", 1, *world.options(there), *world_too]
        directory, said = work.explore(program, *options, limit=max(1, work.seconds // 2), arguments=OTHERS.get(program.name, ARGUMENTS))
        covered = runs.json.loads(runs.answer([runs.CLEAVE, "coverage", "--json", directory], 600))["files"]
        work.forget(directory)
        accounts.append(said)
        for file, of_file in covered.items():
            known = lines.setdefault(file, {})
            known.update({line: is_covered or known.get(line, False) for line, is_covered in of_file.items()})
    every = [is_covered for of_file in lines.values() for is_covered in of_file.values()]
    return {"name": program.name, "paths": sum(map(runs.paths, accounts)), "ended": all(said["stop_reason"] == "exhausted" for said in accounts),
            "own": own_lines(lines), "all": [sum(every), len(every)], "unsupported": sum(said["paths"]["unsupported"] for said in accounts)}


def own_lines(files):
    """Covered lines and all lines of the tool's own sources: src/, without gnulib's lib/, as KLEE's authors counted."""
    mine = [covered for file, lines in files.items() if "coreutils/src/" in file and file.endswith(".c") for covered in lines.values()]
    return [sum(mine), len(mine)]


def write(rows):
    """The table."""
    good = [row for row in rows if not row.get("failed")]
    out = [[row["name"], row["paths"], "all" if row["ended"] else "limit", *row["own"], text.number(runs.share(*row["own"])),
            text.number(runs.share(*row["all"])), row["unsupported"]] for row in good]
    head = ["program", "paths", "ended", "covered", "lines", "own %", "with gnulib %", "unsupported"]
    return f"{NOTE}\n{text.columns(head, out)}\n{summary(good)}{text.failed(rows)}"


def summary(rows):
    """Over all tools, beside KLEE's figures."""
    klee, shares = papers.DATA["klee"], [runs.share(*row["own"]) for row in rows]
    covered, lines = (sum(row["own"][i] for row in rows) for i in (0, 1))
    out = [["tools", len(rows), klee["tools"]], ["over all lines, %", text.number(runs.share(covered, lines)), klee["overall"]],
           ["average a tool, %", text.number(text.mean(shares)), klee["average"]],
           ["median a tool, %", text.number(text.median(shares)), klee["median"]]]
    out += [[f"tools from {low} %" if low == 100 else f"tools from {low} % to {high} %", sum(low <= s < high for s in shares), "-"]
            for low, high in BANDS]
    return text.columns(["", "Cleave", "KLEE 2008"], out)


NOTE = f"""A tool has one worker and two runs of half the time each with {ARGUMENTS}
(other arguments for {', '.join(OTHERS)}: bench/evaluation/coverage.py); in the second, one call of a path may fail (--fail-calls 1), and each standard stream may be a terminal (--sym-terminal). It finds a few files and variables (bench/evaluation/world.py), as KLEE's authors had a folder of files, an environment, and runs with
failing calls. covered, lines: of the tool's own sources (src/), each tool for itself, by either run. KLEE: coreutils 6.10, {papers.DATA['klee']['minutes']} minutes a tool,
lines that gcov counts natively; {papers.DATA['klee']['source']}. KLEE's rate on its own work: `make evaluate TABLE=programs` has it beside ours."""

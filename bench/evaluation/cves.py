"""Time until the defects of libtasn1 are found that programs/debian/defects puts back, by strategy and workers."""

from . import papers, runs, text

SEARCHES = {"default": [], "dfs": ["--search", "dfs"], "bfs": ["--search", "bfs"], "random-state": ["--search", "random-state"]}
WORKERS = [1, 2]
TITLE = "libtasn1: seconds until the error of each CVE is found"


def names():
    """The programs with a defect."""
    return list(papers.rows("cves"))


def seconds(count, limit):
    """About how long a table of so many rows takes, at most."""
    return count * limit * len(SEARCHES) * sum(min(1, workers / runs.CORES.count) for workers in WORKERS)


def measure(program, work):
    """A row: seconds of exploring until the first bug, for each strategy and number of workers; nothing where the limit came first."""
    row = {"name": program.name, "found": {}, "where": [], "elsewhere": []}
    expected = papers.rows("cves")[program.name][0].split(",")
    for search, options in SEARCHES.items():
        for workers in WORKERS:
            directory, said = work.explore(program, "--workers", workers, *options, "--max-bugs", 1, limit=work.seconds)
            places = runs.bug_functions(directory)
            right = [place for place in places if place.split()[0] in expected]
            row["found"][f"{search} {workers}"] = [said["exploring_s"] if right else None, runs.paths(said)]
            row["where"] = sorted({*row["where"], *right})
            row["elsewhere"] = sorted({*row["elsewhere"], *(set(places) - set(right))})
            work.forget(directory)
    return row


def write(rows):
    """The table."""
    out = []
    for row in rows:
        if not row.get("failed"):
            cells = [found(row["found"][f"{search} {workers}"]) for search in SEARCHES for workers in WORKERS]
            out.append([row["name"], *cells, ", ".join(row["where"]) or "-", ", ".join(row["elsewhere"])])
    head = ["program", *[f"{search}, {workers}" for search in SEARCHES for workers in WORKERS], "error in", "others"]
    return f"{NOTE}\n{text.columns(head, out)}\n{text.failed(rows)}"


def found(cell):
    """Seconds and paths until the error."""
    seconds, paths = cell
    return f"not in {paths} paths" if seconds is None else f"{seconds:.2f} s, {paths} paths"


NOTE = f"""Strategy, workers: seconds of exploring and paths until the first bug, which is to be that of the CVE. default is what `cleave run
--max-time` takes. `others` are bugs elsewhere, which ended a run. Published times: {papers.DATA['cves']['source']}."""

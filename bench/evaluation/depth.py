"""Table 3 and figures 2 and 3 of test-depth partitioning (2020): three strategies, several workers, a bounded space.

As in section 4.2: breadth-first search on one worker for the limit of time gives the depth. All runs explore the paths up to that depth.
One and two workers run here; 4, 6, 8 and 10 are simulated on the tree of one worker's run, split into test-depth pairs."""

from . import papers, runs, text

STRATEGIES = ["dfs", "random-state", "bfs"]
SIMULATED = [4, 6, 8, 10]
# The paper's names of three programs that are libraries, and ours.
LIBRARIES = {"bc": "bc", "osip": "osip", "libyaml": "yaml"}
TITLE = "Test-depth partitioning (2020, table 3, figures 2 and 3): speed-up against one worker"


def names():
    """The programs of the paper's table, in its order, by our names."""
    return [LIBRARIES.get(name, name) for name in papers.rows("depth")]


def seconds(count, limit):
    """About how long a table of so many rows takes."""
    return count * limit * ((1 + len(STRATEGIES) * 2) / runs.CORES.count + len(STRATEGIES) / 2)


def measure(program, work):
    """A row: the bound, and each strategy on one, two and more workers."""
    words = [program.file, *program.arguments.split()]
    said = runs.answer([runs.CLEAVE, "bound", "--json", "--time", f"{work.seconds}s", *words], work.seconds + runs.GRACE)
    bound = runs.json.loads(said)
    row = {"name": program.name, "depth": bound["depth"], "complete": bound["complete"], "strategies": {}}
    for search in STRATEGIES:
        row["strategies"][search] = strategy(program, search, bound["depth"], work)
    counts = {one["paths"] for one in row["strategies"].values() if not one["late"]}
    if len(counts) > 1:
        raise runs.Wrong(f"strategies disagree about the paths up to depth {bound['depth']}: {sorted(counts)}")
    row["paths"] = next(iter(counts), None)
    return row


def strategy(program, search, depth, work):
    """One strategy: seconds of one worker, speed-ups, and regions that changed hands."""
    # All paths of the bounded space take about the limit. A run that takes ten times that is cut off, and says so.
    options = ["--search", search, "--max-depth", depth]
    tree, one = work.explore(program, "--workers", 1, *options, limit=10 * work.seconds)
    where, two = work.explore(program, "--workers", 2, *options, limit=10 * work.seconds)
    late = "max_time" in (one["stop_reason"], two["stop_reason"])
    if not late and all_of(one) != all_of(two):
        raise runs.Wrong(f"{search}: one worker found {all_of(one)} paths and cuts, two {all_of(two)}")
    foretold = runs.simulate(tree, "--policy", "test-depth", "--workers", ",".join(map(str, SIMULATED)))
    work.forget(tree, where)
    return {"paths": runs.paths(one) + one["paths"]["cut"], "late": late, "one": one["exploring_s"], "two": two["exploring_s"],
            "transfers2": two["stolen_regions"], "transfers4": foretold["test-depth", 4]["steals"],
            "more": [foretold["test-depth", workers]["speed_up"] for workers in SIMULATED]}


def all_of(summary):
    """What must be the same on any number of workers."""
    return runs.paths(summary), summary["paths"]["cut"]


def speed_ups(one):
    """Of a strategy: on two workers, then on those that are simulated."""
    return [one["one"] / one["two"] if one["two"] and not one["late"] else None, *one["more"]]


def write(rows):
    """The table."""
    paper, out = papers.rows("depth"), []
    good = [row for row in rows if not row.get("failed")]
    for row in good:
        told = paper[next((theirs for theirs, ours in LIBRARIES.items() if ours == row["name"]), row["name"])]
        for i, search in enumerate(STRATEGIES):
            one = row["strategies"][search]
            out.append([row["name"] if i == 0 else "", search, row["depth"], one["paths"], text.number(one["one"]),
                        *[text.times(up) for up in speed_ups(one)], one["transfers2"], one["transfers4"],
                        text.number(told[0], 0), text.number(told[1], 0), text.number(told[2 + i], 0)])
    head = ["program", "strategy", "depth", "paths", "one s", "2 here", *[f"{w} sim" for w in SIMULATED], "moved (2)", "moved (4 sim)",
            "paper: depth", "paths", "moved (4)"]
    return f"{NOTE}\n{text.columns(head, out)}\n{medians(good)}{text.failed(rows)}"


def medians(rows):
    """Median speed-ups, beside those of the paper's text."""
    told, out = papers.DATA["depth"]["medians"], []
    libraries = set(LIBRARIES.values())
    for group, mine in (("coreutils", [r for r in rows if r["name"] not in libraries]), ("libraries", [r for r in rows if r["name"] in libraries])):
        for search in STRATEGIES:
            ups = zip(*[speed_ups(row["strategies"][search]) for row in mine]) if mine else [[]] * (1 + len(SIMULATED))
            out.append([group, search, *[text.times(text.median(list(up))) for up in ups],
                        text.times(told.get(f"{group} {search} 2")), text.times(told.get(f"{group} {search} 4"))])
    return "medians\n" + text.columns(["", "strategy", "2 here", *[f"{w} sim" for w in SIMULATED], "paper: 2", "4"], out)


NOTE = """depth: what breadth-first search reaches within the limit. paths: those that end up to it, and prefixes that it cuts off. 2 here:
two workers of this machine. sim: simulated on the tree of one worker's run, without the prefixes that were cut off. moved:
regions that changed hands. The paper: KLEE, coreutils 6.11, ten minutes, four workers; it says of two workers only that the
median is linear over coreutils."""

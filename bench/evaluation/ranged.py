"""Table 1 of ranged symbolic execution (2012): static ranges, resumable runs and work stealing over coreutils.

As in section 4.2: a standard run, depth-first on one worker, ends after the limit. All others explore exactly its paths. Nine of
its tests, drawn at random, make ten ranges, five times over. One worker explores the ranges one after the other: that is a
resumable run. Ten workers are simulated on the recorded tree, a range each, and by stealing; two workers steal here."""

from . import papers, runs, text

CHOICES = 5
RANGES = 10
# Workers of the paper's table 2.
SCALING = [5, RANGES, 20]
# A path of KLEE's took this long in the paper's time: the network weighs more on our paths, which take a hundredth.
SLOW_MS = 2
TITLE = "Ranged symbolic execution (2012, table 1): seconds, and speed-up against the standard run"


def names():
    """The programs of the paper's table, in its order."""
    return [name for name in papers.rows("ranged") if name not in papers.DATA["ranged"]["gone"]]


def seconds(count, limit):
    """About how long a table of so many rows takes."""
    return count * limit * ((1 + CHOICES + 3) / runs.CORES.count + 1)


def measure(program, work):
    """A row: the standard run, and all others of its paths."""
    tree, standard = work.explore(program, "--workers", 1, "--search", "dfs", limit=work.seconds)
    count = runs.paths(standard)
    row = {"name": program.name, "paths": count, "ended": standard["stop_reason"] == "exhausted",
           "standard": standard["exploring_s"], "resumable": [], "static": []}
    if count < RANGES:
        row["failed"] = f"only {count} paths: no ten ranges"
        work.forget(tree)
        return row
    for choice in range(CHOICES):
        ranges = ["--split-at", tree, "--ranges", RANGES, "--random-seed", choice, "--static"]
        where, resumed = work.explore(program, "--workers", 1, "--search", "dfs", *ranges, "--max-paths", count)
        row["resumable"].append(resumed["exploring_s"])
        if runs.paths(resumed) != count:
            raise runs.Wrong(f"ranges found {runs.paths(resumed)} paths, the standard run {count}")
        work.forget(where)
        foretold = runs.simulate(tree, "--policy", "static", "--workers", RANGES, "--seed", choice)
        row["static"].append(foretold["static", RANGES]["speed_up"])
    foretold = runs.simulate(tree, "--policy", "ranges", "--workers", ",".join(map(str, [2, *SCALING])))
    slow = runs.simulate(tree, "--policy", "ranges", "--workers", RANGES, "--ms-per-path", SLOW_MS)
    row["stealing"] = {str(workers): foretold["ranges", workers]["speed_up"] for workers in (2, *SCALING)}
    row["slow"] = slow["ranges", RANGES]["speed_up"]
    where, two = work.explore(program, "--workers", 2, "--search", "dfs", "--max-paths", count)
    row["two"] = two["exploring_s"]
    work.forget(where, tree)
    return row


def write(rows):
    """The table."""
    paper, out, good = papers.rows("ranged"), [], []
    for row in rows:
        if row.get("failed"):
            continue
        good.append(row)
        told = paper.get(row["name"], [None] * 11)
        out.append([row["name"], row["paths"], "all" if row["ended"] else "limit", text.number(row["standard"]),
                    text.three(runs.spread(row["resumable"])), text.times(resumed_share(row)),
                    text.three(runs.spread(row["static"])), text.times(row["standard"] / row["two"] if row["two"] else None),
                    text.times(row["stealing"]["2"]), text.times(row["stealing"][str(RANGES)]), text.times(row["slow"]),
                    text.number(told[0], 0), text.three(told[1:4], 0), text.three(told[7:9]), text.times(told[10])])
    if good:
        out.append(average(good))
    head = ["program", "paths", "ended", "standard s", "resumable s: least / avg / most", "of standard", "10 static: least / avg / most",
            "2 here", "2 sim", "10 steal", "10 steal, slow", "paper: standard s", "resumable s", "10 static", "10 steal"]
    gone = "".join(f"{name} of the paper: {why}\n" for name, why in papers.DATA["ranged"]["gone"].items())
    return f"{NOTE}\n{text.columns(head, out)}\n{gone}\n{scaling(good)}{text.failed(rows)}"


def scaling(rows):
    """Table 2 of the paper: work stealing on 5, 10 and 20 workers, for its 15 programs."""
    paper, out = papers.rows("scaling"), []
    for row in rows:
        if row["name"] in paper:
            told = paper[row["name"]]
            out.append([row["name"], *[text.times(row["stealing"][str(w)]) for w in SCALING], *[text.times(told[i]) for i in (2, 4, 6)]])
    if out:
        mean = [text.mean([row["stealing"][str(w)] for row in rows if row["name"] in paper]) for w in SCALING]
        told = papers.DATA["scaling"]["average"].split()
        out.append(["average", *map(text.times, mean), *[text.times(float(told[i])) for i in (2, 4, 6)]])
    head = ["stealing (table 2)", *[f"{w} sim" for w in SCALING], *[f"paper: {w}" if w == SCALING[0] else str(w) for w in SCALING]]
    return text.columns(head, out)


def resumed_share(row):
    """Time of resumable runs, as a multiple of the standard run's."""
    return text.mean(row["resumable"]) / row["standard"] if row["standard"] else None


def average(rows):
    """The last line: averages over the programs, beside those that the paper prints."""
    told = [float(cell) for cell in papers.DATA["ranged"]["average"].split()]
    over = lambda what: text.mean([what(row) for row in rows])
    resumable = [over(lambda row, i=i: runs.spread(row["resumable"])[i]) for i in range(3)]
    static = [over(lambda row, i=i: runs.spread(row["static"])[i]) for i in range(3)]
    return ["average", text.number(over(lambda row: row["paths"]), 0), "", text.number(over(lambda row: row["standard"])),
            text.three(resumable), text.times(over(resumed_share)), text.three(static),
            text.times(over(lambda row: row["standard"] / row["two"] if row["two"] else None)),
            *[text.times(over(lambda row, workers=workers: row["stealing"][workers])) for workers in ("2", str(RANGES))],
            text.times(over(lambda row: row["slow"])), text.number(told[0], 0), text.three(told[1:4], 0), text.three(told[7:9]),
            text.times(told[10])]


NOTE = f"""standard: depth-first, one worker; `all` paths, or those until the limit. resumable: the same paths as ten ranges one after
the other on one worker, for five random choices of nine tests. 10 static, 10 steal, 2 sim: simulated on the standard run's tree
(`cleave simulate`). 10 steal, slow: as if one worker took {SLOW_MS} ms a path, as KLEE does. 2 here: two workers of this machine, as many
paths. The paper: KLEE, ten minutes a program, ten processors of a cluster; its static speed-ups are least and most."""

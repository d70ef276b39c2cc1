#!/usr/bin/env python3
"""Judges of `make programs` and `make evaluate`, in seconds and without a run: the table of programs makes sense, the papers' figures
add up to what they print, and the tables' writers give the right figures from a small recorded run."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from evaluation import children, coverage, cves, depth, kept, own, papers, ranged, runs, text, unsupported, world  # noqa: E402

PACKAGES, PROGRAMS = runs.built.table()


def line_of(table, name):
    """The cells of the line that begins with a name; two blanks part cells."""
    line = next(line for line in table.splitlines() if line.split("  ")[0] == name)
    return re.split(r" {2,}", line)


class Table(unittest.TestCase):
    """programs/debian/programs.toml."""

    def test_every_driver_and_patch_is_there_and_used(self):
        for folder, key in (("drivers", "driver"), ("defects", "patch")):
            files = {file.name for file in (runs.built.HERE / folder).iterdir()}
            blocks = [p.block for p in [*PACKAGES.values(), *PROGRAMS.values()]]
            self.assertEqual(files, {block[key] for block in blocks if key in block})

    def test_it_has_every_program_of_the_papers(self):
        for table in (ranged, depth, cves):
            self.assertEqual([name for name in table.names() if name not in PROGRAMS], [])
        self.assertIn("grep", PROGRAMS)

    def test_every_program_with_children_and_every_child_is_built(self):
        # rows() refuses what is not in the table of programs.
        self.assertTrue({"xargs", "patch", "flex", "diff3", "timeout", "commands"} <= set(children.names()))
        self.assertEqual(children.rows()["dash-script"].files["/bin/sh"], PROGRAMS["dash"].file)
        self.assertEqual(children.rows()["xargs-sh"].files["echo"], PROGRAMS["echo"].file)
        with self.assertRaises(SystemExit) as error:
            children.Row("x", {"program": "patch", "executes": "nothing", "arguments": ""}, PROGRAMS)
        self.assertIn("nothing, which is not there", str(error.exception))

    def test_every_patch_says_which_cve_it_puts_back_and_where(self):
        for file in (runs.built.HERE / "defects").iterdir():
            said = file.read_text().split("--- ")[0]
            self.assertTrue(said.startswith(f"{file.stem}, put back into libtasn1"), file)
            functions = papers.rows("cves")["tasn1-" + file.stem.removeprefix("CVE-")][0].split(",")
            self.assertTrue(any(function in said for function in functions), f"{file}: {functions}")

    def test_a_table_that_makes_no_sense_is_refused_in_one_sentence(self):
        package = '[package.p]\n'
        for wrong, why in {
            package + 'flavour = "x"\n[program]\n': "nothing reads",
            package + '[program.a]\npackage = "q"\nfile = "a"\narguments = "x"\n': "which is not there",
            package + '[program.a]\npackage = "p"\narguments = "x"\n': "one of `file` and `driver`",
            package + '[program.a]\npackage = "p"\nfile = "a"\n': "needs `arguments`",
            '[package.p]\nbase = "q"\npatch = "x"\n[program]\n': "built on a package that is not there",
            '[package.p]\nnames = "a"\narguments = "x"\n[program.a]\npackage = "p"\nfile = "a"\narguments = "x"\n': "two programs",
        }.items():
            with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
                file.write(wrong)
                file.flush()
                with self.assertRaises(SystemExit) as error:
                    runs.built.table(pathlib.Path(file.name))
            self.assertIn(why, str(error.exception))

    def test_the_reason_of_a_failed_build_is_the_compilers_error(self):
        log = "CC libgzip_a-error.o\ngzip.c:80:10: fatal error: 'version.h' file not found\nmake: *** [Makefile:1890: gzip.o] Error 1\n"
        self.assertEqual(runs.built.reason(log), "gzip.c:80:10: fatal error: 'version.h' file not found")


    def test_a_program_without_bitcode_counts_as_not_built(self):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "made"
            made.write_bytes(b"native code alone")
            with self.assertRaises(runs.built.Failed):
                runs.built.copy(made, pathlib.Path(folder) / "bin/made")
            made.write_bytes(b"native code and .cleave.bc")
            runs.built.copy(made, pathlib.Path(folder) / "bin/made")
            self.assertTrue((pathlib.Path(folder) / "bin/made").exists())


class Papers(unittest.TestCase):
    """papers.toml: what is copied adds up to what is printed."""

    def adds_up(self, rows, printed):
        for column, (cells, told) in enumerate(zip(zip(*rows.values()), printed.split())):
            mean = sum(cells) / len(cells)
            # A printed cell is rounded, and so is the average.
            slack = 0.5 if "." not in told else 0.051
            self.assertLessEqual(abs(mean - float(told)), slack + 0.01, f"column {column}: {mean}, printed {told}")

    def test_ranged(self):
        rows = papers.rows("ranged")
        self.assertEqual(len(rows), 71)
        self.adds_up(rows, papers.DATA["ranged"]["average"])
        for name, cells in rows.items():
            self.assertLess(abs(cells[0] / cells[9] - cells[10]), 0.3, f"{name}: speed-up by stealing")

    def test_scaling(self):
        rows = papers.rows("scaling")
        self.assertEqual(len(rows), 15)
        self.adds_up(rows, papers.DATA["scaling"]["average"])
        for name, cells in rows.items():
            self.assertEqual([cells[0], cells[3]], [papers.rows("ranged")[name][0], papers.rows("ranged")[name][9]], name)

    def test_depth(self):
        rows = papers.rows("depth")
        self.assertEqual(len(rows), 25 + len(depth.LIBRARIES))
        self.assertTrue(all(len(cells) == 5 for cells in rows.values()))

    def test_parsym(self):
        for key, processors in (("grep", [2, 8, 32, 128, 512]), ("trees", [2, 8, 32, 128, 512])):
            self.assertTrue(all(len(cells) == 1 + len(processors) for cells in papers.rows("parsym", key).values()))
        # The speed-ups that the paper prints, of seconds that it rounds.
        for key, name, printed in (("grep", "100000", [6, 26, 78, 135]), ("trees", "9", [6, 27, 102, 405])):
            serial, _, *seconds = papers.rows("parsym", key)[name]
            for cell, told in zip(seconds, printed):
                self.assertLess(abs(serial / cell - told), max(1, 0.015 * told), f"{key}, {cell} s")

    def test_s2pf(self):
        modes = papers.modes()
        for (program, mode), (sat, unsat, calls, _, saved) in modes.items():
            self.assertEqual(sat + unsat, calls, f"{program} {mode}")
            self.assertLess(abs(100 * (1 - calls / modes[program, "A"][2]) - saved), 0.6, f"{program} {mode}")
        last = [cells[4] for (_, mode), cells in modes.items() if mode == "D"]
        self.assertLess(abs(sum(last) / len(last) - papers.DATA["s2pf"]["average"]), 0.06)


class Writers(unittest.TestCase):
    """Figures of tables, from recorded rows and a recorded account."""

    ACCOUNT = json.loads((HERE / "recorded.json").read_text())

    def test_the_account_of_a_run(self):
        row = own.account(self.ACCOUNT)
        self.assertEqual((row["paths"], row["ended"], row["unsupported"], row["bugs"]), (110, False, 6, 2))
        self.assertEqual((row["lines"], row["branches"], row["solver"]), ([30, 40], [5, 20], 25.0))
        row |= {"name": "echo", "bug_places": ["1x division: by zero (a.c:1)"], "unsupported_places": [], "replayed": 9, "agree": 8,
                "other": "differs: exit status"}
        table = own.write([row, {"name": "su", "failed": "not built"}])
        # 110 paths in 2 s; KLEE's 10,894 paths of echo in 22 s.
        self.assertEqual(line_of(table, "echo"), "echo 110 limit 55 75.0 25.0 2 6 1 25 3 8/9 495".split())
        for said in ("echo: bug: 1x division: by zero (a.c:1)", "1 of 9 differ, first: differs: exit status", "su: not built"):
            self.assertIn(said, table)
        self.assertEqual(line_of(unsupported.write([row]), "echo"), "echo 110 6 1 2".split())

    def test_ranged(self):
        row = {"name": "cat", "paths": 50, "ended": True, "standard": 10.0, "resumable": [5.0, 6.0, 7.0, 8.0, 9.0], "two": 4.0,
               "static": [2.0, 3.0, 4.0, 5.0, 6.0], "stealing": {"2": 1.9, "5": 4.5, "10": 8.0, "20": 15.0}, "slow": 9.0}
        table = ranged.write([row, row | {"name": "echo", "standard": 20.0, "two": 10.0, "static": [4.0] * 5}])
        ours = ["50", "all", "10.0", "5.0 / 7.0 / 9.0", "0.7x", "2.0 / 4.0 / 6.0", "2.5x", "1.9x", "8.0x", "9.0x"]
        self.assertEqual(line_of(table, "cat"), ["cat", *ours, "600", "465 / 497 / 518", "2.4 / 5.3", "6.6x"])
        more = table[table.index("stealing (table 2)"):]
        # Of cat the paper has no such row.
        self.assertEqual(line_of(more, "echo"), "echo 4.5x 8.0x 15.0x 4.3x 6.0x 15.8x".split())
        self.assertEqual(line_of(more, "average"), "average 4.5x 8.0x 15.0x 5.1x 7.2x 9.2x".split())
        self.assertNotIn("cat", more)
        mean = line_of(table, "average")
        self.assertEqual(mean[2:7], ["15.0", "5.0 / 7.0 / 9.0", "0.5x", "3.0 / 4.0 / 5.0", "2.2x"])
        self.assertEqual(mean[-1], "6.6x")
        self.assertIn("su of the paper: coreutils 8.18", table)

    def test_depth(self):
        one = {"paths": 7, "late": False, "one": 6.0, "two": 3.0, "transfers2": 1, "transfers4": 2, "more": [3.0, 4.0, 5.0, 6.0]}
        rows = [{"name": name, "depth": 9, "complete": False, "paths": 7,
                 "strategies": {search: one | {"two": two, "late": late} for search in depth.STRATEGIES}}
                for name, two, late in (("dir", 3.0, False), ("ls", 2.0, False), ("yaml", 6.0, True))]
        table = depth.write(rows)
        self.assertEqual(line_of(table, "dir"), "dir dfs 9 7 6.0 2.0x 3.0x 4.0x 5.0x 6.0x 1 2 13 3585 12".split())
        # libyaml is the paper's name. A run that the limit cut off gives no speed-up.
        self.assertEqual(line_of(table, "yaml"), "yaml dfs 9 7 6.0 - 3.0x 4.0x 5.0x 6.0x 1 2 23 22811 45".split())
        self.assertEqual(line_of(table, "coreutils")[:4], ["coreutils", "dfs", "2.5x", "3.0x"])

    def test_cves(self):
        cells = {f"{search} {workers}": [1.5, 9] for search in cves.SEARCHES for workers in cves.WORKERS}
        row = {"name": "tasn1-2012-1569", "found": cells | {"dfs 2": [None, 77]}, "where": ["f out-of-bounds"], "elsewhere": []}
        self.assertEqual(line_of(cves.write([row]), row["name"])[1:5], ["1.50 s, 9 paths"] * 3 + ["not in 77 paths"])

    def test_coverage(self):
        files = {"src/coreutils/src/a.c": {"1": True, "2": False}, "src/coreutils/lib/b.c": {"1": True}, "src/coreutils/src/c.h": {"1": True}}
        self.assertEqual(coverage.own_lines(files), [1, 2])
        rows = [{"name": name, "paths": 1, "ended": True, "own": own_, "all": [1, 2], "unsupported": 0}
                for name, own_ in (("a", [90, 100]), ("b", [200, 200]), ("c", [10, 100]))]
        table = coverage.write(rows)
        # Over all lines: 300 of 400. A tool: 90, 100 and 10 %.
        self.assertEqual(line_of(table, "over all lines, %")[1:], ["75.0", "84.5"])
        self.assertEqual(line_of(table, "average a tool, %")[1:], ["66.7", "90.9"])
        self.assertEqual(line_of(table, "median a tool, %")[1:], ["90.0", "94.7"])
        self.assertEqual([line_of(table, name)[1] for name in ("tools from 100 %", "tools from 90 % to 100 %", "tools from 0 % to 50 %")], ["1"] * 3)

    def test_the_world_of_coverage_is_made_once(self):
        with tempfile.TemporaryDirectory() as folder:
            there = pathlib.Path(folder) / "world"
            world.make(there)
            world.make(there)
            self.assertEqual((there / "l").read_text(), world.FILES["a"])
            self.assertEqual(world.options(there)[:2], ["--fs", f"{there}:/"])

    def test_children(self):
        said = json.loads((HERE / "recorded.json").read_text())
        row = {**own.account(said), "given": ["diff"], "reached": ["diff"], "suppressed": 2, "bug_places": [], "unsupported_places": [],
               "replayed": 5, "agree": 4, "other": "differs: why"}
        table = children.write([{"name": "a", **row}, {"name": "b", **row, "reached": []}, {"name": "c", "failed": "not built"}])
        self.assertEqual(line_of(table, "a")[1:], ["110", "limit", "55", "2", "2", "6", "1", "4/5", "diff"])
        self.assertEqual(line_of(table, "all")[1:], ["220", "4", "4", "12", "2", "8/10"])
        self.assertIn("  b: replay: 1 of 5 differ, first: differs: why\n", table)
        self.assertIn("  c: not built\n", table)

    def test_a_child_ran_where_a_line_is_covered_that_only_it_has(self):
        row = children.rows()["patch-ed"]
        cover = {"programs": {"ed.c": ["ed"], "dash.c": ["dash"], "both.c": ["dash", "patch"], "patch.c": ["patch"]},
                 "files": {"ed.c": {"1": False, "2": True}, "dash.c": {"1": False}, "both.c": {"1": True}, "patch.c": {"1": True}}}
        self.assertEqual(children.reached(row, cover), ["ed"])

    def test_small_figures(self):
        self.assertEqual((text.median([4, 1, 3, None]), text.median([]), text.mean([1, None, 2])), (3, None, 1.5))
        self.assertEqual(runs.spread([3, 1, 2]), [1, 2, 3])


class Fixed:
    """Sources whose commit is given."""

    def __init__(self, name):
        self.name = name

    def same(self, commit):
        return commit == self.name


class Rows(unittest.TestCase):
    """Rows that are kept."""

    def test_a_table_goes_on_where_it_was_also_after_half_a_row(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            store = kept.Kept(folder, "t", 5, Fixed("aa"))
            for row in ({"name": "a", "x": 1}, {"name": "b", "failed": "why"}, {"name": "a", "x": 2}):
                store.add(row)
            with store.file.open("a") as out:
                out.write('{"name": "c", ')
            again = kept.Kept(folder, "t", 5, Fixed("aa"))
            self.assertEqual([again.rows["a"]["x"], list(again.rows)], [2, ["a", "b"]])
            # A row that failed is measured anew.
            self.assertEqual(again.order(["a", "b", "c"]), ["b", "c"])
            self.assertEqual(again.order(["a", "b", "c"], anew=True), ["b", "c", "a"])
            self.assertEqual(kept.Kept(folder, "t", 6, Fixed("aa")).rows, {})
            again.tidy()
            self.assertEqual(len(store.file.read_text().splitlines()), 2)

    def test_a_row_of_another_commit_is_marked_and_measured_last(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            kept.Kept(folder, "t", 5, Fixed("old")).add({"name": "a"})
            store = kept.Kept(folder, "t", 5, Fixed("new"))
            store.add({"name": "b"})
            self.assertEqual(store.order(["a", "b", "c"]), ["c", "a"])
            self.assertEqual(store.order(["a", "b", "c"], missing=True), ["c"])
            note = store.note(["a", "b", "c"])
            for said in ("2 of 3 rows", "load ", "OTHER COMMIT old, 1 rows: a\n", "commit new: 1 rows\n"):
                self.assertIn(said, note)

    def test_a_commit_is_the_same_where_no_code_differs(self):
        with tempfile.TemporaryDirectory() as folder:
            git = lambda *words: subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.invalid", *words], check=True, capture_output=True)
            crates = pathlib.Path(folder) / "crates"
            crates.mkdir()
            git("init")
            for place, text_ in ((crates / "a.rs", "1"), (pathlib.Path(folder) / "README.md", "1"), (crates / "a.rs", "2")):
                place.write_text(text_)
                git("add", "-A")
                git("commit", "-m", "a")
            commit = lambda back: kept.Code(folder).git("log", "-1", f"--skip={back}", "--format=%h", "--abbrev=8").strip()
            self.assertEqual([kept.Code(folder).same(commit(back)) for back in (0, 1)], [True, False])
            git("checkout", commit(1))
            # The commit before changed README.md alone.
            self.assertEqual([kept.Code(folder).same(commit(back)) for back in (0, 1)], [True, True])
            (crates / "a.rs").write_text("3")
            self.assertEqual(kept.Code(folder).same(commit(0)), False)
            self.assertTrue(kept.Code(folder).same(kept.Code(folder).name))

    def test_a_run_that_fails_is_told_in_one_line(self):
        with self.assertRaises(runs.Wrong) as error:
            runs.answer(["sh", "-c", "echo first >&2; echo last >&2; exit 9"], 10)
        self.assertEqual(str(error.exception), "sh -c echo first >&2; echo last >&2; exit 9 ended with 9: last")
        with self.assertRaises(runs.Wrong) as error:
            runs.answer(["sleep", "5"], 0.1)
        self.assertIn("did not end within", str(error.exception))

    def test_runs_side_by_side_share_the_cores_in_the_order_in_which_they_came(self):
        cores, began, go = runs.Cores(2), [], {name: threading.Event() for name in "abcd"}

        def run(name, wanted):
            with cores.held(wanted):
                began.append(name)
                go[name].wait(10)

        threads = []
        for name, wanted in (("a", 1), ("b", 1), ("c", 8), ("d", 1)):
            threads.append(threading.Thread(target=run, args=(name, wanted)))
            threads[-1].start()
            self.until(lambda name=name: name in began or len(cores.waiting) == "cd".find(name) + 1)
        # A run on all cores waits for both, and nobody that came later goes before it.
        self.assertEqual(began, ["a", "b"])
        go["a"].set()
        self.until(lambda: cores.free == 1)
        self.assertEqual(began, ["a", "b"])
        go["b"].set()
        self.until(lambda: began == ["a", "b", "c"])
        self.assertEqual((cores.free, len(cores.waiting)), (0, 1))
        for name in "cd":
            go[name].set()
        for thread in threads:
            thread.join()
        self.assertEqual((began, cores.free), (["a", "b", "c", "d"], 2))

    def until(self, true):
        """Waits for what another thread does."""
        ends = time.monotonic() + 10
        while not true():
            self.assertLess(time.monotonic(), ends)
            time.sleep(0.001)

    def test_the_command_refuses_a_table_that_is_not_there(self):
        done = subprocess.run([HERE.parent / "evaluate", "--table", "tables"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no table tables; there are unsupported, cves", done.stderr)


if __name__ == "__main__":
    unittest.main()

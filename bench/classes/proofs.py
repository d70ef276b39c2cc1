#!/usr/bin/env python3
"""bench/classes/proofs.py: how many bytes of input a proof reaches, with and without merging.

Each program of bench/classes/proofs reads N bytes and asserts a property that holds for all inputs. The largest N of a
ladder is looked for that `cleave run` explores to its end within a limit, with one worker. Goes up the ladder to the first N
that does not end. Prints each run as it ends, and writes a table to bench/results/DATE-proofs.txt.

A bug in one of these programs is a wrong answer of Cleave: it is printed, and the exit code is 1.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

from planted import timed

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAMS = pathlib.Path(__file__).resolve().parent / "proofs"
LADDER = [2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128]
MODES = ["off", "on"]
GRACE = 10  # Seconds beyond the limit after which a run is killed.


def explore(cleave, name, mode, n, limit, directory):
    """One run: {n, paths, bugs, seconds, end}, where `end` is `all` if everything was explored, or why it was not."""
    command = [cleave, "run", "--workers", "1", "--merge", mode, "--tests", "none", "--max-time", str(limit)]
    command += ["--output-dir", directory, f"-DN={n}", PROGRAMS / f"{name}.c", "--sym-stdin", str(n)]
    errors, code, seconds = timed(command, limit + GRACE)
    if code is None:
        return {"n": n, "paths": 0, "bugs": 0, "seconds": seconds, "end": "killed"}
    try:
        summary = json.loads((directory / "summary.json").read_text())
    except OSError:
        sys.exit(f"{name}, N = {n}, --merge {mode}: no summary, exit code {code}: {errors[-800:]}")
    paths = sum(summary["paths"][kind] for kind in ("completed", "failed", "unsupported", "suppressed", "assumed_away"))
    end = summary["stop_reason"] or "died"
    if end == "exhausted":
        end = "all" if summary["verdict"] == "clean" and code == 0 else summary["verdict"]
    if end == "incomplete" and summary["paths"]["unknown"] > 0:
        end = "solver"  # It gave up on a region.
    return {"n": n, "paths": paths, "bugs": summary["bugs"], "seconds": summary["wall_s"], "end": end}


def climb(arguments, name, mode, folder):
    """The runs of one program up the ladder; all but the last one explored everything, perhaps that too."""
    runs = []
    for n in LADDER:
        directory = pathlib.Path(folder) / f"{name}-{mode}-{n}"
        shutil.rmtree(directory, ignore_errors=True)
        run = explore(arguments.cleave, name, mode, n, arguments.limit, directory)
        runs.append(run)
        print(f"{name:10} {mode:3} N={n:<3} {run['paths']:>10,} paths {run['seconds']:7.1f} s  {run['end']}", flush=True)
        if run["bugs"] > 0:
            print(f"*** WRONG: {run['bugs']} bugs in {name} with N = {n}, --merge {mode}; there are none ***", flush=True)
        if run["end"] != "all":
            break
        if not arguments.keep:
            shutil.rmtree(directory)
    return runs


def largest(runs):
    """The last run that explored everything; N is 0 if there is none."""
    ended = [run for run in runs if run["end"] == "all"]
    return ended[-1] if ended else {"n": 0, "paths": 0, "seconds": 0.0}


def table(results, modes):
    """The table: a line a program; `why` is what ended the first run that did not explore everything."""
    head = f"{'program':10}" + "".join(f" | {m + ': N':>7} {'paths':>10} {'s':>6} {'why':>10}" for m in modes)
    lines = [head + (" | ratio" if len(modes) == 2 else "")]
    for name, runs in results.items():
        line = f"{name:10}"
        for mode in modes:
            best, last = largest(runs[mode]), runs[mode][-1]
            why = "" if last["end"] == "all" else last["end"]
            line += f" | {best['n']:>7} {best['paths']:>10,} {best['seconds']:>6.1f} {why:>10}"
        if len(modes) == 2:
            first, second = (largest(runs[mode])["n"] for mode in modes)
            line += f" | {second / first:5.1f}" if first else " |     -"
        lines.append(line)
    if len(modes) == 2:
        pairs = [[largest(runs[mode])["n"] for mode in modes] for runs in results.values()]
        four, fewer = sum(b >= 4 * a for a, b in pairs), sum(b < a for a, b in pairs)
        top = sum(b == LADDER[-1] for _, b in pairs)
        lines.append("")
        lines.append(f"At least four times as many bytes: {four} of {len(pairs)}; fewer: {fewer}; end of the ladder: {top}.")
    return "\n".join(lines)


def output(command, folder=None):
    """The first line that a command prints, or a question mark."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=folder)
    return done.stdout.split("\n")[0] if done.returncode == 0 else "?"


def processor():
    """The name of the processor."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    names = sorted(path.stem for path in PROGRAMS.glob("*.c"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cleave", type=pathlib.Path, default=TARGET / "release/cleave", help="the binary")
    parser.add_argument("--limit", type=int, default=60, metavar="SECONDS", help="for each run; default is 60")
    parser.add_argument("--only", metavar="NAME,...", help="these programs; default is all of them: " + ", ".join(names))
    parser.add_argument("--modes", default="off,on", metavar="off,on", help="values of --merge; default is both")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep the run directories here; default is not to")
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE", help="the table; default is in bench/results")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else names
    modes = arguments.modes.split(",")
    if unknown := (set(chosen) - set(names)) | (set(modes) - set(MODES)):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    arguments.cleave = arguments.cleave.resolve()
    now = datetime.datetime.now()
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or temporary
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        for name in chosen:
            results[name] = {mode: climb(arguments, name, mode, folder) for mode in modes}
    commit = output(["git", "rev-parse", "--short", "HEAD"], ROOT)
    text = f"# The largest N explored to the end in {arguments.limit} s, one worker; {now:%Y-%m-%d %H:%M}\n"
    text += f"# commit {commit}, {output([arguments.cleave, '--version'])}; {processor()}, {os.cpu_count()} cores\n\n"
    text += table(results, modes) + "\n"
    bugs = [
        f"{name} with N = {run['n']}, --merge {mode}: {run['bugs']}"
        for name, runs in results.items() for mode in modes for run in runs[mode] if run["bugs"] > 0
    ]
    text += "".join(f"*** WRONG: bugs in {bug} ***\n" for bug in bugs)
    print("\n" + text, end="")
    file = arguments.output or ROOT / f"bench/results/{now:%Y-%m-%d}-proofs.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    sys.exit(1 if bugs else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""history.py CLEAVE GIT NAME [--count N] [--length N]: `cleave run --since` over the history of a public project, beside fresh runs.

GIT is a git directory of the project NAME: cjson (github:DaveGamble/cJSON), jsmn (zserge/jsmn) or inih (benhoyt/inih). Of the last N + 1 commits that
change its sources, each is explored anew, with the driver in bench/since/drivers, and since the run of the commit before it. Both runs have to have the
same paths, bugs and coverage; a commit where they do not ends its line in DIFFERS. A time is that of the whole command, once. `functions` is the
number of functions that differ, as Cleave says. Commits that do not compile with the driver are left out, and told."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PROJECTS = {
    "cjson": (["cJSON.c", "cJSON.h"], ["cJSON.c"]),
    "jsmn": (["jsmn.c", "jsmn.h"], ["jsmn.c"]),
    "inih": (["ini.c", "ini.h"], ["ini.c"]),
}
HERE = os.path.dirname(os.path.abspath(__file__))


def result(cleave, run):
    """What two runs have in common if they are of one program."""
    account = json.loads(subprocess.run([cleave, "stats", "--json", run], capture_output=True, text=True).stdout)
    lines = subprocess.run([cleave, "list", "--json", run], capture_output=True, text=True).stdout.splitlines()
    records = [json.loads(line) for line in lines]
    paths = sorted(r["path"] for r in records if r["record"] == "test")
    bugs = sorted((r["kind"], r["place"], r["paths"]) for r in records if r["record"] == "bug")
    if account["open_regions"]:
        sys.exit(f"{run}: not all is explored; give a smaller --length")
    return (paths, bugs, account["coverage"]), account.get("since") or {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cleave")
    parser.add_argument("git")
    parser.add_argument("name", choices=sorted(PROJECTS))
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--quick", action="store_true", help="no fresh runs of commits that change no function: the run since becomes the next base")
    parser.add_argument("--length", type=int, default=3)
    options = parser.parse_args()
    files, sources = PROJECTS[options.name]
    cleave = os.path.abspath(options.cleave)
    git = ["git", f"--git-dir={os.path.abspath(options.git)}"]
    log = subprocess.run([*git, "log", "--reverse", "--first-parent", "--format=%H %cs", "--", *files], capture_output=True, text=True, check=True).stdout
    commits = [line.split() for line in log.splitlines()][-options.count - 1 :]
    folder = tempfile.mkdtemp(prefix="history")
    before, ratios, one, counts = None, [], [], {"equal": 0, "differ": 0, "left out": 0, "nothing kept": 0, "not explored anew": 0}
    print("commit     date        functions  kept      explored  fresh s  since s  ratio")
    for commit, date in commits:
        place = os.path.join(folder, "source")
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
        for file in files:
            text = subprocess.run([*git, "show", f"{commit}:{file}"], capture_output=True)
            if text.returncode == 0:
                open(os.path.join(place, file), "wb").write(text.stdout)
        program = os.path.join(folder, options.name)
        given = [os.path.join(HERE, "drivers", options.name + ".c")] + [os.path.join(place, s) for s in sources if os.path.exists(os.path.join(place, s))]
        command = [cleave, "cc", "-w", "-g", "-O0", f"-I{place}", f"-DLENGTH={options.length}", "-o", program, *given]
        built = subprocess.run(command, capture_output=True, text=True)
        if built.returncode:
            counts["left out"] += 1
            print(f"{commit[:10]} {date}  does not compile: {built.stderr.strip().splitlines()[0][:100]}", flush=True)
            continue

        def explored(name, *more):
            run = os.path.join(folder, name)
            shutil.rmtree(run, ignore_errors=True)
            start = time.monotonic()
            done = subprocess.run([cleave, "run", "--workers", "1", "--output-dir", run, *more, program, "--sym-stdin", str(options.length)], capture_output=True, text=True)
            if done.returncode not in (0, 3, 4, 5):
                sys.exit(f"{commit}: {done.stdout}{done.stderr}")
            return time.monotonic() - start, run

        if before:
            took, since_run = explored("since", "--since", before)
            other, since = result(cleave, since_run)
            if options.quick and not since.get("changed") and not since.get("reason"):
                counts["not explored anew"] += 1
                shutil.rmtree(before)
                os.rename(since_run, before)
                continue
        fresh, run = explored("fresh")
        what, _ = result(cleave, run)
        if before:
            is_same = what == other
            counts["equal" if is_same else "differ"] += 1
            changed = since.get("changed") or []
            counts["nothing kept"] += since.get("reason") is not None
            ratios.append(took / fresh)
            if len(changed) == 1 and not since.get("reason"):
                one.append(took / fresh)
            reason = f"  nothing kept: {since['reason']}" if since.get("reason") else ""
            kept, explored_paths = since.get("kept"), since.get("explored")
            print(
                f"{commit[:10]} {date}  {len(changed):9}  {kept:8}  {explored_paths:8}  {fresh:7.2f}  {took:7.2f}  {took / fresh:5.2f}{reason}{'' if is_same else '  DIFFERS'}",
                flush=True,
            )
        kept_run = os.path.join(folder, "before")
        shutil.rmtree(kept_run, ignore_errors=True)
        os.rename(run, kept_run)
        before = kept_run
    shutil.rmtree(folder)
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    if ratios:
        print(f"median ratio of all {statistics.median(ratios):.2f}" + (f", of the {len(one)} where one function differs {statistics.median(one):.2f}" if one else ""))


if __name__ == "__main__":
    main()

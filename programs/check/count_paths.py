#!/usr/bin/env python3
"""Check the `cleave: expect` lines of programs against an independent count of their paths.

Each program is run natively on every assignment of its inputs from the small domains that its
`cleave: domain` lines name, and the distinct sequences of basic blocks are counted (enumerate.c).
Where the domains are large enough to tell all orders of the inputs apart, that is the number of feasible paths.

"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLANG = "clang-19"
EXPECT = re.compile(r"^// cleave: expect((?: -D\w+=\w+)*) paths=(\d+)(?: failed=(\d+))?$", re.M)
DOMAIN = re.compile(r"^// cleave: domain (\w+) (?:(\S+)\.\.(\S+)|chars (\"[^\"]*\"))$", re.M)
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fsanitize-address-use-after-return=always"]


def domains(text, defines):
    """The enumerator's arguments, with the program's parameters put in for their names."""
    values = dict(re.findall(r"-D(\w+)=(\w+)", defines))
    for name, low, high, chars in DOMAIN.findall(text):
        if chars:
            data = chars[1:-1].encode().decode("unicode_escape").encode("latin-1")
            yield f"{name}=chars:{data.hex()}"
        else:
            yield f"{name}={values.get(low, low)}..{values.get(high, high)}"


def build(program, defines, crashes, fork, include, folder):
    """Compile the program with its blocks traced, and link it with the enumerator."""
    objects = folder / "program.o", folder / "enumerate.o"
    heap = [] if fork else ["-Dmalloc=enumerate_malloc", "-Dfree=enumerate_free"]
    sanitizers = SANITIZERS if crashes else []
    trace = ["-fsanitize-coverage=edge,no-prune,trace-pc-guard", "-Dmain=program_main"]
    common = [CLANG, "-std=gnu17", "-g", "-c", "-w"]
    subprocess.run([*common, "-O0", *sanitizers, *trace, *heap, *defines, f"-I{include}", str(program), "-o", objects[0]], check=True)
    subprocess.run([*common, "-O2", str(HERE / "enumerate.c"), "-o", objects[1]], check=True)
    subprocess.run([CLANG, *sanitizers, *objects, "-o", folder / "count"], check=True)
    return folder / "count"


def check(program, include, limit):
    """Print one line for each expectation; true if all of them hold."""
    text = program.read_text()
    crashes = "//~ ERROR" in text
    # What a run leaves in a pool of objects is gone with its process.
    fork = crashes or program.parent.name == "structures"
    good = True
    for defines, paths, failed in EXPECT.findall(text):
        arguments = list(domains(text, defines))
        with tempfile.TemporaryDirectory() as folder:
            count = build(program, defines.split(), crashes, fork, include, pathlib.Path(folder))
            command = [count, "fork" if fork else "in", *arguments]
            try:
                out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}).stdout
            except subprocess.TimeoutExpired:
                print(f"{program.name}{defines}: not counted within {limit} s")
                continue
        completed, found, runs = (int(word) for word in out.split()[1::2])
        same = (completed, found) == (int(paths), int(failed or 0))
        good &= same
        print(f"{program.name}{defines}: {completed} completed, {found} failed in {runs} runs: {'as expected' if same else f'EXPECTED {paths} and {failed or 0}'}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", default=HERE.parent.parent / "runtime/include", help="folder of klee/klee.h")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one count")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    good = [check(program, options.include, options.limit) for program in options.programs]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()

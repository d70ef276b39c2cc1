#!/usr/bin/env python3
"""Tasks of Test-Comp at random, by `cleave testcomp`; a native run of each test judges it.

    testcomp_tasks.py TASKS CLEAVE OUT --kind error|unreachable --count N --seconds S [--seed N] [--model task|LP64] [--jobs N]
                      [--lib32 DIR]

TASKS is a folder with tasks of sv-benchmarks (`original/` of formalsec/Test-Comp); none of it belongs into this repository. A
test of `error` counts where the task, compiled by clang with a harness that reads the test's values, enters `reach_error`: as 32
bits where the task says ILP32 (--lib32 names the folder with crt1.o and libc_nonshared.a of Debian's libc6-dev-i386; without it
all are compiled as 64 bits), else as 64. Of `unreachable` tasks none must be reached. OUT gets a line a task.
"""

import argparse
import concurrent.futures
import pathlib
import random
import re
import subprocess
import tempfile
import time
import xml.etree.ElementTree as tree

HARNESS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define OFF __attribute__((no_instrument_function))
extern void reach_error(void) __attribute__((weak));
OFF void __cyg_profile_func_enter(void *f, void *site) { if (f == (void *)reach_error) _exit(77); }
OFF void __cyg_profile_func_exit(void *f, void *site) {}
static FILE *values;
static OFF const char *next(void) {
  static char line[4096];
  if (!values) values = fopen(getenv("TEST_VALUES"), "r");
  if (!values || !fgets(line, sizeof line, values)) _exit(66);
  return line;
}
#define WHOLE(type, name) OFF type __VERIFIER_nondet_##name(void) { \
  const char *t = next(); return *t == '-' ? (type)strtoll(t, 0, 0) : (type)strtoull(t, 0, 0); }
WHOLE(char, char) WHOLE(signed char, schar) WHOLE(unsigned char, uchar) WHOLE(short, short) WHOLE(unsigned short, ushort)
WHOLE(int, int) WHOLE(unsigned, uint) WHOLE(unsigned, unsigned) WHOLE(long, long) WHOLE(unsigned long, ulong)
WHOLE(long long, longlong) WHOLE(unsigned long long, ulonglong) WHOLE(size_t, size_t) WHOLE(_Bool, bool)
WHOLE(unsigned char, u8) WHOLE(unsigned short, u16) WHOLE(unsigned, u32) WHOLE(unsigned char, unsigned_char)
OFF void *__VERIFIER_nondet_pointer(void) { return (void *)(size_t)strtoull(next(), 0, 0); }
OFF char *__VERIFIER_nondet_pchar(void) { return (char *)(size_t)strtoull(next(), 0, 0); }
OFF float __VERIFIER_nondet_float(void) { return strtof(next(), 0); }
OFF double __VERIFIER_nondet_double(void) { return strtod(next(), 0); }
OFF __attribute__((weak)) void __VERIFIER_assume(int c) { if (!c) _exit(0); }
OFF __attribute__((weak)) void __VERIFIER_error(void) { _exit(77); }
"""
FLAGS = ["-std=gnu11", "-fgnu89-inline", "-w", "-O0", "-finstrument-functions", "-Wno-implicit-function-declaration",
         "-Wno-implicit-int", "-Wno-int-conversion", "-Wno-incompatible-pointer-types",
         "-Wno-incompatible-function-pointer-types", "-Wno-return-mismatch", "-Wno-return-type"]
ERROR = "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )\n"


def tasks(folder, kind):
    """The tasks of a kind: source and data model."""
    for file in sorted(folder.rglob("*.yml")):
        text = file.read_text(errors="replace")
        source = re.search(r"input_files: *['\"]?([^'\"\n]+)", text)
        model = "LP64" if re.search(r"data_model: *LP64", text) else "ILP32"
        verdict = re.search(r"unreach-call\.prp\s+expected_verdict: *(\w+)", text)
        wanted = "coverage-error-call.prp" in text if kind == "error" else verdict and verdict[1] == "true"
        if source and wanted and (file.parent / source[1]).is_file():
            yield file.parent / source[1], model


def compiled(source, narrow, lib32, folder):
    """The native program with the harness; nothing where it does not compile."""
    harness, program = folder / "harness.c", folder / "native"
    harness.write_text(HARNESS)
    words = ["clang-19", *FLAGS, str(source), str(harness), "-o", str(program), "-lm"]
    if narrow:
        words += ["-m32", "-isystem", f"{lib32}/../include/x86_64-linux-gnu", "-isystem", "/usr/include/x86_64-linux-gnu", "-B", lib32, "-L", lib32, "-L/lib32", "-L/usr/lib32", "-rtlib=compiler-rt", "-unwindlib=none",
                  "-fuse-ld=lld", "-nostartfiles", f"{lib32}/crt1.o", "-no-pie"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        (folder / "compile.log").write_text(done.stderr)
    return program if done.returncode == 0 else None


def reaches(program, test, folder):
    """True if the native run of a test enters reach_error."""
    values = folder / "values"
    values.write_text("".join(f"{i.text.strip()}\n" for i in tree.parse(test).getroot()))
    try:
        run = subprocess.run([program], env={"TEST_VALUES": str(values)}, timeout=10, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False
    return run.returncode == 77


def judged(task, options):
    """The line of a task: what came of it."""
    source, own = task
    model = own if options.model == "task" else options.model
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "error.prp").write_text(ERROR)
        start = time.monotonic()
        words = [options.cleave, "testcomp", "--property", folder / "error.prp", "--data-model", model, "--max-time",
                 str(options.seconds), "--max-memory", "4G", "--output", folder, source]
        try:
            run = subprocess.run(words, capture_output=True, text=True, timeout=3 * options.seconds + 30, errors="replace")
            last, said = (run.stdout.strip().splitlines() or [""])[-1], run.stdout + run.stderr
        except subprocess.TimeoutExpired:
            last, said = "TIMEOUT", ""
        took = time.monotonic() - start
        tests = [t for t in sorted((folder / "test-suite").glob("*.xml")) if t.name != "metadata.xml"]
        outcome = "none"
        if last == "ERROR":
            outcome = "error"
        if tests:
            narrow = own == "ILP32" and bool(options.lib32)
            program = compiled(source, narrow, options.lib32, folder)
            found = program and any(reaches(program, t, folder) for t in tests)
            outcome = "unjudged" if program is None else "reached" if found else "not-reached"
        why = [line.strip() for line in said.splitlines() if "paths end at" in line or "path ends at" in line or "error:" in line or "internal" in line]
        return outcome, f"{outcome:12} {last:8} {took:6.1f} s {own:5} {source.parent.name}/{source.name} {' | '.join(why)[:200]}"


def main():
    """Takes tasks at random and counts."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tasks", type=pathlib.Path)
    words.add_argument("cleave")
    words.add_argument("out", type=pathlib.Path)
    words.add_argument("--kind", choices=["error", "unreachable"], required=True)
    words.add_argument("--count", type=int, default=60)
    words.add_argument("--seconds", type=int, default=5)
    words.add_argument("--seed", type=int, default=43)
    words.add_argument("--model", choices=["task", "LP64", "ILP32"], default="task")
    words.add_argument("--jobs", type=int, default=1)
    words.add_argument("--lib32", default="")
    options = words.parse_args()
    options.cleave = str(pathlib.Path(options.cleave).resolve())
    all_tasks = list(tasks(options.tasks.resolve(), options.kind))
    chosen = random.Random(options.seed).sample(all_tasks, min(options.count, len(all_tasks)))
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, options.out.open("w") as out:
        for outcome, line in pool.map(lambda task: judged(task, options), chosen):
            counts[outcome] = counts.get(outcome, 0) + 1
            print(line, file=out, flush=True)
        print(f"of {len(all_tasks)} tasks {len(chosen)} at random, {options.seconds} s each: {counts}", file=out)
    print(f"{options.kind}: of {len(all_tasks)} tasks {len(chosen)} at random, {options.seconds} s each: {counts}")


if __name__ == "__main__":
    main()

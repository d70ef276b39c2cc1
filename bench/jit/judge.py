#!/usr/bin/env python3
"""Compares explorations with compiled code and without: paths, ends, tests, bugs, counts of instructions.

    bench/jit/judge.py PATHS-EXAMPLE CLEAVE [-O0|-O1|-O2 ...] PROGRAM.c ...

PATHS-EXAMPLE is examples/paths.rs, built with the feature `jit`. Each program is built at each level; its arguments are those of its
header (`// cleave: args`). Everything is compiled that is seen once, then everything that is seen three times.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

MOST_PATHS = os.environ.get("MOST_PATHS", "300")
SECONDS = float(os.environ.get("SECONDS", "60"))


def explored(paths, bitcode, arguments, after):
    variables = dict(os.environ, PATHS=MOST_PATHS)
    variables.pop("JIT", None)
    if after is not None:
        variables["JIT"] = after
    try:
        done = subprocess.run([paths, bitcode, *arguments], env=variables, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    said = done.stderr.decode()
    count = re.search(r'"instructions": (\d+)', said)
    return done.returncode, done.stdout.decode(errors="replace"), count and count.group(1), "" if count else said


def judged(paths, cleave, source, level):
    with tempfile.TemporaryDirectory() as folder:
        program, bitcode = os.path.join(folder, "program"), os.path.join(folder, "program.bc")
        text = open(source, errors="replace").read()
        arguments = " ".join(re.findall(r"// cleave: args (.*)", text)).split()
        defines = re.search(r"// cleave: expect (.*)", text)
        defines = [word for word in (defines.group(1).split() if defines else []) if word.startswith("-D")]
        command = [cleave, "cc", level, "-g", "-w", *defines, "-o", program, source]
        if subprocess.run(command, capture_output=True).returncode:
            return "not built"
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.cleave.bc", "--set-section-flags",
                        ".cleave.bc=alloc", program, bitcode], check=True)
        plain = explored(paths, bitcode, arguments, None)
        if plain is None:
            return "too long"
        for after in ["0", "3"]:
            compiled = explored(paths, bitcode, arguments, after)
            if compiled != plain:
                return f"DIFFERS with JIT={after}:\n  {plain}\n  {compiled}"[:4000]
        return f"same, {plain[1].count(chr(10))} paths, {plain[2]} instructions"


def main():
    words = sys.argv[1:]
    paths, cleave, rest = words[0], words[1], words[2:]
    levels = [word for word in rest if word.startswith("-O")] or ["-O1"]
    sources = [word for word in rest if not word.startswith("-")]
    cases = [(source, level) for source in sources for level in levels]
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
        for (source, level), said in zip(cases, pool.map(lambda case: judged(paths, cleave, *case), cases)):
            kind = said.split(",")[0].split(" with")[0]
            counts[kind] = counts.get(kind, 0) + 1
            if kind != "same" or len(cases) < 30:
                print(f"{source} {level}: {said}", flush=True)
    print(counts)
    sys.exit("DIFFERS" in counts)


if __name__ == "__main__":
    main()

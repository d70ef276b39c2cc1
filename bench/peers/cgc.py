#!/usr/bin/env python3
"""Services of DARPA's Cyber Grand Challenge with `cleave cc -m32`: build them, and find their vulnerabilities.

    cgc.py SERVICES CLEAVE OUT build|find|polls [--seconds S] [--stdin N] [--seeds N] [--heap] [--jobs N] [NAMES...]

SERVICES is the folder `challenges` of trailofbits/cb-multios; none of it belongs into this repository. Its library's assembly
for the x87 becomes calls of the C library. `build` makes each service in C, and its patched twin (PATCHED and PATCHED_n
defined). `find` explores both with N bytes of standard input, S seconds each: a bug of the service that the patched one does
not have counts. All tests that were written are replayed natively. With `--seeds` it begins with what the N shortest polls write,
with `--heap` the C library's heap stands in the place of the services' own allocators. The patched twin is explored where the
service has bugs.
`polls` plays the shortest polls of a service (conversations that its authors wrote, at most ten) with the native executable,
and says how many it answers as they want. OUT gets a folder a service, and a line a service in `build.txt`, `find.txt`,
`polls.txt`.
"""

import argparse
import concurrent.futures
import html
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import time

MATHS = r"""
#include <math.h>
#define ONE(name) double cgc_##name(double x) { return name(x); } float cgc_##name##f(float x) { return name##f(x); } \
  long double cgc_##name##l(long double x) { return name##l(x); }
#define TWO(name) double cgc_##name(double x, double y) { return name(x, y); } float cgc_##name##f(float x, float y) { return name##f(x, y); } \
  long double cgc_##name##l(long double x, long double y) { return name##l(x, y); }
#define SCALED(name, type) double cgc_##name(double x, type y) { return name(x, y); } float cgc_##name##f(float x, type y) { return name##f(x, y); } \
  long double cgc_##name##l(long double x, type y) { return name##l(x, y); }
ONE(sin) ONE(cos) ONE(tan) ONE(log) ONE(log10) ONE(rint) ONE(sqrt) ONE(fabs) ONE(log2) ONE(exp2) ONE(exp)
TWO(remainder) TWO(atan2) TWO(pow) SCALED(scalbn, int) SCALED(scalbln, long)
static double significand1(double x) { return x == 0 || !isfinite(x) ? x : scalbn(x, -ilogb(x)); }
double cgc_significand(double x) { return significand1(x); }
float cgc_significandf(float x) { return significand1(x); }
long double cgc_significandl(long double x) { return significand1(x); }
"""
FLAGS = ["-m32", "-g", "-O1", "-w", "-fno-builtin", "-fcommon", "-DLINUX", "-std=gnu99", "-D_GNU_SOURCE", "-Wno-int-conversion", "-Wno-implicit-function-declaration", "-Wno-incompatible-function-pointer-types", "-Wno-implicit-int", "-Wno-return-type"]


def sources(service):
    """Its C files, and none where it has C++ or several programs."""
    if not (service / "src").is_dir():
        return []
    files = [f for folder in ("src", "lib", "include") for f in sorted((service / folder).rglob("*")) if f.suffix in {".c", ".cc", ".cpp"}]
    return files if all(f.suffix == ".c" for f in files) else []


def patches(files):
    """The macros by which its authors mend it."""
    text = "".join(f.read_text(errors="replace") for f in files)
    return sorted(set(re.findall(r"\bPATCHED\w*", text)) | {"PATCHED"})


def build(arguments, service):
    """An executable of the service, and of its twin."""
    files = sources(service)
    headers = list(service.rglob("*.h"))
    out = arguments.out / service.name
    out.mkdir(parents=True, exist_ok=True)
    maths = out / "maths.c"
    maths.write_text(MATHS)
    shared = arguments.services.parent / "include"
    cipher = shared / "tiny-AES128-C"
    library = [shared / "libcgc.c", shared / "ansi_x931_aes128.c", cipher / "aes.c"]
    include = [f"-I{folder}" for folder in (service / "lib", service / "src", service / "include", shared, cipher)]
    for name, macros in (("service", []), ("patched", [f"-D{macro}=1" for macro in patches(files + headers)])):
        done = subprocess.run([arguments.cleave, "cc", *FLAGS, *macros, *include, *files, *library, maths, "-lm", "-o", out / name],
            capture_output=True, text=True, errors="replace", timeout=300)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
            return f"no: {(errors or done.stderr.splitlines() or ['?'])[0][-150:]}"
    return "built"


def unescaped(attributes, text):
    """The bytes of a <data> or <delim>."""
    text = html.unescape(text)
    if "hex" in attributes:
        return bytes.fromhex("".join(text.split()))
    escapes = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\"}
    parts = re.split(r"\\(x[0-9a-fA-F]{2}|.)", text)
    return b"".join((bytes.fromhex(part[1:]) if part[0] == "x" else escapes.get(part, part.encode("latin-1")))
        if i % 2 else part.encode("latin-1") for i, part in enumerate(parts))


def conversation(poll):
    """Its steps: ("write", bytes), or ("read", (delimiter, length, bytes that are wanted, pattern that is wanted))."""
    text, steps = poll.read_text("latin-1"), []
    data = lambda tag, part: [unescaped(a, t) for a, t in re.findall(rf"<{tag}([^>]*)>(.*?)</{tag}>", part, re.DOTALL)]
    for what, part in re.findall(r"<(write|read)\b[^>]*>(.*?)</\1>", text, re.DOTALL):
        if what == "write":
            steps.append((what, b"".join(data("data", part))))
            continue
        length = re.search(r"<length>\s*(\d+)", part)
        pattern = re.search(r"<pcre[^>]*>(.*?)</pcre>", part, re.DOTALL)
        steps.append((what, (b"".join(data("delim", part)), length and int(length[1]), b"".join(data("data", part)),
            pattern and html.unescape(pattern[1]).encode("latin-1"))))
    return steps


def written(poll):
    """All that a poll writes."""
    return b"".join(what for kind, what in conversation(poll) if kind == "write")


def shortest_polls(service, number):
    """The polls that write least, without those whose answers depend on variables."""
    polls = [p for p in sorted(service.glob("poller/*/*.xml"))[:100] if not re.search(r"<(var|slice|decl)\b", p.read_text("latin-1"))]
    return sorted(polls, key=lambda p: len(written(p)))[:number]


def plays(program, poll):
    """None if the program answers as the poll wants, and else the step at which it does not."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    answers, said = process.stdout.fileno(), b""
    try:
        for number, (kind, step) in enumerate(conversation(poll)):
            if kind == "write":
                try:
                    process.stdin.write(step)
                    process.stdin.flush()
                except BrokenPipeError:
                    return f"step {number}: it reads no more"
                continue
            delimiter, length, wanted, pattern = step
            enough = lambda: len(said) >= length if length is not None else delimiter in said
            while not enough():
                ready, _, _ = select.select([answers], [], [], 5)
                more = os.read(answers, 4096) if ready else b""
                if not more:
                    return f"step {number}: {said[-40:]!r} and no more"
                said += more
            end = length if length is not None else said.index(delimiter) + len(delimiter)
            got, said = said[:end], said[end:]
            if pattern is not None and not re.search(pattern, got):
                return f"step {number}: {got[-40:]!r}"
            if pattern is None and not got.startswith(wanted):
                return f"step {number}: {got[-40:]!r} and not {wanted[-40:]!r}"
    finally:
        process.kill()
        process.communicate()
    return None


def polls(arguments, service):
    """How many of the shortest polls the native executable answers as they want."""
    program, chosen = arguments.out / service.name / "service", shortest_polls(service, 10)
    if not chosen or not program.exists():
        return "no polls are stored" if program.exists() else "not built"
    answers = [plays(program, poll) for poll in chosen]
    return f"{answers.count(None)} of {len(answers)}{next((f', {a}' for a in answers if a), '')}"


def seeds(arguments, service, out):
    """Options that begin a run with what its polls write, and the symbolic bytes that they need."""
    if not arguments.seeds:
        return [], arguments.stdin
    chosen = [written(poll) for poll in shortest_polls(service, arguments.seeds)]
    folder = out / "seeds"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, seed in enumerate(chosen):
        (folder / str(number)).write_bytes(seed)
    return (["--seed", folder] if chosen else []), max([arguments.stdin, *map(len, chosen)])


def heap(service, program):
    """Options that put the C library's heap in the place of the service's own allocator."""
    text = "".join(f.read_text(errors="replace") for f in sorted(service.rglob("*.h")) + sources(service))
    there = subprocess.run(["nm", program], capture_output=True, text=True).stdout
    options = []
    for name, by in (("malloc", "malloc({0})"), ("calloc", "calloc({0}, {1})"), ("realloc", "realloc({0}, {1})"), ("free", "free({0})")):
        declared = re.search(rf"\bvoid\s*\*?\s*cgc_{name}\s*\(([^()]*)\)", text)
        if not declared or not re.search(rf" [tT] cgc_{name}$", there, re.MULTILINE):
            continue
        parameters = ["a", "b", "c"][: declared[1].count(",") + 1]
        if name == "calloc" and len(parameters) == 1:
            by = "calloc(1, {0})"
        elif len(parameters) != by.count("{"):
            continue
        options += ["--function-alias", f"cgc_{name}({', '.join(parameters)}):{by.format(*parameters)}"]
    names = "".join(options)
    return options if "cgc_malloc" in names and "cgc_free" in names else []


def find(arguments, service):
    """Bugs of the service that its twin does not have."""
    out = arguments.out / service.name
    if not (out / "patched").exists():
        return "not built"
    found, account = {}, {}
    begin, symbolic = seeds(arguments, service, out)
    if arguments.heap:
        begin += heap(service, out / "service")
    for name in ("service", "patched"):
        if name == "patched" and not found["service"]:
            found[name] = set()
            continue
        run = out / f"{name}-run"
        shutil.rmtree(run, ignore_errors=True)
        done = subprocess.run([arguments.cleave, "run", "--output-dir", run, "--max-time", str(arguments.seconds), "--check", "-uninitialised", *begin, out / name, "--sym-stdin", str(symbolic)],
            capture_output=True, text=True, errors="replace", timeout=arguments.seconds + 120)
        (out / f"{name}.out").write_text(done.stdout + done.stderr)
        bugs = re.findall(r"^  (\S+): (.*) \(([a-z-]+), test \d+\)$", done.stdout, re.MULTILINE)
        found[name] = {(kind, place.rsplit("/", 1)[-1], text) for place, text, kind in bugs}
        paths = json.loads((run / "summary.json").read_text())["paths"]
        account[name] = f"{paths['completed']}+{paths['failed']} paths, {paths['unsupported']} unsupported"
    told = lambda bugs: [f"{kind} {place} {text[:90]}" for kind, place, text in sorted(bugs)]
    mine, theirs = found["service"], found["patched"]
    replayed = subprocess.run([arguments.cleave, "replay", out / "service", out / "service-run" / "tests"], capture_output=True, text=True,
        errors="replace", timeout=600)
    (out / "replay.out").write_text(replayed.stdout + replayed.stderr)
    natively = (replayed.stdout.strip().splitlines() or ["no replay"])[-1]
    verdict = "FOUND" if mine - theirs else "-"
    return f"{verdict} {account}; {natively}; only here: {told(mine - theirs)}; both: {told(mine & theirs)}; patched only: {told(theirs - mine)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("services", type=pathlib.Path)
    parser.add_argument("cleave", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("what", choices=["build", "find", "polls"])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--stdin", type=int, default=128)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--heap", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    arguments.services, arguments.cleave, arguments.out = (p.resolve() for p in (arguments.services, arguments.cleave, arguments.out))
    services = [s for s in sorted(arguments.services.iterdir()) if s.is_dir() and sources(s) and (not arguments.names or s.name in arguments.names)]
    act = {"build": build, "find": find, "polls": polls}[arguments.what]

    def one(service):
        start = time.monotonic()
        try:
            said = act(arguments, service)
        except (subprocess.TimeoutExpired, OSError, ValueError, KeyError) as error:
            said = f"error: {error}"
        return f"{service.name}: {said} ({time.monotonic() - start:.1f} s)"

    arguments.out.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, open(arguments.out / f"{arguments.what}.txt", "w") as table:
        for line in pool.map(one, services):
            print(line, flush=True)
            print(line, file=table, flush=True)


if __name__ == "__main__":
    main()

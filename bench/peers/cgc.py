#!/usr/bin/env python3
"""Services of DARPA's Cyber Grand Challenge with `cleave cc -m32`: build them, and find their vulnerabilities.

    cgc.py SERVICES CLEAVE OUT build|find [--seconds S] [--stdin N] [--jobs N] [NAMES...]

SERVICES is the folder `challenges` of trailofbits/cb-multios; none of it belongs into this repository. Its library's assembly
for the x87 becomes calls of the C library. `build` makes each service in C, and its patched twin (PATCHED and PATCHED_n
defined). `find` explores both with N bytes of standard input, S seconds each: a bug of the service that the patched one does
not have counts. All tests that were written are replayed natively. OUT gets a folder a service, and a line a service in
`build.txt` and `find.txt`.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
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


def find(arguments, service):
    """Bugs of the service that its twin does not have."""
    out = arguments.out / service.name
    if not (out / "patched").exists():
        return "not built"
    found, account = {}, {}
    for name in ("service", "patched"):
        run = out / f"{name}-run"
        shutil.rmtree(run, ignore_errors=True)
        done = subprocess.run([arguments.cleave, "run", "--output-dir", run, "--max-time", str(arguments.seconds), "--check", "-uninitialised", out / name, "--sym-stdin", str(arguments.stdin)],
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
    parser.add_argument("what", choices=["build", "find"])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--stdin", type=int, default=128)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    arguments.services, arguments.cleave, arguments.out = (p.resolve() for p in (arguments.services, arguments.cleave, arguments.out))
    services = [s for s in sorted(arguments.services.iterdir()) if s.is_dir() and sources(s) and (not arguments.names or s.name in arguments.names)]
    act = {"build": build, "find": find}[arguments.what]

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

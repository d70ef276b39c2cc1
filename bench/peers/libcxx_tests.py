#!/usr/bin/env python3
"""libc++'s own tests against Cleave: does each program that ends with status 0 natively end so in Cleave, on one path without a bug?

    libcxx_tests.py TESTS OUTPUT.jsonl [--sample N] [--only REGEX] [--libcxx] [--keep]

TESTS is the folder `libcxx/test` of Debian's source package llvm-toolchain-19, fetched by whoever runs this. A test is a file
`*.pass.cpp` below `std`, and with --libcxx also below `libcxx`; those that are only compiled or linked are left out. A test applies if its
lines UNSUPPORTED, REQUIRES and XFAIL allow the configuration of `cleave c++` (FEATURES). --sample takes N of these, by a hash of their
names. Each is compiled as C++23, or by the nearest standard that it allows. It counts if its native exit status is 0. Then it runs in
Cleave, without symbolic input. It agrees if all is explored: one path, which completes with the forecast status 0. CLEAVE names another
cleave. Lines that stand in OUTPUT.jsonl already are kept, so that a run can be gone on with. --keep leaves executables and runs of
deviations beside OUTPUT.jsonl. Prints each deviation, and the counts."""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CLEAVE = os.environ.get("CLEAVE", str(HERE.parent.parent / "target/release/cleave"))
LIMIT = 30  # seconds of Cleave for a test, with the loading of its program
NATIVE_LIMIT = 20  # seconds of a native execution
PATIENCE = 240  # seconds of a clock, on a machine that others use too

# The features of libc++'s test suite (libcxx/utils/libcxx/test/{params,features}.py) that `cleave c++` has: clang 19 and libc++ 19 on
# musl, without a hardening mode, without what is experimental, time zones, and locales other than C.
FEATURES = """clang clang-19 clang-19.1 gcc-style-warnings has-fconstexpr-steps thread-safety diagnose-if-support has-fblocks
    -fsized-deallocation -faligned-allocation verify-support has-64-bit-atomics has-1024-bit-atomics has-unix-headers
    has-no-cxx-module-support can-create-symlinks linux buildhost=linux target=x86_64-unknown-linux-musl stdlib=llvm-libc++
    stdlib=libc++ long_tests large_tests optimization=none libcpp-hardening-mode=none libcpp-abi-version=1
    libcpp-has-thread-api-pthread libcpp-has-no-availability-markup no-tzdb libcpp-has-no-incomplete-pstl
    libcpp-has-no-experimental-stop_token libcpp-has-no-experimental-tzdb libcpp-has-no-experimental-syncstream""".split()
STANDARDS = ["c++23", "c++26", "c++20", "c++17", "c++14", "c++11", "c++03"]

LINE = re.compile(r"//\s*(UNSUPPORTED|REQUIRES|XFAIL|FILE_DEPENDENCIES|ADDITIONAL_COMPILE_FLAGS(?:\([^)\n]*\))?):(.*)")
NAME = re.compile(r"(?:\{\{.+?\}\}|[-+=.\w])+")

# Tests of <filesystem> call the shell for these three commands. It is no part of the model, so that they are functions here.
SHELL = r"""
#include <ftw.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
static int open_up(const char *p, const struct stat *s, int kind, struct FTW *f) { return kind == FTW_SL ? 0 : chmod(p, 0777); }
static int take_away(const char *p, const struct stat *s, int kind, struct FTW *f) { return remove(p); }
int system(const char *command) {
    if (!strncmp(command, "mkdir -p ", 9)) return mkdir(command + 9, 0777);
    if (!strncmp(command, "chmod -R 777 ", 13)) return nftw(command + 13, open_up, 16, FTW_PHYS);
    if (!strncmp(command, "rm -rf ", 7)) return nftw(command + 7, take_away, 16, FTW_PHYS | FTW_DEPTH);
    return 127 << 8;
}
"""


def holds(expression, features):
    """True if a boolean expression of lit holds, with names that may have regular expressions in braces."""

    def known(match):
        parts = re.split(r"\{\{(.+?)\}\}", match[0])
        pattern = "".join(f"(?:{part})" if n % 2 else re.escape(part) for n, part in enumerate(parts))
        return str(any(re.fullmatch(pattern, feature) for feature in features))

    if expression.strip() == "*":
        return True
    words = NAME.sub(known, expression)
    words = words.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    assert re.fullmatch(r"(True|False|and|or|not|[()\s])*", words), expression
    return bool(eval(words))


def said(text):
    """The lines of a test that say how it is compiled and run, as pairs."""
    return [(match[1], match[2].strip()) for match in LINE.finditer(text)]


def standard_for(name, text):
    """The standard by which a test is compiled, or nothing where it does not apply."""
    if name.startswith("std/experimental/"):
        return None
    lists = [(key, [e for e in value.split(",") if e.strip()]) for key, value in said(text)]
    for standard in STANDARDS:
        features = [*FEATURES, standard]
        required = [e for key, names in lists if key == "REQUIRES" for e in names]
        excluded = [e for key, names in lists if key in ("UNSUPPORTED", "XFAIL") for e in names]
        if all(holds(e, features) for e in required) and not any(holds(e, features) for e in excluded):
            return standard
    return None


def ended(command, folder, limit=PATIENCE):
    """A command that has ended, with all that it said. Status 124 is a time-out's."""
    command = ["timeout", "-k", "5", str(limit), *command]
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True, "errors": "replace"}
    return subprocess.run(command, cwd=folder, stderr=subprocess.STDOUT, **options)


def compiled(root, test, text, standard, scratch):
    """The command that makes a test's program."""
    flags = ["-w", f"-std={standard}", "-I", str(root / "support")]
    for key, value in said(text):
        condition = re.fullmatch(r"ADDITIONAL_COMPILE_FLAGS(?:\((.*)\))?", key)
        if condition and (condition[1] is None or condition[1] in FEATURES):
            flags += value.split()
    command = [CLEAVE, "c++", *flags, "-o", str(scratch / "program"), str(test)]
    if "filesystem_test_helper.h" in text:
        (scratch / "shell.c").write_text(SHELL)
        made = ended([CLEAVE, "cc", "-D_GNU_SOURCE", "-c", "-o", "shell.o", "shell.c"], scratch)
        assert made.returncode == 0, made.stdout
        command.append(str(scratch / "shell.o"))
    return command


def judged(root, test, text, standard, scratch):
    """The fields of a record: Cleave's account of a test beside the native execution."""
    here = scratch / "here"
    here.mkdir()
    for key, value in said(text):
        for file in value.replace(",", " ").split() if key == "FILE_DEPENDENCIES" else ():
            shutil.copy(test.parent / file, here)
    made = ended(compiled(root, test, text, standard, scratch), test.parent)
    if made.returncode:
        return {"got": "no program", "why": "\n".join(line for line in made.stdout.splitlines() if "error" in line)[:600]}
    options = ["--workers=1", f"--max-time={LIMIT}", "--emit=none", f"--output-dir={scratch / 'run'}"]
    explore = [CLEAVE, "run", *options, str(scratch / "program")]
    if "filesystem_test_helper.h" in text:
        # The model has no folder for temporary files.
        (scratch / "tmp").mkdir()
        explore += ["--fs", f"{scratch / 'tmp'}:/tmp"]
    if any(here.iterdir()):
        explore += ["--fs", f"{here}:/"]
        shutil.copytree(here, scratch / "native")
    at = scratch / "native" if (scratch / "native").exists() else here
    command = ["timeout", "-k", "5", str(NATIVE_LIMIT), str(scratch / "program")]
    native = subprocess.run(command, cwd=at, stdin=subprocess.DEVNULL, capture_output=True)
    if native.returncode:
        return {"got": "not natively", "why": f"status {native.returncode}: {native.stderr.decode(errors='replace')[-300:]}"}
    return account(ended(explore, scratch), scratch / "run", native.stdout)


def account(found, run, output):
    """What a run of Cleave came to: `agrees`, or the kind of the deviation, and its message."""
    kind = {0: "agrees", 3: "bug", 4: "limit", 5: "unsupported", 124: "limit"}.get(found.returncode, "crash")
    if kind != "agrees":
        messages = re.findall(r"^  \S.*", found.stdout, re.MULTILINE) if found.returncode in (3, 4, 5) else []
        return {"got": kind, "why": "\n".join(messages)[:800] or f"status {found.returncode}: {found.stdout[-800:]}"}
    listed = ended([CLEAVE, "list", "--json", str(run)], run).stdout
    ends = [end for end in map(json.loads, listed.splitlines()) if end["record"] == "test"]
    if len(ends) != 1:
        return {"got": "paths", "why": f"{len(ends)} paths: {found.stdout[-800:]}"}
    if (ends[0]["kind"], ends[0]["exit_status"]) != ("completed", 0):
        return {"got": "exit", "why": json.dumps(ends[0])[:800]}
    if ends[0]["stdout_sha256"] not in (None, hashlib.sha256(output).hexdigest()):
        return {"got": "output", "why": json.dumps(ends[0])[:500] + repr(output[:300])}
    return {"got": "agrees", "why": ""}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("tests", type=pathlib.Path)
    ap.add_argument("output", type=pathlib.Path)
    ap.add_argument("--only", default="", help="tests whose names this regular expression finds")
    ap.add_argument("--sample", type=int, help="this many tests, the same each time")
    ap.add_argument("--libcxx", action="store_true", help="the tests of libc++'s own extensions, too")
    ap.add_argument("--keep", action="store_true", help="keep executables and runs of deviations")
    args = ap.parse_args()
    before = [json.loads(line) for line in args.output.read_text().splitlines()] if args.output.exists() else []
    records = {r["test"]: r for r in before}
    root = args.tests.resolve()
    found = sorted(path for part in ("std", "libcxx")[: 2 if args.libcxx else 1] for path in (root / part).rglob("*.pass.cpp"))
    names = [str(path.relative_to(root)) for path in found if not path.name.endswith((".compile.pass.cpp", ".link.pass.cpp"))]
    names = [name for name in names if re.search(args.only, name)]
    names.sort(key=lambda name: hashlib.sha256(name.encode()).digest())
    taken = 0
    for name in names:
        if taken == args.sample:
            break
        text = (root / name).read_text(errors="replace")
        standard = standard_for(name, text)
        taken += standard is not None
        if standard is None or name in records:
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            fields = judged(root, root / name, text, standard, scratch)
            if args.keep and fields["got"] not in ("agrees", "no program", "not natively"):
                shutil.copytree(scratch, args.output.parent / "kept" / name.replace("/", "_"), symlinks=True, dirs_exist_ok=True)
        records[name] = {"test": name, "standard": standard, **fields, "seconds": round(time.monotonic() - start, 1)}
        with args.output.open("a") as out:
            out.write(json.dumps(records[name]) + "\n")
        if fields["got"] != "agrees":
            print(f"{name}: {fields['got']}: {fields['why'][-200:]}", flush=True)
    counts = collections.Counter(r["got"] for r in records.values())
    apply = len(records) - counts["no program"] - counts["not natively"]
    print(f"{counts['agrees']} of {apply} agree: {dict(counts)}")


if __name__ == "__main__":
    main()

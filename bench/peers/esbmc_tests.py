#!/usr/bin/env python3
"""ESBMC's regression tests in C and C++ against Cleave: is there a bug where the test's verdict is FAILED, and none where it is SUCCESSFUL?

    esbmc_tests.py REGRESSION_FOLDER OUTPUT.jsonl FOLDER... [--only REGEX] [--sample N]

The tests are the folder `regression` of github.com/esbmc/esbmc, fetched by whoever runs this; FOLDER is one of its folders (cbmc, floats,
esbmc-cpp, ...). --sample takes N of them, by a hash of their names. A test applies if its sources are C or C++ that links, its verdict is
one, and its options ask for nothing that only ESBMC has (OF_ESBMC). CLEAVE
names another cleave. ESBMC takes a variable that is never set as any value: where Cleave reports the use of one, and the verdict is
SUCCESSFUL, a second run without that check decides. Standard input is symbolic where a test reads it. Lines that stand in OUTPUT.jsonl
already are kept, so that a run can be gone on with. Prints each test that is not right, and the counts."""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLEAVE = os.environ.get("CLEAVE", str(HERE.parent.parent / "target/release/cleave"))
LIMIT = 20  # seconds of Cleave for a test
PATIENCE = 90  # seconds of a clock, on a machine that others use too
INPUT = 12  # bytes of standard input

# Other machines, other languages, other properties, other parts of a program than the whole, and options about ESBMC's own steps.
OF_ESBMC = """--16 --32 --i386 --big-endian --windows --no-arch --fixedbv --cheri --cpp --python --binary --input-file --function
    --ltl --termination --cov --condition --branch --claim --error-label --assertion --no-assertions --nan-check
    --unsigned-overflow --ub-shift --struct-fields --data-races-check --deadlock-check --lock-order --context-bound
    --no-pointer-check --no-bounds-check --no-div --no-standard --initialize --force-malloc --malloc-zero --loop-inv
    --enforce --replace --show --goto --parse --symex --smtlib --ir --round-to --fp-taylor-terms"""

C = (".c", ".i")
CXX = (".cpp", ".cc", ".cxx", ".C")

HEADER = """
#define __ESBMC_assume(...) __VERIFIER_assume(__VA_ARGS__)
#define __CPROVER_assume(...) __VERIFIER_assume(__VA_ARGS__)
#define __ESBMC_atomic_begin() __VERIFIER_atomic_begin()
#define __ESBMC_atomic_end() __VERIFIER_atomic_end()
#define ESBMC_ASSERT(c, ...) ((c) ? (void)0 : __esbmc_fail())
#define __ESBMC_assert(...) ESBMC_ASSERT(__VA_ARGS__, 0)
#define __CPROVER_assert(...) ESBMC_ASSERT(__VA_ARGS__, 0)
void __VERIFIER_assume(int);
void __esbmc_fail(void);
"""
# The header of a C++ source: the same functions, with C's linkage, and the types by their C++ names.
HEADER_CXX = 'extern "C" {\n#define _Bool bool\n%s\n#undef _Bool\n}\n'
TYPES = {
    "int": "int", "uint": "unsigned", "unsigned": "unsigned", "char": "char", "uchar": "unsigned char", "short": "short",
    "ushort": "unsigned short", "long": "long", "ulong": "unsigned long", "longlong": "long long",
    "ulonglong": "unsigned long long", "size_t": "unsigned long", "float": "float", "double": "double", "bool": "_Bool",
}  # fmt: skip
FLAGS = """-O0 -g -w -Wno-implicit-function-declaration -Wno-implicit-int -Wno-int-conversion -Wno-incompatible-function-pointer-types
    -Wno-incompatible-pointer-types -Wno-return-type""".split()


def stand_ins(folder):
    """A header that each source begins with, and a source of ESBMC's functions."""
    declared = "".join(f"{t} nondet_{name}();\n" for name, t in TYPES.items())
    (folder / "esbmc.h").write_text(HEADER + declared)
    (folder / "esbmc_cxx.h").write_text(HEADER_CXX % (HEADER + declared))
    body = "{ %s x; klee_make_symbolic(&x, sizeof x, \"%s\"); return x; }\n"
    defined = "".join(f"__attribute__((weak)) {t} nondet_{n}(void) " + body % (t, n) for n, t in TYPES.items() if n != "bool")
    defined += "__attribute__((weak)) _Bool nondet_bool(void) { char x; klee_make_symbolic(&x, 1, \"bool\"); return x & 1; }\n"
    head = "#include <assert.h>\nvoid klee_make_symbolic(void *, unsigned long, const char *);\n"
    (folder / "esbmc.c").write_text(head + 'void __esbmc_fail(void) { assert(!"esbmc"); }\n' + defined)


def described(test):
    """Sources, options and verdict of a test that applies, or nothing."""
    lines = (test / "test.desc").read_text(errors="replace").split("\n")
    verdicts = [line for line in lines[3:] if "VERIFICATION" in line]
    sources = lines[1].split() if len(lines) > 1 else []
    if lines[0].strip() not in ("CORE", "THOROUGH") or len(verdicts) != 1 or not all(s.endswith(C + CXX) for s in sources):
        return None
    words = lines[2].split() if len(lines) > 2 else []
    if not sources or any(word.startswith(option) for word in words for option in OF_ESBMC.split()):
        return None
    return sources + [w for w in words if w.endswith((".c",) + CXX)], words, "FAILED" in verdicts[0]


def judged(test, sources, words, wanted, scratch):
    """What Cleave finds: `bug`, `none`, or why there is no answer; and the kinds of bugs, or the last it says."""
    program, run = scratch / "program", scratch / "run"
    compile_it = [CLEAVE, "cc", *FLAGS, "-include", str(scratch / "esbmc.h"), "-include", "assert.h", "-o", str(program)]
    compile_it += ["-fsanitize=signed-integer-overflow"] if "--overflow-check" in words else []
    compile_it += [w for w in words if w.startswith(("-D", "-I", "-std", "-f"))]
    if any(s.endswith(CXX) for s in sources):
        made = linked_cxx(test, sources, words, program, scratch)
    else:
        made = ended([*compile_it, *sources, str(scratch / "esbmc.c")], test)
    if made.returncode:
        return "no program", made.stdout[-300:]
    # ESBMC looks for loops that never end with --termination alone.
    checks = "-termination" + (",leak" if "--memory-leak-check" in words else "")
    explore = [CLEAVE, "run", "--workers=1", f"--max-time={LIMIT}", "--emit=err", "--check", checks, str(program)]
    text = "".join((test / s).read_text(errors="replace") for s in sources)
    if re.search(r"\b(f?scanf|getchar|f?gets|getline|getdelim|fgetc|getc|fread)\s*\(|\bcin\b", text):
        explore += ["--sym-stdin", f"0..{INPUT}"]
    explore[2:2] = [f"--output-dir={run}"]
    found = ended(explore, scratch)
    kinds = kinds_of(found)
    if kinds == ["uninitialised"] and not wanted:
        explore[2:3] = [f"--output-dir={run}-2", "--check=-uninitialised"]
        found = ended(explore, scratch)
        kinds = kinds_of(found)
    answer = {0: "none", 3: "bug", 4: "open", 5: "unsupported"}.get(found.returncode, f"code {found.returncode}")
    return answer, kinds or found.stdout[-600:]


def linked_cxx(test, sources, words, program, scratch):
    """A program of C++ sources, which take ESBMC's functions from a C object."""
    stand_in = scratch / "esbmc.o"
    made = ended([CLEAVE, "cc", *FLAGS, "-c", "-o", str(stand_in), str(scratch / "esbmc.c")], scratch)
    if made.returncode:
        return made
    standard = re.search(r"--std[ =](\S+)", " ".join(words))
    flags = ["-O0", "-g", "-w", f"-std={standard[1] if standard else 'c++17'}", "-D_LIBCPP_ENABLE_CXX17_REMOVED_FEATURES"]
    flags += ["-fsanitize=signed-integer-overflow"] if "--overflow-check" in words else []
    flags += [w for w in words if w.startswith(("-D", "-I"))]
    header = ["-include", str(scratch / "esbmc_cxx.h")]
    return ended([CLEAVE, "c++", *flags, *header, "-o", str(program), *sources, str(stand_in)], test)


def kinds_of(found):
    return sorted(set(re.findall(r"\(([a-z-]+), test \d+\)", found.stdout)))


def ended(command, folder):
    """A command that has ended, with all that it said."""
    return subprocess.run(
        ["timeout", str(PATIENCE), *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("regression", type=pathlib.Path)
    ap.add_argument("output", type=pathlib.Path)
    ap.add_argument("folders", nargs="+")
    ap.add_argument("--only", default="")
    ap.add_argument("--sample", type=int, help="this many tests, the same each time")
    args = ap.parse_args()
    before = [json.loads(line) for line in args.output.read_text().splitlines()] if args.output.exists() else []
    records = {r["test"]: r for r in before}
    tests = sorted(d.parent for folder in args.folders for d in (args.regression / folder).rglob("test.desc"))
    if args.sample:
        tests.sort(key=lambda test: hashlib.sha256(str(test.relative_to(args.regression)).encode()).digest())
        tests = [test for test in tests if described(test)][: args.sample]
    for test in tests:
        name = str(test.relative_to(args.regression))
        applies = described(test)
        if applies is None or name in records or not re.search(args.only, name):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            stand_ins(scratch)
            got, why = judged(test.absolute(), *applies, scratch)
        wanted = "bug" if applies[2] else "none"
        records[name] = {"test": name, "options": " ".join(applies[1]), "wanted": wanted, "got": got, "why": why}
        with args.output.open("a") as out:
            out.write(json.dumps(records[name]) + "\n")
        if got != wanted:
            print(f"{name}: wanted {wanted}, got {got}: {str(why)[-160:]}", flush=True)
    counts = collections.Counter(f"{r['wanted']} -> {r['got']}" for r in records.values())
    right = sum(r["wanted"] == r["got"] for r in records.values())
    apply = sum(r["got"] != "no program" for r in records.values())
    print(f"{right} of {apply} agree: {dict(counts)}")


if __name__ == "__main__":
    main()

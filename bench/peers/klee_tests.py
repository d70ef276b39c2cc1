#!/usr/bin/env python3
"""KLEE's own tests (its folder test/) against Cleave: docs/klee-tests.md has what came of it.

    klee_tests.py KLEE_CHECKOUT CLEAVE_BINARY OUTPUT_FOLDER [--only REGEX] [--klee-build DIR]

KLEE is fetched by whoever runs this; DIR/lib has libkleeRuntest.so and libkleeRuntest.so.1.0, which are those of build/sysroot/lib. The RUN
lines of each test are executed as lit would, with LLVM 19's own FileCheck, `not`, llvm-as and llvm-link; only `%clang` is `cleave cc`,
`%clangxx` is `cleave c++`, and `%klee` is as_klee.py. So the checks are the tests' own.

Left out are checks of KLEE's internals (its log, kquery, statistics); each is kept in `dropped`. A test with nothing else to check is `not
applicable`; one that names an option that Cleave lacks, or that has a path that Cleave ended as unsupported, is `unsupported`; one whose
commands check nothing, and which has a bug, is `look`. A failed test is run once more: this machine may have been busy.

Results: OUTPUT_FOLDER/results.json, and a table on standard output."""

import argparse
import collections
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

LLVM = os.environ.get("LLVM_BIN", "/usr/lib/llvm-19/bin")
RUN_SECONDS = int(os.environ.get("KT_SECONDS", "8"))  # a run of Cleave; more on a machine that others use too
COMMAND_SECONDS = 20 + 5 * RUN_SECONDS  # a RUN line
AS_KLEE = Path(__file__).resolve().parent / "as_klee.py"

FEATURES = {"linux", "x86_64", "not-darwin", "not-freebsd", "posix-runtime", "uclibc", "libcxx", "eh-cxx", "stp",
            "not-asan", "not-ubsan", "not-wsl-1", "not-wsl-2", "zlib", "sqlite3", "not-target-x86",
            "geq-llvm-15.0", "geq-llvm-16.0", "geq-llvm-17.0", "geq-llvm-18.1", "geq-llvm-19.1", "llvm-19.1"}

# Tests of KLEE itself, by path.
NOT_APPLICABLE = [
    (r"^kleaver/|\.kquery$|^Solver/.*\.kquery", "kquery, KLEE's expression language"),
    (r"^klee-stats/|^klee-exec-tree/", "a tool of KLEE's for its own run files"),
    (r"^Solver/(NoSTP|NoZ3|STPDump|STPswitch|Z3Const|Crosscheck|DummySolver)", "a backend of KLEE's solver"),
    (r"^Concrete/_testingUtils", "a test of the test's own helper, natively"),
    (r"^Replay/klee-replay/(KTestGen|KTestRandGen)", "KLEE's tools ktest-gen and ktest-randgen, no exploration"),
    (r"^Feature/(CompressedExprLogging|ExprLogging|RewriteEqualities|MultiMkSym)", "kquery logs"),
    (r"^Feature/(EscapingFunctions|EscapingFunctionsAlias|LoggingInstructions|SourceMapping|DeterministicSwitch)",
     "KLEE's debugging output"),
    (r"^Feature/(DivCheck|ShiftCheck)\.c", "the checks that KLEE's passes insert, in assembly.ll"),
    (r"^Feature/(ExtCallWarnings|ExtCallOverapprox|NoExternalCallsAllowed|ExtCall|LinkLLVMLib)\.c|^Intrinsics/ExternalCall",
     "KLEE's policy and log for calls of native code"),
    (r"^Feature/(MakeConcreteSymbolic|DanglingConcreteReadExpr)\.c", "the number of KLEE's solver queries"),
    (r"^Feature/ReadExprConsistency", "KLEE's expression syntax"),
    (r"^Feature/TargetMismatch", "a warning of KLEE about the triple (and the RUN line names no program)"),
    (r"^Feature/MemoryLimit", "KLEE's way of killing states above a memory cap"),
    (r"^Feature/LargeArrayBecomesSym", "a warning of KLEE about its arrays"),
    (r"^Feature/GlobalVariable\.ll|^Feature/EntryPointMissing|^regression/2016-08-12-empty", "the wording of KLEE's own loader errors"),
    (r"^regression/(2017-02-21-pathOS|2017-03-23-early-exit|2018-05-05-number|2020-04-11-batching)", "KLEE's statistics, path files or log"),
    (r"^regression/2020-02-24-count-paths-nodump", "KLEE's count of states dropped at its instruction limit"),
    (r"^Coverage/ReadArgs", "KLEE's @file arguments"),
    (r"^InlineAsm/asm_lifting|^Intrinsics/IntrinsicTrap", "the bitcode after KLEE's passes"),
]

# Check lines about KLEE's log and internals.
INTERNAL_CHECK = re.compile(r"""open\ merge:|close\ merge:|calling\ external|WARNING\ ONCE|OPT_[IV]|const_arr|
    total\ instructions|concretizing\ \(reason|Using\ unlimited\ quarantine|output\ directory\ is|increased\ time\ budget|
    now\ ignoring\ this\ error|EXITING\ ON\ ERROR|Error:\ invalid\ klee_assume|atomicrmw|cmpxchg|@__memcpy_chk|
    call\ i32\ @puts|call\ void\ \(ptr|ran\ into\ a\ close|KLEE-STATS|CHECK-STATS""", re.X)
INTERNAL_COMMAND = re.compile(r"\.kquery|run\.istats|assembly\.ll|klee-stats|warnings\.txt|total queries")

class Test:
    def __init__(self, path, name):
        self.path, self.name = path, name
        self.text = path.read_text(errors="replace")
        lines = self.text.splitlines()
        self.runs, self.requires, self.xfail = [], [], False
        joined = ""
        for line in lines:
            m = re.search(r"RUN:(.*)$", line)
            if m:
                joined += m.group(1).strip()
                if joined.endswith("\\"):
                    joined = joined[:-1] + " "
                    continue
                self.runs.append(joined)
                joined = ""
            m = re.search(r"REQUIRES:(.*)$", line)
            if m:
                self.requires += [x.strip() for x in m.group(1).split(",")]
            self.xfail |= bool(re.search(r"XFAIL: *\*", line))


def prefixes_of(command):
    found = re.findall(r"-?-check-prefix(?:es)?[= ](\S+)", command)
    return [p for f in found for p in f.split(",")] or ["CHECK"]


def filtered(test, where):
    """The test without checks of internals, its lines where they were."""
    kept, dropped = [], []
    for line in test.text.splitlines():
        if re.search(r"CHECK|STDERR|MINISAT|TEST|REPLAY|ENABLED", line) and re.search(r"[A-Z_0-9-]+:", line) and INTERNAL_CHECK.search(line) \
                and "RUN:" not in line:
            dropped.append(line.strip())
            line = "//"
        kept.append(line)
    where.write_text("\n".join(kept) + "\n")
    return "\n".join(kept), dropped


def has_directive(text, prefixes):
    return any(re.search(r"(?<![\w-])" + re.escape(p) + r"(-(DAG|NOT|NEXT|SAME|LABEL|EMPTY|COUNT-\d+))?:", text) for p in prefixes)


def without_internals(command, checks, dropped):
    """A RUN line without the commands that look at KLEE's internals; None if nothing is left."""
    if INTERNAL_COMMAND.search(command) and not re.search(r"%klee(?![-\w])", command):
        dropped.append(command)
        return None
    out = command
    for part in re.findall(r"(?:\|\s*)?(?:not\s+)?FileCheck[^|&]*", command):
        prefixes = prefixes_of(part)
        left = [p for p in prefixes if has_directive(checks, [p])]
        if left == prefixes:
            continue
        if left:
            new = re.sub(r"\s-?-check-prefix(?:es)?[= ]\S+", "", part) + " " + " ".join("--check-prefix=" + p for p in left) + " "
            out = out.replace(part, new)
        else:
            dropped.append(part.strip())
            out = out.replace(part, "" if part.startswith("|") else "true ")
    return out


def not_applicable(test):
    """Why a test is none of Cleave's, or nothing."""
    for pattern, reason in NOT_APPLICABLE:
        if re.search(pattern, test.name):
            return reason
    if not test.runs:
        return "no RUN line (a disabled test)"
    missing = [q for q in test.requires if q not in FEATURES]
    if missing:
        return "REQUIRES " + ", ".join(missing)
    return "KLEE itself is expected to fail (XFAIL)" if test.xfail else None


def run_test(test, args, folder):
    r = {"test": test.name, "dropped": [], "runs": []}
    reason = not_applicable(test)
    if reason:
        return r | {"status": "not applicable", "reason": reason}
    work = folder / test.name.replace("/", "__")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    log = work / "log.jsonl"
    checks_file = work / test.path.name
    checks, dropped = filtered(test, checks_file)
    r["dropped"] += dropped
    env = environment(test, args, log)
    failed, checked = None, 0
    if test.name.startswith("Concrete/"):
        failed, checked = concrete(test, args, work, env)
    for line in [] if checked else test.runs:
        line = without_internals(line, checks, r["dropped"])
        if line is None:
            continue
        checked += bool(re.search(r"FileCheck|\bgrep\b|\bdiff\b|test (! )?-f|exit-on-error|\bnot\b", line))
        # What the programs print is needed only where somebody reads it.
        env["KT_STDOUT"] = "yes" if re.search(r"[|]|(?<!2)>", line) else "no"
        code, said = done(command_of(line, test, args, work, checks_file), work, env)
        if code:
            failed = {"run": line, "code": code, "said": said[-2500:]}
            break
    records = [json.loads(x) for x in log.read_text().splitlines()] if log.exists() else []
    r["runs"], r["checks"] = records, checked
    return r | verdict(test, failed, records, checked)


def environment(test, args, log):
    """What as_klee.py is told."""
    expected = re.findall(r"^\W*[A-Z_0-9-]+(?<!NOT): .*", test.text, re.M)
    once = re.search(r"-NOT:|--search=bfs", test.text) and len(set(expected)) == len(expected)
    opens = re.search(r"O_RDWR|O_WRONLY|open\([^)]*, \"[wa]", test.text)
    return os.environ | {
        "KT_LOG": str(log),
        "KT_CLEAVE": str(args.cleave),
        # A test that counts outputs, or expects one twice, counts paths; one that forbids a second one forks behind it.
        "KT_ONCE": "yes" if once else "no",
        "KT_MAY_REFUSE": "yes" if opens else "no",
        # A test of calls that leave the program: the path ends there for both engines.
        "KT_OUTSIDE": "yes" if re.search(r"CHECK.*(failed external call|external calls disallowed)", test.text) else "no",
        "PATH": LLVM + ":" + os.environ["PATH"],
    }


def command_of(line, test, args, work, checks_file):
    """A RUN line with lit's words replaced."""
    tools, python = args.klee_build, sys.executable
    cc = f" -Wno-error -Wno-everything -idirafter {args.klee}/include"
    subs = [
        ("%klee-replay", f"{tools}/bin/klee-replay"), ("%klee-stats", "klee-stats"), ("%klee-exec-tree", "false"),
        ("%klee-zesti", f"{tools}/bin/klee-zesti"), ("%kleaver", "false"), ("%klee", f"{python} {AS_KLEE}"),
        ("%ktest-tool", f"{python} {args.klee}/tools/ktest-tool/ktest-tool"), ("%ktest-gen", "false"),
        ("%ktest-randgen", "false"), ("%clangxx", f"{args.cleave} c++{cc}"), ("%clang", f"{args.cleave} cc{cc}"),
        ("%cxx", "clang++-19"), ("%cc", f"clang-19 -w -I {args.klee}/include"), ("%O0opt", "-O0 -Xclang -disable-O0-optnone"),
        ("%llvmas", LLVM + "/llvm-as"), ("%llvmlink", LLVM + "/llvm-link"), ("%llvmar", LLVM + "/llvm-ar"),
        ("%lli", LLVM + "/lli"), ("%gentmp", f"{args.klee}/scripts/genTempFiles.sh"),
        ("%libkleeruntestdir", f"{tools}/lib"), ("%libkleeruntest", f"{tools}/lib/libkleeRuntest.so"),
        ("%libcxx_includes", ""), ("%sqlite3", "sqlite3"),
    ]  # fmt: skip
    command = line
    for key, value in subs:
        command = re.sub(re.escape(key) + r"(?![\w-])", lambda _: value, command)
    # FileCheck reads the filtered copy, everything else the test itself.
    command = re.sub(r"(FileCheck[^|&;]*?)%s", lambda m: m.group(1) + str(checks_file), command)
    command = command.replace("%s", str(test.path)).replace("%S", str(test.path.parent)).replace("%p", str(test.path.parent))
    return re.sub(r"%t", str(work / "t"), command.replace("%T", str(work)))


def done(command, work, env):
    """The exit code of a shell's command, and what it says."""
    try:
        made = subprocess.run(
            ["bash", "-c", "set -o pipefail; " + command],
            cwd=work, env=env, capture_output=True, text=True, errors="replace", timeout=COMMAND_SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return made.returncode, made.stderr + made.stdout
    except subprocess.TimeoutExpired:
        return 124, f"the RUN line took more than {COMMAND_SECONDS} s"


def concrete(test, args, work, env):
    """ConcreteTest.py: what the program prints under lli and under the engine."""
    bc, utils, linked = work / "a.bc", work / "u.bc", work / "l.bc"
    cc = [str(args.cleave), "cc", "-w", "-O0", "-emit-llvm", "-c"]

    def sh(command):
        return subprocess.run([str(x) for x in command], capture_output=True, text=True, cwd=work, env=env, timeout=COMMAND_SECONDS)

    steps = [
        [*cc, test.path, "-o", bc] if test.path.suffix == ".c" else [LLVM + "/llvm-as", test.path, "-o", bc],
        [*cc, test.path.parent / "_testingUtils.c", "-o", utils],
        [LLVM + "/llvm-link", bc, utils, "-o", linked],
    ]
    for step in steps:
        made = sh(step)
        if made.returncode:
            return {"run": shlex.join(map(str, step)), "code": made.returncode, "said": made.stderr[-800:]}, 1
    lli = subprocess.run([LLVM + "/lli", str(linked)], capture_output=True, cwd=work, timeout=COMMAND_SECONDS)
    out = work / "out"
    env["KT_STDOUT"] = "no"
    engine = sh([sys.executable, AS_KLEE, f"--output-dir={out}", linked])
    listed = sh([args.cleave, "list", "--json", str(out) + ".cleave"]).stdout.splitlines()
    hashes = [json.loads(x)["stdout_sha256"] for x in listed if '"record":"test"' in x]
    if lli.returncode == 0 and hashes == [hashlib.sha256(lli.stdout).hexdigest()]:
        return None, 1
    said = f"lli: {lli.returncode} {lli.stdout[:600]!r}\nengine: {len(hashes)} paths; {engine.stderr[-600:]}"
    return {"run": "lli and the engine print the same", "code": 1, "said": said}, 1


def verdict(test, failed, records, checked):
    lacking = sorted({x for r in records for x in r.get("lacking", [])})
    unsupported = sorted({x for r in records for x in r.get("unsupported", [])})
    refused = [r["refused"] for r in records if r.get("refused")]
    v = {"failed": failed}
    if any(r.get("panic") for r in records):
        return v | {"status": "fail", "reason": "a panic"}
    if lacking:
        return v | {"status": "unsupported", "reason": "option " + ", ".join(lacking)}
    if unsupported and (failed or not expects_model(test)):
        return v | {"status": "unsupported", "reason": "; ".join(unsupported)}
    if refused and failed:
        return v | {"status": "unsupported", "reason": refused[0]}
    if failed:
        if not records and ("cc" in failed["run"] or "clang" in failed["run"] or "llvm" in failed["run"]):
            return v | {"status": "unsupported", "reason": "does not compile: " + failed["said"][:400]}
        return v | {"status": "fail", "reason": cause(failed, records)}
    odd = [x for r in records for x in r.get("replay_differs", [])]
    if odd:
        return v | {"status": "fail", "reason": "the native replay differs: " + odd[0]}
    if any(r.get("stop") not in (None, "exhausted") for r in records):
        v["note"] = "stopped by " + ", ".join(str(r.get("stop")) for r in records)
    if not checked:
        # Nothing but "KLEE runs it". Ours is a check as well: no bug is reported.
        bugs = [b for r in records for b in r.get("bugs", [])]
        if bugs:
            return v | {"status": "look", "reason": "no check in the test; reported: " + "; ".join(bugs)}
        return v | {"status": "pass", "weak": True}
    return v | {"status": "pass"}


def expects_model(test):
    return ".model.err" in test.text


def cause(failed, records):
    said = failed["said"]
    found = re.search(r"error: (.*)", said)
    counts = [r.get("counts") for r in records][-1:]
    bugs = [r.get("bugs") for r in records][-1:]
    expected = re.search(r"^.*?:\d+:\d+: error: .*\n(.*)\n", said, re.M)
    return f"`{failed['run'][:140]}`: {found.group(1) if found else said[-200:]!r} {expected.group(1).strip() if expected else ''} | last run: [completed, partial, tests] {counts} bugs {bugs}"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("klee", type=Path, help="KLEE's checkout")
    ap.add_argument("cleave", type=Path, help="the cleave binary")
    ap.add_argument("output", type=Path, help="a folder for what is built and found")
    ap.add_argument("--only", default="", help="regular expression for the tests' names")
    ap.add_argument("--klee-build", type=Path, default=Path("/nonexistent"), help="a folder with lib/libkleeRuntest.so")
    args = ap.parse_args()
    args.klee, args.cleave, args.output = args.klee.absolute(), args.cleave.absolute(), args.output.absolute()
    args.output.mkdir(parents=True, exist_ok=True)
    root, kept = args.klee / "test", args.output / "results.json"
    results = {x["test"]: x for x in (json.loads(kept.read_text()) if kept.exists() else [])}
    for f in sorted(f for f in root.rglob("*") if f.suffix in (".c", ".ll", ".cpp", ".kquery", ".test")):
        name = str(f.relative_to(root))
        if not re.search(args.only, name):
            continue
        for _ in range(2):
            begun = time.time()
            r = run_test(Test(f, name), args, args.output / "work")
            r["seconds"] = round(time.time() - begun, 1)
            if r["status"] not in ("fail", "unsupported"):
                break
        results[name] = r
        kept.write_text(json.dumps([results[k] for k in sorted(results)], indent=1))
        print(f"{r['status']:15} {name} ({r['seconds']} s) {r.get('reason', '')[:300]}", flush=True)
    table(results.values())


def table(results):
    by = collections.defaultdict(collections.Counter)
    for r in results:
        by[os.path.dirname(r["test"])][r["status"] + (" (weak)" if r.get("weak") else "")] += 1
    kinds = sorted({k for c in by.values() for k in c})
    print("\n" + "folder".ljust(28) + " ".join(k.rjust(15) for k in kinds))
    for folder in sorted(by):
        print(folder.ljust(28) + " ".join(str(by[folder][k] or "").rjust(15) for k in kinds))
    total = sum(by.values(), collections.Counter())
    print("all".ljust(28) + " ".join(str(total[k]).rjust(15) for k in kinds))


if __name__ == "__main__":
    main()

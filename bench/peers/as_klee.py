#!/usr/bin/env python3
"""`klee`, for KLEE's own tests (klee_tests.py): takes KLEE's options, runs `cleave run`, and leaves what KLEE would.

That is testNNNNNN.ktest, .err, .cov, .xml, `info` and messages.txt in the output folder, KLEE's lines on standard error, and behind them, as in
a pipe, what the programs print: of the native replay where it prints what Cleave foretold by a hash, of `cleave tests follow` elsewhere. The
environment names the binary (KT_CLEAVE) and a file for the record of each run (KT_LOG)."""

import collections
import contextlib
import hashlib
import io
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
RUN_SECONDS = int(os.environ.get("KT_SECONDS", "8"))  # a run of Cleave
MOST_REPLAYED = 40  # tests: a test of KLEE that looks at more outputs than these would be looked at by nobody

# Options that change nothing that is looked at here: KLEE's solver, caches, allocator, libc, log.
IGNORED = set(
    """libc posix-runtime kdalloc kdalloc-quarantine use-cex-cache use-branch-cache use-independent-solver
    solver-optimize-divides solver-backend use-forked-solver debug-validate-solver debug-assignment-validating-solver
    warnings-only-to-file write-no-tests switch-type klee-call-optimisation output-source write-kqueries use-query-log
    optimize-array debug-log-merge debug-log-incomplete-merge const-array-opt disable-inlining libcxx ubsan-runtime
    stats-write-interval stats-write-after-instructions stats-commit-after max-forks exit-on-error-type
    xml-metadata-programfile xml-metadata-programhash max-instructions batch-time batch-instructions
    only-output-states-covering-new debug-log-state-merge rewrite-equalities external-calls use-merge
    use-incomplete-merge max-static-pct-check-delay write-paths allow-seed-extension run-in-dir check-overshift
    check-div-zero output-dir exit-on-error optimize replay-ktest-dir write-cov write-xml-tests dump-states-on-halt
    output-module named-seed-matching""".split()
)
# Options whose value may be the next word.
VALUED = {"exit-on-error-type", "seed-file", "seed-dir", "link-llvm-lib", "replay-path", "output-dir", "replay-ktest-dir", "entry-point", "search"}
SEARCH = {"dfs": "dfs-false", "bfs": "bfs", "random-state": "random-state", "random-path": "random-path", "nurs:covnew": "covnew"}
SEARCH |= {"nurs:md2u": "covnew", "nurs:depth": "depth", "nurs:rp": "depth", "nurs:icnt": "icnt", "nurs:cpicnt": "icnt", "nurs:qc": "random-state"}
USUAL_SEARCH = ["random-path", "covnew"]
# Options that stand for something that Cleave does not do.
LACKING = set(
    """replay-path max-static-fork-pct max-static-cpfork-pct single-object-resolution link-llvm-lib
    debug-crosscheck-core-solver make-concrete-symbolic""".split()
)
CHECKS = {"check-overshift": "-shift", "check-div-zero": "-division"}
YES = ("", "1", "true")
NOTHING = hashlib.sha256(b"").hexdigest()

# Cleave's kinds of bugs in KLEE's words.
MESSAGES = {
    "null-pointer": "memory error: null page access / memory error: out of bound pointer",
    "out-of-bounds": "memory error: out of bound pointer",
    "wild-pointer": "memory error: out of bound pointer",
    "use-after-free": "memory error: use after free",
    "double-free": "memory error: double free",
    "read-only": "memory error: object read only",
    "division": "divide by zero",
    "overshift": "overshift error",
    "abort": "abort failure",
    "unreachable": 'reached "unreachable" instruction',
    "stack-overflow": "Maximum stack size reached",
    "stack-frames": "Maximum stack size reached",
    "bad-call": "invalid function pointer",
    "overflow": "overflow on arithmetic operation",
    "uncaught-exception": "terminating due to uncaught exception",
}
# What is said of wrong calls of KLEE's functions.
CALLS = [
    ("a name that is no string", "Invalid string pointer passed to one of the klee_ functions"),
    ("a name that depends on the input", "Symbolic string pointer passed to one of the klee_ functions"),
    ("KLEE takes whole objects", "Wrong size given to klee_make_symbolic"),
    ("arguments, and takes an object, its size and a name", "Incorrect number of arguments to klee_make_symbolic(void*, size_t, char*)"),
    ("klee_assume", "invalid klee_assume call (provably false)"),
]
# Clang's names of the sanitizer's checks, with which Cleave begins such messages. KLEE places them in the C of its own handlers.
SANITIZER = re.compile(r"(?=\S*-)([a-z-]+): ")
HANDLERS = ("runtime/Sanitizer/ubsan/ubsan_handlers.cpp", "1")
SANITIZER_WORDS = {"invalid-bool-load": "load invalid value", "invalid-enum-load": "load invalid value", "invalid-shift": "shift out of bounds"}
SANITIZER_WORDS |= {"integer-divide-by-zero": "integer division overflow"}


def main(argv):
    record = {"argv": argv}
    try:
        options, rest = parsed(argv)
        folder = dict(options).get("replay-ktest-dir")
        return replays(argv, options, folder) if folder else explored(options, rest, record)
    finally:
        with open(os.environ["KT_LOG"], "a") as log:
            log.write(json.dumps(record) + "\n")


def parsed(argv):
    """KLEE's options, and the program with its arguments."""
    options, i = [], 0
    while i < len(argv) and argv[i].startswith("-") and argv[i] != "-":
        name, eq, value = argv[i].lstrip("-").partition("=")
        if not eq and name in VALUED:
            i += 1
            value = argv[i] if i < len(argv) else ""
        options.append((name, value))
        i += 1
    return options, argv[i:]


def replays(argv, options, folder):
    """--replay-ktest-dir: a run for each test of a folder, as one."""
    out = Path(dict(options)["output-dir"]).absolute()
    tests = sorted(Path(folder).glob("*.ktest"))
    counts, kept = [0, 0, 0], [a for a in argv if "replay-ktest-dir" not in a and "output-dir" not in a and a != folder]
    for i, test in enumerate(tests):
        sys.stderr.write(f"KLEE: replaying: {test} ({i + 1}/{len(tests)})\n")
        of_one = [f"--output-dir={out}-{i}", f"--seed-file={test}", "--only-replay-seeds", *kept]
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            main(of_one)
        for line in said.getvalue().splitlines():
            number = re.match(r"KLEE: done: (completed|partially completed|generated)[^=]*= (\d+)", line)
            if number:
                counts["cpg".index(number.group(1)[0])] += int(number.group(2))
            elif "KLEE: done" not in line:
                sys.stderr.write(line + "\n")
    out.mkdir(parents=True, exist_ok=True)
    sys.stderr.write(done_lines(0, *counts))
    return 0


def done_lines(instructions, completed, partial, generated):
    return (
        f"KLEE: done: total instructions = {instructions}\nKLEE: done: completed paths = {completed}\n"
        f"KLEE: done: partially completed paths = {partial}\nKLEE: done: generated tests = {generated}\n"
    )


def translated(options, record):
    """The options of `cleave run`; what has no counterpart goes to record['lacking']."""
    chosen = dict(options)
    # KLEE always refuses wrong calls of its own functions, and its model of POSIX says EFAULT.
    out, searches, wrap, lacking = ["--tests", "all", "--check", "klee,-efault"], [], "", []
    for name, value in options:
        if name == "search":
            searches.append(SEARCH.get(value, "dfs-false"))
        elif name == "use-batching-search":
            wrap = "batch:"
        elif name == "use-iterative-deepening-time-search":
            wrap = "deepening:"
        elif name == "emit-all-errors":
            out += ["--all-errors"] if value in YES else []
        elif name in ("max-time", "max-memory", "max-stack-frames", "entry-point", "function-alias"):
            out.append(f"--{name}={value}")
        elif name == "max-solver-time":
            out += ["--solver-timeout", str(int(float(value.rstrip("s")) * 1000))]
        elif name in ("seed-file", "seed-dir"):
            out += ["--seed", value]
        elif name == "only-replay-seeds":
            out += ["--only-seeds"] if value in YES else []
        elif name in CHECKS and value in ("0", "false") and "ubsan-runtime" not in chosen:
            # Where the sanitizer checks as well, its check is what the test looks at.
            out += ["--check", CHECKS[name]]
        elif name in LACKING or name not in IGNORED | {"silent-klee-assume"}:
            lacking.append("--" + name)
    for s in searches or USUAL_SEARCH:
        out += ["--search", wrap + s]
    halted = "dump-states-on-halt" in chosen and "max-instructions" in chosen
    if "max-time" not in chosen:
        # No limit of instructions: a limit that no path meets stands for a small one.
        out.append("--max-time=" + ("1ms" if halted else str(RUN_SECONDS)))
    if "max-stack-frames" not in chosen:
        out.append("--max-stack-frames=8192")
    if chosen.get("silent-klee-assume", "no") not in YES:
        out += ["--check", "assumption"]
    if "--seed" in out:
        out.append("--seed-by-name")
    record["lacking"] = lacking
    return out


def explored(options, rest, record):
    """One run of KLEE."""
    chosen, own_options = dict(options), translated(options, record)
    out = Path(chosen.get("output-dir") or "klee-last").absolute()
    if not rest:  # the bitcode comes by standard input
        rest = [str(out) + ".stdin.bc"]
        Path(rest[0]).write_bytes(sys.stdin.buffer.read())
    program, arguments = Path(rest[0]).absolute(), rest[1:]
    if chosen.get("optimize", "no") in YES:
        better = Path(str(program) + ".opt.bc")
        subprocess.run([LLVM + "/opt", "-O2", str(program), "-o", str(better)], check=False)
        program = better if better.exists() else program
    if "--sym-files" in arguments and os.environ.get("KT_MAY_REFUSE") == "yes":
        arguments = [*arguments, "--sym-read-only"]  # a symbolic file of KLEE's may refuse to be written
    own = Path(str(out) + ".cleave")
    again = before(program, own_options + arguments)
    own = Path(again["kept"]) if again else own
    if not again:
        shutil.rmtree(own, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    command = [os.environ["KT_CLEAVE"], "run", "--workers", "1", "--output-dir", str(own), *own_options, str(program), *arguments]
    record["command"] = shlex.join(command)
    begun = time.time()
    try:
        done = subprocess.CompletedProcess(command, again["rc"], "", again["stderr"]) if again else run(command, chosen.get("run-in-dir"))
    except subprocess.TimeoutExpired:
        record["timeout"] = True
        return 124
    record.update(key=key_of(program, own_options + arguments), kept=str(own), stderr=done.stderr[-3000:], rc=done.returncode)
    record.update(seconds=round(time.time() - begun, 2), panic="panicked" in done.stderr)
    if not (own / "summary.json").exists():
        words = refusal(done.stderr)
        sys.stderr.write(words)
        # A refusal that KLEE has too, in its words, is none.
        record["refused"] = done.stderr.strip()[-600:] if "cleave:" in words else None
        return done.returncode or 1
    return told(chosen, program, own, out, done.stderr, record, again)


def run(command, folder=None):
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=RUN_SECONDS * 2 + 15, cwd=folder or None, stdin=subprocess.DEVNULL
    )


def key_of(program, words):
    return hashlib.sha256(program.read_bytes()).hexdigest() + shlex.join(words) if program.exists() else ""


def before(program, words):
    """The record of the same run, for another of KLEE's options that means nothing here: it is not done twice."""
    log, key = Path(os.environ["KT_LOG"]), key_of(program, words)
    records = [json.loads(x) for x in log.read_text().splitlines()] if log.exists() else []
    return next((r for r in records if key and r.get("key") == key and Path(r["kept"]).exists()), None)


def refusal(said):
    """A refusal to run, in KLEE's words where KLEE has them."""
    pairs = [
        (r"`([^`]*)` has an empty name", r"function-alias: name or pattern cannot be empty"),
        (r"`([^`:]*):[^`]*` replaces a function by itself", r"function-alias: @\1 cannot replace itself"),
        (r"names the replacement `([^`]*)`", r"function-alias: replacement function @\1 could not be found"),
        (r"a value is required for '--entry-point", r"entry-point cannot be empty"),
    ]
    for pattern, words in pairs:
        found = re.search(pattern, said)
        if found:
            return f"KLEE: ERROR: {found.expand(words)}\n"
    found = re.search(r"`(.*):[^`:]*` replaces no function(?: \((.*)\))?;", said)
    if found:
        why = alias_words("warning: " + found.group(2)) if found.group(2) else ""
        spelled = "replac" + "able"  # as KLEE spells it
        return f"{why}KLEE: ERROR: function-alias: no ({spelled}) match for '{found.group(1)}' found\n"
    return "KLEE: ERROR: " + said


def alias_words(note):
    """A sentence about --function-alias in KLEE's words, or nothing."""
    pairs = [
        (r"`([^`]*)` \(`([^`]*)`\) is replaced by `([^`]*)`", r"KLEE: function-alias: replaced @\1 (matching '\2') with @\3"),
        (r"`([^`]*)` is replaced by `([^`]*)`", r"KLEE: function-alias: replaced @\1 with @\2"),
        (r"warning: `([^`]*)` is not replaced by `([^`]*)`: (.*)", r"KLEE: WARNING: function-alias: @\1 could not be replaced with @\2: \3"),
        (
            r"warning: `([^`]*)` matches `([^`]*)`, and is not replaced by itself",
            r"KLEE: WARNING: function-alias: do not replace @\1 (matching '\2') with @\1: cannot replace itself",
        ),
    ]
    for pattern, words in pairs:
        found = re.fullmatch(pattern, note)
        if found:
            said = found.expand(words)
            said = said.replace("they take arguments of different types", "parameter types differ")
            return re.sub("one takes variable arguments.*", "one has varargs while the other does not", said) + "\n"
    return ""


def told(chosen, program, own, out, said, record, again):
    """What KLEE would leave and say of a run."""
    cleave = os.environ["KT_CLEAVE"]
    summary = json.loads((own / "summary.json").read_text())
    listed = [json.loads(x) for x in run([cleave, "list", "--json", str(own)]).stdout.splitlines()]
    tests = sorted((x for x in listed if x["record"] == "test"), key=lambda t: t["id"])
    bugs = {x["test"]: x for x in listed if x["record"] == "bug"}
    record["stop"], record["paths"] = summary["stop_reason"], summary["paths"]
    unsupported = {t["message"] for t in tests if t["kind"] == "unsupported"}
    record["unsupported"] = sorted(m for m in unsupported if not outside(m) or os.environ.get("KT_OUTSIDE") != "yes")
    record["bugs"] = [f"{b['kind']} {b['place']}: {b['message']}" for b in bugs.values()]
    wanted = os.environ.get("KT_STDOUT") != "no"
    seen = again.get("seen") if again else None
    if seen is None:
        seen = printed(program, own, record, tests, "entry-point" in chosen) if wanted else {}
        record["seen"] = seen if wanted else None
    number, errors = files(chosen, own, out, tests, cleave)
    notes = [x[8:] for x in said.splitlines() if x.startswith("cleave: ")]
    warnings = "".join(alias_words(x) for x in notes)
    # klee_warning's, and klee_print_expr's, which Cleave prints alike.
    warnings += "".join(f"KLEE: WARNING: main: {x}\n" + re.sub("^(.*?): ", r"\1:", x) + "\n" for x in notes if not alias_words(x))
    if "dump-states-on-halt" in chosen and summary.get("open_regions"):
        warnings += "KLEE: halting execution, dumping remaining states\n"
        number += left_open(cleave, own, out, number)
    p = summary["paths"]
    partial = sum(p[x] for x in ("failed", "unsupported", "cut", "unknown", "assumed_away")) + len(summary.get("regions") or {})
    record["counts"] = [p["completed"], partial, number]
    done = done_lines(summary["instructions"], p["completed"], partial, number)
    (out / "info").write_text(done + f"KLEE: done: explored paths = {p['completed'] + partial}\n")
    (out / "messages.txt").write_text("".join(errors) + warnings)
    (out / "warnings.txt").write_text(warnings)
    sys.stderr.write(f'KLEE: output directory is "{out}"\n' + warnings + "".join(errors))
    sys.stderr.flush()
    first = "depth" if chosen.get("search") == "bfs" else "id"
    outputs = [seen.get(f"test{t['id']:06}", "") for t in sorted(tests, key=lambda t: t[first])]
    # A C library in bitcode writes at once; without it printf is the host's, whose buffer of a pipe is written at the end.
    at_once = chosen.get("libc") == "uclibc"
    for text, to in [(as_one_run(outputs), sys.stdout), (done, sys.stderr)][:: 1 if at_once else -1]:
        to.write(text)
        to.flush()
    # KLEE ends with an error where --exit-on-error stops it, not where an error of --exit-on-error-type does.
    record["exit_on_error"] = bool(errors) and "exit-on-error" in chosen
    return 1 if record["exit_on_error"] else 0


def files(chosen, own, out, tests, cleave):
    """Writes KLEE's files: tests numbered anew, of repeated errors the first alone. The number of tests, and what KLEE says of errors."""
    number, errors, reports = 0, [], collections.defaultdict(list)
    if "write-cov" in chosen:
        run([cleave, "tests", "follow", "--write", str(own)])
    if "write-xml-tests" in chosen:
        run([cleave, "tests", "xml", "--output", str(own / "xml"), str(own)])
    for err in (own / "tests").glob("*.err"):
        reports[err.name[:10]].append(err)
    for t in tests[:1000]:
        name = f"test{t['id']:06}"
        if t["kind"] != "completed" and not reports[name]:
            continue
        number += 1
        for made in [*own.glob(f"*/{name}.ktest"), *own.glob(f"*/{name}.cov"), *own.glob(f"xml/{name}.xml")]:
            shutil.copy(made, out / f"test{number:06}{made.suffix}")
        for err in reports[name]:
            ending = ".external.err" if outside(t["message"]) else err.name[len(name) :]
            # The sanitizer's word for both, where KLEE's own check has another for the divisor 0.
            ending = ".overflow.err" if (t["message"] or "").startswith("integer-divide-by-zero: ") else ending
            errors.append(told_error(t, err, out / f"test{number:06}{ending}"))
    return number, errors


def told_error(test, err, to):
    """Writes an error file in KLEE's words, and returns KLEE's lines about it."""
    text = err.read_text()
    words, handlers = in_klees_words(test["bug"], test["message"], text)
    text = re.sub(r"\AError: .*", lambda _: "Error: " + words, text)
    to.write_text(text)
    place = re.search(r"^File: (.*)\nLine: (.*)$", text, re.M)
    file, line = HANDLERS if handlers else place.groups() if place else ("", "")
    where = f"{file}:{line}" if file else "(location information missing)"
    return f"KLEE: ERROR: {where}: {words}\nKLEE: NOTE: now ignoring this error at this location\n"


def in_klees_words(kind, message, text):
    """What KLEE says of a bug, and whether it says so of its own handlers' C."""
    check = SANITIZER.match(message or "")
    frames = re.findall(r"#\d+ in (\S+)\(.*\) at (.*):\d+", text)
    if check:
        return SANITIZER_WORDS.get(check.group(1), check.group(1)), True
    if kind == "assertion":
        found = re.search(r"`(.*)`", message)
        return "ASSERTION FAIL: " + (found.group(1) if found else ""), False
    if kind == "reported":
        return re.sub(r" \([^()]*\)$", "", message), False
    if kind in ("user", "assumption"):
        return next((words for part, words in CALLS if part in message), f"{kind} [{message}]"), False
    if outside(message):
        return outside(message), False
    if kind == "bad-call" and "goto" in message:
        return "indirectbr: illegal label address", False
    if kind == "invalid-free":
        words = "memory error: invalid pointer: free"
        words = "free of alloca" if "a local object" in message else words
        words = "free of global" if re.search("global|argument or environment", message) else words
        return f"{words} [{message}]", False
    if frames and "/musl/" in frames[0][1]:
        # KLEE calls the host's library.
        within = [name for name, file in frames if "/musl/" in file and not name.startswith(("libc_start", "__libc_start"))]
        return f"{MESSAGES.get(kind, kind)} / failed external call: {within[-1] if within else ''} [{message}]", False
    words = MESSAGES.get(kind, kind)
    return words + (message.removeprefix("uncaught exception") if kind == "uncaught-exception" else f" [{message}]"), False


def outside(message):
    """What KLEE says where a path would leave the program, and cannot: for both engines it ends there. Or nothing."""
    if "the inline assembly" in message:
        return "external calls disallowed (in particular inline asm)"
    missing = re.search(r"a call of the function `(\S+)`, which is defined nowhere", message)
    return f"failed external call: {missing.group(1)}" if missing else None


def left_open(cleave, own, out, number):
    """Tests of what a limit left open; how many."""
    made = own / "open"
    run([cleave, "tests", "open", "--output", str(made), str(own)])
    found = sorted(made.glob("*.ktest"))
    for i, test in enumerate(found):
        shutil.copy(test, out / f"test{number + i + 1:06}.ktest")
    return len(found)


def printed(program, own, record, tests, module):
    """The standard output of each test: of the native replay where Cleave foretold it, else as the engine sees it."""
    if len(tests) > MOST_REPLAYED or all(t["stdout_sha256"] == NOTHING for t in tests):
        return {}
    cleave = os.environ["KT_CLEAVE"]
    followed = [json.loads(x) for x in run([cleave, "tests", "follow", "--json", str(own)]).stdout.splitlines()]
    seen = {f"test{x['id']:06}": unescaped(x["stdout"]) for x in followed}
    native = program if module else Path(str(own) + ".exe")
    if not module:
        linked = run([cleave, "c++", "-w", "-o", str(native), str(program)])
        if linked.returncode:
            record["no_replay"] = linked.stderr[-300:]
            return seen
    foretold, differ = {f"test{t['id']:06}": t for t in tests}, []
    done = run([cleave, "replay", "--workers", "1", "--max-time", "1s", "--json", str(native), str(own)])
    for line in done.stdout.splitlines():
        r = json.loads(line)
        name = Path(r["test"]).name.removesuffix(".ktest")
        said = up_to_the_end(unescaped(r.get("stdout") or ""), foretold[name]["stdout_sha256"])
        seen[name] = seen.get(name, "") if said is None else said
        seen[name] += unescaped(r.get("stderr") or "")
        # An address that the program makes an input is another one natively.
        if r["verdict"] == "differs" and not foretold[name]["addresses"]:
            differ.append(f"{name}: {r['text']} ({r['end']})")
    record["replay_differs"] = differ[:6]
    return seen


def unescaped(text):
    return text.encode().decode("unicode_escape", errors="replace")


def up_to_the_end(text, sha256):
    """What of the native output Cleave foretold: all, or with a bug that natively goes on, its beginning."""
    raw = text.encode("latin-1", errors="replace")
    ends = [len(raw)] + [m.end() for m in re.finditer(rb"\n", raw)] + [0]
    return next((raw[:e].decode("latin-1") for e in ends if hashlib.sha256(raw[:e]).hexdigest() == sha256), None)


def as_one_run(outputs):
    """The outputs of paths as KLEE prints them: what paths have in common is printed once."""
    if os.environ.get("KT_ONCE") != "yes":
        return "".join(outputs)
    told, earlier = [], []
    for lines in (o.splitlines(keepends=True) for o in outputs):
        same = max((len(os.path.commonprefix([lines, b])) for b in earlier), default=0)
        told += lines[same:]
        earlier.append(lines)
    return "".join(told)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

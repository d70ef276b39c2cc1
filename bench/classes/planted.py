#!/usr/bin/env python3
"""Time to the planted bug: libFuzzer beside Cleave, on the programs in planted/.

Each program has one bug, in the line with the comment /* BUG */. Its first line says the kind of
the bug and how many bytes of input suffice. NAME.input crashes it, NAME.ordinary does not.
With Cleave the input has exactly so many bytes, with the fuzzer at most so many.
Every program runs alone, on one core. A time is the wall time of the whole command; for Cleave this
includes compiling, and the fuzzer's binary is compiled beforehand. With --built both are.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "planted"
CLANG = ["clang-19", "-g", "-fno-sanitize-recover=all"]
# Seconds that a command may take beyond its own limit before it is killed.
GRACE = 15
# Leaks are no planted bugs.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="print_stacktrace=1")


class Program:
    """A program: its file, the kind of its bug, its line, the bytes of input."""

    def __init__(self, file):
        self.file = file
        self.name = file.stem
        lines = file.read_text().splitlines()
        head = re.match(r"// planted: (.+); stdin (\d+)$", lines[0])
        marked = [n for n, line in enumerate(lines, 1) if "/* BUG */" in line]
        if not head or len(marked) != 1:
            sys.exit(f"{file}: no first line `// planted: KIND; stdin N`, or not one /* BUG */")
        self.kind, self.stdin, self.line = head[1], int(head[2]), marked[0]

    def first_line(self, text):
        """The first line of this program that a report of the sanitizers names."""
        # libFuzzer names functions that it reaches for the first time.
        text = "\n".join(line for line in text.splitlines() if "NEW_FUNC" not in line)
        found = re.search(rf"\b{re.escape(self.file.name)}:(\d+)", text)
        return int(found[1]) if found else None


def timed(command, limit, **options):
    """Runs a command in its own process group; gives output, code (None if killed) and seconds."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, start_new_session=True, **options)
    try:
        output, _ = process.communicate(timeout=limit)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        code = None
    return output.decode(errors="replace"), code, time.monotonic() - begin


def native(program, folder):
    """Compiles the program with its own main and the sanitizers."""
    binary = folder / f"{program.name}.native"
    subprocess.run([*CLANG, "-fsanitize=address,undefined", program.file, "-o", binary], check=True)
    return binary


def crash_line(program, binary, data):
    """The line in which the program crashes on this input, None if it does not."""
    run = subprocess.run([binary], input=data, capture_output=True, env=ENVIRONMENT, timeout=60)
    if run.returncode == 0:
        return None
    return program.first_line(run.stderr.decode(errors="replace")) or -1


def check(programs, folder):
    """Checks that each program crashes on its input in its line, and not on ordinary ones."""
    bad = 0
    for p in programs:
        binary = native(p, folder)
        lines = [crash_line(p, binary, data) for data in
                 (p.file.with_suffix(".input").read_bytes(), b"",
                  p.file.with_suffix(".ordinary").read_bytes())]
        right = lines == [p.line, None, None]
        bad += not right
        print(f"{p.name:12} {'ok' if right else f'WRONG: line {p.line}, crashes in {lines}'}")
    return bad


def fuzz(program, folder, limit, seed):
    """Seconds to libFuzzer's crash in the marked line, or None, and a remark."""
    binary = folder / f"{program.name}.fuzzer"
    subprocess.run([*CLANG, "-O1", "-DFUZZER", "-fsanitize=fuzzer,address,undefined", program.file,
                    "-o", binary], check=True)
    command = [binary, f"-max_len={program.stdin}", "-timeout=5", f"-max_total_time={limit}",
               f"-seed={seed}", "-detect_leaks=0", f"-artifact_prefix={folder}/"]
    output, code, seconds = timed(command, limit + GRACE, env=ENVIRONMENT)
    if code == 0 or code is None:
        return None, ""
    line = program.first_line(output)
    if line != program.line:
        return None, f"FUZZER: ANOTHER BUG, line {line}"
    return seconds, ""


def place_of(program, place, trace):
    """The line of the program in which a bug shows: its place, or the innermost caller there."""
    line = program.first_line(place)
    if line is None:
        line = program.first_line(json.dumps(trace))
    return line


def bugs_of(program, run):
    """The bugs in a run directory, as (line, kind, message)."""
    base = sqlite3.connect(f"file:{run}/db.sqlite?mode=ro", uri=True)
    rows = base.execute("select place, trace, kind, message from bugs order by first_path").fetchall()
    base.close()
    return [(place_of(program, place, json.loads(trace)), kind, message)
            for place, trace, kind, message in rows]


def confirmed(program, folder, run):
    """Runs the tests with bugs that Cleave wrote under the sanitizers; gives the lines of crashes."""
    binary = native(program, folder)
    lines = []
    for test in sorted(pathlib.Path(run, "tests").glob("*.err")):
        ktest = pathlib.Path(run, "tests", test.name.split(".")[0] + ".ktest")
        if ktest.exists():
            lines.append(crash_line(program, binary, stdin_of(ktest.read_bytes())))
    return lines


def stdin_of(ktest):
    """The bytes of standard input in a test of KLEE's format."""
    at = 5 + 4  # "KTEST" and the version

    def word():
        nonlocal at
        at += 4
        return int.from_bytes(ktest[at - 4:at], "big")

    for _ in range(word()):
        at += word()
    word(), word()
    for _ in range(word()):
        size = word()
        name, at = ktest[at:at + size], at + size
        size = word()
        data, at = ktest[at:at + size], at + size
        if name.rstrip(b"\0") == b"stdin":
            return data
    return b""


def built(program, folder, cleave):
    """The program as an executable with the checks that `cleave run` has for a source."""
    binary = folder / f"{program.name}.cleave"
    subprocess.run([cleave, "cc", "--checked", "-g", "-O1", program.file, "-o", binary], check=True)
    return binary


def explore(program, given, run, folder, cleave, limit, options):
    """Seconds to Cleave's bug in the marked line, or None; seconds of exploring; paths; a remark. `given` is the program's source or
    executable."""
    shutil.rmtree(run, ignore_errors=True)
    command = [cleave, "run", "--workers", "1", "--max-time", str(limit), "--max-bugs", "1",
               "--output-dir", run, *shlex.split(options), given, "--sym-stdin",
               str(program.stdin)]
    output, code, seconds = timed(command, limit + GRACE, env=os.environ)
    if not (run / "db.sqlite").exists():
        return None, None, 0, "CLEAVE FAILED: " + output.strip()[-200:]
    remark = ""
    if code is None:
        remark = f"KILLED after {limit + GRACE} s"
    elif code not in (0, 3, 4):
        remark = f"EXIT CODE {code}: " + output.strip()[-200:]
    elif code == 0:
        remark = "WRONG: EXPLORED TO THE END WITHOUT A BUG"
    bugs = bugs_of(program, run)
    for line, kind, message in bugs:
        if line != program.line:
            remark += (f" ANOTHER BUG, line {line}: {kind}, {message};"
                       f" the sanitizers crash in {confirmed(program, folder, run)}")
    summary = {}
    if (run / "summary.json").exists():
        summary = json.loads((run / "summary.json").read_text())
    paths = summary.get("paths", {})
    paths = sum(v for v in paths.values() if isinstance(v, int)) if isinstance(paths, dict) else paths
    found = any(line == program.line for line, _, _ in bugs)
    return (seconds if found else None), summary.get("exploring_s"), paths, remark.strip()


def show(seconds):
    return "-" if seconds is None else f"{seconds:.2f}"


def first(fuzzer, cleave):
    """Who finds the bug first."""
    if fuzzer is None and cleave is None:
        return "nobody"
    if fuzzer is None or (cleave is not None and cleave < fuzzer):
        return "cleave"
    return "fuzzer"


def totals(rows, modes):
    """The three figures of the issue: found, sooner, and late where the fuzzer is quick."""
    fuzzer = [row["fuzzer"] for row in rows]
    print(f"\nof {len(rows)} programs the fuzzer finds {sum(f is not None for f in fuzzer)}")
    for mode in modes:
        cleave = [row["cleave"][mode]["seconds"] for row in rows]
        found = sum(c is not None for c in cleave)
        sooner = sum(first(f, c) == "cleave" for f, c in zip(fuzzer, cleave))
        late = [row["name"] for row, f, c in zip(rows, fuzzer, cleave)
                if f is not None and f < 1 and (c is None or c > f + 2)]
        print(f"{mode or 'default'}: found {found} (wanted 36 of 40), sooner than the fuzzer {sooner}"
              f" (25), later by more than 2 s where the fuzzer takes less than 1 s: {len(late)} (0)"
              + (f": {' '.join(late)}" if late else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cleave", default=HERE.parent.parent / "target/checked/cleave", help="the executable of Cleave")
    parser.add_argument("--limit", type=int, default=60, help="seconds for each attempt (60)")
    parser.add_argument("--seed", type=int, default=1, help="libFuzzer's seed (1)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these programs")
    parser.add_argument("--modes", nargs="+", default=["", "--merge on"], metavar="OPTIONS",
                        help="options of `cleave run`, one word for each mode ('' '--merge on')")
    parser.add_argument("--options", default="", help="options of `cleave run` for all modes")
    parser.add_argument("--no-fuzzer", action="store_true", help="only Cleave")
    parser.add_argument("--built", action="store_true", help="compile for Cleave beforehand, too")
    parser.add_argument("--check", action="store_true", help="only check the programs' own inputs")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR",
                        help="keep the run directories here, as NAME and mode")
    parser.add_argument("--json", type=pathlib.Path, help="append the results to this file, a line each")
    arguments = parser.parse_args()

    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    programs = [Program(file) for file in sorted(PROGRAMS.glob("*.c"))]
    if arguments.only:
        unknown = set(arguments.only) - {p.name for p in programs}
        if unknown:
            parser.error("no such program: " + " ".join(sorted(unknown)))
        programs = [p for p in programs if p.name in arguments.only]

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if arguments.check:
            sys.exit(1 if check(programs, folder) else 0)
        print(f"{'program':12} {'kind':20} {'fuzzer':>7} "
              + " ".join(f"{mode or 'default':>16}" for mode in arguments.modes) + "  first")
        rows = []
        for p in programs:
            seconds, remark = (None, "") if arguments.no_fuzzer else \
                fuzz(p, folder, arguments.limit, arguments.seed)
            row = {"name": p.name, "kind": p.kind, "fuzzer": seconds, "cleave": {}}
            remarks = [remark] if remark else []
            given = built(p, folder, arguments.cleave) if arguments.built else p.file
            for mode in arguments.modes:
                run = folder / "run"
                if arguments.keep:
                    run = arguments.keep / f"{p.name}{mode}".replace(" ", "")
                found, exploring, paths, remark = explore(
                    p, given, run, folder, arguments.cleave, arguments.limit, f"{arguments.options} {mode}")
                row["cleave"][mode] = {"seconds": found, "exploring": exploring, "paths": paths, "remark": remark}
                if remark:
                    remarks.append(f"{mode or 'default'}: {remark}")
            rows.append(row)
            cells = " ".join(
                f"{show(c['seconds']) + ' (' + str(c['paths']) + ')':>16}" for c in row["cleave"].values())
            winners = " ".join(first(seconds, c["seconds"]) for c in row["cleave"].values())
            print(f"{p.name:12} {p.kind:20} {show(seconds):>7} {cells}  {winners}", flush=True)
            for remark in remarks:
                print(f"  !!! {remark}", flush=True)
            if arguments.json:
                with arguments.json.open("a") as file:
                    file.write(json.dumps(row) + "\n")
        totals(rows, arguments.modes)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Kani's regression tests against Cleave: do all proofs of a file hold where Kani verifies it, and does one fail where Kani's test expects that?

kani_tests.py FOLDER [COUNT | NAME...]: the folder `tests/kani` of github.com/model-checking/kani, fetched by whoever runs this. COUNT takes so
many files, the same ones each time, from as many sub-folders as there are; NAMES are parts of paths. CLEAVE names another cleave. Prints a
line for each test that is not right, and the counts."""

import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLEAVE = os.environ.get("CLEAVE", str(HERE.parent.parent / "target/release/cleave"))
LIMIT = 60  # seconds for a proof, with the loading of its program
PROOF = re.compile(r"^[^/\n]*kani::proof\b", re.MULTILINE)
# A test that is about Kani's own options, about words that the guide says are not there, about the compiler's unstable features, or about
# a proof with parameters, which is no proof.
LEFT_OUT = re.compile(
    r"#!\[feature|kani-flags:(?! *--default-unwind \d+ *$)|kani-check-fail|kani::(?:stub|requires|ensures|modifies|proof_for_contract|recursion|"
    r"loop_invariant|loop_modifies|forall|exists|mem|block_on|spawn)|// ignore-|compile-flags:.*(?:-Z|--test|panic=)|kani::proof\]\s*(?:pub )?fn \w+\([^)]",
    re.MULTILINE,
)


def chosen(root, words):
    """The tests, by their paths below the folder."""
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*.rs"))
    texts = {name: (root / name).read_text() for name in names}
    names = [name for name in names if "fixme" not in name.lower() and PROOF.search(texts[name]) and not LEFT_OUT.search(texts[name])]
    if len(words) == 1 and words[0].isdigit():
        random.Random(1).shuffle(names)
        seen = {}
        turns = {}
        for name in names:
            folder = name.split("/")[0]
            turns[name] = seen[folder] = seen.get(folder, 0) + 1
        return sorted(sorted(names, key=turns.get)[: int(words[0])])
    return [name for name in names if not words or any(word in name for word in words)]


def judged(folder, source):
    """What is wrong with a test, or an empty text."""
    text = source.read_text()
    edition = re.search(r"compile-flags:.*--edition[ =](\d+)", text)
    is_failure = "kani-verify-fail" in text or source.stem.endswith("_fail")
    command = [CLEAVE, "rustc", "--test", "--edition", edition[1] if edition else "2021", "-Awarnings", "-Aarithmetic_overflow", "-Aunconditional_panic"]
    made = subprocess.run([*command, "-o", folder / "program", source], cwd=folder, capture_output=True, text=True)
    if made.returncode:
        return "does not compile: " + next((line for line in made.stderr.splitlines() if line.startswith("error")), "?")
    options = os.environ | {"CLEAVE_PROOF_OPTIONS": f"--max-time {LIMIT}"}
    for _ in range(2):  # The loading of a program, which a limit of time counts, is done once.
        run = subprocess.run([CLEAVE, "proofs", folder / "program"], env=options, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        outcomes = re.findall(r"^proof .* \.\.\. (.*)", run.stdout, re.MULTILINE)
        if not any(outcome.startswith("OPEN: a limit") and "(0 paths)" in outcome for outcome in outcomes):
            break
    if not outcomes:
        return "no proof was explored: " + next(iter(run.stderr.splitlines()[-1:]), "?")
    failed = any(outcome.startswith("FAILED") for outcome in outcomes)
    open_ones = [outcome for outcome in outcomes if outcome.startswith(("OPEN", "an internal"))]
    if is_failure:
        return "" if failed else "every proof holds, where one fails" if not open_ones else open_ones[0]
    if failed:
        return "a proof fails, where each holds: " + next((line.strip() for line in run.stdout.split("FAILED", 1)[1].splitlines()[1:]), "?")
    return open_ones[0] if open_ones else ""


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    names = chosen(root, sys.argv[2:])
    right = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            wrong = judged(pathlib.Path(folder), root / name)
            right += not wrong
            if wrong:
                print(f"{name}: {wrong}", flush=True)
    print(f"{right} of {len(names)} are right")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""SMACK's regression tests in Rust against Cleave: does a bug turn up where the test expects an error, and none where it does not?

rust_tests.py FOLDER: the folder `test/rust` of github.com/smackers/smack, or `benchmarks` of github.com/soarlab/rust-benchmarks, fetched
by whoever runs this. CLEAVE names another cleave. Prints a line for each test that is not right, and the counts."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLEAVE = os.environ.get("CLEAVE", str(HERE.parent.parent / "target/release/cleave"))
LIMIT = 30  # seconds for a test


def compiled(folder, source, checked):
    """Compiles a test, with the stand-in of its crate."""
    crates = []
    for crate in ("smack", "verifier"):
        library = folder / f"lib{crate}.rlib"
        if not library.exists():
            (folder / f"{crate}.rs").write_text((HERE / "smack.rs").read_text())
            subprocess.run([CLEAVE, "rustc", "--edition=2021", "--crate-type=rlib", f"{crate}.rs"], cwd=folder, check=True)
        crates += ["--extern", f"{crate}={library}"]
    word = "yes" if checked else "no"
    command = [CLEAVE, "rustc", "--edition=2018", "-Awarnings", "-Aarithmetic_overflow", "-Aunconditional_panic", "-C", "opt-level=1", "-C", f"overflow-checks={word}", *crates]
    made = subprocess.run([*command, "-o", "program", str(source)], cwd=folder, capture_output=True, text=True)
    return made.returncode == 0, made.stderr


def judged(folder, source):
    """What is wrong with a test, or an empty text."""
    text = source.read_text()
    flags = " ".join(re.findall(r"@flag (.*)", text))
    expected = re.findall(r"@expect (\w+)", text)
    checked = "overflow" in flags or "overflow" in str(source)
    is_error = bool({"error", "overflow"} & set(expected)) or (not expected and (source.stem.endswith("fail") or "fail" in source.stem.split("_")[-1]))
    fine, messages = compiled(folder, source, checked)
    if not fine:
        return "does not compile: " + next((line for line in messages.splitlines() if line.startswith("error")), "?")
    run = folder / "run"
    subprocess.run(["rm", "-rf", run])
    subprocess.run([CLEAVE, "run", "--max-time", f"{LIMIT}s", "--output-dir", run, folder / "program"], capture_output=True)
    summary = json.loads((run / "summary.json").read_text())
    bugs, paths = summary["bugs"], summary["paths"]
    if paths["unsupported"]:
        return f"{paths['unsupported']} paths are unsupported"
    if is_error and not bugs:
        return "no bug, where there is one" + (" (limit)" if summary["open_regions"] else "")
    if not is_error and bugs:
        return "a bug, where there is none"
    return "" if is_error or not summary["open_regions"] else "the limit of time"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    sources = sorted(path for path in root.rglob("*.rs") if re.search(r"fn main", path.read_text()) and "cargo" not in path.parts)
    right = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            wrong = judged(pathlib.Path(folder), source)
            right += not wrong
            if wrong:
                print(f"{source.relative_to(root)}: {wrong}", flush=True)
    print(f"{right} of {len(sources)} are right")


if __name__ == "__main__":
    main()

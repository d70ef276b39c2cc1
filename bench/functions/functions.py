#!/usr/bin/env python3
"""functions.py [--cleave BIN] [--seconds N] [NAME ...]: explores functions of real libraries by the contracts in functions.toml.

Prints a row a function: with the contract, then without one, each with its paths, whether all are explored, its bugs, and what the replays of
its tests say. The libraries' sources are in build/src: scripts/fetch-source.sh zlib (expat, libyaml, cjson, libtasn1-6, utf8proc); musl is there
after `make sysroot`. Nothing is written outside of a temporary folder."""
import argparse
import json
import os
import re
import subprocess
import tempfile
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.abspath(os.path.join(HERE, "../../build/src"))


def with_promise(text, name, ensures):
    """The source with a comment above the definition of a function."""
    if not ensures:
        return text
    for found in re.finditer(r"(?m)^[\w \t*()]*\b" + re.escape(name) + r"\s*\(", text):
        depth, at = 0, found.end() - 1
        while True:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
            if depth == 0:
                break
        # A definition of today, or of K&R: declarations of parameters in front of the body.
        if not re.match(r"\s*(?:[\w \t*]+[\w*]+(?:\s*\[\])?\s*;[^\n]*\s*)*\{", text[at:]):
            continue
        lines = text[: found.start()].split("\n")
        while len(lines) > 1 and lines[-2].strip() and not lines[-2].strip().endswith(("}", ";", "*/")) and not lines[-2].startswith("#"):
            lines.pop()
        start = len("\n".join(lines[:-1])) + 1 if len(lines) > 1 else 0
        return f"{text[:start]}//@ ensures {ensures};\n{text[start:]}"
    raise SystemExit(f"{name}: no definition was found")


def explored(cleave, folder, sources, flags, entry, seconds):
    """Paths, whether all are explored, bugs, verdicts of the replay."""
    run = os.path.join(folder, "run")
    command = [cleave, "run", "--max-time", str(seconds), "--workers", "1", "--output-dir", run, "--entry-point", entry, *flags, *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    if not os.path.exists(os.path.join(run, "summary.json")):
        return {"error": done.stderr.strip().splitlines()[-1][:200] if done.stderr.strip() else "no run"}
    account = json.load(open(os.path.join(run, "summary.json")))
    lines = [line.strip() for line in done.stdout.splitlines() if re.match(r"  .*\(.*, test \d+\)$", line)]
    rests = [line.strip() for line in done.stdout.splitlines() if "inputs are those of" in line or "each pointer that" in line]
    paths = account["paths"]
    # All tests; of many those that were written, which cover something or show a bug.
    written = sorted(os.path.join(run, "tests", name) for name in os.listdir(os.path.join(run, "tests")) if name.endswith(".ktest"))
    tests = [run] if paths["completed"] + paths["failed"] <= 1000 else written
    replay = subprocess.run([cleave, "replay", "--json", sources[0], *tests], capture_output=True, text=True)
    verdicts = [json.loads(line).get("verdict") for line in replay.stdout.splitlines() if line.startswith("{")]
    return {
        "paths": paths["completed"] + paths["failed"],
        "end": "ended" if account["open_regions"] == 0 else "open",
        "unsupported": paths["unsupported"],
        "bugs": lines,
        "rests": rests,
        "verdicts": {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts), key=str)},
    }


def shown(result):
    if "error" in result:
        return "ERROR " + result["error"]
    unsupported = f", {result['unsupported']} unsupported" if result["unsupported"] else ""
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in result["verdicts"].items())
    return f"{result['paths']} paths, {result['end']}{unsupported}, {len(result['bugs'])} bugs; replay: {verdicts}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cleave", default="target/checked/cleave")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--with-only", action="store_true", help="leave out the runs without a contract")
    options = parser.parse_args()
    cleave = os.path.abspath(options.cleave)
    table = tomllib.load(open(os.path.join(HERE, "functions.toml"), "rb"))
    for function in table["function"]:
        name = function["name"]
        if options.names and name not in options.names:
            continue
        if "skip" in function and name not in options.names:
            print(f"{name:28} left out: {function['skip']}", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(SRC, function["file"])
            library = function["file"].split("/")[0]
            config = os.path.join(folder, "config")
            os.mkdir(config)
            open(os.path.join(config, "config.h"), "w").write(function.get("config", ""))
            for name_of_empty in ["expat_config.h", *function.get("empty", [])]:
                open(os.path.join(config, name_of_empty), "w").close()
            flags = [flag.format(src=SRC, config=config) for flag in table["flags"][library]]
            flags += ["-I" + config, "-I" + os.path.dirname(place)]
            # Not to be taken for the library's own function of the name.
            is_renamed = library == "musl" and not function.get("own_name") and not name.startswith("__")
            renamed = "library_" + name if is_renamed else name
            if is_renamed:
                flags.append(f"-D{name}={renamed}")
            text = open(place, encoding="latin-1").read()
            source = os.path.join(folder, os.path.basename(place))
            more = [os.path.join(SRC, file) for file in function.get("more", [])]
            before = function.get("before", "")
            results = []
            for promise, entry in ((function.get("ensures", ""), f"{renamed}({function['inputs']})"), ("", renamed)):
                with open(source, "w", encoding="latin-1") as out:
                    out.write(before + with_promise(text, name, promise))
                subprocess.run(["rm", "-rf", os.path.join(folder, "run")], check=True)
                results.append(explored(cleave, folder, [source] + more, flags, entry, function.get("seconds", options.seconds)))
                if options.with_only:
                    break
            print(f"{name:28} with: {shown(results[0])}", flush=True)
            for line in results[0].get("bugs", []):
                print(f"    {line[:200]}", flush=True)
            if len(results) > 1:
                print(f"{'':28} without: {shown(results[1])}", flush=True)
                if results[1].get("bugs") and not results[1].get("rests"):
                    print("    NO ASSUMPTION IS NAMED", flush=True)


if __name__ == "__main__":
    main()

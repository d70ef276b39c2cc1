#!/usr/bin/env python3
"""scripts/programs.py [NAME...]: builds Debian's programs with `cleave cc` (`make programs`), or those that are named.

programs/debian/programs.toml says which. Each package is fetched with `apt-get source`, copied to
build/programs/PACKAGE/tree and built there by its own build system. The programs stand in build/programs/bin. What is built
stays until its block of the table, its driver, its patch or the C library changes. A package that fails does not stop
the others. build/programs/built.json says of each program whether it is there, its version, and why not.

CLEAVE names another cleave, JOBS how many compilers run at once (default: the processor cores)."""

import fcntl
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "programs/debian"
OUT = ROOT / "build/programs"
SOURCES = ROOT / "build/src"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
CLEAVE = pathlib.Path(os.environ.get("CLEAVE", TARGET / "release/cleave")).resolve()
JOBS = os.environ.get("JOBS", str(os.cpu_count()))
# Options that every configure gets, beside those of its block. It need not run what it compiles.
USUAL = "--quiet --host=x86_64-linux-musl --disable-nls --disable-dependency-tracking --disable-shared --enable-static"
# What only documentation needs, and what would make generated files anew.
WITHOUT = [f"{tool}=true" for tool in "MAKEINFO HELP2MAN ACLOCAL AUTOCONF AUTOMAKE AUTOHEADER".split()]
# What Debian's own compiler still takes; clang 19 would refuse it.
FLAGS = "-O1 -g -Wno-error=implicit-function-declaration -Wno-error=implicit-int -Wno-error=int-conversion"
# What a build finds under these names. bench/klee builds with others.
TOOLS = {"CC": f"{CLEAVE} cc", "AR": "llvm-ar-19", "RANLIB": "llvm-ranlib-19", "NM": "llvm-nm-19", "BUILT": str(OUT)}
# What coreutils' configure has found out about the C library and the compiler holds for the others too.
ANSWERS = ROOT / "scripts/coreutils.answers"
# The section that a program has when its build used CC.
MARK = b".cleave.bc"
PACKAGE_KEYS = {"source", "needs", "after", "base", "patch", "folder", "prepare", "configure", "make", "build", "script",
                "names", "arguments"}
PROGRAM_KEYS = {"package", "file", "driver", "flags", "arguments"}


class Failed(Exception):
    """A package or program cannot be built; the text says why, in a line."""


class Package:
    """A block [package.NAME]."""

    def __init__(self, name, block):
        self.name, self.block = name, block
        self.source = block.get("source", name)
        self.folder = OUT / name
        self.tree = self.folder / "tree" / block.get("folder", "")


class Program:
    """A block [program.NAME], or a name of a package's `names`."""

    def __init__(self, name, package, block):
        self.name, self.package, self.block = name, package, block
        self.arguments = block["arguments"]
        self.file = OUT / "bin" / name


def table(path=HERE / "programs.toml"):
    """The packages and programs of the table, by name. A table that makes no sense is an error with one sentence."""
    data = tomllib.loads(path.read_text())
    packages = {name: Package(name, block) for name, block in data["package"].items()}
    programs = {}
    for name, package in packages.items():
        wrong(name, package.block, PACKAGE_KEYS)
        if package.block.get("base", name) not in packages or package.block.get("after", name) not in packages:
            sys.exit(f"programs.toml: package {name} is built on a package that is not there")
        for one in package.block.get("names", "").split():
            programs[one] = Program(one, package, {"arguments": package.block["arguments"]})
        if "base" in package.block:
            programs.update(variant(package, data["program"]))
    for name, block in data["program"].items():
        wrong(name, block, PROGRAM_KEYS)
        if block["package"] not in packages:
            sys.exit(f"programs.toml: program {name} names the package {block['package']}, which is not there")
        if name in programs:
            sys.exit(f"programs.toml: two programs are named {name}")
        if ("file" in block) == ("driver" in block) or not block.get("arguments"):
            sys.exit(f"programs.toml: program {name} needs `arguments` and one of `file` and `driver`")
        programs[name] = Program(name, packages[block["package"]], block)
    return packages, programs


def variant(package, blocks):
    """The program of a package that is another one with a patch: the base's program, built from this tree."""
    for block in blocks.values():
        if block["package"] == package.block["base"]:
            return {package.name: Program(package.name, package, block)}
    sys.exit(f"programs.toml: no program is built from {package.block['base']}")


def wrong(name, block, keys):
    unknown = set(block) - keys
    if unknown:
        sys.exit(f"programs.toml: {name} has {', '.join(sorted(unknown))}, which nothing reads")


def shell(command, tree, log, **more):
    """Runs a command in a tree, its output in the log; its last line that says something is the reason of a failure."""
    variables = os.environ | TOOLS | {
        "CFLAGS": FLAGS, "CC_FOR_BUILD": "gcc", "CFLAGS_FOR_BUILD": "-O1", "FORCE_UNSAFE_CONFIGURE": "1", "LC_ALL": "C",
    } | more
    with log.open("a") as out:
        out.write(f"+ {command}\n")
        out.flush()
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=tree, env=variables, stdout=out,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Failed(f"`{command[:60]}`: {reason(log.read_text(errors='replace'))}")


def reason(text):
    """The line of a log that says why."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"error: |Error \d|Failed to fetch http|cannot|not found|undefined", line)]
    chosen = [line for line in telling if not line.startswith("make")] or telling or lines
    return re.sub(r"\s+", " ", chosen[0] if chosen is not lines else chosen[-1])[:160]


def stamp(package):
    """What a package's tree depends on."""
    made = hashlib.sha256((ROOT / "build/sysroot/stamp").read_bytes())
    made.update(json.dumps([package.block, USUAL, FLAGS], sort_keys=True).encode())
    if "patch" in package.block:
        made.update((HERE / "defects" / package.block["patch"]).read_bytes())
    return made.hexdigest()


def fetch(package):
    done = subprocess.run([ROOT / "scripts/fetch-source.sh", package.source], capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"source not to be had: {reason(done.stderr)}")


def unpack(package, packages):
    """A fresh tree: a copy of the source, or of the package that this one is a variant of."""
    shutil.rmtree(package.folder, ignore_errors=True)
    package.folder.mkdir(parents=True)
    base = packages.get(package.block.get("base"))
    source = base.folder / "tree" if base else SOURCES / package.source
    subprocess.run(["cp", "-a", source, package.folder / "tree"], check=True)
    if base:
        patch = HERE / "defects" / package.block["patch"]
        shell(f"patch -p1 < {shlex.quote(str(patch))}", package.folder / "tree", package.folder / "log")


def commands(package):
    """What builds a package: (command, whether configure needs no bitcode)."""
    block = package.block
    if "build" in block:
        return [(command, False) for command in block["build"]]
    makes = [(f"make -j{JOBS} {' '.join(WITHOUT)} {what}", False) for what in block.get("make", [""])]
    if "base" in block:
        return makes
    # Generated files count as newer than what they are generated from, in this order.
    order = ["aclocal.m4", "configure", "Makefile.in", "config.h.in", "config.hin", "config.hi"]
    touch = "; ".join(f"find . -name {name} -exec touch {{}} +; sleep 0.01" for name in order)
    prepare = [(block["prepare"], False)] if "prepare" in block else []
    known = f"cp {ANSWERS} config.cache"
    configure = f"./configure {USUAL} --cache-file=config.cache {' '.join(block.get('configure', '').split())}"
    return [*prepare, (touch, False), (known, False), (configure, True), *makes]


def build(package, packages):
    """Builds a package's tree where it is not up to date. True if it was built now."""
    if "after" in package.block:
        build(packages[package.block["after"]], packages)
    if "base" in package.block:
        build(packages[package.block["base"]], packages)
    now, mark = stamp(package), package.folder / "stamp"
    if mark.exists() and mark.read_text() == now:
        return False
    say(f"{package.name}: building")
    if "base" not in package.block:
        fetch(package)
    unpack(package, packages)
    for command, asks in commands(package):
        shell(command, package.tree, package.folder / "log", **({"CLEAVE_CC_NATIVE_ONLY": "1"} if asks else {}))
    mark.write_text(now)
    return True


def finish(program):
    """Puts a program into build/programs/bin: copied from its tree, or a driver that is linked with its library."""
    tree, block = program.package.tree, program.block
    if "file" in block:
        made = tree / block["file"]
        if not made.exists():
            raise Failed(f"its build made no {block['file']}")
    else:
        driver, made = HERE / "drivers" / block["driver"], program.package.folder / f"{program.name}.made"
        newest = max(driver.stat().st_mtime, (program.package.folder / "stamp").stat().st_mtime)
        if not made.exists() or made.stat().st_mtime < newest:
            shell(f"$CC $CFLAGS -o {made} {driver} {block['flags']}", tree, program.package.folder / "log")
    copy(made, program.file)


def copy(made, place):
    if MARK not in made.read_bytes():
        raise Failed(f"its build made a {made.name} without bitcode: not with CC")
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists() or place.stat().st_mtime < made.stat().st_mtime:
        shutil.copy2(made, place)


def by_script(package, names):
    """Programs that a script of `make demo` builds too: all at once, or one by one where that fails. {name: reason}."""
    where, failed = ROOT / "build" / package.name / "bin", {}
    several = len(package.block["names"].split()) > 1
    run = lambda *words: subprocess.run([ROOT / package.block["script"], *words], env=os.environ | {"CLEAVE": str(CLEAVE)},
                                        capture_output=True, text=True)
    if any(not (where / name).exists() for name in names):
        say(f"{package.name}: building")
    done = run(*(names if several else []))
    for name in names:
        if done.returncode and several:
            one = run(name)
            if one.returncode:
                failed[name] = reason(one.stderr + one.stdout)
        elif done.returncode:
            failed[name] = reason(done.stderr + done.stdout)
        if name not in failed:
            try:
                copy(where / name, OUT / "bin" / name)
            except Failed as error:
                failed[name] = str(error)
    return failed


def make_all(packages, programs, names):
    """Builds the named programs. {name: reason or None}."""
    outcome = {}
    for package in packages.values():
        mine = [p for p in programs.values() if p.package is package and p.name in names]
        if not mine:
            continue
        if "script" in package.block:
            failed = by_script(package, [p.name for p in mine])
            outcome.update({p.name: failed.get(p.name) for p in mine})
            continue
        try:
            build(package, packages)
        except Failed as error:
            outcome.update({p.name: str(error) for p in mine})
            say(f"{package.name}: not built: {error}")
            continue
        for program in mine:
            try:
                finish(program)
                outcome[program.name] = None
            except Failed as error:
                outcome[program.name] = str(error)
                say(f"{program.name}: not built: {error}")
    return outcome


def version(package, packages):
    """The version of Debian's source."""
    source = packages[package.block["base"]].source if "base" in package.block else package.source
    try:
        return (SOURCES / source / "debian/changelog").read_text().split("(", 1)[1].split(")", 1)[0]
    except OSError:
        return "?"


def install(packages):
    """Debian's packages that the builds of these packages need."""
    needs = sorted({need for package in packages for need in package.block.get("needs", [])})
    done = subprocess.run([ROOT / "scripts/setup.sh", "also", *needs])
    if done.returncode:
        sys.exit(done.returncode)


def say(line):
    print(f"programs: {time.strftime('%H:%M:%S')} {line}", flush=True)


def main():
    packages, programs = table()
    names = sys.argv[1:] or list(programs)
    unknown = [name for name in names if name not in programs]
    if unknown:
        sys.exit(f"programs.py: programs/debian/programs.toml has no {', '.join(unknown)}")
    if not CLEAVE.exists():
        sys.exit(f"programs.py: {CLEAVE} is not there; `make build` builds it")
    there = sum(programs[name].file.exists() for name in names)
    say(f"{len(names)} programs from Debian's source packages into build/programs/bin, {there} of them are there; "
        "all anew take some 40 minutes on two cores")
    install({programs[name].package for name in names})
    OUT.mkdir(parents=True, exist_ok=True)
    # Two builds at once would work in the same trees.
    lock = (OUT / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    start = time.monotonic()
    outcome = make_all(packages, programs, names)
    known = OUT / "built.json"
    state = json.loads(known.read_text()) if known.exists() else {}
    for name, failed in outcome.items():
        state[name] = {"package": programs[name].package.name, "version": version(programs[name].package, packages),
                       "failed": failed}
        if failed and programs[name].file.exists():
            programs[name].file.unlink()
    known.write_text(json.dumps({name: state[name] for name in programs if name in state}, indent=1) + "\n")
    failed = {name: why for name, why in outcome.items() if why}
    for name, why in failed.items():
        say(f"not there: {name}: {why}")
    say(f"{len(outcome) - len(failed)} programs are there, {len(failed)} are not; {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()

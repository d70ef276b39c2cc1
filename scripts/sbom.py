#!/usr/bin/env python3
"""sbom.py: prints a bill of materials (CycloneDX 1.5, JSON) of the crates that the program `cleave` is built from, by Cargo's own metadata
and the checksums of Cargo.lock. `scripts/package.sh tarball` puts it beside the archive."""
import json
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    command = ["cargo", "metadata", "--locked", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(package["name"], package["version"]): package.get("checksum") for package in locked}
    root = next(id for id, package in packages.items() if package["name"] == "cleave")
    # Crates that only tests need are in no program.
    needed, left = set(), [root]
    while left:
        id = left.pop()
        if id not in needed:
            needed.add(id)
            left += [dep["pkg"] for dep in nodes[id]["deps"] if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])]

    def component(package):
        found = {"type": "library", "name": package["name"], "version": package["version"],
                 "bom-ref": f"pkg:cargo/{package['name']}@{package['version']}", "purl": f"pkg:cargo/{package['name']}@{package['version']}"}
        if package.get("license"):
            found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        checksum = sums.get((package["name"], package["version"]))
        if checksum:
            found["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        return found

    parts = sorted((component(packages[id]) for id in needed if id != root), key=lambda part: part["bom-ref"])
    own = component(packages[root]) | {"type": "application"}
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": own}, "components": parts}
    print(json.dumps(bill, indent=1))


if __name__ == "__main__":
    main()

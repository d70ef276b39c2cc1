#!/usr/bin/env bash
# testcov.sh: installs testcov, Test-Comp's judge of test suites, into build/testcov, and lets it judge suites that Cleave
# exports. It is no part of `make test`: with what it needs it takes 150 MB. As root, or through sudo, where packages are missing.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
packages=(python3 python3-venv lcov clang-tidy-19 gcc)
missing=()
for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ]; then as_root=(); else as_root=(sudo); fi
    echo "testcov: installing Debian packages: ${missing[*]}"
    "${as_root[@]}" apt-get -qq update
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
fi
place="$root/build/testcov"
if [ ! -x "$place/bin/testcov" ]; then
    echo "testcov: installing testcov from PyPI"
    python3 -m venv "$place"
    "$place/bin/pip" -q install testcov==3.7
fi
# It asks for clang-tidy by this name.
ln -sf "$(command -v clang-tidy-19)" "$place/bin/clang-tidy"
cd "$root"
CLEAVE_TESTCOV="$place/bin" cargo nextest run --cargo-profile checked --locked --features cleave/mpi -p cleave --run-ignored only export::testcov

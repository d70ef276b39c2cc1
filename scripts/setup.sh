#!/usr/bin/env bash
# setup.sh [tests|fresh]: installs what is missing on a Debian 12 with cargo and git: for building, for the tests too,
# or for scripts/fresh-machine.sh. As root, or through sudo; otherwise it prints the one line to run.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [[ $root =~ [[:space:]] ]]; then
    echo "setup: \`$root\` has a space in it, which configure scripts refuse; move this folder to a path without" >&2
    exit 1
fi
packages=(clang-19 libclang-rt-19-dev lld-19 llvm-19 llvm-19-dev llvm-19-tools musl-dev gcc g++ make dpkg-dev libgmp-dev libsymfpu-dev
    zlib1g-dev libzstd-dev libxml2-dev pkg-config util-linux)
# The tests are built with the feature `mpi`: any MPI will do, and bindgen needs libclang. CMake and meson build a small project
# each. Z3 and cvc5 are back ends where they are installed. Chromium shows the report of a run.
if [ "${1:-}" = tests ]; then
    packages+=(libclang-19-dev cmake meson ninja-build libcmocka-dev libgtest-dev z3 cvc5 chromium)
    command -v mpicc >/dev/null || packages+=(mpich libmpich-dev)
fi
[ "${1:-}" != fresh ] || packages=(debootstrap util-linux)
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
if [ "${1:-}" = tests ] && ! cargo nextest --version >/dev/null 2>&1; then
    echo "setup: installing cargo-nextest (a few minutes)"
    cargo install --quiet --locked cargo-nextest
fi

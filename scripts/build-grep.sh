#!/usr/bin/env bash
# build-grep.sh: GNU grep from Debian's source package, built with `cleave cc` as build/grep/bin/grep. CLEAVE names the
# cleave executable; default is the one in cargo's target directory.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cleave=${CLEAVE:-${CARGO_TARGET_DIR:-$root/target}/release/cleave}
build="$root/build/grep"
# A new C library, or another way to build, makes a new program.
stamp=$(cat "$root/build/sysroot/stamp" "$0" | sha256sum | cut -d' ' -f1)
if [ "$(cat "$build/stamp" 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$build"
    mkdir -p "$build"
    echo "$stamp" > "$build/stamp"
fi
[ -x "$build/bin/grep" ] && exit 0

"$root/scripts/fetch-source.sh" grep
source="$root/build/src/grep"
mkdir -p "$build/tree/lib" "$build/bin"
cd "$build/tree"
if [ ! -e Makefile ]; then
    echo "setup: configuring grep (a minute)"
    # Generated files count as newer than what they are generated from: no automake is needed.
    (cd "$source" && touch aclocal.m4 && sleep 1 && touch Makefile.in ./*/Makefile.in configure config.hin && sleep 1)
    # The questions of configure need no bitcode.
    CC="$cleave cc" CLEAVE_CC_NATIVE_ONLY=1 AR=llvm-ar-19 RANLIB=llvm-ranlib-19 CFLAGS="-O1 -g" \
        "$source/configure" --quiet --host=x86_64-linux-musl --disable-nls --disable-perl-regexp \
        --disable-dependency-tracking > configure.log 2>&1 || {
        tail -5 configure.log >&2
        rm -f Makefile
        exit 1
    }
fi
echo "setup: building grep"
make -s -j"$(nproc)" -C lib > make.log 2>&1 && make -s -j"$(nproc)" -C src grep >> make.log 2>&1 || {
    tail -5 make.log >&2
    exit 1
}
cp src/grep "$build/bin/grep"

#!/usr/bin/env bash
# build-coreutils.sh [PROGRAM...]: GNU coreutils from Debian's source package, built with `cleave cc` into
# build/coreutils/bin. CLEAVE names the cleave executable; default is the one in cargo's target directory.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cleave=${CLEAVE:-${CARGO_TARGET_DIR:-$root/target}/release/cleave}
programs=("$@")
[ ${#programs[@]} -gt 0 ] || programs=(echo cat base64 basename cut uniq tr wc expand fold printf sum date ls stat)
build="$root/build/coreutils"
# A new C library makes new programs.
if ! cmp -s "$root/build/sysroot/stamp" "$build/stamp"; then
    rm -rf "$build"
    mkdir -p "$build"
    cp "$root/build/sysroot/stamp" "$build/stamp"
fi
missing=()
for p in "${programs[@]}"; do [ -x "$build/bin/$p" ] || missing+=("$p"); done
[ ${#missing[@]} -gt 0 ] || exit 0

"$root/scripts/fetch-source.sh" coreutils
mkdir -p "$build/tree" "$build/bin"
cd "$build/tree"
if [ ! -e Makefile ]; then
    echo "setup: configuring coreutils (two minutes)"
    # Generated files count as newer than what they are generated from: no automake is needed.
    (cd "$root/build/src/coreutils" && touch aclocal.m4 && sleep 1 && touch Makefile.in configure lib/config.hin && sleep 1)
    # The questions of configure need no bitcode.
    FORCE_UNSAFE_CONFIGURE=1 CC="$cleave cc" CLEAVE_CC_NATIVE_ONLY=1 AR=llvm-ar-19 RANLIB=llvm-ranlib-19 CFLAGS="-O1 -g" \
        "$root/build/src/coreutils/configure" --quiet --host=x86_64-linux-musl --disable-nls --disable-acl --disable-xattr \
        --without-selinux --without-libgmp --without-openssl --disable-libcap --disable-dependency-tracking > configure.log 2>&1 || {
        tail -5 configure.log >&2
        rm -f Makefile
        exit 1
    }
fi
echo "setup: building coreutils: ${missing[*]}"
targets=("${missing[@]/#/src/}")
# The generated headers first, as `make all` has them.
printf 'include Makefile\nprint-built: ; @echo $(BUILT_SOURCES)\n' > built.mk
make -s -j"$(nproc)" MAKEINFO=true HELP2MAN=true $(make -s -f built.mk print-built) > make.log 2>&1 || {
    tail -5 make.log >&2
    exit 1
}
make -s -j"$(nproc)" "${targets[@]}" >> make.log 2>&1 || { tail -5 make.log >&2; exit 1; }
for p in "${missing[@]}"; do cp "src/$p" "$build/bin/$p"; done

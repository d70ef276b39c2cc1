#!/usr/bin/env bash
# build-coreutils.sh [PROGRAM...]: GNU coreutils from Debian's source package, built with `cleave cc` into
# build/coreutils/bin. CLEAVE names the cleave executable; default is the one in cargo's target directory.
# scripts/coreutils.answers has what configure finds out about Cleave's C library and compiler, so that it need not ask
# again. With CLEAVE_CONFIGURE_ANEW set it asks, and what it finds is written there: to be done when musl or clang change.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cleave=${CLEAVE:-${CARGO_TARGET_DIR:-$root/target}/release/cleave}
programs=("$@")
[ ${#programs[@]} -gt 0 ] || programs=(echo cat base64 basename cut uniq tr wc expand fold printf sum date ls stat cp)
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
    answers="$root/scripts/coreutils.answers"
    known=()
    if [ -z "${CLEAVE_CONFIGURE_ANEW:-}" ] && grep -q "^PACKAGE_VERSION='9.1'" "$root/build/src/coreutils/configure"; then
        cp "$answers" config.cache
        known=(--cache-file=config.cache)
        echo "setup: configuring coreutils (half a minute)"
    else
        echo "setup: configuring coreutils (two minutes)"
    fi
    # Generated files count as newer than what they are generated from: no automake is needed.
    (cd "$root/build/src/coreutils" && touch aclocal.m4 && sleep 1 && touch Makefile.in configure lib/config.hin && sleep 1)
    # The questions of configure need no bitcode.
    FORCE_UNSAFE_CONFIGURE=1 CC="$cleave cc" CLEAVE_CC_NATIVE_ONLY=1 AR=llvm-ar-19 RANLIB=llvm-ranlib-19 CFLAGS="-O1 -g" \
        "$root/build/src/coreutils/configure" --quiet ${known[@]+"${known[@]}"} --host=x86_64-linux-musl --disable-nls --disable-acl --disable-xattr \
        --without-selinux --without-libgmp --without-openssl --disable-libcap --disable-dependency-tracking > configure.log 2>&1 || {
        tail -5 configure.log >&2
        rm -f Makefile
        exit 1
    }
    if [ -n "${CLEAVE_CONFIGURE_ANEW:-}" ]; then
        # Answers about the machine that asks, its tools and paths, are left out.
        {
            sed '/^[^#]/,$d' "$answers"
            sed -n '/^## Cache variables/,/^## Output variables/p' config.log | grep -E '^[a-z]+_cv_\w+=' |
                grep -vE '^(ac_cv_(env|path|prog|build|host|target|objext|exeext)|am_cv_(prog|make|filesystem)|lt_cv_path|gt_cv_path|acl_cv|cu_cv_path|ac_cv_c_compiler_gnu)' |
                sort | sed -E 's/^([^=]+)=(.*)$/\1=${\1=\2}/'
        } > "$answers.new"
        mv "$answers.new" "$answers"
    fi
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

#!/usr/bin/env bash
# install.sh: puts what `make build` and `make sysroot` made under $DESTDIR$PREFIX (/usr/local where nobody says): the
# program, its C library, completions for bash, zsh and fish, manual pages. CLEAVE names another cleave.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cleave=${CLEAVE:-${CARGO_TARGET_DIR:-$root/target}/release/cleave}
to=${DESTDIR:-}${PREFIX:-/usr/local}
if [ ! -x "$cleave" ] || [ ! -f "$root/build/sysroot/stamp" ]; then
    echo "install: $cleave or build/sysroot is not there; run make build sysroot" >&2
    exit 1
fi
if ! mkdir -p "$to/bin" 2>/dev/null || [ ! -w "$to/bin" ]; then
    echo "install: cannot write to $to; run this as root, or give another PREFIX" >&2
    exit 1
fi
install -m 755 "$cleave" "$to/bin/cleave"
mkdir -p "$to/share/cleave"
rm -rf "$to/share/cleave/sysroot"
cp -r "$root/build/sysroot" "$to/share/cleave/sysroot"
complete() {
    mkdir -p "$(dirname "$to/share/$2")"
    "$cleave" completions "$1" > "$to/share/$2"
}
complete bash bash-completion/completions/cleave
complete zsh zsh/site-functions/_cleave
complete fish fish/vendor_completions.d/cleave.fish
"$cleave" man "$to/share/man/man1"
echo "install: $to/bin/cleave; \`cleave cc\` also needs Debian's clang-19, libclang-rt-19-dev, lld-19, llvm-19, musl-dev and gcc"

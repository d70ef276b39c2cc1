#!/usr/bin/env bash
# build-rust.sh: Debian's rustc 1.85, whose LLVM is ours, with its std, and the crate `cleave`, into build/sysroot/rust. `cleave rustc` calls
# it when it is first used. Nothing is installed into the system. Does nothing where that is up to date.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
sysroot="$root/build/sysroot"
rust="$sysroot/rust"
stamp=$(cat "$sysroot/stamp" "$root"/runtime/rust/*/src/*.rs "$root"/runtime/rust/macros/Cargo.* "$root"/runtime/rust/*.c "$root/scripts/build-rust.sh" | sha256sum | cut -d' ' -f1)
up_to_date() { [ "$(cat "$sysroot/stamp-rust" 2>/dev/null)" = "$stamp" ]; }
up_to_date && exit 0
# Of several that come here at once one builds.
exec 9> "$root/build/rust.lock"
flock 9
up_to_date && exit 0

echo "setup: fetching Debian's rustc 1.85 (60 MB)"
rm -rf "$rust" "$sysroot/stamp-rust"
debs=$(mktemp -d)
trap 'rm -rf "$debs"' EXIT
# apt checks what it downloads against the archive's signed lists: the system's, or, where these are not there, new ones of our own.
packages=('rustc-web=1.85.0*' 'libstd-rust-web-1.85=1.85.0*' 'libstd-rust-web-dev=1.85.0*')
retry=(-o Acquire::Retries=3 -o APT::Sandbox::User=root)
own=(-o "Dir::State::lists=$root/build/apt/binary-lists" -o "Dir::Cache=$root/build/apt/cache")
cd "$debs"
if ! apt-get "${retry[@]}" -qq download "${packages[@]}" > messages 2>&1; then
    mkdir -p "$root/build/apt/binary-lists/partial" "$root/build/apt/cache/archives/partial"
    {
        apt-get "${retry[@]}" "${own[@]}" -qq update && apt-get "${retry[@]}" "${own[@]}" -qq download "${packages[@]}"
    } > messages 2>&1 || {
        tail -3 messages >&2
        echo "setup: rustc 1.85 did not come from Debian 12's main archive; look at the network and at apt's sources, and run this again" >&2
        exit 1
    }
fi
cd "$root"
mkdir -p "$rust"
for deb in "$debs"/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -C "$rust" --exclude='./usr/share/*' -xf -
done
# Their libraries lie beside them, not where the system looks for them. Examples in documentation are native programs, without Cargo's runner.
cat > "$rust/rustc" <<'WRAPPER'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH="$here/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/usr/bin/rustc" "$@"
WRAPPER
cat > "$rust/rustdoc" <<'WRAPPER'
#!/bin/bash
here=$(dirname "$(readlink -f "$0")")
words=(--cfg cleave --extern "cleave=$here/libcleave.rlib" --extern "kani=$here/libcleave.rlib" -L "dependency=$here")
while (($#)); do
    case $1 in
        --test-runtool | --test-runtool-arg) shift ;;
        *) words+=("$1") ;;
    esac
    shift
done
LD_LIBRARY_PATH="$here/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/usr/bin/rustdoc" "${words[@]}"
WRAPPER
chmod 755 "$rust/rustc" "$rust/rustdoc"
cp -r "$root/runtime/rust/cleave" "$rust/cleave"
# The attributes are a library of the compiler's own. Its crates are of the versions that Cleave is built with.
env -u RUSTC_WRAPPER -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u CARGO_BUILD_TARGET RUSTC="$rust/rustc" \
    cargo build --quiet --release --locked --manifest-path "$root/runtime/rust/macros/Cargo.toml" --target-dir "$root/build/rust-macros"
cp "$root/build/rust-macros/release/libcleave_macros.so" "$rust"
"$rust/rustc" --edition 2021 --crate-name cleave --crate-type rlib -O -g -C embed-bitcode=yes --remap-path-prefix "$rust/cleave=/rust/deps/cleave" \
    --extern "cleave_macros=$rust/libcleave_macros.so" "$rust/cleave/src/lib.rs" -o "$rust/libcleave.rlib"
for source in main glibc; do
    clang-19 --target=x86_64-linux-musl -nostdinc -isystem "$sysroot/include" -O1 -g -fno-pic -fno-stack-protector -fno-unwind-tables \
        -fno-asynchronous-unwind-tables -flto -c "$root/runtime/rust/$source.c" -o "$rust/$source.bc"
done
llvm-ar-19 crs "$rust/libglibc.bc.a" "$rust/glibc.bc"
echo "$stamp" > "$sysroot/stamp-rust"

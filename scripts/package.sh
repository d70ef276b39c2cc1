#!/usr/bin/env bash
# package.sh deb|tarball: packs what scripts/install.sh installs. `make deb` and `make tarball` build it before. CLEAVE names another cleave
# than target/release/cleave. In target/debian: a package for Debian 12. In target/tarball: an archive for any place, checksums, and a bill of
# materials (CycloneDX) of the crates in the program.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
cleave=${CLEAVE:-$target/release/cleave}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The tree that both pack. The Rust compiler is a package of Debian's own.
fill() {
    CLEAVE=$cleave DESTDIR="" PREFIX=$1 "$root/scripts/install.sh" > /dev/null
    rm -rf "$1/share/cleave/sysroot/rust" "$1/share/cleave/sysroot/stamp-rust"
    mkdir -p "$1/share/doc/cleave"
    cp "$root"/README.md "$root"/CHANGELOG.md "$root"/LICENSE-* "$1/share/doc/cleave/"
    cp -r "$root/examples" "$1/share/doc/cleave/examples"
    strip --strip-debug "$1/bin/cleave"
}

deb() {
    local tree=$place/tree libraries size out
    fill "$tree/usr"
    mkdir -p "$place/debian" "$tree/DEBIAN"
    touch "$place/debian/control"
    libraries=$(cd "$place" && dpkg-shlibdeps -O "$tree/usr/bin/cleave" 2> /dev/null | sed 's/^shlibs:Depends=//')
    size=$(du -sk "$tree" | cut -f1)
    cat > "$tree/DEBIAN/control" << END
Package: cleave
Version: $version
Architecture: $(dpkg --print-architecture)
Section: devel
Priority: optional
Maintainer: The Cleave authors <cleave@localhost>
Installed-Size: $size
Depends: $libraries, clang-19, libclang-rt-19-dev, lld-19, llvm-19, musl-dev, gcc, libc6-dev
Recommends: g++, gdb
Description: explores the paths of C, C++ and Rust programs, and never loses one
 Cleave explores the paths of programs exhaustively, on one core or many.
 Each path gets a test, each bug a report with an input that shows it.
END
    mkdir -p "$target/debian"
    out=$target/debian/cleave_${version}_$(dpkg --print-architecture).deb
    dpkg-deb --root-owner-group -Zxz -z1 --build "$tree" "$out" > /dev/null
    echo "package: $out"
}

tarball() {
    local name
    name=cleave-$version-$(uname -m)-linux
    mkdir -p "$target/tarball"
    fill "$place/$name"
    "$root/scripts/sbom.py" > "$place/$name/share/doc/cleave/sbom.cdx.json"
    cp "$place/$name/share/doc/cleave/sbom.cdx.json" "$target/tarball/$name.cdx.json"
    tar -C "$place" --owner=0 --group=0 --numeric-owner --sort=name -cJf "$target/tarball/$name.tar.xz" "$name"
    (cd "$target/tarball" && sha256sum "$name.tar.xz" "$name.cdx.json" > SHA256SUMS)
    echo "package: $target/tarball/$name.tar.xz"
}

[ -x "$cleave" ] || { echo "package: $cleave is not there; run make build sysroot" >&2; exit 1; }
case ${1:-} in
    deb | tarball) "$1" ;;
    *) echo "package: say deb or tarball" >&2; exit 2 ;;
esac

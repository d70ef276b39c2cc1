#!/usr/bin/env bash
# image.sh [PACKAGE]: makes a container image of the package of `make deb` on a minimal Debian 12, and tries it: in a container of the image,
# Cleave explores an example, finds its bug and replays it. In target/image: an archive that `podman load -i` and `docker load -i` take.
# Needs root and buildah, which it installs; scripts/fresh-machine.sh makes the Debian, and says so where it cannot. `make image` calls this.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
# shellcheck disable=SC2012 # the names are ours
package=${1:-$(ls -t "$target"/debian/cleave_*.deb 2> /dev/null | head -1)}
[ -f "$package" ] || { echo "image: there is no package; run make deb" >&2; exit 1; }
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
out=$target/image/cleave-$version.tar
place=$(mktemp -d)
machine=
trap 'rm -rf --one-file-system "$place" ${machine:+"$machine"}' EXIT

command -v buildah > /dev/null || { echo "image: installing buildah"; apt-get -qq install -y --no-install-recommends buildah > "$place/apt" 2>&1 || { tail -5 "$place/apt"; exit 1; }; }
# Layers are copies, and containers are changed roots: this needs no module of the kernel and no namespaces of users.
export BUILDAH_ISOLATION=chroot
# buildah's own rules of trust would be Debian's, which are in a package that is not needed here.
echo '{ "default": [{ "type": "insecureAcceptAnything" }] }' > "$place/policy.json"
build() {
    local command=$1
    shift
    case $command in
        commit | from) set -- --signature-policy "$place/policy.json" "$@" ;;
    esac
    buildah --root "$place/storage" --runroot "$place/run" --storage-driver vfs "$command" "$@"
}

# A Debian in which the package is installed.
install="export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq install -y --no-install-recommends /home/$(basename "$package") > /tmp/apt.log 2>&1 || { tail -20 /tmp/apt.log; exit 1; }"
CLEAVE_FRESH_KEEP=1 CLEAVE_FRESH_MUST=1 CLEAVE_FRESH_FILES=$package "$root/scripts/fresh-machine.sh" "$install" | tee "$place/log"
machine=$(sed -n 's/.* the machine stays in //p' "$place/log")
[ -x "$machine/usr/bin/cleave" ] || { echo "image: the package is not installed in $machine" >&2; exit 1; }

# Nothing of this machine goes along: its clone, its ways to the archives, its certificates, what apt has downloaded.
rm -rf "${machine:?}"/{home,tmp,var/tmp,var/lib/apt/lists}/* "$machine"/{root/.cargo,opt/rust}
rm -rf "$machine"/etc/apt/{sources.list.d,keyrings,auth.conf.d,apt.conf.d/90connection} "$machine"/usr/local/share/ca-certificates
rm -f "$machine"/etc/{hosts,resolv.conf}
echo 'deb http://deb.debian.org/debian bookworm main' > "$machine/etc/apt/sources.list"
chroot "$machine" update-ca-certificates --fresh > /dev/null 2>&1

container=$(build from scratch)
build add --quiet "$container" "$machine" / > /dev/null
build config --entrypoint '["cleave"]' --cmd '["--help"]' --workingdir /work --env LC_ALL=C.UTF-8 "$container"
mkdir -p "$target/image"
rm -f "$out"
build commit --quiet "$container" "docker-archive:$out:cleave:$version" > /dev/null
build rm "$container" > /dev/null
echo "image: $out, $(du -m "$out" | cut -f1) MB"

# As a user would: the sources are a folder of the host.
mkdir "$place/work"
cp "$root/examples/parse.c" "$place/work/"
container=$(build from "docker-archive:$out")
inside() { build run --volume "$place/work:/work" "$container" -- "$@"; }
inside cleave run parse.c --sym-arg 8 --max-time 30 --output-dir out > "$place/said" 2>&1 || true
inside cleave replay parse.c out >> "$place/said" 2>&1 || true
if ! grep -q 'bug' "$place/said" || ! grep -Eq '^[0-9]+ of [0-9]+ tests? ' "$place/said"; then
    cat "$place/said"
    echo "image: no bug was found and replayed in a container of it" >&2
    exit 1
fi
grep -E 'bugs?|^[0-9]+ of [0-9]+ tests? ' "$place/said" | tail -3
echo "image: a container of it finds the bug of examples/parse.c and replays it"

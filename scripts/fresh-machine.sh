#!/usr/bin/env bash
# fresh-machine.sh [--quick | COMMAND...]: does the project build and pass on a machine that has cargo, git, make
# and nothing else? Makes a minimal Debian 12, puts a clone of HEAD into it and runs `make demo` and `make test` there,
# or COMMAND. `--quick` installs the packages, looks for every tool that the sources name, builds, and runs one test of
# each kind of tool: some ten minutes on two cores. Needs root. Where a machine cannot do this, it says so and ends
# with 0, or with 1 where CLEAVE_FRESH_MUST is set.
#
# CLEAVE_FRESH_FILES names a file that is to lie in /home there. build/fresh keeps packages and crates between runs, or the folder that CLEAVE_FRESH_CACHE names. The whole run leaves
# its last lines in bench/results. The machine itself is removed at the end, unless CLEAVE_FRESH_KEEP is set; then
# `scripts/fresh-machine.sh --again MACHINE COMMAND` goes on in it. It is entered by pivot_root, as a process in a chroot cannot make user namespaces.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
kept=${CLEAVE_FRESH_CACHE:-$root/build/fresh}
codename=bookworm

cannot() {
    echo "fresh-machine: not run: $1"
    [ -z "${CLEAVE_FRESH_MUST:-}" ]
    exit 0
}
say() { echo "fresh-machine: $(date +%T) $*"; }

# What goes on in the new machine, whose root is now the working directory.
enter() {
    mount --make-rprivate /
    mount --bind "$1" "$1"
    cd "$1"
    mount -t proc proc proc
    mount --rbind /sys sys
    mount --rbind /dev dev
    mount --bind "$kept/debs" var/cache/apt/archives
    mount --bind "$kept/crates" root/.cargo/registry
    mount --bind "$(rustc --print sysroot)" opt/rust
    mount -o remount,bind,ro opt/rust
    mkdir -p old
    pivot_root . old
    umount -l /old
    rmdir /old
    cd /home/cleave
    shift
    exec env -i HOME=/root PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        CARGO_TARGET_DIR=/var/tmp/target ${passed[@]+"${passed[@]}"} bash -euo pipefail -c "$@"
}

# Every program that the sources start by a literal name, which is to be there after set-up.
named_tools() {
    grep -rhE '(Command::new|\.tool|output)\("' crates --include='*.rs' | grep -v 'clap::Command' |
        grep -oE '(Command::new|\.tool|output)\("[a-z][a-z0-9._+-]*"' | grep -oE '"[^"]+"' | tr -d '"'
    grep -rhoE '"((llvm-|ld\.)?[a-z-]+-19|mpi[a-z]+)"' crates --include='*.rs' | tr -d '"'
    grep -rhoE '\b((clang|llvm-[a-z]+|ld\.lld)-19|xz|patch|make|apt-get|awk|sha256sum|dpkg-source|mpiexec|mpicc)\b' \
        scripts Makefile --include='*.sh' --include=Makefile | sort -u
}

# The part for CI.
quick() {
    mark() { echo "fresh-machine: $(date +%T) $*"; }
    mark "installing what set-up names"
    setpriv --reuid=nobody --regid=nogroup --clear-groups scripts/setup.sh tests > /tmp/advice 2>&1 && exit 1
    grep -q 'run this as root.*apt-get install' /tmp/advice || { cat /tmp/advice; exit 1; }
    CLEAVE_SETUP_PACKAGES_ONLY=1 scripts/setup.sh tests
    mark "looking for the tools that the sources name"
    missing=$(named_tools | sort -u | while read -r tool; do command -v "$tool" >/dev/null || echo "$tool"; done)
    if [ -n "$missing" ]; then
        echo "fresh-machine: scripts/setup.sh installs no package with:" $missing >&2
        exit 1
    fi
    mark "building"
    cargo build --quiet --release --locked -p cleave --features cleave/mpi
    scripts/build-sysroot.sh
    mark "one test of each kind of tool"
    one() {
        cargo test --release --locked --features cleave/mpi -p cleave -p "$1" --test "$2" -- --exact "$3" > /tmp/one 2>&1 &&
            grep -q '1 passed' /tmp/one || { tail -20 /tmp/one; return 1; }
        mark "passed: $1 $3"
    }
    one cleave-toolchain cc a_program_runs_natively_and_has_its_bitcode_inside
    one cleave-float all native::least_and_greatest_give_the_bits_that_native_code_gives
    one cleave-replay all replay::an_unprivileged_user_gets_the_same_isolation
    one cleave all cluster::ranks::what_is_wrong_is_said_once
    mark "all of it works on a fresh machine"
}

if [ "${1:-}" = --enter ]; then
    read -ra passed <<< "${CLEAVE_FRESH_PASSED:-}"
    enter "${@:2}"
fi

[ "$(id -u)" = 0 ] || cannot "it needs root, to make a file system"
command -v debootstrap >/dev/null || "$root/scripts/setup.sh" fresh
unshare --mount --pid --fork true 2>/dev/null || cannot "this machine makes no mount namespaces"
[ "$(rustc --print sysroot)" != /usr ] || cannot "cargo is Debian's own; the fresh machine takes one of rustup's"
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Component: main' |
    awk -v suite=$codename '$2 == suite { print $1; exit }')
[ -n "$mirror" ] || cannot "apt knows no Debian archive for $codename"

if [ "${1:-}" = --again ]; then
    machine=$2
    shift 2
    CLEAVE_FRESH_PASSED='' exec unshare --mount --pid --fork "$root/scripts/fresh-machine.sh" --enter "$machine" "$*"
fi

mkdir -p "$kept/debs/partial" "$kept/bootstrap" "$kept/crates"
machine=$(mktemp -d "$kept/machine.XXXXXX")
chmod 755 "$machine"
if [ -n "${CLEAVE_FRESH_KEEP:-}" ]; then
    say "the machine stays in $machine"
else
    trap 'rm -rf --one-file-system "$machine"' EXIT
fi

say "a minimal Debian $codename from $mirror"
debootstrap --variant=minbase --include=ca-certificates,git,make --cache-dir="$kept/bootstrap" $codename "$machine" "$mirror" \
    > "$kept/bootstrap.log" 2>&1 || { tail -3 "$kept/bootstrap.log"; cannot "debootstrap failed"; }

# The way to the archives is this machine's: apt's sources and settings of its connections, certificates, proxies.
rm -f "$machine"/etc/apt/sources.list
for place in sources.list sources.list.d keyrings trusted.gpg.d auth.conf.d; do
    [ ! -e "/etc/apt/$place" ] || cp -rL "/etc/apt/$place" "$machine/etc/apt/"
done
cp -n /usr/share/keyrings/* "$machine/usr/share/keyrings/" 2>/dev/null || true
apt-config dump | grep -E '^Acquire::(http|https|ftp|Retries|Check-)' > "$machine/etc/apt/apt.conf.d/90connection" || true
cp -r /usr/local/share/ca-certificates "$machine/usr/local/share/"
chroot "$machine" update-ca-certificates > /dev/null 2>&1
cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
mkdir -p "$machine/root/.cargo/registry" "$machine/opt/rust" "$machine/home"
for file in config config.toml; do
    [ ! -e "${CARGO_HOME:-$HOME/.cargo}/$file" ] || cp "${CARGO_HOME:-$HOME/.cargo}/$file" "$machine/root/.cargo/"
done
passed=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_CERT PIP_INDEX_URL; do
    [ -z "${!name:-}" ] || passed+=("$name=${!name}")
done

git -C "$root" diff --quiet HEAD || say "the clone is of HEAD, without what is not committed"
git clone --quiet --no-hardlinks "$root" "$machine/home/cleave"
[ -z "${CLEAVE_FRESH_FILES:-}" ] || cp "$CLEAVE_FRESH_FILES" "$machine/home/"
[ ! -d "$root/../shared" ] || cp -rL "$root/../shared" "$machine/home/shared"

case "${1:-}" in
    --quick) task="$(declare -f named_tools quick); quick" ;;
    '') task='make demo; make test' ;;
    *) task="$*" ;;
esac
say "in it: ${*:-$task}"
started=$SECONDS
code=0
CLEAVE_FRESH_PASSED="${passed[*]}" unshare --mount --pid --fork "$root/scripts/fresh-machine.sh" --enter "$machine" "$task" 2>&1 | tee "$kept/log" || code=$?
say "ended with $code after $((SECONDS - started)) s" | tee -a "$kept/log"
if [ $# = 0 ]; then
    {
        echo "make demo; make test on a minimal Debian 12 with cargo, git and make, commit $(git -C "$root" rev-parse --short HEAD): last lines"
        tail -n 40 "$kept/log" | sed 's/\x1b\[[0-9;]*m//g'
    } > "$root/bench/results/$(date +%F)-fresh-machine.txt"
fi
exit $code

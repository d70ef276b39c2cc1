#!/usr/bin/env bash
# try-package.sh [PACKAGE]: installs the package of `make deb` in a minimal Debian 12 that has no compiler, and does the first steps of the
# tutorial there: each command of those pages has to print what the page says. Needs root; scripts/fresh-machine.sh makes the machine,
# and says so where it cannot. `make fresh-machine` calls this.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
pages=(first-bug understand proof suite report own function)

# Runs the commands of a page in an empty folder, as crates/cli/tests/support/pages.rs does where there is Rust.
page() {
    local line kind='' name='' command='' expected='' out place failed=0
    place=$(mktemp -d)
    cd "$place"
    cp -r /usr/share/doc/cleave/examples .
    finish() {
        [ -n "$command" ] || return 0
        local pattern=${expected//\\/\\\\}
        pattern=${pattern//\*/\\*} pattern=${pattern//\?/\\?} pattern=${pattern//\[/\\[}
        pattern=${pattern//.../*}
        eval "$command" > "$place.out" 2>&1 || true
        out=$(grep -vE '^cleave: .*: searching |^ +[0-9.]+ s  .* workers busy ' "$place.out" | sed "s|$place|~|g; s/ *$//")
        # shellcheck disable=SC2053 # the right side is a pattern
        if ! [[ $out == $pattern ]]; then
            printf 'try-package: %s: $ %s\n-- expected:\n%s\n-- printed:\n%s\n' "$1" "$command" "$expected" "$out"
            failed=1
        fi
        command='' expected=''
    }
    while IFS= read -r line; do
        case $kind:$line in
            :'```console') kind=console ;;
            :'```'*) kind='file'; [ -z "$name" ] || : > "$name" ;;
            console:'```') finish "$1"; kind='' ;;
            file:'```') kind='' name='' ;;
            console:'$ '*) finish "$1"; command=${line#\$ } ;;
            console:*) expected+=${expected:+$'\n'}$line ;;
            file:*) [ -z "$name" ] || printf '%s\n' "$line" >> "$name" ;;
            :'`'*'`:') name=${line#\`}; name=${name%\`:} ;;
        esac
    done < "$root/docs/book/src/tutorial/$1.md"
    cd /
    rm -rf "$place" "$place.out"
    return "$failed"
}

inside() {
    # Neither Rust nor the folder of the sources is to help.
    export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
    unset CARGO_TARGET_DIR
    local started=$SECONDS
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$1" > /tmp/apt.log 2>&1 || { tail -20 /tmp/apt.log; exit 1; }
    cleave --version
    echo "try-package: installed after $((SECONDS - started)) s"
    for name in "${pages[@]}"; do
        # One processor, so that tests have the numbers of the pages.
        page "$name" || exit 1
        echo "try-package: the commands of $name print what they are to, after $((SECONDS - started)) s"
    done
}

if [ "${1:-}" = --inside ]; then
    [ -n "${CLEAVE_TRY_PINNED:-}" ] || CLEAVE_TRY_PINNED=1 exec taskset -c 0 "$root/scripts/try-package.sh" "$@"
    inside "$2"
    exit
fi
package=${1:-$(ls -t "${CARGO_TARGET_DIR:-$root/target}"/debian/cleave_*.deb | head -1)}
[ -f "$package" ] || { echo "try-package: there is no package; run make deb" >&2; exit 1; }
CLEAVE_FRESH_FILES=$package "$root/scripts/fresh-machine.sh" "scripts/try-package.sh --inside /home/$(basename "$package")"

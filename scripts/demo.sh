#!/usr/bin/env bash
# demo.sh: what Cleave does, in a minute. `make demo` builds what it needs.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cleave=${CLEAVE:-${CARGO_TARGET_DIR:-$root/target}/release/cleave}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
step() { printf '\n\033[1m%s\033[0m\n' "$1"; }

step '1. Every path of GNU basename, with up to two symbolic arguments of up to 3 characters, on two workers:'
echo "   cleave run --workers 2 basename --sym-args 0 2 3"
"$cleave" run --workers 2 "$root/build/coreutils/bin/basename" --sym-args 0 2 3

step '2. Its first 500 tests on the native executable: does the program do what was foretold?'
seq -f 'cleave-last/tests/test%06.0f.ktest' 500 > list
echo "   cleave replay basename cleave-last/tests/test000001.ktest ..."
xargs "$cleave" replay "$root/build/coreutils/bin/basename" < list

step '3. A bug in a small program of ours (examples/parse.c):'
echo "   cleave run examples/parse.c --sym-arg 6"
code=0
"$cleave" run --workers 2 --output-dir "$place/parse" "$root/examples/parse.c" --sym-arg 6 || code=$?
# So that scripts see that bugs were found.
[ "$code" = 3 ] || exit 1
errors=("$place"/parse/tests/*.err)
sed 's/^/   | /' "${errors[0]}"

step 'What to try next'
if "$cleave" --version | grep -q 'without Bitwuzla'; then
    echo '  make build                             adds the solver Bitwuzla, for hard conditions (two minutes)'
fi
cat <<END
  $cleave cc -O1 -o prog prog.c          build a program of your own (or CC="cleave cc" ./configure && make)
  $cleave run ./prog --sym-args 0 2 4    explore it; Ctrl-C stops, cleave resume cleave-last goes on
  $cleave list cleave-last               its tests and bugs
  $cleave --help
END

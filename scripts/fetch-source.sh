#!/usr/bin/env bash
# fetch-source.sh PACKAGE: unpacks a Debian source package into build/src/PACKAGE, through an apt directory of our
# own, so that the system's sources stay as they are. Prints nothing where it is there already.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
package=$1
apt="$root/build/apt"
src="$root/build/src"
[ -e "$src/$package/.complete" ] && exit 0

mkdir -p "$apt"/lists/partial "$apt"/cache/archives/partial "$src"
# The archive that the system itself uses, with its sources instead of its packages.
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
{
    awk -v suite="$codename" '$1 == "deb" && $0 !~ /cloud|nodesource/ { for (i = 2; i <= NF; i++) if ($i == suite) { $1 = "deb-src"; print } }' \
        /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true
    awk -v suite="$codename" '
        function flush() { if (uri && hit) print "deb-src", (key ? "[signed-by=" key "]" : ""), uri, suite, "main"; uri = key = ""; hit = 0 }
        /^$/ { flush() }
        $1 == "URIs:" { uri = $2 }
        $1 == "Signed-By:" { key = $2 }
        $1 == "Suites:" { for (i = 2; i <= NF; i++) if ($i == suite) hit = 1 }
        END { flush() }' $(ls /etc/apt/sources.list.d/*.sources 2>/dev/null) </dev/null
} | sort -u > "$apt/sources.list"
if [ ! -s "$apt/sources.list" ]; then
    echo "setup: apt knows no Debian archive for $codename; add one to /etc/apt/sources.list and run this again" >&2
    exit 1
fi
options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
echo "setup: fetching the source of $package"
if [ ! -e "$apt/updated" ]; then
    apt-get "${options[@]}" -qq update
    touch "$apt/updated"
fi
rm -rf "${src:?}/$package" "$src/$package.download"
mkdir -p "$src/$package.download"
(cd "$src/$package.download" && apt-get "${options[@]}" -qq source "$package" > fetch.log 2>&1) || {
    tail -3 "$src/$package.download/fetch.log" >&2
    exit 1
}
mv "$src/$package.download"/"$package"-*/ "$src/$package"
rm -rf "$src/$package.download"
touch "$src/$package/.complete"

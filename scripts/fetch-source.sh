#!/usr/bin/env bash
# fetch-source.sh PACKAGE: unpacks a Debian source package into build/src/PACKAGE, through an apt directory of our
# own, so that the system's sources stay as they are. Prints nothing where it is there already.
# fetch-source.sh PACKAGE FOLDER NAME: unpacks of a package only what is in a FOLDER, wherever that is in it, into build/src/NAME.
# fetch-source.sh PACKAGE "FOLDER FOLDER ..." NAME: only these folders of its first level, each into build/src/NAME/FOLDER.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
package=$1 folder=${2:-} name=${3:-$1}
apt="$root/build/apt"
src="$root/build/src"
[ -e "$src/$name/.complete" ] && exit 0

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
    -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root -o Acquire::Retries=3)
echo "setup: fetching the source of $package"
if [ ! -e "$apt/updated" ]; then
    apt-get "${options[@]}" -qq update
    touch "$apt/updated"
fi
download="$src/$name.download"
rm -rf "${src:?}/$name" "$download"
mkdir -p "$download"
(cd "$download" && apt-get "${options[@]}" -qq source ${folder:+--download-only} "$package" > fetch.log 2>&1) || {
    tail -3 "$download/fetch.log" >&2
    echo "setup: the source of $package did not come; look at the network and run this again" >&2
    exit 1
}
if [ -n "$folder" ]; then
    archive=$(find "$download" -name "${package}_*.orig.tar.*" ! -name "*.asc")
fi
if [[ $folder == *" "* ]]; then
    read -ra folders <<< "$folder"
    mkdir "$src/$name"
    tar -xf "$archive" -C "$src/$name" --strip-components=1 --wildcards --no-wildcards-match-slash "${folders[@]/#/*/}" || {
        echo "setup: the source of $package has not all of $folder" >&2
        exit 1
    }
elif [ -n "$folder" ]; then
    tar -xf "$archive" -C "$download" --wildcards "*/$folder/*" && mv "$download"/*/"$folder" "$src/$name" || {
        echo "setup: the source of $package has no $folder" >&2
        exit 1
    }
else
    mv "$download"/"$package"-*/ "$src/$name"
fi
rm -rf "$download"
touch "$src/$name/.complete"

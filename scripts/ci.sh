#!/usr/bin/env bash
# ci.sh explore PROGRAM [ARGUMENTS...]: explores a program in CI, or goes on with the run that the last job left, and writes
# reports. ci.sh judge: ends with the exit code that the policy asks for. `cleave` is on the PATH. From the environment:
#
#   CLEAVE_RUN      the run directory, which CI keeps between jobs (cleave-run)
#   CLEAVE_BASE     the run directory of the branch that a change is for, if CI has it (CLEAVE_RUN-base). A new run begins with it, else with
#                   the run that the last job left, if that is finished: paths that the change cannot reach are kept, and reports say
#                   which bugs are new
#   CLEAVE_OPTIONS  options of `cleave run` that say what paths there are and what is looked for
#   CLEAVE_LIMITS   options of this job, for `cleave run` and `cleave resume`: --workers, --max-time, ...
#   CLEAVE_FAIL_ON  what fails the job: bugs, incomplete, unsupported, several of them, or none (bugs)
#   CLEAVE_REPORTS  the folder for verdict, report.html, report.md, report.sarif, junit.xml, coverage.xml (cleave-reports)
set -euo pipefail
run=${CLEAVE_RUN:-cleave-run}
base=${CLEAVE_BASE:-$run-base}
reports=${CLEAVE_REPORTS:-cleave-reports}

die() {
    echo "ci.sh: $1" >&2
    exit 2
}

# The words of a line, with quotes as in a shell, into the array `words`.
split() {
    mapfile -t words < <(xargs -r printf '%s\n' <<< "$1")
}

explore() {
    [ $# -gt 0 ] || die "name the program to explore"
    [ -f "$1" ] || die "there is no program $1; build it before this step, with \`cleave cc\`"
    # A run goes on with the code that it began with: of another program, or asked for otherwise, begin anew.
    local key code=0
    key=$({ sha256sum < "$1"; printf '%s\0' "${CLEAVE_OPTIONS:-}" "$@"; cleave --version; } | sha256sum | cut -d ' ' -f 1)
    split "${CLEAVE_LIMITS:-}"
    local limits=("${words[@]}")
    if [ "$(cat "$run/ci-key" 2>/dev/null)" = "$key" ]; then
        echo "ci.sh: going on with $run"
        cleave resume "${limits[@]}" "$run" || code=$?
    else
        if [ -d "$base" ]; then rm -rf "$run"; elif [ -d "$run" ]; then mv "$run" "$base"; fi
        split "${CLEAVE_OPTIONS:-}"
        local begin=(cleave run --output-dir "$run" "${words[@]}" "${limits[@]}")
        code=1
        if [ -d "$base" ]; then
            echo "ci.sh: beginning with $base"
            code=0
            "${begin[@]}" --since "$base" "$@" || code=$?
        fi
        # A run that is not finished, or is of other options, says nothing of this one.
        if [ "$code" = 1 ]; then
            rm -rf "$run"
            code=0
            "${begin[@]}" "$@" || code=$?
        fi
        [ ! -d "$run" ] || echo "$key" > "$run/ci-key"
    fi
    case $code in
        0) verdict=clean ;;
        3) verdict=bugs ;;
        4) verdict=incomplete ;;
        5) verdict=unsupported ;;
        *) exit "$code" ;;
    esac
    mkdir -p "$reports"
    echo "$verdict" > "$reports/verdict"
    cleave report "$run" "$reports/report.html"
    cleave report "$run" "$reports/report.md" --to markdown
    cleave report "$run" "$reports/report.sarif" --to sarif
    cleave report "$run" "$reports/junit.xml" --to junit
    # Without debug information there are no lines to report.
    cleave report "$run" "$reports/coverage.xml" --to cobertura || rm -f "$reports/coverage.xml"
}

judge() {
    local verdict policy=" ${CLEAVE_FAIL_ON:-bugs} "
    verdict=$(cat "$reports/verdict" 2>/dev/null) || die "nothing was explored: there is no $reports/verdict"
    for word in $policy; do
        case $word in
            bugs | incomplete | unsupported | none) ;;
            *) die "the policy knows no \`$word\`: give bugs, incomplete, unsupported, several of them, or none" ;;
        esac
    done
    case $policy in
        *" $verdict "*)
            echo "ci.sh: $verdict, which fails this job" >&2
            exit 1
            ;;
    esac
    echo "ci.sh: $verdict"
}

case ${1:-} in
    explore | judge) "$@" ;;
    *) die "say explore PROGRAM, or judge" ;;
esac

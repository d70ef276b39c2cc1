//! KLEE's options: one line for each, with its translation for Cleave. Names, values and defaults are those of KLEE 3.1.

use super::option_types::{KleeCommandLine, KleeOption, Meaning};
use super::values::{milliseconds, number};

/// An option with a value.
const fn value(name: &'static str, meaning: Meaning) -> KleeOption {
    KleeOption { name, flag: None, meaning }
}

/// An option that is false by default.
const fn off(name: &'static str, meaning: Meaning) -> KleeOption {
    KleeOption { name, flag: Some(false), meaning }
}

/// An option that is true by default.
const fn on(name: &'static str, meaning: Meaning) -> KleeOption {
    KleeOption { name, flag: Some(true), meaning }
}

use Meaning::{Becomes, Nothing, Refused, Same, Without};

const WHOLE_PATHS: Meaning =
    Without("Cleave limits paths and time, not instructions, forks or shares of them");
const STATISTICS: Meaning =
    Without("run.stats has them at the end; more is in summary.json and in `cleave stats`");
const QUERIES: Meaning =
    Without("Cleave writes no files of conditions; `cleave tests follow` shows what a test does");
const BUILD: Meaning = Refused("Cleave takes the program as it was built; give this to `cleave cc`");
const MERGE: Meaning =
    Without("klee_open_merge joins nothing here; `cleave run --merge on` joins paths where they meet");
const LOG: Meaning = Without("CLEAVE_LOG=decide,solver shows what Cleave does");

/// Without it, an assumption that no input satisfies is an error in KLEE.
pub const SILENT_ASSUME: &str = "silent-klee-assume";

/// Without it, KLEE writes a test for each path.
pub const ONLY_COVERING: &str = "only-output-states-covering-new";

/// All of them; the first that fits counts.
pub const KLEE_OPTIONS: &[KleeOption] = &[
    // Place and kinds of the results.
    value("output-dir", Same("--output-dir")),
    off("write-no-tests", Becomes(|_, _| words(["--emit", "none"]))),
    on("write-ktests", Becomes(|_, _| words(["--emit", "err"]))),
    off("emit-all-errors", Becomes(|_, _| words(["--all-errors"]))),
    // Its absence counts too: see `translate`.
    off(ONLY_COVERING, Becomes(|_, _| words(["--tests", "covering"]))),
    off("write-xml-tests", Without("`cleave tests xml` writes the tests of a run as XML")),
    value("xml-metadata-program*", Without("`cleave tests xml` writes the tests of a run as XML")),
    off("write-cov", Without("`cleave tests follow` shows the lines that a test executes")),
    off("write-exec-tree", QUERIES),
    on(
        "dump-states-on-halt",
        Without("what is left open is kept as regions; `cleave tests open` writes tests for them"),
    ),
    // Limits.
    value("max-time", Becomes(|_, v| limit("--max-time", milliseconds(v)?, "ms"))),
    value("max-solver-time", Becomes(|_, v| limit("--solver-timeout", milliseconds(v)?, ""))),
    value("max-tests", Becomes(|_, v| limit("--max-paths", number(v)?, ""))),
    value("max-depth", Becomes(|_, v| limit("--max-depth", number(v)?, ""))),
    value("max-memory", Becomes(|_, v| limit("--max-memory", number(v)?, "M"))),
    value("max-stack-frames", Becomes(|_, v| limit("--max-stack-frames", number(v)?, ""))),
    on("max-memory-inhibit", Nothing),
    value("max-instructions", WHOLE_PATHS),
    value("max-forks", WHOLE_PATHS),
    value("max-static-*", WHOLE_PATHS),
    value("max-sym-array-size", Nothing),
    value("timer-interval", Nothing),
    off("watchdog", Nothing),
    // The search.
    value("search", Becomes(search)),
    off("use-batching-search", Nothing),
    value("batch-instructions", Nothing),
    value("batch-time", Without("states are kept for --batch-instructions only")),
    off(
        "use-iterative-deepening-time-search",
        Without("Cleave deepens by decisions: `cleave run --search deepening:dfs`"),
    ),
    value("rng-initial-seed", Same("--random-seed")),
    off("use-merge", MERGE),
    off("use-incomplete-merge", MERGE),
    value("uncovered-update-interval", Nothing),
    value("make-concrete-symbolic", Refused("Cleave makes symbolic what the program makes symbolic")),
    // Seeds and replay.
    value("seed-file", Same("--seed")),
    value("seed-dir", Same("--seed")),
    value("replay-ktest-file", Becomes(only_seeds)),
    value("replay-ktest-dir", Becomes(only_seeds)),
    off("only-seed", Becomes(|_, _| words(["--only-seeds"]))),
    off("only-replay-seeds", Becomes(|_, _| words(["--only-seeds"]))),
    off("named-seed-matching", Becomes(|_, _| words(["--seed-by-name"]))),
    off("allow-seed-*", Nothing),
    on("always-output-seeds", Nothing),
    value("seed-time", Without("seeds are not timed apart from the rest")),
    value("replay-path", Refused("give the test of the path, by --replay-ktest-file")),
    // The program and its world.
    value("entry-point", Same("--entry-point")),
    value("function-alias", Same("--function-alias")),
    off("posix-runtime", Nothing),
    value("libc", Nothing),
    off("ubsan-runtime", Nothing),
    off("optimize", Without("the program runs as it was compiled; -O1 of `cleave cc` suits most")),
    off("libcxx", Nothing),
    value("link-llvm-lib", BUILD),
    value("runtime-build", Nothing),
    off("strip-*", Nothing),
    off("disable-verify", Nothing),
    off("disable-inlining", Nothing),
    off("disable-internalize", Nothing),
    off("verify-each", Nothing),
    off("output-module", LOG),
    on("output-source", Nothing),
    on("klee-call-optimisation", Nothing),
    value("switch-type", Nothing),
    value(
        "external-calls",
        Without("Cleave calls nothing outside: such a path ends as unsupported, with the name"),
    ),
    value("external-call-warnings", Nothing),
    off("warn-all-external-symbols", Nothing),
    value("env-file", Becomes(|_, file| variables(file))),
    // The program starts in the root of its file system.
    value("run-in-dir", Becomes(|_, folder| Ok(vec!["--fs".into(), format!("{folder}:/")]))),
    off("readable-posix-inputs", Without("tests have the values that the conditions leave, zeros first")),
    off("return-null-on-zero-malloc", Refused("malloc(0) gives an object of no bytes, as musl's does")),
    on("kdalloc-mark-as-unneeded", Nothing),
    value("kdalloc*", Nothing),
    // Checks.
    on("check-div-zero", Becomes(|_, _| words(["--check=-division"]))),
    on("check-overshift", Becomes(|_, _| words(["--check=-shift"]))),
    // Its absence counts too: see `translate`.
    off(SILENT_ASSUME, Becomes(|_, _| Ok(Vec::new()))),
    off("exit-on-error", Becomes(|_, _| words(["--max-bugs", "1"]))),
    value(
        "exit-on-error-type",
        Without("Cleave stops at bugs of all kinds; --exit-on-error becomes --max-bugs 1"),
    ),
    off("single-object-resolution", Without("Cleave finds all objects that a pointer may point to")),
    // The solver.
    value(
        "solver-backend",
        Without("Cleave has solvers of its own; `cleave run --solver` chooses among them"),
    ),
    value("stp-sat-solver", Nothing),
    value("metasmt-backend", Nothing),
    off("debug-validate-solver", Becomes(|_, _| words(["--self-check"]))),
    value("debug-crosscheck-core-solver", Becomes(cross_check)),
    off("cex-cache-*", Nothing),
    value("use-query-log", LOG),
    on("use-*", Nothing),
    off("const-array-opt", Nothing),
    value("optimize-array", Nothing),
    value("array-value-*", Nothing),
    on("equality-substitution", Nothing),
    on("rewrite-equalities", Nothing),
    off("simplify-sym-indices", Nothing),
    off("ignore-stp-failures", Nothing),
    off("solver-optimize-divides", Nothing),
    // Statistics and logs of KLEE itself.
    on("output-stats", Nothing),
    on("output-istats", STATISTICS),
    value("stats-*", Nothing),
    value("istats-*", Nothing),
    off("track-instruction-time", STATISTICS),
    off("write-cvcs", QUERIES),
    off("write-kqueries", QUERIES),
    off("write-smt2s", QUERIES),
    off("write-paths", QUERIES),
    off("write-sym-paths", QUERIES),
    off("write-test-info", QUERIES),
    value("min-query-time-to-log", LOG),
    on("log-*", Nothing),
    off("warnings-only-to-file", Nothing),
    value("debug-print-instructions", LOG),
    value("debug-z3-dump-queries", LOG),
    value("debug-z3-log-api-interaction", LOG),
    value("debug-z3-verbosity", LOG),
    off("debug-*", LOG),
    off("compress-*", Nothing),
    value("exec-tree-batch-size", Nothing),
    on("pc-*", Nothing),
    off("smtlib-human-readable", Nothing),
    value("smtlib-*", Nothing),
];

fn words<const N: usize>(words: [&str; N]) -> Result<Vec<String>, String> {
    Ok(words.map(String::from).to_vec())
}

/// The variables of a file, one a line.
fn variables(file: &str) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| format!("cannot read {file}: {e}; give a file of NAME=VALUE lines"))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines.flat_map(|line| ["--set-env".into(), line.into()]).collect())
}

/// A limit, which 0 and -1 lift in KLEE.
fn limit(option: &str, value: u64, unit: &str) -> Result<Vec<String>, String> {
    if value == 0 || value == u64::MAX {
        Ok(Vec::new())
    } else {
        Ok(vec![option.into(), format!("{value}{unit}")])
    }
}

fn only_seeds(_: &KleeCommandLine<'_>, file: &str) -> Result<Vec<String>, String> {
    words(["--seed", file, "--only-seeds"])
}

fn cross_check(_: &KleeCommandLine<'_>, solver: &str) -> Result<Vec<String>, String> {
    if solver == "none" { Ok(Vec::new()) } else { words(["--cross-check"]) }
}

/// Translates a search; one that Cleave does not have becomes the nearest one.
fn search(given: &KleeCommandLine<'_>, name: &str) -> Result<Vec<String>, String> {
    let ours = match name {
        "dfs" => "dfs-false",
        "bfs" | "random-state" | "random-path" => name,
        "nurs:covnew" | "nurs:md2u" => "covnew",
        "nurs:depth" | "nurs:rp" => "depth",
        "nurs:icnt" | "nurs:cpicnt" => "icnt",
        "nurs:qc" => "random-state",
        _ => return Err("it is none of KLEE's searches".into()),
    };
    if !given.is_on("use-batching-search") {
        return words(["--search", ours]);
    }
    let kept = given.value("batch-instructions").map_or(Ok(10_000), number)?;
    if kept == 0 { words(["--search", ours]) } else { words(["--search", &format!("batch={kept}:{ours}")]) }
}

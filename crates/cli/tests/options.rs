//! Effects of each option: every test here fails if its option does nothing.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::session::*;

fn number(account: &Value, name: &str) -> u64 {
    let found = name.split('/').fold(account, |value, part| &value[part]);
    found.as_u64().unwrap_or_else(|| panic!("{name} in {account}"))
}

#[test]
fn limits_stop_a_run_and_keep_the_rest_open() {
    let folder = tempfile::tempdir().unwrap();
    let endless = bits(folder.path(), 60, 2000);
    let directory = folder.path().join("time");
    let start = Instant::now();
    let said = succeeded(&run(&directory, &["--max-time", "700ms", "--write-tests", "no"], &endless, &[]));
    let took = start.elapsed();
    // It ends at the limit, so it stops a little before.
    assert!(took >= Duration::from_millis(500) && took < Duration::from_secs(20), "{took:?}");
    assert!(said.contains("stopped: max_time") && said.contains("cleave resume"), "{said}");
    let summary = account(&directory);
    assert_eq!(summary["stop_reason"], "max_time");
    assert!(number(&summary, "open_regions") > 0 && number(&summary, "paths/completed") > 0);

    let directory = folder.path().join("paths");
    succeeded(&run(&directory, &["--max-paths", "23", "--workers", "1", "--tests", "all"], &endless, &[]));
    let summary = account(&directory);
    assert_eq!((&summary["stop_reason"], number(&summary, "paths/completed")), (&"max_paths".into(), 23));
    assert!(number(&summary, "open_regions") > 0);
    assert_eq!(std::fs::read_dir(directory.join("tests")).unwrap().count(), 23);
    succeeded(&cleave(["resume", "--max-paths", "31", "--workers", "1", path_text(&directory)]));
    assert_eq!(digests(&directory).len(), 31, "those of earlier sessions count");
}

/// One question on hundreds of divisions: all values of two bytes are tried, or circuits are made, for seconds.
const LONG_QUESTION: &str = r#"
#include <unistd.h>
int main(void) {
  unsigned char b[2];
  if (read(0, b, 2) != 2) return 2;
  long double x = b[0] * 256 + b[1];
  for (int i = 3; i < END; i++) x = x / i + x;
  if (x == 12345.25L) write(1, "it is", 5);
  return 0;
}
"#;

#[test]
fn a_run_ends_at_its_limit_inside_of_a_question() {
    let folder = tempfile::tempdir().unwrap();
    for (name, end) in [("values", "-DEND=480"), ("circuits", "-DEND=1333")] {
        let program = compile(folder.path(), name, LONG_QUESTION, &[end]);
        let directory = folder.path().join(format!("{name} run"));
        let options = ["--max-time", "500ms", "--solver-timeout", "60000", "--workers", "1"];
        let said = succeeded(&run(&directory, &options, &program, &["--sym-stdin", "2"]));
        assert!(said.contains("stopped: max_time"), "{name}: {said}");
        // A worker that does not end is given five seconds, which count as writing.
        let summary = account(&directory);
        let of = |phase: &str| summary[phase].as_f64().unwrap();
        assert!(of("exploring_s") + of("writing_s") < 3.0, "{name}: {said}");
    }
}

#[test]
fn paths_are_cut_at_the_depth_that_is_asked_for_and_found_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 6, 0);
    let directory = folder.path().join("run");
    succeeded(&run(&directory, &["--max-depth", "3"], &program, &[]));
    let summary = account(&directory);
    assert_eq!((number(&summary, "paths/cut"), number(&summary, "paths/completed")), (8, 0));
    succeeded(&cleave(["resume", path_text(&directory)]));
    let summary = account(&directory);
    assert_eq!((number(&summary, "paths/cut"), number(&summary, "paths/completed")), (0, 64));
}

#[test]
fn workers_and_memory_are_as_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 12, 0);
    let mut found = Vec::new();
    for (name, options) in
        [("plain", &["--workers", "3"][..]), ("small", &["--workers", "1", "--max-memory", "1"])]
    {
        let directory = folder.path().join(name);
        succeeded(&run(&directory, &[options, &["--write-tests", "no"]].concat(), &program, &[]));
        let workers: u64 = options[1].parse().unwrap();
        assert_eq!(number(&account(&directory), "workers"), workers);
        assert!(!directory.join("tests/test000001.ktest").exists(), "--write-tests no");
        found.push(digests(&directory));
    }
    assert_eq!(found[0].len(), 1 << 12);
    assert_eq!(found[0], found[1]);
}

/// Questions that only a solver answers.
const PRODUCT: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  if (x < 60000 && y < 60000 && x * y == 1022117 && x > y) {
    if (x % 2) return 1;
    return 2;
  }
  return 0;
}
"#;

#[test]
fn checks_do_more_work_and_find_the_same_paths() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "product", PRODUCT, &[]);
    let go = |name: &str, options: &[&str]| {
        let directory = folder.path().join(name);
        succeeded(&run(&directory, &[&["--workers", "1"], options].concat(), &program, &[]));
        (account(&directory), digests(&directory))
    };
    let (plain, paths) = go("plain", &[]);
    let calls = number(&plain, "smt_calls");
    assert!(calls > 0 && plain["other"]["self_checked_tests"] == Value::Null, "{plain}");
    assert!(plain["smt_seconds"].as_f64() > Some(0.0), "{plain}");
    assert!(plain["solver_seconds"].as_f64() >= plain["smt_seconds"].as_f64(), "{plain}");
    assert!(plain["busy_seconds"].as_f64() >= plain["solver_seconds"].as_f64(), "{plain}");

    let (crossed, found) = go("crossed", &["--cross-check"]);
    assert!(number(&crossed, "smt_calls") > calls, "each question goes to both: {crossed}");
    assert_eq!(found, paths);

    // Each solver by its name alone, and one that is asked first.
    let by = |account: &Value| account["smt_calls_of"].as_object().unwrap().clone();
    assert_eq!(
        by(&crossed).values().map(|n| n.as_u64().unwrap()).sum::<u64>(),
        number(&crossed, "smt_calls")
    );
    for solver in by(&crossed).keys() {
        let (alone, found) = go(&format!("only-{solver}"), &["--solver", solver]);
        assert_eq!(by(&alone).keys().collect::<Vec<_>>(), [solver], "{alone}");
        assert_eq!((number(&alone, &format!("smt_calls_of/{solver}")) > 0, &found), (true, &paths));
        assert_eq!(number(&alone, &format!("smt_calls_of/{solver}")), number(&alone, "smt_calls"));
    }
    let output = run(&folder.path().join("z"), &["--solver", "bit-blaster,z"], &program, &[]);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.contains("no solver `z`; the solvers of this build are bit-blaster"), "{said}");

    let (checked, found) = go("checked", &["--self-check"]);
    assert_eq!(number(&checked, "other/self_checked_tests"), paths.len() as u64);
    assert!(number(&checked, "smt_calls") > calls, "refusals are checked: {checked}");
    assert_eq!(found, paths);

    let layers: Vec<&String> = plain["answered_by"].as_object().unwrap().keys().collect();
    let layer = layers.into_iter().find(|name| *name != "sat").expect("a layer answers something");
    let (without, found) = go("without", &["--disable-layer", layer]);
    assert_eq!(without["answered_by"][layer], Value::Null, "{without}");
    assert_eq!(found, paths);

    let new = folder.path().join("new");
    let output = run(&new, &["--disable-layer", "wishes"], &program, &[]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("no solver layer `wishes`; the layers are "));
}

#[test]
fn an_error_is_reported_once_a_place_or_for_each_path() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <klee/klee.h>\nint main(void) { unsigned char b[3]; int *p = 0, n = 0;\n\
                klee_make_symbolic(b, 3, \"b\"); for (int i = 0; i < 3; i++) if (b[i] == 'x') n++;\n\
                return n < 3 ? *p : 0; }";
    let program = compile(folder.path(), "bug", code, &[]);
    for (options, expected) in [(&[][..], 1), (&["--all-errors"], 7)] {
        let directory = folder.path().join(format!("run{expected}"));
        succeeded(&run(&directory, options, &program, &[]));
        let files = std::fs::read_dir(directory.join("tests")).unwrap().map(|f| f.unwrap().path());
        let reports: Vec<_> = files.filter(|f| f.extension() == Some("err".as_ref())).collect();
        assert_eq!(reports.len(), expected, "{reports:?}");
        let summary = account(&directory);
        assert_eq!((number(&summary, "bugs"), number(&summary, "paths/failed")), (1, 7));
        let bugs: Vec<Value> = records(&directory).into_iter().filter(|r| r["record"] == "bug").collect();
        assert_eq!((bugs.len(), &bugs[0]["paths"]), (1, &7.into()));
        assert!(bugs[0]["place"].as_str().unwrap().ends_with("bug.c:4"), "{bugs:?}");
    }
}

#[test]
fn a_run_writes_the_files_that_are_asked_for_and_goes_on_writing_them() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <klee/klee.h>\nint main(void) { unsigned char b[2]; int *p = 0;\n\
                klee_make_symbolic(b, 2, \"b\"); if (b[0] == 'x') return *p; if (b[1] == '\\n') return 1; return 0; }";
    let program = compile(folder.path(), "two", code, &[]);
    let files = |name: &str, options: &[&str]| {
        let directory = folder.path().join(name);
        let limits = ["--workers", "1", "--max-paths", "1"];
        succeeded(&run(&directory, &[&limits, options].concat(), &program, &[]));
        succeeded(&cleave(["resume", "--workers", "1", path_text(&directory)]));
        let files = std::fs::read_dir(directory.join("tests")).unwrap().map(|f| f.unwrap().path());
        let mut suffixes: Vec<String> =
            files.map(|f| f.extension().unwrap().to_str().unwrap().to_string()).collect();
        suffixes.sort();
        assert!(directory.join("summary.json").is_file() && directory.join("info").is_file());
        suffixes
    };
    let both = ["err", "ktest", "ktest", "ktest"];
    assert_eq!(files("usual", &[]), both);
    assert_eq!(files("both", &["--emit", "err,ktest,err"]), both);
    assert_eq!(files("tests", &["--emit", "ktest"]), both[1..]);
    assert_eq!(files("reports", &["--emit", "err"]), both[..1]);
    assert_eq!(files("old", &["--write-tests", "no"]), both[..1]);
    assert_eq!(files("none", &["--emit", "none"]), [""; 0]);
    assert_eq!(
        files("text", &["--emit", "inputs,ktest"]),
        ["inputs", "inputs", "inputs", "ktest", "ktest", "ktest"]
    );
    for n in 1..=3 {
        let test = cleave_report::read_test(Path::new(&test_file(&folder.path().join("text"), n))).unwrap();
        let file = folder.path().join(format!("text/tests/test{n:06}.inputs"));
        let bytes = &test.object("b").unwrap().escape_ascii().to_string();
        assert_eq!(std::fs::read_to_string(file).unwrap(), format!("\"two\"\nb 2 \"{bytes}\"\n"));
    }
    for (options, part) in [
        (&["--emit", "xml"][..], "no output `xml`; the outputs are ktest, err, inputs, testcomp, or none"),
        (&["--emit", "none,err"], "--emit none goes with no other name"),
        (&["--emit", "err", "--write-tests", "no"], "cannot be used with"),
    ] {
        let output = run(&folder.path().join("new"), options, &program, &[]);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn shells_can_complete_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = succeeded(&cleave(["completions", shell]));
        for word in ["replay", "simulate", "minimize", "max-path-instructions", "isolation"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

fn test_file(directory: &Path, n: usize) -> String {
    path_text(&directory.join(format!("tests/test{n:06}.ktest"))).to_owned()
}

#[test]
fn tests_are_compared_and_sorted_by_their_paths() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 4, 0);
    let directory = folder.path().join("run");
    succeeded(&run(&directory, &["--workers", "1", "--tests", "all"], &program, &[]));
    let test = |n| test_file(&directory, n);
    // One worker finds the paths in their order. Another input on the third path: it looks at the lowest bits only.
    let mut other = cleave_report::read_test(Path::new(&test(3))).unwrap();
    other.objects.iter_mut().find(|(name, _)| name == "bits").unwrap().1[0] ^= 0x80;
    let twin = folder.path().join("twin.ktest");
    std::fs::write(&twin, other.to_bytes().unwrap()).unwrap();
    let twin = path_text(&twin);
    let go = |what: &str, tests: &[&str]| {
        let first = ["tests", what, path_text(&program)];
        succeeded(&cleave(first.iter().chain(tests)))
    };
    let (a, b, c) = (test(2), test(3), test(11));
    assert_eq!(go("compare", &[&c, &a, twin, &b]), format!("{a} < {twin} = {b} < {c}\n"));
    assert_eq!(go("sort", &[&b, &c, twin, &a]), format!("{a}\n{b} {twin}\n{c}\n"));
    let sorted = go("sort", &[path_text(&directory)]);
    assert_eq!(sorted.lines().collect::<Vec<_>>(), (1..=16).map(test).collect::<Vec<_>>());

    // Static ranges: each begins and ends at a test, and together they are everything.
    let ranges = folder.path().join("ranges");
    let split = ["--workers", "1", "--max-paths", "0", "--split-at", &c, &a, twin, &b];
    succeeded(&run(&ranges, &split, &program, &[]));
    let open = records(&ranges).into_iter().filter(|r| r["record"] == "region").count();
    assert_eq!(open, 4, "before, between and after three different paths");
    succeeded(&cleave(["resume", path_text(&ranges)]));
    assert_eq!(digests(&ranges), digests(&directory));
}

#[test]
fn listings_and_accounts_have_the_fields_that_tools_expect() {
    let folder = tempfile::tempdir().unwrap();
    let code =
        "#include <stdio.h>\nint main(int n, char **v) { if (v[1][0] == 'x') printf(\"yes\"); return 3; }";
    let program = compile(folder.path(), "say", code, &[]);
    let directory = folder.path().join("run");
    succeeded(&run(&directory, &["--workers", "2"], &program, &["--sym-arg", "1"]));
    let records = records(&directory);
    assert_eq!(records.len(), 2, "{records:?}");
    // SHA-256 of "yes" and of nothing.
    let yes = "8a798890fe93817163b10b5f7bd2ca4d25d84c52739a645a889c173eee7d9d3d";
    let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for (record, output) in records.iter().zip([yes, nothing]) {
        assert_eq!(record["record"], "test");
        assert_eq!(record["path"].as_str().unwrap().len(), 32);
        assert!(record["id"].is_u64() && record["depth"].as_u64() >= Some(1), "{record}");
        assert_eq!((&record["kind"], &record["exit_status"]), (&"completed".into(), &3.into()));
        assert_eq!(record["stdout_sha256"], output);
    }
    let summary: Value =
        serde_json::from_slice(&std::fs::read(directory.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary, account(&directory), "`stats` tells what the file says");
    for name in [
        "open_regions",
        "bugs",
        "instructions",
        "decisions",
        "questions",
        "smt_calls",
        "peak_memory_bytes",
        "workers",
        "paths/completed",
        "paths/failed",
        "paths/cut",
        "paths/unknown",
        "paths/unsupported",
    ] {
        number(&summary, name);
    }
    for name in ["wall_s", "smt_seconds", "solver_seconds", "busy_seconds"] {
        assert!(summary[name].is_f64(), "{name}");
    }
    assert_eq!((number(&summary, "paths/completed"), number(&summary, "workers")), (2, 2));
    assert!(number(&summary, "instructions") > 10 && number(&summary, "decisions") >= 1);
    assert!(number(&summary, "peak_memory_bytes") > 1 << 20 && summary["wall_s"].as_f64() > Some(0.0));
    let answers: u64 =
        summary["answered_by"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert!(answers > 0, "{summary}");
    assert_eq!(summary["program"].as_str(), Some(path_text(&program)));
    assert!(summary["options"].is_object() && summary["stop_reason"] == "exhausted");
    let table = succeeded(&cleave([OsStr::new("stats"), directory.as_ref()]));
    assert!(table.lines().any(|l| l.starts_with("paths.completed") && l.ends_with(" 2")), "{table}");
}

const ENDLESS: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned char c;
  klee_make_symbolic(&c, 1, "c");
  volatile unsigned n = 0;
  if (c == 7) for (;;) n++;
  while (n < 1000) n++;
  if (c & 1) return 1;
  return 0;
}
"#;

#[test]
fn a_path_without_an_end_is_cut_at_a_number_of_instructions() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "endless", ENDLESS, &[]);
    let mut found = Vec::new();
    for (i, search) in ["dfs", "bfs", "random-state"].iter().enumerate() {
        let directory = folder.path().join(format!("run{i}"));
        let limit = ["--max-path-instructions", "50000", "--workers", "2", "--search", search];
        succeeded(&run(&directory, &limit, &program, &[]));
        let account = account(&directory);
        assert_eq!((number(&account["paths"], "completed"), number(&account["paths"], "cut")), (2, 1));
        let region = records(&directory).into_iter().find(|r| r["record"] == "region").unwrap();
        found.push(region["range"].to_string());
    }
    assert!(found.iter().all(|range| *range == found[0]), "the same place is cut: {found:?}");
}

#[test]
fn a_bound_is_the_depth_that_all_paths_have_reached() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 10, 0);
    let program = program.to_str().unwrap();
    let all = succeeded(&cleave(["bound", "--json", program]));
    let all: Value = serde_json::from_str(&all).unwrap();
    assert_eq!(all, serde_json::json!({ "depth": 10, "states": 0, "paths": 1024, "complete": true }));
    // Too many for the time: what waits is no shallower than the bound.
    let large = bits(folder.path(), 40, 0);
    let part = succeeded(&cleave(["bound", "--json", "--time", "300ms", large.to_str().unwrap()]));
    let part: Value = serde_json::from_str(&part).unwrap();
    assert_eq!(part["complete"], false);
    let depth = part["depth"].as_u64().unwrap();
    assert!((1..40).contains(&depth), "{part}");
    let states = part["states"].as_u64().unwrap();
    assert!((1 << depth..=2 << depth).contains(&states), "a level of a full tree, or parts of two: {part}");
}

#[test]
fn families_of_checks_are_switched_and_stay_so_when_a_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <klee/klee.h>\nint main(void) { unsigned char n;\nklee_make_symbolic(&n, 1, \"n\");\n\
                if (n < 8) return 100 / n; return (1 << n) != 0; }";
    let program = compile(folder.path(), "checks", code, &[]);
    let kinds = |name: &str, options: &[&str]| {
        let directory = folder.path().join(name);
        let _ = run(&directory, &[&["--max-paths", "1", "--workers", "1"], options].concat(), &program, &[]);
        let _ = cleave(["resume", "--workers", "1", path_text(&directory)]);
        assert_eq!(number(&account(&directory), "open_regions"), 0);
        let bugs = records(&directory).into_iter().filter(|r| r["record"] == "bug");
        let mut kinds: Vec<String> = bugs.map(|b| b["kind"].as_str().unwrap().to_string()).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds("default", &[]), ["division", "overshift"]);
    assert_eq!(kinds("no-shift", &["--check", "no-shift"]), ["division"]);
    assert_eq!(kinds("shift", &["--check", "none,shift"]), ["overshift"]);
    assert_eq!(kinds("none", &["--check", "-division", "--check", "-shift"]), Vec::<String>::new());
    let unknown = run(&folder.path().join("unknown"), &["--check", "leek"], &program, &[]);
    assert_eq!(unknown.status.code(), Some(2));
    let said = text(&unknown.stderr);
    assert!(said.contains("no check `leek`") && said.contains("uninitialised"), "{said}");
}

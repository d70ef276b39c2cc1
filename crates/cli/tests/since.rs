//! `cleave run --since`: a run that keeps paths of an older version's run has the paths, bugs and coverage of a fresh one.
//!
//! CLEAVE_SINCE_EDITS says how many random edits are judged, CLEAVE_SINCE_SEED which.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::session::*;
use crate::support::dice::{Dice, setting};
use crate::support::edited_c::{EDITS, edited, program};

/// Compiles a version; all have the same name, which their paths depend on.
fn version(folder: &Path, name: &str, code: &str) -> PathBuf {
    let folder = folder.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    compile(&folder, "program", code, &["-g"])
}

/// Everything that two runs of one program have to have in common.
#[derive(Debug, PartialEq)]
struct Result {
    /// For each path the parts of its record that no choice of a test changes.
    paths: BTreeMap<String, Vec<Value>>,
    /// For each kind and place of a bug the number of paths.
    bugs: BTreeMap<(String, String), u64>,
    coverage: Value,
    path_set: Value,
}

#[track_caller]
fn result(directory: &Path) -> Result {
    let (records, account) = (records(directory), account(directory));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    // Exit status and output may be another test's of the path.
    let end = |r: &Value| ["kind", "signal", "depth"].iter().map(|part| r[part].clone()).collect();
    digests_of(&records);
    let tests = records.iter().filter(|r| r["record"] == "test");
    let bugs = records.iter().filter(|r| r["record"] == "bug");
    assert_eq!(account["each_once"], true, "{account}");
    assert_eq!(account["internal_errors"], serde_json::json!({}));
    Result {
        paths: tests.map(|r| (text(&r["path"]), end(r))).collect(),
        bugs: bugs.map(|r| ((text(&r["kind"]), text(&r["place"])), r["paths"].as_u64().unwrap())).collect(),
        coverage: account["coverage"].clone(),
        path_set: account["path_set"].clone(),
    }
}

#[test]
fn a_run_since_another_is_a_fresh_run_for_random_edits() {
    let (edits, seed) = (setting("CLEAVE_SINCE_EDITS", 6), setting("CLEAVE_SINCE_SEED", 1));
    let (mut kept, mut all, mut nothing) = (0, 0, Vec::new());
    for i in 0..edits {
        let mut dice = Dice(seed * 1_000_003 + i);
        let edit = EDITS[((seed + i) % EDITS.len() as u64) as usize];
        let old = program(&mut dice);
        let new = edited(&old, edit, &mut dice);
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let before = version(folder.path(), "old", &old.text());
        let after = version(folder.path(), "new", &new.text());
        let workers = ["1", "2", "4"][dice.below(3)];
        let options = ["--workers", workers];
        succeeded(&run(&place("run"), &options, &before, &[]));
        succeeded(&run(&place("fresh"), &options, &after, &[]));
        let run_directory = place("run");
        let with = [&options[..], &["--since", path_text(&run_directory)]].concat();
        let told = succeeded(&run(&place("since"), &with, &after, &[]));
        let said = format!("seed {seed}, {i}: {edit}\n{told}\n{}", new.text());
        assert_eq!(result(&place("since")), result(&place("fresh")), "{said}");
        let since = account(&place("since"))["since"].clone();
        let number = |name: &str| since[name].as_u64().unwrap();
        if !since["reason"].is_null() {
            nothing.push(format!("{edit}: {}", since["reason"]));
        }
        match edit {
            "comment" | "rename" | "reorder" | "nothing" => assert_eq!(number("explored"), 0, "{said}"),
            _ => {}
        }
        (kept, all) = (kept + number("kept"), all + number("kept") + number("explored"));
    }
    println!("{kept} of {all} paths were kept in {edits} edits; nothing in {nothing:?}");
    assert!(edits < 6 || kept > 0, "no edit kept a path: {nothing:?}");
}

/// Two functions, chosen by the first byte; MORE and FIX are parts that an edit changes.
const CHOICE: &str = r#"
#include <klee/klee.h>
static int table[4] = {1, 2, 3, 4};
static int left(unsigned char a, unsigned char b) {
  int r = 0;
  for (int i = 0; i < 5; i++) if (b >> i & 1) r += a;
  return r / (BEGIN a - 3 END);
}
static int right(unsigned char a) {
  if (a > 99) return 7;
  return table[a & (MASK)];
}
int main(void) {
  unsigned char in[3];
  klee_make_symbolic(in, sizeof in, "in");
  return in[0] < 128 ? left(in[1], in[2]) : right(in[1]);
}
"#;

/// The program with a divisor that may be zero or not, and an index that may be too large or not.
fn choice(divides: bool, overruns: bool) -> String {
    let end = if divides { "" } else { " || 1" };
    let mask = if overruns { "7" } else { "3" };
    CHOICE.replace("BEGIN", "").replace(" END", end).replace("MASK", mask)
}

#[test]
fn bugs_are_new_fixed_or_unchanged_and_lines_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let old = version(folder.path(), "old", &choice(true, false));
    // A line more in front of everything, no division by zero, and an index too large.
    let new = version(folder.path(), "new", &format!("\n\n{}", choice(false, true)));
    let moved = version(folder.path(), "moved", &format!("\n\n{}", choice(true, false)));
    succeeded(&run(&place("base"), &[], &old, &[]));
    let base = place("base");
    let since = ["--since", path_text(&base)];
    let said = succeeded(&run(&place("moved run"), &since, &moved, &[]));
    assert!(said.contains("no function differs") && said.contains("0 new, 0 fixed, 1 unchanged"), "{said}");
    assert!(said.contains(", 0 explored"), "{said}");
    let said = succeeded(&run(&place("new run"), &since, &new, &[]));
    assert!(said.contains("2 functions differ (left, right)"), "{said}");
    assert!(said.contains("bugs: 1 new, 1 fixed, 0 unchanged") && said.contains("fixed: "), "{said}");
    let states = |directory: &str| {
        let report = place(&format!("{directory}.sarif"));
        let arguments =
            ["report", "--to", "sarif", path_text(&place(directory)), path_text(&report)].map(String::from);
        succeeded(&cleave(&arguments));
        let log: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results.iter().map(|r| (text_of(&r["ruleId"]), text_of(&r["baselineState"]))).collect::<Vec<_>>()
    };
    let pair = |kind: &str, state: &str| (kind.to_string(), state.to_string());
    assert_eq!(states("moved run"), [pair("division", "unchanged")]);
    assert_eq!(states("new run"), [pair("out-of-bounds", "new"), pair("division", "absent")]);
}

#[test]
fn resume_with_another_program_takes_the_options_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.c"), folder.path().join("new.c"));
    let text = "int take(const unsigned char *data, int n) { return n ? data[0] / (data[0] - 3 END) : 0; }\n";
    std::fs::write(&old, text.replace(" END", "")).unwrap();
    std::fs::write(&new, text.replace(" END", " | 1")).unwrap();
    let base = folder.path().join("base");
    let entry = "take(data[n], 0 <= n <= 2)";
    succeeded(&run(&base, &["--check=all,-overflow", "--entry-point", entry], &old, &[]));
    let resumed = command()
        .current_dir(folder.path())
        .args(["resume", "--program"])
        .args([&new, &base])
        .output()
        .unwrap();
    let said = succeeded(&resumed);
    assert!(
        said.contains("1 function differs (take)") && said.contains("bugs: 0 new, 1 fixed, 0 unchanged"),
        "{said}"
    );
    assert!(said.contains(&format!("the inputs are those of {entry}")), "{said}");
    // As `run --since` with all options, which has the name of the old program nowhere but in its name.
    let fresh = folder.path().join("fresh");
    succeeded(&run(&fresh, &["--check=all,-overflow", "--entry-point", entry], &new, &[]));
    let [mut resumed, mut fresh] = [&folder.path().join("cleave-last"), &fresh].map(|run| result(run));
    resumed.path_set = Value::Null;
    fresh.path_set = Value::Null;
    assert_eq!(resumed, fresh, "{said}");
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

#[test]
fn a_run_since_another_stops_and_goes_on_as_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let old = version(folder.path(), "old", &choice(true, false));
    let new = version(folder.path(), "new", &choice(false, false));
    succeeded(&run(&place("base"), &[], &old, &[]));
    succeeded(&run(&place("fresh"), &[], &new, &[]));
    let base = place("base");
    // Of several workers, one may find a path too many: it is put back, and nothing is said of each path being found once.
    let options = ["--since", path_text(&base), "--max-paths", "5", "--workers", "1"];
    let said = succeeded(&run(&place("run"), &options, &new, &[]));
    assert!(said.contains("cleave resume"), "{said}");
    succeeded(&cleave(["resume", "--workers", "2", path_text(&place("run"))]));
    assert_eq!(result(&place("run")), result(&place("fresh")));
    // Its paths are good for the next one.
    let run_directory = place("run");
    let since = ["--since", path_text(&run_directory)];
    let said = succeeded(&run(&place("again"), &since, &new, &[]));
    assert!(said.contains("no function differs") && said.contains(", 0 explored"), "{said}");
    assert_eq!(result(&place("again")), result(&place("fresh")));
    agrees_on_all(&new, &place("again"), result(&place("fresh")).paths.len() as u64);
}

#[test]
fn a_run_that_says_too_little_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let program = version(folder.path(), "old", &choice(true, false));
    succeeded(&run(&place("part"), &["--max-paths", "2"], &program, &[]));
    succeeded(&run(&place("whole"), &[], &program, &[]));
    succeeded(&run(&place("merged"), &["--merge", "on"], &program, &[]));
    for (base, options, arguments, parts) in [
        ("part", &[][..], &[][..], &["not explored", "cleave resume"][..]),
        ("whole", &[], &["--sym-arg", "1"], &["arguments are not the same"]),
        ("whole", &["--check=-overflow"], &[], &["--check is not the same"]),
        ("whole", &["--merge", "on"], &[], &["--merge on"]),
        ("merged", &[], &[], &["--merge on"]),
        ("nowhere", &[], &[], &["nowhere"]),
    ] {
        let base = place(base);
        let options = [options, &["--since", path_text(&base)]].concat();
        refused(&run(&place("new"), &options, &program, arguments), parts);
        assert!(!place("new").exists());
    }
}

/// Paths that compute much and ask little; each calls `all`, and few call `few`.
const WORKING: &str = r#"
#include <klee/klee.h>
static unsigned all(unsigned x) { for (int i = 0; i < 200000; i++) x = x * 31 + 7; return x; }
static unsigned few(unsigned x) { return x ^ 5; }
int main(void) {
  unsigned char in;
  unsigned sum = 0;
  klee_make_symbolic(&in, sizeof in, "in");
  for (int bit = 0; bit < 8; bit++) if (in >> bit & 1) sum += bit;
  sum += all(1);
  if (in == 77) sum = few(sum);
  return sum & 15;
}
"#;

#[test]
fn nothing_is_kept_where_most_paths_execute_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let options = ["--workers", "1"];
    let old = version(folder.path(), "old", WORKING);
    succeeded(&run(&place("run"), &options, &old, &[]));
    assert!(account(&place("run"))["busy_seconds"].as_f64().unwrap() > 1.0, "it computes too little");
    // Of `main` only the side that calls `few` differs in the second.
    for (name, from, to, kept) in [
        ("few", "x ^ 5", "x ^ 6", 255),
        ("side", "few(sum);", "few(sum) + 3;", 255),
        ("all", "+ 7", "+ 9", 0),
    ] {
        let new = version(folder.path(), name, &WORKING.replace(from, to));
        let (fresh, since) = (place(&format!("fresh {name}")), place(&format!("since {name}")));
        succeeded(&run(&fresh, &options, &new, &[]));
        let told =
            succeeded(&run(&since, &["--workers", "1", "--since", path_text(&place("run"))], &new, &[]));
        assert_eq!(result(&since), result(&fresh), "{told}");
        assert_eq!(account(&since)["since"]["kept"], kept, "{told}");
        assert_eq!(told.contains("most of its paths execute what differs"), kept == 0, "{told}");
    }
    // The same since the run that kept nearly all: it took no time itself.
    let new = version(folder.path(), "later", &WORKING.replace("x ^ 5", "x ^ 6").replace("+ 7", "+ 9"));
    let base = place("since few");
    let told =
        succeeded(&run(&place("since that"), &["--workers", "1", "--since", path_text(&base)], &new, &[]));
    assert!(told.contains("most of its paths execute what differs"), "{told}");
}

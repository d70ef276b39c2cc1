//! `cleave run --since`: a run that keeps paths of an older version's run has the paths, bugs and coverage of a fresh one.
//!
//! CLEAVE_SINCE_EDITS says how many random edits are judged, CLEAVE_SINCE_SEED which.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::session::*;
use crate::support::dice::Dice;
use crate::support::edited_c::{EDITS, edited, program};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |v| v.parse().unwrap())
}

/// Compiles a version; all have the same name, which their paths depend on.
fn version(folder: &Path, name: &str, code: &str) -> PathBuf {
    let folder = folder.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    compile(&folder, "program", code, &["-g"])
}

/// Everything that two runs of one program have to have in common.
#[derive(Debug, PartialEq)]
struct Result {
    /// For each path its end.
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
    let end = |r: &Value| {
        let parts = ["kind", "exit_status", "signal", "stdout_sha256", "stdout_len", "instructions", "depth"];
        parts.iter().map(|part| r[part].clone()).collect()
    };
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

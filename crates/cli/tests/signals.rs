//! Programs with signal handlers, timers and descriptors that wait (`programs/signals`, `programs/events`): paths, ends and outputs
//! are the same however they are explored, and each test does natively what was foretold, with namespaces and without.

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{Program, cleave, corpus, each, succeeded};

/// The tests of a run: exit status, digest of standard output and kind, sorted.
fn ends(run: &Path) -> Vec<String> {
    let output = succeeded(cleave().args(["list", "--json"]).arg(run));
    let lines = String::from_utf8(output.stdout).unwrap();
    let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let tests = records.filter(|record| record["record"] == "test");
    let end = |test: Value| format!("{} {} {}", test["kind"], test["exit_status"], test["stdout_sha256"]);
    let mut ends: Vec<String> = tests.map(end).collect();
    ends.sort();
    ends
}

fn explore(executable: &Path, run: &Path, program: &Program, options: &[&str]) {
    let mut explore = cleave();
    explore.arg("run").args(options).arg("--output-dir").arg(run).arg(executable);
    succeeded(explore.args(program.words("args")));
}

fn agrees(command: &mut Command, executable: &Path, run: &Path, tests: usize) {
    let replayed = command.args(["replay", "--json"]).arg(executable).arg(run).output().unwrap();
    let verdicts = String::from_utf8(replayed.stdout).unwrap();
    let agreeing = verdicts.lines().filter(|l| l.contains("\"verdict\":\"agrees\"")).count();
    assert_eq!((agreeing, verdicts.lines().count()), (tests, tests), "{}: {verdicts}", executable.display());
}

fn judge(program: &Program) {
    let name = program.source.display();
    let scratch = tempfile::tempdir().unwrap();
    let executable = program.build(scratch.path());
    let run = scratch.path().join("run");
    explore(&executable, &run, program, &["--workers", "1"]);
    let expected = ends(&run);
    assert_eq!((expected.len() as u64, 0), program.expected(), "{name}: {expected:#?}");
    assert!(expected.iter().all(|end| end.starts_with("\"completed\"")), "{name}: {expected:#?}");
    let ways: [&[&str]; 4] = [
        &["--workers", "2"],
        &["--workers", "4"],
        &["--workers", "1", "--mode", "concolic"],
        &["--max-paths", "1"],
    ];
    for (i, options) in ways.into_iter().enumerate() {
        let other = scratch.path().join(format!("run{i}"));
        explore(&executable, &other, program, options);
        if options[0] == "--max-paths" {
            succeeded(cleave().arg("resume").arg(&other));
        }
        assert_eq!(ends(&other), expected, "{name}: {options:?}");
    }
    agrees(&mut cleave(), &executable, &run, expected.len());
    let mut closed = Command::new("unshare");
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    closed.args(["--user", "--map-root-user", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_cleave")]);
    agrees(&mut closed, &executable, &run, expected.len());
}

#[test]
fn handlers_and_timers_do_what_they_do_natively_in_every_way_of_exploring() {
    each(&corpus("signals"), judge);
}

#[test]
fn timers_and_descriptors_that_wait_do_what_they_do_natively_in_every_way_of_exploring() {
    each(&corpus("events"), judge);
}

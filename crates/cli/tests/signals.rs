//! Programs with signal handlers, timers, descriptors that wait and sockets (`programs/signals`, `programs/events`,
//! `programs/sockets`): paths, ends and what is written and sent are the same however they are explored, and each test does
//! natively what was foretold, with namespaces and without.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Program, cleave, corpus, each, succeeded};

/// The tests of a run: kind, exit status, signal, digest of what was written and sent, message; sorted.
fn ends(run: &Path) -> Vec<String> {
    let output = succeeded(cleave().args(["list", "--json"]).arg(run));
    let lines = String::from_utf8(output.stdout).unwrap();
    let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let tests = records.filter(|record| record["record"] == "test");
    let keep = ["kind", "exit_status", "signal", "stdout_sha256", "message", "path"];
    let mut ends: Vec<String> = tests.map(|t| keep.map(|key| t[key].to_string()).join(" ")).collect();
    ends.sort();
    ends
}

fn explore(executable: &Path, run: &Path, program: &Program, options: &[&str]) {
    let mut explore = cleave();
    explore.args(["run", "--tests", "all"]).args(options).arg("--output-dir").arg(run).arg(executable);
    succeeded(explore.args(program.words("args")));
}

fn agrees(command: &mut Command, executable: &Path, run: &Path, tests: usize, bugs: usize) {
    let replayed = command.args(["replay", "--json"]).arg(executable).arg(run).output().unwrap();
    let verdicts = String::from_utf8(replayed.stdout).unwrap();
    assert_eq!(verdicts.lines().count(), tests, "{}: {verdicts}", executable.display());
    let told = verdicts.lines().filter(|l| l.contains("\"verdict\":\"agrees\"")).count();
    // The native effect of a bug is not always foretold.
    let name = executable.display();
    assert!((tests - bugs..=tests).contains(&told), "{name}: {told} of {tests}: {verdicts}");
    assert!(!verdicts.contains("\"verdict\":\"differs\""), "{name}: {verdicts}");
}

fn judge(program: &Program) {
    let name = program.source.display();
    let scratch = tempfile::tempdir().unwrap();
    let executable = program.build(scratch.path());
    let run = scratch.path().join("run");
    explore(&executable, &run, program, &["--workers", "1"]);
    let expected = ends(&run);
    let completed = expected.iter().filter(|end| end.starts_with("\"completed\"")).count();
    let bugs = expected.len() - completed;
    assert_eq!((completed as u64, bugs as u64), program.expected(), "{name}: {expected:#?}");
    for words in program.header("says") {
        assert!(expected.iter().any(|end| end.contains(words)), "{name}: {words} is not in {expected:#?}");
    }
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
    agrees(&mut cleave(), &executable, &run, expected.len(), bugs);
    // Several processes are not replayed without namespaces.
    if program.text.contains("fork()") {
        return;
    }
    let mut closed = Command::new("unshare");
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    closed.args(["--user", "--map-root-user", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_cleave")]);
    agrees(&mut closed, &executable, &run, expected.len(), bugs);
}

#[test]
fn handlers_and_timers_do_what_they_do_natively_in_every_way_of_exploring() {
    each(&corpus("signals"), judge);
}

#[test]
fn timers_and_descriptors_that_wait_do_what_they_do_natively_in_every_way_of_exploring() {
    each(&corpus("events"), judge);
}

#[test]
fn servers_and_clients_do_what_was_foretold_in_every_way_of_exploring() {
    each(&corpus("sockets"), judge);
}

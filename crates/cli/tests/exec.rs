//! Programs that execute others by `execve`: each program of `programs/exec` is explored in every way, with the same paths, and
//! each of its tests does natively what was foretold, with namespaces and without.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{Program, cleave, corpus, each, limited, records, succeeded};

/// A program of the corpus with all that it executes, built at `-O0`.
struct Built {
    executable: PathBuf,
    /// Options of `cleave run`.
    options: Vec<String>,
}

impl Built {
    fn new(program: &Program, folder: &Path) -> Built {
        let mut options = Vec::new();
        for line in program.header("program") {
            let (name, source) = line.split_once('=').unwrap();
            let source = program.source.with_file_name(source);
            let other = Program { text: String::new(), source };
            options.extend(["--program".to_string(), format!("{name}={}", other.build(folder).display())]);
        }
        Built { executable: program.build(folder), options }
    }

    /// Explores the program into a folder.
    fn run(&self, program: &Program, directory: &Path, options: &[&str]) -> Output {
        let mut command = cleave();
        command.args(["run", "--output-dir"]).arg(directory).args(&self.options).args(options);
        succeeded(command.arg(&self.executable).args(program.words("args")))
    }
}

/// Results of a run: all fields of each path but the number of its test, which depends on the worker that was first.
fn found(directory: &Path) -> BTreeSet<String> {
    let mut listed = records(cleave().args(["list", "--json"]).arg(directory));
    listed.retain(|record| record["record"] == "test");
    let count = listed.len();
    let told = |mut record: Value| {
        let record = record.as_object_mut().unwrap();
        let depends = ["id", "file", "test", "worker", "time", "seconds", "new", "covers"];
        depends.iter().for_each(|name| drop(record.remove(*name)));
        serde_json::to_string(record).unwrap()
    };
    let found: BTreeSet<String> = listed.into_iter().map(told).collect();
    assert_eq!(found.len(), count, "paths with the same digest");
    found
}

fn judge(program: &Program) {
    if program.header("program").is_empty() {
        return;
    }
    let name = program.source.display();
    let scratch = tempfile::tempdir().unwrap();
    let built = Built::new(program, scratch.path());
    let run = |ways: &[&str]| {
        let directory = scratch.path().join(ways.concat());
        built.run(program, &directory, ways);
        found(&directory)
    };
    let first = run(&["--workers", "1"]);
    let ended =
        |kind: &str| first.iter().filter(|r| r.contains(&format!("\"kind\":\"{kind}\""))).count() as u64;
    let all = first.iter().map(|r| format!("{r}\n")).collect::<String>();
    assert_eq!((ended("completed"), ended("failed")), program.expected(), "{name}: paths\n{all}");
    assert_eq!(first.len() as u64, program.expected().0 + program.expected().1, "{name}: {all}");
    if let [status] = program.words("exit")[..] {
        assert!(all.contains(&format!("\"exit_status\":{status},")), "{name}: {all}");
    }
    let bugs = records(cleave().args(["list", "--json"]).arg(scratch.path().join("--workers1")));
    let bugs = bugs.iter().filter(|r| r["record"] == "bug");
    let bugs: Vec<_> = bugs.map(|b| (b["kind"].as_str().unwrap(), b["place"].as_str().unwrap())).collect();
    let expected: Vec<_> = program.header("bug").iter().map(|line| line.split_once(' ').unwrap()).collect();
    assert_eq!(bugs.len(), expected.len(), "{name}: {bugs:?}");
    for ((kind, place), (wanted, at)) in bugs.iter().zip(expected) {
        assert!(*kind == wanted && place.ends_with(at), "{name}: {bugs:?}");
    }
    for ways in [&["--workers", "2"][..], &["--workers", "4", "--search", "bfs"], &["--mode", "concolic"]] {
        assert_eq!(run(ways), first, "{name}: {ways:?}");
    }
    // Stopped after its first path, and gone on with by another number of workers.
    let stopped = scratch.path().join("stopped");
    built.run(program, &stopped, &["--workers", "1", "--max-paths", "1"]);
    succeeded(cleave().args(["resume", "--workers", "2"]).arg(&stopped));
    assert_eq!(found(&stopped), first, "{name}: resumed");

    let directory = scratch.path().join("--workers1");
    // A script's interpreter gets other arguments than its caller gave, which needs a file system.
    let alone = program.words("needs") == ["namespaces"];
    for mut command in [cleave(), without_namespaces()].into_iter().take(if alone { 1 } else { 2 }) {
        let replayed =
            command.args(["replay", "--json"]).arg(&built.executable).arg(&directory).output().unwrap();
        let verdicts = String::from_utf8(replayed.stdout).unwrap();
        let as_foretold =
            |l: &&str| l.contains("\"verdict\":\"agrees\"") || l.contains("\"verdict\":\"ran\"");
        let agreeing = verdicts.lines().filter(as_foretold).count();
        let said = String::from_utf8(replayed.stderr).unwrap();
        assert_eq!(agreeing, first.len(), "{name}: natively\n{verdicts}{said}");
    }
}

/// A machine that allows no namespaces: a user namespace in which there are no further ones.
fn without_namespaces() -> Command {
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let mut command = limited("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_cleave")]);
    command
}

#[test]
fn programs_that_execute_others_have_the_same_paths_everywhere_and_do_what_is_foretold() {
    each(&corpus("exec"), judge);
}

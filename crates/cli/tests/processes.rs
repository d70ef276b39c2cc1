//! Programs of several processes or threads: path counts, outputs and exit statuses are those that their headers and the native run say,
//! and the paths are the same on one, two and four workers, stopped and resumed, and in concolic mode.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cleave_report::KTest;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{Program, cleave, corpus, each, limited, records, succeeded};

/// Results of a run: the end of each path, by its digest.
type Found = BTreeMap<String, Value>;

/// The tests of a run.
fn tests(run: &Path) -> Vec<Value> {
    let all = records(cleave().args(["list", "--json"]).arg(run));
    all.into_iter().filter(|r| r["record"] == "test").collect()
}

/// Fields of a test that do not depend on the choice of the path's test.
fn found(run: &Path) -> Found {
    let outcome = |t: &Value| {
        let keep = ["kind", "exit_status", "stdout_sha256", "depth", "message"];
        Value::from_iter(keep.map(|key| (key, t[key].clone())))
    };
    tests(run).iter().map(|t| (t["path"].as_str().unwrap().to_owned(), outcome(t))).collect()
}

fn explore(program: &Program, executable: &Path, run: &Path, options: &[&str]) -> Found {
    let mut command = cleave();
    command.args(["run", "--output-dir"]).arg(run).args(options).args(program.words("run")).arg(executable);
    succeeded(command.args(program.words("args")));
    found(run)
}

/// The program on a test, built by the system's compiler: its exit status and the digest of its output.
fn natively(native: &Path, test: &KTest) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let argument = test.object("arg00").map_or(&[][..], |bytes| bytes.split(|&b| b == 0).next().unwrap());
    let output =
        limited(native).arg(OsStr::from_bytes(argument)).current_dir(folder.path()).output().unwrap();
    let digest = Sha256::digest(&output.stdout).iter().map(|b| format!("{b:02x}")).collect();
    (output.status.code(), digest)
}

/// The native run says what each completed path prints and how it exits.
fn agrees_with_native(program: &Program, folder: &Path, run: &Path) {
    let native = folder.join("native");
    let mut compiler = limited("cc");
    succeeded(compiler.args(["-w", "-O1", "-o"]).arg(&native).arg(&program.source));
    for test in tests(run).iter().filter(|t| t["kind"] == "completed") {
        let file = run.join(format!("tests/test{:06}.ktest", test["id"].as_u64().unwrap()));
        let inputs = KTest::parse(&std::fs::read(file).unwrap()).unwrap();
        let (status, digest) = natively(&native, &inputs);
        let name = program.source.display();
        assert_eq!(test["exit_status"], serde_json::json!(status), "{name}: exit status, {inputs:?}");
        assert_eq!(test["stdout_sha256"], digest.as_str(), "{name}: standard output, {inputs:?}");
    }
}

fn judge(program: &Program) {
    let name = program.source.display().to_string();
    let scratch = tempfile::tempdir().unwrap();
    let executable = program.build(scratch.path());
    let place = |n: &str| scratch.path().join(n);
    let all = ["--workers", "1", "--tests", "all"];
    let one = explore(program, &executable, &place("one"), &all);
    let completed = one.values().filter(|t| t["kind"] == "completed").count() as u64;
    assert_eq!((completed, one.len() as u64 - completed), program.expected(), "{name}: {one:#?}");
    let bugs: BTreeSet<&str> = one.values().filter_map(|t| t["message"].as_str()).collect();
    for words in program.header("says") {
        assert!(bugs.iter().any(|bug| bug.contains(words)), "{name}: {words} is not in {bugs:?}");
    }
    if program.header("native").is_empty() {
        agrees_with_native(program, scratch.path(), &place("one"));
    }

    let turn = turn(program);
    for (way, options) in WAYS.iter().enumerate().filter(|(i, _)| turn.is_none_or(|t| i % 2 == t)) {
        let run = place(&way.to_string());
        let mut there = explore(program, &executable, &run, options);
        if options.contains(&"--max-paths") {
            succeeded(cleave().args(["resume", "--workers", "2"]).arg(&run));
            there = found(&run);
        }
        assert_eq!(there, one, "{name}: {options:?}");
    }
}

/// The ways of running a program beside the plain one on one worker.
const WAYS: [&[&str]; 4] = [
    &["--workers", "2"],
    &["--workers", "1", "--max-paths", "1"],
    &["--mode", "concolic", "--workers", "2"],
    &["--workers", "4"],
];

/// Programs take turns: each is run in half of the ways, with CLEAVE_TEST_ALL in all of them.
fn turn(program: &Program) -> Option<usize> {
    let all = std::env::var_os("CLEAVE_TEST_ALL").is_some();
    (!all).then_some(program.text.len() % 2)
}

#[test]
fn programs_of_several_processes_do_what_they_do_natively_in_all_ways_of_running() {
    each(&corpus("processes"), judge);
}

#[test]
fn programs_of_several_threads_do_what_they_do_natively_in_all_ways_of_running() {
    each(&corpus("threads"), judge);
}

/// Number of scripts that one process runs.
const AT_ONCE: u64 = 250;

/// Output of a native program for some scripts.
fn prints(program: &Path, arguments: &[String]) -> Vec<u8> {
    succeeded(limited(program).args(arguments)).stdout
}

/// `programs/scripts/threads.c`: each call gives in the model what it gives natively, with Cleave's C library and with the host's.
#[test]
fn random_calls_of_threads_give_in_the_model_what_they_give_natively() {
    let number = |name| std::env::var(name).ok().and_then(|n: String| n.parse::<u64>().ok());
    let (first, count) = (number("CLEAVE_SEED").unwrap_or(1), number("CLEAVE_SCRIPTS").unwrap_or(500));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/scripts/threads.c");
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    succeeded(cleave().args(["cc", "-w", "-O1", "-o"]).arg(place("ours")).arg(&source));
    succeeded(limited("cc").args(["-w", "-O1", "-o"]).arg(place("hosts")).arg(&source).arg("-lpthread"));
    for seed in (first..first + count).step_by(AT_ONCE as usize) {
        let arguments = [seed.to_string(), AT_ONCE.min(first + count - seed).to_string()];
        let told = prints(&place("ours"), &arguments);
        assert_eq!(told.iter().filter(|&&b| b == b'\n').count(), arguments[1].parse::<usize>().unwrap());
        assert_eq!(told, prints(&place("hosts"), &arguments), "the host's C library, from {seed} on");
        let run = place(&seed.to_string());
        let mut explore = cleave();
        explore.args(["run", "--workers", "1", "--output-dir"]).arg(&run).arg("--").arg(place("ours"));
        succeeded(explore.args(&arguments));
        let listed = succeeded(cleave().args(["list", "--json"]).arg(&run)).stdout;
        let lines = String::from_utf8(listed).unwrap();
        let test: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        let digest: String = Sha256::digest(&told).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(test["kind"], "completed", "{test}");
        assert_eq!(
            test["stdout_sha256"],
            digest.as_str(),
            "scripts {arguments:?}: `threads SEED 1 v` shows a script line by line"
        );
    }
}

//! Whoever is killed and whenever, and however a run is stopped: no path is lost or doubled, nothing runs on, and
//! the run can be gone on with.

mod session;

use session::*;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

fn start(directory: &Path, options: &[&str], program: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cleave"))
        .args(["run", "--output-dir"])
        .arg(directory)
        .args(options)
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[track_caller]
fn ended(child: &mut Child) -> ExitStatus {
    soon("the run ends", || child.try_wait().unwrap())
}

/// Sends a signal; who has ended in the meantime gets none.
fn signal(name: &str, pid: u32) {
    Command::new("kill").args([name, &pid.to_string()]).stderr(Stdio::null()).status().unwrap();
}

/// The processes that a process has started and that still run.
fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// Whether a process runs; one that only waits to be seen as dead does not.
fn runs(pid: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// Whether the run has recorded paths, by the size of what was written.
fn has_paths(directory: &Path) -> bool {
    std::fs::metadata(directory.join("db.sqlite-wal")).is_ok_and(|data| data.len() > 200_000)
}

/// A program with 4096 paths that take some seconds of one worker, and its paths.
fn slow(folder: &Path) -> (PathBuf, usize) {
    (bits(folder, 12, 4000), 1 << 12)
}

fn undisturbed(folder: &Path, program: &Path, arguments: &[&str]) -> BTreeSet<String> {
    let directory = folder.join("undisturbed");
    succeeded(&run(&directory, &["--write-tests", "no"], program, arguments));
    digests(&directory)
}

#[test]
fn killed_workers_lose_and_double_no_path_of_a_real_program() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/coreutils/bin/basename");
    assert!(program.exists(), "`make test` builds it: scripts/build-coreutils.sh basename");
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--sym-args", "0", "2", "5"];
    let expected = undisturbed(folder.path(), &program, &arguments);
    assert!(expected.len() > 10_000, "{}", expected.len());
    let directory = folder.path().join("killed");
    let mut child = start(&directory, &["--workers", "2", "--write-tests", "no"], &program, &arguments);
    // The first when there are two, the second when the run has come to something.
    signal("-KILL", soon("two workers", || children(child.id()).get(1).copied()));
    soon("paths", || has_paths(&directory).then_some(()));
    if let Some(worker) = children(child.id()).first() {
        signal("-KILL", *worker);
    }
    assert!(ended(&mut child).success());
    assert_eq!(digests(&directory), expected);
    let account = account(&directory);
    assert!(account["worker_deaths"].as_u64() >= Some(1), "{account}");
    assert_eq!((&account["doubled"], &account["open_regions"]), (&0.into(), &0.into()));
}

#[test]
fn a_killed_coordinator_loses_and_doubles_no_path_and_leaves_no_worker() {
    let folder = tempfile::tempdir().unwrap();
    let (program, paths) = slow(folder.path());
    let expected = undisturbed(folder.path(), &program, &[]);
    assert_eq!(expected.len(), paths);
    let directory = folder.path().join("killed");
    let mut child = start(&directory, &["--workers", "2", "--tests", "all"], &program, &[]);
    soon("paths", || has_paths(&directory).then_some(()));
    let workers = children(child.id());
    assert_eq!(workers.len(), 2);
    signal("-KILL", child.id());
    assert_eq!(ended(&mut child).signal(), Some(9));
    soon("its workers end", || workers.iter().all(|pid| !runs(*pid)).then_some(()));
    let before = digests(&directory);
    assert!(!before.is_empty() && before.len() < paths, "killed in mid-run, after {} paths", before.len());
    // What it was writing when it was killed: a part of a test's file, and a file that was never begun.
    let tests = directory.join("tests");
    std::fs::write(tests.join("test000002.ktest"), "KTE").unwrap();
    let _ = std::fs::remove_file(tests.join("test000003.ktest"));
    assert!(succeeded(&cleave(["resume", path_text(&directory)])).contains("every path is explored"));
    assert_eq!(digests(&directory), expected);
    assert!(before.is_subset(&expected));
    let account = account(&directory);
    assert_eq!((&account["doubled"], &account["sessions"]), (&0.into(), &2.into()));
    let files: Vec<_> = std::fs::read_dir(&tests).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), paths, "each test is a file");
    for file in files {
        cleave_report::read_test(&file).unwrap();
    }
}

#[test]
fn a_run_goes_on_when_its_executable_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (program, paths) = slow(folder.path());
    let (own, directory) = (folder.path().join("cleave"), folder.path().join("run"));
    std::fs::copy(env!("CARGO_BIN_EXE_cleave"), &own).unwrap();
    let mut command = Command::new(&own);
    command
        .args(["run", "--workers", "2", "--write-tests", "no", "--output-dir"])
        .arg(&directory)
        .arg(&program);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    soon("paths", || has_paths(&directory).then_some(()));
    std::fs::remove_file(&own).unwrap();
    std::fs::write(&own, "another version").unwrap();
    signal("-KILL", children(child.id())[0]);
    assert!(ended(&mut child).success());
    assert_eq!((digests(&directory).len(), &account(&directory)["worker_deaths"]), (paths, &1.into()));
}

#[test]
fn a_run_that_is_stopped_by_a_signal_goes_on_later() {
    let folder = tempfile::tempdir().unwrap();
    // Longer than twice what it takes to be stopped.
    let (program, paths) = (bits(folder.path(), 13, 12_000), 1 << 13);
    let directory = folder.path().join("run");
    let options = ["--workers", "2", "--write-tests", "no"];
    let mut child = start(&directory, &options, &program, &[]);
    let mut before = 0;
    // Ctrl-C, and then what system managers send.
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let size = |name: &str| std::fs::metadata(directory.join(name)).map_or(0, |data| data.len());
        soon("more paths", || (size("db.sqlite-wal") > 200_000).then_some(()));
        let workers = children(child.id());
        signal(name, child.id());
        assert_eq!(ended(&mut child).code(), Some(code), "{name}");
        assert!(workers.iter().all(|pid| !runs(*pid)), "{name}: no worker runs on");
        let account = account(&directory);
        assert_eq!(account["stop_reason"], "interrupted", "{name}");
        assert!(account["open_regions"].as_u64() >= Some(1), "{name}: {account}");
        assert_eq!(account["regions"]["leased"], serde_json::Value::Null, "{name}: all was given back");
        let now = digests(&directory).len();
        assert!(before < now && now < paths, "{name}: stopped after {now} paths");
        before = now;
        let mut resume = Command::new(env!("CARGO_BIN_EXE_cleave"));
        resume.args(["resume", "--workers", "2"]).arg(&directory);
        child = resume.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    }
    assert!(ended(&mut child).success());
    assert_eq!(digests(&directory).len(), paths);
    assert_eq!(account(&directory)["stop_reason"], "exhausted");
}

//! Programs with known path counts come out exactly, on one, two and four workers, split at tests of an earlier
//! run, and stopped and resumed; and the paths are the same each time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Case {
    source: PathBuf,
    defines: Vec<String>,
    arguments: Vec<String>,
    /// Those that end by themselves.
    paths: u64,
    failed: u64,
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

fn number(line: &str, key: &str) -> Option<u64> {
    let rest = line.split_whitespace().find_map(|word| word.strip_prefix(key))?;
    rest.parse().ok()
}

/// The expectations in the headers of the programs in `folder`, up to `most` paths.
fn cases(folder: &str, most: u64) -> Vec<Case> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(programs().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for source in files {
        let text = std::fs::read_to_string(&source).unwrap();
        let header = |what: &str| -> Vec<String> {
            let mark = format!("// cleave: {what} ");
            text.lines().filter_map(|l| l.trim().strip_prefix(&mark).map(String::from)).collect()
        };
        let arguments: Vec<String> =
            header("args").iter().flat_map(|l| l.split_whitespace().map(String::from)).collect();
        for line in header("expect") {
            let Some(paths) = number(&line, "paths=") else { continue };
            let defines = line.split_whitespace().filter(|w| w.starts_with("-D")).map(String::from).collect();
            let failed = number(&line, "failed=").unwrap_or(0);
            if paths <= most {
                let (source, arguments) = (source.clone(), arguments.clone());
                cases.push(Case { source, defines, arguments, paths, failed });
            }
        }
    }
    assert!(!cases.is_empty(), "no expectations in {folder}");
    cases
}

struct Run {
    directory: PathBuf,
    completed: u64,
    failed: u64,
    digests: BTreeSet<String>,
}

fn cleave(arguments: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_cleave")).args(arguments).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "cleave {arguments:?}: {stdout}{stderr}");
    stdout.into_owned()
}

fn look(directory: &Path) -> Run {
    let name = directory.to_str().unwrap();
    let account: serde_json::Value = serde_json::from_str(&cleave(&["stats", "--json", name])).unwrap();
    let count = |key: &str| account["paths"][key].as_u64().unwrap();
    assert_eq!(count("unsupported") + count("unknown") + count("cut"), 0, "{account}");
    let mut digests = BTreeSet::new();
    for line in cleave(&["list", "--json", name]).lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        if record["record"] == "test" {
            assert!(digests.insert(record["path"].as_str().unwrap().to_string()), "a path twice: {record}");
        }
    }
    Run { directory: directory.into(), completed: count("completed"), failed: count("failed"), digests }
}

/// The executable of a case.
fn build(case: &Case, scratch: &Path) -> PathBuf {
    let program = scratch.join("program");
    let mut arguments = vec!["cc", "-O0", "-o", program.to_str().unwrap(), case.source.to_str().unwrap()];
    arguments.extend(case.defines.iter().map(String::as_str));
    cleave(&arguments);
    program
}

fn explore(case: &Case, program: &Path, directory: &Path, options: &[&str]) -> Run {
    let mut arguments = vec!["run", "--output-dir", directory.to_str().unwrap()];
    arguments.extend(options);
    arguments.push(program.to_str().unwrap());
    arguments.extend(case.arguments.iter().map(String::as_str));
    cleave(&arguments);
    look(directory)
}

fn check(case: &Case, run: &Run, how: &str) {
    let name = format!("{} {:?} {how}", case.source.display(), case.defines);
    assert_eq!((run.completed, run.failed), (case.paths, case.failed), "{name}");
    assert_eq!(run.digests.len() as u64, case.paths + case.failed, "{name}");
}

fn all_ways(case: &Case) {
    let scratch = tempfile::tempdir().unwrap();
    let place = |name: &str| scratch.path().join(name);
    let program = build(case, scratch.path());
    let one = explore(case, &program, &place("one"), &["--workers", "1"]);
    check(case, &one, "on one worker");
    for workers in ["2", "4"] {
        let more = explore(case, &program, &place(workers), &["--workers", workers, "--write-tests", "no"]);
        check(case, &more, workers);
        assert_eq!(one.digests, more.digests, "the same paths on {workers} workers");
    }
    for workers in ["1", "2", "4"] {
        let options = ["--mode", "concolic", "--workers", workers, "--write-tests", "no"];
        let how = format!("concolic on {workers}");
        let run = explore(case, &program, &place(&how), &options);
        check(case, &run, &how);
        assert_eq!(one.digests, run.digests, "the same paths {how}");
    }
    let tests = one.directory.join("tests");
    let pick = |k: u64| tests.join(format!("test{:06}.ktest", 1 + k % case.paths)).display().to_string();
    let split = [pick(case.paths / 3), pick(case.paths * 7 / 9), pick(12345)].join(",");
    let ranges = explore(
        case,
        &program,
        &place("ranges"),
        &["--workers", "2", "--write-tests", "no", "--split-at", &split],
    );
    check(case, &ranges, "split at tests");
    assert_eq!(one.digests, ranges.digests, "the same paths in ranges");
    let most = (case.paths / 2).max(1).to_string();
    explore_part(case, &program, &place("resumed"), &most);
    cleave(&["resume", "--workers", "2", place("resumed").to_str().unwrap()]);
    let resumed = look(&place("resumed"));
    check(case, &resumed, "stopped and resumed");
    assert_eq!(one.digests, resumed.digests, "the same paths after a stop");
}

fn explore_part(case: &Case, program: &Path, directory: &Path, most: &str) {
    let run =
        explore(case, program, directory, &["--workers", "2", "--write-tests", "no", "--max-paths", most]);
    assert!(run.completed + run.failed <= case.paths);
}

#[test]
fn known_path_counts_are_exact_in_all_ways_of_running() {
    for case in cases("oracles", 3000) {
        all_ways(&case);
    }
}

#[test]
fn large_path_counts_are_exact() {
    for case in cases("oracles", 50_000).into_iter().filter(|c| c.paths > 3000) {
        let scratch = tempfile::tempdir().unwrap();
        let program = build(&case, scratch.path());
        let options = ["--workers", "2", "--write-tests", "no"];
        check(&case, &explore(&case, &program, &scratch.path().join("run"), &options), "on two workers");
    }
}

#[test]
fn the_programs_of_s2pf_have_their_known_path_counts() {
    for case in cases("s2pf", 20_000) {
        if (30..250).contains(&case.paths) {
            all_ways(&case);
        } else {
            let scratch = tempfile::tempdir().unwrap();
            let program = build(&case, scratch.path());
            let options = ["--workers", "2", "--write-tests", "no"];
            check(&case, &explore(&case, &program, &scratch.path().join("run"), &options), "on two workers");
        }
    }
}

#[test]
fn the_wheel_brake_system_has_as_many_sides_as_the_paper_asked_about() {
    let source = programs().join("s2pf/wbs.c");
    let case = Case { source, defines: vec!["-DN=3".into()], arguments: vec![], paths: 13_824, failed: 0 };
    let scratch = tempfile::tempdir().unwrap();
    let program = build(&case, scratch.path());
    let directory = scratch.path().join("run");
    let run = explore(&case, &program, &directory, &["--workers", "1", "--write-tests", "no"]);
    check(&case, &run, "on one worker");
    let account = cleave(&["stats", "--json", directory.to_str().unwrap()]);
    let account: serde_json::Value = serde_json::from_str(&account).unwrap();
    assert_eq!(account["decisions"].as_u64().map(|n| 2 * n), Some(27_646), "S2PF, Table 1: WBS, mode A");
}

#[test]
fn planted_bugs_are_found_and_nothing_else() {
    for case in cases("bugs", 50_000) {
        let scratch = tempfile::tempdir().unwrap();
        let program = build(&case, scratch.path());
        check(&case, &explore(&case, &program, &scratch.path().join("run"), &["--workers", "1"]), "bugs");
    }
}

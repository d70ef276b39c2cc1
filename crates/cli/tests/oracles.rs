//! Programs with known path counts come out exactly, on one, two and four workers, in either mode, split at tests of
//! an earlier run, and stopped and resumed; and the paths are the same each time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{self, built};

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
    // 3 and 4: bugs are found, which some programs have, or a limit stopped the run.
    assert!(matches!(out.status.code(), Some(0 | 3 | 4)), "cleave {arguments:?}: {stdout}{stderr}");
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
    let mut compiler = support::cleave();
    built(compiler.args(["cc", "-O0", "-o"]).args([&program, &case.source]).args(&case.defines));
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

/// The ways of running a case beside the plain one on one worker.
const WAYS: [&[&str]; 7] = [
    &["--workers", "2"],
    &["--mode", "concolic", "--workers", "1"],
    &["--split-at"],
    &["--workers", "4"],
    &["--mode", "concolic", "--workers", "2"],
    &["--max-paths"],
    &["--mode", "concolic", "--workers", "4"],
];

/// A run of a case in one of the ways. `one`: a plain one that wrote its tests.
fn explore_by(way: &[&str], case: &Case, program: &Path, one: &Run, directory: &Path) -> Run {
    match way {
        ["--split-at"] => {
            let test = |k: u64| {
                let name = format!("tests/test{:06}.ktest", 1 + k % case.paths);
                one.directory.join(name).display().to_string()
            };
            let split = [test(case.paths / 3), test(case.paths * 7 / 9), test(12345)].join(",");
            let options = ["--workers", "2", "--write-tests", "no", "--split-at", &split];
            explore(case, program, directory, &options)
        }
        ["--max-paths"] => {
            let most = (case.paths / 2).max(1).to_string();
            let options = ["--workers", "2", "--write-tests", "no", "--max-paths", &most];
            let part = explore(case, program, directory, &options);
            assert_eq!((part.completed + part.failed).to_string(), most);
            cleave(&["resume", "--workers", "2", directory.to_str().unwrap()]);
            look(directory)
        }
        _ => explore(case, program, directory, &[way, &["--write-tests", "no"]].concat()),
    }
}

/// Runs a case on one worker and then in these ways; the paths are the known ones, and each time the same.
fn check_ways<'a>(case: &Case, ways: impl IntoIterator<Item = &'a &'a [&'a str]>) {
    let scratch = tempfile::tempdir().unwrap();
    let program = build(case, scratch.path());
    let one = explore(case, &program, &scratch.path().join("one"), &["--workers", "1"]);
    check(case, &one, "on one worker");
    for (i, way) in ways.into_iter().enumerate() {
        let run = explore_by(way, case, &program, &one, &scratch.path().join(i.to_string()));
        check(case, &run, &format!("{way:?}"));
        assert_eq!(
            one.digests,
            run.digests,
            "{} {:?}: other paths by {way:?}",
            case.source.display(),
            case.defines
        );
    }
}

/// Runs each case in one of the ways: they take turns, from small cases to large ones, so that each way meets both.
/// With CLEAVE_TEST_ALL each case in all of them.
fn check_in_turn(mut cases: Vec<Case>) {
    cases.sort_by_key(|case| case.paths);
    for (i, case) in cases.iter().enumerate() {
        match std::env::var_os("CLEAVE_TEST_ALL") {
            Some(_) => check_ways(case, &WAYS),
            None => check_ways(case, [&WAYS[i % WAYS.len()]]),
        }
    }
}

#[test]
fn known_path_counts_are_exact_in_all_ways_of_running() {
    check_in_turn(cases("oracles", 3000));
}

fn check_on_two(case: &Case) {
    let scratch = tempfile::tempdir().unwrap();
    let program = build(case, scratch.path());
    let options = ["--workers", "2", "--write-tests", "no"];
    check(case, &explore(case, &program, &scratch.path().join("run"), &options), "on two workers");
}

#[test]
fn large_path_counts_are_exact() {
    cases("oracles", 50_000).iter().filter(|case| case.paths > 3000).for_each(check_on_two);
}

#[test]
fn the_programs_of_s2pf_have_their_known_path_counts() {
    let (few, many): (Vec<_>, Vec<_>) = cases("s2pf", 20_000).into_iter().partition(|case| case.paths < 250);
    check_in_turn(few);
    many.iter().for_each(check_on_two);
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

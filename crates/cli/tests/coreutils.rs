//! GNU coreutils and grep, as Debian's source packages have them, on symbolic arguments and symbolic standard input:
//! nothing in them is unsupported, what can be explored to the end is the same however it is run, and the native
//! programs do on every test what was foretold.
//!
//! The length of an argument is at most 4 here. `echo` and `basename` end with two such arguments. `sum` cannot:
//! a file name that it cannot open is quoted in its message, and the quoting distinguishes some twenty classes of
//! characters and what follows them, so one argument of up to 1, 2, 3, 4 characters has 29, 478, 9,208 and about
//! 180,000 paths, and a second argument squares that. So `sum` ends with one argument of up to 2 characters.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cleave_report::KTest;
use serde_json::Value;

use crate::session::*;

/// The programs, and for each two command lines that mean something to it. If a run is stopped early, the path space is cut
/// at these inputs and each range is explored for a while: depth-first alone would see only the beginning, which is no
/// argument at all.
const PROGRAMS: [(&str, [&[&str]; 2]); 12] = [
    ("echo", [&["-e", "a\\t\\0"], &["-nE", "x"]]),
    ("cat", [&["-A", "-"], &["-bs"]]),
    ("base64", [&["-d"], &["-w3", "-"]]),
    ("basename", [&["a/b", "b"], &["-az", "/"]]),
    ("cut", [&["-b2-"], &["-d ", "-f1"]]),
    ("uniq", [&["-c", "-f1"], &["-D", "-"]]),
    ("tr", [&["a-c", "[:"], &["-d", "b-d"]]),
    ("wc", [&["-L"], &["-c", "-"]]),
    ("expand", [&["-t3"], &["-i"]]),
    ("fold", [&["-w3", "-s"], &["-b"]]),
    ("printf", [&["%c\\n", "z"], &["%5d", "12"]]),
    ("sum", [&["-s"], &["-r", "-"]]),
];

const INPUTS: [&str; 6] = ["--sym-args", "0", "2", "4", "--sym-stdin", "8"];

/// Number of tests of a run that are replayed, evenly chosen, unless CLEAVE_TEST_ALL is set.
const SAMPLE: usize = 2000;

#[track_caller]
fn built(package: &str, name: &str) -> PathBuf {
    let program =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build").join(package).join("bin").join(name);
    assert!(program.exists(), "{} is not there; `make {package}` builds it", program.display());
    program.canonicalize().unwrap()
}

/// The input with these arguments, as a test for `program` on `inputs`.
fn beginning(program: &Path, arguments: &[&str]) -> KTest {
    let count = u32::try_from(arguments.len()).unwrap();
    let mut objects = vec![("n_args".to_owned(), count.to_le_bytes().to_vec())];
    for (i, argument) in arguments.iter().enumerate() {
        let mut bytes = argument.as_bytes().to_vec();
        bytes.resize(5, 0);
        objects.push((format!("arg{i:02}"), bytes));
    }
    objects.push(("stdin".to_owned(), b"a b\n\tc\n\n".to_vec()));
    let name = program.file_name().unwrap().as_encoded_bytes().to_vec();
    let args = std::iter::once(name).chain(INPUTS.iter().map(|a| a.as_bytes().to_vec())).collect();
    KTest { args, objects, ..KTest::default() }
}

/// Options that split a run at these inputs, with a worker for each range.
fn in_ranges(folder: &Path, program: &Path, beginnings: &[&[&str]]) -> Vec<String> {
    let mut options = vec!["--workers".to_owned(), (beginnings.len() + 1).to_string()];
    for (i, arguments) in beginnings.iter().enumerate() {
        let file = folder.join(format!("{i}.ktest"));
        std::fs::write(&file, beginning(program, arguments).to_bytes().unwrap()).unwrap();
        options.extend(["--split-at".to_owned(), path_text(&file).to_owned()]);
    }
    options
}

/// A folder in memory if there is one: a new file costs a fraction of what it costs on a disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Explores without a panic, and every path completes.
#[track_caller]
fn explore(directory: &Path, options: &[&str], program: &Path, inputs: &[&str]) {
    let output = run(directory, options, program, inputs);
    succeeded(&output);
    whole(directory, &text(&output.stderr));
}

#[track_caller]
fn resume(directory: &Path, workers: &str) {
    let words = ["resume", "--workers", workers].map(OsString::from);
    let output = cleave(words.into_iter().chain([directory.into()]));
    assert!(succeeded(&output).contains("every path is explored"), "{}", directory.display());
    whole(directory, &text(&output.stderr));
}

#[track_caller]
fn whole(directory: &Path, said: &str) {
    assert!(!said.contains("panicked") && !said.contains("internal error"), "{said}");
    let account = account(directory);
    for kind in ["failed", "unsupported", "unknown", "cut"] {
        assert_eq!(account["paths"][kind], 0, "{}: {kind}: {account:#}", directory.display());
    }
    assert_eq!(account["worker_deaths"], 0, "{account:#}");
}

/// Up to `most` tests of a run, evenly chosen in the order of their digests, do natively what was foretold.
#[track_caller]
fn judge(program: &Path, directory: &Path, most: usize) {
    let mut tests = records(directory);
    tests.retain(|r| r["record"] == "test");
    tests.sort_by_key(|r| r["path"].as_str().unwrap().to_owned());
    let step = tests.len().div_ceil(most).max(1);
    let chosen: Vec<OsString> = tests.iter().step_by(step).map(|r| file_of(directory, r).into()).collect();
    assert!(!chosen.is_empty());
    for some in chosen.chunks(SAMPLE) {
        let words = ["replay", "--json", path_text(program)].map(OsString::from);
        let replayed = cleave(words.into_iter().chain(some.iter().cloned()));
        let verdicts = text(&replayed.stdout);
        let (good, bad): (Vec<&str>, Vec<&str>) =
            verdicts.lines().partition(|l| l.contains("\"verdict\":\"agrees\""));
        assert!(bad.is_empty(), "{}: {bad:#?}", program.display());
        assert_eq!(good.len(), some.len(), "{}: {}", program.display(), text(&replayed.stderr));
        assert!(replayed.status.success());
    }
}

fn file_of(directory: &Path, record: &Value) -> PathBuf {
    directory.join("tests").join(format!("test{:06}.ktest", record["id"].as_u64().unwrap()))
}

#[test]
fn nothing_is_unsupported_and_every_test_does_natively_what_was_foretold() {
    let folder = folder();
    for (name, beginnings) in PROGRAMS {
        let (program, directory) = (built("coreutils", name), folder.path().join(name));
        let split = in_ranges(folder.path(), &program, &beginnings);
        let mut options: Vec<&str> = split.iter().map(String::as_str).collect();
        options.extend(["--max-paths", "600"]);
        explore(&directory, &options, &program, &INPUTS);
        let paths = account(&directory)["paths"]["completed"].as_u64().unwrap();
        assert!(paths >= 600, "{name}: {paths} paths");
        judge(&program, &directory, usize::MAX);
    }
}

/// The output of these programs is the world's: clocks, numbers, owners and times of files, the order of a directory. Their
/// paths are drawn at random, as depth-first alone takes the end of the path space.
#[test]
fn programs_that_show_the_world_do_natively_what_was_foretold() {
    let folder = folder();
    let inputs = ["--sym-args", "0", "2", "3", "--sym-files", "1", "4", "--sym-stdin", "6"];
    for name in ["date", "ls", "stat"] {
        let (program, directory) = (built("coreutils", name), folder.path().join(name));
        explore(&directory, &["--search", "random-path", "--max-paths", "100"], &program, &inputs);
        judge(&program, &directory, usize::MAX);
    }
}

/// The same paths on one worker, on two, in ranges, and stopped and resumed; and the native program agrees.
#[track_caller]
fn explored_to_the_end(name: &str, inputs: &[&str], least: usize) {
    let folder = folder();
    let program = built("coreutils", name);
    let place = |how: &str| folder.path().join(how);
    let same = |how: &str, one: &BTreeSet<String>| {
        assert!(digests(&place(how)) == *one, "{name}: {how}: not the paths of one worker");
    };
    explore(&place("one"), &["--workers", "1"], &program, inputs);
    let one = digests(&place("one"));
    assert!(one.len() >= least, "{name}: {} paths", one.len());

    explore(&place("two"), &["--workers", "2", "--write-tests", "no"], &program, inputs);
    same("two", &one);
    let part = (one.len() / 5).to_string();
    for (how, first, second) in [("stopped", "1", "2"), ("stopped, two", "2", "1")] {
        let options = ["--workers", first, "--write-tests", "no", "--max-paths", &part];
        explore(&place(how), &options, &program, inputs);
        assert_eq!(digests(&place(how)).len(), one.len() / 5, "{name}: {how}");
        assert_ne!(account(&place(how))["open_regions"], 0, "{name}: it was to be stopped");
        resume(&place(how), second);
        same(how, &one);
    }
    let most = if std::env::var_os("CLEAVE_TEST_ALL").is_some() { usize::MAX } else { SAMPLE };
    judge(&program, &place("one"), most);
}

#[test]
fn echo_is_explored_to_the_end_the_same_in_every_way() {
    explored_to_the_end("echo", &INPUTS, 10_000);
}

#[test]
fn basename_is_explored_to_the_end_the_same_in_every_way() {
    explored_to_the_end("basename", &INPUTS, 4_000);
}

#[test]
fn sum_is_explored_to_the_end_the_same_in_every_way() {
    explored_to_the_end("sum", &["--sym-args", "0", "1", "2", "--sym-stdin", "8"], 400);
}

/// The case that ParSym was measured on (Siddiqui and Khurshid, ICSTE 2010): a pattern of 10 and a text of 40 characters.
/// Depth-first alone takes the end of the path space, whose patterns are one character that is not special.
#[test]
fn grep_with_a_symbolic_pattern_and_text_does_natively_what_was_foretold() {
    let folder = folder();
    let program = built("grep", "grep");
    for search in ["dfs", "random-path", "covnew"] {
        let directory = folder.path().join(search);
        let inputs = ["--sym-arg", "10", "--sym-stdin", "40"];
        // One worker, so that the same states are chosen each time: where a theft leaves a worker only states between which
        // 40 characters lie, random-path finds no end of a path for minutes.
        let how = ["--workers", "1", "--search", search, "--max-paths", "300"];
        explore(&directory, &how, &program, &inputs);
        assert!(digests(&directory).len() >= 300, "{search}: {}", account(&directory));
        judge(&program, &directory, usize::MAX);
    }
}

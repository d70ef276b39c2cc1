//! `cleave testcomp` and `cleave svcomp` on tasks of our own (programs/competition): suites, verdicts, witnesses, last lines.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use crate::session::*;

fn folder_of_tasks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/competition")
}

/// Runs a command of the competitions on a task, with results in `folder`.
fn asked(command: &str, property: &str, task: &str, folder: &Path, options: &[&str]) -> Output {
    let tasks = folder_of_tasks();
    let mut run = command_within("100");
    run.arg(command).arg("--property").arg(tasks.join("properties").join(property).with_extension("prp"));
    let limit: &[&str] = if options.contains(&"--max-time") { &[] } else { &["--max-time", "60"] };
    run.arg("--output").arg(folder).args(limit).args(options);
    run.arg(tasks.join(task).with_extension("c"));
    run.output().unwrap()
}

/// The last line of a command that has an answer.
#[track_caller]
fn last_line(output: &Output) -> String {
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{out}{}", text(&output.stderr));
    out.lines().last().unwrap_or("").to_string()
}

/// The tests of a suite, as texts.
fn tests_of(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder.join("test-suite")).unwrap();
    let tests = files.map(|file| file.unwrap().path()).filter(|path| !path.ends_with("metadata.xml"));
    tests.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// The values of a test in their order.
fn inputs(test: &str) -> Vec<f64> {
    let lines =
        test.lines().filter_map(|line| line.trim().strip_prefix("<input variable=\"")?.split_once('>'));
    lines.map(|(_, value)| value.strip_suffix("</input>").unwrap().parse().unwrap()).collect()
}

#[test]
fn a_suite_for_the_error_has_one_test_past_other_bugs() {
    let folder = tempfile::tempdir().unwrap();
    let output = asked("testcomp", "coverage-error-call", "behind_other_bugs", folder.path(), &[]);
    assert_eq!(last_line(&output), "DONE");
    let tests = tests_of(folder.path());
    let [test] = &tests[..] else { panic!("{tests:?}") };
    let [n, s, f] = inputs(test)[..] else { panic!("{test}") };
    assert!((-2_147_483_648.0..0.0).contains(&n) && s == -3.0 && 1.5 < f && f < 1.75, "{test}");
    let metadata = std::fs::read_to_string(folder.path().join("test-suite/metadata.xml")).unwrap();
    assert!(metadata.contains("@CALL(reach_error)") && metadata.contains(">64bit<"), "{metadata}");
}

#[test]
fn a_suite_for_branches_ends_when_all_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let output = asked("testcomp", "coverage-branches", "endless_input", folder.path(), &[]);
    assert_eq!(last_line(&output), "DONE");
    assert!(text(&output.stdout).contains("stopped: covered"), "{}", text(&output.stdout));
    assert!(start.elapsed() < Duration::from_secs(45), "{:?}", start.elapsed());
    assert!(!tests_of(folder.path()).is_empty());
}

#[test]
fn old_c_compiles() {
    let folder = tempfile::tempdir().unwrap();
    let output = asked("testcomp", "coverage-error-call", "old_c", folder.path(), &[]);
    assert_eq!(last_line(&output), "DONE");
    let tests = tests_of(folder.path());
    let [test] = &tests[..] else { panic!("{tests:?}") };
    let n = inputs(test)[0] as i64;
    assert_eq!(n / 2 * 2, 12344, "{test}");
}

#[test]
fn verdicts_are_those_of_the_tasks() {
    for (task, property, answer) in [
        ("safe_sum", "unreach-call", "TRUE"),
        ("safe_sum", "valid-memsafety", "TRUE"),
        ("safe_sum", "no-overflow", "TRUE"),
        ("safe_sum", "termination", "UNKNOWN"),
        ("old_c", "unreach-call", "FALSE(unreach-call)"),
        ("unsafe_index", "valid-memsafety", "FALSE(valid-deref)"),
        ("unsafe_index", "unreach-call", "UNKNOWN"),
        ("unsafe_free", "valid-memsafety", "FALSE(valid-free)"),
        ("lost_memory", "valid-memsafety", "FALSE(valid-memtrack)"),
        ("overflowing", "no-overflow", "FALSE(no-overflow)"),
        ("never_set", "unreach-call", "UNKNOWN"),
        ("endless_input", "no-overflow", "UNKNOWN"),
        ("width_of_long", "unreach-call", "TRUE"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let limit: &[&str] = if task == "endless_input" { &["--max-time", "3"] } else { &[] };
        let output = asked("svcomp", property, task, folder.path(), limit);
        assert_eq!(last_line(&output), answer, "{task} {property}");
        let witness = std::fs::read_to_string(folder.path().join("witness.yml"));
        assert_eq!(witness.is_ok(), answer.starts_with("FALSE"), "{task} {property}");
    }
}

#[test]
fn a_task_for_32_bits_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let narrow = ["--data-model", "ILP32"];
    let output = asked("svcomp", "unreach-call", "width_of_long", folder.path(), &narrow);
    assert_eq!(last_line(&output), "FALSE(unreach-call)");
    let output = asked("svcomp", "unreach-call", "narrow_machine", folder.path(), &narrow);
    assert_eq!(last_line(&output), "TRUE");
    let output = asked("testcomp", "coverage-error-call", "width_of_long", folder.path(), &narrow);
    assert_eq!(last_line(&output), "DONE");
    let tests = tests_of(folder.path());
    let [test] = &tests[..] else { panic!("{tests:?}") };
    assert_eq!(inputs(test), [-5.0], "{test}");
    let output = asked("svcomp", "valid-memsafety", "lost_memory", folder.path(), &narrow);
    assert_eq!(last_line(&output), "FALSE(valid-memtrack)");
    let output = asked("svcomp", "valid-memsafety", "safe_sum", folder.path(), &narrow);
    assert_eq!(last_line(&output), "TRUE");
}

/// Addresses of 32 bits are enough for long lists and deep recursion, and an object may have several slots.
const MANY_OBJECTS: &str = "
    #include <stdlib.h>
    struct node { struct node *next; };
    static int depth(struct node *n)
    {
        int here = 1, *p = &here;
        return n ? *p + depth(n->next) : 0;
    }
    int main(void)
    {
        struct node *head = 0;
        for (int i = 0; i < 20000; i++) {
            struct node *n = malloc(sizeof *n);
            if (!n)
                return 2;
            n->next = head;
            head = n;
        }
        char *large = malloc(100000), *end = large + 99999, *middle = end - 50000;
        *end = 7;
        *middle = 3;
        if (middle - large != 49999 || large[49999] != 3 || middle > end)
            return 3;
        return depth(head) == 20000 ? 0 : 1;
    }";

#[test]
fn programs_for_32_bits_have_many_objects() {
    let folder = tempfile::tempdir().unwrap();
    let (source, run) = (folder.path().join("many.c"), folder.path().join("run"));
    std::fs::write(&source, MANY_OBJECTS).unwrap();
    for width in ["-m32", "-O0"] {
        let output = command().args(["run", width, "--output-dir"]).args([&run, &source]).output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.success() && !said.contains("depends on the addresses"), "{width}: {said}");
        let tests = crate::session::records(&run);
        assert!(tests.iter().any(|r| r["record"] == "test" && r["exit_status"] == 0), "{width}: {tests:?}");
        std::fs::remove_dir_all(&run).unwrap();
    }
}

#[test]
fn a_witness_names_the_task_and_the_line_of_its_target() {
    let folder = tempfile::tempdir().unwrap();
    asked("svcomp", "valid-memsafety", "unsafe_index", folder.path(), &[]);
    let witness = std::fs::read_to_string(folder.path().join("witness.yml")).unwrap();
    for part in [
        "entry_type: violation_sequence",
        "format_version: \"2.0\"",
        "specification: \"G valid-free\"",
        "data_model: LP64",
        "type: target",
        "unsafe_index.c\"",
        "line: 9",
    ] {
        assert!(witness.contains(part), "{part}: {witness}");
    }
}

#[test]
fn a_task_that_makes_no_sense_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for (command, property, task, part) in [
        ("testcomp", "unreach-call", "safe_sum", "asks for no tests"),
        ("svcomp", "coverage-branches", "safe_sum", "asks for tests"),
        ("svcomp", "no_such_file", "safe_sum", "cannot read the property"),
        ("svcomp", "unreach-call", "no_such_file", "cannot read the task"),
    ] {
        let output = asked(command, property, task, folder.path(), &[]);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(part) && error.lines().count() == 1, "{part}: {error}");
    }
}

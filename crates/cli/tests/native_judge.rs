//! The native run is the judge: each program in `programs/features` is explored, and each of its tests does
//! natively what was foretold, exit status and standard output.

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};
use support::{Program, cleave, corpus, each, limited, succeeded};

/// The lines of JSON that a command prints.
#[track_caller]
fn records(command: &mut Command) -> Vec<Value> {
    let output = succeeded(command);
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn judge(program: &Program) {
    let name = program.source.display();
    let scratch = tempfile::tempdir().unwrap();
    let executable = program.build(scratch.path());
    let run = scratch.path().join("run");
    let mut explore = cleave();
    explore.args(["run", "--workers", "1", "--output-dir"]).arg(&run).arg(&executable);
    succeeded(explore.args(program.words("args")));
    let listed = records(cleave().args(["list", "--json"]).arg(&run));
    let tests: Vec<_> = listed.iter().filter(|r| r["record"] == "test").collect();
    let other: Vec<_> = tests.iter().filter(|r| r["kind"] != "completed").collect();
    assert!(other.is_empty(), "{name}: paths that did not complete: {other:#?}");
    let expected = program.expected();
    assert_eq!((tests.len() as u64, 0), expected, "{name}: paths");
    if let [status] = program.words("exit")[..] {
        assert_eq!(tests[0]["exit_status"].to_string(), status, "{name}: exit status");
    }

    let replayed = cleave().args(["replay", "--json"]).arg(&executable).arg(&run).output().unwrap();
    let verdicts = String::from_utf8(replayed.stdout).unwrap();
    let agreeing = verdicts.lines().filter(|l| l.contains("\"verdict\":\"agrees\"")).count();
    assert_eq!(agreeing, tests.len(), "{name}: natively\n{verdicts}");
    assert_eq!(verdicts.lines().count(), tests.len(), "{name}: {verdicts}");

    // Without inputs there is nothing to replay: a plain run says the same, past our own replayer.
    if program.words("args").is_empty() && !program.text.contains("klee/klee.h") {
        let native = limited(&executable).env_clear().current_dir(scratch.path()).output().unwrap();
        let digest: String = Sha256::digest(&native.stdout).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(tests[0]["stdout_sha256"], digest.as_str(), "{name}: standard output");
        assert_eq!(tests[0]["exit_status"], serde_json::json!(native.status.code()), "{name}: exit status");
    }
}

#[test]
fn every_feature_does_what_it_does_natively() {
    each(&corpus("features"), judge);
}

#[test]
fn a_call_whose_outcome_no_calling_convention_says_is_unsupported() {
    let source = |call: &str| {
        format!(
            "static void *volatile function;\n\
             __attribute__((noinline)) static void nothing(int a) {{ (void)a; }}\n\
             __attribute__((noinline)) static int plain(int a) {{ return a + 1; }}\n\
             int main(void) {{ void *f = function = nothing; (void)f; (void)plain; {call} }}\n"
        )
    };
    let calls = [
        ("a result that is none", "return ((int (*)(int))function)(1);"),
        ("an argument missing", "function = plain; return ((int (*)(void))function)();"),
        ("an argument of another kind", "function = plain; return ((int (*)(double))function)(1.0);"),
        ("a result too wide", "function = plain; return ((long (*)(int))function)(1) != 2;"),
    ];
    let scratch = tempfile::tempdir().unwrap();
    for (i, (what, call)) in calls.into_iter().enumerate() {
        let file = scratch.path().join(format!("{i}.c"));
        std::fs::write(&file, source(call)).unwrap();
        only_unsupported(&file, what);
    }
}

/// Explores a program whose only path is unsupported; its test.
#[track_caller]
fn only_unsupported(file: &Path, what: &str) -> Value {
    let run = file.with_extension("run");
    succeeded(cleave().args(["run", "--output-dir"]).arg(&run).arg(file));
    let mut tests = records(cleave().args(["list", "--json"]).arg(&run));
    tests.retain(|r| r["record"] == "test");
    assert_eq!(tests.len(), 1, "{what}: {tests:#?}");
    assert_eq!(tests[0]["kind"], "unsupported", "{what}: {tests:#?}");
    tests.remove(0)
}

#[test]
fn what_would_make_another_program_of_this_one_is_unsupported_by_its_name() {
    let functions = [
        "klee_alias_function(ptr, ptr)",
        "klee_alias_function_regex(ptr, ptr)",
        "klee_define_fixed_object(ptr, i64)",
    ];
    let scratch = tempfile::tempdir().unwrap();
    for (i, function) in functions.into_iter().enumerate() {
        let file = scratch.path().join(format!("{i}.ll"));
        let call = function.replace("ptr", "ptr null").replace("i64", "i64 8");
        let text = format!(
            "target triple = \"x86_64-unknown-linux-musl\"\ndeclare void @{function}\n\
             define i32 @main() {{ call void @{call}\n ret i32 0 }}\n"
        );
        std::fs::write(&file, text).unwrap();
        let test = only_unsupported(&file, function);
        let name = function.split('(').next().unwrap();
        assert!(test.to_string().contains(name), "{function}: {test:#?}");
    }
}

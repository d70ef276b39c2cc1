//! The native run is the judge: each program in `programs/features` is explored, and each of its tests does
//! natively what was foretold, exit status and standard output.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{Program, cleave, corpus, each, limited, records, succeeded};

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

/// A machine that allows no namespaces: a user namespace in which there are no further ones.
fn without_namespaces() -> Command {
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_cleave")]);
    command
}

#[test]
fn the_world_is_the_same_where_there_are_no_namespaces() {
    let scratch = tempfile::tempdir().unwrap();
    let programs = corpus("features");
    let shows =
        |p: &&Program| p.source.file_name().is_some_and(|n| n.to_string_lossy().starts_with("world_"));
    let programs: Vec<&Program> = programs.iter().filter(shows).collect();
    assert!(programs.len() >= 2);
    for program in programs {
        let executable = program.build(scratch.path());
        let run = executable.with_extension("run");
        let mut explore = cleave();
        explore.args(["run", "--workers", "1", "--output-dir"]).arg(&run).arg(&executable);
        succeeded(explore.args(program.words("args")));
        let replayed = records(without_namespaces().args(["replay", "--json"]).arg(&executable).arg(&run));
        assert!(!replayed.is_empty());
        assert!(replayed.iter().all(|r| r["verdict"] == "agrees"), "{replayed:#?}");
    }
}

/// Explores a source; the executable and the run.
fn explored(folder: &Path, name: &str, code: &str) -> (PathBuf, PathBuf) {
    explored_with(&[], folder, name, code)
}

/// As [`explored`], with options of the run.
fn explored_with(options: &[&str], folder: &Path, name: &str, code: &str) -> (PathBuf, PathBuf) {
    let (source, executable) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&source, code).unwrap();
    succeeded(cleave().args(["cc", "-O0", "-o"]).arg(&executable).arg(&source));
    let run = folder.join(format!("{name}.run"));
    succeeded(
        cleave().args(["run", "--workers", "1", "--output-dir"]).arg(&run).args(options).arg(&executable),
    );
    (executable, run)
}

#[test]
fn output_that_depends_on_addresses_is_no_difference_but_other_output_is() {
    let random = std::fs::read_to_string("/proc/sys/kernel/randomize_va_space").unwrap();
    if random.trim() == "0" {
        println!("this machine has no random addresses");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let code = "#include <stdio.h>\nint main(void) { int x; printf(\"%p\\n\", (void *)&x); return 0; }\n";
    let (executable, run) = explored(scratch.path(), "address", code);
    let verdicts = records(cleave().args(["replay", "--json"]).arg(&executable).arg(&run));
    assert_eq!(verdicts[0]["verdict"], "ran", "{verdicts:#?}");
    assert!(verdicts[0]["text"].as_str().unwrap().contains("addresses"), "{verdicts:#?}");
}

#[test]
fn a_value_that_was_never_set_is_no_difference_where_the_run_did_not_look_for_it() {
    let scratch = tempfile::tempdir().unwrap();
    let code = "#include <stdio.h>\n\
        static void fill(void) { volatile char bytes[64]; for (int i = 0; i < 64; i++) bytes[i] = 7; }\n\
        static int unset(void) { volatile char bytes[64]; return bytes[5]; }\n\
        int main(void) { fill(); printf(\"%d\\n\", unset()); return 0; }\n";
    let (executable, run) = explored_with(&["--check", "-uninitialised"], scratch.path(), "unset", code);
    let verdicts = records(cleave().args(["replay", "--json"]).arg(&executable).arg(&run));
    assert_eq!(verdicts[0]["verdict"], "ran", "{verdicts:#?}");
    assert!(verdicts[0]["text"].as_str().unwrap().contains("--check -uninitialised"), "{verdicts:#?}");
}

#[test]
fn the_tests_of_another_build_are_replayed_with_a_warning_where_they_differ() {
    let scratch = tempfile::tempdir().unwrap();
    let code =
        |n: u8| format!("#include <stdio.h>\nint main(void) {{ printf(\"%d\\n\", {n}); return 0; }}\n");
    let (executable, run) = explored(scratch.path(), "program", &code(1));
    let said = |executable: &Path| {
        let output = cleave().arg("replay").arg(executable).arg(&run).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(said(&executable), (Some(0), String::new()));
    let other = scratch.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let (rebuilt, _) = explored(&other, "program", &code(2));
    let (status, warning) = said(&rebuilt);
    assert_eq!(status, Some(1), "{warning}");
    assert!(warning.contains("another build") && warning.lines().count() == 1, "{warning}");
}

#[test]
fn a_call_whose_outcome_no_calling_convention_says_is_unsupported() {
    let source = |call: &str| {
        format!(
            "__attribute__((noinline)) static int character(signed char a) {{ return a; }}\n\
             __attribute__((noinline)) static int variadic(int a, ...) {{ return a; }}\n\
             int main(void) {{ (void)character; (void)variadic; {call} }}\n"
        )
    };
    let calls = [
        ("a number that is no character", "return ((int (*)(int))character)(300);"),
        ("floating point for a variadic function", "return ((int (*)(int, double))variadic)(1, 2.0);"),
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
    let functions = ["klee_alias_function(ptr, ptr)", "klee_alias_function_regex(ptr, ptr)"];
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

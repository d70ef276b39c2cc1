//! Programs whose header has a `levels` line come to the same ends at each of these levels of optimisation, in
//! symbolic and in concolic mode, under the self-check, and each of their tests does natively what was foretold.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Program, built, cleave, corpus, each, succeeded};

/// Counts of a run: paths that completed, failed, and were assumed away.
type Counts = (u64, u64, u64);

fn account(run: &Path) -> Value {
    let output = succeeded(cleave().args(["stats", "--json"]).arg(run));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn counts(run: &Path) -> Counts {
    let account = account(run);
    let count = |key: &str| account["paths"][key].as_u64().unwrap();
    assert_eq!(count("unsupported") + count("cut") + count("unknown"), 0, "{account}");
    assert_eq!(account["open_regions"], 0, "{account}");
    (count("completed"), count("failed"), count("assumed_away"))
}

fn explored(program: &Program, executable: &Path, run: PathBuf, options: &[&str]) -> PathBuf {
    let mut command = cleave();
    command.args(["run", "--self-check", "--all-errors"]).args(options).arg("--output-dir").arg(&run);
    succeeded(command.arg(executable).args(program.words("args")));
    run
}

/// The suffixes of the error files.
fn kinds(run: &Path) -> BTreeSet<String> {
    let files = std::fs::read_dir(run.join("tests")).unwrap().map(|e| e.unwrap().file_name());
    let errors =
        files.filter_map(|name| Some(name.to_str()?.strip_suffix(".err")?.split_once('.')?.1.to_string()));
    errors.collect()
}

fn at_level(program: &Program, level: &str, folder: &Path) -> PathBuf {
    let executable = folder.join(format!("program{level}"));
    let mut command = cleave();
    command.args(["cc", level]).args(program.words("flags")).arg("-o").arg(&executable).arg(&program.source);
    built(&mut command);
    executable
}

fn expected(program: &Program) -> Counts {
    let (paths, failed) = program.expected();
    let words = program.header("expect")[0].split_whitespace();
    let assumed = words.filter_map(|w| w.strip_prefix("assumed=")).map(|n| n.parse::<u64>().unwrap()).sum();
    (paths, failed, assumed)
}

fn judge(program: &Program) {
    let scratch = tempfile::tempdir().unwrap();
    for level in program.words("levels") {
        let executable = at_level(program, level, scratch.path());
        for mode in ["symbolic", "concolic"] {
            let name = format!("{} {level} {mode}", program.source.display());
            let run = scratch.path().join(format!("{mode}{level}"));
            let run = explored(program, &executable, run, &["--workers", "1", "--mode", mode]);
            assert_eq!(counts(&run), expected(program), "{name}");
            let bugs: BTreeSet<String> = program.words("bug").into_iter().map(String::from).collect();
            assert_eq!(kinds(&run), bugs, "{name}");
            let replayed = cleave().args(["replay", "--json"]).arg(&executable).arg(&run).output().unwrap();
            let verdicts = String::from_utf8(replayed.stdout).unwrap();
            let differing: Vec<&str> =
                verdicts.lines().filter(|l| l.contains("\"verdict\":\"differs\"")).collect();
            assert!(differing.is_empty(), "{name}: {differing:#?}");
            let agreeing = verdicts.lines().filter(|l| l.contains("\"verdict\":\"agrees\"")).count() as u64;
            assert!(agreeing >= expected(program).0, "{name}: {verdicts}");
        }
    }
}

#[test]
fn a_program_comes_to_the_same_ends_at_every_level_and_in_both_modes() {
    let mut programs = corpus("features");
    programs.extend(corpus("bugs"));
    programs.retain(|p| !p.words("levels").is_empty());
    assert!(programs.len() > 5);
    each(&programs, judge);
}

#[test]
fn as_many_paths_are_assumed_away_whoever_finds_out_and_when() {
    let programs = corpus("features");
    let program = programs.iter().find(|p| p.source.ends_with("assumptions.c")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let executable = at_level(program, "-O0", scratch.path());
    let ways: [&[&str]; 8] = [
        &["--workers", "2"],
        &["--workers", "1", "--feasibility", "lazy"],
        &["--workers", "1", "--feasibility", "speculative"],
        &["--workers", "1", "--profile", "s2pf-a"],
        &["--workers", "1", "--profile", "s2pf-d"],
        &["--workers", "1", "--search", "random-path"],
        &["--workers", "2", "--mode", "concolic"],
        &["--workers", "1", "--max-paths", "4"],
    ];
    for (i, way) in ways.into_iter().enumerate() {
        let run = explored(program, &executable, scratch.path().join(i.to_string()), way);
        if way.contains(&"--max-paths") {
            let paths = &account(&run)["paths"];
            let ended = ["completed", "failed", "assumed_away"].map(|key| paths[key].as_u64().unwrap());
            assert_eq!(ended.iter().sum::<u64>(), 4, "{paths}");
            succeeded(cleave().args(["resume", "--workers", "1"]).arg(&run));
        }
        assert_eq!(counts(&run), expected(program), "{way:?}");
    }
}

#[test]
fn an_assumption_that_cannot_hold_is_told_once_with_its_place_and_is_no_bug() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("twice.c");
    let text = "#include <klee/klee.h>\nint main(void) {\n  int x;\n  klee_make_symbolic(&x, sizeof x, \"x\");\n  \
                if (x < 0)\n    x = 3;\n  if (x == 3)\n    klee_assume(x == 4);\n  return 0;\n}\n";
    std::fs::write(&source, text).unwrap();
    let run = scratch.path().join("run");
    let output = succeeded(cleave().args(["run", "--workers", "1", "--output-dir"]).arg(&run).arg(&source));
    let said = String::from_utf8(output.stderr).unwrap();
    let warnings: Vec<&str> = said.lines().filter(|l| l.contains("warning")).collect();
    assert!(matches!(warnings[..], [one] if one.contains("twice.c:8: ")), "{said}");
    assert_eq!(counts(&run).1, 0);
    assert!(counts(&run).2 > 0 && kinds(&run).is_empty());
    assert_eq!(account(&run)["bugs"], 0);
}

#[test]
fn a_jump_to_where_an_input_says_is_a_path_for_each_label_and_one_for_all_else() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("wild.c");
    let text = "#include <klee/klee.h>\nint main(void) {\n  void *to, *volatile labels[] = {&&a, &&b, &&c};\n  \
                (void)labels;\n  klee_make_symbolic(&to, sizeof to, \"to\");\n  goto *to;\n\
                a: return 1;\nb: return 2;\nc: return 3;\n}\n";
    std::fs::write(&source, text).unwrap();
    for mode in ["symbolic", "concolic"] {
        let run = scratch.path().join(mode);
        let mut command = cleave();
        command.args(["run", "--workers", "1", "--mode", mode, "--output-dir"]).arg(&run);
        succeeded(command.arg(&source));
        assert_eq!(counts(&run), (3, 1, 0), "{mode}");
    }
}

//! Bugs that clang's sanitizers find on a path are found on all paths: planted in `programs/sanitizers`, beside clean paths,
//! at -O0 and -O2, symbolic and concolic, and the native runs end as foretold.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::reported;
use crate::support::{Program, built, cleave, corpus, each, succeeded};

/// Suffixes of `.err` files and lines.
type Places = BTreeSet<(String, u64)>;

/// Bugs that the source announces; with an optimiser, without those behind a mark of `-O0`.
fn annotated(program: &Program, optimised: bool) -> Places {
    let line = |(number, line): (u64, &str)| {
        let kind = line.split_once("//~ ERROR ")?.1;
        let (kind, lost) = kind.split_once(" (-O0)").map_or((kind, false), |(kind, _)| (kind, true));
        let kind = kind.split_once(": ").map_or(kind, |(kind, _)| kind);
        (!(lost && optimised)).then(|| (kind.trim().to_string(), number))
    };
    (1..).zip(program.text.lines()).filter_map(line).collect()
}

fn reported(program: &Program, run: &Path) -> Places {
    reported::reported(program, run).collect()
}

/// A text in which the program's file has no folder.
fn without_folders(program: &Program, text: &str) -> String {
    let file = program.source.file_name().unwrap().to_str().unwrap();
    let cut = |part: &str| {
        part.rfind('(').map_or(part, |i| if part.ends_with('/') { &part[..=i] } else { part }).to_string()
    };
    text.split(file).map(cut).collect::<Vec<_>>().join(file)
}

/// The words behind a kind are among those that are said of the line.
fn judge_words(program: &Program, run: &Path) {
    let texts: Vec<String> = reported::texts(run).map(|(_, text)| text).collect();
    for (number, line) in (1..).zip(program.text.lines()) {
        let Some((_, words)) = line.split_once("//~ ERROR ").and_then(|(_, said)| said.split_once(": "))
        else {
            continue;
        };
        let of_line = format!("\nLine: {number}\n");
        let says = |text: &String| text.contains(&of_line) && without_folders(program, text).contains(words);
        assert!(texts.iter().any(says), "{}:{number}: {words}: {texts:#?}", program.source.display());
    }
}

fn judge(program: &Program) {
    let name = program.source.display();
    let scratch = tempfile::tempdir().unwrap();
    for level in ["-O0", "-O2"] {
        let executable = scratch.path().join(level);
        let mut compile = cleave();
        compile.args(["cc", level]).args(program.words("flags")).arg("-o").arg(&executable);
        built(compile.arg(&program.source));
        for mode in ["symbolic", "concolic"] {
            let run = scratch.path().join(format!("{mode}{level}"));
            let mut explore = cleave();
            explore.args(["run", "--workers", "1", "--mode", mode]).args(program.words("run"));
            let explored = explore.arg("--output-dir").arg(&run).arg(&executable).output().unwrap();
            let said = String::from_utf8_lossy(&explored.stdout);
            assert_eq!(
                reported(program, &run),
                annotated(program, level == "-O2"),
                "{name} {level} {mode}: {said}"
            );
            assert!(said.contains(" 0 unsupported"), "{name} {level} {mode}: {said}");
            judge_words(program, &run);
        }
        let run = scratch.path().join(format!("symbolic{level}"));
        let replayed = cleave()
            .args(["replay", "--json", "--max-time", "4s"])
            .arg(&executable)
            .arg(&run)
            .output()
            .unwrap();
        let verdicts = String::from_utf8(replayed.stdout).unwrap();
        assert!(verdicts.contains("\"verdict\":\"agrees\""), "{name} {level}: {verdicts}");
        assert!(!verdicts.contains("\"verdict\":\"differs\""), "{name} {level}: {verdicts}");
    }
}

#[test]
fn what_sanitizers_find_is_found_on_all_paths_and_nothing_else_is() {
    each(&corpus("sanitizers"), judge);
}

#[test]
fn a_checking_build_keeps_what_an_optimiser_would_drop() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, executable) = (scratch.path().join("dropped.c"), scratch.path().join("dropped"));
    let code = "#include <klee/klee.h>\nint main(void) {\nint x; klee_make_symbolic(&x, sizeof x, \"x\");\n\
                int unused = 10 / x;\nif (x + 1 < x) return 1;\nreturn 0; }\n";
    std::fs::write(&source, code).unwrap();
    let bugs = |flags: &[&str]| {
        succeeded(cleave().arg("cc").args(flags).arg("-o").args([&executable, &source]));
        let run = scratch.path().join(flags.join(""));
        let explored = cleave().args(["run", "--output-dir"]).arg(&run).arg(&executable).output().unwrap();
        let said = String::from_utf8_lossy(&explored.stdout).into_owned();
        let kinds = [("division", ":4:"), ("overflow", ":5:")];
        kinds.map(|(kind, line)| said.lines().any(|l| l.contains(&format!("({kind}")) && l.contains(line)))
    };
    assert_eq!(bugs(&["-O2"]), [false, false], "the optimiser drops both");
    assert_eq!(bugs(&["--checked", "-O2"]), [true, true]);
}

//! Programs whose right answer was once missed: each kind of wrong answer is a folder of `programs/answers`, each program
//! says in its header what comes out, and is judged at `-O0` and `-O2`, symbolic and concolic.
//!
//! `CLEAVE_ANSWERS=NAME` judges only programs with NAME in their file name.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::reported;
use crate::support::{Program, built, cleave, corpus, each};

/// Kinds of bugs with their lines, as files of a run and marks of a source have them.
type Places = BTreeSet<(String, u64)>;

/// The marks of a source that count at this level: `//~ ERROR KIND`, or `//~ ERROR (-O0) KIND` where an optimiser drops it.
fn marked(program: &Program, level: &str) -> Places {
    let lines = (1..).zip(program.text.lines());
    let marks = lines.flat_map(|(number, line)| {
        line.split("//~ ERROR ").skip(1).filter_map(move |mark| {
            let words: Vec<&str> = mark.split_whitespace().collect();
            match words[..] {
                [only, kind, ..] if only.starts_with('(') => {
                    (only == format!("({level})")).then(|| (kind.to_string(), number))
                }
                [kind, ..] => Some((kind.to_string(), number)),
                [] => panic!("{}:{number}: a mark without a kind", program.source.display()),
            }
        })
    });
    marks.collect()
}

/// The header's words of one kind for this level and mode, or `usual`: `// cleave: WHAT (-O2) (concolic) WORDS` counts only there.
fn chosen<'a>(program: &'a Program, what: &str, level: &str, mode: &str) -> Option<&'a str> {
    program.header(what).into_iter().find_map(|mut words| {
        while let Some((only, rest)) = words.strip_prefix('(').and_then(|w| w.split_once(')')) {
            if only != level && only != mode {
                return None;
            }
            words = rest.trim_start();
        }
        Some(words)
    })
}

/// The tests of a run that end in a bug, by number: nobody knows what a native run does behind it.
fn into_bugs(run: &Path) -> BTreeSet<String> {
    let listed = cleave().args(["list", "--json"]).arg(run).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout);
    let records = listed.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let failed = records.filter(|r| r["record"] == "test" && r["kind"] == "failed");
    failed.map(|r| format!("test{:06}", r["id"].as_u64().unwrap())).collect()
}

/// All programs of Cleave say the same of a path, so one test of each must not "differ".
fn replayed(program: &Program, executable: &Path, run: &Path, certain: bool) {
    let output = cleave().args(["replay", "--json"]).arg(executable).arg(run).output().unwrap();
    let verdicts = String::from_utf8_lossy(&output.stdout);
    let judged: Vec<Value> = verdicts.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(!judged.is_empty(), "{}: nothing was replayed", program.source.display());
    let into_bugs = into_bugs(run);
    for line in judged {
        let number = Path::new(line["test"].as_str().unwrap()).file_stem().unwrap();
        let ran = line["verdict"] == "ran" && (!certain || into_bugs.contains(number.to_str().unwrap()));
        let fine = line["verdict"] == "agrees" || ran;
        assert!(fine, "{}: natively: {line:#}", program.source.display());
    }
    assert_eq!(output.status.code(), Some(0), "{}: {verdicts}", program.source.display());
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn explored(program: &Program, executable: &Path, level: &str, mode: &str, run: &Path) {
    let what = format!("{} {level} {mode}", program.source.display());
    let words = |kind: &str| chosen(program, kind, level, mode).unwrap_or_default();
    let mut command = cleave();
    command.args(["run", "--workers=1", "--tests=all", "--mode", mode, "--output-dir"]).arg(run);
    command.args(words("run").split_whitespace()).arg(executable);
    let begun = Instant::now();
    let output = command.args(words("args").split_whitespace()).output().unwrap();
    let (took, said) = (begun.elapsed(), said(&output));
    let summary = std::fs::read_to_string(run.join("summary.json"))
        .unwrap_or_else(|_| panic!("{what}: no account of the run:\n{said}"));
    let account: Value = serde_json::from_str(&summary).unwrap();
    for expected in words("expect").split_whitespace() {
        let (name, count) = expected.split_once('=').unwrap_or_else(|| panic!("{what}: `{expected}`"));
        let name = if name == "paths" { "completed" } else { name };
        let found = &account["paths"][name];
        let found = found.as_u64().unwrap_or(0);
        // N, or LOW..HIGH where an optimiser joins branches.
        let (low, high) = count.split_once("..").unwrap_or((count, count));
        let bounds = low.parse::<u64>().unwrap()..=high.parse::<u64>().unwrap();
        assert!(bounds.contains(&found), "{what}: {found} paths {name}, not {count}\n{said}");
    }
    let found: Places = reported::reported(program, run).collect();
    assert_eq!(found, marked(program, level), "{what}: bugs\n{said}");
    for wanted in program.header("says") {
        let errors = reported::texts(run).map(|(_, text)| text).collect::<String>();
        assert!(
            said.contains(wanted) || errors.contains(wanted),
            "{what}: nothing says `{wanted}`\n{said}{errors}"
        );
    }
    for unwanted in program.header("never says") {
        assert!(!said.contains(unwanted), "{what}: `{unwanted}` is said\n{said}");
    }
    if let Some(code) = chosen(program, "code", level, mode) {
        assert_eq!(output.status.code().unwrap().to_string(), code, "{what}: exit code\n{said}");
    }
    if let Some(seconds) = chosen(program, "seconds", level, mode) {
        let limit = Duration::from_secs(seconds.parse().unwrap());
        assert!(took <= limit, "{what}: {took:?}, not {limit:?}\n{said}");
    }
    match chosen(program, "replay", level, mode).unwrap_or("agrees") {
        "agrees" => replayed(program, executable, run, true),
        "uncertain" => replayed(program, executable, run, false),
        "no" => {}
        other => panic!("{what}: replay `{other}`"),
    }
}

/// The call of rustc for a program, with the checks of Cargo's profile `dev`.
const OF_RUST: [&str; 7] =
    ["rustc", "--edition=2021", "-Awarnings", "-C", "debug-assertions=yes", "-C", "overflow-checks=yes"];

fn judge(program: &Program) {
    let name = program.source.file_stem().unwrap().to_string_lossy().into_owned();
    if std::env::var("CLEAVE_ANSWERS").is_ok_and(|only| !name.contains(&only)) {
        return;
    }
    let or = |what: &str, usual: &'static [&'static str]| -> Vec<String> {
        let words = program.words(what);
        let words = if words.is_empty() { usual } else { &words[..] };
        words.iter().map(|w| w.to_string()).collect()
    };
    let is_rust = program.source.extension().is_some_and(|e| e == "rs");
    let levels: &[&str] = if is_rust { &["-O1"] } else { &["-O0", "-O2"] };
    for level in or("levels", levels) {
        let scratch = tempfile::tempdir().unwrap();
        let executable = scratch.path().join(&name);
        let mut compile = cleave();
        let is_cxx = program.source.extension().is_some_and(|e| e == "cpp");
        if is_rust {
            compile.args(OF_RUST).args(["-C", &level.replace("-O", "opt-level=")]);
        } else {
            compile.args([if is_cxx { "c++" } else { "cc" }, "-g", "-w", &level]);
        }
        compile.args(program.words("flags"));
        let output = built(compile.arg("-o").arg(&executable).arg(&program.source));
        for wanted in program.header("link says") {
            assert!(said(&output).contains(wanted), "{name} {level}: the link: {}", said(&output));
        }
        for unwanted in program.header("link never says") {
            assert!(!said(&output).contains(unwanted), "{name} {level}: the link: {}", said(&output));
        }
        for mode in or("modes", &["symbolic", "concolic"]) {
            explored(program, &executable, &level, &mode, &scratch.path().join(&mode));
        }
    }
}

/// C++ with its library: exceptions, virtual calls, containers, streams.
#[test]
fn programs_in_cxx_have_their_answers() {
    each(&corpus("cpp"), judge);
}

/// Rust with std: panics, containers, threads, unwinding, and what only Cleave sees in unsafe code.
#[test]
fn programs_in_rust_have_their_answers() {
    each(&corpus("rust"), judge);
}

/// A test for each folder, and one that no folder is forgotten.
macro_rules! kinds {
    ($($folder:ident: $test:ident;)*) => {
        $(#[test]
        fn $test() {
            each(&corpus(concat!("answers/", stringify!($folder))), judge);
        })*

        #[test]
        fn every_kind_has_its_test() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/answers");
            let folders = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap());
            let mut folders: Vec<String> = folders
                .filter(|e| e.file_type().unwrap().is_dir())
                .map(|e| e.file_name().into_string().unwrap())
                .collect();
            folders.sort();
            let mut listed = vec![$(stringify!($folder)),*];
            listed.sort_unstable();
            assert_eq!(folders, listed);
        }
    };
}

kinds! {
    addresses: addresses_decide_nothing_in_silence;
    alignments: alignments_are_few_paths;
    bases: bases_have_their_answers;
    chained_offsets: offsets_out_of_offsets_end;
    competition: tasks_of_the_competition_are_judged_by_its_rules;
    compiler_library: what_the_compiler_calls_by_itself_is_there;
    copied_places: copies_at_places_of_the_input_are_one_path;
    endless: loops_without_an_end_are_told_and_others_are_not;
    exit_status: statuses_that_nobody_has_set_are_told_in_the_program;
    function_pointers: pointers_of_the_input_are_functions_of_the_program;
    given_data: calls_use_a_part_of_what_they_are_given;
    file_places: places_and_lengths_of_files_are_few_paths;
    fuzz_targets: fuzz_targets_are_programs;
    lengths: inputs_have_any_length_up_to_a_limit;
    library_forks: bugs_of_a_program_are_found_beside_forks_of_its_library;
    long_paths: long_paths_have_their_answers;
    mappings: mappings_have_their_answers;
    printed_numbers: numbers_wait_for_their_text;
    prototypes: prototypes_have_their_answers;
    provenance: pointers_belong_to_their_objects;
    races: races_have_their_answers;
    scopes: what_is_promoted_keeps_the_end_of_its_scope;
    sections: sections_lie_together_between_their_bounds;
    text_ends: arguments_end_behind_their_nul;
    thresholds: limits_make_few_paths_or_are_told;
    undefined_data: data_that_nobody_defines_is_not_made_up;
}

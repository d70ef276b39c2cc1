//! `cleave klee`: KLEE's own command lines. Each option is translated, or named with what Cleave does instead; results lie
//! where scripts for KLEE look for them.

pub(crate) mod command_line; // A command line of KLEE: its options, the program, and what belongs to the program.
pub(crate) mod option_types; // Translation of KLEE's options for Cleave: the types of the table.
pub(crate) mod options; // KLEE's options: one line for each, with its translation for Cleave.
pub(crate) mod values; // Parsers for numbers and times as KLEE writes them.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use cleave_campaign::{make_directory, numbered_directory};
use serde_json::Value;

use crate::arguments::reorder::arranged;
use crate::cli::{Cli, Command};
use crate::commands::exploring::run;
use crate::failure::{Failure, sentence_of};
use crate::formats;
use crate::process::messages::note;
use crate::sessions::cluster;
use crate::sessions::run_dir;
use crate::sessions::verdict::Verdict;
use option_types::{KleeCommandLine, Meaning};
use options::{KLEE_OPTIONS, ONLY_COVERING, SILENT_ASSUME};

/// Checks that KLEE makes always, and Cleave on request.
const USUAL_CHECKS: [&str; 2] = ["--check", "klee"];
/// Without `--search`, KLEE takes these two in turns.
const USUAL_SEARCH: [&str; 4] = ["--search", "random-path", "--search", "covnew"];

/// Explores a program as `klee ARGUMENTS` would be asked to.
pub fn klee(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    if arguments
        .iter()
        .take_while(|a| a.to_string_lossy().starts_with('-'))
        .any(|a| a == "--help" || a == "-help")
    {
        print!("{}", help());
        return Ok(ExitCode::SUCCESS);
    }
    let given = KleeCommandLine::read(arguments)?;
    let translated = translate(&given)?;
    let directory = directory(&given)?;
    let shown: Vec<_> = translated.iter().map(String::as_str).collect();
    note(format_args!(
        "klee: this is `cleave run {} {}`",
        shown.join(" "),
        Path::new(given.file()).display()
    ));
    let mut words: Vec<OsString> = ["cleave", "run", "--output-dir"].map(OsString::from).to_vec();
    words.push(directory.clone().into());
    // KLEE compiles no checks into a program.
    words.push("--unchecked".into());
    words.extend(translated.into_iter().map(OsString::from));
    words.extend(given.program.iter().cloned());
    // Options of the environment stand behind the program.
    let cli = Cli::try_parse_from(arranged(words)?).map_err(|error| Failure::usage(sentence_of(&error)))?;
    let Command::Run(options) = cli.command else {
        return Err(Failure::new(
            "a command line of KLEE became another command than `run`; please report it",
        ));
    };
    let code = cluster::session(&options.exploration, |cluster| run::run(&options, cluster))?;
    write_statistics(&given, &directory)?;
    tell(&directory, link_tests(&directory)?)?;
    // KLEE ends with 0 whatever it found.
    let found = [Verdict::Bugs, Verdict::Incomplete, Verdict::Unsupported].map(Verdict::exit_code);
    Ok(if found.contains(&code) { ExitCode::SUCCESS } else { code })
}

/// Translates options into those of `cleave run`; notes tell of options without effect.
fn translate(given: &KleeCommandLine<'_>) -> Result<Vec<String>, Failure> {
    let mut words = Vec::new();
    for (option, value) in &given.options {
        if option.flag.is_some_and(|usual| usual == (value == "true")) {
            continue;
        }
        let name = option.name;
        match option.meaning {
            Meaning::Same("--output-dir") | Meaning::Nothing => {}
            Meaning::Same(ours) => words.extend([ours.to_string(), value.clone()]),
            Meaning::Becomes(translate) => {
                words.extend(translate(given, value).map_err(|why| {
                    Failure::usage(format!("--{name}={value} of KLEE cannot be used: {why}"))
                })?)
            }
            Meaning::Without(why) => note(format_args!("klee: --{name} has no effect: {why}")),
            Meaning::Refused(why) => {
                return Err(Failure::usage(format!("--{name} of KLEE is not to be had: {why}")));
            }
        }
    }
    if given.value("search").is_none() {
        words.extend(USUAL_SEARCH.map(String::from));
    }
    if !given.is_on(ONLY_COVERING) {
        words.extend(["--tests", "all"].map(String::from));
    }
    words.extend(USUAL_CHECKS.map(String::from));
    if !given.is_on(SILENT_ASSUME) {
        words.extend(["--check", "assumption"].map(String::from));
    }
    Ok(words)
}

/// As KLEE: the directory that is asked for, or the next `klee-out-N` beside the program.
fn directory(given: &KleeCommandLine<'_>) -> Result<PathBuf, Failure> {
    let Some(asked) = given.value("output-dir") else {
        let beside = Path::new(given.file()).parent().filter(|p| !p.as_os_str().is_empty());
        return Ok(numbered_directory(beside.unwrap_or(Path::new(".")), "klee-out", "klee-last")?);
    };
    make_directory(Path::new(asked))?;
    Ok(asked.into())
}

/// Links tests into the run directory itself, where scripts for KLEE look for them; returns their number.
fn link_tests(directory: &Path) -> Result<usize, Failure> {
    let mut tests = 0;
    let Ok(files) = std::fs::read_dir(directory.join("tests")) else { return Ok(tests) };
    for file in files {
        let name = file?.file_name();
        tests += usize::from(Path::new(&name).extension().is_some_and(|e| e == "ktest"));
        let link = directory.join(&name);
        match std::os::unix::fs::symlink(Path::new("tests").join(&name), &link) {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(Failure::new(format!("cannot link {} to its test: {e}", link.display())));
            }
            _ => {}
        }
    }
    Ok(tests)
}

/// `run.stats`, for `klee-stats`.
fn write_statistics(given: &KleeCommandLine<'_>, directory: &Path) -> Result<(), Failure> {
    if given.value("output-stats") == Some("false") {
        return Ok(());
    }
    let format = formats::known("klee-stats").map_err(Failure::usage)?;
    let bytes = (format.make)(&formats::Wanted { directory, sources: &[] })?;
    let file = directory.join(format.file);
    std::fs::write(&file, bytes)
        .map_err(|e| Failure::new(format!("cannot write {}: {e}; make room there", file.display())))
}

/// Prints the last lines of a run in KLEE's words.
fn tell(directory: &Path, tests: usize) -> Result<(), Failure> {
    let account = run_dir::account(directory)?;
    let count = |path: &str| account.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let complete = count("/paths/completed");
    let partial = count("/paths/failed") + count("/paths/unsupported");
    say(format_args!("KLEE: done: total instructions = {}", count("/instructions")));
    say(format_args!("KLEE: done: completed paths = {complete}"));
    say(format_args!("KLEE: done: partially completed paths = {partial}"));
    say(format_args!("KLEE: done: generated tests = {tests}"));
    Ok(())
}

/// Prints a line as KLEE does, without a name in front.
fn say(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn help() -> String {
    let mut text = String::from(
        "Explores a program as KLEE would be asked to: cleave klee [OPTIONS OF KLEE] PROGRAM [ARGUMENTS]\n\n\
         Results are in klee-out-N beside the program, or in --output-dir. The exit code is 0 whatever is found.\n\
         All other commands of Cleave work on that directory.\n\nOptions that are translated:\n",
    );
    let (mut without, mut nothing) = (String::new(), Vec::new());
    for option in KLEE_OPTIONS {
        match option.meaning {
            Meaning::Same(_) | Meaning::Becomes(_) => text.push_str(&format!("  --{}\n", option.name)),
            Meaning::Without(why) | Meaning::Refused(why) => {
                without.push_str(&format!("  --{}: {why}\n", option.name))
            }
            Meaning::Nothing => nothing.push(format!("--{}", option.name)),
        }
    }
    format!(
        "{text}\nOptions that Cleave does without, or refuses:\n{without}\n\
         Accepted, and of no effect, as Cleave does so in any case or works otherwise inside:\n  {}\n",
        nothing.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> Result<String, String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words = KleeCommandLine::read(&words).and_then(|given| translate(&given));
        words.map(|words| words.join(" ")).map_err(|failure| failure.sentence().to_string())
    }

    #[test]
    fn options_become_those_of_run() {
        let searches = "--search random-path --search covnew";
        for (theirs, ours) in [
            ("p.bc", searches.to_string()),
            ("-max-time=1min30s --posix-runtime -libc=uclibc p.bc", format!("--max-time 90000ms {searches}")),
            (
                "--max-memory 0 --max-tests=5 --max-depth=-1 p.bc --sym-arg 1",
                format!("--max-paths 5 {searches}"),
            ),
            ("--search=dfs --search nurs:md2u p.bc", "--search dfs-false --search covnew".into()),
            ("--batch-instructions=7 --use-batching-search --search=bfs p.bc", "--search batch=7:bfs".into()),
            ("--check-overshift=true --check-div-zero=false p.bc", format!("--check=-division {searches}")),
            ("--replay-ktest-file x.ktest p.bc", format!("--seed x.ktest --only-seeds {searches}")),
            ("--debug-crosscheck-core-solver=z3 p.bc", format!("--cross-check {searches}")),
            ("--exit-on-error p.bc", format!("--max-bugs 1 {searches}")),
            ("--write-no-tests=false -emit-all-errors p.bc", format!("--all-errors {searches}")),
        ] {
            let usual = "--tests all --check klee --check assumption";
            assert_eq!(translated(theirs), Ok(format!("{ours} {usual}")), "{theirs}");
        }
        let silent = format!("{searches} --tests all --check klee");
        assert_eq!(translated("--silent-klee-assume p.bc"), Ok(silent));
        let covering = format!("--tests covering {searches} --check klee --check assumption");
        assert_eq!(translated("--only-output-states-covering-new p.bc"), Ok(covering));
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (line, part) in [
            ("--serach=dfs p.bc", "no option --serach; the nearest is --search of KLEE"),
            ("--workers=2 p.bc", "an option of Cleave"),
            ("--max-time=5m p.bc", "like 1h30min"),
            ("--search=fast p.bc", "none of KLEE's searches"),
            ("--env-file=/none p.bc", "cannot read /none"),
            ("--emit-all-errors=maybe p.bc", "true or false, not `maybe`"),
            ("--max-tests", "needs a value"),
            ("--posix-runtime", "no program"),
            ("--zzz p.bc", "cleave run --help"),
        ] {
            let sentence = translated(line).unwrap_err();
            assert!(sentence.contains(part), "{line}: {sentence}");
        }
    }

    /// `cleave run` accepts the translation of every option.
    #[test]
    fn every_translation_is_taken() {
        for option in KLEE_OPTIONS {
            let values: &[&str] = match (option.name, option.flag) {
                (_, Some(usual)) => {
                    if usual {
                        &["false"]
                    } else {
                        &["true"]
                    }
                }
                ("search", _) => &[
                    "dfs",
                    "bfs",
                    "random-state",
                    "random-path",
                    "nurs:covnew",
                    "nurs:md2u",
                    "nurs:depth",
                    "nurs:rp",
                    "nurs:icnt",
                    "nurs:cpicnt",
                    "nurs:qc",
                ],
                ("function-alias", _) => &["a:b"],
                ("env-file", _) => &["/dev/null"],
                _ => &["1"],
            };
            for value in values {
                let line = format!("--{}={value} --seed-file=s.ktest p.bc", option.name);
                match translated(&line) {
                    Ok(words) => {
                        let words = format!("cleave run {words} p.bc");
                        let arranged = arranged(words.split(' ').map(OsString::from).collect()).unwrap();
                        assert!(Cli::try_parse_from(arranged).is_ok(), "{line}: {words}");
                    }
                    Err(sentence) => {
                        assert!(matches!(option.meaning, Meaning::Refused(_)), "{line}: {sentence}")
                    }
                }
            }
        }
    }
}

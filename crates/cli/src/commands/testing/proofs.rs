//! `cleave proofs`: the tests of a Rust program natively, then each of its proofs as a run of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

use clap::Args;
use cleave_campaign::StoredBug;
use cleave_region::{BugKind, PathKind};
use serde_json::Value;

use crate::failure::Failure;
use crate::process::number_words::{counted, verb_of};
use crate::process::output::Output as Lines;
use crate::sessions::run_dir::{account, opened, shown};
use crate::sessions::verdict::Verdict;

/// Options of `cleave proofs`.
#[derive(Clone, Debug, Args)]
pub struct ProofsOptions {
    /// A test program that `cleave cargo test --no-run` or `cleave rustc --test` made
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// Its arguments, as `cargo test -- ARGUMENTS` takes them: parts of names select tests and proofs
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

/// The arguments for which the runtime lists proofs, and begins one (runtime/rust/main.c).
const LIST: &str = "--cleave-proofs";
const BEGIN: &str = "--cleave-proof";
/// The variable with options for the run of each proof.
const OPTIONS: &str = "CLEAVE_PROOF_OPTIONS";
/// Flags of tests that have a value, which is no name.
const WITH_VALUE: [&str; 6] =
    ["--test-threads", "--format", "--color", "--logfile", "--shuffle-seed", "--skip"];

/// A proof of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Proof {
    name: String,
    /// Some path has to panic, and no path may end in another bug.
    should_panic: bool,
}

impl Proof {
    /// A line of the runtime's list.
    fn of(line: &str) -> Option<Proof> {
        let (holds, name) = line.split_once(' ')?;
        Some(Proof { name: name.into(), should_panic: holds == "panics" })
    }

    /// Returns true if arguments of a test program select it.
    fn is_selected(&self, arguments: &[OsString]) -> bool {
        let (mut exact, mut names, mut skipped) = (false, Vec::new(), Vec::new());
        let mut words = arguments.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            match word.as_ref() {
                "--exact" => exact = true,
                "--skip" => skipped.extend(words.next()),
                flag if WITH_VALUE.contains(&flag) => drop(words.next()),
                flag if flag.starts_with('-') => {}
                _ => names.push(word),
            }
        }
        let fits = |name: &str| if exact { self.name == name } else { self.name.contains(name) };
        (names.is_empty() || names.iter().any(|name| fits(name))) && !skipped.iter().any(|name| fits(name))
    }
}

/// The outcome of a proof: its verdict, and sentences about it.
struct Outcome {
    verdict: Verdict,
    told: String,
    reasons: Vec<String>,
}

/// Runs the tests and explores the proofs.
pub fn proofs(options: &ProofsOptions) -> Result<ExitCode, Failure> {
    let program = options.program.as_path();
    let status = started(program, Command::new(program).args(&options.arguments).status())?;
    let only_lists = options.arguments.iter().any(|word| word == "--list");
    let mut found: Vec<Proof> = listed(program)?;
    found.retain(|proof| proof.is_selected(&options.arguments));
    let mut out = Lines::new();
    if only_lists {
        for proof in &found {
            out.line(format!("{}: proof", proof.name))?;
        }
    }
    if only_lists || found.is_empty() {
        out.end()?;
        return Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    out.line(format!("exploring {}", counted(found.len() as u64, "proof")))?;
    let mut worst = Verdict::Clean;
    let mut failed = 0;
    for proof in &found {
        let directory = directory_of(program, &proof.name);
        let Outcome { verdict, told, reasons } = explored(program, proof, &directory)?;
        out.line(format!("proof {} ... {told}", proof.name))?;
        for reason in reasons {
            out.line(format!("  {reason}"))?;
        }
        if verdict != Verdict::Clean {
            failed += 1;
            out.line(format!("  see {}", shown(&directory).display()))?;
        }
        worst = worst.min(verdict);
    }
    let hold = found.len() as u64 - failed;
    let (holds, do_not) = (verb_of(hold, "holds", "hold"), verb_of(failed, "does", "do"));
    out.line(format!("{} {holds} for all inputs, {failed} {do_not} not\n", counted(hold, "proof")))?;
    out.end()?;
    Ok(if status.success() { worst.exit_code() } else { ExitCode::FAILURE })
}

/// The result of starting a program.
fn started<T>(program: &Path, result: std::io::Result<T>) -> Result<T, Failure> {
    result.map_err(|e| {
        Failure::new(format!("cannot start {} ({e}); give a program of `cleave rustc`", program.display()))
    })
}

/// The proofs of a program. One without any does not know the question.
fn listed(program: &Path) -> Result<Vec<Proof>, Failure> {
    let mut command = Command::new(program);
    let out = started(program, command.arg(LIST).stdin(Stdio::null()).output())?;
    Ok(String::from_utf8_lossy(&out.stdout).lines().filter_map(Proof::of).collect())
}

/// The run directory of a proof, beside the program.
fn directory_of(program: &Path, proof: &str) -> PathBuf {
    let mut folder = program.as_os_str().to_os_string();
    folder.push(".proofs");
    Path::new(&folder).join(proof.replace("::", "."))
}

/// Explores a proof, in a process of its own.
fn explored(program: &Path, proof: &Proof, directory: &Path) -> Result<Outcome, Failure> {
    let cannot = |e| Failure::new(format!("cannot make {} ({e}); make room there", directory.display()));
    if directory.exists() {
        std::fs::remove_dir_all(directory).map_err(cannot)?;
    }
    directory.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(cannot)?;
    let itself = std::env::current_exe()
        .map_err(|e| Failure::new(format!("cannot find Cleave's own executable: {e}")))?;
    let options = std::env::var(OPTIONS).unwrap_or_default();
    let mut command = Command::new(&itself);
    command.arg("run").arg("--output-dir").arg(directory).args(options.split_whitespace());
    command.arg(program).args([BEGIN, &proof.name]).stdin(Stdio::null());
    let run = started(&itself, command.output())?;
    outcome(proof, directory, &run)
}

/// The outcome of the run of a proof.
fn outcome(proof: &Proof, directory: &Path, run: &Output) -> Result<Outcome, Failure> {
    let failure = || {
        let told = String::from_utf8_lossy(&run.stderr);
        let last = told.lines().last().unwrap_or("it gave no reason");
        Failure::new(format!("the run of the proof `{}` failed: {last}", proof.name))
    };
    let (Ok(account), Ok(store)) = (account(directory), opened(directory)) else { return Err(failure()) };
    let verdict = account["verdict"].as_str().and_then(Verdict::named);
    let verdict = verdict.filter(|verdict| run.status.code() == Some(i32::from(verdict.code())));
    let verdict = verdict.ok_or_else(failure)?;
    let mut bugs = store.bugs()?;
    let failed: u64 = account["paths"]["failed"].as_u64().unwrap_or(0);
    let completed: u64 = account["paths"]["completed"].as_u64().unwrap_or(0);
    // A path that `assume(a && b)` ends is news only where no path gets past the assumptions.
    if completed + failed > 0 {
        bugs.retain(|bug| bug.path_kind != PathKind::AssumedAway);
    }
    let paths = counted(completed + failed, "path");
    let mut judged = judged(proof, verdict, &paths, &bugs);
    if verdict == Verdict::Incomplete {
        judged.reasons.extend(unexplored(&account));
    }
    Ok(judged)
}

/// Sentences about regions that a run has not explored, one for each kind of reason.
fn unexplored(account: &Value) -> Vec<String> {
    let mut of_kinds = BTreeMap::new();
    for region in account["not_explored"].as_array().into_iter().flatten() {
        let [kind, what, way_out] =
            ["kind", "what", "way_out"].map(|name| region[name].as_str().unwrap_or_default());
        of_kinds.entry(kind).or_insert_with(|| format!("{what}: {way_out}"));
    }
    of_kinds.into_values().collect()
}

/// The outcome of a run with these bugs.
fn judged(proof: &Proof, verdict: Verdict, paths: &str, bugs: &[StoredBug]) -> Outcome {
    let is_panic = |bug: &&StoredBug| bug.record.kind == BugKind::Panic.name();
    let expected = |bug: &&StoredBug| proof.should_panic && is_panic(bug);
    let line = |bug: &StoredBug| {
        let record = &bug.record;
        format!("{}: {} ({}, test {})", record.place, record.message, record.kind, bug.first_path)
    };
    let reasons: Vec<String> = bugs.iter().filter(|bug| !expected(bug)).map(line).collect();
    // What is unsupported or assumed away is told, but it is no bug.
    let has_other_bugs = bugs.iter().any(|bug| bug.path_kind == PathKind::Failed && !expected(&bug));
    let outcome = |verdict, told: String| Outcome { verdict, told, reasons: reasons.clone() };
    match verdict {
        Verdict::Bugs if proof.should_panic && !has_other_bugs => {
            outcome(Verdict::Clean, format!("panics, as it should ({paths})"))
        }
        Verdict::Bugs => outcome(verdict, format!("FAILED ({paths})")),
        Verdict::Clean if proof.should_panic => {
            Outcome { verdict: Verdict::Bugs, told: format!("FAILED: no path panics ({paths})"), reasons }
        }
        Verdict::Clean => outcome(verdict, format!("holds ({paths})")),
        Verdict::Incomplete => outcome(verdict, format!("OPEN: a limit stopped it ({paths})")),
        Verdict::Unsupported => {
            outcome(verdict, format!("OPEN: paths ended at something unsupported ({paths})"))
        }
        Verdict::Internal => outcome(verdict, "an internal error: please report it".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(name: &str, arguments: &str) -> bool {
        let words: Vec<OsString> = arguments.split_whitespace().map(OsString::from).collect();
        Proof { name: name.into(), should_panic: false }.is_selected(&words)
    }

    #[test]
    fn names_select_proofs_as_they_select_tests() {
        assert!(selected("a::check", ""));
        assert!(selected("a::check", "check"));
        assert!(selected("a::check", "b che"));
        assert!(!selected("a::check", "b"));
        assert!(!selected("a::check", "--exact check"));
        assert!(selected("a::check", "a::check --exact"));
        assert!(!selected("a::check", "--skip check"));
        assert!(selected("a::check", "--test-threads 1 --nocapture"));
    }

    #[test]
    fn a_line_of_the_list_says_if_a_proof_should_panic() {
        let proof = |name: &str, should_panic| Some(Proof { name: name.into(), should_panic });
        assert_eq!(Proof::of("holds a::b"), proof("a::b", false));
        assert_eq!(Proof::of("panics a::b"), proof("a::b", true));
        assert_eq!(Proof::of("error:"), None);
    }
}

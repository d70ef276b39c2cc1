//! `cleave callers`: which functions that call one reach the bugs that a run of it alone has found.
//!
//! A run that begins with a function assumes what its contract says. A bug there is one of the program only if some caller gives such
//! inputs. The callers are explored as entries of their own, then their callers, up to `main`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use cleave_campaign::StoredBug;
use cleave_region::PathKind;
use cleave_toolchain::named_functions;

use crate::commands::exploring::child_run::child_run;
use crate::entries::drivers;
use crate::failure::Failure;
use crate::options::values;
use crate::process::number_words::counted;
use crate::process::output::Output;
use crate::programs::build::Build;
use crate::sessions::run_dir::{opened, saved_of, shown};
use crate::sessions::saved::Saved;
use crate::sessions::verdict::Verdict;

/// The folder of the callers' runs, in the run directory.
const FOLDER: &str = "callers";
/// Inputs of `main` where none are given.
const USUAL: [&str; 6] = ["--sym-args", "0", "2", "4", "--sym-stdin", "16"];

/// Options of `cleave callers`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: cleave callers cleave-last -- --sym-stdin 8")]
pub struct CallersOptions {
    /// Time for the run of each caller, like 60 or 5m
    #[arg(long, value_name = "TIME", default_value = "20", value_parser = values::duration)]
    max_time: Duration,
    /// The run directory, of a run of one function (--entry-point)
    #[arg(value_name = "RUN")]
    directory: PathBuf,
    /// Arguments for `main`, symbolic ones among them, as `cleave run` takes them. Default is --sym-args 0 2 4 --sym-stdin 16
    #[arg(value_name = "ARGUMENT", last = true)]
    arguments: Vec<OsString>,
}

/// A bug, as far as two runs can have it in common.
type Same = (String, String);

fn same(bug: &StoredBug) -> Same {
    (bug.record.kind.clone(), bug.record.place.clone())
}

/// Explores callers of the run's function, and prints for each bug which of them reach it.
///
/// # Errors
/// If the run is not of one function in C, has no bugs, or files fail.
pub fn callers(options: &CallersOptions) -> Result<ExitCode, Failure> {
    let store = opened(&options.directory)?;
    let saved = saved_of(&store.meta()?)?;
    let mut bugs = store.bugs()?;
    bugs.retain(|bug| bug.path_kind == PathKind::Failed);
    let mut out = Output::new();
    let Some(function) = bugs.iter().find_map(|bug| entry_of(&saved, bug)) else {
        if saved.begins_with_function() && bugs.is_empty() {
            out.line("the run has no bugs, so there is nothing that a caller could reach")?;
            out.end()?;
            return Ok(ExitCode::SUCCESS);
        }
        return Err(Failure::usage(format!(
            "{} began with `main`, so that its bugs are those of the program; give a run of one function (--entry-point)",
            options.directory.display()
        )));
    };
    let folder = options.directory.join(FOLDER);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .map_err(|e| Failure::new(format!("cannot remove {}: {e}; remove it", folder.display())))?;
    }
    let mut search = Callers {
        options,
        saved: &saved,
        folder,
        by_name: by_name(&saved)?,
        reached: BTreeMap::new(),
        said: Vec::new(),
    };
    search.go(&function, &bugs.iter().map(same).collect())?;
    let mut is_reachable = false;
    for bug in &bugs {
        let record = &bug.record;
        out.line(format_args!(
            "{}: {} ({}, test {})",
            record.place, record.message, record.kind, bug.first_path
        ))?;
        let reached = search.reached.get(&same(bug));
        for (caller, test) in reached.into_iter().flatten() {
            is_reachable |= caller == "main";
            let level = if caller == "main" { "reachable from main" } else { "reached from" };
            let caller = if caller == "main" { String::new() } else { format!(" {caller}") };
            out.line(format_args!("  {level}{caller}: {test}"))?;
        }
        if reached.is_none() {
            out.line(format_args!("  no caller of {function} was seen to reach it"))?;
        }
    }
    for line in &search.said {
        out.line(line)?;
    }
    out.end()?;
    Ok(if is_reachable { Verdict::Bugs.exit_code() } else { ExitCode::SUCCESS })
}

/// The function that a run begins with, by a bug of it: the outermost, below the harness's `main`.
fn entry_of(saved: &Saved, bug: &StoredBug) -> Option<String> {
    if let Some(entry) = &saved.entry {
        return Some(entry.function.clone());
    }
    if !saved.begins_with_function() {
        return None;
    }
    let trace = &bug.record.trace;
    let main = trace.iter().position(|frame| frame.function == "main")?;
    trace.get(main.checked_sub(1)?).map(|frame| frame.function.clone())
}

/// The callers of each function of the run's sources, by name.
fn by_name(saved: &Saved) -> Result<BTreeMap<String, BTreeSet<String>>, Failure> {
    let sources = drivers::sources_in_c(Path::new(&saved.program), &saved.build);
    if sources.is_empty() {
        return Err(Failure::usage(format!(
            "callers are looked for in sources in C, and {} is none; begin the run with .c files",
            saved.program
        )));
    }
    let mut callers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in &sources {
        for (caller, callee) in named_functions(source, &saved.build.all_flags())? {
            callers.entry(callee).or_default().insert(caller);
        }
    }
    Ok(callers)
}

/// The search for callers.
struct Callers<'a> {
    options: &'a CallersOptions,
    saved: &'a Saved,
    folder: PathBuf,
    by_name: BTreeMap<String, BTreeSet<String>>,
    /// The callers that reach a bug, in the order in which they were explored, each with its test.
    reached: BTreeMap<Same, Vec<(String, String)>>,
    /// Sentences about callers that reach none.
    said: Vec<String>,
}

impl Callers<'_> {
    /// Explores the callers of a function, then the callers of those that reach one of the bugs.
    fn go(&mut self, function: &str, bugs: &BTreeSet<Same>) -> Result<(), Failure> {
        let mut seen: BTreeSet<String> = BTreeSet::from([function.to_string()]);
        let mut next = vec![function.to_string()];
        while !next.is_empty() {
            let callers: BTreeSet<String> =
                next.drain(..).filter_map(|callee| self.by_name.get(&callee)).flatten().cloned().collect();
            for caller in callers {
                if seen.insert(caller.clone()) && self.explore(&caller, bugs)? {
                    next.push(caller);
                }
            }
        }
        // A guessed contract may leave inputs out that `main` gives.
        if !seen.contains("main") && self.all_of(function).contains("main") {
            self.explore("main", bugs)?;
        } else if seen.len() == 1 {
            self.said.push(format!("no function of these sources names {function}"));
        }
        Ok(())
    }

    /// The functions that call a function, by whatever chain of calls.
    fn all_of(&self, function: &str) -> BTreeSet<String> {
        let (mut all, mut next) = (BTreeSet::new(), vec![function.to_string()]);
        while let Some(callee) = next.pop() {
            let callers = self.by_name.get(&callee).into_iter().flatten();
            next.extend(callers.filter(|caller| all.insert((*caller).clone())).cloned());
        }
        all
    }

    /// Explores a caller; true if it reaches one of the bugs.
    fn explore(&mut self, caller: &str, bugs: &BTreeSet<Same>) -> Result<bool, Failure> {
        let own = self.folder.join(caller);
        let explored = self.words(caller, &own).and_then(|(name, arguments)| {
            let (verdict, paths) = child_run(&arguments, &name, &own)?;
            Ok((name, verdict, paths))
        });
        let (shown_name, verdict, paths) = match explored {
            Ok(explored) => explored,
            Err(failure) => {
                self.said.push(format!("{caller}: left out: {}", failure.sentence()));
                return Ok(false);
            }
        };
        let mut reaches = false;
        for bug in opened(&own)?.bugs()?.iter().filter(|bug| bug.path_kind == PathKind::Failed) {
            let same = same(bug);
            if bugs.contains(&same) {
                reaches = true;
                let test = format!("test {} of {}", bug.first_path, shown(&own).display());
                self.reached.entry(same).or_default().push((shown_name.clone(), test));
            }
        }
        if !reaches {
            let open = if verdict == Verdict::Incomplete { ", and not all is explored" } else { "" };
            self.said.push(format!("{shown_name} reaches none of them in {}{open}", counted(paths, "path")));
        }
        Ok(reaches)
    }

    /// The name of a caller with its contract, and the command line that explores it.
    fn words(&self, caller: &str, own: &Path) -> Result<(String, Vec<OsString>), Failure> {
        let Saved { build, program, checks, .. } = self.saved;
        let time = format!("{}ms", self.options.max_time.as_millis());
        let mut words: Vec<OsString> =
            vec!["--max-time".into(), time.into(), "--output-dir".into(), own.into()];
        words.push(format!("--check={checks}").into());
        if !build.checked {
            words.push("--unchecked".into());
        }
        words.extend(build.flags.iter().map(|flag| OsString::from(format!("--c-flag={flag}"))));
        words.extend(build.more.iter().map(|source| OsString::from(format!("--c-source={source}"))));
        if caller == "main" {
            words.push(program.into());
            let given = &self.options.arguments;
            let usual = given.is_empty().then_some(USUAL).into_iter().flatten().map(OsString::from);
            words.extend(given.iter().cloned().chain(usual));
            return Ok(("main".to_string(), words));
        }
        let contract = self.guess(caller)?;
        words.extend(["--entry-point".into(), contract.clone().into(), program.into()]);
        Ok((contract, words))
    }

    /// The contract of a caller: that in a comment above it, completed by guesses.
    fn guess(&self, caller: &str) -> Result<String, Failure> {
        let sources = drivers::sources_in_c(Path::new(&self.saved.program), &self.saved.build);
        let plain = Build { drivers: Vec::new(), ..self.saved.build.clone() };
        let (signature, _) = drivers::with_contract(caller, &[], &sources, &plain)?;
        drivers::guess(caller, &signature.source, &plain)
    }
}

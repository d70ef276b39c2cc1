//! `cleave compare`: two versions of a function or of a program, on the same inputs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use clap::{Args, ValueEnum};
use cleave_campaign::{StoredBug, next_directory};
use cleave_region::PathKind;
use serde_json::Value;

use crate::commands::exploring::run;
use crate::entries::drivers::Against;
use crate::entries::harness::quoted;
use crate::failure::Failure;
use crate::inputs::named_tests::given_tests;
use crate::options::run::{BeginningOptions, KeptOptions, RunOptions};
use crate::options::session::ExplorationOptions;
use crate::process::executable;
use crate::process::number_words::counted;
use crate::process::output::Output;
use crate::programs::build::anchored;
use crate::programs::program_file::check_program;
use crate::sessions::cluster;
use crate::sessions::run_dir::{opened, shown, test_file};
use crate::sessions::verdict::Verdict;

/// Options of `cleave compare`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Functions: cleave compare --entry-point 'parse(data[n], n <= 8)' old.c new.c
Programs:  cleave compare ./old ./new --sym-args 0 2 3 --sym-stdin 2

OLD and NEW of a function are sources in C; NEW may be C++, Rust or a module (.bc, .ll) that defines the function's name for C. Their results \
and what they write through pointers are compared; pointers as results by their place in an argument, characters as texts. Programs get the \
same arguments and standard input, one after the other, and their exit status, output and error output are compared.")]
pub struct CompareOptions {
    /// A condition on both versions that stands in the place of what it speaks of: `old.result < 0 <==> new.result < 0`. Its words
    /// are those of C with `old.result`, `new.result`, and `old` and `new` with a parameter. May be repeated. Default is that all is equal
    #[arg(long, value_name = "CONDITION")]
    pub relate: Vec<String>,
    /// The outcomes of programs that may differ. Default is none
    #[arg(long, value_name = "WHAT[,WHAT]", value_enum, value_delimiter = ',')]
    pub ignore: Vec<Outcome>,
    /// A flag of the compiler for OLD alone, like --old-flag=-O0. May be repeated. Default is none
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub old_flag: Vec<String>,
    /// A flag of the compiler for NEW alone. May be repeated. Default is none
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub new_flag: Vec<String>,
    /// A flag of the compiler for both. May be repeated. Default is none
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub flag: Vec<String>,
    /// A further source of OLD. May be repeated. Default is none
    #[arg(long, value_name = "FILE")]
    pub old_source: Vec<PathBuf>,
    /// A further source of NEW. May be repeated. Default is none
    #[arg(long, value_name = "FILE")]
    pub new_source: Vec<PathBuf>,
    /// Options that the run keeps.
    #[command(flatten, next_help_heading = "What to explore (see `cleave run`)")]
    pub kept: KeptOptions,
    /// Options for its beginning.
    #[command(flatten, next_help_heading = "How the run begins")]
    pub beginning: BeginningOptions,
    /// Options of a session.
    #[command(flatten, next_help_heading = "How to explore, and when to stop")]
    pub exploration: ExplorationOptions,
    /// The version as it was
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The version as it is, and, of programs, the arguments of both, symbolic ones among them
    #[arg(value_names = ["NEW", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub new_and_arguments: Vec<OsString>,
}

/// An outcome of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Outcome {
    /// Its exit status.
    Status,
    /// Its output.
    Stdout,
    /// Its error output.
    Stderr,
}

/// The most differences that are shown.
const SHOWN: usize = 10;

/// Explores both versions together and shows where they differ.
pub fn compare(mut options: CompareOptions) -> Result<ExitCode, Failure> {
    let new = PathBuf::from(&options.new_and_arguments[0]);
    for file in [&options.old, &new].into_iter().chain(&options.old_source).chain(&options.new_source) {
        check_program(file)?;
    }
    let of_function = options.kept.paths.entry_point.is_some();
    let program =
        if of_function { for_function(&mut options, &new)? } else { for_programs(&mut options, &new)? };
    let directory = match &options.beginning.output_dir {
        Some(directory) => directory.clone(),
        None => next_directory(Path::new("."))?,
    };
    options.beginning.output_dir = Some(directory.clone());
    let program_and_arguments = std::iter::once(program.clone().into_os_string())
        .chain(options.new_and_arguments.drain(..).skip(1))
        .collect();
    let CompareOptions { kept, beginning, exploration, .. } = options;
    let run_options = RunOptions { kept, beginning, exploration, program_and_arguments };
    let code = cluster::session(&run_options.exploration, |cluster| run::run(&run_options, cluster));
    // Without a run it is empty, and goes.
    let code = code.inspect_err(|_| drop(std::fs::remove_dir(&directory)))?;
    tell(&program, &directory, code)?;
    Ok(code)
}

/// Sets options for two versions of a function; gives the program to explore.
fn for_function(options: &mut CompareOptions, new: &Path) -> Result<PathBuf, Failure> {
    if let Some(argument) = options.new_and_arguments.get(1) {
        return Err(Failure::usage(format!(
            "a function has no arguments of a command line, and `{}` is one; further sources are --old-source and --new-source",
            argument.display()
        )));
    }
    if !options.ignore.is_empty() {
        return Err(Failure::usage(
            "--ignore is for programs; for a function, --relate says what is compared",
        ));
    }
    let CompareOptions { kept, old_flag, new_flag, flag, old_source, new_source, relate, .. } = options;
    let with = |own: &[String]| anchored(&[flag.as_slice(), own].concat());
    let files = std::iter::once(new.to_path_buf()).chain(new_source.drain(..)).collect();
    kept.paths.against = Some(Against { files, flags: with(new_flag), relations: std::mem::take(relate) });
    kept.paths.c_flag.extend(with(old_flag));
    kept.paths.c_source.append(old_source);
    Ok(options.old.clone())
}

/// Sets options for two programs; gives the program that executes both.
fn for_programs(options: &mut CompareOptions, new: &Path) -> Result<PathBuf, Failure> {
    let only_of_functions = [
        ("--relate", !options.relate.is_empty()),
        ("--old-flag", !options.old_flag.is_empty()),
        ("--new-flag", !options.new_flag.is_empty()),
        ("--flag", !options.flag.is_empty()),
        ("--old-source", !options.old_source.is_empty()),
        ("--new-source", !options.new_source.is_empty()),
    ];
    if let Some((name, _)) = only_of_functions.iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!(
            "{name} is for functions, and without --entry-point whole programs are compared; build them by `cleave cc`"
        )));
    }
    let paths = &mut options.kept.paths;
    for (name, file) in [("/old", options.old.as_path()), ("/new", new)] {
        paths.executables.push(format!("{name}={}", file.display()));
    }
    // What they print of their name is no difference.
    let name = options.old.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.c_flag.push(format!("-DPROGRAM_NAME={}", quoted(&name)));
    for outcome in &options.ignore {
        let name = match outcome {
            Outcome::Status => "STATUS",
            Outcome::Stdout => "STDOUT",
            Outcome::Stderr => "STDERR",
        };
        paths.c_flag.push(format!("-DIGNORE_{name}"));
    }
    Ok(cleave_toolchain::Sysroot::find()?.path().join("share/compare.c"))
}

/// Shows the differences, each with the outcomes of both versions as they are natively, and the verdict.
fn tell(program: &Path, directory: &Path, code: ExitCode) -> Result<(), Failure> {
    let store = opened(directory)?;
    let account = store.account()?;
    let mut bugs = store.bugs()?;
    bugs.retain(|bug| bug.path_kind == PathKind::Failed);
    let (differences, others): (Vec<StoredBug>, Vec<StoredBug>) = bugs.into_iter().partition(is_difference);
    let mut out = Output::new();
    for bug in differences.iter().take(SHOWN) {
        let test = test_file(directory, bug.first_path);
        out.line(format_args!(
            "{}: {} ({})",
            promise(bug),
            shown(&test).display(),
            counted(bug.paths, "path")
        ))?;
        out.line(format_args!("  inputs: {}", inputs(&test)?))?;
        for line in natively(program, &test)?.lines() {
            out.line(format_args!("  {line}"))?;
        }
    }
    if differences.len() > SHOWN {
        out.line(format_args!("... and {} more; see cleave list", differences.len() - SHOWN))?;
    }
    // A run with bugs may have been stopped, too.
    let ended = [Verdict::Clean, Verdict::Bugs].map(Verdict::exit_code).contains(&code);
    let all = ended && account.open_regions == 0 && account.paths.unsupported == 0;
    let not_compared = match others.len() {
        0 => String::new(),
        n => format!("; {} ended before the comparison", counted(n as u64, "bug")),
    };
    out.line(match (differences.is_empty(), all) {
        (false, _) => format!("old and new differ{not_compared}"),
        (true, true) if account.paths.completed + account.paths.failed == 0 => {
            "nothing is compared: no input fulfils the contract".to_string()
        }
        (true, true) if others.is_empty() => "old and new agree on all these inputs".into(),
        (true, true) => format!("old and new agree on all these inputs but those of bugs{not_compared}"),
        (true, false) => format!("no difference so far, and not all is explored{not_compared}"),
    })?;
    out.end()
}

fn is_difference(bug: &StoredBug) -> bool {
    let record = &bug.record;
    let driver = ["harness.c", "compare.c"].iter().any(|name| record.place.contains(name));
    driver && record.kind == cleave_region::BugKind::Assertion.name()
}

/// The failed promise, as a difference.
fn promise(bug: &StoredBug) -> String {
    let message = &bug.record.message;
    format!("not so: {}", message.split('`').nth(1).unwrap_or(message))
}

/// The inputs of a test, in the order in which they were made.
fn inputs(test: &Path) -> Result<String, Failure> {
    let Some(test) = given_tests(&[test.to_path_buf()])?.pop() else { return Ok(String::new()) };
    let bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!(" {byte:02x}")).collect::<String>();
    let objects = test.read()?.objects;
    let shown = objects.iter().map(|(name, value)| format!("{name} ={}", bytes(value)));
    Ok(shown.collect::<Vec<_>>().join(", "))
}

/// The lines that the native run of a test prints.
fn natively(program: &Path, test: &Path) -> Result<String, Failure> {
    let mut replay = executable::command("replay");
    replay.arg("--json").arg(program).arg(test).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output =
        replay.output().map_err(|e| Failure::new(format!("cannot replay {}: {e}", test.display())))?;
    let line: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let text = line["stdout"].as_str().unwrap_or_default();
    Ok(text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\"))
}

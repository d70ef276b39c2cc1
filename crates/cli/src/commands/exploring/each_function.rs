//! `cleave run --each-function`: the public functions of sources in C, each as a run of its own.

use std::path::Path;
use std::process::ExitCode;

use cleave_campaign::{make_directory, next_directory};
use cleave_region::PathKind;

use crate::commands::exploring::child_run::child_run;
use crate::entries::drivers;
use crate::failure::Failure;
use crate::options::run::RunOptions;
use crate::process::number_words::counted;
use crate::process::output::Output;
use crate::sessions::run_dir::{opened, shown};
use crate::sessions::verdict::Verdict;

/// The option, and the one whose value is another for each function.
const OWN: &str = "--each-function";
const REPLACED: &str = "--output-dir";

/// Runs this command line again for each function, with its contract or one that is guessed, and prints a table.
pub fn each_function(options: &RunOptions) -> Result<ExitCode, Failure> {
    let program = options.program();
    let build = options.kept.paths.build(program)?;
    let sources = drivers::sources_in_c(program, &build);
    if sources.is_empty() {
        return Err(Failure::usage(format!(
            "{OWN} looks for functions in sources in C, and {} is none; give .c files",
            program.display()
        )));
    }
    let directory = match &options.beginning.output_dir {
        Some(directory) => make_directory(directory).map(|()| directory.clone())?,
        None => next_directory(Path::new("."))?,
    };
    let mut worst = Verdict::Clean;
    let mut counts = [0u64; 3];
    let mut out = Output::new();
    for source in &sources {
        for function in cleave_toolchain::defined_functions(source, &build.all_flags())? {
            let contract = match drivers::guess(&function, source, &build) {
                Ok(contract) => contract,
                Err(failure) => {
                    out.line(format_args!("{function}: left out: {}", failure.sentence()))?;
                    continue;
                }
            };
            let own = directory.join(&function);
            let (verdict, paths) = match explored(&contract, &own) {
                Ok(run) => run,
                Err(failure) => {
                    counts[2] += 1;
                    worst = worst.min(Verdict::Incomplete);
                    out.line(format_args!("{contract}: left out: {}", failure.sentence()))?;
                    continue;
                }
            };
            let place = match verdict {
                Verdict::Clean => &mut counts[0],
                Verdict::Bugs => &mut counts[1],
                _ => &mut counts[2],
            };
            *place += 1;
            out.line(format_args!("{contract}: {}, {}", said(verdict), counted(paths, "path")))?;
            for bug in opened(&own)?.bugs()?.iter().filter(|bug| bug.path_kind == PathKind::Failed) {
                let record = &bug.record;
                out.line(format_args!("  {}: {} ({})", record.place, record.message, record.kind))?;
            }
            worst = worst.min(verdict);
        }
    }
    let [clean, bugs, open] = counts;
    out.line(format_args!(
        "{} without a bug, {bugs} with bugs, {open} not explored to the end; see {}/FUNCTION. Contracts that are not in comments are guessed: a bug may need \
         inputs that no caller gives",
        counted(clean, "function"),
        shown(&directory).display()
    ))?;
    out.end()?;
    Ok(worst.exit_code())
}

fn said(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Clean => "no bug",
        Verdict::Bugs => "BUGS",
        Verdict::Incomplete => "no bug so far, not all is explored",
        Verdict::Unsupported => "no bug, but paths ended at something unsupported",
        Verdict::Internal => "an internal error: please report it",
    }
}

/// Explores one function by this command line.
fn explored(contract: &str, directory: &Path) -> Result<(Verdict, u64), Failure> {
    let mut arguments =
        vec!["--entry-point".into(), contract.into(), "--output-dir".into(), directory.into()];
    let mut words = std::env::args_os().skip(2);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some(OWN) => {}
            Some(REPLACED) => drop(words.next()),
            Some(text) if text.strip_prefix(REPLACED).is_some_and(|rest| rest.starts_with('=')) => {}
            _ => arguments.push(word),
        }
    }
    child_run(&arguments, contract, directory)
}

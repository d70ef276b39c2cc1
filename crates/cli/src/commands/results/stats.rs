//! `cleave stats`: the account of a run.

use crate::failure::Failure;
use crate::options::DirectoryOptions;
use crate::process::output::Output;
use crate::sessions::run_dir;
use cleave_report::account_lines;
use std::process::ExitCode;

/// Prints the account: as it is in `summary.json`, or as a table of the same names.
pub fn stats(options: &DirectoryOptions) -> Result<ExitCode, Failure> {
    let account = run_dir::account(&options.directory)?;
    let mut out = Output::new();
    if options.json {
        out.line(serde_json::to_string_pretty(&account).map_err(Failure::new)?)?;
    } else {
        for (name, value) in account_lines(&account) {
            out.line(format_args!("{name:<28} {value}"))?;
        }
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

//! `cleave report`: what a run found and covers, as one HTML file.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::output::Output;
use crate::page::{Wanted, page};

/// Options of `cleave report`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: cleave report cleave-last --source ~/project")]
pub struct ReportOptions {
    /// A folder with sources of the program, for files that are not where they were compiled. May be repeated. Default is
    /// where debug information says, the program's folder and those above it
    #[arg(long, value_name = "DIR")]
    pub source: Vec<PathBuf>,
    /// The file to write. Default is report.html in the run directory
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The run directory. Default is cleave-last
    #[arg(value_name = "DIR", default_value = "cleave-last", hide_default_value = true)]
    pub directory: PathBuf,
}

/// Writes the report and says where it is.
pub fn report(options: &ReportOptions) -> Result<ExitCode, Failure> {
    let text = page(&Wanted { directory: &options.directory, sources: &options.source })?;
    let file = options.output.clone().unwrap_or_else(|| options.directory.join("report.html"));
    std::fs::write(&file, text).map_err(|e| {
        Failure::new(format!("cannot write {}: {e}; give another file with --output", file.display()))
    })?;
    let mut out = Output::new();
    out.line(file.display())?;
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

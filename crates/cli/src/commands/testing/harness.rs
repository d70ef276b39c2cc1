//! `cleave harness`: a harness in C or C++, or a proof in Rust, for one function, to be edited.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use cleave_toolchain::{Language, source_language};

use crate::entries::drivers;
use crate::entries::rust::proof;
use crate::failure::Failure;
use crate::process::output::Output;
use crate::programs::build::{Build, anchored};
use crate::programs::program_file::check_program;

/// Options of `cleave harness`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example: cleave harness parse_header header.c > harness.c; cleave run harness.c")]
pub struct HarnessOptions {
    /// A flag of the compiler, like --flag=-Iinclude. May be repeated. Default is none
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub flag: Vec<String>,
    /// The function, alone or with its contract: 'parse(data[n], n <= 64, out)'
    #[arg(value_name = "FUNCTION")]
    pub function: String,
    /// The source that defines it
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// Prints the harness.
pub fn harness(options: &HarnessOptions) -> Result<ExitCode, Failure> {
    check_program(&options.file)?;
    let build = Build { flags: anchored(&options.flag), ..Build::checked() };
    let text = match source_language(&options.file) {
        Some(Language::Rust) => proof::to_edit(&options.function, &options.file)?,
        _ => drivers::harness_to_edit(&options.function, &options.file, &build)?,
    };
    let mut out = Output::new();
    for line in text.lines() {
        out.line(line)?;
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

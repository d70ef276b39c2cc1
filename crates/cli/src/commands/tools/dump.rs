//! `cleave dump`: the register code of a program, as the engine executes it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::process::output::Output;
use crate::programs::build::Build;
use crate::programs::loading::How;
use crate::programs::program_file;

/// Options of `cleave dump`.
#[derive(Debug, clap::Args)]
pub struct DumpOptions {
    /// The program: what `cleave cc` made, or a .c, .bc or .ll file
    pub program: PathBuf,
    /// Of this function only. Default is the whole program, with the C library's functions that it needs
    pub function: Option<OsString>,
}

/// Prints a line an op: constants as their values, jumps by the index of an op.
pub fn dump(options: &DumpOptions) -> Result<ExitCode, Failure> {
    let program = program_file::load(&options.program, &Build::default(), How::default())?.program()?;
    let mut out = Output::new();
    match &options.function {
        None => out.line(program.dump_all().trim_end())?,
        Some(name) => {
            let id =
                program.functions.iter().position(|f| name.to_str() == Some(&f.name)).ok_or_else(|| {
                    let file = options.program.display();
                    Failure::new(format!(
                        "{file} has no function `{}`; `cleave dump {file}` shows all",
                        name.display()
                    ))
                })?;
            out.line(program.dump(id as u32).trim_end())?;
        }
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

//! `cleave cc`: clang for programs that Cleave explores.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::programs::program_file;

/// Compiles and links as clang does.
pub fn cc(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let status = cleave_toolchain::cc(arguments, program_file::of_links())?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

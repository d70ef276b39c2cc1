//! `cleave cc` and `cleave c++`: clang for programs that Cleave explores.

use std::ffi::OsString;
use std::process::ExitCode;

use cleave_toolchain::Language;

use crate::failure::Failure;
use crate::programs::program_file;

/// Compiles and links as clang does.
pub fn cc(language: Language, arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let status = cleave_toolchain::cc(language, arguments, program_file::of_links())?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

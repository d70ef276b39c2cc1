//! `cleave cc`.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::failure::Failure;

/// Compiles and links as clang does.
pub fn cc(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let status = cleave_toolchain::cc(arguments, &cleave_program::is_builtin)?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

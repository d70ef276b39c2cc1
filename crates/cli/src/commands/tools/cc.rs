//! `cleave cc`, `cleave c++`, `cleave rustc` and `cleave cargo`: compilers for programs that Cleave explores.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use cleave_toolchain::Language;

use crate::failure::Failure;
use crate::programs::program_file;

/// Compiles and links as clang does.
pub fn cc(language: Language, arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let status = cleave_toolchain::cc(language, arguments, program_file::of_links())?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// Compiles and links as rustc does.
pub fn rustc(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let status = cleave_toolchain::rustc(arguments, program_file::of_links())?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// Runs rustc for Cargo.
pub fn rustc_of_cargo(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let status = cleave_toolchain::rustc_of_cargo(arguments, program_file::of_links())?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// Becomes Cargo, whose programs can be explored.
pub fn cargo(arguments: &[OsString]) -> Failure {
    let itself = match std::env::current_exe() {
        Ok(path) => path,
        Err(e) => return Failure::new(format!("cannot find Cleave's own executable: {e}")),
    };
    match cleave_toolchain::cargo(&itself, arguments) {
        Ok(mut command) => {
            let error = command.exec();
            Failure::new(format!("cannot start `cargo` ({error}); install Rust, or put cargo into PATH"))
        }
        Err(error) => error.into(),
    }
}

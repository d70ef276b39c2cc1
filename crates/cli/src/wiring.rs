//! Where the command line meets the crates that do the work.

use crate::Failure;
use crate::list::Record;
use crate::options::{ResumeOptions, RunOptions};
use cleave_replay::{End, Fault, Foretold};
use cleave_report::{ErrorKind, NativeEffect};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn missing(what: &str) -> Failure {
    Failure::new(format!("{what} is not built into this version of Cleave yet; build a later one"))
}

/// `cleave cc`.
pub fn cc(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let status = cleave_toolchain::cc(arguments)?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// `cleave run`.
pub fn run(options: &RunOptions) -> Result<ExitCode, Failure> {
    let program = options.program();
    check_program(program)?;
    let name = program.file_name().unwrap_or(program.as_os_str());
    cleave_linux::env::EnvSpec::parse(name, options.arguments()).map_err(Failure::usage)?;
    Err(missing("exploration"))
}

/// `cleave resume`.
pub fn resume(options: &ResumeOptions) -> Result<ExitCode, Failure> {
    check_run_directory(&options.directory)?;
    Err(missing("exploration"))
}

/// `cleave worker`.
pub fn worker(_arguments: &[OsString]) -> Result<ExitCode, Failure> {
    Err(missing("the worker"))
}

/// Gives tests, then bugs, then open regions of a run to `each`.
pub fn records(
    directory: &Path,
    _each: &mut dyn FnMut(&Record) -> Result<(), Failure>,
) -> Result<(), Failure> {
    check_run_directory(directory)?;
    Err(missing("listing"))
}

/// The account of a run.
pub fn account(directory: &Path) -> Result<Value, Failure> {
    check_run_directory(directory)?;
    let path = directory.join("summary.json");
    let text = std::fs::read_to_string(&path).map_err(|e| {
        Failure::new(format!(
            "cannot read the account {}: {e}; it is written when a run stops",
            path.display()
        ))
    })?;
    serde_json::from_str(&text).map_err(|e| {
        let path = path.display();
        Failure::new(format!("the account {path} is damaged: {e}; `cleave resume` writes it anew"))
    })
}

/// What a run foretells for its tests, by the test's number.
pub fn foretold(_directory: &Path) -> Result<BTreeMap<u64, Foretold>, Failure> {
    Ok(BTreeMap::new())
}

/// What a test's record in a run foretells; `None` where nothing can be (cut off, not decided, not supported).
#[allow(dead_code)] // Until exploration is wired in.
fn foretold_by(
    end: Option<End>,
    stdout_sha256: Option<[u8; 32]>,
    bug: Option<ErrorKind>,
) -> Option<Foretold> {
    let Some(bug) = bug else {
        return Some(Foretold::Ends { end: end?, stdout_sha256: stdout_sha256? });
    };
    Some(Foretold::Fault(match bug.native_effect() {
        NativeEffect::Abort => Fault::Abort,
        NativeEffect::FloatingPointException => Fault::Division,
        NativeEffect::SegmentationFault => Fault::NullPointer,
        NativeEffect::Unknown => Fault::Other,
    }))
}

/// The native executable of a program.
pub fn native_executable(program: &Path) -> Result<PathBuf, Failure> {
    check_program(program)?;
    Ok(program.to_owned())
}

/// The tests in the order of their paths, those of one path together.
pub fn sort_tests(program: &Path, tests: Vec<PathBuf>) -> Result<Vec<Vec<PathBuf>>, Failure> {
    check_program(program)?;
    for test in &tests {
        cleave_report::read_test(test)?;
    }
    Err(missing("sorting tests"))
}

/// Whether `directory` is what `cleave run` makes.
pub fn is_run_directory(directory: &Path) -> bool {
    directory.join("run.db").is_file() || directory.join("summary.json").is_file()
}

fn check_run_directory(directory: &Path) -> Result<(), Failure> {
    if is_run_directory(directory) {
        return Ok(());
    }
    let directory = directory.display();
    Err(Failure::new(format!(
        "{directory} is no run directory; give one that `cleave run` made, like cleave-last"
    )))
}

fn check_program(program: &Path) -> Result<(), Failure> {
    match std::fs::metadata(program) {
        Ok(data) if data.is_file() => Ok(()),
        Ok(_) => Err(Failure::new(format!("{} is not a file; give a program", program.display()))),
        Err(e) => Err(Failure::new(format!("cannot read the program {}: {e}", program.display()))),
    }
}

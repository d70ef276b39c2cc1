//! A run in a process of its own, for commands that explore several functions: limits of time count from its start.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;

use crate::failure::Failure;
use crate::process::executable;
use crate::sessions::run_dir::account;
use crate::sessions::verdict::Verdict;

/// Explores with these words behind `cleave run`, which name `directory` for the run. `what` is explored, for people. Gives the verdict,
/// and the number of paths that ended by themselves or in a bug.
///
/// # Errors
/// If there is no run, with the last line that it printed.
pub fn child_run(arguments: &[OsString], what: &str, directory: &Path) -> Result<(Verdict, u64), Failure> {
    let mut command = executable::command("run");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let run = command.output();
    let run = run.map_err(|e| Failure::new(format!("cannot start the run of {what}: {e}")))?;
    let failed = || {
        let told = String::from_utf8_lossy(&run.stderr);
        let last = told.lines().last().unwrap_or("it gave no reason").trim_start_matches("cleave: error: ");
        Failure::new(format!("the run of {what} failed: {last}"))
    };
    let account = account(directory).map_err(|_| failed())?;
    let verdict = account["verdict"].as_str().and_then(Verdict::named).ok_or_else(failed)?;
    let paths = ["completed", "failed"].map(|kind| account["paths"][kind].as_u64().unwrap_or(0));
    Ok((verdict, paths.iter().sum()))
}

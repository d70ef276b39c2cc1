//! `cleave replay --gdb`: the native program on a test, under gdb.
//!
//! gdb starts programs by a wrapper, which is `cleave native`. The wrapper sets up the test's arguments, variables, standard
//! input and files, with any bytes in them, and becomes the program. So `run` in gdb starts the test each time.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use cleave_replay::{Job, Laid, Start, become_program, in_foreground};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::process::messages::note;

/// Input of `cleave native`, in a file.
#[derive(Serialize, Deserialize)]
struct Told {
    argv: Vec<Vec<u8>>,
    env: Vec<(Vec<u8>, Vec<u8>)>,
    stdin: PathBuf,
    directory: PathBuf,
    ktest: Option<PathBuf>,
    isolated: bool,
}

/// Runs gdb with these arguments of the user's on a job.
///
/// # Errors
/// If there is no gdb, or the job cannot be laid out.
pub fn debug(
    executable: &Path,
    job: &Job,
    isolated: bool,
    arguments: &[OsString],
) -> Result<ExitCode, Failure> {
    let laid = Laid::out(job)?;
    let told = Told {
        argv: job.argv.clone(),
        env: job.env.clone(),
        stdin: laid.stdin(),
        directory: laid.working_directory(),
        ktest: job.ktest.is_some().then(|| laid.ktest()),
        isolated,
    };
    let file = laid.folder().join("told");
    std::fs::write(&file, postcard::to_stdvec(&told).map_err(Failure::new)?)
        .map_err(|e| Failure::new(format!("cannot write {}: {e}", file.display())))?;
    let own = std::env::current_exe()
        .map_err(|e| Failure::new(format!("cannot find the file of this program: {e}")))?;
    let executable = std::path::absolute(executable).map_err(Failure::new)?;
    note(difference(job, isolated));
    let mut gdb = Command::new("gdb");
    gdb.arg("-q").arg("-ex").arg(format!("set exec-wrapper {} native {}", quoted(&own), quoted(&file)));
    gdb.args(arguments).arg(&executable);
    let status = in_foreground(gdb).map_err(|e| {
        Failure::new(format!("cannot start gdb: {e}; install it (Debian's package gdb), or leave --gdb out"))
    })?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Text about the differences between a run under gdb and the model's world.
fn difference(job: &Job, isolated: bool) -> String {
    let kept = if isolated {
        "it can write to its working directory alone, has no network, but can send signals to your processes"
    } else {
        "it may do whatever you may"
    };
    let fails = if job.needs_sandbox() {
        "; system calls that the test lets fail do not, and its files are yours, in the working directory alone"
    } else {
        ""
    };
    format!(
        "under gdb the program has the test's arguments, variables, standard input and files, but this machine's clocks, \
         ids, random numbers and order of threads, and no limits; {kept}{fails}"
    )
}

/// A path as a word for the shell that gdb asks.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// `cleave native`: becomes the program that a file describes.
pub fn native(told: &Path, executable: &Path) -> Failure {
    let unreadable =
        |e: String| Failure::new(format!("cannot read {}: {e}; use replay --gdb", told.display()));
    let told: Told = match std::fs::read(told).map_err(|e| e.to_string()) {
        Ok(bytes) => match postcard::from_bytes(&bytes) {
            Ok(told) => told,
            Err(e) => return unreadable(e.to_string()),
        },
        Err(e) => return unreadable(e),
    };
    let Told { argv, env, stdin, directory, ktest, isolated } = &told;
    become_program(&Start {
        executable,
        argv,
        env,
        stdin,
        directory,
        ktest: ktest.as_deref(),
        isolated: *isolated,
    })
    .into()
}

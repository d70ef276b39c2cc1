//! The executable of this process, for further processes.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The executable of this process, even if another one was installed in its place since: workers that start late must be of
/// the same version.
const ITSELF: &str = "/proc/self/exe";

/// One of the hidden commands, for a process of its own.
pub fn command(name: &str) -> Command {
    let mut command = Command::new(ITSELF);
    command.arg0("cleave").arg(name);
    command
}

/// A text that another build of Cleave does not share. `None` if the system does not tell.
pub fn identity() -> Option<String> {
    let file = std::fs::metadata(ITSELF).ok()?;
    Some(format!("{} {} {}.{}", file.ino(), file.size(), file.mtime(), file.mtime_nsec()))
}

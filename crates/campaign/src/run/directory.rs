//! The directory of a run, named as KLEE names its own.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::CampaignError;

/// Creates the first of `cleave-out-0`, `cleave-out-1` ... in `parent` that does not exist yet, and points the link
/// `cleave-last` to it. Returns its path.
///
/// # Errors
/// If none can be created; a link that cannot be created is no error.
pub fn next_directory(parent: &Path) -> Result<PathBuf, CampaignError> {
    numbered_directory(parent, "cleave-out", "cleave-last")
}

/// As [`next_directory`], with `STEM-0`, `STEM-1` ... and this name of the link.
///
/// # Errors
/// As [`next_directory`].
pub fn numbered_directory(parent: &Path, stem: &str, link: &str) -> Result<PathBuf, CampaignError> {
    for n in 0u64.. {
        let name = format!("{stem}-{n}");
        let path = parent.join(&name);
        match std::fs::create_dir(&path) {
            Ok(()) => {
                link_last(parent, &name, link);
                return Ok(path);
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(source) => return Err(CampaignError::Directory { path, source }),
        }
    }
    unreachable!("a directory does not hold 2^64 others")
}

/// Creates the directory `path`, or takes it if it exists and is empty.
///
/// # Errors
/// If it cannot be created, or is not empty.
pub fn make_directory(path: &Path) -> Result<(), CampaignError> {
    let failed = |source| CampaignError::Directory { path: path.to_path_buf(), source };
    std::fs::create_dir_all(path).map_err(failed)?;
    match std::fs::read_dir(path).map_err(failed)?.next() {
        None => Ok(()),
        Some(_) => Err(CampaignError::Exists { path: path.to_path_buf() }),
    }
}

/// Replaces the link in one step, so that there is always one. The link is optional: if it cannot be created (no
/// links in this file system, or something else has its name) the run continues without it.
fn link_last(parent: &Path, name: &str, link: &str) {
    let last = parent.join(link);
    if last.symlink_metadata().is_ok_and(|m| !m.is_symlink()) {
        return;
    }
    let fresh = parent.join(format!(".{link}-{}", std::process::id()));
    if std::os::unix::fs::symlink(name, &fresh).is_ok() && std::fs::rename(&fresh, &last).is_err() {
        let _ = std::fs::remove_file(&fresh);
    }
}

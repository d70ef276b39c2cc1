//! The files of a run directory that people and other tools read.

use crate::{ErrorReport, KTest, KTestError, account_lines};
use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use std::io;
use std::path::{Path, PathBuf};

/// A file that could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system refused.
    #[error(
        "cannot write {path}: {source}; make room there, or make it writable, then `cleave resume` the run: \
         nothing that was recorded is lost"
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The system refused.
    #[error("cannot read the test {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The test itself is wrong.
    #[error("cannot use the test {path}: {source}")]
    Test {
        /// The file.
        path: PathBuf,
        /// Cause of the error.
        source: KTestError,
    },
    /// The value cannot be written as JSON.
    #[error("cannot write {path} as JSON: {source}")]
    Json {
        /// The file.
        path: PathBuf,
        /// Cause of the error.
        source: serde_json::Error,
    },
}

/// The files in `tests/` of a run directory, named as KLEE names them: `test000001.ktest`. Writing is plain writing: the run's database is what counts
/// after a crash, and these files are made from it again.
#[derive(Clone, Debug)]
pub struct RunFiles {
    tests: PathBuf,
}

impl RunFiles {
    /// The files of the run directory `run`; makes its folder `tests`.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn create(run: &Path) -> Result<Self, WriteError> {
        let tests = run.join("tests");
        let failed = |source| WriteError::Write { path: tests.clone(), source };
        std::fs::create_dir_all(run).map_err(failed)?;
        if !tests.is_dir() && !make_elsewhere(run, &tests) {
            std::fs::create_dir_all(&tests).map_err(failed)?;
        }
        Ok(RunFiles { tests })
    }

    /// The files of a folder, which is there.
    pub fn in_folder(folder: &Path) -> Self {
        RunFiles { tests: folder.to_path_buf() }
    }

    fn path(&self, id: u64, suffix: &str) -> PathBuf {
        self.tests.join(format!("test{id:06}.{suffix}"))
    }

    /// Returns true if the file of test number `id` with this suffix exists and is whole: `len` bytes long.
    pub fn has(&self, id: u64, suffix: &str, len: usize) -> bool {
        std::fs::metadata(self.path(id, suffix)).is_ok_and(|data| data.len() == len as u64)
    }

    /// Writes the file of test number `id` with such a suffix.
    ///
    /// # Errors
    /// If the file cannot be written; a part of it is not left behind.
    pub fn write(&self, id: u64, suffix: &str, bytes: &[u8]) -> Result<(), WriteError> {
        write(&self.path(id, suffix), bytes)
    }

    /// Writes the error of test number `id` beside it, as KLEE names it: `test000001.ptr.err`; returns where.
    ///
    /// # Errors
    /// If the file cannot be written; a part of it is not left behind.
    pub fn write_error(&self, id: u64, program: &str, error: &ErrorReport) -> Result<PathBuf, WriteError> {
        let path = self.path(id, &format!("{}.err", error.suffix()));
        let test = self.path(id, "ktest");
        write(&path, error.text(program, &test.to_string_lossy()).as_bytes())?;
        Ok(path)
    }
}

/// Makes the folder `tests` in `run` where the disk is little used, if the file system can be told so.
///
/// Else ext4 makes a folder, and the files in it, near the folder that it is in. Where many files were removed in the
/// last five minutes it then looks at each of their places anew for each new file, as it does not use them again so
/// soon: a file after a run of 12,000 tests that was removed costs 350 us and not 35. A folder in one that is marked as
/// the top of a hierarchy begins in another part of the disk, which is chosen by its name among those that are alike.
fn make_elsewhere(run: &Path, tests: &Path) -> bool {
    let Ok(folder) = std::fs::File::open(run) else { return false };
    let Ok(flags) = ioctl_getflags(&folder) else { return false };
    if ioctl_setflags(&folder, flags | IFlags::TOPDIR).is_err() {
        return false;
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let fresh = run.join(format!(".tests-{}-{}", std::process::id(), now.as_nanos()));
    let made = std::fs::create_dir(&fresh).is_ok();
    let _ = ioctl_setflags(&folder, flags);
    let named = made && std::fs::rename(&fresh, tests).is_ok();
    if made && !named {
        let _ = std::fs::remove_dir(&fresh);
    }
    named
}

/// Reads a test.
///
/// # Errors
/// If the file cannot be read or is no test.
pub fn read_test(path: &Path) -> Result<KTest, WriteError> {
    let bytes = std::fs::read(path).map_err(|source| WriteError::Read { path: path.into(), source })?;
    KTest::parse(&bytes).map_err(|source| WriteError::Test { path: path.into(), source })
}

/// Writes `value` as indented JSON, by way of a second file, so that readers find the old or the new account
/// and never a part of one.
///
/// # Errors
/// If the file cannot be written, or `value` is nothing that JSON can hold.
pub fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), WriteError> {
    let mut text =
        serde_json::to_vec_pretty(value).map_err(|source| WriteError::Json { path: path.into(), source })?;
    text.push(b'\n');
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(".new");
    let fresh = PathBuf::from(fresh);
    write(&fresh, &text)?;
    std::fs::rename(&fresh, path).map_err(|source| WriteError::Write { path: path.into(), source })
}

/// Writes `account` as KLEE's `info` file is: a line for each value, its name first.
///
/// # Errors
/// If the file cannot be written.
pub fn write_info(path: &Path, account: &serde_json::Value) -> Result<(), WriteError> {
    let lines = account_lines(account).into_iter().map(|(name, value)| format!("{name}: {value}\n"));
    write(path, lines.collect::<String>().as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    std::fs::write(path, bytes).map_err(|source| {
        let _ = std::fs::remove_file(path);
        WriteError::Write { path: path.into(), source }
    })
}

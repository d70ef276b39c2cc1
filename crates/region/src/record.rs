//! Records of finished paths: workers report them, the database and the reports contain them.

use serde::{Deserialize, Serialize};

use crate::{Encoded, PathDigest, Test};

/// Kind of a path's end, for the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PathKind {
    /// The program ended by itself.
    Completed,
    /// In a bug.
    Failed,
    /// At an operation that is not modelled.
    Unsupported,
    /// In a bug that the user excuses.
    Suppressed,
    /// At an assumption that no input of the path satisfies.
    AssumedAway,
}

impl PathKind {
    /// All kinds, in the order of their numbers (`kind as usize`).
    pub const ALL: [PathKind; 5] = [
        PathKind::Completed,
        PathKind::Failed,
        PathKind::Unsupported,
        PathKind::Suppressed,
        PathKind::AssumedAway,
    ];

    /// Its name in databases and reports.
    pub fn name(self) -> &'static str {
        match self {
            PathKind::Completed => "completed",
            PathKind::Failed => "failed",
            PathKind::Unsupported => "unsupported",
            PathKind::Suppressed => "suppressed",
            PathKind::AssumedAway => "assumed_away",
        }
    }
}

/// A finished path; `T` is a test or its encoded form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRecord<T = Test> {
    /// The digest of its decisions.
    pub digest: PathDigest,
    /// Number of its decisions.
    pub depth: u32,
    /// Kind of its end.
    pub kind: PathKind,
    /// The exit status (0 to 255); none for a bug, a signal or an unsupported operation.
    pub exit_status: Option<i32>,
    /// The signal it ends by.
    pub signal: Option<i32>,
    /// SHA-256 of its standard output.
    pub stdout_sha256: [u8; 32],
    /// Length of its standard output, in bytes.
    pub stdout_len: u64,
    /// A test that takes it.
    pub test: T,
    /// LLVM instructions on it, from the entry.
    pub instructions: u64,
    /// The bug, the unsupported operation, or the violated assumption.
    pub bug: Option<BugRecord>,
    /// Places where its outcome depends on the addresses of objects, which differ natively: `FILE:LINE`.
    pub addresses: Vec<String>,
    /// The marks of coverage that it passes, a bit each, the lowest bit of the first byte first; the last byte is not zero. Empty if
    /// they were not collected.
    pub passed: Vec<u8>,
}

/// A finished path in its sent and stored form, with an encoded test.
pub type EncodedPath = PathRecord<Encoded<Test>>;

impl<T> PathRecord<T> {
    /// The same path with another form of its test.
    pub fn with_test<U>(self, form: impl FnOnce(T) -> U) -> PathRecord<U> {
        let PathRecord {
            digest,
            depth,
            kind,
            exit_status,
            signal,
            stdout_sha256,
            stdout_len,
            test,
            instructions,
            bug,
            addresses,
            passed,
        } = self;
        let test = form(test);
        PathRecord {
            digest,
            depth,
            kind,
            exit_status,
            signal,
            stdout_sha256,
            stdout_len,
            test,
            instructions,
            bug,
            addresses,
            passed,
        }
    }
}

impl PathRecord {
    /// The path in its sent and stored form.
    pub fn encoded(self) -> EncodedPath {
        self.with_test(|test| Encoded::new(&test))
    }
}

impl EncodedPath {
    /// The path with its decoded test.
    ///
    /// # Errors
    /// As of [`Encoded::decode`].
    pub fn decoded(self) -> postcard::Result<PathRecord> {
        let test = self.test.decode()?;
        Ok(self.with_test(|_| test))
    }
}

/// Prefix of the kind of a suppressed bug.
pub const SUPPRESSED_BY: &str = "suppressed by ";

/// A bug, an unsupported operation, or a violated assumption, at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BugRecord {
    /// Its kind by name: `null-pointer`, `division` ...; `unsupported` and `assumed-away` if it is no bug, and
    /// [`SUPPRESSED_BY`] and the suppression if it is suppressed.
    pub kind: String,
    /// Description of the fault.
    pub message: String,
    /// Its place, which identifies the bug among those of its kind.
    pub place: String,
    /// The stack, the innermost function first.
    pub trace: Vec<FrameRecord>,
}

/// A line of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameRecord {
    /// The function.
    pub function: String,
    /// The source file; empty if it is not known.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The arguments of its call, for display.
    #[serde(default)]
    pub arguments: String,
}

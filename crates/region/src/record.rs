//! What a worker reports of a finished path, and what goes into the database and the reports.

use serde::{Deserialize, Serialize};

use crate::{Encoded, PathDigest, Test};

/// How a path ended, for the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PathKind {
    /// The program ended by itself.
    Completed,
    /// In a bug.
    Failed,
    /// At something that is not modelled.
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

/// A finished path; `T` is a test, or what stands for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRecord<T = Test> {
    /// The digest of its decisions.
    pub digest: PathDigest,
    /// How many decisions it has.
    pub depth: u32,
    /// How it ended.
    pub kind: PathKind,
    /// The exit status (0 to 255) it ends with; none for a bug, a signal or what is unsupported.
    pub exit_status: Option<i32>,
    /// The signal it ends by.
    pub signal: Option<i32>,
    /// SHA-256 of what it writes to standard output.
    pub stdout_sha256: [u8; 32],
    /// Bytes it writes to standard output.
    pub stdout_len: u64,
    /// A test that takes it.
    pub test: T,
    /// LLVM instructions on it, from the entry.
    pub instructions: u64,
    /// The bug, or what is unsupported, or the assumption that does not hold.
    pub bug: Option<BugRecord>,
    /// Where its outcome depends on the addresses of objects, which are others natively: `FILE:LINE`.
    pub addresses: Vec<String>,
}

/// A finished path as it is sent and stored: nobody on the way looks at its test.
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
        }
    }
}

impl PathRecord {
    /// To be sent and stored.
    pub fn encoded(self) -> EncodedPath {
        self.with_test(|test| Encoded::new(&test))
    }
}

impl EncodedPath {
    /// With its test.
    ///
    /// # Errors
    /// As of [`Encoded::decode`].
    pub fn decoded(self) -> postcard::Result<PathRecord> {
        let test = self.test.decode()?;
        Ok(self.with_test(|_| test))
    }
}

/// What the kind of a suppressed bug begins with.
pub const SUPPRESSED_BY: &str = "suppressed by ";

/// A bug, or something unsupported, or an assumption that does not hold, at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BugRecord {
    /// What kind it is, by name: `null-pointer`, `division` ...; `unsupported` and `assumed-away` where it is no bug, and
    /// where it is suppressed [`SUPPRESSED_BY`] and the suppression.
    pub kind: String,
    /// What is wrong.
    pub message: String,
    /// Where, so that two paths to one bug are seen to be that.
    pub place: String,
    /// The stack, the innermost function first.
    pub trace: Vec<FrameRecord>,
}

/// A line of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameRecord {
    /// The function.
    pub function: String,
    /// The source file; empty where it is not known.
    pub file: String,
    /// The line, from 1; 0 where it is not known.
    pub line: u32,
    /// The arguments that it was called with, for people.
    #[serde(default)]
    pub arguments: String,
}

//! Whoever looks on while a run explores: files are made here, and progress is shown.

use std::time::Duration;

use cleave_region::EncodedPath;

use crate::account::Snapshot;

/// A path that was just recorded.
#[derive(Clone, Copy, Debug)]
pub struct RecordedPath<'a> {
    /// Its number in the run, from 1; also that of its test.
    pub id: u64,
    /// The path.
    pub record: &'a EncodedPath,
    /// No path before it ended in the same bug at the same place.
    pub new_bug: bool,
    /// It covers what no path before it does.
    pub covers: bool,
}

/// Whoever looks on.
pub trait Sink {
    /// Paths that are in the database now. When the process is killed before the next line, they are not seen
    /// here again: files made from them are to be completed from the database on resuming.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what to do; it ends the session.
    fn paths(&mut self, paths: &[RecordedPath<'_>]) -> Result<(), String>;
    /// Whether it has so much to do that exploring should wait. To be asked often.
    fn is_full(&mut self) -> bool {
        false
    }
    /// How long it will take for what it was given.
    fn behind(&self) -> Duration {
        Duration::ZERO
    }
    /// Where the run stands; often.
    fn progress(&mut self, now: &Snapshot) {
        let _ = now;
    }
    /// Something to be shown to the user.
    fn message(&mut self, text: &str) {
        let _ = text;
    }
}

/// Nobody looks on.
impl Sink for () {
    fn paths(&mut self, _: &[RecordedPath<'_>]) -> Result<(), String> {
        Ok(())
    }
}

//! The observer of a run: it makes files of paths and shows progress. The coordinator calls it; commands implement it.

use std::time::Duration;

use cleave_region::EncodedPath;

use crate::accounting::account::Snapshot;

/// A path that was just recorded.
#[derive(Clone, Copy, Debug)]
pub struct RecordedPath<'a> {
    /// Its number in the run, from 1; also that of its test.
    pub id: u64,
    /// The path.
    pub record: &'a EncodedPath,
    /// True if no path before it ended in the same bug at the same place.
    pub new_bug: bool,
    /// True if it covers code that no path before it covers.
    pub covers: bool,
}

/// Observer of a run.
pub trait Sink {
    /// Receives paths that are in the database now. If the process is killed before this call ends, they do not come
    /// again: files made from them are to be completed from the database on resuming.
    ///
    /// # Errors
    /// A sentence with the fault and advice; it ends the session.
    fn paths(&mut self, paths: &[RecordedPath<'_>]) -> Result<(), String>;
    /// True if exploring should wait because the sink is behind. Called often.
    fn is_full(&mut self) -> bool {
        false
    }
    /// Expected time to finish the work that it was given.
    fn behind(&self) -> Duration {
        Duration::ZERO
    }
    /// Receives the state of the run. Called often.
    fn progress(&mut self, now: &Snapshot) {
        let _ = now;
    }
    /// Receives a message for the user.
    fn message(&mut self, text: &str) {
        let _ = text;
    }
}

/// No observer.
impl Sink for () {
    fn paths(&mut self, _: &[RecordedPath<'_>]) -> Result<(), String> {
        Ok(())
    }
}

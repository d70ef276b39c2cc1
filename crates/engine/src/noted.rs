//! What is noted of a path for native threads, which take the same turns.

use cleave_linux::Turn;

/// The choices of a path, and where it was.
#[derive(Default)]
pub(crate) struct Noted {
    pub(crate) turns: Vec<Turn>,
    /// So many accesses were come to that are points.
    pub(crate) accesses: u64,
}

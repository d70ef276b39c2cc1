//! The schedule of a path, noted for native threads that take the same turns.

use cleave_linux::Turn;

/// The choices of turns on a path, and the accesses so far.
#[derive(Default)]
pub(crate) struct Noted {
    pub(crate) turns: Vec<Turn>,
    /// Number of accesses so far that are points.
    pub(crate) accesses: u64,
}

//! Which state is next.

/// Chooses the next state of a frontier. Whatever it chooses, the paths found are the same.
pub trait Strategy {
    /// The place of the next state among `waiting` (one or more). The frontier is in the order of paths: place 0
    /// comes last, place `waiting - 1` first.
    fn next(&mut self, waiting: usize) -> usize;
}

/// The first in the order of paths: true sides first. What is left is then one region at any time.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthFirst;

impl Strategy for DepthFirst {
    fn next(&mut self, waiting: usize) -> usize {
        waiting - 1
    }
}

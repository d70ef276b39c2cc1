//! The fuel of one strategy for one query, and a flag that stops it. The solver sets it; the searches of this crate obey it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Fuel for one strategy on one query.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// Fuel, in units of one term evaluated under 64 combinations.
    pub most: usize,
    /// A flag that stops the strategy when it becomes true.
    pub stop: Option<&'a AtomicBool>,
}

impl From<usize> for Limit<'_> {
    fn from(most: usize) -> Self {
        Limit { most, stop: None }
    }
}

impl Limit<'_> {
    /// True if the strategy must stop; it does not check the fuel.
    pub fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

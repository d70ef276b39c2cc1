//! When a way to an answer is given up.

use std::sync::atomic::{AtomicBool, Ordering};

/// How long a way to an answer may go on.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// Work, in units of one term under 64 combinations.
    pub most: usize,
    /// It ends as soon as this is true.
    pub stop: Option<&'a AtomicBool>,
}

impl From<usize> for Limit<'_> {
    fn from(most: usize) -> Self {
        Limit { most, stop: None }
    }
}

impl Limit<'_> {
    /// Whether it is to end.
    pub fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

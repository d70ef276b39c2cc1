//! The memory access of an op, for the modules that order accesses.

/// An access of the op at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accessed {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) writes: bool,
}

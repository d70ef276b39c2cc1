//! What the self-check of a path knows; `self_check.rs` does it.

use cleave_expr::Witness;

/// What a followed path is held against.
pub(crate) struct Watch {
    /// The test that is followed.
    pub(crate) witness: Witness,
    /// What was told that does not hold, a sentence each.
    pub(crate) wrong: Vec<String>,
}

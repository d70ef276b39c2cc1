//! Observers of a path while it is followed: its self-check (`self_check.rs`), and the log of its branches (`hearing.rs`).

use cleave_expr::{Term, Witness};
use cleave_program::code::{FuncId, Pc};

/// A branch, and its condition, which depends on the input. A branch at which the run stops for a decision is logged again when
/// it goes on.
pub type HeardBranch = ((FuncId, Pc), Term);

/// The test that a followed path is checked against, and the mistakes found.
pub(crate) struct Watch {
    /// The test that is followed.
    pub(crate) witness: Witness,
    /// Answers to the state that do not hold, a sentence each.
    pub(crate) wrong: Vec<String>,
}

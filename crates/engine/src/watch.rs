//! What those know who look at a path while it is followed: its self-check (`self_check.rs`), and who hears of its branches
//! (`hearing.rs`).

use cleave_expr::{Term, Witness};
use cleave_program::code::{FuncId, Pc};

/// A branch, and its condition, which depends on the input. A branch at which the run stops for a decision is told again when
/// it goes on.
pub type HeardBranch = ((FuncId, Pc), Term);

/// What a followed path is held against.
pub(crate) struct Watch {
    /// The test that is followed.
    pub(crate) witness: Witness,
    /// What was told that does not hold, a sentence each.
    pub(crate) wrong: Vec<String>,
}

//! Looks at the work on terms during a run: a run with much of it stops early, so that others can look at the clock.

use crate::engine::Engine;

/// Work on terms ([`Terms::work`](cleave_expr::Terms::work)) after which a run stops to let others look at the clock, a tenth of a
/// second of it. Arithmetic on a number of which thousands of values are listed takes a millisecond an op.
pub(crate) const WORK_OF_RUN: u64 = 1 << 22;
/// Instructions between two looks at that work.
const LOOK: u64 = 1 << 12;
/// As [`LOOK`], where ops are much work.
const LOOK_AT_HARD_OPS: u64 = 1 << 6;

/// Looks at the work on terms during a run of a state.
pub(crate) struct Looks {
    /// That work when the run began, and at the last look.
    pub(crate) began: u64,
    pub(crate) before: u64,
    /// Number of instructions of the path at which the next look is due: a multiple of [`LOOK`] or [`LOOK_AT_HARD_OPS`], so that it does
    /// not matter how the run is divided.
    pub(crate) at: u64,
}

impl Looks {
    pub(crate) fn is_due_behind(instructions: u64, is_hard: bool) -> u64 {
        let each = if is_hard { LOOK_AT_HARD_OPS } else { LOOK };
        (instructions / each + 1) * each
    }

    /// Compiled code has come to this number of instructions; nothing was done on terms meanwhile.
    #[cfg(feature = "jit")]
    pub(crate) fn passes(&mut self, instructions: u64, work: u64) {
        if instructions >= self.at {
            (self.at, self.before) = (Looks::is_due_behind(instructions, false), work);
        }
    }
}

impl Engine {
    /// Whether more than so much work was done on terms since.
    pub(crate) fn has_evaluated(&self, before: u64, most: u64) -> bool {
        self.terms.work().wrapping_sub(before) > most
    }

    /// Whether the next look would change nothing if no work is done on terms until then.
    #[cfg(feature = "jit")]
    pub(crate) fn is_quiet(&self, looks: &Looks) -> bool {
        !self.has_evaluated(looks.began, WORK_OF_RUN) && !self.has_evaluated(looks.before, WORK_OF_RUN / 64)
    }
}

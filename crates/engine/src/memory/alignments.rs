//! Alignments that a program asks the heap for: `memalign`, `aligned_alloc`, `posix_memalign`.
//!
//! An alignment that depends on the input is not decided value by value. One decision tells if it is valid, and one if an
//! object can have it. All values that are left get the largest of them: a multiple of each smaller one.

use crate::engine::Engine;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// `posix_memalign` wants at least the alignment of a pointer, in bytes.
pub(crate) const LEAST_OF_POSIX: u64 = 8;

/// Zero is one: musl gives memory for it.
fn is_valid(align: u64, least: u64) -> bool {
    align >= least && (align == 0 || align.is_power_of_two())
}

impl Engine {
    /// The alignment in bytes that an object gets for the requested one: at least that, and a power of two, so a multiple of
    /// it. `None` if it is invalid: no power of two, or less than `least`. It must be defined. No object can have more than
    /// [`cleave_program::layout::Target::most_align`].
    pub(crate) fn asked_alignment(&mut self, state: &State, r: Reg, least: u64) -> Result<Option<u64>, Stop> {
        self.used(state, r, "an argument or a size")?;
        let Some(t) = r.term() else { return Ok(is_valid(r.value, least).then_some(r.value.max(1))) };
        let t = self.value(state, t);
        if let Some(align) = self.terms.constant64(t) {
            return Ok(is_valid(align, least).then_some(align.max(1)));
        }
        let (zero, one) = (self.terms.constant_of(64, 0), self.terms.constant_of(64, 1));
        let below = self.terms.sub(t, one);
        let common = self.terms.and(t, below);
        let at_most_one_bit = self.terms.eq(common, zero);
        let least = self.terms.constant_of(64, least.into());
        let enough = self.terms.ule(least, t);
        let valid = self.terms.and(at_most_one_bit, enough);
        if !self.decide(state, valid)? {
            return Ok(None);
        }
        let (_, most) = self.bounds(state, t);
        let limit = self.program.target.most_align();
        if most > limit && !self.is_at_most(state, t, limit)? {
            return Ok(Some(2 * limit));
        }
        let most = most.min(limit);
        Ok(Some(most.checked_ilog2().map_or(1, |bit| 1 << bit)))
    }
}

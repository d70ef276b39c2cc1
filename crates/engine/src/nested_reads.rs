//! Indices that come out of reads at unknown indices, one within the other: `at = d[at]`, again and again.
//!
//! Each read is a choice among the contents of all places, by an index that is such a choice itself. The solver's work multiplies with
//! each of them, while the paths of a program that follows offsets are few for each offset. So the innermost index is decided as soon as
//! the nesting is deeper than a limit, which makes the index at hand a simple one again. `memory_ops.rs` asks for that
//! before it reads or writes what is not known.

use cleave_expr::Term;

use crate::engine::Engine;
use crate::limits::Limit;
use crate::state::State;
use crate::stop::Stop;

/// An index over at most this many places is decided one read sooner: 16 paths are less work than questions about a choice within a choice
/// (of 8 bytes that are offsets of each other 1,013 paths a second instead of 174; of 20 bytes with two records, 196 paths instead of
/// 10,000).
const FEW_PLACES: u64 = 16;

impl Engine {
    /// An offset without the reads in it that are too many, one within the other: innermost indices are decided, one after the other, and
    /// their values make the offset simpler. A function of the path and the term. Where no condition of the path is about several of its bytes,
    /// nobody has asked about these reads, and nothing is decided.
    pub(crate) fn untangled(&mut self, state: &State, offset: Term) -> Result<Term, Stop> {
        let most = self.options.limits.nested_reads;
        let (mut left, mut path) = (offset, None);
        loop {
            let depth = u64::from(self.terms.nesting(left).depth);
            if depth < most || depth == 0 {
                return Ok(left);
            }
            let Some((place, places)) = self.terms.innermost_place(left) else { return Ok(left) };
            let most = if places <= FEW_PLACES { most.saturating_sub(1) } else { most };
            if depth <= most || !self.is_linked(state, left) {
                return Ok(left);
            }
            let (least, greatest) = self.bounds(state, place);
            let value = self.concrete_within(state, place, least, greatest)?;
            self.decided_by_value(state, Limit::NestedReads, places);
            let path = path.get_or_insert_with(|| state.path.clone());
            path.learn(&mut self.terms, place, value);
            let simpler = self.value_on(&state.answers, path, left);
            if simpler == left {
                return Ok(left);
            }
            left = simpler;
        }
    }
}

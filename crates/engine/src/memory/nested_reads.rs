//! Indices that come out of reads at unknown indices, one within the other: `at = d[at]`, again and again.
//!
//! Each read is a choice among the contents of all places, by an index that is such a choice itself. The solver's work
//! multiplies with each of them, while the paths of a program that follows offsets are few for each offset. So the innermost
//! index is decided as soon as the nesting is deeper than a limit, which makes the index at hand a simple one again.
//! `memory_ops.rs` calls this module before a read or write at a symbolic offset.

use cleave_expr::{Innermost, Term};

use crate::engine::Engine;
use crate::limits::Limit;
use crate::states::state::State;
use crate::stop::Stop;

/// Maximum number of places of an index that is decided one read sooner: a path for each is less work than queries about a
/// choice within a choice. Paths in a second of a processor, measured on a loaded machine with other limits:
///
/// - At 8, an interpreter of 12 bytes has 1,330 instead of 1,620. Below 8, eight bytes that are offsets of each other have 320
///   instead of 1,900.
/// - At 32, a list of 24 elements has 1,220 instead of 210, and a reader of DNS messages of 26 bytes 102 instead of 62. But 20
///   bytes with two records of an archive are 10,000 paths instead of 196, which is worse than slow.
/// - 64 is as 32 for all of them.
const FEW_PLACES: u64 = 16;

/// An offset after the reads in it were decided.
pub(crate) enum Untangled {
    /// One place.
    At(u64),
    /// A simpler term.
    Simpler(Term),
    AsItWas,
}

impl Engine {
    /// An offset without the reads in it that are too many, one within the other: innermost indices are decided, one after the
    /// other, and their values make the offset simpler. The result is a function of the path and the term. If no condition of
    /// the path is about several of its bytes, no query has met these reads, and nothing is decided.
    pub(crate) fn untangled(&mut self, state: &State, offset: Term) -> Result<Term, Stop> {
        let most = self.options.limits.nested_reads;
        let (mut left, mut path) = (offset, None);
        loop {
            let depth = u64::from(self.terms.nesting(left).depth);
            if depth < most || depth == 0 {
                return Ok(left);
            }
            let Some(found) = self.terms.innermost_place(left) else { return Ok(left) };
            let Innermost { place, only, places } = found;
            let most = if places <= FEW_PLACES { most.saturating_sub(1) } else { most };
            if depth <= most || !self.is_linked(state, left) {
                return Ok(left);
            }
            let value = self.decided_part(state, place, only)?;
            self.decided_by_value(state, Limit::NestedReads, places);
            let path = path.get_or_insert_with(|| state.path.clone());
            if let Some(value) = value {
                path.learn(&mut self.terms, place, value);
            }
            let simpler = self.value_on(&state.answers, path, left);
            if simpler == left {
                return Ok(left);
            }
            left = simpler;
        }
    }

    /// The value of a place, or of a part of it. A part that is compared with one constant only is decided to be that or not:
    /// `None` if not.
    fn decided_part(&mut self, state: &State, part: Term, only: Option<u64>) -> Result<Option<u64>, Stop> {
        let Some(only) = only else {
            let (least, greatest) = self.bounds(state, part);
            return self.concrete_within(state, part, least, greatest).map(Some);
        };
        let constant = self.terms.constant_of(self.terms.width(part), only.into());
        let is = self.terms.eq(part, constant);
        let holds = self.decide(state, is)?;
        if holds {
            self.learned.push((part, only));
        }
        Ok(holds.then_some(only))
    }

    /// As [`Engine::untangled`], for an access whose last place is `last`.
    pub(crate) fn untangled_place(
        &mut self,
        state: &State,
        offset: Term,
        last: u64,
    ) -> Result<Untangled, Stop> {
        let left = self.untangled(state, offset)?;
        Ok(match self.terms.constant64(left) {
            Some(at) if at <= last => Untangled::At(at),
            None if left != offset => Untangled::Simpler(left),
            // The path has decided that the access lies inside, and its decisions give the offset this value: they contradict
            // each other, as those of an unchecked path may. The offset stays as it was.
            Some(_) | None => Untangled::AsItWas,
        })
    }
}

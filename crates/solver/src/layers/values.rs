//! Cache of all values of a term on a path. A program that looks for one among many values of a term asks about each,
//! and so does the engine when it makes a term concrete. The layers in `sweeping.rs` fill and read it.

use std::collections::VecDeque;

use cleave_assignments::{Reached, holds_for, pivot};
use cleave_expr::{ByteId, ByteSet, Share, Term, Terms, Witness};
use cleave_path::PathCondition;
use rustc_hash::FxHashMap;

use crate::answer::LayerAnswer;
use crate::backends::backend::Conflict;
use crate::layers::slice::Slice;
use crate::policy::enumeration;

/// The values of a term under conditions of a path.
struct Known {
    of: Term,
    conditions: Vec<Term>,
    domains: Vec<(ByteId, ByteSet)>,
    reached: Reached,
    /// Its size.
    _share: Share,
}

/// The terms whose values are known, the last kept first.
#[derive(Default)]
pub(crate) struct Values {
    known: VecDeque<Known>,
    /// Number of questions about each term, and the number at which its values are listed.
    asked: FxHashMap<Term, (usize, usize)>,
}

impl Values {
    /// The dominator term of a question: all that its conditions depend on.
    pub(crate) fn pivot(terms: &Terms, slice: &Slice) -> Option<Term> {
        let first = slice.asked.first()?;
        let found = pivot(terms, first.term)?;
        let same = slice.asked.iter().all(|r| pivot(terms, r.term) == Some(found));
        (same && slice.narrowed.is_empty()).then_some(found)
    }

    /// The number of questions about a term so far, if its values are to be listed now. The more there were, the more
    /// are expected.
    pub(crate) fn are_due(&mut self, of: Term) -> Option<usize> {
        if self.asked.len() > enumeration::COUNTED_TERMS {
            self.asked.clear();
        }
        let (times, next) = self.asked.entry(of).or_insert((0, 2));
        *times += 1;
        (times >= next).then_some(*times)
    }

    /// Records that a term has too many values. The next try comes after four times as many questions.
    pub(crate) fn too_many(&mut self, of: Term) {
        if let Some((times, next)) = self.asked.get_mut(&of) {
            *next = 4 * *times;
        }
    }

    /// Keeps all values that `of` has under these conditions.
    pub(crate) fn keep(
        &mut self,
        terms: &Terms,
        of: Term,
        mut conditions: Vec<Term>,
        domains: Vec<(ByteId, ByteSet)>,
        reached: Reached,
    ) {
        if self.known.len() == enumeration::KEPT_TERMS {
            self.known.pop_back();
        }
        conditions.sort_unstable();
        let mut share = terms.share();
        share.set(reached.size() + size_of_val(&*conditions) + size_of_val(&*domains));
        self.known.push_front(Known { of, conditions, domains, reached, _share: share });
        terms.fit_tables();
        while self.known.len() > 1 && terms.tables_are_full() {
            self.known.pop_back();
        }
    }

    /// The answer that the known values of `pivot` give to the question.
    pub(crate) fn answer(
        &self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
        near: &Witness,
        pivot: Term,
    ) -> Option<LayerAnswer> {
        let mut candidates = self.known.iter().filter(|known| known.of == pivot).peekable();
        candidates.peek()?;
        let mut now: Vec<Term> = slice.relations.iter().map(|r| r.term).collect();
        now.sort_unstable();
        let known = candidates.find(|known| {
            known.conditions.iter().all(|c| now.binary_search(c).is_ok())
                && known.domains.iter().all(|(id, set)| {
                    let left = slice.domain(pc, *id);
                    left.intersect(set) == left
                })
        })?;
        let values = &known.reached.values;
        let mut left = vec![true; values.len()];
        for r in &slice.asked {
            let holds = holds_for(terms, r.term, pivot, values)?;
            left.iter_mut().zip(holds).for_each(|(left, holds)| *left &= holds);
        }
        let mut left = left.iter().enumerate().filter(|(_, left)| **left).map(|(place, _)| place).peekable();
        if left.peek().is_none() {
            let conditions =
                known.conditions.iter().copied().chain(slice.asked.iter().map(|r| r.term)).collect();
            return Some(LayerAnswer::Unsat(Conflict { conditions, domains: known.domains.clone() }));
        }
        for place in left.take(enumeration::LOOKS) {
            let w = terms.patched(near, known.reached.way(place));
            let fits = slice.bytes.iter().all(|&id| slice.domain(pc, id).contains(w.get(id)));
            if fits && slice.holds(terms, &w, u64::MAX) {
                return Some(LayerAnswer::Sat(w));
            }
        }
        None
    }
}

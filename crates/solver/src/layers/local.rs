//! Layers that answer from the facts of a long component, see path/src/facts.rs. The pipeline calls them. They do not look at
//! conditions on other bytes, so that a question late on a path costs as much as an early one.

use cleave_expr::{ByteId, Term, Terms, Witness};
use cleave_path::{LEAST_FACTS, PathCondition};

use crate::answer::LayerAnswer;
use crate::backends::backend::Conflict;
use crate::options::LayerName;
use crate::question::Question;
use crate::solver::Solver;

impl Solver {
    /// Returns true if the question is linked to components with enough conditions to have facts. The facts name no
    /// conditions, so they cannot answer if a core is wanted.
    fn has_facts(&self, q: &Question) -> bool {
        let exact = self.options.feeding || self.options.cross_check || self.explains;
        if exact || !self.on(LayerName::ByteSets) || !self.on(LayerName::Slices) {
            return false;
        }
        let components = self.slice.slots.iter().filter_map(|slot| q.pc.component(*slot));
        components.map(|c| c.count).sum::<usize>() >= LEAST_FACTS
    }

    pub(crate) fn by_refuting_facts(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        if !self.has_facts(q) {
            return None;
        }
        let mut refuted = self.slice.asked.iter().any(|asked| q.pc.refutes(q.terms, asked.term));
        if !refuted && !self.slice.narrowed.is_empty() {
            // Bytes that can have one value only may leave no value to the others.
            let slice = &self.slice;
            let values: Vec<(ByteId, u8)> =
                slice.narrowed.iter().filter_map(|(id, set)| Some((*id, set.first()?))).collect();
            let w = q.terms.patched(q.near, values.iter().copied());
            refuted = q.pc.contradicts(q.terms, &w, &values, |id| slice.domain(q.pc, id).len() == 1);
        }
        self.slice.blames_all = refuted;
        refuted.then(|| LayerAnswer::Unsat(Conflict::default()))
    }

    pub(crate) fn by_byte_under_facts(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        let id = self.only_byte().filter(|_| self.on(LayerName::Patching) && self.has_facts(q))?;
        self.patcher.by_values_checked(q.terms, q.pc, &self.slice, q.near, id).map(LayerAnswer::Sat)
    }

    pub(crate) fn by_patch_under_facts(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        if self.only_byte().is_some() || !self.has_facts(q) {
            return None;
        }
        let goals = match self.slice.asked[..] {
            [asked] => goals(q.terms, q.pc, asked.term, q.near),
            _ => Vec::new(),
        };
        self.patcher.patch_checked(q.terms, q.pc, &self.slice, q.near, &goals).map(LayerAnswer::Sat)
    }

    /// The byte of a question about a single byte.
    fn only_byte(&self) -> Option<ByteId> {
        match (&self.slice.asked[..], &self.slice.narrowed[..]) {
            ([], [(id, _)]) => Some(*id),
            _ => None,
        }
    }
}

/// Values of the word that a condition compares with a constant, such that the condition holds. Values near the word's
/// value under `near` come first, with some room for later questions.
fn goals(terms: &mut Terms, pc: &PathCondition, cond: Term, near: &Witness) -> Vec<(Term, u64)> {
    let Some((word, arc, ranges)) = pc.word_of(terms, cond) else { return Vec::new() };
    let now = terms.eval(word, near);
    let (least, most) = terms.range(word);
    let mut goals = Vec::new();
    for (from, to) in arc.intervals(ranges.whole()) {
        let (from, to) = (from.max(least), to.min(most));
        if from > to {
            continue;
        }
        let room = crate::layers::patch::room(terms.width(word), u128::from(to - from)) as u64;
        let ends = [ranges.first_in((from, to)), ranges.last_in((from, to))];
        let values = match now < from {
            true => [ranges.first_in((from + room, to)), ends[0], ends[1]],
            false => [ranges.last_in((from, to - room)), ends[1], ends[0]],
        };
        goals.extend(values.into_iter().flatten().map(|v| (word, v)));
    }
    goals.sort_by_key(|(_, v)| v.abs_diff(now) > 1 << 32);
    goals.dedup();
    goals
}

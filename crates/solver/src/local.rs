//! Answers from what a long component says of the words that a question is about; see `facts.rs`. Conditions on other bytes are not
//! looked at, so that a question late on a path costs as much as an early one.

use cleave_expr::{ByteId, Term, Terms, Witness};

use crate::answer::LayerAnswer;
use crate::backend::Conflict;
use crate::facts::{FEWEST, Facts, Shape};
use crate::options::LayerName;
use crate::path::PathCondition;
use crate::solver::Solver;

impl Solver {
    /// An answer by the facts of the components that the question is linked to, where these have many conditions.
    pub(crate) fn by_facts(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<(LayerName, LayerAnswer)> {
        let needed = [LayerName::ByteSets, LayerName::Slices];
        if self.options.feeding
            || self.options.cross_check
            || self.explains
            || !needed.iter().all(|l| self.on(*l))
        {
            return None;
        }
        let components = self.slice.slots.iter().filter_map(|slot| pc.component(*slot));
        if components.map(|c| c.count).sum::<usize>() < FEWEST {
            return None;
        }
        if self.on(LayerName::Words) {
            let mut refuted = self.slice.asked.iter().any(|asked| pc.refutes(terms, asked.term));
            if !refuted && !self.slice.narrowed.is_empty() {
                // Bytes that can have one value only may leave none to the others.
                let slice = &self.slice;
                let values: Vec<(ByteId, u8)> =
                    slice.narrowed.iter().filter_map(|(id, set)| Some((*id, set.first()?))).collect();
                let w = terms.patched(near, values.iter().copied());
                refuted = pc.contradicts(terms, &w, &values, |id| slice.domain(pc, id).len() == 1);
            }
            if refuted {
                self.slice.blames_all = true;
                return Some((LayerName::Words, LayerAnswer::Unsat(Conflict::default())));
            }
        }
        if !self.on(LayerName::Patching) {
            return None;
        }
        if let ([], [(id, _)]) = (&self.slice.asked[..], &self.slice.narrowed[..]) {
            let found = self.patcher.by_values_checked(terms, pc, &self.slice, near, *id);
            return found.map(|w| (LayerName::ByteSets, LayerAnswer::Sat(w)));
        }
        let goals = match self.slice.asked[..] {
            [asked] => pc.goals(terms, asked.term, near),
            _ => Vec::new(),
        };
        let found = self.patcher.patch_checked(terms, pc, &self.slice, near, &goals);
        found.map(|w| (LayerName::Patching, LayerAnswer::Sat(w)))
    }
}

impl PathCondition {
    /// The facts of the component that a term is on.
    fn facts_of(&self, terms: &Terms, t: Term) -> Option<&Facts> {
        self.component(self.component_of(terms.some_byte(t)?)?)?.facts.as_ref()
    }

    /// Whether the facts of one component contradict a condition.
    fn refutes(&self, terms: &mut Terms, cond: Term) -> bool {
        let mut slots = terms.bytes_of(cond).to_vec().into_iter().map(|id: ByteId| self.component_of(id));
        let first = slots.next().flatten();
        if first.is_none() || slots.any(|slot| slot != first) {
            return false;
        }
        self.facts_of(terms, cond).is_some_and(|facts| facts.refutes(terms, cond))
    }

    /// Values of the word that a condition compares with a constant, with which it holds: first those that are near its value
    /// under `near`, with some room for questions to come.
    fn goals(&self, terms: &mut Terms, cond: Term, near: &Witness) -> Vec<(Term, u64)> {
        let nothing = Facts::default();
        let facts = self.facts_of(terms, cond).unwrap_or(&nothing);
        let Shape::Word(word, Some(arc)) = facts.shape(terms, cond) else { return Vec::new() };
        let (now, ranges) = (terms.eval(word, near), facts.ranges(terms, word));
        let (least, most) = terms.range(word);
        let mut goals = Vec::new();
        for (from, to) in arc.intervals(ranges.whole()) {
            let (from, to) = (from.max(least), to.min(most));
            if from > to {
                continue;
            }
            let room = crate::patch::room(terms.width(word), u128::from(to - from)) as u64;
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
}

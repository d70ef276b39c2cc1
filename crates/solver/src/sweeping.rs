//! The slice's bytes, one after the other: what a lexer, a sum or a count makes of the bytes before is all that the rest sees.

use std::sync::atomic::{AtomicBool, Ordering};

use cleave_expr::{ByteId, ByteSet, Limit, Terms, Tried, Witness};

use crate::answer::LayerAnswer;
use crate::backend::Conflict;
use crate::budget::{CHANCE, LATE, MOST, VALUES};
use crate::options::LayerName;
use crate::path::PathCondition;
use crate::solver::Solver;
use crate::values::{MOST_VALUES, Values};

/// So much work, and none once a question is to end.
pub(crate) fn limit(most: usize, stop: &AtomicBool) -> Limit<'_> {
    Limit { most, stop: Some(stop) }
}

impl Solver {
    /// Whether questions are to end without an answer.
    pub(crate) fn is_stopped(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed)
    }

    /// A way pays, or it does not. One that was told to stop says nothing about that.
    pub(crate) fn learn(&mut self, way: usize, found: bool) {
        if found || !self.is_stopped() {
            self.budget.learn(way, found);
        }
    }

    /// A definite answer, or a witness among the beginnings that were kept, with so much work; the way learns whether it pays.
    pub(crate) fn by_sweeping(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
        (way, most): (usize, usize),
    ) -> Option<LayerAnswer> {
        if !self.on(LayerName::Sweeping) {
            return None;
        }
        let bytes = self.slice.domains(pc);
        let tried = terms.sweep(&self.rewritten.forms, &bytes, near, limit(most, &self.options.stop));
        self.learn(way, tried != Tried::TooMuch);
        match tried {
            Tried::Holds(values) => {
                let w = terms.patched(near, values);
                self.recent.keep_model(&w);
                Some(LayerAnswer::Sat(w))
            }
            Tried::Never(conditions) => {
                let domains = narrowed(bytes);
                let conflict = self.rewritten.of_conditions(Conflict { conditions, domains });
                self.recent.keep_core(&conflict);
                Some(LayerAnswer::Unsat(conflict))
            }
            Tried::TooMuch => None,
        }
    }

    /// What a back end has not answered with so much work: by all solutions, if `listed` says that they were not looked for before,
    /// or by a sweep of more work than it gets at first.
    pub(crate) fn late(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
        (listed, work): (usize, u64),
    ) -> Option<LayerAnswer> {
        // Operations on numbers take far longer than a unit of work says.
        if self.rewritten.forms.iter().any(|&form| terms.has_floats(form)) {
            return None;
        }
        let most = self.budget.late(work);
        let anew = listed == 0 && most >= MOST / 2;
        if anew && let Some(found) = self.by_solutions(terms, pc, near, MOST) {
            return Some(found);
        }
        self.by_sweeping(terms, pc, near, (LATE, most))
    }

    /// By the values of the term that the question is about, if they are known.
    pub(crate) fn by_known_values(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let pivot = Values::pivot(terms, &self.slice)?;
        self.values.answer(terms, pc, &self.slice, near, pivot)
    }

    /// By all values of the term that the question is about. They are looked for where earlier questions about it were as hard.
    pub(crate) fn by_all_values(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let pivot = Values::pivot(terms, &self.slice)?;
        let times = self.values.are_due(pivot)?;
        let bytes = self.slice.domains(pc);
        let conditions: Vec<_> = self.slice.relations.iter().map(|r| r.term).collect();
        let forms: Vec<_> = conditions.iter().map(|&c| terms.rewritten(c)).collect();
        let form = terms.rewritten(pivot);
        let most = self.budget.of(VALUES).saturating_mul(times).min(MOST);
        let reached =
            terms.values_of(form, &forms, &bytes, near, (limit(most, &self.options.stop), MOST_VALUES));
        self.learn(VALUES, reached.is_some());
        let Some(reached) = reached else {
            if !self.is_stopped() {
                self.values.too_many(pivot);
            }
            return None;
        };
        self.values.keep(pivot, conditions, narrowed(bytes), reached);
        self.values.answer(terms, pc, &self.slice, near, pivot)
    }

    /// A witness by chance.
    pub(crate) fn by_chance(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let bytes = self.slice.domains(pc);
        let most = limit(self.budget.of(CHANCE), &self.options.stop);
        let found = terms.sample(&self.rewritten.forms, &bytes, near, most);
        self.learn(CHANCE, found.is_some());
        let w = terms.patched(near, found?);
        self.recent.keep_model(&w);
        Some(LayerAnswer::Sat(w))
    }
}

/// The bytes that do not have all values.
fn narrowed(bytes: Vec<(ByteId, ByteSet)>) -> Vec<(ByteId, ByteSet)> {
    bytes.into_iter().filter(|(_, set)| *set != ByteSet::FULL).collect()
}

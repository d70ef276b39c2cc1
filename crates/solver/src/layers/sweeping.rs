//! Layers that enumerate: a sweep of the slice's bytes, all values of a term, random inputs. A sweep takes one byte
//! after the other and merges prefix states that are equal for the rest, such as the state of a lexer, a sum or a
//! count. The pipeline calls these layers, with fuel from the budget.

use std::sync::atomic::AtomicBool;

use cleave_assignments::{Tried, sample, sweep, values_of};
use cleave_expr::{ByteId, ByteSet, Limit, Terms, Witness};
use cleave_path::PathCondition;

use crate::answer::LayerAnswer;
use crate::backends::backend::Conflict;
use crate::budget::{CHANCE, SWEEPING, VALUES};
use crate::layers::values::Values;
use crate::options::LayerName;
use crate::policy::{enumeration, fuel};
use crate::question::Question;
use crate::solver::Solver;

/// A limit of `most` work, which ends at once if `stop` is true.
pub(crate) fn limit(most: usize, stop: &AtomicBool) -> Limit<'_> {
    Limit { most, stop: Some(stop) }
}

impl Solver {
    /// A definite answer, or a witness among the prefix states that were kept, with at most `most` work; records the
    /// outcome for the strategy `way`.
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
        let tried = sweep(terms, &self.rewritten.forms, &bytes, near, limit(most, &self.options.stop));
        self.learn(way, tried != Tried::TooMuch);
        match tried {
            Tried::Holds(values) => {
                let w = terms.patched(near, values);
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

    pub(crate) fn by_first_sweep(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        let most = self.budget.of(SWEEPING);
        self.by_sweeping(q.terms, q.pc, q.near, (SWEEPING, most))
    }

    /// An answer by the cached values of the dominator term (`pivot`) of the question.
    pub(crate) fn by_known_values(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let pivot = Values::pivot(terms, &self.slice)?;
        self.values.answer(terms, pc, &self.slice, near, pivot)
    }

    /// An answer by all values of the dominator term (`pivot`) of the question. They are listed after several hard
    /// questions about the term.
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
        let most = self.budget.of(VALUES).saturating_mul(times).min(fuel::MOST);
        let reached = values_of(
            terms,
            form,
            &forms,
            &bytes,
            near,
            (limit(most, &self.options.stop), enumeration::MOST_MODELS),
        );
        self.learn(VALUES, reached.is_some());
        let Some(reached) = reached else {
            if !self.is_stopped() {
                self.values.too_many(pivot);
            }
            return None;
        };
        self.values.keep(terms, pivot, conditions, narrowed(bytes), reached);
        self.values.answer(terms, pc, &self.slice, near, pivot)
    }

    /// A witness among random inputs.
    pub(crate) fn by_chance(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let bytes = self.slice.domains(pc);
        let most = limit(self.budget.of(CHANCE), &self.options.stop);
        let found = sample(terms, &self.rewritten.forms, &bytes, near, most);
        self.learn(CHANCE, found.is_some());
        let w = terms.patched(near, found?);
        Some(LayerAnswer::Sat(w))
    }
}

/// The bytes whose sets do not have all values.
fn narrowed(bytes: Vec<(ByteId, ByteSet)>) -> Vec<(ByteId, ByteSet)> {
    bytes.into_iter().filter(|(_, set)| *set != ByteSet::FULL).collect()
}

//! The back ends, for a query that no layer has answered: in rounds of growing length, with a sweep after each. The pipeline calls
//! them last.

use std::time::Instant;

use cleave_expr::{Terms, Witness};
use cleave_path::PathCondition;

use crate::answer::LayerAnswer;
use crate::backends::backend::{Query, Verdict};
use crate::budget::LATE;
use crate::error::SolverError;
use crate::options::LayerName;
use crate::policy::{back_ends, fuel, text};
use crate::question::Question;
use crate::solver::Solver;

/// Time of the back ends for a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// As long as most questions take; eight times as long in each further round.
    Round(u32),
    /// As long as a question may take.
    Whole,
}

impl Solver {
    /// Asks the back ends in rounds, each eight times as long as the one before, with a sweep after each that gets as
    /// much work as they took. `listed` is the work that was allowed for a list of all solutions.
    pub(crate) fn by_rounds(&mut self, q: &mut Question, listed: usize) -> (LayerName, LayerAnswer) {
        let before = self.chain.work();
        let mut found = LayerAnswer::Unknown(String::new());
        let needs_time = self.may_wait && self.conditions.iter().any(|&c| q.terms.has_floats(c));
        if needs_time && self.hurries {
            return self.waits(0, found);
        }
        let may_wait = self.may_wait && !needs_time;
        for round in 0..if may_wait { back_ends::ROUNDS_OF_WAITING } else { back_ends::ROUNDS } {
            found = self.by_back_ends(q.terms, q.near, Effort::Round(round));
            let work = self.chain.work() - before;
            if !matches!(found, LayerAnswer::Unknown(_)) || work == 0 || self.error.is_some() {
                break;
            }
            if may_wait && work >= back_ends::WORK_OF_WAITING {
                return self.waits(work, found);
            }
            if let Some(found) = self.late(q.terms, q.pc, q.near, (listed, work)) {
                self.budget.took(work);
                return (LayerName::Sweeping, found);
            }
        }
        if matches!(found, LayerAnswer::Unknown(_)) && self.error.is_none() {
            let work = self.chain.work() - before;
            if may_wait && work > 0 {
                return self.waits(work, found);
            }
            found = self.by_back_ends(q.terms, q.near, Effort::Whole);
        }
        self.budget.took(self.chain.work() - before);
        (LayerName::Sat, found)
    }

    /// Leaves a question without an answer, to be asked again later, after this work of the back ends.
    fn waits(&mut self, work: u64, found: LayerAnswer) -> (LayerName, LayerAnswer) {
        self.may_wait = false;
        if work > 0 {
            self.budget.took(work);
        }
        (LayerName::Sat, found)
    }

    /// Answers a question that a back end has not answered with `work`: by all solutions if they were not searched
    /// before (`listed` is 0) and the fuel is large, else by a sweep with more fuel than the first.
    fn late(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
        (listed, work): (usize, u64),
    ) -> Option<LayerAnswer> {
        // Floating-point operations take far longer than a unit of work says.
        if self.rewritten.forms.iter().any(|&form| terms.has_floats(form)) {
            return None;
        }
        let most = self.budget.late(work);
        let anew = listed == 0 && most >= fuel::MOST / 2;
        if anew && let Some(found) = self.by_solutions(terms, pc, near, fuel::MOST) {
            return Some(found);
        }
        self.by_sweeping(terms, pc, near, (LATE, most))
    }

    /// The answer of the back ends to the prepared query.
    fn by_back_ends(&mut self, terms: &mut Terms, near: &Witness, effort: Effort) -> LayerAnswer {
        if !self.on(LayerName::Sat) {
            return LayerAnswer::Unknown("the layer `sat` is switched off".into());
        }
        let start = Instant::now();
        let query = Query { conditions: &self.rewritten.forms, domains: &self.domains, near };
        let round = if let Effort::Round(round) = effort { Some(round) } else { None };
        if round.is_some() && (self.options.feeding || self.options.cross_check) {
            return LayerAnswer::Unknown("it is asked in another way".into());
        }
        let fed = if self.options.feeding { self.chain.feed(terms, &query) } else { None };
        let verdict = match fed {
            Some(conflict) => {
                self.chain.count_fed();
                Verdict::Unsat(conflict)
            }
            None if self.options.cross_check => {
                let (verdict, error) = self.chain.solve_by_all(terms, &query);
                self.error = self.error.take().or(error);
                verdict
            }
            None => match round {
                Some(round) => self.chain.solve_briefly(terms, &query, round),
                None => self.chain.solve(terms, &query),
            },
        };
        let took = start.elapsed();
        self.counters.smt_time += took;
        if round.is_some() && matches!(verdict, Verdict::Unknown(_)) {
            return LayerAnswer::Unknown("it takes longer".into());
        }
        if let Some(dumper) = &mut self.dumper {
            let query = Query { conditions: &self.conditions, domains: &self.domains, near };
            let written = dumper.write(terms, &query, &verdict, took);
            self.error = self.error.take().or(written.err());
        }
        if let Some(error) = &self.error {
            return LayerAnswer::Unknown(error.to_string());
        }
        match verdict {
            Verdict::Sat(values) => {
                // A bound on a word names bytes that it does not link. Those outside the slice stay as they are, as
                // their other conditions are not part of the query.
                let mine = values.into_iter().filter(|(id, _)| self.slice.bytes.binary_search(id).is_ok());
                let w = terms.patched(near, mine);
                if let Some(error) = self.wrong_model(terms, &w) {
                    let why = error.to_string();
                    self.error.get_or_insert(error);
                    return LayerAnswer::Unknown(why);
                }
                LayerAnswer::Sat(w)
            }
            Verdict::Unsat(conflict) => {
                let conflict = self.rewritten.of_conditions(conflict);
                self.recent.keep_core(&conflict);
                LayerAnswer::Unsat(conflict)
            }
            Verdict::Unknown(why) => LayerAnswer::Unknown(why),
        }
    }

    /// The error if a back end's model violates a condition on floating-point numbers: the circuits that the back ends
    /// get are a second description of the processor's arithmetic, which evaluation uses.
    fn wrong_model(&self, terms: &mut Terms, w: &Witness) -> Option<SolverError> {
        let floats = self.conditions.iter().copied().filter(|&c| terms.has_floats(c)).collect::<Vec<_>>();
        let wrong = floats.into_iter().find(|&c| !terms.holds(c, w))?;
        let question = terms.text(wrong, text::DEPTH);
        Some(SolverError::WrongModel { from: format!("the layer `{}`", LayerName::Sat), question })
    }
}

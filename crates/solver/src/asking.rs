//! Questions about one condition. The engine asks them; `together.rs` has those about several.

use std::time::Instant;

use cleave_expr::{Term, Terms, Witness};
use cleave_path::PathCondition;

use crate::answer::{Answer, Core, LayerAnswer};
use crate::options::LayerName;
use crate::question::{Cost, Mode, Question};
use crate::record::Kind;
use crate::solver::Solver;

impl Solver {
    /// Asks if `cond` can hold together with `pc`. `near` satisfies `pc`, but in general not `cond`: the answer's
    /// witness satisfies both, and differs from `near` only in bytes that are linked to `cond`.
    pub fn ask(&mut self, terms: &mut Terms, pc: &PathCondition, cond: Term, near: &Witness) -> Answer {
        let start = self.begins(terms);
        let found = self.found(&mut Question::new(terms, pc, &[cond], near), Mode::Either);
        self.answered(terms, pc, cond, near, (start, found))
    }

    /// As [`Solver::ask`], but a core always has conditions.
    pub fn ask_why(&mut self, terms: &mut Terms, pc: &PathCondition, cond: Term, near: &Witness) -> Answer {
        self.explains = true;
        let answer = self.ask(terms, pc, cond, near);
        self.explains = false;
        answer
    }

    /// As [`Solver::ask`], but with little work, the same each time. `None` if that is not enough. Little work does not answer
    /// questions on floating-point numbers: without `hurry` they get the work of [`Solver::ask`], with it that of the layers before the
    /// back ends.
    pub fn ask_first(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        (cond, hurry): (Term, bool),
        near: &Witness,
    ) -> Option<Answer> {
        let start = self.begins(terms);
        (self.may_wait, self.hurries) = (true, hurry);
        let found = self.found(&mut Question::new(terms, pc, &[cond], near), Mode::Either);
        std::mem::take(&mut self.may_wait).then(|| self.answered(terms, pc, cond, near, (start, found)))
    }

    /// Checks, counts and records the result of a question.
    fn answered(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        cond: Term,
        near: &Witness,
        (start, (layer, found)): (Option<Instant>, (LayerName, LayerAnswer)),
    ) -> Answer {
        if self.options.self_check {
            self.check(terms, pc, &[cond], near, layer, &found);
        }
        self.count(layer, &found);
        self.ends(terms, start, (Kind::Whole, pc, &[cond], near), &found);
        self.answer(pc, cond, found)
    }

    fn answer(&self, pc: &PathCondition, cond: Term, found: LayerAnswer) -> Answer {
        match found {
            LayerAnswer::Sat(w) => Answer::Sat(w),
            LayerAnswer::Unsat(_) if self.slice.blames_all => Answer::Unsat(Core::default()),
            LayerAnswer::Unsat(conflict) => {
                Answer::Unsat(Core::of(self.slice.blamed(pc, &[cond], &conflict)))
            }
            LayerAnswer::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// As [`Solver::ask`] without the back ends, and with little work in the layers before them. Returns a witness if
    /// they find one.
    pub fn ask_cheaply(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        cond: Term,
        near: &Witness,
    ) -> Option<Witness> {
        let start = self.begins(terms);
        self.brief = true;
        let mut q = Question::new(terms, pc, std::slice::from_ref(&cond), near);
        let found = self.walk(&mut q, Mode::Either, Cost::Cheap);
        self.brief = false;
        let (layer, found) = match found {
            Some(found) => found,
            None => (LayerName::Sat, LayerAnswer::Unknown("no cheap answer".into())),
        };
        self.count(layer, &found);
        self.ends(terms, start, (Kind::Cheap, pc, &[cond], near), &found);
        match found {
            LayerAnswer::Sat(w) => Some(w),
            LayerAnswer::Unsat(_) | LayerAnswer::Unknown(_) => None,
        }
    }
}

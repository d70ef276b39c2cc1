//! Counters and clocks of an exploration, and its only access to the solver: every query goes through here, so that all are
//! counted and timed.

use std::sync::Arc;

use crate::clock::{SolverClock, Way};
use crate::space::{Answer, Space, Together};
use crate::trace;

/// Counters of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Decisions met, assumptions among them; those on the way to the region's start too.
    pub decisions: u64,
    /// Queries: about sides that no witness showed to be feasible, or about several sides of a path at once.
    pub questions: u64,
    /// Queries answered with feasible.
    pub feasible: u64,
    /// Queries answered with infeasible.
    pub infeasible: u64,
    /// Queries without an answer.
    pub unknown: u64,
    /// Paths that an assumption ended.
    pub assumed_away: u64,
    /// Number of times that all states of a frontier were suspended because the space was full.
    pub written_down: u64,
}

/// Counters and clocks of an exploration.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub(crate) counters: Counters,
    pub(crate) clock: Arc<SolverClock>,
    pub(crate) way: Way,
}

impl Meter {
    /// [`Space::ask`], counted and timed.
    pub(crate) fn ask<S: Space>(
        &mut self,
        space: &mut S,
        state: &S::State,
        cond: &S::Cond,
        side: bool,
        near: &S::Witness,
    ) -> Answer<S::Witness> {
        let what = if side { "the true side" } else { "the false side" };
        let ask = |space: &mut S| self.clock.time(|| space.ask(state, cond, side, near));
        let answer = trace::asked(space, state, what, ask, Answer::word);
        self.counters.count(answer.is_feasible());
        answer
    }

    /// [`Space::ask_first`], timed, and counted if it is answered: otherwise the query will be repeated.
    pub(crate) fn ask_first<S: Space>(
        &mut self,
        space: &mut S,
        state: &S::State,
        (cond, side): (&S::Cond, bool),
        near: &S::Witness,
        hurry: bool,
    ) -> Option<Answer<S::Witness>> {
        let what = if side { "the true side" } else { "the false side" };
        let ask = |space: &mut S| self.clock.time(|| space.ask_first(state, (cond, side), near, hurry));
        let answer = trace::asked(space, state, what, ask, |answer| match answer {
            Some(answer) => answer.word(),
            None => "later",
        })?;
        self.counters.count(answer.is_feasible());
        Some(answer)
    }

    /// [`Space::ask_together`], counted as one query and timed.
    pub(crate) fn ask_together<S: Space>(
        &mut self,
        space: &mut S,
        state: &S::State,
        sides: &[(S::Cond, bool)],
        near: &S::Witness,
    ) -> Together<S::Witness> {
        let ask = |space: &mut S| self.clock.time(|| space.ask_together(state, sides, near));
        let answer = trace::asked(space, state, "a segment", ask, |answer| match answer {
            Together::Feasible(_) => "feasible",
            Together::Infeasible { .. } => "infeasible",
            Together::Unknown(reason) => reason,
        });
        self.counters.count(match &answer {
            Together::Feasible(_) => Some(true),
            Together::Infeasible { .. } => Some(false),
            Together::Unknown(_) => None,
        });
        answer
    }
}

impl Counters {
    fn count(&mut self, answer: Option<bool>) {
        self.questions += 1;
        *match answer {
            Some(true) => &mut self.feasible,
            Some(false) => &mut self.infeasible,
            None => &mut self.unknown,
        } += 1;
    }
}

//! Knowledge that diagrams give of a path where arms are joined: the sides of conditions, and answers to questions.

use cleave_diagram::Diagram;
use cleave_expr::{Term, Witness};
use cleave_solver::{Answer, Core, Refutation};

use crate::engine::Engine;
use crate::states::state::State;

/// Cost of a merge: nodes of the guards of arms that are split and joined, and of the values that are joined. Beyond that the path goes
/// back to where the merge began, and branches from there on without arms.
pub(crate) const MOST_COST: u64 = 1 << 20;

impl State {
    /// Whether it is an arm of a path that has others.
    #[inline]
    pub(crate) fn is_arm(&self) -> bool {
        self.merging.is_some()
    }
}

impl Engine {
    /// Whether the branches of a state split it.
    pub(crate) fn merges(&self, state: &State) -> bool {
        self.has_diagrams(state)
            && self.racing.is_none()
            && state.parked.is_none()
            && state.clocks.is_none()
            && !state.kernel.has_several()
    }

    /// Whether the inputs of a state are known as a diagram: its merges have not cost too much.
    #[inline]
    pub(crate) fn has_diagrams(&self, state: &State) -> bool {
        self.options.merge && (state.cost <= MOST_COST || state.is_arm())
    }

    /// The side of a condition that the diagrams of the path's conditions and guards leave it.
    pub(crate) fn known_side(&mut self, state: &State, cond: Term) -> Option<bool> {
        if !self.has_diagrams(state) {
            return None;
        }
        let yes = self.diagrams.of(&mut self.terms, cond)?;
        let no = self.diagrams.not(yes);
        if self.diagrams.and(state.care, yes) == Some(Diagram::FALSE) {
            return Some(false);
        }
        (self.diagrams.and(state.care, no) == Some(Diagram::FALSE)).then_some(true)
    }

    /// The answer to a question about a path that has arms, if the diagrams of their guards give one.
    pub(crate) fn answer_of_guards(&mut self, state: &State, wanted: Term, near: &Witness) -> Option<Answer> {
        if !state.is_arm() {
            return None;
        }
        let wanted = self.diagrams.of(&mut self.terms, wanted)?;
        let all = self.diagrams.and(state.inputs_of_path, wanted)?;
        match self.guards.found(&mut self.terms, &mut self.diagrams, all, near) {
            Refutation::Refuted => Some(Answer::Unsat(Core::default())),
            Refutation::Satisfied(input) => {
                let conditions = state.path.conditions();
                let holds = conditions.into_iter().all(|c| self.terms.holds(c, &input));
                holds.then_some(Answer::Sat(input))
            }
            Refutation::Unknown => None,
        }
    }

    /// A condition holds on the path of a state from now on.
    pub(crate) fn keeps_care(&mut self, state: &mut State, holds: Term) {
        if !self.has_diagrams(state) {
            return;
        }
        if let Some(holds) = self.diagrams.of(&mut self.terms, holds) {
            for known in [&mut state.inputs_of_path, &mut state.care] {
                *known = match self.diagrams.and(*known, holds) {
                    // The path may be one that no input takes, and that nobody has asked for yet.
                    None | Some(Diagram::FALSE) => *known,
                    Some(both) => both,
                };
            }
        }
    }
}

//! Guards of arms that no input satisfies, though their diagrams do not show it: comparisons in them exclude each other.

use std::collections::VecDeque;

use cleave_diagram::{Diagram, Diagrams};
use cleave_expr::{Terms, Witness};
use cleave_solver::{Refutation, refute};
use rustc_hash::FxHashMap;

/// Inputs that are kept: one of an arm at hand is among so many.
const MOST_INPUTS: usize = 32;

/// Findings on guards. That some input may satisfy a guard is a function of the guard, by counted work.
///
/// [`Guards::found`] is for answers that need not be the same each time.
#[derive(Default)]
pub(crate) struct Guards {
    possible: FxHashMap<Diagram, bool>,
    /// Inputs that satisfy guards, the latest first: they make answers quicker, and do not change them.
    inputs: VecDeque<Witness>,
}

impl Guards {
    /// Whether some input may satisfy a guard.
    pub(crate) fn is_possible(&mut self, terms: &mut Terms, diagrams: &mut Diagrams, guard: Diagram) -> bool {
        if !diagrams.compares(guard) {
            return guard != Diagram::FALSE;
        }
        if let Some(&known) = self.possible.get(&guard) {
            return known;
        }
        let possible = self.has_input(terms, diagrams, guard) || self.asked(terms, diagrams, guard);
        self.possible.insert(guard, possible);
        possible
    }

    /// An input that satisfies a guard, like `near` where that is possible.
    pub(crate) fn found(
        &mut self,
        terms: &mut Terms,
        diagrams: &mut Diagrams,
        guard: Diagram,
        near: &Witness,
    ) -> Refutation {
        if let Some(values) = diagrams.input(guard, near) {
            let input = terms.patched(near, values);
            if diagrams.holds(terms, guard, &input) {
                return Refutation::Satisfied(input);
            }
        }
        if !self.is_possible(terms, diagrams, guard) {
            return Refutation::Refuted;
        }
        let known = self.inputs.iter().find(|input| diagrams.holds(terms, guard, input));
        known.cloned().map_or(Refutation::Unknown, Refutation::Satisfied)
    }

    fn has_input(&mut self, terms: &mut Terms, diagrams: &Diagrams, guard: Diagram) -> bool {
        let found = self.inputs.iter().position(|input| diagrams.holds(terms, guard, input));
        if let Some(input) = found.and_then(|i| self.inputs.remove(i)) {
            self.inputs.push_front(input);
        }
        found.is_some()
    }

    fn asked(&mut self, terms: &mut Terms, diagrams: &mut Diagrams, guard: Diagram) -> bool {
        let condition = diagrams.term(terms, guard);
        match refute(terms, condition) {
            Refutation::Refuted => return false,
            Refutation::Unknown => {}
            Refutation::Satisfied(input) => {
                self.inputs.push_front(input);
                self.inputs.truncate(MOST_INPUTS);
            }
        }
        true
    }
}

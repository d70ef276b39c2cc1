//! Marks that states pass, and marks that recorded paths show.

use cleave_coverage::{MarkId, Marks, Slot};
use cleave_expr::Witness;
use cleave_program::code::Pc;

use crate::engine::Engine;
use crate::states::coverage::Coverage;
use crate::states::state::State;

impl Engine {
    /// The state that runs comes to a slot whose byte is 0.
    #[cold]
    #[inline(never)]
    pub(crate) fn pass(&mut self, state: &mut State, slot: Slot) {
        self.coverage.pass(&mut state.passed, slot);
    }

    /// The state that runs takes a side of a switch or a computed goto.
    pub(crate) fn pass_switch(&mut self, state: &mut State, at: Pc, to: Pc) {
        if let Some(slot) = self.coverage.open_side(state.frame.func, at, to) {
            self.pass(state, slot);
        }
    }

    /// The marks that the test of a state's path passes, which satisfies its path condition, and that no recorded path has shown, rising.
    pub fn news(&mut self, state: &State, witness: &Witness) -> Vec<MarkId> {
        let terms = &mut self.terms;
        self.coverage.news(&state.passed, &mut |guard| terms.holds(guard, witness))
    }

    /// The marks that a state has passed; `None` if not all are collected.
    pub fn all_passed<'s>(&self, state: &'s State) -> Option<&'s Marks> {
        self.coverage.all_passed(&state.passed)
    }

    /// True if a state has passed one of these marks, as far as no recorded path has shown them.
    pub fn has_passed(&self, state: &State, marks: &Marks) -> bool {
        Coverage::has_passed(&state.passed, marks)
    }

    /// A path was recorded that shows these marks.
    pub fn show(&mut self, news: &[MarkId]) {
        self.coverage.show(news);
    }

    /// The marks that the recorded paths have shown, for another engine of the same program.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Goes on with the marks that another engine's paths have shown.
    pub fn cover_on(&mut self, coverage: Coverage) {
        self.coverage = coverage;
    }
}

//! The self-check of a path: while the test of a finished path is followed, each decision, each assumption and each
//! value that was made concrete is evaluated under it.

use cleave_expr::{Term, Witness};

use crate::engine::Engine;
use crate::states::state::State;
use crate::states::watch::Watch;

/// Maximum number of levels of a term that are shown.
const SHOWN: u32 = 5;

impl Engine {
    /// From now on each answer to the state that runs is checked against `witness`, which takes its path.
    pub fn watch(&mut self, witness: &Witness) {
        self.watch = Some(Watch { witness: witness.clone(), wrong: Vec::new() });
    }

    /// Ends [`Engine::watch`]. Returns the answers that do not hold, a sentence each.
    pub fn unwatch(&mut self) -> Vec<String> {
        self.watch.take().map_or_else(Vec::new, |watch| watch.wrong)
    }

    /// Lets paths go on behind assumptions that do not hold on them, as a wrong engine would: for tests of the self-check,
    /// which must find it.
    #[doc(hidden)]
    pub fn forget_assumptions(&mut self) {
        self.forgets_assumptions = true;
    }

    /// The value of a term under the test that is followed.
    fn watched(&mut self, t: Term) -> Option<u64> {
        let witness = &self.watch.as_ref().filter(|_| !self.in_arm)?.witness;
        Some(self.terms.eval(t, witness))
    }

    fn wrong(&mut self, what: String) {
        if let Some(watch) = &mut self.watch {
            watch.wrong.push(what);
        }
    }

    /// Checks the side that a condition was said to have.
    pub(crate) fn was_decided(&mut self, cond: Term, side: bool) {
        if self.watched(cond).is_some_and(|v| (v != 0) != side) {
            let cond = self.terms.text(cond, SHOWN);
            self.wrong(format!("the path takes {cond} for {side}, which it is not"));
        }
    }

    /// Checks an assumption behind which the path went on.
    pub(crate) fn assumption_holds(&mut self, cond: Term) {
        if self.watched(cond) == Some(0) {
            let cond = self.terms.text(cond, SHOWN);
            self.wrong(format!("the path goes on behind the assumption {cond}, which does not hold"));
        }
    }

    /// Checks the value that a term was said to have.
    pub(crate) fn was_made(&mut self, t: Term, value: u64) {
        if self.watched(t).is_some_and(|v| v != value) {
            let t = self.terms.text(t, SHOWN);
            self.wrong(format!("the path takes {t} for {value}, which it is not"));
        }
    }

    /// Checks an access of `n` bytes at a symbolic pointer that was said to be in no object.
    pub(crate) fn was_outside(&mut self, state: &State, pointer: Term, n: u64) {
        let Some(at) = self.watched(pointer) else { return };
        if n > 0 && state.memory.resolve(at, n).is_ok() {
            self.wrong(format!("an access of {n} bytes at {at:#x} is taken for one outside of all objects"));
        }
    }
}

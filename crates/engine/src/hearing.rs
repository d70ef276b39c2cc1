//! Conditions of branches, told to whoever asks for them: also of those that the path has decided before.

use cleave_expr::Term;

use crate::engine::Engine;
use crate::state::State;
use crate::watch::HeardBranch;

impl Engine {
    /// From now on the branches that states come to are kept.
    pub fn hear_branches(&mut self) {
        self.heard = Some(Vec::new());
    }

    /// The branches since the last call.
    pub fn heard_branches(&mut self) -> Vec<HeardBranch> {
        self.heard.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// A state comes to a branch.
    pub(crate) fn hear_branch(&mut self, state: &State, cond: Term) {
        if let Some(heard) = &mut self.heard {
            heard.push(((state.frame.func, state.frame.pc), cond));
        }
    }
}

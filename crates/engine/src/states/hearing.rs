//! Optional log of the symbolic conditions of branches, also of those that the path has decided before.

use cleave_expr::Term;

use crate::engine::Engine;
use crate::states::state::State;
use crate::states::watch::HeardBranch;

impl Engine {
    /// Starts the log of the branches that states come to.
    pub fn hear_branches(&mut self) {
        self.heard = Some(Vec::new());
    }

    /// Takes the branches that were logged since the last call.
    pub fn heard_branches(&mut self) -> Vec<HeardBranch> {
        self.heard.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Logs a branch that a state comes to.
    pub(crate) fn hear_branch(&mut self, state: &State, cond: Term) {
        if let Some(heard) = &mut self.heard {
            heard.push(((state.frame.func, state.frame.pc), cond));
        }
    }
}

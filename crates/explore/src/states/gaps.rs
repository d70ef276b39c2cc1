//! Accounts for infeasible branches between pending depth-first states. Depth-first frontiers and drains call it.
//!
//! The remaining work of a depth-first exploration is one region, from the next state on. Infeasible sides behind that state
//! lie in it, and another worker that follows the region queries them again. So a side counts as done when the exploration
//! has passed it, and not before.

use cleave_region::Weight;

/// The weights of infeasible sides before each of the states of a stack, and behind all.
#[derive(Default)]
pub(crate) struct Gaps {
    /// Weights between a state and the one before it in the order of paths, in the order of the stack: falling.
    before: Vec<Weight>,
    /// Weights behind the first of the stack.
    last: Weight,
}

impl Gaps {
    /// Pushes a state.
    pub(crate) fn push(&mut self) {
        self.before.push(Weight::ZERO);
    }

    /// Adds an infeasible side behind the state at hand and before all that waits.
    pub(crate) fn add(&mut self, weight: Weight) {
        *self.before.last_mut().unwrap_or(&mut self.last) += weight;
    }

    /// Passes all up to the next state, or to the end, when no state is at hand. Returns the weights not counted yet.
    pub(crate) fn pass(&mut self) -> Weight {
        std::mem::take(self.before.last_mut().unwrap_or(&mut self.last))
    }

    /// Takes the next state. Returns the weights before it.
    pub(crate) fn take(&mut self) -> Weight {
        self.before.pop().unwrap_or_default()
    }

    /// Gives away the `n` first states of the stack, with the weights behind them and between them.
    pub(crate) fn give(&mut self, n: usize) {
        if let Some(before) = self.before.drain(..n).next_back() {
            self.last = before;
        }
    }

    /// Forgets all weights, because the stack is suspended: its next explorer queries the sides again.
    pub(crate) fn clear(&mut self) {
        self.before.clear();
        self.last = Weight::ZERO;
    }
}

//! Sides that were refuted, where they lie between what waits depth-first.
//!
//! What is left of a depth-first exploration is one region, from the next state on. Refuted sides that lie behind that state
//! are in it, and who follows it asks for them again. So a side counts as done when the exploration has come past it, and
//! not before.

use cleave_region::Weight;

/// The weights of refuted sides before each of the states of a stack, and behind all.
#[derive(Default)]
pub(crate) struct Gaps {
    /// Between a state and the one that is next before it, in the order of the stack: falling.
    before: Vec<Weight>,
    /// Behind the first of the stack.
    last: Weight,
}

impl Gaps {
    /// A state is put on the stack.
    pub(crate) fn push(&mut self) {
        self.before.push(Weight::ZERO);
    }

    /// A side is refuted that lies behind the state at hand, and before all that waits.
    pub(crate) fn add(&mut self, weight: Weight) {
        *self.before.last_mut().unwrap_or(&mut self.last) += weight;
    }

    /// Nothing is at hand: all up to the next state, or to the end, is done. Returns what was not counted yet.
    pub(crate) fn pass(&mut self) -> Weight {
        std::mem::take(self.before.last_mut().unwrap_or(&mut self.last))
    }

    /// The next state is taken. Returns what was before it.
    pub(crate) fn take(&mut self) -> Weight {
        self.before.pop().unwrap_or_default()
    }

    /// The `n` first states of the stack go to somebody else, with what lies behind them and between them.
    pub(crate) fn give(&mut self, n: usize) {
        if let Some(before) = self.before.drain(..n).next_back() {
            self.last = before;
        }
    }

    /// The stack is written down: who goes on with it asks again.
    pub(crate) fn clear(&mut self) {
        self.before.clear();
        self.last = Weight::ZERO;
    }
}

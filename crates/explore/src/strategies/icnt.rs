//! A random state, with a chance in inverse proportion to the square of how often the block that it stands in was
//! executed (KLEE's `nurs:icnt`).

use crate::strategies::Making;
use crate::strategies::weighted::Weighted;
use crate::strategy::{Random, Slot, StateView, Strategy, Waiters};

struct RarelyExecuted {
    states: Weighted,
    random: Random,
}

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(RarelyExecuted { states: Weighted::default(), random: Random::new(making.seed) })
}

impl Strategy for RarelyExecuted {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.states.set(slot, Weighted::inverse_square(state.visits));
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.add(slot, state);
    }

    fn remove(&mut self, slot: Slot) {
        self.states.set(slot, 0);
    }

    fn next(&mut self, _: &Waiters) -> Option<Slot> {
        self.states.draw(&mut self.random)
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        self.states.lightest()
    }

    fn uses_coverage(&self) -> bool {
        true
    }
}

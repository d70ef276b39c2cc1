//! A random state, with a chance in proportion to its decisions (KLEE's `nurs:depth`).

use crate::strategies::Making;
use crate::strategies::weighted::Weighted;
use crate::strategy::{Random, Slot, StateView, Strategy, Waiters};

struct Depth {
    states: Weighted,
    random: Random,
}

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(Depth { states: Weighted::default(), random: Random::new(making.seed) })
}

impl Strategy for Depth {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.states.set(slot, 1 + u64::from(state.depth));
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
}

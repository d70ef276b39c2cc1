//! Breadth-first: the state with the fewest decisions behind it; of several the one that came first.

use crate::strategies::Making;
use crate::strategies::ranked::Ranked;
use crate::strategy::{Slot, StateView, Strategy, Waiters};

#[derive(Debug, Default)]
struct BreadthFirst(Ranked);

pub(crate) fn make(_: &Making) -> Box<dyn Strategy> {
    Box::new(BreadthFirst::default())
}

impl Strategy for BreadthFirst {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.0.put(slot, u64::from(state.depth));
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.0.put(slot, u64::from(state.depth));
    }

    fn remove(&mut self, slot: Slot) {
        self.0.remove(slot);
    }

    fn next(&mut self, _: &Waiters) -> Option<Slot> {
        self.0.first().map(|(_, slot)| slot)
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        self.0.last().map(|(_, slot)| slot)
    }
}

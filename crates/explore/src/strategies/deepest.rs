//! The state with the most decisions behind it; of several one that is known to have paths, and then the one that came
//! last. As a heuristic this is depth-first search (S2PF, section 4.1).

use crate::strategies::Making;
use crate::strategies::ranked::Ranked;
use crate::strategy::{Slot, StateView, Strategy, Waiters};

#[derive(Debug, Default)]
struct Deepest(Ranked);

pub(crate) fn make(_: &Making) -> Box<dyn Strategy> {
    Box::new(Deepest::default())
}

fn rank(state: &StateView) -> u64 {
    2 * u64::from(state.depth) + u64::from(!state.unasked)
}

impl Strategy for Deepest {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.0.put(slot, rank(state));
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.0.put(slot, rank(state));
    }

    fn remove(&mut self, slot: Slot) {
        self.0.remove(slot);
    }

    fn next(&mut self, _: &Waiters) -> Option<Slot> {
        self.0.last().map(|(_, slot)| slot)
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        self.0.first().map(|(_, slot)| slot)
    }
}

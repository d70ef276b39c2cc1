//! Depth-first from the other end: the last in the order of paths, so that of each fork the false side comes first.
//! KLEE's depth-first search goes this way.

use crate::strategies::Making;
use crate::strategies::ranked::Ranked;
use crate::strategy::{Slot, StateView, Strategy, Waiters};

/// The last state in the order of paths.
#[derive(Debug, Default)]
struct FalseFirst(Ranked);

pub(crate) fn make(_: &Making) -> Box<dyn Strategy> {
    Box::new(FalseFirst::default())
}

impl Strategy for FalseFirst {
    fn add(&mut self, slot: Slot, _: &StateView) {
        self.0.put(slot, 0);
    }

    fn changed(&mut self, _: Slot, _: &StateView) {}

    fn remove(&mut self, slot: Slot) {
        self.0.remove(slot);
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        // If the last of all is hidden from this strategy (deepening hides some), any of its own is taken.
        let last = waiters.last().filter(|&slot| self.0.contains(slot));
        last.or_else(|| self.0.first().map(|(_, slot)| slot))
    }

    fn worst(&mut self, waiters: &Waiters) -> Option<Slot> {
        waiters.first().filter(|&slot| self.0.contains(slot))
    }
}

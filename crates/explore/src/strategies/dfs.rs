//! Depth-first: the first in the order of paths.

use crate::strategies::Making;
use crate::strategies::ranked::Ranked;
use crate::strategy::{Slot, StateView, Strategy, Waiters};

/// Depth-first. By itself it needs no container in the explorer; among other strategies it takes the state
/// that came last, which is the true side of the last fork.
#[derive(Debug, Default)]
pub(crate) struct DepthFirst(Ranked);

pub(crate) fn make(_: &Making) -> Box<dyn Strategy> {
    Box::new(DepthFirst::default())
}

impl Strategy for DepthFirst {
    fn add(&mut self, slot: Slot, _: &StateView) {
        self.0.put(slot, 0);
    }

    fn changed(&mut self, _: Slot, _: &StateView) {}

    fn remove(&mut self, slot: Slot) {
        self.0.remove(slot);
    }

    fn next(&mut self, _: &Waiters) -> Option<Slot> {
        self.0.last().map(|(_, slot)| slot)
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        self.0.first().map(|(_, slot)| slot)
    }

    fn in_order(&self) -> bool {
        true
    }
}

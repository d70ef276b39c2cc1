//! A walk from the entry through the tree of forks, either side of each with the same chance: shallow states are
//! likely, however many deep ones there are (KLEE's random path selection; Cadar, Dunbar, Engler 2008, section 3.4). States
//! inside a call of the C library are less likely with each decision of the call.
//!
//! If states do not fit into memory, the deepest are given up. In an endless loop other strategies may find a shallow state
//! worthless, but all that it leads to would be lost until the loop ends, so the shallower ones stay.

use crate::strategies::Making;
use crate::strategies::ranked::Ranked;
use crate::strategy::{Random, Slot, StateView, Strategy, Waiters};

struct RandomPath {
    /// States by depth.
    own: Ranked,
    /// The sum of their depths.
    depths: u64,
    random: Random,
}

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(RandomPath { own: Ranked::default(), depths: 0, random: Random::new(making.seed) })
}

impl Strategy for RandomPath {
    fn add(&mut self, slot: Slot, state: &StateView) {
        let depth = u64::from(state.depth);
        self.depths = self.depths - self.own.rank(slot).unwrap_or(0) + depth;
        self.own.put(slot, depth);
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.add(slot, state);
    }

    fn remove(&mut self, slot: Slot) {
        self.depths -= self.own.rank(slot).unwrap_or(0);
        self.own.remove(slot);
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        let end = waiters.walk_to(&mut self.random, |end| self.own.contains(end));
        end.or_else(|| self.own.first().map(|(_, slot)| slot))
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        self.own.last().map(|(_, slot)| slot)
    }

    /// True for a state that is not deeper than their mean.
    fn needs(&self, slot: Slot) -> bool {
        self.own.rank(slot).is_some_and(|depth| depth * self.own.len() as u64 <= self.depths)
    }
}

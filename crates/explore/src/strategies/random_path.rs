//! A walk from the entry through the tree of forks, either side of each with the same chance: shallow states are
//! likely, however many deep ones there are (KLEE's random path selection; Cadar, Dunbar, Engler 2008, section 3.4). States
//! inside a call of the C library are less likely with each decision of the call.

use crate::strategies::Making;
use crate::strategies::ranked::Ranked;
use crate::strategy::{Random, Slot, StateView, Strategy, Waiters};

struct RandomPath {
    own: Ranked,
    random: Random,
}

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(RandomPath { own: Ranked::default(), random: Random::new(making.seed) })
}

impl Strategy for RandomPath {
    fn add(&mut self, slot: Slot, _: &StateView) {
        self.own.put(slot, 0);
    }

    fn changed(&mut self, _: Slot, _: &StateView) {}

    fn remove(&mut self, slot: Slot) {
        self.own.remove(slot);
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        let end = waiters.walk_to(&mut self.random, |end| self.own.contains(end));
        end.or_else(|| self.own.first().map(|(_, slot)| slot))
    }
}

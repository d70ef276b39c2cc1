//! A walk from the entry through the tree of forks, either side of each with the same chance: shallow states are
//! likely, however many deep ones there are (KLEE's random path selection; Cadar, Dunbar, Engler 2008, section 3.4).

use crate::strategies::Making;
use crate::strategies::ranked::Ranked;
use crate::strategy::{Random, Slot, StateView, Strategy, Waiters};

/// A walk may end at a state that this strategy was told to leave out (as deepening does). It then walks again,
/// this many times.
const WALKS: usize = 16;

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
        for _ in 0..WALKS {
            let end = waiters.walk(&mut self.random)?;
            if self.own.contains(end) {
                return Some(end);
            }
        }
        self.own.first().map(|(_, slot)| slot)
    }
}

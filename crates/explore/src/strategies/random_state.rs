//! Any state, with the same chance for each.

use crate::strategies::Making;
use crate::strategy::{Random, Slot, StateView, Strategy, Waiters};

struct RandomState {
    states: Vec<Slot>,
    /// Index of each state in `states`.
    places: Vec<usize>,
    random: Random,
}

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(RandomState { states: Vec::new(), places: Vec::new(), random: Random::new(making.seed) })
}

impl RandomState {
    fn any(&mut self) -> Option<Slot> {
        let at = self.random.below(self.states.len() as u64);
        self.states.get(at as usize).copied()
    }
}

impl Strategy for RandomState {
    fn add(&mut self, slot: Slot, _: &StateView) {
        if self.places.len() <= slot.index() {
            self.places.resize(slot.index() + 1, usize::MAX);
        }
        self.places[slot.index()] = self.states.len();
        self.states.push(slot);
    }

    fn changed(&mut self, _: Slot, _: &StateView) {}

    fn remove(&mut self, slot: Slot) {
        let Some(place) = self.places.get_mut(slot.index()) else { return };
        let at = std::mem::replace(place, usize::MAX);
        if at == usize::MAX {
            return;
        }
        self.states.swap_remove(at);
        if let Some(moved) = self.states.get(at) {
            self.places[moved.index()] = at;
        }
    }

    fn next(&mut self, _: &Waiters) -> Option<Slot> {
        self.any()
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        self.any()
    }
}

//! Towards code that no path of this worker has come to: a random state, with a chance that falls with the square
//! of its distance to such code, and with that of the instructions since its path last was where none had been
//! (KLEE's `nurs:covnew`; Cadar, Dunbar, Engler 2008, section 3.4).

use crate::flow::Distances;
use crate::strategies::Making;
use crate::strategies::weighted::Weighted;
use crate::strategy::{Place, Random, Slot, StateView, Strategy, Waiters};

/// A path counts as new for so many instructions after it came to new code.
const FRESH: u64 = 1000;
/// Distances are computed again after so many choices at the earliest.
const SELDOM: usize = 64;

struct Covering {
    states: Weighted,
    random: Random,
    distances: Option<Distances>,
    /// Choices since the distances were computed.
    choices: usize,
}

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(Covering {
        states: Weighted::default(),
        random: Random::new(making.seed),
        distances: making.flow.clone().map(Distances::new),
        choices: 0,
    })
}

impl Covering {
    fn weight(&self, state: &StateView) -> u64 {
        let since = state.instructions.saturating_sub(state.new_at);
        let fresh = if state.new_at == 0 { 0 } else { Weighted::inverse_square(since.saturating_sub(FRESH)) };
        let distance = self.distances.as_ref().and_then(|d| d.from(&state.stack));
        fresh + Weighted::inverse_square(distance.unwrap_or(u64::MAX))
    }

    /// Computes distances again and weighs all states, if much was covered since the last time and enough
    /// choices were made to pay for it.
    fn refresh(&mut self, waiters: &Waiters) {
        self.choices += 1;
        let Some(distances) = &mut self.distances else { return };
        let work = distances.work() / 16 + waiters.count();
        if !distances.is_outdated() || self.choices < work.max(SELDOM) {
            return;
        }
        self.choices = 0;
        distances.update();
        for index in 0..waiters.views.len() {
            let slot = Slot(index as u32);
            if self.states.contains(slot) {
                self.states.set(slot, self.weight(waiters.state(slot)));
            }
        }
    }
}

impl Strategy for Covering {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.states.set(slot, self.weight(state));
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.add(slot, state);
    }

    fn remove(&mut self, slot: Slot) {
        self.states.set(slot, 0);
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        self.refresh(waiters);
        self.states.draw(&mut self.random)
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        self.states.lightest()
    }

    fn covered(&mut self, places: &[Place]) {
        if let Some(distances) = &mut self.distances {
            distances.cover(places);
        }
    }

    fn uses_coverage(&self) -> bool {
        true
    }
}

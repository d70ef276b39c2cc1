//! Several strategies that take turns.

use crate::strategy::{Place, Slot, StateView, Strategy, Waiters};

/// Each choice is made by the next of several strategies.
pub(crate) struct Interleaved {
    strategies: Vec<Box<dyn Strategy>>,
    turn: usize,
    /// Index of the strategy that names the worst state next.
    judge: usize,
}

impl Interleaved {
    /// One or more strategies.
    pub(crate) fn new(strategies: Vec<Box<dyn Strategy>>) -> Interleaved {
        Interleaved { strategies, turn: 0, judge: 0 }
    }
}

impl Strategy for Interleaved {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.strategies.iter_mut().for_each(|s| s.add(slot, state));
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.strategies.iter_mut().for_each(|s| s.changed(slot, state));
    }

    fn asked(&mut self, slot: Slot, work: u64) {
        self.strategies.iter_mut().for_each(|s| s.asked(slot, work));
    }

    fn remove(&mut self, slot: Slot) {
        self.strategies.iter_mut().for_each(|s| s.remove(slot));
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        self.turn = (self.turn + 1) % self.strategies.len().max(1);
        self.strategies.get_mut(self.turn)?.next(waiters)
    }

    /// The strategies take turns here too, but none names a state that another needs, if it can be helped.
    fn worst(&mut self, waiters: &Waiters) -> Option<Slot> {
        let all = self.strategies.len();
        self.judge = (self.judge + 1) % all.max(1);
        let mut needed = None;
        for judge in (0..all).map(|i| (self.judge + i) % all) {
            let Some(slot) = self.strategies[judge].worst(waiters) else { continue };
            let mut others = self.strategies.iter().enumerate().filter(|(i, _)| *i != judge);
            if !others.any(|(_, other)| other.needs(slot)) {
                return Some(slot);
            }
            needed = needed.or(Some(slot));
        }
        needed
    }

    fn needs(&self, slot: Slot) -> bool {
        self.strategies.iter().any(|s| s.needs(slot))
    }

    fn covered(&mut self, places: &[Place]) {
        self.strategies.iter_mut().for_each(|s| s.covered(places));
    }

    fn novel(&mut self, marks: u64) {
        self.strategies.iter_mut().for_each(|s| s.novel(marks));
    }

    fn uses_guards(&self) -> bool {
        self.strategies.iter().any(|s| s.uses_guards())
    }

    fn uses_novelty(&self) -> bool {
        self.strategies.iter().any(|s| s.uses_novelty())
    }

    fn uses_coverage(&self) -> bool {
        self.strategies.iter().any(|s| s.uses_coverage())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::{Making, deepest, random_path};

    /// Slots in the order in which they are given up, of ten states: each is one decision deeper than the one before.
    fn given_up(strategy: &mut dyn Strategy) -> Vec<Slot> {
        let waiters = Waiters::default();
        for depth in 0..10 {
            strategy.add(Slot(depth), &StateView::default());
            strategy.changed(Slot(depth), &StateView { depth, ..StateView::default() });
        }
        let mut gone = Vec::new();
        while let Some(slot) = strategy.worst(&waiters) {
            strategy.remove(slot);
            gone.push(slot);
        }
        gone
    }

    #[test]
    fn no_strategy_gives_up_a_shallow_state_that_a_random_path_needs() {
        let making = Making::default();
        assert_eq!(given_up(&mut *deepest::make(&making))[0], Slot(0));
        let both = || Interleaved::new(vec![deepest::make(&making), random_path::make(&making)]);
        let falling: Vec<Slot> = (0..10).rev().map(Slot).collect();
        assert_eq!(given_up(&mut both()), falling);
        let mut nested = Interleaved::new(vec![Box::new(both()), deepest::make(&making)]);
        assert_eq!(given_up(&mut nested), falling);
    }
}

//! Several strategies that share the choices. One whose choices come to new code has more of them.

use crate::recent::{self, Recent};
use crate::strategy::{DECISION, Place, Slot, StateView, Strategy, Waiters};

/// Part of the choices that is the same for each; the rest goes by finds (bench/results/2026-12-01-shares.txt).
const ALIKE: f64 = 0.3;

/// A choice whose step is not over.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// Index of the strategy that made it.
    by: usize,
    slot: Slot,
}

/// Each choice is made by one of several strategies.
pub(crate) struct Interleaved {
    strategies: Vec<Box<dyn Strategy>>,
    /// Finds of each strategy.
    recent: Vec<Recent>,
    /// Choices of each strategy, each choice divided by the share that it had: who has the fewest is next.
    had: Vec<f64>,
    choice: Option<Choice>,
    /// Index of the strategy that names the worst state next.
    judge: usize,
}

impl Interleaved {
    /// One or more strategies.
    pub(crate) fn new(strategies: Vec<Box<dyn Strategy>>) -> Interleaved {
        let count = strategies.len();
        Interleaved {
            strategies,
            recent: vec![Recent::default(); count],
            had: vec![0.0; count],
            choice: None,
            judge: 0,
        }
    }

    /// The strategy that makes the next choice.
    fn next_by(&mut self) -> Option<usize> {
        let by = (0..self.had.len()).min_by(|a, b| self.had[*a].total_cmp(&self.had[*b]))?;
        let all: f64 = self.recent.iter().map(Recent::rate).sum();
        let share = ALIKE / self.had.len() as f64 + (1.0 - ALIKE) * self.recent[by].rate() / all;
        self.had[by] += 1.0 / share;
        self.recent[by].work += DECISION as f64;
        Some(by)
    }
}

impl Strategy for Interleaved {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.strategies.iter_mut().for_each(|s| s.add(slot, state));
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.choice.take_if(|choice| choice.slot == slot);
        self.strategies.iter_mut().for_each(|s| s.changed(slot, state));
    }

    fn asked(&mut self, slot: Slot, work: u64) {
        self.strategies.iter_mut().for_each(|s| s.asked(slot, work));
    }

    fn remove(&mut self, slot: Slot) {
        self.choice.take_if(|choice| choice.slot == slot);
        self.strategies.iter_mut().for_each(|s| s.remove(slot));
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        let by = self.next_by()?;
        let slot = self.strategies[by].next(waiters)?;
        self.choice = Some(Choice { by, slot });
        Some(slot)
    }

    /// The strategies take turns here, but none names a state that another needs, if it can be helped.
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
        if let Some(Choice { by, .. }) = self.choice {
            recent::found(&mut self.recent, by);
        }
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

    /// Choices of each of several strategies among 1000, if every tenth choice of the one at `finder` comes to new code.
    fn chosen(count: usize, finder: Option<usize>) -> Vec<usize> {
        let all = (0..count).map(|_| deepest::make(&Making::default())).collect();
        let mut all = Interleaved::new(all);
        let waiters = Waiters { views: vec![StateView::default()], count: 1, ..Waiters::default() };
        all.add(Slot(0), &StateView::default());
        let mut choices = vec![0_usize; count];
        for _ in 0..1000 {
            assert_eq!(all.next(&waiters), Some(Slot(0)));
            let by = all.choice.unwrap().by;
            choices[by] += 1;
            if finder == Some(by) && choices[by].is_multiple_of(10) {
                all.covered(&[Place::default()]);
            }
            all.changed(Slot(0), &StateView::default());
            // Code that somebody else comes to in between is no find of a strategy.
            all.covered(&[Place::default()]);
        }
        choices
    }

    #[test]
    fn a_strategy_that_finds_new_code_has_more_choices_and_the_others_keep_their_part() {
        assert_eq!(chosen(4, None), [250; 4]);
        let choices = chosen(4, Some(2));
        assert!(choices[2] > 500, "{choices:?}");
        assert!(choices.iter().all(|choices| *choices >= 75), "{choices:?}");
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

//! States with weights; a state is drawn with a chance in proportion to its weight.

use crate::strategy::{Random, Slot, StateView, Strategy, Waiters};

/// A tree of sums and least weights over the states: all operations take time in proportion to its height.
#[derive(Debug, Default)]
pub(crate) struct Weighted {
    /// Node 1 is the root, those below `i` are `2 * i` and `2 * i + 1`; the states are the last `size`.
    sums: Vec<u64>,
    /// Least weights that are not 0; `u64::MAX` if there is none.
    least: Vec<u64>,
    size: usize,
}

/// The largest weight of a state: the sum of a billion states fits, twice.
pub(crate) const HEAVIEST: u64 = 1 << 32;

impl Weighted {
    /// Gives a state a weight; 0 takes it out. All weights together must be below 2^64.
    pub(crate) fn set(&mut self, slot: Slot, weight: u64) {
        if slot.index() >= self.size {
            if weight == 0 {
                return;
            }
            self.grow(slot.index() + 1);
        }
        let mut at = self.size + slot.index();
        (self.sums[at], self.least[at]) = (weight, if weight == 0 { u64::MAX } else { weight });
        while at > 1 {
            at /= 2;
            self.join(at);
        }
    }

    fn join(&mut self, at: usize) {
        self.sums[at] = self.sums[2 * at] + self.sums[2 * at + 1];
        self.least[at] = self.least[2 * at].min(self.least[2 * at + 1]);
    }

    fn grow(&mut self, states: usize) {
        let size = states.next_power_of_two().max(16);
        let old = self.sums.split_off(self.size.min(self.sums.len()));
        (self.sums, self.least) = (vec![0; 2 * size], vec![u64::MAX; 2 * size]);
        for (i, weight) in old.into_iter().enumerate().filter(|(_, w)| *w > 0) {
            (self.sums[size + i], self.least[size + i]) = (weight, weight);
        }
        self.size = size;
        (1..size).rev().for_each(|at| self.join(at));
    }

    /// The weight of a state; 0 if it is not in.
    pub(crate) fn weight(&self, slot: Slot) -> u64 {
        if slot.index() < self.size { self.sums[self.size + slot.index()] } else { 0 }
    }

    /// All weights together.
    pub(crate) fn total(&self) -> u64 {
        self.sums.get(1).copied().unwrap_or(0)
    }

    /// Draws one.
    pub(crate) fn draw(&self, random: &mut Random) -> Option<Slot> {
        self.at(random.below(self.total())).map(|(slot, _)| slot)
    }

    /// The state whose weight covers this point, with all weights laid side by side, and the point's offset inside that
    /// weight. The point is below the total; with no weight there is no state.
    pub(crate) fn at(&self, point: u64) -> Option<(Slot, u64)> {
        if self.total() == 0 {
            return None;
        }
        let mut rest = point;
        let mut at = 1;
        while at < self.size {
            at *= 2;
            if rest >= self.sums[at] {
                rest -= self.sums[at];
                at += 1;
            }
        }
        Some((Slot((at - self.size) as u32), rest))
    }

    /// One with the least weight.
    pub(crate) fn lightest(&self) -> Option<Slot> {
        let least = self.least.get(1).copied().filter(|least| *least < u64::MAX)?;
        let mut at = 1;
        while at < self.size {
            at *= 2;
            if self.least[at] != least {
                at += 1;
            }
        }
        Some(Slot((at - self.size) as u32))
    }

    /// The square of `scale / by`, as a weight: KLEE weighs with inverse squares.
    pub(crate) fn inverse_square(by: u64) -> u64 {
        const SCALE: u64 = 1 << 16;
        let inverse = SCALE / by.clamp(1, SCALE);
        inverse * inverse
    }
}

/// Draws states by a weight computed from their view.
pub(crate) struct Drawn {
    states: Weighted,
    random: Random,
    weight: fn(&StateView) -> u64,
    uses_coverage: bool,
}

impl Drawn {
    pub(crate) fn new(seed: u64, weight: fn(&StateView) -> u64, uses_coverage: bool) -> Drawn {
        Drawn { states: Weighted::default(), random: Random::new(seed), weight, uses_coverage }
    }
}

impl Strategy for Drawn {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.states.set(slot, (self.weight)(state).min(HEAVIEST));
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.add(slot, state);
    }

    fn remove(&mut self, slot: Slot) {
        self.states.set(slot, 0);
    }

    fn next(&mut self, _: &Waiters) -> Option<Slot> {
        self.states.draw(&mut self.random)
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        self.states.lightest()
    }

    fn uses_coverage(&self) -> bool {
        self.uses_coverage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_drawn_in_proportion_to_their_weights() {
        let mut weighted = Weighted::default();
        for i in 0..100 {
            weighted.set(Slot(i), 5);
        }
        for i in 0..100 {
            weighted.set(
                Slot(i),
                if i == 77 {
                    3
                } else if i == 3 {
                    1
                } else {
                    0
                },
            );
        }
        let mut random = Random::new(7);
        let mut drawn = [0; 100];
        for _ in 0..4000 {
            drawn[weighted.draw(&mut random).unwrap().index()] += 1;
        }
        assert_eq!(drawn[77] + drawn[3], 4000);
        assert!((2800..3200).contains(&drawn[77]), "{}", drawn[77]);
        assert_eq!(weighted.lightest(), Some(Slot(3)));
        weighted.set(Slot(3), 0);
        assert_eq!(weighted.lightest(), Some(Slot(77)));
        weighted.set(Slot(77), 0);
        assert_eq!((weighted.lightest(), weighted.draw(&mut random)), (None, None));
    }
}

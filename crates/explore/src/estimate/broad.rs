//! The estimate for explorations under a strategy: Knuth's measure. Each fork halves the share of its state. The paths found in
//! the explored share give the density of paths in the rest. The prioritised frontier reports forks and ends to it.

use cleave_region::Expected;

use super::Prior;

/// Minimum variance of a density, in units of its square.
const UNSURE: f64 = 2.0;

/// The share of each waiting state in the region, whose share is 1.
#[derive(Default)]
pub(crate) struct Broad {
    shares: Vec<f64>,
    /// Paths found, the share explored, and the sum of the squares of the paths' shares.
    found: u64,
    explored: f64,
    squares: f64,
    /// The share of the state that ended last.
    last: f64,
    /// The share given to other workers.
    gone: f64,
    prior: Prior,
}

impl Broad {
    /// Begins a region with this number of paths expected, if known.
    pub(crate) fn begin(&mut self, expected: Option<Expected>) {
        self.prior = Prior { expected, found: self.found };
    }

    /// Counts the paths found where a state ended.
    pub(crate) fn found(&mut self, paths: u64) {
        self.found += paths;
        self.squares += paths as f64 * self.last * self.last;
    }

    fn share(&mut self, slot: usize) -> &mut f64 {
        if self.shares.len() <= slot {
            self.shares.resize(slot + 1, 0.0);
        }
        &mut self.shares[slot]
    }

    /// Gives the first state the whole share.
    pub(crate) fn plant(&mut self, slot: usize) {
        *self.share(slot) = 1.0;
    }

    /// Forks the state in a slot: each side has half of its share.
    pub(crate) fn fork(&mut self, slot: usize, other: usize) {
        let half = *self.share(slot) / 2.0;
        *self.share(slot) = half;
        *self.share(other) = half;
    }

    /// Ends a state, with a path or without one.
    pub(crate) fn ended(&mut self, slot: usize) {
        self.last = std::mem::take(self.share(slot));
        self.explored += self.last;
    }

    /// The share of a waiting state.
    pub(crate) fn share_of(&self, slot: usize) -> f64 {
        self.shares.get(slot).copied().unwrap_or(0.0)
    }

    /// Ends a part of the content of a slot, with a path or without one.
    pub(crate) fn part_ended(&mut self, slot: usize, part: f64) {
        let share = self.share(slot);
        *share = (*share - part).max(0.0);
        self.last = part;
        self.explored += part;
    }

    /// Moves a part of the content of a slot to another slot.
    pub(crate) fn parts(&mut self, slot: usize, other: usize, part: f64) {
        let share = self.share(slot);
        *share = (*share - part).max(0.0);
        *self.share(other) = part;
    }

    /// Gives a state to others. Returns the number of paths expected of it.
    pub(crate) fn give(&mut self, slot: usize) -> Option<Expected> {
        let own = self.density();
        let share = std::mem::take(self.share(slot));
        self.gone += share;
        let before = self.prior.expected.map(|all| all.part(share));
        let given = own.map(|density| density.part(share)).or(before);
        self.prior.loses(before.unwrap_or_default());
        given
    }

    /// Expected number of paths in all waiting states; `None` if nothing is known.
    pub(crate) fn expected(&self) -> Option<Expected> {
        let waiting: f64 = self.shares.iter().sum();
        if waiting == 0.0 {
            return Some(Expected::NONE);
        }
        match self.density() {
            Some(density) => Some(self.prior.joined(self.found, density.part(waiting))),
            None => self.prior.expected,
        }
    }

    /// Expected paths in a share of 1, if paths are everywhere as dense as in the explored share.
    fn density(&self) -> Option<Expected> {
        let found = self.found as f64;
        if self.found == 0 || self.explored < f64::MIN_POSITIVE {
            return None;
        }
        let paths = found / self.explored;
        let variance = (paths * paths * self.squares - found) / (self.explored * self.explored);
        // Short paths are found first, and say little about the subtrees of waiting states.
        Some(Expected { paths, variance: variance.max(paths * paths * UNSURE) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_as_dense_in_the_rest_as_in_what_is_explored() {
        let mut broad = Broad::default();
        broad.plant(0);
        assert_eq!(broad.expected(), None);
        broad.fork(0, 1);
        broad.fork(1, 2);
        broad.ended(1);
        broad.found(1);
        assert_eq!(broad.expected().map(|e| e.paths), Some(3.0), "a quarter has one path");
        let given = broad.give(0);
        assert_eq!(given.map(|e| e.paths), Some(2.0));
        assert_eq!(broad.expected().map(|e| e.paths), Some(1.0));
        broad.ended(2);
        broad.found(1);
        assert_eq!(broad.expected(), Some(Expected::NONE));
    }
}

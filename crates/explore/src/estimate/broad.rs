//! The estimate for explorations under a strategy: Knuth's measure. Each fork halves the share of its state. The paths found in
//! the explored share give the density of paths in the rest. The prioritised frontier reports forks and ends to it.
//!
//! Where the tree has a few large subtrees, short paths beside them are found first, and the density grows with each path. Such an
//! estimate is always a little above the paths that are found, so none is given.

use cleave_region::Expected;

use super::Prior;

/// Minimum variance of a density, in units of its square.
const UNSURE: f64 = 2.0;
/// Number of paths from which the density is compared with that of earlier: fewer say little.
const COMPARED_FROM: u64 = 64;
/// A density grows if it is so many times that of when between a quarter and a half of the paths were found. It is about twice that
/// where the explored share does not grow any more.
const GROWN: f64 = 1.5;

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
    /// Paths found and their density, when between a quarter and a half of the paths were found, and later.
    earlier: [(u64, f64); 2],
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
        if self.found >= 2 * self.earlier[1].0.max(1) {
            let density = self.found as f64 / self.explored.max(f64::MIN_POSITIVE);
            self.earlier = [self.earlier[1], (self.found, density)];
        }
    }

    /// True if the density grows with the number of paths.
    fn is_growing(&self) -> bool {
        let density = self.found as f64 / self.explored.max(f64::MIN_POSITIVE);
        self.found >= COMPARED_FROM && density > GROWN * self.earlier[0].1
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

    /// Gives a state to others. Returns the number of paths expected of it; `None` as for all of them.
    pub(crate) fn give(&mut self, slot: usize) -> Option<Expected> {
        let own = self.density();
        let share = std::mem::take(self.share(slot));
        self.gone += share;
        let before = self.prior.expected.map(|all| all.part(share));
        let given = own.map(|density| density.part(share)).or(before).filter(|_| !self.is_growing());
        self.prior.loses(before.unwrap_or_default());
        given
    }

    /// Expected number of paths in all waiting states; `None` if nothing is known, or the density grows.
    pub(crate) fn expected(&self) -> Option<Expected> {
        let waiting: f64 = self.shares.iter().sum();
        if waiting == 0.0 {
            return Some(Expected::NONE);
        }
        if self.is_growing() {
            return None;
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

    /// The first `paths` paths of a chain, each of which halves the share of what waits (`deep`), or of a tree that is alike everywhere.
    fn explored(paths: u64, deep: bool) -> Broad {
        let mut broad = Broad::default();
        broad.plant(0);
        for slot in 1..=paths as usize {
            if deep {
                broad.fork(0, slot);
            } else {
                broad.parts(0, slot, 1.0 / 1024.0);
            }
            broad.ended(slot);
            broad.found(1);
        }
        broad
    }

    #[test]
    fn nothing_is_expected_where_the_explored_share_stands_still() {
        assert_eq!(explored(500, true).expected(), None);
        let alike = explored(500, false).expected().map(|e| e.paths);
        assert!(alike.is_some_and(|paths| (500.0..550.0).contains(&paths)), "{alike:?}");
        assert!(explored(20, true).expected().is_some(), "twenty paths say nothing about growth");
    }

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

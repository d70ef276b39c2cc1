//! The estimate of a depth-first exploration, from its stack.
//!
//! Each waiting state is the false side of a fork whose true side is explored, or is being explored. Its expected number of
//! paths is that of the true side times the ratio that forks of the same place had (the recursive estimator of
//! Kilby, Slaney, Thiébaux and Walsh, AAAI 2006, with learned ratios). As long as nothing is learned and no path finished, this
//! is Knuth's estimate (1975) of the path at hand.

use cleave_region::Expected;

use super::{Prior, Ratios, together};

/// Knowledge about an entry of the stack.
#[derive(Clone, Copy, Debug)]
enum Mark {
    /// A state that goes on.
    Next,
    /// The false side of a fork that was met when `found` paths were found.
    Sibling { found: u64, place: u64, whole: bool },
    /// A state forked on the way to a region: others found the paths of its true side, so only the region's expectation applies.
    Assigned(Expected),
}

/// A false side that is being explored: all entries from `height` on.
struct Begun {
    height: usize,
    /// Number of paths found when it began.
    found: u64,
    /// Place and number of paths of its true side, if known.
    sibling: Option<(u64, u64)>,
    assigned: Option<Expected>,
}

/// Mirrors the stack of an exploration: each of its entries has a mark.
#[derive(Default)]
pub(crate) struct DepthFirst {
    ratios: Ratios,
    found: u64,
    marks: Vec<Mark>,
    begun: Vec<Begun>,
    prior: Prior,
    /// True once the way to the region is complete.
    arrived: bool,
}

impl DepthFirst {
    /// Begins a region with this number of paths expected, if known.
    pub(crate) fn begin(&mut self, ratios: Ratios, expected: Option<Expected>) {
        (self.ratios, self.prior) = (ratios, Prior { expected, found: self.found });
    }

    /// Takes out the learned ratios.
    pub(crate) fn take_ratios(&mut self) -> Ratios {
        std::mem::take(&mut self.ratios)
    }

    /// Counts the paths found.
    pub(crate) fn found(&mut self, paths: u64) {
        self.found += paths;
    }

    /// Pushes a state that goes on.
    pub(crate) fn push(&mut self) {
        self.marks.push(Mark::Next);
    }

    /// Pushes the false side of a fork at `place`. On the way to a region, a part of its true side may belong to others.
    pub(crate) fn push_sibling(&mut self, place: u64, on_way: bool) {
        if !on_way {
            self.arrive();
        }
        self.marks.push(Mark::Sibling { found: self.found, place, whole: !on_way });
    }

    /// Takes the last entry, to be explored.
    pub(crate) fn take(&mut self) {
        while let Some(done) = self.begun.pop_if(|begun| begun.height >= self.marks.len()) {
            if let Some((place, paths)) = done.sibling {
                self.ratios.learn(place, paths, self.found - done.found);
            }
        }
        let (sibling, assigned) = match self.marks.pop() {
            Some(Mark::Sibling { found, place, whole: true }) => (Some((place, self.found - found)), None),
            Some(Mark::Assigned(expected)) => (None, Some(expected)),
            Some(Mark::Next | Mark::Sibling { .. }) | None => return,
        };
        self.begun.push(Begun { height: self.marks.len(), found: self.found, sibling, assigned });
    }

    /// Drops the last entry, which was pushed temporarily.
    pub(crate) fn drop_last(&mut self) {
        self.marks.pop();
    }

    /// Gives the first `n` entries to others. Returns the number of paths expected of them.
    pub(crate) fn give(&mut self, n: usize) -> Expected {
        self.arrive();
        let mut given = Expected::NONE;
        self.fold(|i, entry| {
            if i < n {
                given = given + entry
            }
        });
        self.marks.drain(..n);
        // A side that lost a part teaches nothing more.
        self.begun.retain(|begun| begun.height >= n);
        self.begun.iter_mut().for_each(|begun| begun.height -= n);
        self.prior.loses(given);
        given
    }

    /// Replaces all that waits by one entry, which is replayed.
    pub(crate) fn write_down(&mut self) {
        let expected = self.expected();
        self.clear();
        (self.prior, self.arrived) = (Prior { expected: Some(expected), found: self.found }, false);
        self.push();
    }

    /// Drops all entries.
    pub(crate) fn clear(&mut self) {
        self.marks.clear();
        self.begun.clear();
    }

    /// Expected number of paths to come.
    pub(crate) fn expected(&self) -> Expected {
        let left = self.fold(|_, _| ());
        if self.marks.is_empty() { Expected::NONE } else { self.prior.joined(self.found, left) }
    }

    /// Ends the way to the region: the states forked on it share the paths expected of the region.
    fn arrive(&mut self) {
        if std::mem::replace(&mut self.arrived, true) {
            return;
        }
        let Some(all) = self.prior.expected else { return };
        let mut raw = vec![0.0; self.marks.len()];
        let sum = 1.0 + self.fold(|i, entry| raw[i] = entry.paths).paths;
        for (mark, raw) in self.marks.iter_mut().zip(raw) {
            if matches!(mark, Mark::Sibling { .. }) {
                *mark = Mark::Assigned(all.part(raw / sum));
            }
        }
    }

    /// Tells `each` entry's number of paths, the last entry first; returns the sum.
    fn fold(&self, mut each: impl FnMut(usize, Expected)) -> Expected {
        let mut sum = Expected::NONE;
        let mut begun =
            self.begun.iter().rev().skip_while(|begun| begun.height >= self.marks.len()).peekable();
        for (i, mark) in self.marks.iter().enumerate().rev() {
            let (entry, variance) = match *mark {
                Mark::Next => (Expected { paths: 1.0, variance: 1.0 }, None),
                Mark::Assigned(expected) => (expected, None),
                Mark::Sibling { found, place, .. } => {
                    let on_true = ((self.found - found) as f64 + sum.paths).max(1.0);
                    let ratio = self.ratios.of(place, on_true);
                    let own = ratio.variance * on_true * on_true;
                    let paths = ratio.mean * on_true;
                    let both = (1.0 + ratio.mean).powi(2) * sum.variance + own;
                    (Expected { paths, variance: own + ratio.mean.powi(2) * sum.variance }, Some(both))
                }
            };
            each(i, entry);
            // The two sides of a fork err together.
            let variance = variance.unwrap_or(sum.variance + entry.variance);
            sum = Expected { paths: sum.paths + entry.paths, variance };
            while let Some(side) = begun.next_if(|begun| begun.height == i) {
                let before = match (side.sibling, side.assigned) {
                    (Some((place, paths)), _) => {
                        let (ratio, n) = (self.ratios.of(place, paths as f64), paths as f64);
                        Some(Expected { paths: ratio.mean * n, variance: ratio.variance * n * n })
                    }
                    (None, assigned) => assigned,
                };
                sum = before.map_or(sum, |before| together(before, (self.found - side.found) as f64, sum));
            }
        }
        sum
    }
}

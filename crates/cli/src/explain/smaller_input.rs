//! A smaller input that ends in the same bug.
//!
//! Inputs are compared by the number of bytes that are not zero, then by the number of these that are not printable, then by
//! the number of these that are not the letter `a`. The search removes or simplifies bytes, and each step is followed to the
//! bug.

use cleave_region::Test;

use super::ends::Ended;
use super::follow::{Follower, Spent};

/// The smallest input that was found.
pub struct Smallest {
    /// The test.
    pub test: Test,
    /// No byte of it can be made zero or plainer by itself; otherwise the search was ended early.
    pub done: bool,
}

/// Size of an input, as a key for sorting: smaller comes first.
pub fn size(test: &Test) -> [usize; 3] {
    let bytes = || test.objects.iter().flat_map(|o| &o.bytes).filter(|&&b| b != 0);
    [
        bytes().count(),
        bytes().filter(|&&b| !(b' '..=b'~').contains(&b)).count(),
        bytes().filter(|&&b| b != b'a').count(),
    ]
}

/// Makes a test smaller as long as its end is the same, as `same` says.
pub fn smallest(
    follower: &mut Follower,
    test: &Test,
    same: &dyn Fn(&Ended) -> bool,
    spent: &mut Spent,
) -> Smallest {
    let mut search = Search { follower, same, spent, best: test.clone() };
    loop {
        let before = size(&search.best);
        search.cut_out();
        search.make_plainer();
        if search.spent.is_over() {
            return Smallest { test: search.best, done: false };
        }
        if size(&search.best) == before {
            return Smallest { test: search.best, done: true };
        }
    }
}

struct Search<'a> {
    follower: &'a mut Follower,
    same: &'a dyn Fn(&Ended) -> bool,
    spent: &'a mut Spent,
    best: Test,
}

impl Search<'_> {
    /// Takes a candidate that is smaller, if its end is the same.
    fn take(&mut self, candidate: &Test) -> bool {
        if self.spent.is_over() || size(candidate) >= size(&self.best) {
            return false;
        }
        let followed = self.follower.follow(candidate, self.spent);
        let better = followed.end.as_ref().is_some_and(self.same) && size(&followed.test) < size(&self.best);
        if better {
            self.best = followed.test;
        }
        better
    }

    /// Takes parts out of objects, and moves the bytes behind them up. Large parts first.
    fn cut_out(&mut self) {
        let mut object = 0;
        while let Some(len) = self.best.objects.get(object).map(|o| o.bytes.len()) {
            let mut part = len;
            while part > 0 {
                let mut at = 0;
                while at + part <= len && !self.spent.is_over() {
                    let mut candidate = self.best.clone();
                    let Some(o) = candidate.objects.get_mut(object).filter(|o| o.bytes.len() == len) else {
                        break;
                    };
                    o.bytes.drain(at..at + part);
                    o.bytes.resize(len, 0);
                    if !self.take(&candidate) {
                        at += part;
                    }
                }
                part /= 2;
            }
            object += 1;
        }
    }

    /// Makes single bytes zero, or printable, or the letter `a`, the last ones first.
    fn make_plainer(&mut self) {
        for object in (0..self.best.objects.len()).rev() {
            let len = self.best.objects.get(object).map_or(0, |o| o.bytes.len());
            for offset in (0..len).rev() {
                for value in [0, b'a', b'A', b'0', b' ', b'-', b'1'] {
                    let mut candidate = self.best.clone();
                    let byte = candidate.objects.get_mut(object).and_then(|o| o.bytes.get_mut(offset));
                    let Some(byte) = byte.filter(|byte| **byte != 0) else { break };
                    *byte = value;
                    if self.take(&candidate) {
                        break;
                    }
                }
            }
        }
    }
}

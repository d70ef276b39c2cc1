//! The order of tests: algorithm 1 of Siddiqui and Khurshid 2012. Two tests are run along their common path
//! until a condition tells them apart; no solver is asked.

use std::ops::ControlFlow;

use cleave_region::Test;

use crate::paths::walk::{Reach, Walked, walk_test};
use crate::space::Space;

/// Order of one test's path relative to another's. True sides come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// The path comes earlier.
    Smaller,
    /// Both tests take one path.
    Equivalent,
    /// The path comes later.
    Bigger,
}

/// Compares the paths of two tests. `reach` bounds the common path: `None` if it is longer, as an endless one is.
pub fn compare<S: Space>(space: &mut S, a: &Test, b: &Test, reach: impl Into<Reach>) -> Option<Order> {
    let other = space.prepare(b);
    let (walked, _) = walk_test(space, a, reach, |space, passing| {
        match (passing.side, space.decides(passing.cond, &other)) {
            (true, false) => ControlFlow::Break(Order::Smaller),
            (false, true) => ControlFlow::Break(Order::Bigger),
            _ => ControlFlow::Continue(()),
        }
    });
    match walked {
        Walked::Left(order) => Some(order),
        // If both violate an assumption, neither is a path.
        Walked::Ended(_) | Walked::Excluded => Some(Order::Equivalent),
        Walked::Endless => None,
    }
}

/// Sorts tests by their paths and drops all but the first of those that take one path. Tests that cannot be
/// compared within `reach` are returned in the second list.
pub fn sort<S: Space>(space: &mut S, tests: Vec<Test>, reach: impl Into<Reach>) -> (Vec<Test>, Vec<Test>) {
    let reach = reach.into();
    let mut sorted: Vec<Test> = Vec::with_capacity(tests.len());
    let mut endless = Vec::new();
    'next: for test in tests {
        let (mut lo, mut hi) = (0, sorted.len());
        while lo < hi {
            let middle = (lo + hi) / 2;
            match compare(space, &test, &sorted[middle], reach) {
                Some(Order::Smaller) => hi = middle,
                Some(Order::Bigger) => lo = middle + 1,
                Some(Order::Equivalent) => continue 'next,
                None => {
                    endless.push(test);
                    continue 'next;
                }
            }
        }
        sorted.insert(lo, test);
    }
    (sorted, endless)
}

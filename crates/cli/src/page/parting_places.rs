//! Places of the program at which the ways of tests part.

use std::collections::BTreeMap;

use cleave_explore::{Passing, Programs};
use cleave_program::code::Program;

use crate::findings::test_coverage::{Line, own_line};

/// The way of a test: at each decision its place, by number, and the side.
type Way = Vec<(u32, bool)>;

/// Collects ways of tests.
pub struct Splits {
    program: Program,
    places: BTreeMap<Line, u32>,
    ways: Vec<Way>,
    /// The way of the test at hand or the last one, with the depth of each decision.
    last: Vec<(u32, (u32, bool))>,
}

impl Splits {
    /// For tests of a run of this program.
    pub fn new(program: Program) -> Splits {
        Splits { program, places: BTreeMap::new(), ways: Vec::new(), last: Vec::new() }
    }

    /// Records a decision of the test that is being followed. All decisions of all followed tests come here, or those from
    /// some depth on, if the ones before are the same as in the last test.
    pub fn visit(&mut self, passing: &Passing<'_, Programs>) {
        let depth = passing.state.depth();
        let same = self.last.partition_point(|(at, _)| *at < depth);
        self.last.truncate(same);
        if !passing.assume {
            let next = self.places.len() as u32;
            let place = *self.places.entry(own_line(&self.program, passing.state)).or_insert(next);
            self.last.push((depth, (place, passing.side)));
        }
    }

    /// Counts the test whose decisions were visited last.
    pub fn count_last(&mut self) {
        self.ways.push(self.last.iter().map(|(_, decision)| *decision).collect());
    }

    /// Number of counted tests, and number of times that they part at each place, the most frequent first. `n` different ways
    /// part `n - 1` times: a decision with both sides taken counts once for each way that leads to it.
    pub fn counts(mut self) -> (u64, Vec<(Line, u64)>) {
        self.ways.sort();
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for pair in self.ways.windows(2) {
            // The first difference of neighbours is a node of the tree that no other pair has.
            let parted = pair[0].iter().zip(&pair[1]).find(|(a, b)| a != b);
            if let Some(((place, _), _)) = parted {
                *counts.entry(*place).or_default() += 1;
            }
        }
        let lines: BTreeMap<u32, Line> =
            self.places.into_iter().map(|(line, number)| (number, line)).collect();
        let mut all: Vec<(Line, u64)> =
            counts.into_iter().filter_map(|(place, n)| Some((lines.get(&place)?.clone(), n))).collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        (self.ways.len() as u64, all)
    }
}

//! Counts of covered parts, kept up to date mark by mark.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::map::Map;
use crate::marks::{MarkId, Marks};

/// A number of covered parts, and of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Number of covered parts.
    pub covered: u64,
    /// Number of all parts.
    pub total: u64,
}

/// The covered parts of a program without its C library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Source lines with code.
    pub lines: Count,
    /// Sides of branches and switches.
    pub branches: Count,
    /// Functions.
    pub functions: Count,
    /// Basic blocks.
    pub blocks: Count,
}

/// Marks, and the counts of the parts that they cover.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    map: Arc<Map>,
    marks: Marks,
    lines: Marks,
    blocks: Marks,
    counts: Counts,
}

impl Tally {
    /// Nothing of `map` is covered.
    pub fn new(map: Arc<Map>) -> Tally {
        let all = |total: usize| Count { covered: 0, total: total as u64 };
        let counts = Counts {
            lines: all(map.lines.len()),
            branches: all(map.branches as usize),
            functions: all(map.functions.len()),
            blocks: all(map.blocks as usize),
        };
        Tally { map, counts, ..Tally::default() }
    }

    /// Adds a mark; `false` if it was there.
    pub fn add(&mut self, mark: MarkId) -> bool {
        if !self.marks.insert(mark) {
            return false;
        }
        if let Some(covers) = self.map.covers.get(mark as usize) {
            self.counts.branches.covered += u64::from(covers.is_side);
            self.counts.functions.covered += u64::from(covers.function.is_some());
            let lines = covers.lines.iter().filter(|line| self.lines.insert(**line)).count();
            let blocks = covers.blocks.iter().filter(|block| self.blocks.insert(**block)).count();
            self.counts.lines.covered += lines as u64;
            self.counts.blocks.covered += blocks as u64;
        }
        true
    }

    /// The marks.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

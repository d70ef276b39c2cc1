//! What a worker does with finished paths until they are reported: they wait in memory, or lie in its shard.

use cleave_region::{EncodedPath, PathRecord};

use crate::exploration::Found;
use crate::protocol::{Kept, Shows};
use crate::shard::ShardWriter;

/// Finished paths that are not reported yet.
#[derive(Default)]
pub(crate) struct Keeping {
    /// Where they are kept, if not in memory.
    shard: Option<ShardWriter>,
    /// Those that a report is to hold, and the how many-th each of them is of those that wait.
    paths: Vec<EncodedPath>,
    numbers: Vec<u64>,
    /// What these are the first to cover.
    shows: Vec<Shows>,
    /// Bytes of their tests.
    bytes: usize,
}

/// Paths as a report has them.
pub(crate) struct Brought {
    pub(crate) paths: Vec<EncodedPath>,
    pub(crate) kept: Vec<Kept>,
    pub(crate) places: Vec<(u32, u64)>,
    pub(crate) shows: Vec<Shows>,
}

impl Keeping {
    /// Keeps paths in a shard from now on.
    pub(crate) fn in_shard(shard: ShardWriter) -> Keeping {
        Keeping { shard: Some(shard), ..Keeping::default() }
    }

    /// Whether paths lie in a shard: then they count only together with what remains.
    pub(crate) fn is_shard(&self) -> bool {
        self.shard.is_some()
    }

    /// Takes in what was found; returns how many paths that are.
    ///
    /// # Errors
    /// Where the shard cannot be written: why, and what to do.
    pub(crate) fn take(&mut self, found: &mut Found) -> Result<u64, String> {
        let new = found.paths.len() as u64;
        let mut shows = found.shows.drain(..).peekable();
        for (i, path) in found.paths.drain(..).enumerate() {
            let path = PathRecord::encoded(path);
            let marks = shows.next_if(|s| s.path as usize == i).map(|s| s.marks);
            let number = match &mut self.shard {
                None => self.paths.len() as u64,
                Some(shard) => {
                    let number = shard.uncounted();
                    let is_first = shard.push(&path, marks.is_some())?;
                    if !is_first && marks.is_none() {
                        continue;
                    }
                    number
                }
            };
            if let Some(marks) = marks {
                self.shows.push(Shows { path: self.paths.len() as u32, marks });
            }
            self.bytes += path.test.bytes().len();
            self.numbers.push(number);
            self.paths.push(path);
        }
        Ok(new)
    }

    /// How many paths the next report is to hold.
    pub(crate) fn waiting(&self) -> usize {
        self.paths.len()
    }

    /// Bytes of their tests.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// All that waits, for a report; what a shard has of it is safe on the disk.
    ///
    /// # Errors
    /// As of [`Keeping::take`].
    pub(crate) fn bring(&mut self) -> Result<Brought, String> {
        let kept: Vec<Kept> = match &mut self.shard {
            Some(shard) => shard.settle()?.into_iter().collect(),
            None => Vec::new(),
        };
        self.bytes = 0;
        let numbers = std::mem::take(&mut self.numbers);
        let places = if kept.is_empty() { Vec::new() } else { numbers.into_iter().map(|n| (0, n)).collect() };
        Ok(Brought {
            paths: std::mem::take(&mut self.paths),
            kept,
            places,
            shows: std::mem::take(&mut self.shows),
        })
    }
}

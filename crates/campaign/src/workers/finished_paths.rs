//! Finished paths of a worker until they are reported: in memory, or in the worker's shard.

use cleave_region::{EncodedPath, PathRecord};

use crate::shards::shard::ShardWriter;
use crate::transports::protocol::{Kept, Shows};
use crate::workers::exploration::Found;

/// Finished paths that are not reported yet.
#[derive(Default)]
pub(crate) struct Keeping {
    /// The shard that keeps them, if not memory.
    shard: Option<ShardWriter>,
    /// Paths for the next report; `numbers` are their indices among all waiting paths.
    paths: Vec<EncodedPath>,
    numbers: Vec<u64>,
    /// Coverage that these paths are the first to show.
    shows: Vec<Shows>,
    /// Bytes of their tests.
    bytes: usize,
}

/// Paths in the form of a report.
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

    /// True if paths are kept in a shard: then they count only together with the remaining work.
    pub(crate) fn is_shard(&self) -> bool {
        self.shard.is_some()
    }

    /// Takes in results; returns the number of paths among them.
    ///
    /// # Errors
    /// If the shard cannot be written: reason and advice.
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

    /// Number of paths for the next report.
    pub(crate) fn waiting(&self) -> usize {
        self.paths.len()
    }

    /// Bytes of their tests.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes out all waiting paths for a report; the shard's part of them is synced to the disk.
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

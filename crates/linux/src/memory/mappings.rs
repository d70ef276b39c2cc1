//! The mapped memory of a process, as ranges of addresses.

use std::collections::BTreeMap;
use std::rc::Rc;

use cleave_memory::Byte;

use crate::files::inode_numbers::Ino;

/// A mapping that is shared with the processes that a process makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SharedMapping {
    /// The number of the shared piece of memory.
    pub(crate) number: u64,
    /// Its size when it was mapped, in bytes.
    pub(crate) size: u64,
}

/// A part of a file in the memory of a process.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileMapping {
    /// The key of an open file description, which the mapping holds.
    pub(crate) key: u32,
    pub(crate) ino: Ino,
    /// True if it may be written.
    pub(crate) writable: bool,
    /// Offset of its start in the file, in bytes.
    pub(crate) offset: u64,
    /// The bytes of memory and file when they were last the same.
    pub(crate) seen: Rc<Vec<Byte>>,
}

impl FileMapping {
    /// Its size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.seen.len() as u64
    }

    /// The part of it from one place on up to another, in bytes from its start.
    pub(crate) fn part(&self, from: u64, to: u64) -> FileMapping {
        let seen = Rc::new(self.seen[from as usize..to as usize].to_vec());
        FileMapping { offset: self.offset + from, seen, ..self.clone() }
    }
}

/// Ranges that do not meet: address to size, in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mappings(BTreeMap<u64, u64>);

impl Mappings {
    /// Bytes that are mapped.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.values().sum()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn insert(&mut self, address: u64, size: u64) {
        self.0.insert(address, size);
    }

    /// The ranges that have bytes from one address up to another: their starts and ends.
    fn met(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, u64)> {
        let below = self.0.range(..to).rev().map(|(&start, &size)| (start, start + size));
        below.take_while(move |&(_, end)| end > from)
    }

    /// Returns true if a byte from one address up to another is mapped.
    pub(crate) fn meets(&self, from: u64, to: u64) -> bool {
        self.met(from, to).next().is_some()
    }

    /// Returns true if all bytes from one address up to another are mapped.
    pub(crate) fn has_all(&self, from: u64, to: u64) -> bool {
        let bytes = |(start, end): (u64, u64)| end.min(to) - start.max(from);
        self.met(from, to).map(bytes).sum::<u64>() == to - from
    }

    /// Takes the bytes from one address up to another out of the ranges.
    pub(crate) fn remove(&mut self, from: u64, to: u64) {
        let met: Vec<(u64, u64)> = self.met(from, to).collect();
        for (start, end) in met {
            self.0.remove(&start);
            if start < from {
                self.0.insert(start, from - start);
            }
            if end > to {
                self.0.insert(to, end - to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_ranges_is_what_was_not_removed() {
        let mut all = Mappings::default();
        all.insert(10, 10);
        all.insert(20, 10);
        assert!(all.has_all(10, 30) && !all.has_all(10, 31) && !all.meets(30, 40) && !all.meets(0, 10));
        all.remove(15, 22);
        assert!(all.has_all(10, 15) && all.has_all(22, 30) && !all.meets(15, 22));
        all.remove(24, 25);
        assert_eq!(all.bytes(), 5 + 2 + 5);
        all.remove(0, 100);
        assert_eq!(all.bytes(), 0);
    }
}

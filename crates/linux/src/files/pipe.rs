//! Pipes: their contents, and the room in them. As in Linux they are made of pages; a write fills the last one only with bytes
//! that fit there wholly.

use std::collections::VecDeque;

use cleave_memory::Byte;

use crate::env::world::{PAGE_SIZE, PIPE_SIZE};

const PAGE: usize = PAGE_SIZE as usize;
/// Pages of a pipe.
const PAGES: usize = PIPE_SIZE / PAGE;

/// Bytes in a page of a pipe: the start of the unread ones, and their end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    start: usize,
    end: usize,
}

/// A pipe or a named pipe.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pipe {
    bytes: VecDeque<Byte>,
    parts: VecDeque<Part>,
    /// Number of times it was opened to read.
    pub(crate) readers: u64,
    /// And to write.
    pub(crate) writers: u64,
}

impl Pipe {
    /// A pipe without a name: it is open at both ends.
    pub(crate) fn opened() -> Pipe {
        Pipe { readers: 1, writers: 1, ..Pipe::default() }
    }

    /// Bytes that can be read.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns true if all its pages are in use.
    pub(crate) fn is_full(&self) -> bool {
        self.parts.len() == PAGES
    }

    /// Number of the bytes that do not fill whole pages and go into the last page that is in use.
    fn merged(&self, n: usize) -> usize {
        let rest = n % PAGE;
        match self.parts.back() {
            Some(last) if last.end + rest <= PAGE => rest,
            _ => 0,
        }
    }

    /// Number of bytes, of `n`, that it takes now. A write that goes on after it had to wait does not fill a page any more.
    pub(crate) fn takes(&self, n: usize, goes_on: bool) -> usize {
        let merged = if goes_on { 0 } else { self.merged(n) };
        merged + (n - merged).min((PAGES - self.parts.len()) * PAGE)
    }

    /// Puts in as many bytes as it takes. Returns their number.
    pub(crate) fn put(&mut self, bytes: &[Byte], goes_on: bool) -> usize {
        let merged = if goes_on { 0 } else { self.merged(bytes.len()) };
        let n = self.takes(bytes.len(), goes_on);
        if let Some(last) = self.parts.back_mut() {
            last.end += merged;
        }
        for whole in bytes[merged..n].chunks(PAGE) {
            self.parts.push_back(Part { start: 0, end: whole.len() });
        }
        self.bytes.extend(&bytes[..n]);
        n
    }

    /// Takes out at most `n` bytes.
    pub(crate) fn take(&mut self, n: usize) -> Vec<Byte> {
        let n = n.min(self.bytes.len());
        let mut left = n;
        while let Some(first) = self.parts.front_mut().filter(|_| left > 0) {
            let part = left.min(first.end - first.start);
            first.start += part;
            left -= part;
            if first.start == first.end {
                self.parts.pop_front();
            }
        }
        self.bytes.drain(..n).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(n: usize) -> Vec<Byte> {
        (0..n).map(|i| Byte::Known(i as u8)).collect()
    }

    #[test]
    fn a_pipe_holds_sixteen_pages_of_which_the_last_is_filled_by_what_fits() {
        let mut pipe = Pipe::default();
        assert_eq!(pipe.put(&bytes(100), false), 100);
        assert_eq!(pipe.put(&bytes(3996), false), 3996);
        assert_eq!(pipe.parts.len(), 1);
        assert_eq!(pipe.put(&bytes(1), false), 1);
        assert_eq!(pipe.put(&bytes(4096), false), 4096);
        assert_eq!(pipe.parts.len(), 3);
        assert_eq!(pipe.takes(70_000, false), 13 * 4096);
        assert_eq!(pipe.put(&bytes(4100), false), 4100);
        assert_eq!(pipe.parts.len(), 5);
        assert_eq!(pipe.take(100_000).len(), 100 + 3996 + 1 + 4096 + 4100);
        assert!(pipe.is_empty() && pipe.parts.is_empty());
    }

    #[test]
    fn what_is_read_in_part_keeps_its_page() {
        let mut pipe = Pipe::default();
        assert_eq!(pipe.put(&bytes(65_536), false), 65_536);
        assert!(pipe.is_full());
        assert_eq!(pipe.take(4095).len(), 4095);
        assert_eq!(pipe.takes(1, false), 0);
        assert_eq!(pipe.take(1).len(), 1);
        assert_eq!(pipe.takes(1, false), 1);
    }
}

//! Counts of visits, marks of accesses, and the accesses of compiled code that are known to be no marks.

use cleave_program::code::{FuncId, Pc};

/// Marks of accesses by op, as the engine keeps them.
pub trait AccessMarks {
    /// An access by an op ends `left` bytes before the end of an object of `size` bytes. Returns the least such distance that would be
    /// no mark now.
    fn accessed(&mut self, op: u32, size: u64, left: u64, depth: u32) -> u64;
    /// An op stores a value. Returns `false` if no further value that it stores is a mark.
    fn stored(&mut self, op: u32, value: u64) -> bool;
}

/// Counts and marks of a program.
pub struct Counts<'a> {
    /// The number of visits to each op.
    pub visits: &'a mut [u32],
    /// The places that were visited, in the order of their first visits.
    pub order: &'a mut Vec<(FuncId, Pc)>,
    /// The marks of accesses, if they are looked for.
    pub marks: Option<&'a mut dyn AccessMarks>,
    /// Number of decisions on the path.
    pub depth: u32,
}

/// The part of counting that is compiled in.
pub struct Counting<'a> {
    /// The number of a function's first op.
    pub first: &'a dyn Fn(FuncId) -> u32,
    /// Accesses are marked.
    pub accesses: bool,
}

/// Accesses of an op that are known to be no marks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Site {
    /// Their first address, and the number of addresses.
    pub(crate) start: u64,
    pub(crate) len: u64,
    /// The value that was stored last, if bit 0 of `is_known` is set. With bit 1 no value is a mark.
    pub(crate) last: u64,
    pub(crate) is_known: u64,
}

/// Offsets of the fields of a site.
pub(crate) mod site {
    use super::Site;
    use std::mem::offset_of;

    pub(crate) const START: i32 = offset_of!(Site, start) as i32;
    pub(crate) const LEN: i32 = offset_of!(Site, len) as i32;
    pub(crate) const LAST: i32 = offset_of!(Site, last) as i32;
    pub(crate) const IS_KNOWN: i32 = offset_of!(Site, is_known) as i32;
}

/// Sites that are made at once.
const CHUNK: usize = 64;

/// The sites of all compiled functions. Compiled code knows where they are.
#[derive(Default)]
pub(crate) struct Sites {
    /// In chunks, which stay where they are.
    chunks: Vec<Box<[Site]>>,
    /// Number of sites.
    len: usize,
    /// Those that are not empty.
    pub(crate) used: Vec<*mut Site>,
}

impl Sites {
    /// A new site, for as long as the sites live.
    pub(crate) fn add(&mut self) -> *mut Site {
        let (chunk, at) = (self.len / CHUNK, self.len % CHUNK);
        if at == 0 {
            self.chunks.push(vec![Site::default(); CHUNK].into());
        }
        self.len += 1;
        &raw mut self.chunks[chunk][at]
    }

    pub(crate) fn clear(&mut self) {
        for site in self.used.drain(..) {
            // SAFETY: it is in one of `chunks`, which nobody uses while this has exclusive access.
            unsafe { *site = Site::default() };
        }
    }
}

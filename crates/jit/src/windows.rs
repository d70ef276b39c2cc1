//! Windows into the memory of the state that runs, by address: where its plain bytes are on the host.

use cleave_memory::{AddressSpace, PAGE, Window, changes};
use cleave_program::layout::Target;

/// Number of windows that are kept at a time, as a power of two: 128 KB, for plain bytes of 4 MB.
const WINDOWS_BITS: u32 = 12;
/// Size in bytes of the largest object whose windows are dropped one by one.
const MOST_DROPPED: u64 = 1 << 14;
/// Accesses beside the window of a page, one of which changes the window.
const OTHERS: u32 = 8;
/// The logarithm of an entry's size in bytes.
pub(crate) const ENTRY_BITS: u32 = 5;
/// Mask of the offset of an entry in bytes.
pub(crate) const ENTRY_MASK: u64 = ((1 << WINDOWS_BITS) - 1) << ENTRY_BITS;
/// Shifts of an address to its page and to its slot, whose sum is the number of its entry. All bytes of a page have one entry.
pub(crate) const ENTRY_SHIFTS: [u32; 2] = [PAGE.ilog2(), Target::X86_64.slot_bits()];

/// A window as compiled code looks at it. An access of `2^k` bytes at `start + d` is in it if `d` is below its limit `k`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    pub(crate) start: u64,
    /// The address of its bytes minus `start`.
    pub(crate) delta: u64,
    pub(crate) read: [u16; 4],
    pub(crate) write: [u16; 4],
}

/// Offsets of the fields of an entry.
pub(crate) mod entry {
    use super::Entry;
    use std::mem::offset_of;

    pub(crate) const START: i32 = offset_of!(Entry, start) as i32;
    pub(crate) const DELTA: i32 = offset_of!(Entry, delta) as i32;
    pub(crate) const READ: i32 = offset_of!(Entry, read) as i32;
    pub(crate) const WRITE: i32 = offset_of!(Entry, write) as i32;
}

/// The windows of the state that runs, by address.
pub(crate) struct Windows {
    pub(crate) entries: Box<[Entry; 1 << WINDOWS_BITS]>,
    /// The entries that were filled.
    used: Vec<u16>,
    is_used: Box<[bool; 1 << WINDOWS_BITS]>,
    /// By entry: [`Window::most`], of a window that may be written.
    most: Box<[u16; 1 << WINDOWS_BITS]>,
    /// Entries whose windows have grown, and their lengths before.
    growing: Vec<(u16, u16)>,
    /// Number of accesses to pages beside their windows.
    others: u32,
    /// [`changes`] when the entries were right.
    seen: u64,
}

impl Default for Windows {
    fn default() -> Windows {
        Windows {
            entries: Box::new([Entry::default(); 1 << WINDOWS_BITS]),
            used: Vec::new(),
            is_used: Box::new([false; 1 << WINDOWS_BITS]),
            most: Box::new([0; 1 << WINDOWS_BITS]),
            growing: Vec::new(),
            others: 0,
            seen: 0,
        }
    }
}

/// The limits of a window.
#[inline(always)]
fn limits(len: u64) -> [u16; 4] {
    let limit = |k: u32| (len + 1).saturating_sub(1 << k) as u16;
    [limit(0), limit(1), limit(2), limit(3)]
}

impl Windows {
    /// Drops all windows.
    pub(crate) fn clear(&mut self) {
        for i in self.used.drain(..) {
            (self.entries[i as usize], self.is_used[i as usize]) = (Entry::default(), false);
        }
        self.seen = changes();
    }

    /// Drops all windows if one may be wrong.
    pub(crate) fn refresh(&mut self) {
        if self.seen != changes() {
            self.clear();
        }
    }

    /// Ends the life of objects, or begins it anew: `end` does, and they are all that it ends. The windows of the others stay.
    pub(crate) fn end(&mut self, objects: &[(u64, u64)], end: impl FnOnce()) {
        self.refresh();
        end();
        if objects.iter().any(|&(_, size)| size > MOST_DROPPED) {
            return self.refresh();
        }
        for &(address, size) in objects {
            for page in 0..size.div_ceil(PAGE as u64) {
                let entry = &mut self.entries[Windows::place(address + page * PAGE as u64)];
                (entry.read, entry.write) = ([0; 4], [0; 4]);
            }
        }
        self.seen = changes();
    }

    fn place(address: u64) -> usize {
        let sum = (address >> ENTRY_SHIFTS[0]).wrapping_add(address >> ENTRY_SHIFTS[1]);
        (sum % (1 << WINDOWS_BITS)) as usize
    }

    /// The place on the host of `n` bytes, at least one, that are in a window; `write` if they are to be written.
    pub(crate) fn find(&self, address: u64, n: u64, write: bool) -> Option<*mut u8> {
        let entry = &self.entries[Windows::place(address)];
        // The limit of accesses of one byte is the window's length.
        let len = u64::from(if write { entry.write[0] } else { entry.read[0] });
        let at = address.wrapping_sub(entry.start);
        (at < len && n <= len - at).then(|| address.wrapping_add(entry.delta) as *mut u8)
    }

    /// Keeps the window around an address, for reads or for both, if there is one. Where a page has several it is looked for now and then.
    pub(crate) fn keep(&mut self, memory: &mut AddressSpace, address: u64, write: bool) {
        let entry = &self.entries[Windows::place(address)];
        let limits = if write { entry.write } else { entry.read };
        if limits[0] != 0 && entry.start / PAGE as u64 == address / PAGE as u64 {
            self.others = self.others.wrapping_add(1);
            if !self.others.is_multiple_of(OTHERS) && self.seen == changes() {
                return;
            }
        }
        let window = memory.window(address, write);
        self.refresh();
        if let Some(window) = window {
            self.put(address, window, write);
        }
    }

    /// Writes the low `n` bytes of a value that follow a window which may be written, to bytes that may be undefined. They are in the
    /// window then, and [`Windows::settle`] tells the address space of them. Returns `false` if there is no such window.
    #[inline]
    pub(crate) fn append(&mut self, address: u64, n: u64, value: u64) -> bool {
        let i = Windows::place(address);
        let (entry, most) = (&mut self.entries[i], self.most[i]);
        let len = u64::from(entry.write[0]);
        if len == 0 || address.wrapping_sub(entry.start) != len || len + n > u64::from(most) {
            return false;
        }
        // SAFETY: the page has these bytes behind the window, which this address space alone owns; `n` is at most 8.
        unsafe {
            let bytes = address.wrapping_add(entry.delta) as *mut u8;
            std::ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), bytes, n as usize);
        }
        if self.growing.last().is_none_or(|last| usize::from(last.0) != i) {
            self.growing.push((i as u16, len as u16));
        }
        (entry.read, entry.write) = (limits(len + n), limits(len + n));
        true
    }

    /// To be called before anybody else looks at the memory: tells it of the bytes that were appended.
    #[inline]
    pub(crate) fn settle(&mut self, memory: &mut AddressSpace) {
        if !self.growing.is_empty() {
            self.settle_all(memory);
        }
    }

    #[cold]
    fn settle_all(&mut self, memory: &mut AddressSpace) {
        for (i, from) in self.growing.drain(..) {
            let entry = &self.entries[usize::from(i)];
            memory.defines(entry.start + u64::from(from), u64::from(entry.write[0] - from));
        }
    }

    fn put(&mut self, address: u64, window: Window, write: bool) {
        let i = Windows::place(address);
        let limits = limits(window.len);
        if !std::mem::replace(&mut self.is_used[i], true) {
            self.used.push(i as u16);
        }
        self.most[i] = window.most as u16;
        self.entries[i] = Entry {
            start: window.start,
            delta: (window.bytes as u64).wrapping_sub(window.start),
            read: limits,
            write: if write { limits } else { [0; 4] },
        };
    }
}

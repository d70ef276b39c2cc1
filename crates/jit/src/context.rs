//! Data that compiled code shares with its caller, and the functions that it calls.

use cleave_memory::{AddressSpace, PAGE, Reg, Window, changes};
use cleave_program::layout::Target;

/// The place that compiled code returns if a register is not known at the entrance.
pub(crate) const NOT_ENTERED: u32 = u32::MAX;
/// Number of windows that are kept at a time, as a power of two: 32 KB.
const WINDOWS_BITS: u32 = 10;
/// Size in bytes of the largest object whose windows are dropped one by one.
const MOST_DROPPED: u64 = 1 << 14;
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

/// Facts for the ops that begin and end scopes.
#[derive(Clone, Copy, Debug)]
pub struct Scopes {
    /// The bytes of a variable are undefined where its scope begins.
    pub undefined: bool,
    /// The number of the function's first op, which the others follow.
    pub first_op: u32,
}

/// Data that compiled code shares with its caller.
#[repr(C)]
pub(crate) struct Context {
    /// Instructions of the path.
    pub(crate) instructions: u64,
    /// Number of instructions at which a jump backwards leaves.
    pub(crate) stop: u64,
    pub(crate) registers: *mut Reg,
    /// The bytes of all coverage slots.
    pub(crate) marks: *const u8,
    pub(crate) windows: *mut Entry,
    /// The value that a function has read.
    pub(crate) value: u64,
    pub(crate) memory: *mut AddressSpace,
    pub(crate) kept: *mut Windows,
}

/// Offsets of the fields of the context.
pub(crate) mod field {
    use super::Context;
    use std::mem::offset_of;

    pub(crate) const INSTRUCTIONS: i32 = offset_of!(Context, instructions) as i32;
    pub(crate) const STOP: i32 = offset_of!(Context, stop) as i32;
    pub(crate) const REGISTERS: i32 = offset_of!(Context, registers) as i32;
    pub(crate) const MARKS: i32 = offset_of!(Context, marks) as i32;
    pub(crate) const WINDOWS: i32 = offset_of!(Context, windows) as i32;
    pub(crate) const VALUE: i32 = offset_of!(Context, value) as i32;
}

/// The windows of the state that runs, by address.
pub(crate) struct Windows {
    pub(crate) entries: Box<[Entry; 1 << WINDOWS_BITS]>,
    /// The entries that were filled.
    used: Vec<u16>,
    is_used: Box<[bool; 1 << WINDOWS_BITS]>,
    /// [`changes`] when the entries were right.
    seen: u64,
}

impl Default for Windows {
    fn default() -> Windows {
        Windows {
            entries: Box::new([Entry::default(); 1 << WINDOWS_BITS]),
            used: Vec::new(),
            is_used: Box::new([false; 1 << WINDOWS_BITS]),
            seen: 0,
        }
    }
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

    /// Drops the windows of an object that has ended or begins anew, which counts as one change.
    fn ended(&mut self, address: u64, size: u64) {
        if size > MOST_DROPPED || self.seen.wrapping_add(1) != changes() {
            return self.refresh();
        }
        for page in 0..size.div_ceil(PAGE as u64) {
            let entry = &mut self.entries[Windows::place(address + page * PAGE as u64)];
            (entry.read, entry.write) = ([0; 4], [0; 4]);
        }
        self.seen = changes();
    }

    fn place(address: u64) -> usize {
        let sum = (address >> ENTRY_SHIFTS[0]).wrapping_add(address >> ENTRY_SHIFTS[1]);
        (sum % (1 << WINDOWS_BITS)) as usize
    }

    /// Keeps the window around an address, for reads or for both.
    fn keep(&mut self, address: u64, window: Window, write: bool) {
        self.refresh();
        let i = Windows::place(address);
        let limit = |k: u32| (window.len + 1).saturating_sub(1 << k) as u16;
        let limits = [limit(0), limit(1), limit(2), limit(3)];
        if !std::mem::replace(&mut self.is_used[i], true) {
            self.used.push(i as u16);
        }
        self.entries[i] = Entry {
            start: window.start,
            delta: (window.bytes as u64).wrapping_sub(window.start),
            read: limits,
            write: if write { limits } else { [0; 4] },
        };
    }
}

/// The scope of the variable at an address begins or ends: the place of the op is `op`, and `begins` says if it begins, and then
/// if its bytes are undefined (2) or not (1). Returns 1.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn scope(context: *mut Context, address: u64, op: u64, begins: u64) -> u64 {
    // SAFETY: as in `load`.
    let (memory, kept) = unsafe { (&mut *(*context).memory, &mut *(*context).kept) };
    kept.refresh();
    let size = memory.object(address).map_or(0, |object| object.size);
    match begins {
        0 => memory.end_scope(address, op as u32),
        undefined => memory.begin_scope(address, undefined == 2),
    }
    kept.ended(address, size);
    1
}

/// Returns 1 if two addresses are of one object.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn same_object(context: *mut Context, a: u64, b: u64) -> u64 {
    // SAFETY: as in `load`.
    let memory = unsafe { &*(*context).memory };
    let base = |address| memory.object(address).map(|object| object.base);
    base(a).is_some_and(|start| base(b) == Some(start)).into()
}

/// Returns 1 if a pointer that is moved from one address to another in another slot is a plain value: it stays in its object, or
/// there is none.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn moved(context: *mut Context, from: u64, to: u64) -> u64 {
    // SAFETY: as in `load`.
    let memory = unsafe { &*(*context).memory };
    let base = |address| memory.object(address).map(|object| object.base);
    base(from).is_none_or(|start| base(to) == Some(start)).into()
}

/// Reads `n` bytes into [`Context::value`]. Returns 1 if they are known and defined and in one page.
///
/// # Safety
/// `context` is the one that the caller was called with, whose pointers are valid.
pub(crate) unsafe extern "C" fn load(context: *mut Context, address: u64, n: u64) -> u64 {
    // SAFETY: the caller of compiled code has exclusive access to all that the context points to, and is waiting.
    let (context, memory, kept) = unsafe { (&mut *context, &mut *(*context).memory, &mut *(*context).kept) };
    let Some(value) = memory.load_known(address, n as usize) else { return 0 };
    context.value = value;
    if let Some(window) = memory.window(address, false) {
        kept.keep(address, window, false);
    }
    1
}

/// Writes `n` bytes. Returns 1 if they are in one page of an object that may be written; else nothing is written.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn store(context: *mut Context, address: u64, n: u64, value: u64) -> u64 {
    // SAFETY: as in `load`.
    let (memory, kept) = unsafe { (&mut *(*context).memory, &mut *(*context).kept) };
    let stored = memory.store_known(address, n as usize, value);
    // The store may have moved the page.
    kept.refresh();
    if stored.is_none() {
        return 0;
    }
    if let Some(window) = memory.window(address, true) {
        kept.keep(address, window, true);
    }
    1
}

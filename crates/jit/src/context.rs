//! Data that compiled code shares with its caller, and the functions that it calls.

use cleave_memory::{AddressSpace, Birth, Kind, Reg};

use crate::counts::{Counts, Sites};
use crate::shape::MOST_RESULTS;
use crate::windows::{Entry, Windows};

/// The place that compiled code returns if it has returned to its caller in the program.
pub(crate) const RETURNED: u32 = u32::MAX;
/// Registers in front of those of a function that compiled code has called: its [`Header`].
pub(crate) const HEADER: usize = size_of::<Header>() / size_of::<Reg>();
/// Longest run of bytes in bytes that is copied or filled here.
const MOST_COPIED: u64 = 1 << 16;

/// Facts of a frame that compiled code has made, in front of its registers.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Header {
    pub(crate) id: u64,
    pub(crate) stack_mark: u64,
    /// Bytes of the program's stack that the frame takes.
    pub(crate) weight: u64,
    unused: u64,
}

/// Offsets of the fields of a header from the frame's first register.
pub(crate) mod header {
    use super::Header;
    use std::mem::offset_of;

    const SIZE: i32 = size_of::<Header>() as i32;
    pub(crate) const ID: i32 = offset_of!(Header, id) as i32 - SIZE;
    pub(crate) const STACK_MARK: i32 = offset_of!(Header, stack_mark) as i32 - SIZE;
    pub(crate) const WEIGHT: i32 = offset_of!(Header, weight) as i32 - SIZE;
}

/// A frame that compiled code has made and not ended when it left, with the place where it left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftFrame {
    pub(crate) registers: *const Reg,
    pub(crate) func: u32,
    pub(crate) pc: u32,
}

/// Data that compiled code shares with its caller.
#[repr(C)]
pub(crate) struct Context<'a> {
    /// Instructions of the path.
    pub(crate) instructions: u64,
    /// Number of instructions at which a jump, a call or a return leaves.
    pub(crate) stop: u64,
    /// The registers of the function that was entered.
    pub(crate) outer: *mut Reg,
    /// The bytes of all coverage slots.
    pub(crate) marks: *const u8,
    pub(crate) windows: *mut Entry,
    /// The value that a function has read; the place of the return behind which [`RETURNED`] was returned.
    pub(crate) value: u64,
    /// The next frame's header, and the end of the room for frames.
    pub(crate) top: *mut Reg,
    pub(crate) end: *mut Reg,
    /// Bytes of the program's stack in use, and the most that may be.
    pub(crate) stack_bytes: u64,
    pub(crate) stack_limit: u64,
    /// The number of the next frame.
    pub(crate) next_frame: u64,
    /// The end of the stack's objects.
    pub(crate) stack_mark: u64,
    /// Weight of the frame that was entered.
    pub(crate) weight: u64,
    /// The slots of the object to which a pointer was last moved out of its slot: their first address, and their size in bytes.
    pub(crate) far_start: u64,
    pub(crate) far_size: u64,
    /// Not 0 if code left because of the limit.
    pub(crate) is_at_limit: u64,
    pub(crate) results: [u64; MOST_RESULTS],
    pub(crate) memory: *mut AddressSpace,
    pub(crate) kept: *mut Windows,
    pub(crate) left: *mut Vec<LeftFrame>,
    /// The number of visits to each op, if visits are counted.
    pub(crate) visits: *mut u32,
    pub(crate) counting: Option<Counts<'a>>,
    pub(crate) sites: *mut Sites,
}

/// Offsets of the fields of the context.
pub(crate) mod field {
    use super::Context;
    use std::mem::offset_of;

    pub(crate) const INSTRUCTIONS: i32 = offset_of!(Context<'_>, instructions) as i32;
    pub(crate) const STOP: i32 = offset_of!(Context<'_>, stop) as i32;
    pub(crate) const OUTER: i32 = offset_of!(Context<'_>, outer) as i32;
    pub(crate) const MARKS: i32 = offset_of!(Context<'_>, marks) as i32;
    pub(crate) const WINDOWS: i32 = offset_of!(Context<'_>, windows) as i32;
    pub(crate) const VALUE: i32 = offset_of!(Context<'_>, value) as i32;
    pub(crate) const TOP: i32 = offset_of!(Context<'_>, top) as i32;
    pub(crate) const END: i32 = offset_of!(Context<'_>, end) as i32;
    pub(crate) const STACK_BYTES: i32 = offset_of!(Context<'_>, stack_bytes) as i32;
    pub(crate) const STACK_LIMIT: i32 = offset_of!(Context<'_>, stack_limit) as i32;
    pub(crate) const NEXT_FRAME: i32 = offset_of!(Context<'_>, next_frame) as i32;
    pub(crate) const STACK_MARK: i32 = offset_of!(Context<'_>, stack_mark) as i32;
    pub(crate) const FAR_START: i32 = offset_of!(Context<'_>, far_start) as i32;
    pub(crate) const FAR_SIZE: i32 = offset_of!(Context<'_>, far_size) as i32;
    pub(crate) const VISITS: i32 = offset_of!(Context<'_>, visits) as i32;
    pub(crate) const IS_AT_LIMIT: i32 = offset_of!(Context<'_>, is_at_limit) as i32;
    pub(crate) const RESULTS: i32 = offset_of!(Context<'_>, results) as i32;
}

impl Context<'_> {
    /// To be called when an object ends.
    fn objects_end(&mut self) {
        self.far_size = 0;
        // SAFETY: the caller of compiled code has exclusive access to them, and is waiting.
        unsafe { (*self.sites).clear() };
    }

    /// The weight of the frame with these registers.
    ///
    /// # Safety
    /// They are those of the frame that was entered, or of one that compiled code has made.
    unsafe fn weight_of(&mut self, registers: *mut Reg) -> &mut u64 {
        if registers == self.outer {
            return &mut self.weight;
        }
        // SAFETY: compiled code has made the frame, with a header in front of its registers.
        unsafe { &mut (*registers.cast::<Header>().sub(1)).weight }
    }
}

/// The scope of the variable at an address begins or ends: the place of the op is `op`, and `begins` says if it begins, and then
/// if its bytes are undefined (2) or not (1). Returns 1.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn scope(context: *mut Context<'_>, address: u64, op: u64, begins: u64) -> u64 {
    // SAFETY: as in `load`.
    let (context, memory, kept) = unsafe { (&mut *context, &mut *(*context).memory, &mut *(*context).kept) };
    kept.settle(memory);
    let size = memory.object(address).map_or(0, |object| object.size);
    kept.end(&[(address, size)], || match begins {
        0 => memory.end_scope(address, op as u32),
        undefined => memory.begin_scope(address, undefined == 2),
    });
    context.objects_end();
    1
}

/// Returns 1 if two addresses are of one object.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn same_object(context: *mut Context<'_>, a: u64, b: u64) -> u64 {
    // SAFETY: as in `load`.
    let (context, memory) = unsafe { (&mut *context, &*(*context).memory) };
    let (Some(first), Some(second)) = (memory.object(a), memory.object(b)) else { return 0 };
    if first.base != second.base {
        return 0;
    }
    (context.far_start, context.far_size) = (first.base, first.size);
    1
}

/// Returns 1 if a pointer that is moved from one address to another in another slot is a plain value: it stays in its object, or
/// there is none.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn moved(context: *mut Context<'_>, from: u64, to: u64) -> u64 {
    // SAFETY: as in `load`.
    let none = unsafe { (*(*context).memory).object(from).is_none() };
    // SAFETY: this function's caller has kept its contract, which is the same.
    if none { 1 } else { unsafe { same_object(context, from, to) } }
}

/// Reads `n` bytes into [`Context::value`]. Returns 1 if they are known and defined and in one page.
///
/// # Safety
/// `context` is the one that the caller was called with, whose pointers are valid.
pub(crate) unsafe extern "C" fn load(context: *mut Context<'_>, address: u64, n: u64) -> u64 {
    // SAFETY: the caller of compiled code has exclusive access to all that the context points to, and is waiting.
    let (context, memory, kept) = unsafe { (&mut *context, &mut *(*context).memory, &mut *(*context).kept) };
    if let Some(bytes) = kept.find(address, n, false) {
        let mut value = [0u8; 8];
        // SAFETY: the window has these bytes, and `n` is at most 8.
        unsafe { std::ptr::copy_nonoverlapping(bytes, value.as_mut_ptr(), n as usize) };
        context.value = u64::from_le_bytes(value);
        return 1;
    }
    kept.settle(memory);
    let Some(value) = memory.load_known(address, n as usize) else { return 0 };
    context.value = value;
    kept.keep(memory, address, false);
    1
}

/// Writes `n` bytes. Returns 1 if they are in one page of an object that may be written; else nothing is written.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn store(context: *mut Context<'_>, address: u64, n: u64, value: u64) -> u64 {
    // SAFETY: as in `load`.
    let (memory, kept) = unsafe { (&mut *(*context).memory, &mut *(*context).kept) };
    if let Some(bytes) = kept.find(address, n, true) {
        // SAFETY: the window has these bytes, and `n` is at most 8.
        unsafe { std::ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), bytes, n as usize) };
        return 1;
    }
    if kept.append(address, n, value) {
        return 1;
    }
    kept.settle(memory);
    if memory.store_known(address, n as usize, value).is_none() {
        return 0;
    }
    // The store may have moved the page; the window is looked for behind that.
    kept.keep(memory, address, true);
    1
}

/// Copies `n` bytes; with `apart` they may not overlap, unless both places are the same. Returns 1 if they are plain and the places
/// are accessible; else nothing is written.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn copy(
    context: *mut Context<'_>,
    to: u64,
    from: u64,
    n: u64,
    apart: u64,
) -> u64 {
    // SAFETY: as in `load`.
    let (memory, kept) = unsafe { (&mut *(*context).memory, &mut *(*context).kept) };
    if n == 0 {
        return 1;
    }
    if n > MOST_COPIED || (apart != 0 && to != from && to.abs_diff(from) < n) {
        return 0;
    }
    if let (Some(source), Some(target)) = (kept.find(from, n, false), kept.find(to, n, true)) {
        // SAFETY: the windows have these bytes, and `copy` lets them overlap.
        unsafe { std::ptr::copy(source, target, n as usize) };
        return 1;
    }
    kept.settle(memory);
    if memory.copy_plain(to, from, n).is_none() {
        return 0;
    }
    kept.keep(memory, from, false);
    kept.keep(memory, to, true);
    1
}

/// Writes a byte `n` times. Returns 1 if the place may be written; else nothing is written.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn fill(context: *mut Context<'_>, to: u64, byte: u64, n: u64) -> u64 {
    // SAFETY: as in `load`.
    let (memory, kept) = unsafe { (&mut *(*context).memory, &mut *(*context).kept) };
    if n == 0 {
        return 1;
    }
    if n > MOST_COPIED {
        return 0;
    }
    if let Some(target) = kept.find(to, n, true) {
        // SAFETY: the window has these bytes.
        unsafe { std::ptr::write_bytes(target, byte as u8, n as usize) };
        return 1;
    }
    kept.settle(memory);
    if memory.fill_plain(to, byte as u8, n).is_none() {
        return 0;
    }
    kept.keep(memory, to, true);
    1
}

/// A new object of the stack for the frame with these registers; its address, or 0 if none is made. The low half of `how` is its
/// alignment, its upper half is not 0 if its bytes are undefined; `op` is the place of the op.
///
/// # Safety
/// As [`load`], and the registers are those of a frame of the context.
pub(crate) unsafe extern "C" fn alloca(
    context: *mut Context<'_>,
    registers: *mut Reg,
    size: u64,
    how: u64,
    op: u64,
) -> u64 {
    // SAFETY: as in `load`.
    let (context, memory) = unsafe { (&mut *context, &mut *(*context).memory) };
    if size > context.stack_limit || context.stack_bytes + size > context.stack_limit {
        return 0;
    }
    let birth = Birth { place: op as u32, undefined: how >> 32 != 0, allocator: 0 };
    let made = memory.allocate_stack_born(size, how & u64::from(u32::MAX), Kind::Stack, birth);
    let Some(address) = made else { return 0 };
    // SAFETY: the caller says so.
    unsafe { *context.weight_of(registers) += size };
    context.stack_bytes += size;
    context.stack_mark = memory.stack_mark();
    address
}

/// Ends the objects of the stack of a frame that compiled code has made; `op` is the place of its return. Returns 1.
///
/// # Safety
/// As [`load`], and the registers are those of such a frame.
pub(crate) unsafe extern "C" fn release(context: *mut Context<'_>, registers: *mut Reg, op: u64) -> u64 {
    // SAFETY: as in `load`; the frame has a header in front of its registers.
    let (context, memory, kept, header) = unsafe {
        let header = *registers.cast::<Header>().sub(1);
        (&mut *context, &mut *(*context).memory, &mut *(*context).kept, header)
    };
    if context.stack_mark != header.stack_mark {
        kept.settle(memory);
        let objects = memory.stack_objects_since(header.stack_mark);
        kept.end(&objects, || memory.release_stack(header.stack_mark, op as u32));
        context.stack_mark = memory.stack_mark();
        context.objects_end();
    }
    1
}

/// Keeps a frame that compiled code has made and now leaves: the upper half of `place` is its function, the lower half the op.
///
/// # Safety
/// As [`load`].
pub(crate) unsafe extern "C" fn leaves_frame(
    context: *mut Context<'_>,
    registers: *const Reg,
    place: u64,
) -> u64 {
    // SAFETY: as in `load`.
    let left = unsafe { &mut *(*context).left };
    left.push(LeftFrame { registers, func: (place >> 32) as u32, pc: place as u32 });
    1
}

/// Makes registers known zeros.
///
/// # Safety
/// There are `n` registers, which nobody else uses.
pub(crate) unsafe extern "C" fn zeros(_: *mut Context<'_>, registers: *mut Reg, n: u64) -> u64 {
    // SAFETY: the caller says so; a known zero is all zeros.
    unsafe { std::ptr::write_bytes(registers, 0, n as usize) };
    1
}

//! Places of functions, globals, heap and stack in the address space of a program under test.
//!
//! Every object has slots of its own, 1 MiB each (16 KiB where addresses have 32 bits), so the object of an address is found by
//! a shift and a table, and the space between two objects belongs to nobody. Addresses are functions of the program and the
//! path alone.

use serde::{Deserialize, Serialize};

/// An object starts this many bytes into its first slot, so that a small underflow stays in the object's slot.
pub const GUARD: u64 = 4096;
/// The address of function 0; function `i` is at `FUNCTION_BASE + i * FUNCTION_STRIDE`.
pub const FUNCTION_BASE: u64 = 1 << 20;
/// Bytes between the addresses of two functions.
pub const FUNCTION_STRIDE: u64 = 16;
/// The first value of a block address constant (`&&label`); never dereferenced.
pub const BLOCK_BASE: u64 = 8 << 20;
/// The slots of globals start at this address.
pub const GLOBAL_BASE: u64 = 16 << 20;
/// This bit of an address says that it belongs to the stack.
pub const STACK_BIT: u32 = 46;
/// Addresses of frames as `__builtin_frame_address` returns them, at the end of the stack's addresses. No object is there.
pub const FRAMES: std::ops::Range<u64> = (1 << 47) - (1 << 40)..(1 << 47) - (1 << 39);
/// Bytes between two frames.
pub const FRAME_STRIDE: u64 = 64;
/// Distance of the frames of two threads, in bits of address.
pub const FRAMES_STRIDE_BITS: u32 = 30;
/// Addresses that `__builtin_return_address` returns for places in functions lie behind the frames. The op's number has this many
/// low bits; the function's number is above them.
pub const RETURN_PLACE_BITS: u32 = 19;

/// The first address of the stack's slots.
const STACK_BASE: u64 = 1 << STACK_BIT;
/// The stacks of two threads start this many bits of address apart.
const STACK_STRIDE_BITS: u32 = 41;
/// On i386, where the stacks of other threads than the first begin, counted from the start of the first.
const OTHER_STACKS: u64 = 3 << 29;
/// As [`STACK_STRIDE_BITS`], of these.
const OTHER_STRIDE_BITS: u32 = 26;

/// Offset of an object with this alignment, at most [`Target::most_align`], in its first slot: at least a guard lies before it.
pub const fn start_in_slot(align: u64) -> u64 {
    if align > GUARD { align } else { GUARD }
}

/// The machine that a program is for. Registers of the engine are those of a machine of 64 bits: a pointer of 32 has the upper
/// half zero there, and four bytes in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// x86-64.
    #[default]
    X86_64,
    /// i386: pointers and `long` of 32 bits.
    I386,
}

impl Target {
    /// Bytes of a pointer in memory.
    pub const fn pointer_bytes(self) -> u64 {
        match self {
            Target::X86_64 => 8,
            Target::I386 => 4,
        }
    }

    /// An address of a slot has this many low bits. With slots of 1 MiB, 32 bits would have addresses for some 2,000 objects.
    #[inline(always)]
    pub const fn slot_bits(self) -> u32 {
        match self {
            Target::X86_64 => 20,
            Target::I386 => 14,
        }
    }

    /// Bytes in a slot.
    #[inline(always)]
    pub const fn slot_size(self) -> u64 {
        1 << self.slot_bits()
    }

    /// The slots that an object of `size` bytes at this address takes, with a guard behind it.
    #[inline(always)]
    pub const fn slots_of(self, address: u64, size: u64) -> u64 {
        let start = address % self.slot_size();
        size.saturating_add(start + GUARD).div_ceil(self.slot_size())
    }

    /// The first slot of a global.
    pub const fn first_global_slot(self) -> u64 {
        GLOBAL_BASE >> self.slot_bits()
    }

    /// No object has a larger alignment.
    pub const fn most_align(self) -> u64 {
        self.slot_size() / 2
    }

    /// The first address of the stack's slots. All addresses of i386 fit in 32 bits, half of them for the stack.
    #[inline(always)]
    pub const fn stack_base(self) -> u64 {
        match self {
            Target::X86_64 => STACK_BASE,
            Target::I386 => 1 << 31,
        }
    }

    /// The start of a thread's stack in bytes, counted from [`Target::stack_base`]. The first thread of a program has number 0.
    pub const fn stack_start(self, number: u64) -> u64 {
        match (self, number) {
            (_, 0) => 0,
            (Target::X86_64, _) => number << STACK_STRIDE_BITS,
            (Target::I386, _) => OTHER_STACKS + ((number - 1) << OTHER_STRIDE_BITS),
        }
    }

    /// The number of the stack that has the byte so far behind [`Target::stack_base`].
    pub const fn stack_at(self, offset: u64) -> u64 {
        match self {
            Target::X86_64 => offset >> STACK_STRIDE_BITS,
            Target::I386 if offset < OTHER_STACKS => 0,
            Target::I386 => 1 + ((offset - OTHER_STACKS) >> OTHER_STRIDE_BITS),
        }
    }

    /// The number of stacks for which there are addresses.
    pub const fn most_stacks(self) -> u64 {
        match self {
            Target::X86_64 => 1 << 20,
            Target::I386 => 1 + (((1 << 31) - OTHER_STACKS) >> OTHER_STRIDE_BITS),
        }
    }

    /// The first slot that a stack does not reach, counted from its start.
    pub const fn stack_slots(self, number: u64) -> u64 {
        (self.stack_start(number + 1) - self.stack_start(number)) >> self.slot_bits()
    }

    /// Offset of errno from the thread pointer, in bytes; runtime/musl/init_tls.c checks it.
    pub const fn errno_offset(self) -> u64 {
        match self {
            Target::X86_64 => 52,
            Target::I386 => 28,
        }
    }
}

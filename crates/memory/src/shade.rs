//! Facts of bytes in memory beside their values: their undefined bits, and the object that a pointer was made from.

use std::num::NonZeroU32;

/// The bit of a handle for the object that a pointer was made from; a handle without it is for undefined bits.
const BASE: u32 = 1 << 31;

/// A handle to undefined bits and their origin, or to the object that a pointer was made from. The engine knows its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Shade(NonZeroU32);

impl Shade {
    /// The handle as a number that is not zero.
    #[inline(always)]
    pub fn to_raw(self) -> u32 {
        self.0.get()
    }

    /// The handle of this number; `None` for zero.
    #[inline(always)]
    pub fn from_raw(raw: u32) -> Option<Shade> {
        NonZeroU32::new(raw).map(Shade)
    }

    /// The handle of the same number for the object that a pointer was made from.
    #[must_use]
    pub fn as_base(self) -> Shade {
        Shade(self.0 | BASE)
    }

    /// True if it stands for the object that a pointer was made from: then all bits are defined.
    #[inline(always)]
    pub fn is_base(self) -> bool {
        self.0.get() & BASE != 0
    }

    /// The number of the handle, the same for both kinds.
    pub fn number(self) -> u32 {
        self.0.get() & !BASE
    }
}

/// The undefined bits of a byte in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shadow {
    /// None.
    #[default]
    Defined,
    /// All, since the object was made.
    Fresh,
    /// Some: it was copied from elsewhere, or written in part. Or none, and it is a byte of a pointer that was made from
    /// another object than its value tells: see [`Shade::is_base`].
    Shaded(Shade),
}

//! What memory knows of bytes whose bits are not all defined.

use std::num::NonZeroU32;

/// A handle to undefined bits and where they come from; whoever runs the program knows what it stands for.
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
}

/// How much of a byte in memory is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shadow {
    /// All of it.
    #[default]
    Defined,
    /// Nothing, since the object is there.
    Fresh,
    /// Not all: it was copied from elsewhere, or written in part.
    Shaded(Shade),
}

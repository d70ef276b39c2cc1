//! The parts of conditions over a box: their terms in order, operands first. `boxes`, `contract`, `forms` and `slopes` share
//! them.

use crate::domains::interval::Interval;
use crate::store::term::Term;

/// Bounds of a word, as a floating-point number or as an unsigned integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// As a floating-point number.
    Number(Interval),
    /// As an unsigned integer, from the first to the second inclusive; the second is not less.
    Integer(u128, u128),
}

/// The way in which a part is computed from others.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Leaf(usize),
    Known(Bound),
    /// Bits of a number that is a leaf: the leaf, the lowest bit and the number of bits.
    Bits(usize, u8, u8),
    /// Nothing is known of the part.
    Any,
    Of([usize; 3]),
}

/// A part of a condition: a term, true if it is used as a number, and its step.
pub(crate) type Part = (Term, bool, Step);

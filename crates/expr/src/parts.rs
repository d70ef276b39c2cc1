//! Conditions taken apart: which terms they are made of, and how.

use crate::interval::Interval;
use crate::term::Term;

/// What a word may be: a number between two, or an integer without a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// As a floating-point number.
    Number(Interval),
    /// As an unsigned integer, from the first to the second; the second is not less.
    Integer(u128, u128),
}

/// How a part is made of others.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Leaf(usize),
    Known(Bound),
    /// Some bits of a number that is a leaf: the lowest, and how many.
    Bits(usize, u8, u8),
    /// Nothing is known of it.
    Any,
    Of([usize; 3]),
}

/// A part of a condition: a term, whether it is a number there, and how it is made.
pub(crate) type Part = (Term, bool, Step);

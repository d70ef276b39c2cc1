//! The depth of nested reads at unknown places in a term: the types that `nested` returns.

use crate::store::term::Term;

/// Choices by a place within the place of another choice: `d[d[d[i]]]` has three of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nesting {
    /// Depth of nested choices.
    pub depth: u16,
    /// Number of places that the choice at the top of the term compares; 0 if there is none.
    pub(crate) compared: u64,
}

/// The place on which the innermost of nested choices depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Innermost {
    /// The place of the choice, or a part of it.
    pub place: Term,
    /// The constant with which a part is compared, if it is the same for each place.
    pub only: Option<u64>,
    /// Number of places that the choice is among.
    pub places: u64,
}

//! How deep reads at unknown places lie one within the other in a term: the measure.

use crate::term::Term;

/// Choices by a place within the place of another choice: in what `d[d[d[i]]]` reads there are three of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nesting {
    /// So many choices lie one within the other.
    pub depth: u16,
    /// So many places the outermost choice compares, of those that the term begins with.
    pub(crate) compared: u64,
}

/// The term on which the innermost of such choices depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Innermost {
    /// Its place, or a part of that.
    pub place: Term,
    /// Of a part that is compared with the same constant for each place, this constant.
    pub only: Option<u64>,
    /// Number of places that the choice is among.
    pub places: u64,
}

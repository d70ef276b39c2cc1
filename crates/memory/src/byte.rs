//! A byte of memory, of a file or of a stream.

use cleave_expr::{Term, Terms};

/// A byte: known, or an 8-bit term over the inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Byte {
    /// Its value is the same for every input.
    Known(u8),
    /// It depends on the input.
    Symbolic(Term),
}

impl Byte {
    /// The byte as an 8-bit term.
    pub fn term(self, terms: &mut Terms) -> Term {
        match self {
            Byte::Known(v) => terms.constant_of(8, v as u128),
            Byte::Symbolic(t) => t,
        }
    }

    /// The byte that an 8-bit term stands for.
    pub fn from_term(terms: &Terms, t: Term) -> Byte {
        match terms.constant64(t) {
            Some(v) => Byte::Known(v as u8),
            None => Byte::Symbolic(t),
        }
    }
}

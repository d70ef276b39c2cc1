//! A byte of memory, of a file or of a stream.

use cleave_expr::{Node, Term, Terms};

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
            Byte::Symbolic(t) => terms.simple(t),
        }
    }

    /// The bytes of a term whose width is a multiple of 8 bits, lowest first. They remember what they are parts
    /// of, so that [`Byte::word`] gives the same term back.
    pub fn of_word(terms: &mut Terms, word: Term) -> Vec<Byte> {
        let n = terms.width(word) as u32 / 8;
        let mut byte = |i: u32| {
            let simple = terms.extract(word, 8 * i, 8);
            match terms.constant64(simple) {
                Some(v) => Byte::Known(v as u8),
                None => Byte::Symbolic(terms.part(word, 8 * i, 8)),
            }
        };
        (0..n).map(&mut byte).collect()
    }

    /// The term that bytes make up, lowest first; at least one byte and at most 16.
    pub fn word(terms: &mut Terms, bytes: &[Byte]) -> Term {
        if let Some(whole) = Byte::parts_of_one(terms, bytes) {
            return whole;
        }
        let mut parts = bytes.iter();
        let mut t = match parts.next() {
            Some(byte) => byte.term(terms),
            None => terms.constant_of(8, 0),
        };
        for byte in parts {
            let high = byte.term(terms);
            t = terms.concat(high, t);
        }
        t
    }

    /// The term whose lowest bytes these are.
    fn parts_of_one(terms: &mut Terms, bytes: &[Byte]) -> Option<Term> {
        let first = bytes.iter().enumerate().find_map(|(i, b)| match b {
            Byte::Symbolic(t) => Some((i as u32, *t)),
            Byte::Known(_) => None,
        })?;
        let Node::Extract(word, low) = terms.node(first.1) else { return None };
        let n = bytes.len() as u32;
        if low != 8 * first.0 || (terms.width(word) as u32) < 8 * n {
            return None;
        }
        for (i, byte) in (0..n).zip(bytes) {
            let same = match *byte {
                Byte::Symbolic(t) => terms.node(t) == Node::Extract(word, 8 * i),
                Byte::Known(v) => {
                    let simple = terms.extract(word, 8 * i, 8);
                    terms.constant64(simple) == Some(v as u64)
                }
            };
            if !same {
                return None;
            }
        }
        Some(terms.extract(word, 0, 8 * n as u8))
    }

    /// The byte that an 8-bit term stands for.
    pub fn from_term(terms: &Terms, t: Term) -> Byte {
        match terms.constant64(t) {
            Some(v) => Byte::Known(v as u8),
            None => Byte::Symbolic(t),
        }
    }
}

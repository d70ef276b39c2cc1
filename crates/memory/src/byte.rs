//! A byte of memory, of a file or of a stream, and a register.

use cleave_expr::{Node, Term, Terms};
use smallvec::SmallVec;

use crate::shade::Shade;

/// The bytes of a value, lowest first: those of 128 bits and less need no allocation.
pub type Word = SmallVec<[Byte; 16]>;

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

    /// The bytes of a term whose width is a multiple of 8 bits, lowest first. They remember the term that they are parts of, so
    /// that [`Byte::word`] gives the same term back.
    pub fn of_word(terms: &mut Terms, word: Term) -> Word {
        let n = terms.width(word) as u32 / 8;
        if let Some(value) = terms.constant(word) {
            return value.to_le_bytes().iter().take(n as usize).map(|&v| Byte::Known(v)).collect();
        }
        let mut byte = |i: u32| {
            let simple = terms.extract(word, 8 * i, 8);
            match terms.constant64(simple) {
                Some(v) => Byte::Known(v as u8),
                None => Byte::Symbolic(terms.part(word, 8 * i, 8)),
            }
        };
        (0..n).map(&mut byte).collect()
    }

    /// As [`Byte::of_word`], of a term that is no constant, without a search for constant bytes.
    pub fn parts_of(terms: &mut Terms, word: Term) -> Word {
        let n = terms.width(word) as u32 / 8;
        (0..n).map(|i| Byte::Symbolic(terms.part(word, 8 * i, 8))).collect()
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

/// The contents of a register of the program: a known value, or a term whose value is then not kept here. Some of its bits may be
/// undefined: then it has a shade, and the value or term stands for one of the values that it may have. Compiled code
/// reads and writes it as two words.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Reg {
    /// The value, zero above the register's width; 0 where there is a term.
    pub value: u64,
    /// The term in the low half and the shade in the high half, zero for none: one comparison tells that there is
    /// neither.
    rest: u64,
}

impl Reg {
    /// The known value zero.
    pub const ZERO: Reg = Reg { value: 0, rest: 0 };

    /// A known value.
    #[inline(always)]
    pub fn known(value: u64) -> Reg {
        Reg { value, rest: 0 }
    }

    /// A term.
    #[inline(always)]
    pub fn symbolic(term: Term) -> Reg {
        Reg { value: 0, rest: term.to_raw() as u64 }
    }

    /// True if it has neither a term nor a handle: its value is the same for every input, and has no undefined bits.
    #[inline(always)]
    pub fn is_known(self) -> bool {
        self.rest == 0
    }

    /// Its term.
    #[inline(always)]
    pub fn term(self) -> Option<Term> {
        Term::from_raw(self.rest as u32)
    }

    /// Its undefined bits.
    #[inline(always)]
    pub fn shade(self) -> Option<Shade> {
        self.handle().filter(|handle| !handle.is_base())
    }

    /// The object that a pointer was made from, where its value does not tell.
    #[inline(always)]
    pub fn base(self) -> Option<Shade> {
        self.handle().filter(|handle| handle.is_base())
    }

    /// Its undefined bits, or the object that it was made from.
    #[inline(always)]
    pub fn handle(self) -> Option<Shade> {
        Shade::from_raw((self.rest >> 32) as u32)
    }

    /// The same value with this handle and no other.
    #[inline]
    pub fn with_shade(self, shade: Option<Shade>) -> Reg {
        let shade = shade.map_or(0, Shade::to_raw);
        Reg { value: self.value, rest: self.rest & 0xffff_ffff | (shade as u64) << 32 }
    }
}

impl std::fmt::Debug for Reg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.term() {
            Some(t) => write!(f, "{t:?}")?,
            None => write!(f, "{:#x}", self.value)?,
        }
        self.shade().map_or(Ok(()), |shade| write!(f, " {shade:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_word_give_the_word_back() {
        let mut s = Terms::new();
        let (a, b) = (s.byte(0, 0), s.byte(0, 1));
        let (a, b) = (s.zext(a, 32), s.zext(b, 32));
        let k = s.constant_of(32, 0x0102_0304);
        let product = s.mul(a, b);
        for word in [s.add(product, k), s.xor(product, k), s.sub(k, a), s.ult(a, b)].map(|t| s.zext(t, 64)) {
            let bytes = Byte::of_word(&mut s, word);
            assert_eq!(bytes.len(), 8);
            assert_eq!(Byte::word(&mut s, &bytes), word);
            let low = Byte::word(&mut s, &bytes[..4]);
            assert_eq!(low, s.extract(word, 0, 32));
        }
    }

    #[test]
    fn bytes_of_several_words_and_shifted_ones_are_joined_as_they_stand() {
        let mut s = Terms::new();
        let (a, b) = (s.byte(0, 0), s.byte(0, 1));
        let (a, b) = (s.zext(a, 32), s.zext(b, 32));
        let (sum, product) = (s.add(a, b), s.mul(a, b));
        let (x, y) = (Byte::of_word(&mut s, sum), Byte::of_word(&mut s, product));
        let mixed = [y[1], x[0], x[1], y[0]];
        let word = Byte::word(&mut s, &mixed);
        for input in [[0, 0], [1, 255], [200, 100], [255, 255]] {
            let w = s.witness(&input);
            let (sum, product) = (input[0] as u64 + input[1] as u64, input[0] as u64 * input[1] as u64);
            let bytes = [product >> 8 & 0xff, sum & 0xff, sum >> 8, product & 0xff];
            let expected = bytes.iter().rev().fold(0, |v, b| v << 8 | b);
            assert_eq!(s.eval(word, &w), expected);
        }
    }
}

//! Origins of undefined bits.
//!
//! A register, or a byte of memory, with undefined bits has a *shade*: these bits as a term, and a cause. A handle of the same
//! kind stands for the object that a pointer was made from (`origins.rs`): none of its bits is undefined.

use cleave_expr::{Term, Terms};
use cleave_memory::Shade;
use rustc_hash::FxHashMap;

use crate::states::places::OpPlace;

/// The object to whose address a number adds an offset that depends on no address: its start (`None` for one of several, which the
/// input chooses), its alignment and its size in bytes, the least of several.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Raw {
    pub(crate) start: Option<u64>,
    pub(crate) align: u64,
    pub(crate) size: u64,
}

impl Raw {
    /// One of these two objects, which the input chooses.
    pub(crate) fn one_of(self, other: Raw) -> Raw {
        Raw {
            start: self.start.filter(|_| self.start == other.start),
            align: self.align.min(other.align),
            size: self.size.min(other.size),
        }
    }

    /// True if both are known to be one object.
    pub(crate) fn is_same(self, other: Raw) -> bool {
        self.start.is_some() && self.start == other.start
    }

    /// Bytes from an address in the object to its end, at least, where it is one between these two; 0 if it may be outside of the object.
    pub(crate) fn room(self, (first, last): (u64, u64)) -> u64 {
        match self.start {
            Some(start) if first >= start => self.size.saturating_sub(last - start),
            _ => 0,
        }
    }
}

/// The reason why bits are undefined, or why a defined value has a handle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Why {
    /// A stack object of this many bytes, not yet written; true if the input decides its size, and this is the maximum.
    Stack(u64, bool),
    /// A heap object, with the same.
    Heap(u64, bool),
    /// The upper half of a variable argument that is narrower than the read.
    NarrowArgument,
    /// No bit is undefined: a variable argument of this many bytes begins here.
    Argument(u64),
    /// A stack object of this many bytes, whose scope has ended.
    Scope(u64),
    /// A variable that lives in a register and has no value yet, or a result that a function did not give.
    NoValue,
    /// An argument, by its number from 1, or a result, that is not passed because the call is by another type of function.
    OtherType(Option<u16>),
    /// A shift by the width of the value or more.
    Overshift(u8),
    /// The number of zeros in front of, or behind, the first one bit of 0.
    CountOfZero,
    /// The absolute value of the least number.
    AbsOfLeast,
    /// No bit is undefined: the handle of a pointer that was made from the object that starts at this address.
    Base(Term),
    /// No bit is undefined: the handle of a number that was made of an address, as `addresses.rs` says.
    Address(Option<Raw>),
    /// No bit is undefined: the handle of the distance of two places in different objects, which is at least so many bytes wherever
    /// these lie, in either direction.
    Distance(u64),
    /// No bit is undefined: the handle of a number that depends on no address, less this address.
    Less(Raw),
}

/// A reason and the op that is responsible.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cause {
    pub(crate) why: Why,
    pub(crate) place: OpPlace,
}

/// All shades, each once. They belong to the terms of their engine and die with them.
#[derive(Default)]
pub(crate) struct Shades {
    all: Vec<(Term, Cause)>,
    index: FxHashMap<(Term, Cause), Shade>,
}

impl Shades {
    fn intern(&mut self, bits: Term, cause: Cause) -> Shade {
        let all = &mut self.all;
        *self.index.entry((bits, cause)).or_insert_with(|| {
            all.push((bits, cause));
            Shade::from_raw(all.len() as u32).expect("a list that something was added to is not empty")
        })
    }

    /// A shade; `None` if no bit of it is undefined.
    pub(crate) fn of(&mut self, terms: &Terms, bits: Term, cause: Cause) -> Option<Shade> {
        let none = terms.constant(bits) == Some(0);
        (!none).then(|| self.intern(bits, cause))
    }

    /// A mark on a byte that is wholly defined: the engine sees it when the byte is read.
    pub(crate) fn mark(&mut self, terms: &mut Terms, cause: Cause) -> Shade {
        let none = terms.constant_of(8, 0);
        self.intern(none, cause)
    }

    /// The handle of a pointer that was made from the object at `base`.
    pub(crate) fn base(&mut self, terms: &mut Terms, base: Term) -> Shade {
        self.handle(terms, Cause { why: Why::Base(base), place: OpPlace::default() })
    }

    /// The handle of a value whose bits are all defined.
    pub(crate) fn handle(&mut self, terms: &mut Terms, cause: Cause) -> Shade {
        let none = terms.constant_of(8, 0);
        self.intern(none, cause).as_base()
    }

    /// The address of the object that the handle of a pointer stands for.
    pub(crate) fn base_of(&self, handle: Shade) -> Option<Term> {
        match self.get(handle).1.why {
            Why::Base(base) => Some(base),
            _ => None,
        }
    }

    /// The undefined bits, and their cause.
    pub(crate) fn get(&self, shade: Shade) -> (Term, Cause) {
        self.all[shade.number() as usize - 1]
    }
}

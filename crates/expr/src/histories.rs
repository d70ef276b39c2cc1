//! Where arrays came from that were read at symbolic offsets.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::term::{TableId, Term};

/// Places of an object, `stride` apart from `first` on, and what they hold.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Array {
    pub(crate) first: u64,
    pub(crate) stride: u64,
    pub(crate) values: Rc<[Term]>,
}

impl Array {
    pub(crate) fn places(&self) -> impl DoubleEndedIterator<Item = (u64, Term)> {
        self.values.iter().enumerate().map(|(i, &held)| (self.first + i as u64 * self.stride, held))
    }
}

/// A write of `value` to the place whose number is `to + apart`, modulo the width of `to`. The number of a place is the place
/// without its lowest `shift` bits, which are the same in all places.
#[derive(Clone, Copy)]
pub(crate) struct Write {
    pub(crate) to: Term,
    pub(crate) apart: u64,
    pub(crate) shift: u32,
    pub(crate) value: Term,
}

/// A copy or fill of `length` bytes to the place `start` and those behind it, up to the place `last`.
#[derive(Clone, Copy)]
pub(crate) struct Fill {
    pub(crate) length: Term,
    pub(crate) start: u64,
    pub(crate) last: u64,
}

/// How an array came to hold what it holds. Numbers are of others of [`Histories::all`].
#[derive(Clone)]
pub(crate) enum History {
    /// It was written to; before that it was another.
    Written(Write, u32),
    /// It holds what the one array holds as far as the copy or fill went, and behind it what another holds, which it was before.
    Filled(Fill, u32, u32),
    Known(TableId),
    /// Nothing is known of it but what it holds.
    Unknown(Rc<[Term]>),
}

/// Where arrays that were read at symbolic offsets came from. To find the writes of one is to look at each of its places, and
/// the same one is read many times, on this path and on those beside it.
#[derive(Default)]
pub(crate) struct Histories {
    pub(crate) all: Vec<History>,
    pub(crate) of: FxHashMap<Array, u32>,
    /// Places of all arrays together.
    places: usize,
}

impl Histories {
    /// An estimate of the bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        self.all.capacity() * size_of::<History>()
            + self.of.capacity() * (size_of::<(Array, u32)>() + 1)
            + self.places * size_of::<Term>()
    }

    pub(crate) fn add(&mut self, array: Array, history: History) -> u32 {
        let id = self.all.len() as u32;
        self.places += array.values.len();
        self.all.push(history);
        self.of.insert(array, id);
        id
    }
}

//! Histories of arrays that were read at symbolic offsets. `select` keeps them to turn a read into a choice among writes.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::store::term::{TableId, Term};

/// Places of an object, `stride` apart from `first` on, and their values.
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

/// A write of `value` to the place whose number is `to + apart`, modulo 2^w for the width `w` of `to`. The number of a place is
/// the place without its lowest `shift` bits, which are the same in all places.
#[derive(Clone, Copy)]
pub(crate) struct Write {
    pub(crate) to: Term,
    pub(crate) apart: u64,
    pub(crate) shift: u32,
    pub(crate) value: Term,
}

/// A copy or fill of `length` bytes to the place `start` and the following places, up to the place `last`.
#[derive(Clone, Copy)]
pub(crate) struct Fill {
    pub(crate) length: Term,
    pub(crate) start: u64,
    pub(crate) last: u64,
}

/// The last step by which an array got its values. Numbers are indices of [`Histories::all`].
#[derive(Clone)]
pub(crate) enum History {
    /// A write, and the history before it.
    Written(Write, u32),
    /// A copy or fill, the history of the array that it wrote, and the history before it.
    Filled(Fill, u32, u32),
    Known(TableId),
    /// Nothing is known but the values.
    Unknown(Rc<[Term]>),
}

/// Histories of the arrays that were read at symbolic offsets. They are cached: to find the writes of an array takes a look at
/// each of its places, and the same array is read many times, on this path and on its neighbours.
#[derive(Default)]
pub(crate) struct Histories {
    pub(crate) all: Vec<History>,
    pub(crate) of: FxHashMap<Array, u32>,
    /// Number of places of all arrays together.
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

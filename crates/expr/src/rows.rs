//! Rows of values of some bytes, and columns of what terms are in each.

use rustc_hash::FxHashMap;

use crate::byteset::LANES;
use crate::column::Column;
use crate::term::{ByteId, Term};

/// A column, and whether it was used since columns were last forgotten.
pub(crate) struct Entry {
    pub(crate) column: Column,
    pub(crate) used: bool,
}

/// Rows of values of some bytes, and what terms are in each.
pub struct Table {
    bytes: Vec<ByteId>,
    rows: Vec<u8>,
    pub(crate) columns: FxHashMap<Term, Entry>,
    /// The size of the columns, in bytes.
    size: usize,
}

impl Table {
    /// Rows one after the other, each a value for each of `bytes`, at least one.
    pub fn new(bytes: &[ByteId], rows: Vec<u8>) -> Table {
        Table { bytes: bytes.to_vec(), rows, columns: FxHashMap::default(), size: 0 }
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len() / self.bytes.len().max(1)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The bytes that a row has values of, in their order.
    pub fn bytes(&self) -> &[ByteId] {
        &self.bytes
    }

    /// The values of the bytes in the row at a place.
    pub fn row(&self, place: usize) -> &[u8] {
        let n = self.bytes.len();
        self.rows.get(place * n..(place + 1) * n).unwrap_or(&[])
    }

    /// The size of the columns that are kept, in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Some of its rows.
    pub fn part(&self, places: impl Iterator<Item = usize>) -> Table {
        Table::new(&self.bytes, places.flat_map(|place| self.row(place)).copied().collect())
    }

    /// Forgets the columns that no condition was made of since this was last called: they are made again when one is.
    pub fn forget_unused(&mut self) {
        self.columns.retain(|_, entry| std::mem::take(&mut entry.used));
        self.size = self.columns.values().map(|entry| entry.column.size()).sum();
    }

    pub(crate) fn blocks(&self) -> usize {
        self.len().div_ceil(LANES)
    }

    /// The values of a byte; none if the rows have none for it.
    pub(crate) fn byte(&self, id: ByteId) -> Option<Column> {
        let place = self.bytes.iter().position(|b| *b == id)?;
        let (rows, n) = (&self.rows, self.bytes.len());
        Some(Column::narrow(8, self.blocks(), |block, out| {
            for (lane, o) in out.iter_mut().enumerate() {
                *o = rows.get((block * LANES + lane) * n + place).copied().unwrap_or(0).into();
            }
        }))
    }

    pub(crate) fn keep(&mut self, t: Term, column: Column) {
        self.size += column.size();
        self.columns.insert(t, Entry { column, used: true });
    }
}

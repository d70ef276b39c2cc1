//! Tables of enumerated models: rows of values of some bytes, and cached value vectors of terms in these rows. The solver's lists
//! of models and `domain` use them.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::domains::byteset::{ByteSet, LANES};
use crate::evaluation::column::Column;
use crate::evaluation::lanes::Value;
use crate::evaluation::share::Share;
use crate::store::term::{ByteId, Term};
use crate::store::witness::Witness;

/// A value vector, and true if it was used since the last [`Table::forget_unused`].
pub(crate) struct Entry {
    pub(crate) column: Column,
    pub(crate) used: bool,
}

/// Numbers of a table's rows by their values of some bytes; rows with the same values have the same number.
pub(crate) struct Numbers {
    /// The number of the row that the test is, from 0.
    pub(crate) number: Term,
    /// The number of each row.
    of_rows: Vec<u32>,
    count: usize,
    /// The last argument and result of [`Numbers::rows`].
    rows: RefCell<(Vec<u64>, Rc<[u32]>)>,
}

impl Numbers {
    pub(crate) fn new(number: Term, of_rows: Vec<u32>) -> Numbers {
        let count = of_rows.iter().max().map_or(0, |last| *last as usize + 1);
        Numbers { number, of_rows, count, rows: RefCell::default() }
    }

    /// Number of different numbers.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// For each number, a row with it whose bit is set in `left`; if there is none, a row of another number. Empty if no bit is
    /// set.
    pub(crate) fn rows(&self, left: &[u64]) -> Rc<[u32]> {
        let mut last = self.rows.borrow_mut();
        if last.0 != left {
            let is_left =
                |row: usize| left.get(row / LANES).is_some_and(|block| block >> (row % LANES) & 1 != 0);
            let mut of_numbers = vec![None; self.count];
            for (row, number) in self.of_rows.iter().enumerate().filter(|(row, _)| is_left(*row)) {
                of_numbers[*number as usize] = Some(row as u32);
            }
            let any = of_numbers.iter().find_map(|row| *row);
            let rows = of_numbers.iter().filter_map(|row| row.or(any)).collect();
            *last = (left.to_vec(), rows);
        }
        last.1.clone()
    }
}

/// Rows of values of some bytes, and the value vectors of terms in them.
pub struct Table {
    bytes: Vec<ByteId>,
    rows: Vec<u8>,
    /// The mask of the used bits of each byte: a row stands for all values that equal its own under this mask.
    seen: Vec<u8>,
    pub(crate) columns: FxHashMap<Term, Entry>,
    /// Size of the value vectors, in bytes, which count for the limit of all tables; and that of the rows, if they count too.
    share: Share,
    rows_count: bool,
    /// The table from which the rows were taken, and their places in it; its value vectors are inherited.
    from: Option<(Rc<RefCell<Table>>, Vec<u32>)>,
    /// Cached numbers of the rows by some bytes; `None` if their tables would be too large.
    pub(crate) numbers: FxHashMap<Rc<[ByteId]>, Option<Rc<Numbers>>>,
}

/// Size of a cached value vector, in bytes, with its entry in the map.
fn size_with(column: &Column) -> usize {
    column.size() + size_of::<(Term, Entry)>()
}

impl Table {
    /// A table of consecutive rows; each has a value for each of `bytes`, of which there is at least one.
    pub fn new(bytes: &[ByteId], rows: Vec<u8>) -> Table {
        Table::seen(bytes.to_vec(), rows, vec![u8::MAX; bytes.len()])
    }

    /// As [`Table::new`], with masks of used bits: a row stands for all values of the bytes that equal its own under `seen`.
    pub fn seen(bytes: Vec<ByteId>, rows: Vec<u8>, seen: Vec<u8>) -> Table {
        Table {
            bytes,
            rows,
            seen,
            columns: FxHashMap::default(),
            share: Share::default(),
            rows_count: false,
            from: None,
            numbers: FxHashMap::default(),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len() / self.bytes.len().max(1)
    }

    /// True if it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The bytes of a row, in order.
    pub fn bytes(&self) -> &[ByteId] {
        &self.bytes
    }

    /// The values of the bytes in the row at a place.
    pub fn row(&self, place: usize) -> &[u8] {
        let n = self.bytes.len();
        self.rows.get(place * n..(place + 1) * n).unwrap_or(&[])
    }

    /// Size of the cached value vectors in bytes, and of rows that count.
    pub fn size(&self) -> usize {
        self.share.bytes()
    }

    /// The share of the cached value vectors in the memory of all tables.
    pub(crate) fn share(&mut self) -> &mut Share {
        &mut self.share
    }

    /// A table of some of its rows.
    pub fn part(&self, places: impl Iterator<Item = usize>) -> Table {
        let rows = places.flat_map(|place| self.row(place)).copied().collect();
        Table::seen(self.bytes.clone(), rows, self.seen.clone())
    }

    /// A table of some of a table's rows, which inherits its value vectors.
    pub fn taken_from(table: &Rc<RefCell<Table>>, places: impl Iterator<Item = usize>) -> Table {
        let places: Vec<u32> = places.map(|place| place as u32).collect();
        let part = table.borrow().part(places.iter().map(|place| *place as usize));
        let mut taken = Table { from: Some((table.clone(), places)), ..part };
        if table.borrow().rows_count {
            taken.count_rows();
        }
        taken
    }

    /// Lets the rows count for the limit of all tables: those of a cached list, which its owner drops.
    pub fn count_rows(&mut self) {
        if !self.rows_count {
            self.rows_count = true;
            self.share.set(self.share.bytes() + self.rows.len());
        }
    }

    /// Lets these rows inherit the value vectors of a table: its row `places[i]` has the values of row `i` here, except for bytes
    /// that only these rows have.
    #[must_use]
    pub fn going_on(self, from: &Rc<RefCell<Table>>, places: Vec<u32>) -> Table {
        Table { from: Some((from.clone(), places)), ..self }
    }

    /// The value vector of a term in the table from which the rows were taken, if it has one.
    pub(crate) fn inherited(&self, t: Term) -> Option<Column> {
        let (from, places) = self.from.as_ref()?;
        let mut from = from.borrow_mut();
        if let Some(entry) = from.columns.get_mut(&t) {
            entry.used = true;
            return Some(entry.column.at(places));
        }
        Some(from.inherited(t)?.at(places))
    }

    /// Values of the bytes that a row stands for, each in its set (a set for each byte, in order); the values of `near` if they
    /// fit. `None` if a set has no such value.
    pub fn values(
        &self,
        place: usize,
        sets: &[(ByteId, ByteSet)],
        near: &Witness,
    ) -> Option<Vec<(ByteId, u8)>> {
        let value = |((&bits, &seen), (id, set)): ((&u8, &u8), &(ByteId, ByteSet))| match seen {
            u8::MAX => set.contains(bits).then_some((*id, bits)),
            _ => Some((*id, set.value_with(seen, bits, near.get(*id))?)),
        };
        self.row(place).iter().zip(&self.seen).zip(sets).map(value).collect()
    }

    /// True if a row stands for one of these values of the byte with index `at`.
    pub fn allows(&self, place: usize, at: usize, set: &ByteSet) -> bool {
        let (bits, seen) = (self.row(place).get(at), self.seen.get(at));
        bits.zip(seen).is_some_and(|(&bits, &seen)| match seen {
            u8::MAX => set.contains(bits),
            _ => set.value_with(seen, bits, bits).is_some(),
        })
    }

    /// True if all bits of all bytes are used.
    pub fn sees_all(&self) -> bool {
        self.seen.iter().all(|seen| *seen == u8::MAX)
    }

    /// The mask of the used bits of a byte; `None` if the rows have no values of it.
    pub(crate) fn seen_of(&self, id: ByteId) -> Option<u8> {
        let place = self.bytes.iter().position(|b| *b == id)?;
        self.seen.get(place).copied()
    }

    /// Drops the value vectors that were not used since the last call; they are computed again when needed.
    pub fn forget_unused(&mut self) {
        self.columns.retain(|_, entry| std::mem::take(&mut entry.used));
        self.columns.shrink_to_fit();
        let rows = if self.rows_count { self.rows.len() } else { 0 };
        self.share.set(rows + self.columns.values().map(|entry| size_with(&entry.column)).sum::<usize>());
    }

    /// Releases the table from which value vectors are inherited.
    pub(crate) fn inherit_nothing(&mut self) {
        self.from = None;
    }

    pub(crate) fn blocks(&self) -> usize {
        self.len().div_ceil(LANES)
    }

    /// The values of a byte; `None` if the rows have none for it.
    pub(crate) fn byte(&self, id: ByteId) -> Option<Column> {
        let place = self.bytes.iter().position(|b| *b == id)?;
        let (rows, n) = (&self.rows, self.bytes.len());
        Some(Column::Bytes(rows.iter().skip(place).step_by(n.max(1)).copied().collect()))
    }

    /// Writes the values of a byte in a block of rows; `None` if the rows have none for it.
    pub(crate) fn fill<V: Value>(&self, id: ByteId, block: usize, out: &mut [V; LANES]) -> Option<()> {
        let place = self.bytes.iter().position(|b| *b == id)?;
        let rows = self.rows.get(block * LANES * self.bytes.len()..).unwrap_or(&[]);
        let rows = rows.chunks_exact(self.bytes.len());
        out.iter_mut().zip(rows).for_each(|(o, row)| *o = V::from_wide(row[place].into()));
        Some(())
    }

    pub(crate) fn keep(&mut self, t: Term, column: Column) {
        let size = self.share.bytes() + size_with(&column);
        self.share.set(size);
        self.columns.insert(t, Entry { column, used: true });
    }
}

//! Rows of values of some bytes, and columns of what terms are in each.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::byteset::{ByteSet, LANES};
use crate::column::Column;
use crate::lanes::Value;
use crate::term::{ByteId, Term};
use crate::witness::Witness;

/// A column, and whether it was used since columns were last forgotten.
pub(crate) struct Entry {
    pub(crate) column: Column,
    pub(crate) used: bool,
}

/// Which of a table's rows a test is, as far as some bytes tell.
pub(crate) struct Numbers {
    /// The number, from 0.
    pub(crate) number: Term,
    /// The number of each row.
    of_rows: Vec<u32>,
    count: usize,
    /// What [`Numbers::rows`] said last: the rows that were left, and its answer.
    rows: RefCell<(Vec<u64>, Rc<[u32]>)>,
}

impl Numbers {
    pub(crate) fn new(number: Term, of_rows: Vec<u32>) -> Numbers {
        let count = of_rows.iter().max().map_or(0, |last| *last as usize + 1);
        Numbers { number, of_rows, count, rows: RefCell::default() }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Of each number a row of which a bit is set; where there is none, that of another number. No row, where no bit is set.
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

/// Rows of values of some bytes, and what terms are in each.
pub struct Table {
    bytes: Vec<ByteId>,
    rows: Vec<u8>,
    /// The bits of each byte that tell rows apart: a row stands for all values that have these as it has.
    seen: Vec<u8>,
    pub(crate) columns: FxHashMap<Term, Entry>,
    /// The size of the columns, in bytes.
    size: usize,
    /// The table that its rows were taken from, and where they are there: what is known of terms in that is known here.
    from: Option<(Rc<RefCell<Table>>, Vec<u32>)>,
    /// Which of its rows a test is as far as some bytes tell, once somebody has asked; none where that is too much.
    pub(crate) numbers: FxHashMap<Rc<[ByteId]>, Option<Rc<Numbers>>>,
}

impl Table {
    /// Rows one after the other, each a value for each of `bytes`, at least one.
    pub fn new(bytes: &[ByteId], rows: Vec<u8>) -> Table {
        Table::seen(bytes.to_vec(), rows, vec![u8::MAX; bytes.len()])
    }

    /// The same where rows stand for all values of the bytes that have these bits of each as they have.
    pub fn seen(bytes: Vec<ByteId>, rows: Vec<u8>, seen: Vec<u8>) -> Table {
        Table {
            bytes,
            rows,
            seen,
            columns: FxHashMap::default(),
            size: 0,
            from: None,
            numbers: FxHashMap::default(),
        }
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
        let rows = places.flat_map(|place| self.row(place)).copied().collect();
        Table::seen(self.bytes.clone(), rows, self.seen.clone())
    }

    /// Some of a table's rows, which go on with the columns that it has.
    pub fn taken_from(table: &Rc<RefCell<Table>>, places: impl Iterator<Item = usize>) -> Table {
        let places: Vec<u32> = places.map(|place| place as u32).collect();
        let part = table.borrow().part(places.iter().map(|place| *place as usize));
        Table { from: Some((table.clone(), places)), ..part }
    }

    /// Rows that go on with the columns of a table: the one at `places[i]` has the values there that the `i`-th has here, but for bytes
    /// that only these rows have.
    #[must_use]
    pub fn going_on(self, from: &Rc<RefCell<Table>>, places: Vec<u32>) -> Table {
        Table { from: Some((from.clone(), places)), ..self }
    }

    /// A term's column as the table has it that the rows were taken from.
    pub(crate) fn inherited(&self, t: Term) -> Option<Column> {
        let (from, places) = self.from.as_ref()?;
        let mut from = from.borrow_mut();
        if let Some(entry) = from.columns.get_mut(&t) {
            entry.used = true;
            return Some(entry.column.at(places));
        }
        Some(from.inherited(t)?.at(places))
    }

    /// Values for the bytes that a row stands for, each in its set (one for each byte, in their order); those of `near` where they do.
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

    /// Whether a row stands for one of these values of the byte at `at`, in the order of the bytes.
    pub fn allows(&self, place: usize, at: usize, set: &ByteSet) -> bool {
        let (bits, seen) = (self.row(place).get(at), self.seen.get(at));
        bits.zip(seen).is_some_and(|(&bits, &seen)| match seen {
            u8::MAX => set.contains(bits),
            _ => set.value_with(seen, bits, bits).is_some(),
        })
    }

    /// Whether rows are told apart by all bits of their bytes.
    pub fn sees_all(&self) -> bool {
        self.seen.iter().all(|seen| *seen == u8::MAX)
    }

    /// The bits of a byte that tell rows apart; none if the rows have no values of it.
    pub(crate) fn seen_of(&self, id: ByteId) -> Option<u8> {
        let place = self.bytes.iter().position(|b| *b == id)?;
        self.seen.get(place).copied()
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
        Some(Column::Bytes(rows.iter().skip(place).step_by(n.max(1)).copied().collect()))
    }

    /// The values of a byte in a block of rows; nothing if the rows have none for it.
    pub(crate) fn fill<V: Value>(&self, id: ByteId, block: usize, out: &mut [V; LANES]) -> Option<()> {
        let place = self.bytes.iter().position(|b| *b == id)?;
        let rows = self.rows.get(block * LANES * self.bytes.len()..).unwrap_or(&[]);
        let rows = rows.chunks_exact(self.bytes.len());
        out.iter_mut().zip(rows).for_each(|(o, row)| *o = V::from_wide(row[place].into()));
        Some(())
    }

    pub(crate) fn keep(&mut self, t: Term, column: Column) {
        self.size += column.size();
        self.columns.insert(t, Entry { column, used: true });
    }
}

//! The values of a path's few bytes that are left to it, listed: its *live rows*.
//!
//! A path through a conversion of text to numbers has thousands of conditions on three or four characters. Of these the first
//! few leave some hundred values. From then on the path knows its rows: a condition that holds in all of them, or in none,
//! is decided, and so is a term that has one value in all of them. Nothing has to be simplified, and nobody has to be asked. The rows
//! are a function of the path's conditions alone.
//!
//! A byte that the conditions do not tell apart any more is left out of the rows: behind a number any other character may stand, and each
//! row would be there for each of these. The conditions hold with all values that the byte has, and of a term on such a byte
//! the rows say nothing.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::{Rc, Weak};

use cleave_expr::{ByteId, ByteSet, Table, Term, Terms};

/// Rows are listed once so many conditions link the bytes, and if that was in vain, at twice as many. To list them costs
/// as much as hundreds of questions: on shorter paths they do not pay.
pub(crate) const FEWEST: usize = 48;
/// So many combinations of values are looked at ...
const MOST_LISTED: usize = 1 << 18;
/// ... and so many may be left.
const MOST: usize = 1 << 14;
/// Work for each condition to list rows, units of [`Terms::rows_of`] ...
const WORK: usize = 1 << 14;
/// ... and where there are fewer conditions, the work for so many.
const WORK_FOR: usize = 16;
/// With so many rows each value that the program makes is looked at: what is one costs nothing any more.
pub(crate) const FEW: usize = 256;
/// Rows are listed anew if only one of so many is left, and there were more than a few.
const THINNED: usize = 4;
const THINNED_OF: usize = 16;
/// When columns take so many bytes, those that were not used lately are forgotten.
const MOST_KEPT: usize = 1 << 27;

/// What the columns of all live rows take, of a path and of those that parted from it.
#[derive(Default)]
pub(crate) struct Columns {
    tables: Vec<Weak<RefCell<Table>>>,
    /// In bytes, or more: some may be gone.
    size: usize,
}

impl Columns {
    fn grow(&mut self, table: &Rc<RefCell<Table>>, before: usize) {
        let now = table.borrow().size();
        if before == 0 && now > 0 {
            self.tables.push(Rc::downgrade(table));
        }
        self.size += now.saturating_sub(before);
        for _ in 0..2 {
            if self.size <= MOST_KEPT {
                return;
            }
            self.size = 0;
            self.tables.retain(|table| table.strong_count() > 0);
            for table in self.tables.iter().filter_map(Weak::upgrade) {
                let mut table = table.borrow_mut();
                table.forget_unused();
                self.size += table.size();
            }
        }
    }
}

/// The rows of values of some bytes with which all conditions on these bytes hold.
#[derive(Clone)]
pub(crate) struct Live {
    /// Rows; paths that parted share them.
    table: Rc<RefCell<Table>>,
    /// A bit for each row that is left.
    left: Rc<[u64]>,
    count: usize,
}

/// Where values of bytes come from.
pub(crate) enum Source {
    /// A byte without linked conditions has one of these.
    Byte(ByteId, ByteSet),
    Rows(Live),
}

impl Source {
    fn len(&self) -> usize {
        match self {
            Source::Byte(_, set) => set.len() as usize,
            Source::Rows(live) => live.count,
        }
    }

    /// The values row after row, and of which bytes they are.
    fn rows(&self) -> (Vec<ByteId>, Vec<u8>) {
        match self {
            Source::Byte(id, set) => (vec![*id], set.iter().collect()),
            Source::Rows(live) => {
                let table = live.table.borrow();
                let rows = places(&live.left).flat_map(|place| table.row(place)).copied().collect();
                (table.bytes().to_vec(), rows)
            }
        }
    }
}

/// A bit for each row of a table.
pub(crate) fn all_of(table: &Table) -> Rc<[u64]> {
    let n = table.len();
    (0..n.div_ceil(64)).map(|i| if n - 64 * i >= 64 { u64::MAX } else { (1 << (n - 64 * i)) - 1 }).collect()
}

/// The places of the bits that are set.
pub(crate) fn places(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    let of_word = |(i, &word): (usize, &u64)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(64 * i + bit)
        })
    };
    bits.iter().enumerate().flat_map(of_word)
}

fn count(left: &[u64]) -> usize {
    left.iter().map(|block| block.count_ones() as usize).sum()
}

/// All combinations of some values, if there are not too many.
fn combined(sources: &[Source]) -> Option<Table> {
    sources.iter().try_fold(1usize, |n, source| n.checked_mul(source.len()).filter(|n| *n <= MOST_LISTED))?;
    let (mut bytes, mut rows, mut count) = (Vec::new(), Vec::new(), 1);
    for source in sources {
        let (more, values) = source.rows();
        let (short, added) = (bytes.len(), more.len().max(1));
        let mut longer = Vec::with_capacity(count * source.len() * (short + added));
        for i in 0..count {
            for value in values.chunks_exact(added) {
                longer.extend_from_slice(&rows[i * short..(i + 1) * short]);
                longer.extend_from_slice(value);
            }
        }
        bytes.extend(more);
        count *= source.len();
        rows = longer;
    }
    Some(Table::new(&bytes, rows))
}

/// In which rows conditions hold, if that is not too much work.
fn holding(terms: &Terms, all: &Table, conds: &[Term]) -> Option<Vec<u64>> {
    let work = WORK.saturating_mul(conds.len().max(WORK_FOR));
    terms.rows_of(conds, all, &all_of(all), work).map(|(left, _)| left)
}

impl Live {
    /// The combinations of some values with which conditions hold, if not too many are to be looked at and not too many are left. That
    /// depends on nothing but what is given here.
    pub(crate) fn listed(terms: &Terms, sources: &[Source], conds: &[Term]) -> Option<Live> {
        let all = combined(sources)?;
        let left = holding(terms, &all, conds)?;
        let count = count(&left);
        if count > MOST {
            return None;
        }
        let table = all.part(places(&left));
        Some(Live { left: all_of(&table), table: Rc::new(RefCell::new(table)), count })
    }

    /// Whether a condition holds in all rows, whatever values of their sets other bytes have. `false` also where that would be too
    /// much work.
    pub(crate) fn always(&self, terms: &mut Terms, others: &[(ByteId, ByteSet)], cond: Term) -> bool {
        let bytes = terms.bytes_of(cond);
        let met = others.iter().filter(|(id, _)| bytes.binary_search(id).is_ok());
        let mut sources: Vec<Source> = met.map(|(id, set)| Source::Byte(*id, *set)).collect();
        sources.extend(self.of_bytes(&bytes).map(Source::Rows));
        let Some(all) = combined(&sources) else { return false };
        holding(terms, &all, &[cond]).is_some_and(|left| count(&left) == all.len())
    }

    /// What the rows are for some bytes, each once; `None` if they are of none of these.
    fn of_bytes(&self, bytes: &[ByteId]) -> Option<Live> {
        let table = self.table.borrow();
        let at: Vec<usize> =
            (0..table.bytes().len()).filter(|at| bytes.binary_search(&table.bytes()[*at]).is_ok()).collect();
        let ids: Vec<ByteId> = at.iter().map(|at| table.bytes()[*at]).collect();
        let values = |place| at.iter().map(|at| table.row(place)[*at]).collect::<Vec<u8>>();
        let rows: BTreeSet<Vec<u8>> = places(&self.left).map(values).collect();
        let table = Table::new(&ids, rows.iter().flatten().copied().collect());
        let live = Live { left: all_of(&table), table: Rc::new(RefCell::new(table)), count: rows.len() };
        (!ids.is_empty()).then_some(live)
    }

    /// The bits of the rows that are left.
    pub(crate) fn left(&self) -> &[u64] {
        &self.left
    }

    /// The rows, those that are left and others.
    pub(crate) fn table(&self) -> &RefCell<Table> {
        &self.table
    }

    /// How many rows are left.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The rows of these.
    fn narrowed(&self, left: Vec<u64>) -> Live {
        let count = count(&left);
        if count == self.count {
            return self.clone();
        }
        let all = self.table.borrow().len();
        if all > THINNED_OF && count * THINNED <= all {
            let table = Table::taken_from(&self.table, places(&left));
            return Live { left: all_of(&table), table: Rc::new(RefCell::new(table)), count };
        }
        Live { table: self.table.clone(), left: left.into(), count }
    }

    /// The rows that are left in which a condition holds; all of them where it depends on other bytes.
    pub(crate) fn with(&self, terms: &Terms, columns: &RefCell<Columns>, cond: Term) -> Live {
        self.holding(terms, columns, cond).map_or_else(|| self.clone(), |left| self.narrowed(left))
    }

    /// The rows that are left in which a condition holds.
    pub(crate) fn holding(&self, terms: &Terms, columns: &RefCell<Columns>, cond: Term) -> Option<Vec<u64>> {
        let holds = self.looked_up(columns, |table| terms.rows_where(cond, table))?;
        Some(holds.iter().zip(&*self.left).map(|(holds, left)| holds & left).collect())
    }

    fn looked_up<T>(&self, columns: &RefCell<Columns>, look: impl FnOnce(&mut Table) -> T) -> T {
        let before = self.table.borrow().size();
        let found = look(&mut self.table.borrow_mut());
        if self.table.borrow().size() != before {
            columns.borrow_mut().grow(&self.table, before);
        }
        found
    }

    /// The rows in which a byte has one of these values.
    pub(crate) fn within(&self, id: ByteId, set: &ByteSet) -> Live {
        let table = self.table.borrow();
        let Some(at) = table.bytes().iter().position(|b| *b == id) else { return self.clone() };
        let mut left = self.left.to_vec();
        for place in places(&self.left).filter(|place| !table.allows(*place, at, set)) {
            left[place / 64] &= !(1 << (place % 64));
        }
        drop(table);
        self.narrowed(left)
    }

    /// The one value that a term on these bytes has.
    pub(crate) fn only(&self, terms: &Terms, columns: &RefCell<Columns>, t: Term) -> Option<u128> {
        self.looked_up(columns, |table| terms.only_value(t, table, &self.left))
    }
}

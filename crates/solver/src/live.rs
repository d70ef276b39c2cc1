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

/// Rows are listed once so many conditions link the bytes (fewer if they are deep), and if that was in vain, at twice as many. To list them costs
/// as much as hundreds of questions: on shorter paths they do not pay.
pub(crate) const FEWEST: usize = 48;
/// So many combinations of values are looked at ...
pub(crate) const MOST_LISTED: usize = 1 << 18;
/// ... and so many may be left, but for deep conditions.
pub(crate) const MOST: usize = 1 << 14;
/// Work for each condition to list rows, units of [`Terms::rows_of`] ...
pub(crate) const WORK: usize = 1 << 14;
/// ... and where there are fewer conditions, the work for so many.
pub(crate) const WORK_FOR: usize = 16;
/// Work for a condition on listed rows and other bytes, in the same units.
const MUCH_WORK: usize = 1 << 20;
/// With so many rows each value that the program makes is looked at: what is one costs nothing any more.
pub(crate) const FEW: usize = 256;
/// A term of many steps is made an entry of a table if there are at most so many rows for each step, as far as its bytes tell them apart: the
/// entries then take up to three times the memory of the terms of the steps.
const ROWS_OF_A_STEP: usize = 32;
/// Rows are listed anew if only one of so many is left, and there were more than a few.
const THINNED: usize = 4;
const THINNED_OF: usize = 16;
/// Whether a condition always holds is looked at with so many rows first.
const SAMPLE: usize = 64;
/// When columns take so many bytes, those that were not used lately are forgotten.
const MOST_KEPT: usize = 1 << 27;

/// What may be taken to list rows.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// So many rows may be left.
    pub(crate) rows: usize,
    /// Work for each condition, units of [`Terms::rows_of`].
    pub(crate) work: usize,
}

/// For all conditions, at first.
pub(crate) const LITTLE: Bounds = Bounds { rows: MOST, work: WORK };
/// For deep conditions where that and groups were in vain: each question would try as many combinations, and takes long for each.
pub(crate) const MUCH: Bounds = Bounds { rows: 1 << 16, work: 1 << 17 };

/// What the columns of all live rows take, of a path and of those that parted from it.
#[derive(Default)]
pub(crate) struct Columns {
    tables: Vec<Weak<RefCell<Table>>>,
    /// In bytes, or more: some may be gone.
    size: usize,
    /// What rows and other values were last put together for.
    joined: Option<(Vec<Source>, Live)>,
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
#[derive(Clone)]
pub(crate) enum Source {
    /// A byte without linked conditions has one of these.
    Byte(ByteId, ByteSet),
    Rows(Live),
}

impl Source {
    pub(crate) fn len(&self) -> usize {
        match self {
            Source::Byte(_, set) => set.len() as usize,
            Source::Rows(live) => live.count,
        }
    }

    /// The values row after row, and of which bytes they are.
    fn parts(&self) -> (Vec<ByteId>, Vec<u8>) {
        match self {
            Source::Byte(id, set) => (vec![*id], set.iter().collect()),
            Source::Rows(live) => {
                let table = live.table.borrow();
                let values = places(&live.left).flat_map(|place| table.row(place)).copied();
                (table.bytes().to_vec(), values.collect())
            }
        }
    }

    /// The values of some bytes alone, each combination once; `None` if it has values of none of these.
    pub(crate) fn of_bytes(&self, bytes: &[ByteId]) -> Option<Source> {
        match self {
            Source::Byte(id, _) => bytes.contains(id).then(|| self.clone()),
            Source::Rows(live) => live.of_bytes(bytes).map(Source::Rows),
        }
    }

    /// Some of its values: the least and the greatest of a byte, and a few rows.
    fn some(&self) -> Source {
        match self {
            Source::Byte(id, set) => {
                let mut some = ByteSet::EMPTY;
                set.iter().take(1).chain(set.iter().last()).for_each(|value| some.insert(value));
                Source::Byte(*id, some)
            }
            Source::Rows(live) => {
                let step = live.count.div_ceil(SAMPLE).max(1);
                let table = live.table.borrow().part(places(&live.left).step_by(step));
                let (left, count) = (all_of(&table), table.len());
                Source::Rows(Live { left, count, table: Rc::new(RefCell::new(table)) })
            }
        }
    }

    /// Whether these are the same values, seen at a glance.
    fn is(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Byte(a, of_a), Source::Byte(b, of_b)) => a == b && of_a == of_b,
            (Source::Rows(a), Source::Rows(b)) => {
                Rc::ptr_eq(&a.table, &b.table) && Rc::ptr_eq(&a.left, &b.left)
            }
            _ => false,
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

pub(crate) fn count(left: &[u64]) -> usize {
    left.iter().map(|block| block.count_ones() as usize).sum()
}

/// How many combinations of some values there are, if not more than `most`.
pub(crate) fn combinations(sources: &[Source], most: usize) -> Option<usize> {
    sources.iter().try_fold(1usize, |n, source| n.checked_mul(source.len()).filter(|n| *n <= most))
}

/// After how many combinations the values of each source change: the last one's are the fastest.
fn turns(sources: &[Source]) -> Vec<usize> {
    let mut turns = vec![1; sources.len()];
    for i in (1..sources.len()).rev() {
        turns[i - 1] = turns[i] * sources[i].len();
    }
    turns
}

/// All combinations of some values, if there are not too many.
pub(crate) fn combined(sources: &[Source]) -> Option<Table> {
    let count = combinations(sources, MOST_LISTED)?;
    let parts: Vec<(Vec<ByteId>, Vec<u8>)> = sources.iter().map(Source::parts).collect();
    let bytes: Vec<ByteId> = parts.iter().flat_map(|(bytes, _)| bytes).copied().collect();
    let (width, mut at) = (bytes.len(), 0);
    let mut rows = vec![0; count * width];
    for ((of, values), turn) in parts.iter().zip(turns(sources)).filter(|_| count > 0) {
        let each = values.chunks_exact(of.len().max(1)).cycle();
        for (same, value) in rows.chunks_mut((turn * width).max(1)).zip(each) {
            // One byte is written without a call.
            match value {
                [value] => same.chunks_exact_mut(width).for_each(|row| row[at] = *value),
                _ => same
                    .chunks_exact_mut(width)
                    .for_each(|row| row[at..][..value.len()].copy_from_slice(value)),
            }
        }
        at += of.len();
    }
    Some(Table::new(&bytes, rows))
}

/// All combinations go on with the columns of the longest rows that they are made of.
fn going_on(all: Table, sources: &[Source]) -> Table {
    let longest = sources.iter().enumerate().filter_map(|(i, source)| match source {
        Source::Rows(live) => Some((live, i)),
        Source::Byte(..) => None,
    });
    let Some((live, i)) = longest.max_by_key(|(live, i)| (live.count, std::cmp::Reverse(*i))) else {
        return all;
    };
    let of_live: Vec<u32> = places(&live.left).map(|place| place as u32).collect();
    let turn = turns(sources)[i];
    let of_rows = (0..all.len()).map(|number| of_live[number / turn % of_live.len()]).collect();
    all.going_on(&live.table, of_rows)
}

/// In which rows conditions hold, if that is not too much work: so much for each.
fn holding(terms: &Terms, all: &Table, conds: &[Term], work: usize) -> Option<Vec<u64>> {
    terms.rows_of(conds, all, &all_of(all), work_for(conds, work)).map(|(left, _)| left)
}

/// The work that conditions may be, of so much for each.
fn work_for(conds: &[Term], work: usize) -> usize {
    work.saturating_mul(conds.len().max(WORK_FOR))
}

impl Live {
    /// The combinations of some values with which conditions hold, if not too many are to be looked at and not too many are left. That
    /// depends on nothing but what is given here.
    pub(crate) fn listed(terms: &Terms, sources: &[Source], conds: &[Term], bounds: Bounds) -> Option<Live> {
        // What would be too much work is not begun.
        let blocks = combinations(sources, MOST_LISTED)?.div_ceil(64).max(1);
        if terms.are_larger(conds, work_for(conds, bounds.work) / blocks) {
            return None;
        }
        let all = combined(sources)?;
        terms.listed(all.len() * all.bytes().len());
        let left = holding(terms, &all, conds, bounds.work)?;
        let count = count(&left);
        if count > bounds.rows {
            return None;
        }
        Some(Live::of(all, sources, &left))
    }

    /// Some of all combinations of some values.
    pub(crate) fn of(all: Table, sources: &[Source], left: &[u64]) -> Live {
        let whole = count(left) == all.len();
        let table = if whole { going_on(all, sources) } else { all.part(places(left)) };
        Live { left: all_of(&table), count: table.len(), table: Rc::new(RefCell::new(table)) }
    }

    /// All combinations of rows and other values, if they are not too many to know what terms are in each of them.
    pub(crate) fn joined(columns: &RefCell<Columns>, sources: &[Source]) -> Option<Live> {
        if let Some((of, live)) = &columns.borrow().joined
            && of.len() == sources.len()
            && of.iter().zip(sources).all(|(a, b)| a.is(b))
        {
            return Some(live.clone());
        }
        combinations(sources, MOST)?;
        let table = going_on(combined(sources)?, sources);
        let live = Live { left: all_of(&table), count: table.len(), table: Rc::new(RefCell::new(table)) };
        columns.borrow_mut().joined = Some((sources.to_vec(), live.clone()));
        Some(live)
    }

    /// Whether what conditions are in each row is soon known, however large they are with what is known of their parts.
    pub(crate) fn is_soon_known(&self, terms: &Terms, conds: &[Term]) -> bool {
        let blocks = self.left.len().max(1);
        !terms.are_larger(conds, MUCH_WORK / blocks)
    }

    /// Whether a condition holds in all rows, whatever values of their sets other bytes have. `false` also where that would be more
    /// work than the bounds allow.
    pub(crate) fn always(
        &self,
        terms: &mut Terms,
        others: &[(ByteId, ByteSet)],
        cond: Term,
        bounds: Bounds,
    ) -> bool {
        let bytes = terms.bytes_of(cond);
        terms.listed(self.count * self.table.borrow().bytes().len());
        let met = others.iter().filter(|(id, _)| bytes.binary_search(id).is_ok());
        let others: Vec<Source> = met.map(|(id, set)| Source::Byte(*id, *set)).collect();
        let rows = Source::Rows(self.clone());
        let holds = |sources: &[Source]| {
            let all = combined(sources)?;
            holding(terms, &all, &[cond], bounds.work).map(|left| count(&left) == all.len())
        };
        // Where it fails, it mostly does so with some of a few combinations.
        let mut few: Vec<Source> = others.iter().map(Source::some).collect();
        few.extend(rows.some().of_bytes(&bytes));
        if holds(&few) == Some(false) {
            return false;
        }
        let mut sources = others;
        sources.extend(rows.of_bytes(&bytes));
        holds(&sources) == Some(true)
    }

    /// What the rows are for some bytes, each once; `None` if they are of none of these.
    fn of_bytes(&self, bytes: &[ByteId]) -> Option<Live> {
        let table = self.table.borrow();
        let at: Vec<usize> =
            (0..table.bytes().len()).filter(|at| bytes.binary_search(&table.bytes()[*at]).is_ok()).collect();
        let ids: Vec<ByteId> = at.iter().map(|at| table.bytes()[*at]).collect();
        let values = |place| at.iter().map(move |at| (place, *at)).map(|(place, at)| table.row(place)[at]);
        let rows: Vec<u8> = if at.len() <= size_of::<u64>() {
            // Rows of few bytes are sorted as numbers.
            let number = |place| values(place).fold(0, |number, value| number << 8 | u64::from(value));
            let mut numbers: Vec<u64> = places(&self.left).map(number).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
                .iter()
                .flat_map(|number| number.to_be_bytes().into_iter().skip(size_of::<u64>() - at.len()))
                .collect()
        } else {
            let rows: BTreeSet<Vec<u8>> = places(&self.left).map(|place| values(place).collect()).collect();
            rows.into_iter().flatten().collect()
        };
        let table = Table::new(&ids, rows);
        let (left, count) = (all_of(&table), table.len());
        let live = Live { left, count, table: Rc::new(RefCell::new(table)) };
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

    /// A term on these bytes as [`Terms::by_row`] has it in the rows that are left.
    pub(crate) fn by_row(&self, terms: &mut Terms, columns: &RefCell<Columns>, t: Term) -> Option<Term> {
        self.looked_up(columns, |table| terms.by_row(t, table, &self.left, ROWS_OF_A_STEP))
    }

    /// The one value that a term on these bytes has.
    pub(crate) fn only(&self, terms: &Terms, columns: &RefCell<Columns>, t: Term) -> Option<u128> {
        self.looked_up(columns, |table| terms.only_value(t, table, &self.left))
    }
}

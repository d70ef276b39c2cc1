//! The enumerated models of a path over a few bytes: its rows. [`PathCondition`](crate::PathCondition) lists
//! them when a component has many conditions, and narrows them with each further one.
//!
//! A path through a conversion of text to numbers has thousands of conditions on three or four characters. The first
//! few conditions leave some hundred models. From then on a condition that holds in all rows, or in none, is decided,
//! and a term that has one value in all rows is that value, without simplification and without a query. The rows are a
//! function of the path's conditions alone.
//!
//! Bytes whose value no condition distinguishes are omitted: any character may follow a number, and listing it would
//! multiply the rows. The conditions hold with all values of an omitted byte, and the rows say nothing of a term on it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Table, Term, Terms};

use crate::policy::{listing, memory};

/// Limits of a listing of rows.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Maximum rows kept.
    pub(crate) rows: usize,
    /// Work for each condition, units of [`Terms::rows_of`].
    pub(crate) work: usize,
}

/// The limits of the first try.
pub(crate) const LITTLE: Bounds = Bounds { rows: listing::MOST_ROWS, work: listing::FUEL };
/// The limits for deep conditions after the first try and groups have failed: otherwise each question would try as many
/// combinations, at a high cost for each.
pub(crate) const MUCH: Bounds = Bounds { rows: listing::MOST_DEEP_ROWS, work: listing::DEEP_FUEL };

/// The last result of [`Models::joined`], with its sources, of a path and of the paths that parted from it.
pub(crate) type Joined = RefCell<Option<(Vec<Source>, Models)>>;

/// The rows of values of some bytes that satisfy all conditions on these bytes.
#[derive(Clone)]
pub struct Models {
    /// The rows; paths that parted share them.
    table: Rc<RefCell<Table>>,
    /// A bit for each row, set if it is left.
    left: Rc<[u64]>,
    count: usize,
}

/// A source of values of bytes.
#[derive(Clone)]
pub(crate) enum Source {
    /// A byte without linked conditions, and its values.
    Byte(ByteId, ByteSet),
    Rows(Models),
}

impl Source {
    pub(crate) fn len(&self) -> usize {
        match self {
            Source::Byte(_, set) => set.len() as usize,
            Source::Rows(models) => models.count,
        }
    }

    /// The bytes, and their values row after row.
    fn parts(&self) -> (Vec<ByteId>, Vec<u8>) {
        match self {
            Source::Byte(id, set) => (vec![*id], set.iter().collect()),
            Source::Rows(models) => {
                let table = models.table.borrow();
                let values = places(&models.left).flat_map(|place| table.row(place)).copied();
                (table.bytes().to_vec(), values.collect())
            }
        }
    }

    /// The source restricted to some bytes, each combination once; `None` if it has none of these bytes.
    pub(crate) fn of_bytes(&self, bytes: &[ByteId]) -> Option<Source> {
        match self {
            Source::Byte(id, _) => bytes.contains(id).then(|| self.clone()),
            Source::Rows(models) => models.of_bytes(bytes).map(Source::Rows),
        }
    }

    /// A sample: the least and the greatest value of a byte, or a few rows.
    fn some(&self) -> Source {
        match self {
            Source::Byte(id, set) => {
                let mut some = ByteSet::EMPTY;
                set.iter().take(1).chain(set.iter().last()).for_each(|value| some.insert(value));
                Source::Byte(*id, some)
            }
            Source::Rows(models) => {
                let step = models.count.div_ceil(memory::SAMPLE).max(1);
                let table = models.table.borrow().part(places(&models.left).step_by(step));
                let (left, count) = (all_of(&table), table.len());
                Source::Rows(Models { left, count, table: Rc::new(RefCell::new(table)) })
            }
        }
    }

    /// Returns true if both are the same values; compares only pointers of rows.
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
pub fn places(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
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

/// Number of combinations of some sources; `None` if there are more than `most`.
pub(crate) fn combinations(sources: &[Source], most: usize) -> Option<usize> {
    sources.iter().try_fold(1usize, |n, source| n.checked_mul(source.len()).filter(|n| *n <= most))
}

/// The number of combinations after which the values of each source change: the last source changes fastest.
fn turns(sources: &[Source]) -> Vec<usize> {
    let mut turns = vec![1; sources.len()];
    for i in (1..sources.len()).rev() {
        turns[i - 1] = turns[i] * sources[i].len();
    }
    turns
}

/// All combinations of some sources; `None` if there are too many.
pub(crate) fn combined(sources: &[Source]) -> Option<Table> {
    let (bytes, rows) = product(sources, listing::MOST_COMBINATIONS)?;
    Some(Table::new(&bytes, rows))
}

/// All combinations of values of some bytes, row after row, the last byte's changing fastest; `None` if there are more
/// than `most`.
pub fn all_rows(sets: &[(ByteId, ByteSet)], most: usize) -> Option<Vec<u8>> {
    let sources: Vec<Source> = sets.iter().map(|(id, set)| Source::Byte(*id, *set)).collect();
    product(&sources, most).map(|(_, rows)| rows)
}

/// The bytes of some sources, and all combinations of their values, row after row.
fn product(sources: &[Source], most: usize) -> Option<(Vec<ByteId>, Vec<u8>)> {
    let count = combinations(sources, most)?;
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
    Some((bytes, rows))
}

/// Lets all combinations inherit the value vectors of the source with the most rows.
fn going_on(all: Table, sources: &[Source]) -> Table {
    let longest = sources.iter().enumerate().filter_map(|(i, source)| match source {
        Source::Rows(models) => Some((models, i)),
        Source::Byte(..) => None,
    });
    let Some((models, i)) = longest.max_by_key(|(models, i)| (models.count, std::cmp::Reverse(*i))) else {
        return all;
    };
    let of_live: Vec<u32> = places(&models.left).map(|place| place as u32).collect();
    let turn = turns(sources)[i];
    let of_rows = (0..all.len()).map(|number| of_live[number / turn % of_live.len()]).collect();
    all.going_on(&models.table, of_rows)
}

/// The rows in which conditions hold; `None` if that takes more than `work` for each condition.
fn holding(terms: &Terms, all: &Table, conds: &[Term], work: usize) -> Option<Vec<u64>> {
    terms.rows_of(conds, all, &all_of(all), work_for(conds, work)).map(|(left, _)| left)
}

/// The work granted for conditions at `work` for each.
fn work_for(conds: &[Term], work: usize) -> usize {
    work.saturating_mul(conds.len().max(listing::LEAST_FUELLED))
}

impl Models {
    /// The combinations of some sources in which conditions hold; `None` if too many are to be tried or too many are
    /// left. The result depends on the arguments alone.
    pub(crate) fn listed(
        terms: &Terms,
        sources: &[Source],
        conds: &[Term],
        bounds: Bounds,
    ) -> Option<Models> {
        // Work that would exceed the limit is not begun.
        let blocks = combinations(sources, listing::MOST_COMBINATIONS)?.div_ceil(64).max(1);
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
        Some(Models::of(terms, all, sources, &left))
    }

    /// The rows `left` of all combinations of some sources.
    pub(crate) fn of(terms: &Terms, all: Table, sources: &[Source], left: &[u64]) -> Models {
        let whole = count(left) == all.len();
        Models::whole(terms, if whole { going_on(all, sources) } else { all.part(places(left)) })
    }

    /// All rows of a table.
    pub fn whole(terms: &Terms, table: Table) -> Models {
        Models { left: all_of(&table), count: table.len(), table: terms.shared(table) }
    }

    /// All combinations of rows and other values; `None` if there are too many to compute the values of terms in each
    /// of them.
    pub(crate) fn joined(terms: &Terms, last: &Joined, sources: &[Source]) -> Option<Models> {
        if let Some((of, models)) = &*last.borrow()
            && of.len() == sources.len()
            && of.iter().zip(sources).all(|(a, b)| a.is(b))
        {
            return Some(models.clone());
        }
        combinations(sources, listing::MOST_ROWS)?;
        let models = Models::whole(terms, going_on(combined(sources)?, sources));
        *last.borrow_mut() = Some((sources.to_vec(), models.clone()));
        Some(models)
    }

    /// Returns true if the values of conditions in each row are cheap to compute, given the known values of their
    /// parts.
    pub(crate) fn is_soon_known(&self, terms: &Terms, conds: &[Term]) -> bool {
        let blocks = self.left.len().max(1);
        !terms.are_larger(conds, listing::CONDITION_FUEL / blocks)
    }

    /// Returns true if a condition holds in all rows with all values of other bytes. Returns false also if that needs
    /// more work than the bounds allow.
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
        // A condition that fails mostly fails on a small sample.
        let mut few: Vec<Source> = others.iter().map(Source::some).collect();
        few.extend(rows.some().of_bytes(&bytes));
        if holds(&few) == Some(false) {
            return false;
        }
        let mut sources = others;
        sources.extend(rows.of_bytes(&bytes));
        holds(&sources) == Some(true)
    }

    /// The rows restricted to some bytes, each once; `None` if they have none of these bytes.
    fn of_bytes(&self, bytes: &[ByteId]) -> Option<Models> {
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
        let models = Models { left, count, table: Rc::new(RefCell::new(table)) };
        (!ids.is_empty()).then_some(models)
    }

    /// The bits of the rows: set for those that are left.
    pub fn left(&self) -> &[u64] {
        &self.left
    }

    /// All rows of the table, including those that are not left.
    pub fn table(&self) -> &RefCell<Table> {
        &self.table
    }

    /// Number of rows left.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The rows of `left`, which are some of its own.
    pub fn narrowed(&self, terms: &Terms, left: Vec<u64>) -> Models {
        let count = count(&left);
        if count == self.count {
            return self.clone();
        }
        let all = self.table.borrow().len();
        if all > memory::THINNED_OF && count * memory::THINNED <= all {
            return Models::whole(terms, Table::taken_from(&self.table, places(&left)));
        }
        Models { table: self.table.clone(), left: left.into(), count }
    }

    /// The remaining rows in which a condition holds; all of them if it depends on other bytes.
    pub(crate) fn with(&self, terms: &Terms, cond: Term) -> Models {
        self.holding(terms, cond).map_or_else(|| self.clone(), |left| self.narrowed(terms, left))
    }

    /// The bits of the remaining rows in which a condition holds; `None` if it depends on other bytes.
    pub(crate) fn holding(&self, terms: &Terms, cond: Term) -> Option<Vec<u64>> {
        let holds = terms.rows_where(cond, &mut self.table.borrow_mut());
        terms.fit_tables();
        let holds = holds?;
        Some(holds.iter().zip(&*self.left).map(|(holds, left)| holds & left).collect())
    }

    /// The rows in which a byte has one of these values.
    pub(crate) fn within(&self, terms: &Terms, id: ByteId, set: &ByteSet) -> Models {
        let table = self.table.borrow();
        let Some(at) = table.bytes().iter().position(|b| *b == id) else { return self.clone() };
        let mut left = self.left.to_vec();
        for place in places(&self.left).filter(|place| !table.allows(*place, at, set)) {
            left[place / 64] &= !(1 << (place % 64));
        }
        drop(table);
        self.narrowed(terms, left)
    }

    /// The table-encoded form of a term on these bytes over the remaining rows; see [`Terms::by_row`].
    pub(crate) fn by_row(&self, terms: &mut Terms, t: Term) -> Option<Term> {
        let found = terms.by_row(t, &mut self.table.borrow_mut(), &self.left, listing::ROWS_OF_A_STEP);
        terms.fit_tables();
        found
    }

    /// The one value that a term on these bytes has in all remaining rows; `None` if it has several or is unknown.
    pub(crate) fn only(&self, terms: &Terms, t: Term) -> Option<u128> {
        let found = terms.only_value(t, &mut self.table.borrow_mut(), &self.left);
        terms.fit_tables();
        found
    }
}

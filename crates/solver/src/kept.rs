//! Values of a few bytes with which conditions of a path hold, kept from one question to the next.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use cleave_expr::{ByteId, ByteSet, Table};
use rustc_hash::FxHashMap;

use crate::live::{all_of, places};
use crate::path::Relation;
use crate::persistent::List;

/// When so much is kept, in bytes, columns that were not used lately are forgotten.
const MOST_KEPT: usize = 1 << 27;
/// When there are so many entries, or words of tables' rows and of what is left of them, those of paths that have ended are forgotten.
const MOST_ENTRIES: usize = 1 << 16;
const MOST_WORDS: usize = 1 << 23;
/// Of listed solutions, if they are more, nothing is kept but which are left.
const MANY_ROWS: usize = 1 << 14;
/// A table of which a path leaves one row in so many is replaced by one of these rows.
const THINNED: usize = 4;

/// Values with which some conditions hold.
#[derive(Clone)]
pub(crate) struct Kept {
    /// The conditions, in lists of the path: as long as this holds on to them, no other list is at their places in memory.
    pub(crate) lists: Vec<List<Relation>>,
    /// How long the first list is.
    pub(crate) count: usize,
    /// What the path leaves to each byte alone.
    pub(crate) domains: Rc<[(ByteId, ByteSet)]>,
    /// Rows of values, one for each byte; paths that begin alike share them.
    pub(crate) table: Rc<RefCell<Table>>,
    /// A bit for each row: the conditions hold there.
    pub(crate) left: Rc<[u64]>,
    /// The rows are solutions that a sweep has listed.
    pub(crate) listed: bool,
}

impl Kept {
    /// Whether these are its conditions: a key is but a hash.
    pub(crate) fn is_of(&self, first: &List<Relation>, others: &[List<Relation>]) -> bool {
        let places = std::iter::once(first).chain(others).map(List::place);
        self.lists.iter().map(List::place).eq(places)
    }

    /// Whether they are too many to keep what terms are in each.
    pub(crate) fn is_long(&self) -> bool {
        self.listed && self.table.borrow().len() > MANY_ROWS
    }

    /// The rows under further conditions, which hold in those of `left`.
    pub(crate) fn narrowed(self, left: Vec<u64>) -> Kept {
        if *left == *self.left {
            return self;
        }
        let (count, all) =
            (left.iter().map(|word| word.count_ones() as usize).sum::<usize>(), self.table.borrow().len());
        if all > 64 && count * THINNED <= all {
            let part = self.table.borrow().part(places(&left));
            return Kept { left: all_of(&part), table: Rc::new(RefCell::new(part)), ..self };
        }
        Kept { left: left.into(), ..self }
    }
}

/// The words of a table's rows.
fn words_of(table: &RefCell<Table>) -> usize {
    let table = table.borrow();
    (table.len() * table.bytes().len()).div_ceil(8)
}

/// What was found, by where the conditions are.
#[derive(Default)]
pub(crate) struct Survivors {
    kept: FxHashMap<u64, Kept>,
    /// Keys of conditions whose values were not listed; see [`Survivors::not_listed`].
    not_listed: FxHashMap<u64, u64>,
    /// The words of the tables' rows, and of what the entries have left of them.
    words: usize,
    tables: Vec<Weak<RefCell<Table>>>,
    /// The columns of all tables, in bytes, or more: some may be gone.
    size: usize,
}

impl Survivors {
    /// What is kept under a key.
    pub(crate) fn get(&self, key: u64) -> Option<&Kept> {
        self.kept.get(&key)
    }

    /// Whether nothing is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Keeps rows under a key.
    pub(crate) fn keep(&mut self, key: u64, kept: Kept) {
        if self.kept.len() >= MOST_ENTRIES || self.words >= MOST_WORDS {
            self.forget_ended();
        }
        let known = self.tables.iter().any(|table| std::ptr::eq(table.as_ptr(), Rc::as_ptr(&kept.table)));
        if !known {
            self.tables.retain(|table| table.strong_count() > 0);
            self.tables.push(Rc::downgrade(&kept.table));
            self.words += words_of(&kept.table);
        }
        self.words += kept.left.len();
        self.kept.insert(key, kept);
    }

    /// The values with which the conditions of this key hold are so many times too many; 0: to list them is too much work.
    pub(crate) fn not_listed(&mut self, key: u64, times: u64) {
        if self.not_listed.len() >= MOST_ENTRIES {
            self.not_listed.clear();
        }
        self.not_listed.insert(key, times);
    }

    /// Of a path with these keys: with how many of its first conditions values may be listed. More conditions leave fewer
    /// values, but they are more work: between those that leave too many and those that are too much.
    pub(crate) fn worth_listing(&self, keys: &[u64]) -> Option<usize> {
        let all = keys.len() - 1;
        let said = |i: usize| self.not_listed.get(&keys[i]).copied();
        let too_many =
            (0..=all).rev().find_map(|i| said(i).filter(|times| *times > 0).map(|times| (i, times)));
        let (last, times) = too_many.unwrap_or((0, 1));
        match (last + 1..=all).find(|&i| said(i) == Some(0)) {
            Some(too_much) => Some((last + too_much) / 2).filter(|&i| i > last),
            // A condition leaves a fraction of them.
            None => (all > last + times.ilog2() as usize / 4 + 1).then_some(all),
        }
    }

    /// So many bytes more are kept. No table may be borrowed.
    pub(crate) fn grows(&mut self, bytes: usize) {
        self.size += bytes;
        if self.size <= MOST_KEPT {
            return;
        }
        self.forget_ended();
        for _ in 0..2 {
            let mut size = 0;
            self.tables.retain(|table| table.strong_count() > 0);
            for table in self.tables.iter().filter_map(Weak::upgrade) {
                table.borrow_mut().forget_unused();
                size += table.borrow().size();
            }
            self.size = size;
            if self.size <= MOST_KEPT / 2 {
                return;
            }
        }
    }

    /// Forgets what is kept of lists that nobody else has: no question will be about them again.
    fn forget_ended(&mut self) {
        let mut order: Vec<(usize, u64)> = self.kept.iter().map(|(key, kept)| (kept.count, *key)).collect();
        // A list is shared by those that go on from it.
        order.sort_unstable_by_key(|(count, _)| std::cmp::Reverse(*count));
        for (_, key) in order {
            if self.kept.get(&key).is_some_and(|kept| kept.lists.iter().any(|list| !list.is_shared())) {
                self.kept.remove(&key);
            }
        }
        let of_tables: usize =
            self.tables.iter().filter_map(Weak::upgrade).map(|table| words_of(&table)).sum();
        self.words = of_tables + self.kept.values().map(|kept| kept.left.len()).sum::<usize>();
        if self.kept.len() > MOST_ENTRIES / 2 || self.words > MOST_WORDS / 2 {
            self.kept.clear();
            self.words = 0;
        }
    }
}

//! Cache of the satisfying assignments of a few bytes under conditions of a path, kept from one question to the next.
//! The layer in `survivors.rs` fills and reads it; the sizes below bound it.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use cleave_expr::{ByteId, ByteSet, Table};
use cleave_path::{List, Relation, all_of, places};
use rustc_hash::FxHashMap;

use crate::policy::memory;

/// The satisfying assignments of some conditions.
#[derive(Clone)]
pub(crate) struct Kept {
    /// The conditions, in lists of the path. While an entry holds these lists, no other list has their addresses.
    pub(crate) lists: Vec<List<Relation>>,
    /// Length of the first list.
    pub(crate) count: usize,
    /// The values that the path leaves to each byte alone.
    pub(crate) domains: Rc<[(ByteId, ByteSet)]>,
    /// Rows of values, one value for each byte; paths with the same prefix share them.
    pub(crate) table: Rc<RefCell<Table>>,
    /// A bit for each row, set if the conditions hold there.
    pub(crate) left: Rc<[u64]>,
    /// True if the rows are solutions that a sweep has listed.
    pub(crate) listed: bool,
}

impl Kept {
    /// Returns true if these are the conditions of the entry: the key is only a hash.
    pub(crate) fn is_of(&self, first: &List<Relation>, others: &[List<Relation>]) -> bool {
        let places = std::iter::once(first).chain(others).map(List::place);
        self.lists.iter().map(List::place).eq(places)
    }

    /// Returns true if there are too many rows to keep value vectors of terms.
    pub(crate) fn is_long(&self) -> bool {
        self.listed && self.table.borrow().len() > memory::VECTORS_OF_ROWS
    }

    /// The entry under further conditions, which hold in the rows `left`.
    pub(crate) fn narrowed(self, left: Vec<u64>) -> Kept {
        if *left == *self.left {
            return self;
        }
        let (count, all) =
            (left.iter().map(|word| word.count_ones() as usize).sum::<usize>(), self.table.borrow().len());
        if all > memory::THINNED_OF_CACHED && count * memory::THINNED_CACHED <= all {
            let part = self.table.borrow().part(places(&left));
            return Kept { left: all_of(&part), table: Rc::new(RefCell::new(part)), ..self };
        }
        Kept { left: left.into(), ..self }
    }
}

/// Number of 64-bit words of a table's rows.
fn words_of(table: &RefCell<Table>) -> usize {
    let table = table.borrow();
    (table.len() * table.bytes().len()).div_ceil(8)
}

/// Entries of the cache, by a hash of the addresses of their conditions.
#[derive(Default)]
pub(crate) struct Survivors {
    kept: FxHashMap<u64, Kept>,
    /// Keys of conditions whose solutions were not listed; see [`Survivors::not_listed`].
    not_listed: FxHashMap<u64, u64>,
    /// Number of words of the tables' rows and of the entries' bits.
    words: usize,
    tables: Vec<Weak<RefCell<Table>>>,
    /// Size of the value vectors of all tables in bytes, or more: some tables may be gone.
    size: usize,
}

impl Survivors {
    /// The entry of a key.
    pub(crate) fn get(&self, key: u64) -> Option<&Kept> {
        self.kept.get(&key)
    }

    /// Returns true if the cache is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Stores an entry under a key.
    pub(crate) fn keep(&mut self, key: u64, kept: Kept) {
        if self.kept.len() >= memory::CACHED_ENTRIES || self.words >= memory::CACHED_WORDS {
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

    /// Records that the solutions of the conditions of this key are `times` times too many; 0 if listing them is too
    /// much work.
    pub(crate) fn not_listed(&mut self, key: u64, times: u64) {
        if self.not_listed.len() >= memory::CACHED_ENTRIES {
            self.not_listed.clear();
        }
        self.not_listed.insert(key, times);
    }

    /// The number of first conditions of a path, by its keys, for which a listing is worth a try. More conditions leave
    /// fewer solutions but need more work: the result lies between a prefix with too many solutions and one with too
    /// much work.
    pub(crate) fn worth_listing(&self, keys: &[u64]) -> Option<usize> {
        let all = keys.len() - 1;
        let said = |i: usize| self.not_listed.get(&keys[i]).copied();
        let too_many =
            (0..=all).rev().find_map(|i| said(i).filter(|times| *times > 0).map(|times| (i, times)));
        let (last, times) = too_many.unwrap_or((0, 1));
        match (last + 1..=all).find(|&i| said(i) == Some(0)) {
            Some(too_much) => Some((last + too_much) / 2).filter(|&i| i > last),
            // Each condition leaves a fraction of the solutions.
            None => (all > last + times.ilog2() as usize / 4 + 1).then_some(all),
        }
    }

    /// Records that the value vectors have grown by `bytes`. No table may be borrowed.
    pub(crate) fn grows(&mut self, bytes: usize) {
        self.size += bytes;
        if self.size <= memory::VALUE_VECTORS {
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
            if self.size <= memory::VALUE_VECTORS / 2 {
                return;
            }
        }
    }

    /// Drops the entries of lists that nobody else holds: no later question is about them.
    fn forget_ended(&mut self) {
        let mut order: Vec<(usize, u64)> = self.kept.iter().map(|(key, kept)| (kept.count, *key)).collect();
        // A list is shared by the lists that extend it.
        order.sort_unstable_by_key(|(count, _)| std::cmp::Reverse(*count));
        for (_, key) in order {
            if self.kept.get(&key).is_some_and(|kept| kept.lists.iter().any(|list| !list.is_shared())) {
                self.kept.remove(&key);
            }
        }
        let of_tables: usize =
            self.tables.iter().filter_map(Weak::upgrade).map(|table| words_of(&table)).sum();
        self.words = of_tables + self.kept.values().map(|kept| kept.left.len()).sum::<usize>();
        if self.kept.len() > memory::CACHED_ENTRIES / 2 || self.words > memory::CACHED_WORDS / 2 {
            self.kept.clear();
            self.words = 0;
        }
    }
}

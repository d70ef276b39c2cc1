//! Cache of the satisfying assignments of a few bytes under conditions of a path, kept from one question to the next.
//! The solver's layer `trying` fills and reads it. It counts for the memory that the store of terms limits.

use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Share, Terms};
use cleave_path::{List, Models, Relation, places};
use rustc_hash::FxHashMap;

use crate::policy::memory;

/// The satisfying assignments of some conditions.
#[derive(Clone)]
pub struct KeptModels {
    /// The conditions, in lists of the path. While an entry holds these lists, no other list has their addresses.
    pub lists: Vec<List<Relation>>,
    /// Length of the first list.
    pub count: usize,
    /// The values that the path leaves to each byte alone.
    pub domains: Rc<[(ByteId, ByteSet)]>,
    /// Rows of values, one value for each byte, in which the conditions hold; paths with the same prefix share them.
    pub models: Models,
    /// True if the rows are solutions that a sweep has listed.
    pub listed: bool,
}

impl KeptModels {
    /// Returns true if these are the conditions of the entry: the key is only a hash.
    pub fn is_of(&self, first: &List<Relation>, others: &[List<Relation>]) -> bool {
        let places = std::iter::once(first).chain(others).map(List::place);
        self.lists.iter().map(List::place).eq(places)
    }

    /// Returns true if there are too many rows to keep value vectors of terms.
    pub fn is_long(&self) -> bool {
        self.listed && self.models.table().borrow().len() > memory::VECTORS_OF_ROWS
    }

    /// The entry under further conditions, which hold in the rows `left`.
    pub fn narrowed(self, terms: &Terms, left: Vec<u64>) -> KeptModels {
        KeptModels { models: self.models.narrowed(terms, left), ..self }
    }

    /// The rows within these sets of values, which the path may have narrowed since.
    pub fn within(self, terms: &Terms, domains: Rc<[(ByteId, ByteSet)]>) -> KeptModels {
        if self.domains == domains {
            return self;
        }
        let mut left = self.models.left().to_vec();
        let table = self.models.table().borrow();
        for place in places(self.models.left()) {
            if !domains.iter().enumerate().all(|(at, (_, set))| table.allows(place, at, set)) {
                left[place / 64] &= !(1 << (place % 64));
            }
        }
        drop(table);
        KeptModels { domains, ..self }.narrowed(terms, left)
    }

    /// Bytes of the entry without the rows, which entries share.
    fn size(&self) -> usize {
        size_of::<(u64, KeptModels, Share)>()
            + size_of_val(&*self.lists)
            + size_of_val(&*self.domains)
            + size_of_val(self.models.left())
    }
}

/// Entries of the cache, by a hash of the addresses of their conditions.
#[derive(Default)]
pub struct CachedModels {
    kept: FxHashMap<u64, (KeptModels, Share)>,
    /// Keys of conditions whose solutions were not listed; see [`CachedModels::not_listed`].
    not_listed: FxHashMap<u64, u64>,
}

impl CachedModels {
    /// The entry of a key.
    pub fn get(&self, key: u64) -> Option<&KeptModels> {
        self.kept.get(&key).map(|(kept, _)| kept)
    }

    /// Returns true if the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Stores an entry under a key.
    pub fn keep(&mut self, terms: &Terms, key: u64, kept: KeptModels) {
        if self.kept.len() >= memory::CACHED_ENTRIES || terms.tables_are_full() {
            self.forget_ended(terms);
        }
        let mut share = terms.share();
        share.set(kept.size());
        self.kept.insert(key, (kept, share));
    }

    /// Records that the solutions of the conditions of this key are `times` times too many; 0 if listing them is too
    /// much work.
    pub fn not_listed(&mut self, key: u64, times: u64) {
        if self.not_listed.len() >= memory::CACHED_ENTRIES {
            self.not_listed.clear();
        }
        self.not_listed.insert(key, times);
    }

    /// The number of first conditions of a path, by its keys, for which a listing is worth a try. More conditions leave
    /// fewer solutions but need more work: the result lies between a prefix with too many solutions and one with too
    /// much work.
    pub fn worth_listing(&self, keys: &[u64]) -> Option<usize> {
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

    /// Drops the entries of lists that nobody else holds: no later question is about them. If that frees too little, all
    /// entries are dropped.
    fn forget_ended(&mut self, terms: &Terms) {
        let mut order: Vec<(usize, u64)> =
            self.kept.iter().map(|(key, (kept, _))| (kept.count, *key)).collect();
        // A list is shared by the lists that extend it.
        order.sort_unstable_by_key(|(count, _)| std::cmp::Reverse(*count));
        for (_, key) in order {
            if self.kept.get(&key).is_some_and(|(kept, _)| kept.lists.iter().any(|list| !list.is_shared())) {
                self.kept.remove(&key);
            }
        }
        terms.fit_tables();
        if self.kept.len() > memory::CACHED_ENTRIES / 2 || terms.tables_are_full() {
            self.kept.clear();
        }
    }
}

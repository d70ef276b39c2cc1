//! Values of a few bytes with which conditions of a path hold, kept from one question to the next.

use std::cell::RefCell;
use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Table, Term};
use rustc_hash::FxHashMap;

/// When so much is kept, in words of 64 bits, all is forgotten: 64 MiB.
const MOST_KEPT: usize = 1 << 23;
/// A table of which a path leaves one row in so many is replaced by one of these rows.
const THINNED: usize = 4;

/// Values with which some conditions hold.
#[derive(Clone)]
pub(crate) struct Kept {
    /// The conditions, from the first that was assumed: the key is but a hash of them.
    pub(crate) path: Rc<[Term]>,
    /// What the bytes could be before the conditions.
    pub(crate) domains: Rc<[(ByteId, ByteSet)]>,
    /// Rows of values, one for each byte; paths that begin alike share them.
    pub(crate) table: Rc<RefCell<Table>>,
    /// A bit for each row: the conditions hold there.
    pub(crate) left: Rc<[u64]>,
}

impl Kept {
    /// All rows of a table, under no condition.
    pub(crate) fn all(domains: Rc<[(ByteId, ByteSet)]>, table: Table) -> Kept {
        let left = all_of(&table);
        Kept { path: [].into(), domains, table: Rc::new(RefCell::new(table)), left }
    }

    /// The same under more conditions, which hold in the rows of `left`.
    pub(crate) fn under(&self, path: &[Term], left: Vec<u64>) -> Kept {
        let Kept { domains, table, .. } = self.clone();
        let (count, all) =
            (left.iter().map(|word| word.count_ones() as usize).sum::<usize>(), table.borrow().len());
        if all > 64 && count * THINNED <= all {
            let part = table.borrow().part(places(&left));
            return Kept { path: path.into(), ..Kept::all(domains, part) };
        }
        Kept { path: path.into(), domains, table, left: left.into() }
    }
}

fn all_of(table: &Table) -> Rc<[u64]> {
    let n = table.len();
    (0..n.div_ceil(64)).map(|i| if n - 64 * i >= 64 { u64::MAX } else { (1 << (n - 64 * i)) - 1 }).collect()
}

/// The places of the bits that are set.
pub(crate) fn places(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    let of_word = |(i, &word): (usize, &u64)| {
        (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| 64 * i + bit)
    };
    bits.iter().enumerate().flat_map(of_word)
}

/// What was found, by the conditions.
#[derive(Default)]
pub(crate) struct Survivors {
    pub(crate) kept: FxHashMap<u64, Kept>,
    /// Keys of conditions whose values were not listed; see [`Survivors::not_listed`].
    not_listed: FxHashMap<u64, u64>,
    size: usize,
}

impl Survivors {
    pub(crate) fn keep(&mut self, key: u64, kept: Kept) {
        let rows = if kept.table.borrow().size() == 0 { kept.table.borrow().len() } else { 0 };
        self.grows(rows + kept.left.len() + (kept.path.len() * size_of::<Term>()).div_ceil(8) + 16);
        self.kept.insert(key, kept);
    }

    /// The values with which the conditions of this key hold are so many times too many; 0: to list them is too much work.
    pub(crate) fn not_listed(&mut self, key: u64, times: u64) {
        self.grows(2);
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

    /// So many words more are kept.
    pub(crate) fn grows(&mut self, words: usize) {
        self.size += words;
        if self.size > MOST_KEPT {
            self.kept.clear();
            self.not_listed.clear();
            self.size = 0;
        }
    }
}

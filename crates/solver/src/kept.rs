//! Values of a few bytes with which conditions of a path hold, kept from one question to the next.

use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Term};
use rustc_hash::FxHashMap;

/// When so many bytes are kept, all are forgotten.
const MOST_KEPT: usize = 1 << 23;

/// Values with which some conditions hold.
#[derive(Clone)]
pub(crate) struct Kept {
    /// The conditions, from the first that was assumed: the key is but a hash of them.
    pub(crate) path: Rc<[Term]>,
    /// What the bytes could be before the conditions.
    pub(crate) domains: Rc<[(ByteId, ByteSet)]>,
    /// A row of values after the other, one for each byte.
    pub(crate) rows: Rc<[u8]>,
}

/// What was found, by the conditions.
#[derive(Default)]
pub(crate) struct Survivors {
    pub(crate) kept: FxHashMap<u64, Kept>,
    size: usize,
}

impl Survivors {
    pub(crate) fn keep(&mut self, key: u64, kept: Kept) {
        if self.size > MOST_KEPT {
            self.kept.clear();
            self.size = 0;
        }
        self.size += kept.rows.len() + kept.path.len() * size_of::<Term>() + 64;
        self.kept.insert(key, kept);
    }
}

//! A map from terms to terms for one walk over the parts of a term. [`Terms::lend_map`](crate::Terms::lend_map) lends it.

use crate::store::term::Term;

/// A map from terms to terms. It is reused: clearing takes constant time, and the memory stays.
#[derive(Default)]
pub struct TermMap {
    stamp: u32,
    len: usize,
    entries: Vec<(u32, Term)>,
}

impl TermMap {
    /// The image of a term, if it has one.
    #[inline]
    pub fn get(&self, t: Term) -> Option<Term> {
        self.entries.get(t.index()).filter(|entry| entry.0 == self.stamp).map(|entry| entry.1)
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.entries.clear();
            self.stamp = 1;
        }
    }

    /// Sets the image of a term.
    pub fn insert(&mut self, t: Term, becomes: Term) {
        let at = t.index();
        if at >= self.entries.len() {
            self.entries.resize((at + 1).next_power_of_two(), (0, t));
        }
        self.len += usize::from(self.entries[at].0 != self.stamp);
        self.entries[at] = (self.stamp, becomes);
    }

    /// Number of terms in the map.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the map has no terms.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

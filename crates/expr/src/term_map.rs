//! What each part of a term becomes in one walk over the parts.

use crate::term::Term;

/// What terms become. It is used again and again, so that neither room nor time is spent on what was in it before.
#[derive(Default)]
pub struct TermMap {
    stamp: u32,
    len: usize,
    entries: Vec<(u32, Term)>,
}

impl TermMap {
    /// What a term becomes, if that is known.
    #[inline]
    pub fn get(&self, t: Term) -> Option<Term> {
        self.entries.get(t.index()).filter(|entry| entry.0 == self.stamp).map(|entry| entry.1)
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.entries.clear();
            self.stamp = 1;
        }
    }

    /// Notes what a term becomes.
    pub fn insert(&mut self, t: Term, becomes: Term) {
        let at = t.index();
        if at >= self.entries.len() {
            self.entries.resize((at + 1).next_power_of_two(), (0, t));
        }
        self.len += usize::from(self.entries[at].0 != self.stamp);
        self.entries[at] = (self.stamp, becomes);
    }

    /// How many terms are in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

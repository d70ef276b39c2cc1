//! Marks that users of terms set on them, and a map of terms that is reused. The solver sets and reads the marks.

use crate::store::term::Term;
use crate::store::term_map::TermMap;
use crate::store::terms::Terms;

/// A mark of a term; it is never removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Note {
    /// The term or its negation was assumed on some path.
    Assumed = 1,
    /// On some path the term had only one value.
    HasValue = 2,
}

impl Terms {
    /// Marks a term.
    pub fn note(&mut self, t: Term, note: Note) {
        let at = t.index();
        if at >= self.notes.len() {
            self.notes.resize((at + 1).next_power_of_two(), 0);
        }
        self.notes[at] |= note as u8;
    }

    /// True if a term has a mark.
    #[inline]
    pub fn is_noted(&self, t: Term, note: Note) -> bool {
        self.notes.get(t.index()).is_some_and(|notes| notes & note as u8 != 0)
    }

    /// Lends an empty map; give it back with [`Terms::take_back`] to reuse its memory.
    pub fn lend_map(&mut self) -> TermMap {
        let mut map = std::mem::take(&mut self.map);
        map.clear();
        map
    }

    /// Takes a map back; the next [`Terms::lend_map`] reuses its memory.
    pub fn take_back(&mut self, map: TermMap) {
        self.map = map;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_is_lent_again_is_empty_and_notes_stay() {
        let mut terms = Terms::default();
        let all: Vec<Term> = (0..40).map(|i| terms.byte(0, i)).collect();
        for round in 0..3 {
            let mut map = terms.lend_map();
            assert!(map.is_empty() && all.iter().all(|&t| map.get(t).is_none()));
            for (i, &t) in all.iter().enumerate().skip(round) {
                map.insert(t, all[i - round]);
                map.insert(t, all[round]);
            }
            assert_eq!(map.len(), all.len() - round);
            assert!(all.iter().skip(round).all(|&t| map.get(t) == Some(all[round])));
            terms.take_back(map);
        }
        terms.note(all[7], Note::Assumed);
        terms.note(all[8], Note::HasValue);
        assert!(terms.is_noted(all[7], Note::Assumed) && !terms.is_noted(all[7], Note::HasValue));
        assert!(terms.is_noted(all[8], Note::HasValue) && !terms.is_noted(all[39], Note::Assumed));
    }
}

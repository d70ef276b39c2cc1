//! Finds nested reads at unknown places in a term. The engine calls it to bound their depth (`engine/src/memory/nested_reads.rs`).
//!
//! A read at an unknown place is a choice among three or more: `i == 3 ? d[3] : i == 2 ? d[2] : ...`. If its place is itself read
//! from an array in the same way, a choice lies within a comparison of another. Entries of constant tables are no choices: a
//! state machine of any length has none.

use crate::store::nesting::{Innermost, Nesting};
use crate::store::term::{Node, Term};
use crate::store::terms::Terms;

impl Terms {
    /// The depth of nested choices by a place in a term; it depends only on the term's structure.
    pub fn nesting(&mut self, t: Term) -> Nesting {
        // Operands come before the terms made of them; a term without conditions has no choice.
        let mut todo = vec![t];
        while let Some(&top) = todo.last() {
            if self.nestings.contains_key(&top) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            let is_missing = |t: &Term| self.has_conditions(*t) && !self.nestings.contains_key(t);
            todo.extend(self.node(top).operands().filter(is_missing));
            if todo.len() == before {
                todo.pop();
                let found = self.nesting_of(top);
                self.nestings.insert(top, found);
            }
        }
        self.known_nesting(t)
    }

    /// The place of the innermost choice on the deepest nesting; `None` if there is no choice.
    pub fn innermost_place(&mut self, t: Term) -> Option<Innermost> {
        let mut depth = self.nesting(t).depth;
        let mut t = t;
        loop {
            let parts = match self.node(t) {
                Node::Ite(cond, ..) => self.place_compared(cond),
                _ => None,
            };
            match parts.filter(|parts| self.depth_of_place(parts) + 1 == depth) {
                Some(parts) if depth == 1 => return Some(self.first_part(t, &parts)),
                Some(parts) => {
                    depth -= 1;
                    t = parts.iter().map(|(t, _)| *t).find(|t| self.known_nesting(*t).depth == depth)?;
                }
                None => {
                    t = self
                        .node(t)
                        .operands()
                        .find(|&t| self.known_nesting(t).depth == depth && depth > 0)?
                }
            }
        }
    }

    /// The part of a choice's place that is compared with the fewest constants: its upper bits are usually compared with one.
    fn first_part(&self, choice: Term, parts: &[(Term, u64)]) -> Innermost {
        let mut compared: Vec<Vec<u64>> = vec![Vec::new(); parts.len()];
        let (mut t, mut places) = (choice, 1);
        while let Node::Ite(cond, _, otherwise) = self.node(t)
            && let Some(here) = self.place_compared(cond).filter(|here| same_place(parts, here))
        {
            compared.iter_mut().zip(here).for_each(|(all, (_, constant))| all.push(constant));
            (t, places) = (otherwise, places + 1);
        }
        for all in &mut compared {
            all.sort_unstable();
            all.dedup();
        }
        let first = (0..parts.len()).min_by_key(|i| compared[*i].len()).unwrap_or(0);
        let only = Some(&compared[first][..]).filter(|_| parts.len() > 1).and_then(|all| match all {
            [only] => Some(*only),
            _ => None,
        });
        Innermost { place: parts[first].0, only, places }
    }

    fn known_nesting(&self, t: Term) -> Nesting {
        self.nestings.get(&t).copied().unwrap_or_default()
    }

    fn nesting_of(&self, t: Term) -> Nesting {
        let node = self.node(t);
        let depth = node.operands().map(|t| self.known_nesting(t).depth).max().unwrap_or(0);
        let Node::Ite(cond, _, otherwise) = node else { return Nesting { depth, compared: 0 } };
        let Some(place) = self.place_compared(cond) else { return Nesting { depth, compared: 0 } };
        let goes_on = match self.node(otherwise) {
            Node::Ite(next, ..) => self.place_compared(next).is_some_and(|next| same_place(&place, &next)),
            _ => false,
        };
        let others = if goes_on { self.known_nesting(otherwise).compared } else { 0 };
        // One comparison is an ordinary choice (`c == '-' ? a : b`), which is easy for solvers.
        let own = if others > 0 { self.depth_of_place(&place).saturating_add(1) } else { 0 };
        Nesting { depth: depth.max(own), compared: others + 1 }
    }

    /// The depth of nested choices in the parts of a place.
    fn depth_of_place(&self, parts: &[(Term, u64)]) -> u16 {
        parts.iter().map(|(t, _)| self.known_nesting(*t).depth).max().unwrap_or(0)
    }

    /// The place that a condition compares with a constant. A place of several bytes, or of bits of some, is compared part by part.
    /// The parts are in the order of their structural hashes.
    fn place_compared(&self, cond: Term) -> Option<Vec<(Term, u64)>> {
        let mut parts = Vec::new();
        self.compared(cond, &mut parts)?;
        parts.sort_by_key(|(t, _)| self.hash_of(*t));
        Some(parts)
    }
}

/// True if the parts of two places are the same terms.
fn same_place(a: &[(Term, u64)], b: &[(Term, u64)]) -> bool {
    a.iter().map(|(t, _)| t).eq(b.iter().map(|(t, _)| t))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A read at a symbolic place among `count` input bytes from `first` on.
    fn read(terms: &mut Terms, at: Term, first: u32, count: u32) -> Term {
        let values = (first..first + count).map(|i| terms.byte(0, i)).collect();
        let offset = terms.zext(at, 64);
        terms.selected(offset, 0, 1, values)
    }

    #[test]
    fn reads_lie_one_within_the_other_and_the_innermost_place_is_the_first_index() {
        let mut terms = Terms::default();
        let start = terms.byte(1, 0);
        let mut at = start;
        for depth in 1..20 {
            at = read(&mut terms, at, 0, 8);
            assert_eq!(terms.nesting(at).depth, depth);
            assert_eq!(terms.innermost_place(at), Some(Innermost { place: start, only: None, places: 8 }));
        }
        // Arithmetic on an index changes nothing.
        let one = terms.constant_of(8, 1);
        let next = terms.add(at, one);
        let found = terms.innermost_place(next).map(|found| (found.place, found.places));
        assert_eq!((terms.nesting(next).depth, found), (19, Some((start, 8))));
    }

    #[test]
    fn places_of_several_parts_are_places_and_the_part_that_is_the_same_in_all_of_them_comes_first() {
        let mut terms = Terms::default();
        let [high, low] = [0, 1].map(|i| terms.byte(1, i));
        let upper = terms.extract(high, 0, 6);
        let mut at = terms.concat(upper, low);
        for depth in 1..10 {
            let [next, last] = [0, 40].map(|first| read(&mut terms, at, first, 30));
            assert_eq!(terms.nesting(next).depth, depth);
            let found = Innermost { place: upper, only: Some(0), places: 30 };
            assert_eq!(terms.innermost_place(next), Some(found));
            let upper = terms.extract(next, 0, 6);
            at = terms.concat(upper, last);
        }
        // Half of the places have another upper part.
        let at = terms.concat(high, low);
        let offset = terms.zext(at, 64);
        let values = (0..60).map(|i| terms.byte(0, i)).collect();
        let across = terms.selected(offset, 226, 1, values);
        assert_eq!(terms.innermost_place(across), Some(Innermost { place: high, only: None, places: 60 }));
    }

    #[test]
    fn tables_of_constants_and_branches_are_no_reads() {
        let mut terms = Terms::default();
        let table = terms.intern_table(8, &[3, 1, 4, 1, 5, 9, 2, 6]);
        let mut state = terms.byte(0, 0);
        for _ in 0..10 {
            let low = terms.extract(state, 0, 3);
            state = terms.table(table, low);
        }
        assert_eq!((terms.nesting(state).depth, terms.innermost_place(state)), (0, None));
        let (limit, other) = (terms.constant_of(8, 9), terms.byte(0, 1));
        let less = terms.ult(other, limit);
        let chosen = terms.ite(less, state, other);
        assert_eq!((terms.nesting(chosen).depth, terms.innermost_place(chosen)), (0, None));
    }
}

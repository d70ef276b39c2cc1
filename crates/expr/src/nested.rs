//! Finds the reads at unknown places that lie one within the other in a term.
//!
//! A read at an unknown place is a choice among three or more: `i == 3 ? d[3] : i == 2 ? d[2] : ...`. Where its place is read out of an array in
//! the same way, a choice lies within a comparison of another. Entries of constant tables are no choices: a state machine of
//! any length has none.

use crate::nesting::Nesting;
use crate::term::{BinaryOp, Node, Term};
use crate::terms::Terms;

impl Terms {
    /// How deep choices by a place lie one within the other in a term: a function of what it is made of.
    pub fn nesting(&mut self, t: Term) -> Nesting {
        // Operands are looked at before what is made of them; what has no condition has no choice.
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

    /// The place of the innermost choice where most of them lie one within the other, if there is one, and how many places
    /// the choice is among.
    pub fn innermost_place(&mut self, t: Term) -> Option<(Term, u64)> {
        let mut depth = self.nesting(t).depth;
        let mut t = t;
        loop {
            let place = match self.node(t) {
                Node::Ite(cond, ..) => self.compared_place(cond),
                _ => None,
            };
            match place.filter(|&place| self.known_nesting(place).depth + 1 == depth) {
                Some(place) if depth == 1 => return Some((place, self.known_nesting(t).compared + 1)),
                Some(place) => {
                    depth -= 1;
                    t = place;
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

    fn known_nesting(&self, t: Term) -> Nesting {
        self.nestings.get(&t).copied().unwrap_or_default()
    }

    fn nesting_of(&self, t: Term) -> Nesting {
        let node = self.node(t);
        let depth = node.operands().map(|t| self.known_nesting(t).depth).max().unwrap_or(0);
        let Node::Ite(cond, _, otherwise) = node else { return Nesting { depth, compared: 0 } };
        let Some(place) = self.compared_place(cond) else { return Nesting { depth, compared: 0 } };
        let goes_on = match self.node(otherwise) {
            Node::Ite(next, ..) => self.compared_place(next) == Some(place),
            _ => false,
        };
        let others = if goes_on { self.known_nesting(otherwise).compared } else { 0 };
        // One comparison is an ordinary choice (`c == '-' ? a : b`), which no solver has trouble with.
        let own = if others > 0 { self.known_nesting(place).depth.saturating_add(1) } else { 0 };
        Nesting { depth: depth.max(own), compared: others + 1 }
    }

    /// The term that a condition compares with a constant.
    fn compared_place(&self, cond: Term) -> Option<Term> {
        let Node::Binary(BinaryOp::Eq, a, b) = self.node(cond) else { return None };
        match (self.is_constant(a), self.is_constant(b)) {
            (_, true) => Some(a),
            (true, false) => Some(b),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read at a term out of input bytes from `first` on.
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
            assert_eq!(terms.innermost_place(at), Some((start, 8)));
        }
        // Arithmetic on an index changes nothing.
        let one = terms.constant_of(8, 1);
        let next = terms.add(at, one);
        assert_eq!((terms.nesting(next).depth, terms.innermost_place(next)), (19, Some((start, 8))));
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

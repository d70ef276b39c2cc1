//! Terms as choices: the terms that a term chooses between, its leaves, each with the diagram of the inputs for which it is the one.

use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Node, Support, Term, Terms};
use rustc_hash::FxHashSet;

use crate::sets::union;
use crate::store::{Diagram, Diagrams, Leaves, Variable};
use crate::words::bytes_of_word;

/// A term that chooses between more constants than this is a leaf itself. Lengths and positions in lines of text have fewer.
const MOST_LEAVES: usize = 64;
/// As [`MOST_LEAVES`], of leaves that are no constants.
const MOST_TERMS: usize = 16;
/// Operators on words of input bytes that are looked through for the one value of a term.
const DEEPEST: u32 = 4;
/// Pairs of leaves of two operands that are looked at.
const MOST_PAIRS: usize = 4 * MOST_LEAVES;

impl Diagrams {
    /// The leaves of a term; the term itself where they would be too many, or a diagram too large.
    pub fn leaves(&mut self, terms: &mut Terms, t: Term) -> Rc<Leaves> {
        if let Some(known) = self.leaves.get(&t) {
            return known.clone();
        }
        let found =
            Rc::new(self.computed_leaves(terms, t).unwrap_or_else(|| Leaves(vec![(t, Diagram::TRUE)])));
        self.leaves.insert(t, found.clone());
        found
    }

    fn computed_leaves(&mut self, terms: &mut Terms, t: Term) -> Option<Leaves> {
        if terms.constant(t).is_some() || terms.has_floats(t) {
            return None;
        }
        if terms.width(t) == 1 {
            let yes = self.of(terms, t)?;
            let no = self.not(yes);
            let both = [(terms.bool(false), no), (terms.bool(true), yes)];
            return self.gathered(terms, both.to_vec());
        }
        if let Support::One(_) = terms.support(t)
            && let Some(found) = self.values_of_byte(terms, t)
        {
            return self.gathered(terms, found);
        }
        match terms.node(t) {
            Node::Ite(c, a, b) => {
                let (x, y) = (self.leaves(terms, a), self.leaves(terms, b));
                let c = self.of(terms, c)?;
                let not_c = self.not(c);
                let mut all = Vec::with_capacity(x.all().len() + y.all().len());
                for (side, leaves) in [(c, x), (not_c, y)] {
                    for &(leaf, inputs) in leaves.all() {
                        all.push((leaf, self.and(side, inputs)?));
                    }
                }
                self.gathered(terms, all)
            }
            Node::Not(x) | Node::Zext(x) | Node::Sext(x) | Node::Extract(x, _) | Node::Table(_, x) => {
                let leaves = self.leaves(terms, x);
                if leaves.is_single() {
                    return None;
                }
                let made = leaves.all().iter().map(|&(leaf, inputs)| (applied(terms, t, leaf, leaf), inputs));
                let made = made.collect();
                self.gathered(terms, made)
            }
            Node::Binary(_, a, b) => {
                let (x, y) = (self.leaves(terms, a), self.leaves(terms, b));
                let pairs = x.all().len() * y.all().len();
                if pairs == 1 || pairs > MOST_PAIRS {
                    return None;
                }
                let mut all = Vec::with_capacity(pairs);
                for &(p, of_p) in x.all() {
                    for &(q, of_q) in y.all() {
                        let both = self.and(of_p, of_q)?;
                        if both != Diagram::FALSE {
                            all.push((applied(terms, t, p, q), both));
                        }
                    }
                }
                self.gathered(terms, all)
            }
            _ => None,
        }
    }

    /// The values of a term on one byte, if they are few.
    fn values_of_byte(&mut self, terms: &mut Terms, t: Term) -> Option<Vec<(Term, Diagram)>> {
        let Support::One(id) = terms.support(t) else { return None };
        if matches!(terms.node(t), Node::Byte(_)) || terms.width(t) > 64 {
            return None;
        }
        let entry = terms.by_byte(t)?;
        let Node::Table(table, _) = terms.node(entry) else { return None };
        let entries = terms.table_entries(table);
        let mut sets: Vec<(u64, ByteSet)> = Vec::new();
        for byte in 0..=u8::MAX {
            let value = entries.iter().nth(byte.into()).unwrap_or(0);
            match sets.iter().position(|(v, _)| *v == value) {
                Some(i) => sets[i].1.insert(byte),
                None if sets.len() == MOST_LEAVES => return None,
                None => {
                    let mut set = ByteSet::EMPTY;
                    set.insert(byte);
                    sets.push((value, set));
                }
            }
        }
        let w = terms.width(t);
        let mut all = Vec::with_capacity(sets.len());
        for (value, set) in sets {
            all.push((terms.constant_of(w, value.into()), self.of_byte(terms, id, set)));
        }
        Some(all)
    }

    /// Leaves of which several may be the same; `None` if they are too many.
    fn gathered(&mut self, terms: &Terms, all: Vec<(Term, Diagram)>) -> Option<Leaves> {
        let order = |t: Term| match terms.constant(t) {
            Some(v) => (0, v),
            None => (1, u128::from(terms.hash_of(t))),
        };
        let mut all: Vec<((u8, u128), Term, Diagram)> = all
            .into_iter()
            .filter(|(_, inputs)| *inputs != Diagram::FALSE)
            .map(|(leaf, inputs)| (order(leaf), leaf, inputs))
            .collect();
        all.sort_by_key(|(order, ..)| *order);
        let (mut found, mut others): (Vec<(Term, Diagram)>, usize) = (Vec::new(), 0);
        for ((kind, _), leaf, inputs) in all {
            let known = found.len();
            match found.last_mut() {
                Some((last, of_last)) if *last == leaf => *of_last = self.or(*of_last, inputs)?,
                _ => {
                    others += usize::from(kind == 1);
                    if known == MOST_LEAVES || others > MOST_TERMS {
                        return None;
                    }
                    found.push((leaf, inputs));
                }
            }
        }
        Some(Leaves(found))
    }

    /// The one value that `care` leaves a term of so many operators on words of input bytes.
    fn known_value(&mut self, terms: &mut Terms, t: Term, care: Diagram, depth: u32) -> Option<Term> {
        if terms.constant(t).is_some() {
            return Some(t);
        }
        if let Some(known) = self.known_word(terms, t, care) {
            return Some(known);
        }
        if depth == 0 || terms.has_floats(t) {
            return None;
        }
        match terms.node(t) {
            Node::Not(x) | Node::Zext(x) | Node::Sext(x) | Node::Extract(x, _) => {
                let x = self.known_value(terms, x, care, depth - 1)?;
                Some(applied(terms, t, x, x))
            }
            Node::Binary(_, x, y) => {
                let x = self.known_value(terms, x, care, depth - 1)?;
                let y = self.known_value(terms, y, care, depth - 1)?;
                Some(applied(terms, t, x, y))
            }
            _ => None,
        }
    }

    /// The value of a word of input bytes that `care` leaves it, if that is one.
    fn known_word(&mut self, terms: &mut Terms, word: Term, care: Diagram) -> Option<Term> {
        let w = terms.width(word);
        let mut bytes = Vec::new();
        if care == Diagram::TRUE || w > 64 || !bytes_of_word(terms, word, &mut bytes) {
            return None;
        }
        let mut value = 0u128;
        for byte in bytes.iter().rev() {
            let v = match *byte {
                Err(v) => v,
                Ok(id) => {
                    let left = self.values_left(care, id);
                    if left.len() != 1 {
                        return None;
                    }
                    left.first()?
                }
            };
            value = value << 8 | u128::from(v);
        }
        Some(terms.constant_of(w, value))
    }

    /// The values that a diagram leaves to a byte.
    fn values_left(&self, d: Diagram, id: ByteId) -> ByteSet {
        let (mut left, mut seen, mut todo) = (ByteSet::EMPTY, FxHashSet::default(), vec![d]);
        // Each diagram but FALSE holds for some input.
        while let Some(d) = todo.pop() {
            match self.node(d) {
                None if d == Diagram::TRUE => return ByteSet::FULL,
                None => {}
                Some(_) if !seen.insert(d) => {}
                Some(node) => {
                    let open = node.edges.iter().filter(|(_, to)| *to != Diagram::FALSE);
                    if node.variable == Variable::Byte(id) {
                        open.for_each(|(set, _)| left = union(&left, set));
                    } else {
                        todo.extend(open.map(|(_, to)| *to));
                    }
                }
            }
        }
        left
    }

    /// A choice of terms of one width by diagrams that exclude each other: the last one is for all other inputs.
    pub fn choice(&mut self, terms: &mut Terms, sides: &[(Diagram, Term)]) -> Option<Term> {
        let ((_, last), rest) = sides.split_last()?;
        let mut made = *last;
        for &(inputs, side) in rest.iter().rev() {
            let here = self.term(terms, inputs);
            made = terms.ite(here, side, made);
        }
        Some(made)
    }

    /// A term that has the value of `t` for all inputs of `care`: a choice between the leaves that are left.
    pub fn simplified(&mut self, terms: &mut Terms, t: Term, care: Diagram) -> Term {
        if terms.constant(t).is_some() {
            return t;
        }
        let leaves = self.leaves(terms, t);
        if leaves.is_single() {
            let leaf = leaves.all()[0].0;
            return self.known_value(terms, leaf, care, DEEPEST).unwrap_or(leaf);
        }
        let mut sides = Vec::with_capacity(leaves.all().len());
        for &(leaf, inputs) in leaves.all() {
            match self.and(inputs, care) {
                Some(Diagram::FALSE) => {}
                Some(_) => sides.push((self.within(inputs, care), leaf)),
                None => return t,
            }
        }
        self.choice(terms, &sides).unwrap_or(t)
    }
}

/// The operator of `t`, of one or two operands, applied to others.
fn applied(terms: &mut Terms, t: Term, a: Term, b: Term) -> Term {
    let w = terms.width(t);
    match terms.node(t) {
        Node::Not(_) => terms.not(a),
        Node::Zext(_) => terms.zext(a, w),
        Node::Sext(_) => terms.sext(a, w),
        Node::Extract(_, low) => terms.extract(a, low, w),
        Node::Table(id, _) => terms.table(id, a),
        Node::Binary(op, ..) => terms.binary(op, a, b),
        _ => t,
    }
}

//! Terms as choices: the terms that a term chooses between, its leaves, each with the diagram of the inputs for which it is the one.

use std::rc::Rc;

use cleave_expr::{ByteSet, Node, Support, Term, Terms};

use crate::store::{Diagram, Diagrams};

/// A term that chooses between more constants than this is a leaf itself. Lengths and positions in lines of text have fewer.
const MOST_LEAVES: usize = 64;
/// As [`MOST_LEAVES`], of leaves that are no constants.
const MOST_TERMS: usize = 16;
/// Pairs of leaves of two operands that are looked at.
const MOST_PAIRS: usize = 4 * MOST_LEAVES;

/// The leaves of a term, each once: constants first. Their diagrams exclude each other, and together hold for each input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaves(Vec<(Term, Diagram)>);

impl Leaves {
    /// All of them.
    pub fn all(&self) -> &[(Term, Diagram)] {
        &self.0
    }

    /// Whether the term is no choice.
    pub(crate) fn is_single(&self) -> bool {
        self.0.len() == 1
    }

    /// The leaves as numbers of at most 64 bits, if all of them are.
    pub fn values(&self, terms: &Terms) -> Option<Vec<(u64, Diagram)>> {
        self.0.iter().map(|&(leaf, inputs)| Some((terms.constant64(leaf)?, inputs))).collect()
    }
}

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
            return leaves.all()[0].0;
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

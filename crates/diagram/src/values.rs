//! Values as diagrams: a term that is a choice between few terms, its leaves, by the inputs for which it is each of them.

use std::rc::Rc;

use cleave_expr::{BinaryOp, ByteId, ByteSet, Node, Support, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::sets::union;
use crate::store::{Diagram, Diagrams, Edges, MOST_NODES, Operation, Variable};
use crate::unary::Unary;
use crate::words::bytes_of_word;

/// A term that chooses between more terms than this is a leaf itself. Lengths and positions in lines of text have fewer.
const MOST_LEAVES: usize = 64;
/// Operators on words of input bytes that are looked through for the one value of a term.
const DEEPEST: u32 = 4;
/// Pairs of leaves of two operands.
const MOST_PAIRS: usize = MOST_LEAVES * MOST_LEAVES;
/// As [`MOST_PAIRS`], of leaves neither of which is a constant.
const MOST_PAIRS_OF_TERMS: usize = 256;

impl Diagrams {
    /// A term as a choice between its leaves; the term itself is the only leaf where they would be too many, or the diagram too large.
    pub fn value(&mut self, terms: &mut Terms, t: Term) -> Diagram {
        if let Some(&known) = self.values.get(&t) {
            return known;
        }
        let found = self.computed_value(terms, t).and_then(|d| self.few(terms, d));
        let found = found.unwrap_or_else(|| self.leaf(terms, t));
        self.values.insert(t, found);
        found
    }

    fn computed_value(&mut self, terms: &mut Terms, t: Term) -> Option<Diagram> {
        if terms.constant(t).is_some() || terms.has_floats(t) {
            return None;
        }
        if terms.width(t) == 1 {
            return self.of(terms, t);
        }
        if let Support::One(_) = terms.support(t)
            && let Some(found) = self.values_of_byte(terms, t)
        {
            return Some(found);
        }
        if let Some((op, x)) = Unary::of(terms, t) {
            let x = self.value(terms, x);
            return if self.is_leaf(x) { None } else { Some(self.map(terms, op, x)) };
        }
        match terms.node(t) {
            Node::Ite(c, a, b) => {
                let (a, b) = (self.value(terms, a), self.value(terms, b));
                let c = self.of(terms, c)?;
                self.ite(c, a, b)
            }
            Node::Binary(op, a, b) => {
                let (x, y) = (self.value(terms, a), self.value(terms, b));
                self.pairs(terms, op, x, y)
            }
            _ => None,
        }
    }

    /// The diagram of a value that is this term alone.
    pub(crate) fn leaf(&mut self, terms: &Terms, t: Term) -> Diagram {
        match terms.constant(t) {
            Some(v) if terms.width(t) == 1 => Diagram::of(v != 0),
            _ => self.of_leaf(t),
        }
    }

    /// Whether a value is no choice.
    pub(crate) fn is_leaf(&self, d: Diagram) -> bool {
        self.node(d).is_none_or(|node| node.edges.is_empty())
    }

    /// The term of a value that is no choice.
    pub(crate) fn term_of_leaf(&self, terms: &mut Terms, d: Diagram) -> Option<Term> {
        match self.node(d) {
            None => Some(terms.bool(d == Diagram::TRUE)),
            Some(node) => match node.variable {
                Variable::Leaf(t) => Some(t),
                _ => None,
            },
        }
    }

    /// A value whose leaves are not too many.
    fn few(&mut self, terms: &mut Terms, d: Diagram) -> Option<Diagram> {
        self.bounded(d)?;
        self.leaves(terms, d).map(|_| d)
    }

    /// The leaves of a value that is no condition, constants first; `None` if they are too many.
    pub fn leaves(&mut self, terms: &mut Terms, d: Diagram) -> Option<Rc<[Term]>> {
        if let Some(known) = self.leaf_sets.get(&d) {
            return known.clone();
        }
        let mut found = Vec::new();
        self.each_node(d, &mut |node| {
            if let Variable::Leaf(t) = node.variable {
                found.push(t);
            }
            found.len() <= MOST_LEAVES
        });
        let order = |t: &Term| match terms.constant(*t) {
            Some(v) => (0, v),
            None => (1, u128::from(terms.hash_of(*t))),
        };
        found.sort_unstable_by_key(order);
        let found: Option<Rc<[Term]>> = (found.len() <= MOST_LEAVES).then(|| found.into());
        self.leaf_sets.insert(d, found.clone());
        found
    }

    /// The leaves of a value as numbers of at most 64 bits, rising, if all of them are.
    pub fn numbers(&mut self, terms: &mut Terms, d: Diagram) -> Option<Vec<u64>> {
        self.leaves(terms, d)?.iter().map(|&leaf| terms.constant64(leaf)).collect()
    }

    /// An operator of one operand, applied to each leaf.
    pub(crate) fn map(&mut self, terms: &mut Terms, op: Unary, d: Diagram) -> Diagram {
        if let Some(t) = self.term_of_leaf(terms, d) {
            let made = op.applied(terms, t);
            return self.leaf(terms, made);
        }
        if let Some(&known) = self.mapped.get(&(op, d)) {
            return known;
        }
        self.works();
        let Some(node) = self.node(d).cloned() else { return d };
        let edges = node.edges.iter().map(|(set, to)| (*set, self.map(terms, op, *to))).collect();
        let made = self.make(node.place, node.variable, edges);
        self.mapped.insert((op, d), made);
        made
    }

    /// An operator of two operands, applied to each pair of leaves; `None` if both are no choices, or the pairs too many.
    pub(crate) fn pairs(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        x: Diagram,
        y: Diagram,
    ) -> Option<Diagram> {
        if self.is_leaf(x) && self.is_leaf(y) || !self.is_little(x, y) {
            return None;
        }
        let count = |all: &mut Self, terms: &mut Terms, d| {
            let Some(leaves) = all.leaves(terms, d) else { return (MOST_PAIRS, MOST_PAIRS) };
            let others = leaves.iter().filter(|t| terms.constant(**t).is_none()).count();
            // The leaves of a condition are two.
            (leaves.len().max(2), others)
        };
        let ((a, of_a), (b, of_b)) = (count(self, terms, x), count(self, terms, y));
        if a * b > MOST_PAIRS || of_a * of_b > MOST_PAIRS_OF_TERMS {
            return None;
        }
        self.has_room(MOST_NODES);
        let made = self.paired(terms, op, x, y)?;
        self.bounded(made)
    }

    fn paired(&mut self, terms: &mut Terms, op: BinaryOp, x: Diagram, y: Diagram) -> Option<Diagram> {
        if let (Some(p), Some(q)) = (self.term_of_leaf(terms, x), self.term_of_leaf(terms, y)) {
            let made = terms.binary(op, p, q);
            return Some(self.leaf(terms, made));
        }
        let key = (Operation::Values(op), x, y);
        if let Some(&known) = self.results.get(&key) {
            return Some(known);
        }
        let made = self.for_both(x, y, &mut |all, x, y| all.paired(terms, op, x, y))?;
        self.results.insert(key, made);
        Some(made)
    }

    /// A value with other diagrams in place of its leaves; `None` if it would be too large.
    pub(crate) fn replaced(
        &mut self,
        d: Diagram,
        with: &mut dyn FnMut(&mut Self, Diagram) -> Option<Diagram>,
    ) -> Option<Diagram> {
        self.replace(d, with, &mut FxHashMap::default())
    }

    fn replace(
        &mut self,
        d: Diagram,
        with: &mut dyn FnMut(&mut Self, Diagram) -> Option<Diagram>,
        known: &mut FxHashMap<Diagram, Diagram>,
    ) -> Option<Diagram> {
        if let Some(&known) = known.get(&d) {
            return Some(known);
        }
        let made = match self.node(d).filter(|node| !node.edges.is_empty()).cloned() {
            None => with(self, d)?,
            Some(node) => {
                let mut edges = Edges::with_capacity(node.edges.len());
                for (set, to) in node.edges.iter() {
                    edges.push((*set, self.replace(*to, with, known)?));
                }
                let is_behind = |(_, to): &(ByteSet, Diagram)| self.place(*to) > node.place;
                if edges.iter().all(is_behind) {
                    self.make(node.place, node.variable, edges)
                } else {
                    // What stands in place of a leaf may test what stands above it.
                    let (_, mut made) = edges.pop()?;
                    for (set, to) in edges {
                        let here = self.of_set(node.place, node.variable, set);
                        made = self.ite(here, to, made)?;
                    }
                    made
                }
            }
        };
        known.insert(d, made);
        self.bounded(made)
    }

    /// The term that has, for each number that is a leaf of a value, the term with this number. `None` if it would be too large.
    pub fn selected(&mut self, terms: &mut Terms, d: Diagram, of: &FxHashMap<u64, Term>) -> Option<Diagram> {
        let made = self.replaced(d, &mut |all, leaf| {
            let t = all.term_of_leaf(terms, leaf)?;
            let t = *of.get(&terms.constant64(t)?)?;
            Some(all.value(terms, t))
        })?;
        self.few(terms, made)
    }

    /// Each number that is a leaf of a value, with the inputs for which it is the value.
    pub fn inputs_of_numbers(&mut self, terms: &mut Terms, d: Diagram) -> Option<Vec<(u64, Diagram)>> {
        let numbers = self.numbers(terms, d)?;
        let mut all = Vec::with_capacity(numbers.len());
        for number in numbers {
            let inputs = self.replaced(d, &mut |all, leaf| {
                let t = all.term_of_leaf(terms, leaf)?;
                Some(Diagram::of(terms.constant64(t)? == number))
            })?;
            all.push((number, inputs));
        }
        Some(all)
    }

    /// The values of a term on one byte, if they are few.
    fn values_of_byte(&mut self, terms: &mut Terms, t: Term) -> Option<Diagram> {
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
        let mut edges = Edges::with_capacity(sets.len());
        for (value, set) in sets {
            let leaf = terms.constant_of(w, value.into());
            edges.push((set, self.leaf(terms, leaf)));
        }
        let variable = Variable::Byte(id);
        Some(self.make(variable.place(terms), variable, edges))
    }

    /// A term that has the value of `t` for all inputs of `care`: a choice between the leaves that are left.
    pub fn simplified(&mut self, terms: &mut Terms, t: Term, care: Diagram) -> Term {
        if terms.constant(t).is_some() {
            return t;
        }
        let value = self.value(terms, t);
        let left = self.within(value, care);
        match self.term_of_leaf(terms, left) {
            Some(leaf) => self.known_value(terms, leaf, care, DEEPEST).unwrap_or(leaf),
            None => self.term(terms, left),
        }
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
        if let Some((op, x)) = Unary::of(terms, t).filter(|(op, _)| !matches!(op, Unary::Table(_))) {
            let x = self.known_value(terms, x, care, depth - 1)?;
            return Some(op.applied(terms, x));
        }
        let Node::Binary(op, x, y) = terms.node(t) else { return None };
        let x = self.known_value(terms, x, care, depth - 1)?;
        let y = self.known_value(terms, y, care, depth - 1)?;
        Some(terms.binary(op, x, y))
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

    /// The values that a condition leaves to a byte.
    fn values_left(&self, d: Diagram, id: ByteId) -> ByteSet {
        let (mut left, mut seen, mut todo) = (ByteSet::EMPTY, FxHashSet::default(), vec![d]);
        // Each condition but FALSE holds for some input.
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
}

//! The diagram of a condition, and the condition of a diagram.

use cleave_expr::{BinaryOp, ByteId, ByteSet, Node, Support, Term, Terms, Witness};

use crate::sets::{holds, runs};
use crate::store::{Diagram, Diagrams, Variable};
use crate::unary::Unary;
use crate::words::bytes_of_word;

impl Diagrams {
    /// The diagram of a term of one bit; `None` if it would be too large.
    pub fn of(&mut self, terms: &mut Terms, cond: Term) -> Option<Diagram> {
        if let Some(v) = terms.constant64(cond) {
            return Some(Diagram::of(v != 0));
        }
        if let Some(known) = self.of_terms.get(&cond) {
            return *known;
        }
        let made = self.computed(terms, cond);
        self.of_terms.insert(cond, made);
        made
    }

    fn computed(&mut self, terms: &mut Terms, cond: Term) -> Option<Diagram> {
        if let Support::One(id) = terms.support(cond)
            && let Some(set) = terms.byte_set(cond)
        {
            return Some(self.of_byte(terms, id, *set));
        }
        match terms.node(cond) {
            Node::Not(a) => {
                let d = self.of(terms, a)?;
                Some(self.not(d))
            }
            Node::Binary(op, a, b) if terms.width(a) == 1 && op != BinaryOp::Concat => {
                let (x, y) = (self.of(terms, a)?, self.of(terms, b)?);
                self.of_bits(op, x, y).unwrap_or_else(|| self.opaque(terms, cond))
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.of(terms, c)?, self.of(terms, a)?, self.of(terms, b)?);
                self.ite(c, a, b)
            }
            Node::Binary(op, a, b) if op.is_comparison() => {
                let (x, y) = (self.value(terms, a), self.value(terms, b));
                match self.pairs(terms, op, x, y) {
                    Some(compared) => self.of_bit(terms, compared),
                    None => self
                        .of_word(terms, op, a, b)
                        .or_else(|| self.compared_by_bits(terms, op, a, b))
                        .or_else(|| self.opaque(terms, cond)),
                }
            }
            Node::Extract(t, low) => {
                let word = self.value(terms, t);
                if self.is_leaf(word) {
                    return self.bit(terms, t, low).or_else(|| self.opaque(terms, cond));
                }
                let bit = self.map(terms, Unary::Extract(low, 1), word);
                self.of_bit(terms, bit)
            }
            _ => self.opaque(terms, cond),
        }
    }

    /// The condition that a value of one bit is: its leaves are conditions.
    fn of_bit(&mut self, terms: &mut Terms, bit: Diagram) -> Option<Diagram> {
        self.replaced(bit, &mut |all, leaf| match all.term_of_leaf(terms, leaf) {
            Some(t) => all.of(terms, t),
            None => Some(leaf),
        })
    }

    /// A comparison of a word of input bytes with a constant, byte by byte; `None` for other operands.
    fn of_word(&mut self, terms: &mut Terms, op: BinaryOp, a: Term, b: Term) -> Option<Diagram> {
        let (word, constant, flipped) = match (terms.constant(a), terms.constant(b)) {
            (None, Some(k)) => (a, k, false),
            (Some(k), None) => (b, k, true),
            _ => return None,
        };
        let mut bytes = Vec::new();
        if !bytes_of_word(terms, word, &mut bytes) {
            return None;
        }
        // From the lowest byte on: whether the bytes so far are less than, or the same as those of the constant.
        let (mut less, mut same) = (Diagram::FALSE, Diagram::TRUE);
        let last = bytes.len() - 1;
        for (i, &byte) in bytes.iter().enumerate() {
            let sign = if op == BinaryOp::Slt && i == last { 0x80 } else { 0 };
            let k = (constant >> (8 * i)) as u8 ^ sign;
            let of_set = |d: &mut Diagrams, is: &dyn Fn(u8) -> bool| match byte {
                Ok(id) => {
                    let mut set = ByteSet::EMPTY;
                    (0..=u8::MAX).filter(|&v| is(v ^ sign)).for_each(|v| set.insert(v));
                    d.of_byte(terms, id, set)
                }
                Err(v) => Diagram::of(is(v ^ sign)),
            };
            let (below, equal) = (of_set(self, &|v| v < k), of_set(self, &|v| v == k));
            let low = self.and(equal, less)?;
            less = self.or(below, low)?;
            same = self.and(equal, same)?;
        }
        if op == BinaryOp::Eq {
            return Some(same);
        }
        // The constant is less than the word where the word is neither less nor the same.
        if flipped {
            let at_most = self.or(less, same)?;
            return Some(self.not(at_most));
        }
        Some(less)
    }

    /// An operator of two conditions. `Some(None)` where the diagram would be too large.
    fn of_bits(&mut self, op: BinaryOp, x: Diagram, y: Diagram) -> Option<Option<Diagram>> {
        let not_x = self.not(x);
        Some(match op {
            BinaryOp::And | BinaryOp::Mul => self.and(x, y),
            BinaryOp::Or => self.or(x, y),
            BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub => {
                let not_y = self.not(y);
                self.ite(x, not_y, y)
            }
            BinaryOp::Eq => {
                let not_y = self.not(y);
                self.ite(x, y, not_y)
            }
            BinaryOp::Ult => self.and(not_x, y),
            // A bit that is set is -1.
            BinaryOp::Slt => {
                let not_y = self.not(y);
                self.and(x, not_y)
            }
            _ => return None,
        })
    }

    /// A condition that is a variable of its own.
    fn opaque(&mut self, terms: &mut Terms, cond: Term) -> Option<Diagram> {
        let variable = Variable::Opaque(cond);
        Some(self.of_set(variable.place(terms), variable, holds()))
    }

    /// A byte has one of these values.
    pub(crate) fn of_byte(&mut self, terms: &Terms, id: ByteId, set: ByteSet) -> Diagram {
        let variable = Variable::Byte(id);
        self.of_set(variable.place(terms), variable, set)
    }

    /// Whether an input satisfies a diagram.
    pub fn holds(&self, terms: &mut Terms, d: Diagram, input: &Witness) -> bool {
        let mut d = d;
        while let Some(node) = self.node(d) {
            let value = match node.variable {
                Variable::Byte(id) => input.get(id),
                Variable::Opaque(cond) => terms.holds(cond, input).into(),
                Variable::Leaf(t) => return terms.holds(t, input),
            };
            let Some((_, to)) = node.edges.iter().find(|(set, _)| set.contains(value)) else { return false };
            d = *to;
        }
        d == Diagram::TRUE
    }

    /// Values of bytes for which a diagram holds, if comparisons that are its variables turn out as it needs them: those of `near` where they
    /// fit. `None` for [`Diagram::FALSE`].
    pub fn input(&self, d: Diagram, near: &Witness) -> Option<Vec<(ByteId, u8)>> {
        let (mut d, mut values) = (d, Vec::new());
        while let Some(node) = self.node(d) {
            let usual = match node.variable {
                Variable::Byte(id) => near.get(id),
                Variable::Opaque(_) | Variable::Leaf(_) => 1,
            };
            let mut open = node.edges.iter().filter(|(_, to)| *to != Diagram::FALSE);
            let (set, to) = open.clone().find(|(set, _)| set.contains(usual)).or_else(|| open.next())?;
            if let Variable::Byte(id) = node.variable {
                values.push((id, if set.contains(usual) { usual } else { set.first()? }));
            }
            d = *to;
        }
        (d == Diagram::TRUE).then_some(values)
    }

    /// The term that a diagram stands for: the same term for the same diagram.
    pub fn term(&mut self, terms: &mut Terms, d: Diagram) -> Term {
        if let Some(t) = self.term_of_leaf(terms, d) {
            return t;
        }
        if let Some(&known) = self.terms_of.get(&d) {
            return known;
        }
        let Some(node) = self.node(d).cloned() else { return terms.bool(false) };
        // The last edge is what is left when the others are not taken.
        let Some(((_, last), others)) = node.edges.split_last() else { return terms.bool(false) };
        let (mut made, mut rest) = (self.term(terms, *last), Some(*last));
        for (set, to) in others.iter().rev() {
            let (here, there) = (self.is_in(terms, node.variable, set), self.term(terms, *to));
            let choice = terms.ite(here, there, made);
            let taken = self.of_set(node.place, node.variable, *set);
            rest = rest.and_then(|rest| {
                let whole = self.ite(taken, *to, rest)?;
                self.keeps_diagram(terms, choice, whole, here, [(there, *to), (made, rest)]);
                Some(whole)
            });
            made = choice;
        }
        self.terms_of.insert(d, made);
        made
    }

    /// Keeps the diagram of a term that was made of it, as a choice between two others, if computing it would come to the same.
    fn keeps_diagram(&mut self, terms: &Terms, t: Term, d: Diagram, c: Term, sides: [(Term, Diagram); 2]) {
        let is_known = |(side, of): (Term, Diagram)| {
            terms.constant(side).is_some() || self.values.get(&side).is_some_and(|known| *known == of)
        };
        if terms.width(t) == 1 {
            // The diagram of a condition on bytes is one, however the term was simplified.
            if !self.compares(d) {
                self.of_terms.entry(t).or_insert(Some(d));
            }
        } else if terms.node(t) == Node::Ite(c, sides[0].0, sides[1].0)
            && terms.support(t) == Support::Many
            && !terms.has_floats(t)
            && sides.into_iter().all(is_known)
        {
            self.values.entry(t).or_insert(d);
        }
    }

    /// Whether a variable has one of these values.
    fn is_in(&mut self, terms: &mut Terms, variable: Variable, set: &ByteSet) -> Term {
        match variable {
            Variable::Opaque(cond) | Variable::Leaf(cond) => {
                if set.contains(0) {
                    terms.not(cond)
                } else {
                    cond
                }
            }
            Variable::Byte(id) => {
                if let Some(&known) = self.in_sets.get(&(id, *set)) {
                    return known;
                }
                let made = byte_is_in(terms, id, set);
                self.in_sets.insert((id, *set), made);
                made
            }
        }
    }
}

/// Whether a byte has one of these values.
fn byte_is_in(terms: &mut Terms, id: ByteId, set: &ByteSet) -> Term {
    let (object, offset) = terms.byte_position(id);
    let byte = terms.byte(object, offset);
    let (there, elsewhere) = (runs(set), runs(&set.complement()));
    let opposite = elsewhere.len() < there.len();
    let mut any = terms.bool(false);
    for (first, last) in if opposite { elsewhere } else { there } {
        let k = terms.constant_of(8, first.into());
        let within = if first == last {
            terms.eq(byte, k)
        } else {
            let above = terms.sub(byte, k);
            let room = terms.constant_of(8, (last - first).into());
            terms.ule(above, room)
        };
        any = terms.or(any, within);
    }
    if opposite { terms.not(any) } else { any }
}

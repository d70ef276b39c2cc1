//! Canonical forms of sums, for solvers; the rewriter calls it. Most of these sums count conditions.
//!
//! `count[x]++` makes each cell `x == k ? count + 1 : count`, and the next increment a choice between such choices. As a sum of
//! conditions, in the order of the bits that they depend on, the contribution of the first bytes is one number.

use crate::evaluation::semantics::mask64;
use crate::policy::rewriting;
use crate::store::term::{BinaryOp, Node, Term};
use crate::store::terms::Terms;

/// A sum without overflow: its parts, of any widths, and a constant.
struct Sum {
    parts: Vec<Term>,
    constant: u64,
}

impl Terms {
    /// `c ? a : b` as a sum, if `a` and `b` differ only by a constant.
    pub(crate) fn choice_as_sum(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if w == 1 || w > 64 {
            return None;
        }
        let (yes, no) = (self.summands(a)?, self.summands(b)?);
        if no.parts.is_empty() || yes.parts != no.parts {
            return None;
        }
        let least = yes.constant.min(no.constant);
        let more = yes.constant.max(no.constant) - least;
        let when = if yes.constant > no.constant { c } else { self.not(c) };
        let bits = (64 - more.leading_zeros()) as u8;
        let part = match more {
            0 => return None,
            1 => when,
            _ => {
                let (more, zero) = (self.constant_of(bits, more.into()), self.constant_of(bits, 0));
                self.ite(when, more, zero)
            }
        };
        let mut sum = Sum { constant: least, ..no };
        sum.parts.push(part);
        self.of_sum(sum, w)
    }

    /// `a + b` in canonical form, if it does not overflow and one operand has at most one part. The sum of two longer sums
    /// stays as it is, because other terms share these.
    pub(crate) fn sum_in_order(&mut self, a: Term, b: Term) -> Option<Term> {
        if self.width(a) > 64 || !self.sum_fits(a, b) {
            return None;
        }
        let (one, other) = (self.summands(a)?, self.summands(b)?);
        if one.parts.len().min(other.parts.len()) > 1 || one.parts.len() + other.parts.len() < 3 {
            return None;
        }
        let w = self.width(a);
        let parts = one.parts.into_iter().chain(other.parts).collect();
        self.of_sum(Sum { parts, constant: one.constant.checked_add(other.constant)? }, w)
    }

    /// The parts of a term that is a sum without overflow, in order; the term itself if it is no such sum.
    fn summands(&mut self, t: Term) -> Option<Sum> {
        let mut sum = Sum { parts: Vec::new(), constant: 0 };
        let mut open = vec![t];
        while let Some(t) = open.pop() {
            if sum.parts.len() + open.len() > rewriting::SUMMANDS || self.width(t) > 64 {
                return None;
            }
            match self.node(t) {
                Node::Const(v) => sum.constant = sum.constant.checked_add(v)?,
                Node::Zext(x) => open.push(x),
                Node::Extract(x, 0) if self.width(x) <= 64 && self.range(x).1 <= mask64(self.width(t)) => {
                    open.push(x);
                }
                Node::Binary(BinaryOp::Add, a, b) if self.sum_fits(a, b) => open.extend([a, b]),
                _ => sum.parts.push(t),
            }
        }
        let mut parts: Vec<(u32, Term)> = sum.parts.iter().map(|&part| (self.last_bit(part), part)).collect();
        parts.sort_unstable();
        sum.parts = parts.into_iter().map(|(_, part)| part).collect();
        Some(sum)
    }

    fn sum_fits(&self, a: Term, b: Term) -> bool {
        self.range(a).1.checked_add(self.range(b).1).is_some_and(|most| most <= mask64(self.width(a)))
    }

    /// The term of a sum, of `w` bits. Partial sums have the least width that holds them, so sums with the same first parts share
    /// them.
    fn of_sum(&mut self, mut sum: Sum, w: u8) -> Option<Term> {
        let mut parts: Vec<(u32, Term)> = Vec::with_capacity(sum.parts.len());
        for part in sum.parts.drain(..) {
            parts.push((self.last_bit(part), part));
        }
        parts.sort_unstable();
        let bits = |most: u64| ((64 - most.leading_zeros()) as u8).max(1);
        let mut most = 0u64;
        let mut all: Option<Term> = None;
        for (_, part) in parts {
            most = most.checked_add(self.range(part).1)?;
            all = Some(self.plus(all, part, bits(most)));
        }
        if sum.constant > 0 {
            most = most.checked_add(sum.constant)?;
            let constant = self.constant_of(bits(most), sum.constant.into());
            all = Some(self.plus(all, constant, bits(most)));
        }
        (most <= mask64(w)).then(|| self.resize_to(all, w))
    }

    /// Adds a part to a sum, in `bits` bits; the result must fit.
    fn plus(&mut self, sum: Option<Term>, part: Term, bits: u8) -> Term {
        let part = self.resize(part, bits);
        let Some(sum) = sum else { return part };
        let sum = self.resize(sum, bits);
        self.add(sum, part)
    }

    fn resize_to(&mut self, sum: Option<Term>, w: u8) -> Term {
        match sum {
            Some(sum) => self.resize(sum, w),
            None => self.constant_of(w, 0),
        }
    }

    /// The index of the last input bit that a term depends on: eight times the byte's id plus the bit's place in it.
    fn last_bit(&mut self, t: Term) -> u32 {
        if let Some(&known) = self.last_bits.get(&t) {
            return known;
        }
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            let found = match self.node(top) {
                Node::Byte(id) => Some(8 * id.0 + 7),
                Node::Extract(x, low) if let Node::Byte(id) = self.node(x) => {
                    Some(8 * id.0 + low + u32::from(self.width(top)) - 1)
                }
                _ => {
                    let before = stack.len();
                    stack.extend(self.children(top).filter(|c| !self.last_bits.contains_key(c)));
                    let whole = stack.len() == before;
                    whole.then(|| self.children(top).map(|c| self.last_bits[&c]).max().unwrap_or(0))
                }
            };
            if let Some(found) = found {
                self.last_bits.insert(top, found);
                stack.pop();
            }
        }
        self.last_bits[&t]
    }
}

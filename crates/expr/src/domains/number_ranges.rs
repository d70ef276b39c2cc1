//! Intervals of floating-point terms that hold for every input. The constructors in `floats` use them to decide comparisons.

use crate::domains::interval::{self, Interval, last_place};
use crate::evaluation::semantics::{mask, sign_extend};
use crate::float::float_op::{FloatOp, kind};
use crate::store::term::{Node, Term};
use crate::store::terms::Terms;

impl Terms {
    /// The interval of a term of 32, 64 or 80 bits as a number; it holds for every input.
    pub fn numbers(&self, t: Term) -> Interval {
        let k = kind(self.width(t));
        if let Some(bits) = self.constant(t) {
            return Interval::of_bits(k, bits);
        }
        match self.node(t) {
            Node::Float(..) => self.numbers.get(&t).copied().unwrap_or(Interval::full(k)),
            Node::Ite(_, a, b) if !matches!(self.node(a), Node::Ite(..)) => {
                // One branch of a choice may be a choice again: a chain of choices is followed, a tree is not.
                let mut hull = self.numbers(a);
                let mut rest = b;
                for _ in 0..16 {
                    match self.node(rest) {
                        Node::Ite(_, a, b) if !matches!(self.node(a), Node::Ite(..)) => {
                            hull = hull.hull(self.numbers(a));
                            rest = b;
                        }
                        Node::Ite(..) => return Interval::full(k),
                        _ => return hull.hull(self.numbers(rest)),
                    }
                }
                Interval::full(k)
            }
            _ => Interval::full(k),
        }
    }

    /// Signed bounds of a word, from its unsigned bounds.
    pub(crate) fn signed_range(&self, t: Term) -> (i128, i128) {
        let w = self.width(t);
        let all = (sign_extend(1 << (w - 1), w), (mask(w) >> 1) as i128);
        if w > 64 {
            return all;
        }
        if let Node::Sext(x) = self.node(t) {
            return self.signed_range(x);
        }
        let (lo, hi) = self.range(t);
        let half = (mask(w) >> 1) as u64;
        if (lo <= half) == (hi <= half) {
            (sign_extend(lo.into(), w), sign_extend(hi.into(), w))
        } else {
            all
        }
    }

    /// The interval of an operation's results; it holds for every input.
    pub(crate) fn numbers_of(&self, op: FloatOp, w: u8, [a, b, c]: [Term; 3]) -> Interval {
        let from = self.width(a);
        match op {
            FloatOp::FromSigned(_) => {
                let (lo, hi) = self.signed_range(a);
                interval::of_integers(op, from, w, lo, hi)
            }
            FloatOp::FromUnsigned(_) => {
                let (lo, hi) = if from > 64 {
                    (0, mask(from.min(127)) as i128)
                } else {
                    (self.range(a).0.into(), self.range(a).1.into())
                };
                if from == 128 {
                    return Interval { lo: 0, hi: last_place(kind(w)), nan: false };
                }
                interval::of_integers(op, from, w, lo, hi)
            }
            _ => interval::over(op, from, w, [a, b, c].map(|t| self.numbers(t)), a == b),
        }
    }

    /// The answer of a comparison as a constant, if the operands' intervals decide it.
    pub(crate) fn decided_by_numbers(&mut self, op: FloatOp, a: Term, b: Term) -> Option<Term> {
        let answer = interval::decided(op, self.numbers(a), self.numbers(b))?;
        Some(self.bool(answer))
    }
}

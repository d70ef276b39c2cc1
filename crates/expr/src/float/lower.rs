//! Bit-blasting of floating-point terms to bit-vector terms, for back ends: a circuit for each operator, with the bits that
//! [`cleave_float`] gives, including those of NaNs and of the x87's invalid patterns. SMT-LIB's theory of floating point is
//! less precise: it has one NaN, and no explicit integer bit.
//!
//! The circuits are the textbook's: operands are unpacked and normalised, the exact result is computed with a sticky
//! bit, and rounded once.

mod arithmetic; // sums, products, quotients, roots
mod format; // formats, and numbers in their parts
mod integers; // from and to integers
mod remainder; // remainders
mod rounding; // rounding to a format
mod whole; // rounding to whole numbers

use crate::float::float_op::{FloatOp, kind};
use crate::policy::floats;
use crate::store::term::{Node, Term};
use crate::store::terms::Terms;
use format::Format;
use rustc_hash::FxHashSet;

impl Terms {
    /// `t` without floating-point operations: a term of the same value under each test. `None` if an operation has no
    /// circuit: a fused product in extended precision, whose sum is wider than terms can be, or a remainder of
    /// numbers whose exponents may be far apart.
    pub fn lowered(&mut self, t: Term) -> Option<Term> {
        let low = self.lowered_until(t, || false)?;
        self.premises(t).is_empty().then_some(low)
    }

    /// The assumptions of the circuits of `t`: conditions without floating-point operations. If one does not hold, the
    /// term that [`Terms::lowered_until`] gives may have another value than `t`.
    pub fn premises(&self, t: Term) -> Vec<Term> {
        if self.premises.is_empty() {
            return Vec::new();
        }
        let (mut seen, mut todo, mut found) = (FxHashSet::default(), vec![t], Vec::new());
        while let Some(t) = todo.pop() {
            if self.has_floats(t) && seen.insert(t) {
                found.extend(self.premises.get(&t));
                todo.extend(self.children(t));
            }
        }
        found
    }

    /// As [`Terms::lowered`], but `None` as soon as `over` returns true: the circuits of a thousand operations take seconds.
    /// Finished circuits are kept. Circuits of remainders whose numbers may be far apart are right only if [`Terms::premises`]
    /// hold.
    pub fn lowered_until(&mut self, t: Term, over: impl Fn() -> bool) -> Option<Term> {
        let mut todo = vec![t];
        while let Some(&top) = todo.last() {
            if !self.has_floats(top) || self.lowered.contains_key(&top) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            for part in self.children(top) {
                if self.has_floats(part) && !self.lowered.contains_key(&part) {
                    todo.push(part);
                }
            }
            if todo.len() > before {
                continue;
            }
            todo.pop();
            if over() {
                return None;
            }
            let low = self.lowered_node(top)?;
            debug_assert!(self.width(low) == self.width(top) && !self.has_floats(low));
            self.lowered.insert(top, low);
        }
        Some(self.low(t))
    }

    /// The lowered form of a term; a term that has none yet is returned as it is.
    fn low(&self, t: Term) -> Term {
        if self.has_floats(t) { self.lowered.get(&t).copied().unwrap_or(t) } else { t }
    }

    fn lowered_node(&mut self, t: Term) -> Option<Term> {
        let w = self.width(t);
        Some(match self.node(t) {
            Node::Const(_) | Node::WideConst(_) | Node::Byte(_) => t,
            Node::Not(a) => {
                let a = self.low(a);
                self.not(a)
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.low(a), self.low(b));
                self.binary(op, a, b)
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.low(c), self.low(a), self.low(b));
                self.ite(c, a, b)
            }
            Node::Extract(a, low) => {
                let a = self.low(a);
                self.extract(a, low, w)
            }
            Node::Zext(a) => {
                let a = self.low(a);
                self.zext(a, w)
            }
            Node::Sext(a) => {
                let a = self.low(a);
                self.sext(a, w)
            }
            Node::Table(id, a) => {
                let a = self.low(a);
                self.table(id, a)
            }
            Node::Float(op, a, b, c) => {
                let from = self.width(a);
                if op == FloatOp::Rem {
                    return Some(self.remainder_circuit(t, a, b));
                }
                let [a, b, c] = [a, b, c].map(|t| self.low(t));
                return self.circuit(op, from, w, [a, b, c]);
            }
        })
    }

    /// The circuit of the remainder `t` of two numbers, given before lowering: the distance of their exponents determines its
    /// size.
    fn remainder_circuit(&mut self, t: Term, a: Term, b: Term) -> Term {
        let f = Format::of(kind(self.width(a)));
        let (low, by) = (self.low(a), self.low(b));
        if let Some(power) = self.power_of_two(f, b) {
            return self.remainder_of_power(f, low, by, power);
        }
        let steps = match self.remainder_steps(f, a, b) {
            Some(steps) => steps,
            None => {
                let near = self.near_enough(f, low, by);
                self.premises.insert(t, near);
                floats::NEAR_DIGITS
            }
        };
        self.long_remainder(f, steps, low, by)
    }

    fn circuit(&mut self, op: FloatOp, from: u8, w: u8, [a, b, c]: [Term; 3]) -> Option<Term> {
        use FloatOp::*;
        let f = Format::of(kind(from));
        Some(match op {
            Add(mode) => self.sum(f, mode, a, b),
            Sub(mode) => self.difference(f, mode, a, b),
            Mul(mode) => self.product(f, mode, a, b),
            Div(mode) => self.quotient(f, mode, a, b),
            MulAdd(_) if from == 80 => return None,
            MulAdd(mode) => self.fused(f, mode, a, b, c),
            Sqrt(mode) => self.square_root(f, mode, a),
            Rint(_) | Floor | Ceil | Trunc | Round => self.whole(f, op, a),
            Neg => {
                let (sign, rest) = self.sign_and_rest(a);
                let sign = self.not(sign);
                self.concat(sign, rest)
            }
            Abs => {
                let rest = self.sign_and_rest(a).1;
                self.zext(rest, w)
            }
            Convert(mode) => self.converted(f, Format::of(kind(w)), mode, a),
            Rem => return None,
            ToSigned | ToUnsigned if w > 64 => self.cut_to_wide_integer(f, op == ToSigned, w, a),
            ToSigned => self.cut_to_integer(f, true, w, a),
            ToUnsigned => self.cut_to_integer(f, false, w, a),
            FromSigned(mode) => self.of_integer(Format::of(kind(w)), true, mode, a),
            FromUnsigned(mode) => self.of_integer(Format::of(kind(w)), false, mode, a),
            Less => self.ordered_circuit(f, false, a, b),
            LessEqual => self.ordered_circuit(f, true, a, b),
            Equal => self.equal_circuit(f, a, b),
            IsNan => self.unpacked(f, a).nan,
        })
    }
}

//! Intervals of floating-point terms that hold for every input. The constructors in `floats` use them to decide comparisons, and
//! to turn a comparison of a monotone function of a term into a comparison of the term.

use crate::domains::interval::{self, Interval, at_place, last_place};
use crate::evaluation::semantics::{mask, sign_extend};
use crate::float::float_op::{FloatOp, kind};
use crate::store::term::{Node, Term};
use crate::store::terms::Terms;

/// A monotone function of one term.
#[derive(Clone, Copy)]
struct Monotone {
    /// The operator, and the constant that is its other operand.
    op: FloatOp,
    constant: u128,
    /// True if the term is the first operand.
    first: bool,
    term: Term,
    falls: bool,
}

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

    /// A term as a monotone function of another term that gives NaN only for NaN.
    fn monotone(&self, t: Term) -> Option<Monotone> {
        let Node::Float(op, a, b, _) = self.node(t) else { return None };
        let of = |op, term, constant, first, falls| Some(Monotone { op, constant, first, term, falls });
        match op {
            FloatOp::Neg => of(op, a, 0, true, true),
            FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_) if self.width(a) <= 64 => {
                of(op, a, 0, true, false)
            }
            FloatOp::Rint(_)
            | FloatOp::Floor
            | FloatOp::Ceil
            | FloatOp::Trunc
            | FloatOp::Round
            | FloatOp::Convert(_) => of(op, a, 0, true, false),
            FloatOp::Add(_) | FloatOp::Sub(_) | FloatOp::Mul(_) | FloatOp::Div(_) => {
                let (first, constant, term) = match (self.constant(a), self.constant(b)) {
                    (None, Some(v)) => (true, v, a),
                    (Some(v), None) => (false, v, b),
                    _ => return None,
                };
                let k = kind(self.width(a));
                let i = Interval::of_bits(k, constant);
                let finite = !i.nan && i.lo.abs() < last_place(k);
                let multiplies = matches!(op, FloatOp::Mul(_) | FloatOp::Div(_));
                if !finite || (multiplies && i.lo == 0) || (matches!(op, FloatOp::Div(_)) && !first) {
                    return None;
                }
                let falls = match op {
                    FloatOp::Sub(_) => !first,
                    FloatOp::Mul(_) | FloatOp::Div(_) => i.lo < 0,
                    _ => false,
                };
                of(op, term, constant, first, falls)
            }
            _ => None,
        }
    }

    /// `f(x) op constant`, or with the constant first, as a comparison of `x`, for a monotone `f`. Bisection with the
    /// operation itself finds the place where the answer changes.
    pub(crate) fn compared_below(&mut self, op: FloatOp, a: Term, b: Term) -> Option<Term> {
        let (t, constant, constant_first) = match (self.constant(a), self.constant(b)) {
            (None, Some(v)) => (a, v, false),
            (Some(v), None) => (b, v, true),
            _ => return None,
        };
        let f = self.monotone(t)?;
        let (from, to) = (self.width(f.term), self.width(t));
        let of_integer = matches!(f.op, FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_));
        let (least, most) = match f.op {
            FloatOp::FromSigned(_) => (sign_extend(1 << (from - 1), from), (mask(from) >> 1) as i128),
            FloatOp::FromUnsigned(_) => (0, mask(from) as i128),
            _ => (-last_place(kind(from)), last_place(kind(from))),
        };
        let bits = |place: i128| match of_integer {
            true => place as u128 & mask(from),
            false => at_place(kind(from), place),
        };
        let value = |place: i128| {
            let x = bits(place);
            let operands = if f.first { [x, f.constant, x] } else { [f.constant, x, x] };
            f.op.value(from, to, operands)
        };
        let holds = |op: FloatOp, place: i128| {
            let v = value(place);
            let operands = if constant_first { [constant, v, v] } else { [v, constant, v] };
            op.value(to, 1, operands) != 0
        };
        if op == FloatOp::Equal {
            // The places from the first whose value is not below the constant to the last whose value is not above it.
            let side = |upper: bool, place: i128| {
                let v = value(place);
                let operands = if upper { [v, constant, v] } else { [constant, v, v] };
                FloatOp::LessEqual.value(to, 1, operands) != 0
            };
            // For a rising function `constant <= f(x)` holds from a place on, and `f(x) <= constant` up to one.
            let from_on = first_that(least, most, |p| side(f.falls, p));
            let (lo, up_to) = (from_on, last_that(least, most, |p| side(!f.falls, p)));
            let (Some(lo), Some(hi)) = (lo, up_to) else { return Some(self.bool(false)) };
            if lo > hi {
                return Some(self.bool(false));
            }
            let (low, high) = (self.constant_of(from, bits(lo)), self.constant_of(from, bits(hi)));
            let (p, q) = match f.op {
                FloatOp::FromSigned(_) => (self.sle(low, f.term), self.sle(f.term, high)),
                FloatOp::FromUnsigned(_) => (self.ule(low, f.term), self.ule(f.term, high)),
                _ if lo == hi => {
                    let same = self.float(FloatOp::Equal, 1, &[f.term, low]);
                    return Some(same);
                }
                _ => (
                    self.float(FloatOp::LessEqual, 1, &[low, f.term]),
                    self.float(FloatOp::LessEqual, 1, &[f.term, high]),
                ),
            };
            return Some(self.and(p, q));
        }
        // If `f` rises, `f(x) < c` holds up to a place.
        let up_to = constant_first == f.falls;
        let found = if up_to {
            last_that(least, most, |p| holds(op, p))
        } else {
            first_that(least, most, |p| holds(op, p))
        };
        let Some(place) = found else { return Some(self.bool(false)) };
        let bound = self.constant_of(from, bits(place));
        let (p, q) = if up_to { (f.term, bound) } else { (bound, f.term) };
        Some(match f.op {
            FloatOp::FromSigned(_) => self.sle(p, q),
            FloatOp::FromUnsigned(_) => self.ule(p, q),
            _ => self.float(FloatOp::LessEqual, 1, &[p, q]),
        })
    }
}

/// The greatest place at which a predicate holds that holds up to some place.
fn last_that(least: i128, most: i128, holds: impl Fn(i128) -> bool) -> Option<i128> {
    if !holds(least) {
        return None;
    }
    let (mut lo, mut hi) = (least, most);
    while lo < hi {
        let middle = lo + (hi - lo + 1) / 2;
        if holds(middle) {
            lo = middle;
        } else {
            hi = middle - 1;
        }
    }
    Some(lo)
}

/// The least place at which a predicate holds that holds from some place on.
fn first_that(least: i128, most: i128, holds: impl Fn(i128) -> bool) -> Option<i128> {
    let last = last_that(-most, -least, |p| holds(-p))?;
    Some(-last)
}

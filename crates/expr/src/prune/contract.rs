//! Bounds of words from conditions that must hold in a box, propagated backwards through the conditions' terms (HC4: Benhamou,
//! Goualard, Granvilliers and Puget, 1999). `Boxes::contract` calls it.
//!
//! If a rounded result is at most some number, the exact result is at most the next number, in every rounding mode. So the bounds
//! of a result, widened by one place, bound the exact result; and the inverse operation, rounded outwards, bounds the operands.
//! Nothing follows from a result that may be NaN.

use cleave_float::{FBinOp, FUnOp, Float, Rounding};

use crate::domains::interval::{Interval, at_place, last_place, place_of};
use crate::float::float_op::{FloatOp, kind};
use crate::prune::parts::{Bound, Part, Step};
use crate::store::term::{BinaryOp, Node};
use crate::store::terms::Terms;

/// A range of reals whose ends are numbers of a format, given by their places.
#[derive(Clone, Copy)]
struct Reals {
    k: Float,
    lo: i128,
    hi: i128,
}

/// The place of a result; `None` if it is NaN, so that nothing is known.
type Place = Option<i128>;

impl Reals {
    fn of(k: Float, i: Interval) -> Reals {
        Reals { k, lo: i.lo, hi: i.hi }
    }

    /// The reals that may have been rounded to a number between two.
    fn before_rounding(k: Float, i: Interval) -> Reals {
        let last = last_place(k);
        Reals { k, lo: (i.lo - 1).max(-last), hi: (i.hi + 1).min(last) }
    }

    fn has_zero(self) -> bool {
        self.lo <= 0 && 0 <= self.hi
    }

    fn neg(self) -> Reals {
        Reals { lo: -self.hi, hi: -self.lo, ..self }
    }

    fn op(self, mode: Rounding, op: FBinOp, a: i128, b: i128) -> Place {
        let bits = mode.binary(op, self.k, at_place(self.k, a), at_place(self.k, b));
        let i = Interval::of_bits(self.k, bits);
        (!i.nan).then_some(i.lo)
    }

    fn plus(self, other: Reals) -> Option<Reals> {
        let lo = self.op(Rounding::Down, FBinOp::Add, self.lo, other.lo)?;
        let hi = self.op(Rounding::Up, FBinOp::Add, self.hi, other.hi)?;
        Some(Reals { lo, hi, ..self })
    }

    fn minus(self, other: Reals) -> Option<Reals> {
        self.plus(other.neg())
    }

    fn corners(self, op: FBinOp, other: Reals) -> Option<Reals> {
        let (mut lo, mut hi) = (i128::MAX, i128::MIN);
        for (a, b) in [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)] {
            lo = lo.min(self.op(Rounding::Down, op, a, b)?);
            hi = hi.max(self.op(Rounding::Up, op, a, b)?);
        }
        Some(Reals { lo, hi, ..self })
    }

    fn times(self, other: Reals) -> Option<Reals> {
        self.corners(FBinOp::Mul, other)
    }

    /// Quotients by the nonzero reals of `other`. A zero at an end of the divisor is left out.
    fn over(self, mut other: Reals) -> Option<Reals> {
        if other.has_zero() {
            // The dividend is a multiple of the divisor: if it is not zero, neither is the divisor.
            if self.has_zero() {
                return None;
            }
            match (other.lo, other.hi) {
                (0, 1..) => other.lo = 1,
                (..=-1, 0) => other.hi = -1,
                _ => return None,
            }
        }
        self.corners(FBinOp::Div, other)
    }

    /// The reals whose square lies in this range; the bounds `of` may exclude one sign.
    fn roots(self, of: Interval) -> Option<Reals> {
        let root = |mode: Rounding, place: i128| {
            place_of(self.k, mode.unary(FUnOp::Sqrt, self.k, at_place(self.k, place)))
        };
        if self.hi < 0 {
            return Some(Reals { lo: 1, hi: 0, ..self });
        }
        let most = root(Rounding::Up, self.hi);
        let least = if self.lo > 0 { root(Rounding::Down, self.lo) } else { 0 };
        Some(match (of.lo > -least, of.hi < least) {
            (true, true) if least > 0 => Reals { lo: 1, hi: 0, ..self },
            (true, _) if least > 0 => Reals { lo: least, hi: most, ..self },
            (_, true) if least > 0 => Reals { lo: -most, hi: -least, ..self },
            _ => Reals { lo: -most, hi: most, ..self },
        })
    }

    fn squared(self) -> Option<Reals> {
        let square = self.corners(FBinOp::Mul, self)?;
        Some(Reals { lo: square.lo.max(0), ..square })
    }
}

/// Bounds of parts under the condition that all conditions hold; they only become narrower.
pub(crate) struct Contraction<'a> {
    terms: &'a Terms,
    parts: &'a [Part],
    values: &'a mut [Bound],
    /// Some part has no value left: the conditions cannot hold.
    pub(crate) empty: bool,
}

impl<'a> Contraction<'a> {
    pub(crate) fn new(terms: &'a Terms, parts: &'a [Part], values: &'a mut [Bound]) -> Contraction<'a> {
        Contraction { terms, parts, values, empty: false }
    }

    /// Assumes that a condition holds.
    pub(crate) fn require(&mut self, place: usize) {
        self.integer(place, 1, 1);
    }

    /// Narrows the operands of each part by its bounds, from the last part to the first.
    pub(crate) fn run(&mut self) {
        for place in (0..self.parts.len()).rev() {
            if self.empty {
                return;
            }
            if let Step::Of(places) = self.parts[place].2 {
                self.backwards(place, places);
            }
        }
    }

    fn integer(&mut self, place: usize, least: u128, most: u128) {
        if let Bound::Integer(lo, hi) = self.values[place] {
            let (lo, hi) = (lo.max(least), hi.min(most));
            self.empty |= lo > hi;
            if lo <= hi {
                self.values[place] = Bound::Integer(lo, hi);
            }
        }
    }

    /// Assumes that a part is a number in an interval, or NaN if the interval allows it.
    fn number(&mut self, place: usize, with: Interval) {
        if let Bound::Number(i) = self.values[place] {
            let i = Interval { lo: i.lo.max(with.lo), hi: i.hi.min(with.hi), nan: i.nan && with.nan };
            self.empty |= i.is_empty() && !i.nan;
            self.values[place] = Bound::Number(i);
        }
    }

    fn reals(&mut self, place: usize, with: Option<Reals>) {
        let k = kind(self.terms.width(self.parts[place].0));
        let with = with.map_or(Interval { nan: false, ..Interval::full(k) }, |r| Interval {
            lo: r.lo,
            hi: r.hi,
            nan: false,
        });
        self.number(place, with);
    }

    fn bit(&self, place: usize) -> Option<bool> {
        match self.values[place] {
            Bound::Integer(1, 1) => Some(true),
            Bound::Integer(0, 0) => Some(false),
            _ => None,
        }
    }

    fn backwards(&mut self, place: usize, [a, b, c]: [usize; 3]) {
        let t = self.parts[place].0;
        match (self.terms.node(t), self.values[place]) {
            (Node::Float(op, ..), Bound::Integer(..)) => {
                if op.is_comparison()
                    && let Some(holds) = self.bit(place)
                {
                    self.compared(op, holds, a, b);
                }
            }
            (Node::Float(op, ..), Bound::Number(i)) => self.operation(op, (place, i), [a, b, c]),
            (Node::Ite(..), value) => {
                match self.bit(a) {
                    Some(true) => self.same(b, value),
                    Some(false) => self.same(c, value),
                    None => {
                        // A branch whose bounds exclude the result is not taken.
                        if self.apart(b, value) {
                            self.integer(a, 0, 0);
                            self.same(c, value);
                        } else if self.apart(c, value) {
                            self.integer(a, 1, 1);
                            self.same(b, value);
                        }
                    }
                }
            }
            (Node::Not(_), Bound::Integer(..)) if self.terms.width(t) == 1 => {
                if let Some(holds) = self.bit(place) {
                    let of = u128::from(!holds);
                    self.integer(a, of, of);
                }
            }
            (Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..), Bound::Integer(..))
                if self.terms.width(t) == 1 =>
            {
                let Some(holds) = self.bit(place) else { return };
                // Both operands have the value `holds`; or one of them has, if the other has not.
                let both = (op == BinaryOp::And) == holds;
                let of = u128::from(holds);
                for (x, y) in [(a, b), (b, a)] {
                    if both || self.bit(y) == Some(!holds) {
                        self.integer(x, of, of);
                    }
                }
            }
            _ => {}
        }
    }

    /// Assumes that a part has a value within the bounds of another part.
    fn same(&mut self, place: usize, value: Bound) {
        match value {
            Bound::Number(i) => self.number(place, i),
            Bound::Integer(lo, hi) => self.integer(place, lo, hi),
        }
    }

    /// True if a part and a value have nothing in common.
    fn apart(&self, place: usize, value: Bound) -> bool {
        match (self.values[place], value) {
            (Bound::Number(x), Bound::Number(y)) => {
                let none = x.is_empty() || y.is_empty() || x.hi < y.lo || y.hi < x.lo;
                none && !(x.nan && y.nan)
            }
            (Bound::Integer(a, b), Bound::Integer(c, d)) => b < c || d < a,
            _ => false,
        }
    }

    fn compared(&mut self, op: FloatOp, holds: bool, a: usize, b: usize) {
        let (Bound::Number(x), Bound::Number(y)) = (self.values[a], self.values[b]) else { return };
        let below = |i: Interval, place: i128| Interval { hi: i.hi.min(place), nan: false, ..i };
        let above = |i: Interval, place: i128| Interval { lo: i.lo.max(place), nan: false, ..i };
        match (op, holds) {
            (FloatOp::Less | FloatOp::LessEqual, true) => {
                let step = i128::from(op == FloatOp::Less);
                self.number(a, below(x, y.hi - step));
                self.number(b, above(y, x.lo + step));
            }
            (FloatOp::Less | FloatOp::LessEqual, false) if !x.nan && !y.nan => {
                let step = i128::from(op == FloatOp::LessEqual);
                self.number(a, above(x, y.lo + step));
                self.number(b, below(y, x.hi - step));
            }
            (FloatOp::Equal, true) => {
                let both = Interval { lo: x.lo.max(y.lo), hi: x.hi.min(y.hi), nan: false };
                self.number(a, both);
                self.number(b, both);
            }
            (FloatOp::IsNan, true) => self.number(a, Interval { lo: 1, hi: 0, nan: true }),
            (FloatOp::IsNan, false) => self.number(a, Interval { nan: false, ..x }),
            _ => {}
        }
    }

    /// Narrows the operands of an operation whose result is a number with bounds `i`.
    fn operation(&mut self, op: FloatOp, (place, i): (usize, Interval), [a, b, c]: [usize; 3]) {
        let Bound::Number(x) = self.values[a] else { return };
        let k = kind(self.terms.width(self.parts[a].0));
        let result = kind(self.terms.width(self.parts[place].0));
        match op {
            // The result of these is NaN if and only if the operand is.
            FloatOp::Neg => self.number(a, Interval { lo: -i.hi, hi: -i.lo, ..i }),
            FloatOp::Abs => {
                let bounds = match (x.lo > -i.lo, x.hi < i.lo) {
                    (true, _) => (i.lo.max(-i.hi), i.hi),
                    (_, true) => (-i.hi, -i.lo),
                    _ => (-i.hi, i.hi),
                };
                self.number(a, Interval { lo: bounds.0, hi: bounds.1, nan: i.nan });
            }
            FloatOp::Convert(_) => {
                let wide = k.bits() <= result.bits();
                let i = if wide || i.is_empty() {
                    i
                } else {
                    Interval { nan: i.nan, ..interval(Reals::before_rounding(result, i)) }
                };
                let convert =
                    |mode: Rounding, p: i128| place_of(k, mode.convert(result, k, at_place(result, p)));
                if !i.is_empty() {
                    let bounds = Interval {
                        lo: convert(Rounding::Down, i.lo),
                        hi: convert(Rounding::Up, i.hi),
                        nan: i.nan,
                    };
                    self.number(a, bounds);
                }
            }
            FloatOp::Floor | FloatOp::Ceil | FloatOp::Trunc | FloatOp::Round | FloatOp::Rint(_)
                if !i.is_empty() =>
            {
                let one = place_of(k, cleave_float::from_int(false, 8, k, 1));
                let around = Reals { k, lo: -one, hi: one };
                if let Some(r) = Reals::of(k, i).plus(around) {
                    self.number(a, Interval { lo: r.lo, hi: r.hi, nan: i.nan });
                }
            }
            _ if i.nan || i.is_empty() || op.is_comparison() => {}
            _ => self.arithmetic(op, i, [a, b, c]),
        }
    }

    /// Narrows the operands of a rounded operation whose result lies in `i` and is not NaN.
    fn arithmetic(&mut self, op: FloatOp, i: Interval, [a, b, c]: [usize; 3]) {
        let Bound::Number(x) = self.values[a] else { return };
        let k = kind(self.terms.width(self.parts[a].0));
        match op {
            // An operand that can only be NaN gives NaN, which `i` excludes.
            _ if [a, b, c].iter().any(|&p| matches!(self.values[p], Bound::Number(i) if i.is_empty())) => {
                self.empty = true;
            }
            FloatOp::Add(_) | FloatOp::Sub(_) => {
                let Bound::Number(y) = self.values[b] else { return };
                let (z, x, y) = (Reals::before_rounding(k, i), Reals::of(k, x), Reals::of(k, y));
                let sum = matches!(op, FloatOp::Add(_));
                self.reals(a, if sum { z.minus(y) } else { z.plus(y) });
                self.reals(b, if sum { z.minus(x) } else { x.minus(z) });
            }
            FloatOp::Mul(_) if a == b => {
                let z = Reals::before_rounding(k, i);
                self.reals(a, z.roots(x));
            }
            FloatOp::Mul(_) => {
                let Bound::Number(y) = self.values[b] else { return };
                let z = Reals::before_rounding(k, i);
                self.reals(a, z.over(Reals::of(k, y)));
                self.reals(b, z.over(Reals::of(k, x)));
            }
            FloatOp::Div(_) => {
                let Bound::Number(y) = self.values[b] else { return };
                let z = Reals::before_rounding(k, i);
                self.reals(a, z.times(Reals::of(k, y)));
                self.reals(b, Reals::of(k, x).over(z).filter(|_| !z.has_zero()));
            }
            FloatOp::Sqrt(_) => {
                let z = Reals::before_rounding(k, i);
                let z = Reals { lo: z.lo.max(0), ..z };
                if z.hi >= 0 {
                    self.reals(a, z.squared());
                }
            }
            FloatOp::MulAdd(_) => {
                let (Bound::Number(y), Bound::Number(w)) = (self.values[b], self.values[c]) else { return };
                let z = Reals::before_rounding(k, i);
                let (x, y, w) = (Reals::of(k, x), Reals::of(k, y), Reals::of(k, w));
                let product = z.minus(w);
                self.reals(c, x.times(y).and_then(|p| z.minus(p)));
                self.reals(a, product.and_then(|p| p.over(y)));
                self.reals(b, product.and_then(|p| p.over(x)));
            }
            _ => {}
        }
    }
}

fn interval(r: Reals) -> Interval {
    Interval { lo: r.lo, hi: r.hi, nan: false }
}

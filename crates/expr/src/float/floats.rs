//! Constructors of floating-point terms. They use comparisons, choices and parts of words instead of operators if these suffice,
//! and turn a comparison of a monotone function of a term into a comparison of the term.

use cleave_float::{FBinOp, FPred, FUnOp, Float, Rounding};

use crate::domains::interval::{Interval, at_place, last_place};
use crate::evaluation::semantics::{mask, sign_extend};
use crate::float::float_op::{FloatOp, infinity, kind};
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
    /// An operator on numbers, whose result has `width` bits; the number of operands must be [`FloatOp::operands`].
    pub fn float(&mut self, op: FloatOp, width: u8, operands: &[Term]) -> Term {
        debug_assert_eq!(operands.len(), usize::from(op.operands()));
        let first = operands[0];
        let all = [first, *operands.get(1).unwrap_or(&first), *operands.get(2).unwrap_or(&first)];
        let from = self.width(first);
        if operands.iter().all(|&t| self.is_constant(t)) {
            let values = all.map(|t| self.constant(t).unwrap_or(0));
            return self.constant_of(width, op.value(from, width, values));
        }
        if let Some(t) = self.float_of_choice(op, width, operands) {
            return t;
        }
        match self.float_simplified(op, width, all) {
            Some(t) => t,
            None => {
                let t = self.intern(Node::Float(op, all[0], all[1], all[2]), width);
                let number = !op.is_comparison() && !matches!(op, FloatOp::ToSigned | FloatOp::ToUnsigned);
                if number && !self.numbers.contains_key(&t) {
                    let numbers = self.numbers_of(op, width, all);
                    self.numbers.insert(t, numbers);
                }
                t
            }
        }
    }

    /// An operator on one choice of two constants and otherwise constants, as a choice of two constants.
    fn float_of_choice(&mut self, op: FloatOp, width: u8, operands: &[Term]) -> Option<Term> {
        let mut choice = None;
        for (place, &t) in operands.iter().enumerate() {
            match self.node(t) {
                Node::Ite(c, x, y) if self.is_constant(x) && self.is_constant(y) && choice.is_none() => {
                    choice = Some((place, c, x, y));
                }
                _ if self.is_constant(t) => {}
                _ => return None,
            }
        }
        let (place, c, x, y) = choice?;
        let mut of = |t: Term| {
            let mut operands = operands.to_vec();
            operands[place] = t;
            self.float(op, width, &operands)
        };
        let (x, y) = (of(x), of(y));
        Some(self.ite(c, x, y))
    }

    fn float_simplified(&mut self, op: FloatOp, width: u8, [a, b, _]: [Term; 3]) -> Option<Term> {
        if op.is_comparison()
            && let Some(t) = self.decided_by_numbers(op, a, b)
        {
            return Some(t);
        }
        match op {
            FloatOp::Neg => match self.node(a) {
                Node::Float(FloatOp::Neg, x, ..) => Some(x),
                _ => None,
            },
            FloatOp::Abs => match self.node(a) {
                Node::Float(FloatOp::Abs, ..) => Some(a),
                Node::Float(FloatOp::Neg, x, ..) => Some(self.float(FloatOp::Abs, width, &[x])),
                _ => None,
            },
            FloatOp::Less if a == b => Some(self.bool(false)),
            FloatOp::LessEqual | FloatOp::Equal if a == b => {
                let nan = self.is_nan(a);
                Some(self.not(nan))
            }
            FloatOp::Less | FloatOp::LessEqual => self.compared_below(op, a, b),
            FloatOp::Equal => self
                .compared_below(op, a, b)
                .or_else(|| self.equal_to_constant(a, b))
                .or_else(|| self.equal_to_constant(b, a)),
            FloatOp::IsNan => self.nan_simplified(a),
            _ => None,
        }
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
    fn compared_below(&mut self, op: FloatOp, a: Term, b: Term) -> Option<Term> {
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

    /// A comparison with a constant for equality, as one of bits. Every number has one pattern, except zeros, NaNs and
    /// the numbers of the least exponents in extended precision.
    fn equal_to_constant(&mut self, a: Term, constant: Term) -> Option<Term> {
        let value = self.constant(constant)?;
        let w = self.width(a);
        let k = kind(w);
        let is = |pred| cleave_float::compare(pred, k, value, value);
        if is(FPred { eq: false, gt: false, lt: false, uno: true }) {
            return Some(self.bool(false));
        }
        let magnitude = value & !(1 << (w - 1));
        if magnitude == 0 {
            let bits = self.extract(a, 0, w - 1);
            let zero = self.constant_of(w - 1, 0);
            return Some(self.eq(bits, zero));
        }
        (k != Float::X80 || magnitude >> 64 > 1).then(|| self.eq(a, constant))
    }

    /// The test for NaN, in terms of the operands of `a`.
    fn nan_simplified(&mut self, a: Term) -> Option<Term> {
        match self.node(a) {
            Node::Float(FloatOp::Neg | FloatOp::Abs | FloatOp::Convert(_) | FloatOp::Rint(_), x, ..)
            | Node::Float(FloatOp::Floor | FloatOp::Ceil | FloatOp::Trunc | FloatOp::Round, x, ..) => {
                Some(self.is_nan(x))
            }
            Node::Float(FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_), ..) => Some(self.bool(false)),
            Node::Float(..) => None,
            _ => match kind(self.width(a)) {
                Float::X80 => None,
                k => {
                    let w = self.width(a);
                    let magnitude = self.extract(a, 0, w - 1);
                    let infinity = self.constant_of(w - 1, infinity(k));
                    Some(self.ult(infinity, magnitude))
                }
            },
        }
    }

    /// True if a number is NaN or an invalid pattern; one bit.
    pub fn is_nan(&mut self, a: Term) -> Term {
        self.float(FloatOp::IsNan, 1, &[a])
    }

    /// The comparison `pred` of two numbers; one bit.
    pub fn float_compare(&mut self, pred: FPred, a: Term, b: Term) -> Term {
        if pred.uno {
            let FPred { eq, gt, lt, uno: _ } = pred;
            let t = self.float_compare(FPred { eq: !eq, gt: !gt, lt: !lt, uno: false }, a, b);
            return self.not(t);
        }
        match (pred.eq, pred.lt, pred.gt) {
            (false, false, false) => self.bool(false),
            (true, false, false) => self.float(FloatOp::Equal, 1, &[a, b]),
            (false, true, false) => self.float(FloatOp::Less, 1, &[a, b]),
            (false, false, true) => self.float(FloatOp::Less, 1, &[b, a]),
            (true, true, false) => self.float(FloatOp::LessEqual, 1, &[a, b]),
            (true, false, true) => self.float(FloatOp::LessEqual, 1, &[b, a]),
            (eq, true, true) => {
                let (x, y) = (self.is_nan(a), self.is_nan(b));
                let some = self.or(x, y);
                let ordered = self.not(some);
                if eq {
                    return ordered;
                }
                let equal = self.float(FloatOp::Equal, 1, &[a, b]);
                let different = self.not(equal);
                self.and(ordered, different)
            }
        }
    }

    /// An operation of two operands; see [`cleave_float::binary`].
    pub fn float_binary(&mut self, op: FBinOp, rounding: Rounding, a: Term, b: Term) -> Term {
        let w = self.width(a);
        match op {
            FBinOp::Add => self.float(FloatOp::Add(rounding), w, &[a, b]),
            FBinOp::Sub => self.float(FloatOp::Sub(rounding), w, &[a, b]),
            FBinOp::Mul => self.float(FloatOp::Mul(rounding), w, &[a, b]),
            FBinOp::Div => self.float(FloatOp::Div(rounding), w, &[a, b]),
            FBinOp::CopySign => {
                let plain = self.float(FloatOp::Abs, w, &[a]);
                let turned = self.float(FloatOp::Neg, w, &[plain]);
                let negative = self.sign_of(b);
                self.ite(negative, turned, plain)
            }
            FBinOp::MinNum | FBinOp::MaxNum => self.extreme_number(op == FBinOp::MinNum, a, b),
            FBinOp::Minimum | FBinOp::Maximum if w != 80 => self.extreme_ieee(op == FBinOp::Minimum, a, b),
            FBinOp::Rem => self.float(FloatOp::Rem, w, &[a, b]),
            FBinOp::Minimum | FBinOp::Maximum => {
                let extreme = self.extreme_number(op == FBinOp::Minimum, a, b);
                let (x_nan, y_nan) = (self.is_nan(a), self.is_nan(b));
                let nan = self.or(x_nan, y_nan);
                // The sum has the NaN that every operation of two operands gives.
                let no_number = self.float(FloatOp::Add(Rounding::Nearest), w, &[a, b]);
                self.ite(nan, no_number, extreme)
            }
        }
    }

    /// An operation of one operand; see [`cleave_float::unary`].
    pub fn float_unary(&mut self, op: FUnOp, rounding: Rounding, a: Term) -> Term {
        let op = match op {
            FUnOp::Neg => FloatOp::Neg,
            FUnOp::Abs => FloatOp::Abs,
            FUnOp::Sqrt => FloatOp::Sqrt(rounding),
            FUnOp::Floor => FloatOp::Floor,
            FUnOp::Ceil => FloatOp::Ceil,
            FUnOp::Trunc => FloatOp::Trunc,
            FUnOp::Rint => FloatOp::Rint(rounding),
            FUnOp::Round => FloatOp::Round,
        };
        self.float(op, self.width(a), &[a])
    }

    /// `a * b + c`, rounded once if `fused`, else twice; see [`cleave_float::mul_add`].
    pub fn float_mul_add(&mut self, fused: bool, rounding: Rounding, a: Term, b: Term, c: Term) -> Term {
        let w = self.width(a);
        if fused {
            return self.float(FloatOp::MulAdd(rounding), w, &[a, b, c]);
        }
        let product = self.float(FloatOp::Mul(rounding), w, &[a, b]);
        self.float(FloatOp::Add(rounding), w, &[product, c])
    }

    /// A number converted to another format.
    pub fn float_convert(&mut self, rounding: Rounding, to: Float, a: Term) -> Term {
        if self.width(a) == to.bits() {
            return a;
        }
        // A conversion to a wider format does not round.
        let rounding = if to.bits() > self.width(a) { Rounding::Nearest } else { rounding };
        self.float(FloatOp::Convert(rounding), to.bits(), &[a])
    }

    /// An integer converted to a number.
    pub fn float_from_int(&mut self, signed: bool, rounding: Rounding, to: Float, a: Term) -> Term {
        let op = if signed { FloatOp::FromSigned(rounding) } else { FloatOp::FromUnsigned(rounding) };
        self.float(op, to.bits(), &[a])
    }

    /// A number converted to an integer of `w` bits; see [`cleave_float::to_int`].
    pub fn float_to_int(&mut self, signed: bool, w: u8, a: Term) -> Term {
        let op = if signed { FloatOp::ToSigned } else { FloatOp::ToUnsigned };
        self.float(op, w, &[a])
    }

    /// A number converted to an integer of `w` bits with saturation; see [`cleave_float::to_int_saturated`].
    pub fn float_to_int_saturated(&mut self, signed: bool, w: u8, a: Term) -> Term {
        let from = kind(self.width(a));
        let all = crate::evaluation::semantics::mask(w);
        let (least, most) = if signed { (all ^ all >> 1, all >> 1) } else { (0, all) };
        // The greatest integer may be rounded up to a number; no number lies between the two.
        let [low, high] = [least, most].map(|v| {
            let bound = cleave_float::from_int(signed, w, from, v);
            self.constant_of(from.bits(), bound)
        });
        let [least, most, none] = [least, most, 0].map(|v| self.constant_of(w, v));
        let plain = self.float_to_int(signed, w, a);
        let above = self.float(FloatOp::LessEqual, 1, &[high, a]);
        let t = self.ite(above, most, plain);
        let below = self.float(FloatOp::Less, 1, &[a, low]);
        let t = self.ite(below, least, t);
        let nan = self.is_nan(a);
        self.ite(nan, none, t)
    }

    fn sign_of(&mut self, a: Term) -> Term {
        let w = self.width(a);
        self.extract(a, u32::from(w) - 1, 1)
    }

    /// `MinNum` or `MaxNum`.
    fn extreme_number(&mut self, least: bool, a: Term, b: Term) -> Term {
        let (x_nan, y_nan) = (self.is_nan(a), self.is_nan(b));
        if self.width(a) != 80 {
            let less = if least { [b, a] } else { [a, b] };
            let second = self.float(FloatOp::Less, 1, &less);
            let second = self.or(x_nan, second);
            return self.ite(second, b, a);
        }
        let (x, y) = (self.sign_of(a), self.sign_of(b));
        let less = self.float(FloatOp::Less, 1, &[a, b]);
        let same = self.eq(x, y);
        let first = self.ite(same, less, x);
        let (p, q) = if least { (a, b) } else { (b, a) };
        let extreme = self.ite(first, p, q);
        let t = self.ite(y_nan, a, extreme);
        self.ite(x_nan, b, t)
    }

    /// `Minimum` or `Maximum` in single and double precision.
    fn extreme_ieee(&mut self, least: bool, a: Term, b: Term) -> Term {
        let (x_nan, y_nan) = (self.is_nan(a), self.is_nan(b));
        let (x, y) = (self.sign_of(a), self.sign_of(b));
        let less = self.float(FloatOp::Less, 1, &if least { [b, a] } else { [a, b] });
        let equal = self.float(FloatOp::Equal, 1, &[a, b]);
        // Equal operands: the zero with the preferred sign; the second operand if both have it.
        let by_sign = self.and(equal, if least { y } else { x });
        let second = self.or(less, by_sign);
        let t = self.ite(second, b, a);
        let t = self.ite(x_nan, a, t);
        let turned = if least { x } else { self.not(x) };
        let number = self.not(x_nan);
        let chosen = self.or(turned, number);
        let second = self.and(y_nan, chosen);
        self.ite(second, b, t)
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

//! Intervals of floating-point numbers: an abstract domain of terms and boxes.
//!
//! A rounded operation is monotone if the exact one is: the bounds of a result are the results of the bounds, in the same
//! rounding mode and bit for bit. So no bound is rounded outwards.

use cleave_float::{FBinOp, Float};

use crate::float::float_op::{FloatOp, kind};

/// A number's place in the order of its format: neighbours have neighbouring places, both zeros have the place 0.
pub fn place_of(k: Float, bits: u128) -> i128 {
    let width = k.bits();
    let magnitude = bits & ((1 << (width - 1)) - 1);
    let place = match k {
        Float::F32 | Float::F64 => magnitude,
        Float::X80 => {
            let (field, significand) = (magnitude >> 64, magnitude & u128::from(u64::MAX));
            if field == 0 { significand } else { field << 63 | significand & (u128::from(u64::MAX) >> 1) }
        }
    } as i128;
    if bits >> (width - 1) & 1 != 0 { -place } else { place }
}

/// The bit pattern of the number at a place; the positive zero at 0.
pub fn at_place(k: Float, place: i128) -> u128 {
    let (width, magnitude) = (k.bits(), place.unsigned_abs());
    let magnitude = match k {
        Float::F32 | Float::F64 => magnitude,
        Float::X80 => {
            let (field, fraction) = (magnitude >> 63, magnitude & (u128::from(u64::MAX) >> 1));
            field << 64 | u128::from(field > 0) << 63 | fraction
        }
    };
    if place < 0 { magnitude | 1 << (width - 1) } else { magnitude }
}

/// The place of infinity.
pub fn last_place(k: Float) -> i128 {
    place_of(k, crate::float::float_op::infinity(k))
}

/// The numbers between two places, possibly with NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least place.
    pub lo: i128,
    /// The greatest place; less than `lo` if there is no number.
    pub hi: i128,
    /// It may be a NaN, or an invalid pattern.
    pub nan: bool,
}

impl Interval {
    /// All numbers and NaN.
    pub fn full(k: Float) -> Interval {
        Interval { lo: -last_place(k), hi: last_place(k), nan: true }
    }

    /// The interval of one bit pattern.
    pub fn of_bits(k: Float, bits: u128) -> Interval {
        if FloatOp::IsNan.value(k.bits(), 1, [bits; 3]) != 0 {
            return Interval { lo: 1, hi: 0, nan: true };
        }
        let place = place_of(k, bits);
        Interval { lo: place, hi: place, nan: false }
    }

    /// True if it has no number; it may still have NaN.
    pub fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    fn has(self, place: i128) -> bool {
        self.lo <= place && place <= self.hi
    }

    fn has_infinity(self, k: Float) -> bool {
        self.lo == -last_place(k) || self.hi == last_place(k)
    }

    /// The least interval that contains both.
    pub fn hull(self, other: Interval) -> Interval {
        let nan = self.nan || other.nan;
        match (self.is_empty(), other.is_empty()) {
            (true, _) => Interval { nan, ..other },
            (_, true) => Interval { nan, ..self },
            _ => Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), nan },
        }
    }
}

/// The interval of results of an operation on operands of `from` bits; `same` means that the first two are the same
/// term.
pub(crate) fn over(op: FloatOp, from: u8, to: u8, operands: [Interval; 3], same: bool) -> Interval {
    let (k, result) = (kind(from), kind(to));
    let [a, b, c] = operands;
    let count = usize::from(op.operands());
    let nan = operands[..count].iter().any(|x| x.nan);
    if operands[..count].iter().any(|x| x.is_empty()) {
        return Interval { lo: 1, hi: 0, nan: true };
    }
    let at = |x: i128, y: i128, z: i128| {
        let bits = op.value(from, to, [x, y, z].map(|place| at_place(k, place)));
        let i = Interval::of_bits(result, bits);
        (!i.nan).then_some(i.lo)
    };
    let between = |points: &[Option<i128>], nan: bool| {
        let places: Option<Vec<i128>> = points.iter().copied().collect();
        match places.as_deref().map(|p| (p.iter().min(), p.iter().max())) {
            Some((Some(&lo), Some(&hi))) => Interval { lo, hi, nan },
            _ => Interval::full(result),
        }
    };
    let infinite = a.has_infinity(k) || b.has_infinity(k);
    match op {
        FloatOp::Add(_) | FloatOp::Sub(_) => {
            let (lo, hi) = if matches!(op, FloatOp::Add(_)) { (b.lo, b.hi) } else { (b.hi, b.lo) };
            between(&[at(a.lo, lo, 0), at(a.hi, hi, 0)], nan || (a.has_infinity(k) && b.has_infinity(k)))
        }
        FloatOp::Mul(_) if same => {
            let mut points = vec![at(a.lo, a.lo, 0), at(a.hi, a.hi, 0)];
            if a.has(0) {
                points.push(at(0, 0, 0));
            }
            between(&points, nan)
        }
        FloatOp::Mul(_) => {
            let nan = nan || (infinite && (a.has(0) || b.has(0)));
            between(&[at(a.lo, b.lo, 0), at(a.lo, b.hi, 0), at(a.hi, b.lo, 0), at(a.hi, b.hi, 0)], nan)
        }
        FloatOp::Div(_) => {
            let nan = nan || (a.has(0) && b.has(0)) || (a.has_infinity(k) && b.has_infinity(k));
            if b.has(0) {
                return Interval { nan, ..Interval::full(result) };
            }
            between(&[at(a.lo, b.lo, 0), at(a.lo, b.hi, 0), at(a.hi, b.lo, 0), at(a.hi, b.hi, 0)], nan)
        }
        FloatOp::Rem => remainder(k, a, b),
        FloatOp::MulAdd(_) => {
            if infinite || c.has_infinity(k) {
                return Interval::full(result);
            }
            let corners = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
            let points: Vec<_> =
                corners.iter().flat_map(|&(x, y)| [at(x, y, c.lo), at(x, y, c.hi)]).collect();
            between(&points, nan)
        }
        FloatOp::Sqrt(_) if a.hi < 0 => Interval { lo: 1, hi: 0, nan: true },
        FloatOp::Sqrt(_) => between(&[at(a.lo.max(0), 0, 0), at(a.hi, 0, 0)], nan || a.lo < 0),
        FloatOp::Abs => {
            let (x, y) = (a.lo.abs(), a.hi.abs());
            Interval { lo: if a.has(0) { 0 } else { x.min(y) }, hi: x.max(y), nan }
        }
        FloatOp::Neg => Interval { lo: -a.hi, hi: -a.lo, nan },
        FloatOp::Rint(_)
        | FloatOp::Floor
        | FloatOp::Ceil
        | FloatOp::Trunc
        | FloatOp::Round
        | FloatOp::Convert(_) => between(&[at(a.lo, 0, 0), at(a.hi, 0, 0)], nan),
        // These do not map numbers to numbers.
        FloatOp::ToSigned
        | FloatOp::ToUnsigned
        | FloatOp::FromSigned(_)
        | FloatOp::FromUnsigned(_)
        | FloatOp::Less
        | FloatOp::LessEqual
        | FloatOp::Equal
        | FloatOp::IsNan => Interval::full(result),
    }
}

/// The remainders of two intervals. A remainder is nearer to zero than the divisor, no farther from zero than the dividend, and
/// has the dividend's sign.
fn remainder(k: Float, a: Interval, b: Interval) -> Interval {
    let farthest = |x: Interval| x.lo.abs().max(x.hi.abs());
    let nan = a.nan || b.nan || a.has_infinity(k) || b.has(0);
    if farthest(b) == 0 {
        return Interval { lo: 1, hi: 0, nan: true };
    }
    let most = farthest(a).min(farthest(b) - 1);
    let (lo, hi) = (if a.lo < 0 { -most } else { 0 }, if a.hi > 0 { most } else { 0 });
    Interval { lo, hi, nan }
}

/// The answer of a comparison if it is the same for all numbers of the intervals.
pub(crate) fn decided(op: FloatOp, a: Interval, b: Interval) -> Option<bool> {
    if op == FloatOp::IsNan {
        return if !a.nan {
            Some(false)
        } else if a.is_empty() {
            Some(true)
        } else {
            None
        };
    }
    if a.is_empty() || b.is_empty() {
        return Some(false);
    }
    let numbers = !a.nan && !b.nan;
    let (always, never) = match op {
        FloatOp::Less => (a.hi < b.lo, a.lo >= b.hi),
        FloatOp::LessEqual => (a.hi <= b.lo, a.lo > b.hi),
        FloatOp::Equal => (a.lo == b.hi && a.hi == b.lo, a.hi < b.lo || b.hi < a.lo),
        _ => (false, false),
    };
    if never {
        Some(false)
    } else if always && numbers {
        Some(true)
    } else {
        None
    }
}

/// The interval of the integers between two bounds, converted to numbers.
pub(crate) fn of_integers(op: FloatOp, from: u8, to: u8, lo: i128, hi: i128) -> Interval {
    let k = kind(to);
    let at =
        |v: i128| place_of(k, op.value(from, to, [v as u128 & crate::evaluation::semantics::mask(from); 3]));
    Interval { lo: at(lo), hi: at(hi), nan: false }
}

/// Bounds of the numbers of an interval truncated to integers; `None` if some of them do not fit `to` bits.
pub(crate) fn to_integers(op: FloatOp, from: u8, to: u8, a: Interval) -> Option<(i128, i128)> {
    if a.nan || a.is_empty() || to > 64 {
        return None;
    }
    let k = kind(from);
    let [lo, hi] = [a.lo, a.hi].map(|place| at_place(k, place));
    let signed = op == FloatOp::ToSigned;
    let (least, most) =
        if signed { (-(1i128 << (to - 1)), (1i128 << (to - 1)) - 1) } else { (0, (1i128 << to) - 1) };
    // The conversion to 128 bits is exact; magnitudes above 2^100 are excluded first.
    let limit = cleave_float::from_int(true, 128, k, 1 << 100);
    if place_of(k, limit) < a.hi || -place_of(k, limit) > a.lo {
        return None;
    }
    let [lo, hi] = [lo, hi].map(|bits| cleave_float::to_int(true, k, 128, bits) as i128);
    (least <= lo && hi <= most).then_some((lo, hi))
}

impl Interval {
    /// A place between the two ends: near the middle of the values if `by_value`, else of the places. Less than `hi` if the
    /// interval has two places or more.
    pub fn middle(self, k: Float, by_value: bool) -> i128 {
        let places = self.lo + (self.hi - self.lo) / 2;
        let last = last_place(k);
        if !by_value || self.lo <= -last || self.hi >= last {
            return places;
        }
        let two = cleave_float::from_int(false, 8, k, 2);
        let [lo, hi] = [self.lo, self.hi].map(|p| cleave_float::binary(FBinOp::Div, k, at_place(k, p), two));
        let value = place_of(k, cleave_float::binary(FBinOp::Add, k, lo, hi));
        if self.lo <= value && value < self.hi { value } else { places }
    }
}

//! Extended precision: sign, 15 bits of exponent (bias 16383) and 64 of significand, whose highest bit, the integer
//! bit, is explicit. Sums, fused products, conversions and rounding by `rustc_apfloat`; products, quotients,
//! square roots and remainders here, on integers.

use std::cmp::Ordering;

use crate::operations::{FBinOp, FUnOp};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float as _, FloatConvert, Round, StatusAnd};

const SIGN: u128 = 1 << 79;
const QUIET: u128 = 1 << 62;
const INTEGER: u64 = 1 << 63;
const BIAS: i32 = 16383;
const DEFAULT_NAN: u128 = 0xffff_c000_0000_0000_0000;

/// The pattern without the bits above it.
pub(crate) fn low(a: u128) -> u128 {
    a & ((1 << 80) - 1)
}

fn exponent(a: u128) -> i32 {
    (a >> 64) as i32 & 0x7fff
}

/// Returns true if the processor takes the pattern for an invalid operand: an exponent, but no integer bit.
pub(crate) fn is_invalid(a: u128) -> bool {
    exponent(a) != 0 && a as u64 & INTEGER == 0
}

/// Returns true if it is a proper NaN, quiet or signalling.
pub(crate) fn is_nan(a: u128) -> bool {
    exponent(a) == 0x7fff && a as u64 > INTEGER
}

fn number(a: u128) -> X87DoubleExtended {
    X87DoubleExtended::from_bits(a)
}

/// Result of an operation with an operand that is a NaN or invalid.
fn special(a: u128, b: u128) -> Option<u128> {
    let (x, y) = (is_nan(a), is_nan(b));
    if is_invalid(a) || is_invalid(b) {
        return Some(DEFAULT_NAN);
    }
    let chosen = match (x, y) {
        (false, false) => return None,
        (true, false) => a,
        (false, true) => b,
        (true, true) => {
            // The greater significand; the positive one of equals.
            let key = |v: u128| (v as u64, v & SIGN == 0);
            if key(a) >= key(b) { a } else { b }
        }
    };
    Some(chosen | QUIET)
}

fn settle(result: X87DoubleExtended) -> u128 {
    if result.is_nan() { DEFAULT_NAN } else { result.to_bits() }
}

pub(crate) fn binary(op: FBinOp, a: u128, b: u128) -> u128 {
    match op {
        FBinOp::CopySign => return (a & !SIGN) | (b & SIGN),
        FBinOp::MinNum | FBinOp::MaxNum => {
            if is_nan(a) || is_invalid(a) {
                return b;
            }
            return if is_nan(b) || is_invalid(b) { a } else { extreme(op == FBinOp::MinNum, a, b) };
        }
        _ => {}
    }
    if let Some(nan) = special(a, b) {
        return nan;
    }
    let (x, y) = (number(a), number(b));
    match op {
        FBinOp::Add => settle((x + y).value),
        FBinOp::Sub => settle((x - y).value),
        FBinOp::Mul if x.is_finite_non_zero() && y.is_finite_non_zero() => product(a, b),
        FBinOp::Div if x.is_finite_non_zero() && y.is_finite_non_zero() => quotient(a, b),
        FBinOp::Mul => settle((x * y).value),
        FBinOp::Div => settle((x / y).value),
        FBinOp::Rem => remainder(a, b),
        _ => extreme(op == FBinOp::Minimum, a, b),
    }
}

/// The lesser or the greater of two numbers; zeros by their signs.
fn extreme(least: bool, a: u128, b: u128) -> u128 {
    let (x, y) = (a & SIGN != 0, b & SIGN != 0);
    let first = if x != y { x } else { order(a, b) == Some(Ordering::Less) };
    if first == least { a } else { b }
}

/// A finite number that is not zero: its significand with the highest bit set, and the exponent of that bit.
fn normalized(a: u128) -> (u64, i32) {
    let m = a as u64;
    let shift = m.leading_zeros();
    (m << shift, exponent(a).max(1) - BIAS - shift as i32)
}

/// `m` at the exponent `e` of bit 63 as a pattern without sign. It must be representable: remainders and square
/// roots are.
fn pattern(m: u64, e: i32) -> u128 {
    if m == 0 {
        return 0;
    }
    let shift = m.leading_zeros();
    let (m, biased) = (m << shift, e + BIAS - shift as i32);
    if biased > 0 { (biased as u128) << 64 | m as u128 } else { (m >> (1 - biased)) as u128 }
}

fn product(a: u128, b: u128) -> u128 {
    let ((m, e), (n, f)) = (normalized(a), normalized(b));
    (a ^ b) & SIGN | rounded(m as u128 * n as u128, e + f + 1)
}

fn quotient(a: u128, b: u128) -> u128 {
    let ((m, e), (n, f)) = (normalized(a), normalized(b));
    // 64 or 65 bits, two more to round by, and at the bottom one that is set if any further bit is.
    let (wide, divisor) = ((m as u128) << 64, n as u128);
    let (first, rest) = (wide / divisor, (wide % divisor) << 2);
    let quotient = first << 62 | (rest / divisor) << 60 | (rest % divisor != 0) as u128;
    (a ^ b) & SIGN | rounded(quotient, e - f + 1)
}

/// The pattern, without sign, of `wide`, not zero, with `e` the exponent of its bit 127, rounded to nearest even. If the exact
/// value has bits below `wide`, the caller sets its lowest bit.
fn rounded(wide: u128, e: i32) -> u128 {
    let zeros = wide.leading_zeros();
    let (wide, biased) = (wide << zeros, e + BIAS - zeros as i32);
    // A subnormal number loses the bits below the least exponent too.
    let lost = 64 + (1 - biased).max(0) as u32;
    if lost > 128 {
        return 0;
    }
    let kept = wide.checked_shr(lost).unwrap_or(0);
    let (rest, half) = (wide << (128 - lost), 1u128 << 127);
    let m = kept + (rest > half || (rest == half && kept & 1 != 0)) as u128;
    if biased < 1 {
        return (m >> 63) << 64 | m; // rounding may have made it normal
    }
    let (m, biased) = if m >> 64 != 0 { (INTEGER as u128, biased + 1) } else { (m, biased) };
    if biased >= 0x7fff { 0x7fff << 64 | INTEGER as u128 } else { (biased as u128) << 64 | m }
}

/// The exact remainder of a division truncated: of the significands, 64 binary digits of the quotient at a time.
fn remainder(a: u128, b: u128) -> u128 {
    let (x, y) = (number(a), number(b));
    if x.is_infinite() || y.is_zero() {
        return DEFAULT_NAN;
    }
    if x.is_zero() || y.is_infinite() {
        return pseudo_normal(a);
    }
    let ((m, e), (n, f)) = (normalized(a), normalized(b));
    let mut places = e - f;
    if places < 0 {
        return pseudo_normal(a);
    }
    let mut rest = m % n;
    while places > 0 && rest != 0 {
        let step = places.min(64);
        rest = (((rest as u128) << step) % n as u128) as u64;
        places -= step;
    }
    a & SIGN | pattern(rest, f)
}

/// A pseudo-denormal as the processor writes it: with the least exponent.
fn pseudo_normal(a: u128) -> u128 {
    if exponent(a) == 0 && a as u64 & INTEGER != 0 { a | 1 << 64 } else { a }
}

pub(crate) fn unary(op: FUnOp, a: u128) -> u128 {
    match op {
        FUnOp::Neg => return a ^ SIGN,
        FUnOp::Abs => return a & !SIGN,
        FUnOp::Round => return round(a),
        _ => {}
    }
    if let Some(nan) = special(a, a) {
        return nan;
    }
    let how = match op {
        FUnOp::Sqrt => return square_root(a),
        FUnOp::Floor => Round::TowardNegative,
        FUnOp::Ceil => Round::TowardPositive,
        FUnOp::Trunc => Round::TowardZero,
        _ => Round::NearestTiesToEven,
    };
    number(a).round_to_integral(how).value.to_bits()
}

/// musl's `roundl`: an operand without a fraction comes back as it is; invalid patterns go through its additions, which turn the
/// default NaN's sign with the operand's, unless the exponent says that the result is zero.
fn round(a: u128) -> u128 {
    let e = exponent(a);
    if e >= BIAS + 63 {
        a
    } else if is_invalid(a) {
        if e >= BIAS - 1 { DEFAULT_NAN ^ (a & SIGN) } else { DEFAULT_NAN }
    } else {
        number(a).round_to_integral(Round::NearestTiesToAway).value.to_bits()
    }
}

/// The square root, of the significand as an integer, rounded to nearest.
fn square_root(a: u128) -> u128 {
    let x = number(a);
    if x.is_zero() || (x.is_infinite() && a & SIGN == 0) {
        return a;
    }
    if a & SIGN != 0 {
        return DEFAULT_NAN;
    }
    // With e even, a = m / 2^63 * 2^e, and m * 2^63 in [2^126, 2^128) has a root of exactly 64 bits.
    let (m, e) = normalized(a);
    let wide = (m as u128) << (63 + (e & 1));
    let root = wide.isqrt();
    // Up from the middle: root + 1/2 squared is no integer, so the middle itself does not occur. Rounding up does
    // not carry out of 64 bits, since wide <= 2^128 - 2^64.
    let up = wide - root * root > root;
    pattern((root + up as u128) as u64, e >> 1)
}

/// The square root of a number that has one, rounded up or down.
pub(crate) fn directed_root(up: bool, a: u128) -> u128 {
    let x = number(a);
    if x.is_zero() || x.is_infinite() {
        return a;
    }
    let (m, e) = normalized(a);
    let wide = (m as u128) << (63 + (e & 1));
    let root = wide.isqrt();
    let root = root + (up && root * root != wide) as u128;
    // Rounding up may give a power of two.
    if root >> 64 != 0 { pattern(INTEGER, (e >> 1) + 1) } else { pattern(root as u64, e >> 1) }
}

pub(crate) fn fused(a: u128, b: u128, c: u128) -> u128 {
    let (x, y, z) = (number(a), number(b), number(c));
    if [a, b, c].into_iter().all(|v| !is_invalid(v)) && x.is_finite() && y.is_finite() && z.is_finite() {
        return settle(x.mul_add(y, z).value);
    }
    if !is_invalid(a) && !is_invalid(b) && x.is_finite() && y.is_finite() {
        return c; // musl's fmal: an infinity or a NaN as it is
    }
    binary(FBinOp::Add, binary(FBinOp::Mul, a, b), c)
}

/// Order of two patterns; none if one is no number.
pub(crate) fn order(a: u128, b: u128) -> Option<Ordering> {
    number(a).partial_cmp(&number(b))
}

/// From double precision.
pub(crate) fn of_double(a: u64) -> u128 {
    let wide: StatusAnd<X87DoubleExtended> = Double::from_bits(a as u128).convert(&mut false);
    if f64::from_bits(a).is_nan() { wide.value.to_bits() | QUIET } else { wide.value.to_bits() }
}

/// To single precision.
pub(crate) fn to_single(a: u128) -> u128 {
    if is_invalid(a) {
        return 0xffc0_0000;
    }
    let narrow: StatusAnd<Single> = number(a).convert(&mut false);
    if is_nan(a) { narrow.value.to_bits() | 1 << 22 } else { narrow.value.to_bits() }
}

/// To double precision.
pub(crate) fn to_double(a: u128) -> u128 {
    if is_invalid(a) {
        return 0xfff8_0000_0000_0000;
    }
    let narrow: StatusAnd<Double> = number(a).convert(&mut false);
    if is_nan(a) { narrow.value.to_bits() | 1 << 51 } else { narrow.value.to_bits() }
}

/// An integer, rounded: of its magnitude and sign.
pub(crate) fn of_integer(negative: bool, magnitude: u128) -> u128 {
    let value = X87DoubleExtended::from_u128_r(magnitude, Round::NearestTiesToEven).value.to_bits();
    if negative { value | SIGN } else { value }
}

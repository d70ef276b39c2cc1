//! Conversions to and from integers.

use crate::operations::{FPred, Float};

use crate::x87;

/// A pattern taken apart: value `m * 2^(e - fraction)`, of a NaN and an infinity too with the greatest exponent.
struct Parts {
    negative: bool,
    e: i32,
    m: u64,
    fraction: i32,
    /// A NaN, or an invalid x87 pattern.
    no_number: bool,
}

#[inline]
fn parts(k: Float, a: u128) -> Parts {
    match k {
        Float::F32 => {
            let (v, m) = (a as u32, (a & 0x7f_ffff | 0x80_0000) as u64);
            let e = (v >> 23 & 0xff) as i32 - 127;
            Parts { negative: v >> 31 != 0, e, m, fraction: 23, no_number: f32::from_bits(v).is_nan() }
        }
        Float::F64 => {
            let (v, m) = (a as u64, a as u64 & ((1 << 52) - 1) | 1 << 52);
            let e = (v >> 52 & 0x7ff) as i32 - 1023;
            Parts { negative: v >> 63 != 0, e, m, fraction: 52, no_number: f64::from_bits(v).is_nan() }
        }
        Float::X80 => {
            let a = x87::low(a);
            let e = (a >> 64) as i32 & 0x7fff;
            let no_number = x87::is_nan(a) || x87::is_invalid(a);
            Parts { negative: a >> 79 != 0, e: e - 16383, m: a as u64, fraction: 63, no_number }
        }
    }
}

impl Parts {
    /// The number truncated, two's complement, modulo 2^128.
    #[inline]
    fn wrapped(&self) -> i128 {
        let shift = self.e - self.fraction;
        let magnitude = match self.e {
            ..0 => 0,
            _ if shift < 0 => (self.m >> -shift) as i128,
            _ => (self.m as u128).checked_shl(shift as u32).unwrap_or(0) as i128,
        };
        if self.negative { magnitude.wrapping_neg() } else { magnitude }
    }

    /// Result of the processor's instruction: the number truncated, or the least of the register's integers if that is out of
    /// range or there is none.
    #[inline]
    fn register(&self, bits: u32) -> i128 {
        let limit = 1i128 << (bits - 1);
        // Below 2^64 a number has not wrapped.
        let whole = if self.no_number || self.e >= 64 { limit } else { self.wrapped() };
        if (-limit..limit).contains(&whole) { whole } else { -limit }
    }
}

/// To an integer of `w` bits, 1 to 128, truncated; the result's bits above them are zero.
///
/// If the number truncated is not an integer of `w` bits, or there is none, C leaves the result open. It is then the result of
/// clang 19's code, cut to `w` bits:
///
/// - Signed to 32 bits and unsigned to 31: that of a signed 32-bit conversion; of x87 numbers, signed to 16 bits
///   and unsigned to 15, of a 16-bit one.
/// - Other signed to 64 bits and unsigned to 63: that of a signed 64-bit conversion.
/// - Unsigned of 64: two signed conversions, of the number and of it less 2^63. SSE: their union if the first
///   is negative, so 2^63 if there is nothing better. x87: by a comparison, which takes what is no number for large;
///   2^63 below the range, 0 above and for a NaN.
/// - Wider: a function of libgcc for 128 bits, which converts two halves of 64, each as above of SSE. NaNs: the least
///   integer in both halves. Magnitudes from 2^128 on, infinities too: 0. Signed, below that: the low bits. Unsigned of
///   negative numbers: x87, 0; SSE, above -2^64, a signed conversion to 64 bits, and below, one of what 2^64 divides
///   it to for the upper half, with the least integer as the lower.
///
/// These conversions give their least integer if they are out of range.
#[inline]
pub fn to_int(signed: bool, from: Float, w: u8, a: u128) -> u128 {
    let p = parts(from, a);
    let x87 = from == Float::X80;
    let value = match (signed, w) {
        (true, ..=16) | (false, ..=15) if x87 => p.register(16),
        (true, ..=32) | (false, ..=31) => p.register(32),
        (true, ..=64) | (false, ..=63) => p.register(64),
        (false, 64) => in_two_steps(&p, x87),
        (true, _) => in_software(&p),
        (false, _) => in_software_unsigned(&p, x87),
    };
    value as u128 & mask(w)
}

/// Unsigned, 64 bits.
fn in_two_steps(p: &Parts, x87: bool) -> i128 {
    let (low, top) = (p.register(64), 1i128 << 63);
    // From 2^63 below 2^64 nothing is rounded by subtracting that.
    let above = !p.no_number && p.e == 63 && !p.negative;
    match x87 {
        _ if above => p.wrapped(),
        true if p.no_number || (!p.negative && p.e >= 63) => 0,
        true => low,
        // The second step's result is the least integer, or the first's is taken.
        false if low < 0 => low | top,
        false => low,
    }
}

/// Result of libgcc for a number that has no halves.
const NO_HALVES: i128 = 1 << 127 | 1 << 63;

/// Signed, 128 bits: the magnitude's, negated for a negative number.
fn in_software(p: &Parts) -> i128 {
    match p.e {
        _ if p.no_number => NO_HALVES,
        128.. => 0,
        _ => p.wrapped(),
    }
}

/// Unsigned, 128 bits.
fn in_software_unsigned(p: &Parts, x87: bool) -> i128 {
    if p.no_number || !p.negative {
        return in_software(p);
    }
    match p.e {
        _ if x87 => 0,
        ..64 => i128::from(p.register(64) as u64),
        // The magnitude of -2^127 has no halves either.
        127.. => NO_HALVES,
        _ => -(p.wrapped().wrapping_neg() >> 64) << 64 | 1 << 63,
    }
}

fn mask(w: u8) -> u128 {
    u128::MAX >> (128 - w.clamp(1, 128))
}

/// A number as an integer of `w` bits: the nearest one towards zero, and 0 for a NaN or an invalid pattern.
pub fn to_int_saturated(signed: bool, from: Float, w: u8, x: u128) -> u128 {
    let none = FPred { eq: false, gt: false, lt: false, uno: false };
    let (unordered, below, above) =
        (FPred { uno: true, ..none }, FPred { lt: true, ..none }, FPred { gt: true, eq: true, ..none });
    let all = u128::MAX >> (128 - u32::from(w));
    let (least, most) = if signed { (all ^ all >> 1, all >> 1) } else { (0, all) };
    // The greatest integer may be rounded up: no number is between the two.
    let bound = |v| crate::from_int(signed, w, from, v);
    if crate::compare(unordered, from, x, x) {
        0
    } else if crate::compare(below, from, x, bound(least)) {
        least
    } else if crate::compare(above, from, x, bound(most)) {
        most
    } else {
        crate::to_int(signed, from, w, x)
    }
}

/// From an integer of `w` bits, 1 to 128, rounded to nearest even; `a`'s bits above them are ignored.
/// An integer that rounds to 2^128 is infinite in single precision.
#[inline]
pub fn from_int(signed: bool, w: u8, to: Float, a: u128) -> u128 {
    let shift = 128 - w.clamp(1, 128) as u32;
    let negative = signed && (a << shift) >> 127 != 0;
    let magnitude = match negative {
        true => (((a << shift) as i128) >> shift).unsigned_abs(),
        false => a & mask(w),
    };
    // Rounding to even is the same for both signs, and magnitudes below 2^64 convert in an instruction or few.
    let small = u64::try_from(magnitude);
    match to {
        Float::F32 => {
            let v = small.map_or(magnitude as f32, |m| m as f32);
            (if negative { -v } else { v }).to_bits() as u128
        }
        Float::F64 => {
            let v = small.map_or(magnitude as f64, |m| m as f64);
            (if negative { -v } else { v }).to_bits() as u128
        }
        Float::X80 => x87::of_integer(negative, magnitude),
    }
}

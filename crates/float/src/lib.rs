//! Floating point on bit patterns, bit for bit as x86-64 code made by clang does it (with musl's mathematical
//! functions and compiler-rt, where clang calls those): IEEE single and double precision in SSE registers, and
//! x87 extended precision. Rounding is to nearest even, but for the methods of [`Rounding`]; exceptions are masked and
//! their flags not kept.
//!
//! A value is a `u128` whose low 32, 64 or 80 bits are the pattern; higher bits are ignored in operands and
//! zero in results.
//!
//! Cases that the standard leaves open are as on the processor:
//!
//! - An operation that makes a NaN of operands that are none gives the default one, negative and quiet.
//! - SSE: the first operand that is a NaN, quieted, is the result. x87: of two NaNs the one with the greater
//!   significand, of two equal ones the positive.
//! - x87 patterns that no operation yields: those of exponent zero with the integer bit set (pseudo-denormals)
//!   are numbers of the least exponent; those of another exponent with the integer bit clear (unnormals,
//!   pseudo-infinities, pseudo-NaNs) are invalid operands, and give the default NaN.
//! - The payload of a NaN that comes out of a fused `mul_add` is not specified: it depends on how the C library was
//!   compiled. The rule for `a * b + c` is applied.
//!   There too a pseudo-denormal `c` that absorbs the product may keep its pattern natively, and is written as a
//!   normal number here.

use std::cmp::Ordering;

mod directed;
mod integer;
mod operations;
mod sse;
mod x87;

pub use directed::Rounding;
pub use integer::{from_int, to_int, to_int_saturated};
pub use operations::{FBinOp, FPred, FUnOp, Float};
pub use sse::{binary32, binary64};

/// `a op b`.
///
/// The remainder has the sign of `a` and is exact (C's `fmod`). `MinNum` and `MaxNum` give the operand that is a
/// number; of two equal ones single and double precision give the first, extended precision orders zeros by
/// sign (musl's `fminl`). `Minimum` and `Maximum` order zeros by sign, and give a NaN as it is (of
/// two the first, but the second if the first is negative for `Minimum`, positive for `Maximum`);
/// clang 19 has no code for them in extended precision.
#[inline]
pub fn binary(op: FBinOp, k: Float, a: u128, b: u128) -> u128 {
    match k {
        Float::F32 => sse::binary32(op, a as u32, b as u32) as u128,
        Float::F64 => sse::binary64(op, a as u64, b as u64) as u128,
        Float::X80 => x87::binary(op, x87::low(a), x87::low(b)),
    }
}

/// An operation of one operand. `Neg` and `Abs` change the sign bit alone, of NaNs too. Rounding to an integer
/// leaves a signalling NaN as it is, where musl does it without the processor: in single and double precision,
/// and for `Round`.
#[inline]
pub fn unary(op: FUnOp, k: Float, a: u128) -> u128 {
    match k {
        Float::F32 => sse::unary32(op, a as u32) as u128,
        Float::F64 => sse::unary64(op, a as u64) as u128,
        Float::X80 => x87::unary(op, x87::low(a)),
    }
}

/// `a * b + c`, rounded once if `fused`, else twice.
///
/// Fused in double precision with `c` a zero, it is rounded twice all the same, as musl 1.2.3 does: that differs
/// in the sign of a product that underflows to zero. Likewise an infinite or signalling `c` comes back as it is
/// if the product is finite. In extended precision musl's `fmal` misrounds some subnormal results by a unit and the
/// sign of some that underflow to zero: those are correctly rounded here.
#[inline]
pub fn mul_add(fused: bool, k: Float, a: u128, b: u128, c: u128) -> u128 {
    if !fused {
        return binary(FBinOp::Add, k, binary(FBinOp::Mul, k, a, b), c);
    }
    match k {
        Float::F32 => sse::fused32(a as u32, b as u32, c as u32) as u128,
        Float::F64 => sse::fused64(a as u64, b as u64, c as u64) as u128,
        Float::X80 => x87::fused(x87::low(a), x87::low(b), x87::low(c)),
    }
}

/// A comparison: true where `pred` names how `a` and `b` compare. The zeros are equal; a NaN or an invalid x87
/// pattern is unordered with everything.
#[inline]
pub fn compare(pred: FPred, k: Float, a: u128, b: u128) -> bool {
    let order = match k {
        Float::F32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        Float::F64 => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        Float::X80 => x87::order(x87::low(a), x87::low(b)),
    };
    match order {
        Some(Ordering::Equal) => pred.eq,
        Some(Ordering::Greater) => pred.gt,
        Some(Ordering::Less) => pred.lt,
        None => pred.uno,
    }
}

/// A number of one kind as one of another, rounded to nearest even; a NaN keeps the upper bits of its payload
/// and is quieted. From a kind to itself: the same bits.
#[inline]
pub fn convert(from: Float, to: Float, a: u128) -> u128 {
    match (from, to) {
        (Float::F32, Float::F64) => sse::widen(a as u32) as u128,
        (Float::F64, Float::F32) => sse::narrow(a as u64) as u128,
        (Float::F32, Float::X80) => x87::of_double(sse::widen(a as u32)),
        (Float::F64, Float::X80) => x87::of_double(a as u64),
        (Float::X80, Float::F32) => x87::to_single(x87::low(a)),
        (Float::X80, Float::F64) => x87::to_double(x87::low(a)),
        (Float::F32, Float::F32) => a as u32 as u128,
        (Float::F64, Float::F64) => a as u64 as u128,
        (Float::X80, Float::X80) => x87::low(a),
    }
}

//! Floating point on bit patterns, as x86-64 code does it: single, double and x87 extended precision, rounding
//! to nearest even. A value is a `u128` whose low 32, 64 or 80 bits count.

use std::cmp::Ordering;

use cleave_program::code::{FBinOp, FPred, FUnOp, Float};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float as ApFloat, FloatConvert, Round, StatusAnd};

/// The width of a kind in bits.
fn bits(k: Float) -> u32 {
    match k {
        Float::F32 => 32,
        Float::F64 => 64,
        Float::X80 => 80,
    }
}

/// Bits of the fraction below the quiet bit; the quiet bit of a NaN.
fn quiet_bit(k: Float) -> u128 {
    match k {
        Float::F32 => 1 << 22,
        Float::F64 => 1 << 51,
        Float::X80 => 1 << 62,
    }
}

/// What the processor gives where no operand is a NaN and the result is: negative, quiet.
fn default_nan(k: Float) -> u128 {
    match k {
        Float::F32 => 0xffc0_0000,
        Float::F64 => 0xfff8_0000_0000_0000,
        Float::X80 => 0xffff_c000_0000_0000_0000,
    }
}

fn is_nan(k: Float, v: u128) -> bool {
    match k {
        Float::F32 => f32::from_bits(v as u32).is_nan(),
        Float::F64 => f64::from_bits(v as u64).is_nan(),
        Float::X80 => X87DoubleExtended::from_bits(v).is_nan(),
    }
}

fn x80(v: u128) -> X87DoubleExtended {
    X87DoubleExtended::from_bits(v)
}

/// `a op b`.
pub fn binary(op: FBinOp, k: Float, a: u128, b: u128) -> u128 {
    match op {
        FBinOp::CopySign => {
            let sign = 1u128 << (bits(k) - 1);
            return (a & !sign) | (b & sign);
        }
        FBinOp::MinNum | FBinOp::MaxNum if is_nan(k, a) => return b,
        FBinOp::MinNum | FBinOp::MaxNum if is_nan(k, b) => return a,
        FBinOp::MinNum | FBinOp::Minimum | FBinOp::MaxNum | FBinOp::Maximum
            if !is_nan(k, a) && !is_nan(k, b) =>
        {
            let sign = a >> (bits(k) - 1);
            let first = match order(k, a, b) {
                Some(Ordering::Less) => true,
                Some(Ordering::Greater) => false,
                _ => sign != 0, // of two zeros the negative one is less
            };
            return if first == matches!(op, FBinOp::MinNum | FBinOp::Minimum) { a } else { b };
        }
        _ => {}
    }
    if is_nan(k, a) {
        return a | quiet_bit(k);
    }
    if is_nan(k, b) {
        return b | quiet_bit(k);
    }
    let result = match k {
        Float::F32 => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let v = match op {
                FBinOp::Add => x + y,
                FBinOp::Sub => x - y,
                FBinOp::Mul => x * y,
                FBinOp::Div => x / y,
                _ => x % y,
            };
            v.to_bits() as u128
        }
        Float::F64 => {
            let (x, y) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
            let v = match op {
                FBinOp::Add => x + y,
                FBinOp::Sub => x - y,
                FBinOp::Mul => x * y,
                FBinOp::Div => x / y,
                _ => x % y,
            };
            v.to_bits() as u128
        }
        Float::X80 => {
            let (x, y) = (x80(a), x80(b));
            let v = match op {
                FBinOp::Add => x + y,
                FBinOp::Sub => x - y,
                FBinOp::Mul => x * y,
                FBinOp::Div => x / y,
                _ => x.c_fmod(y),
            };
            v.value.to_bits()
        }
    };
    if is_nan(k, result) { default_nan(k) } else { result }
}

/// An operation of one operand.
pub fn unary(op: FUnOp, k: Float, a: u128) -> u128 {
    let sign = 1u128 << (bits(k) - 1);
    match op {
        FUnOp::Neg => return a ^ sign,
        FUnOp::Abs => return a & !sign,
        _ if is_nan(k, a) => return a | quiet_bit(k),
        _ => {}
    }
    let result = match k {
        Float::F32 => {
            let x = f32::from_bits(a as u32);
            let v = match op {
                FUnOp::Sqrt => x.sqrt(),
                FUnOp::Floor => x.floor(),
                FUnOp::Ceil => x.ceil(),
                FUnOp::Trunc => x.trunc(),
                FUnOp::Rint => x.round_ties_even(),
                _ => x.round(),
            };
            v.to_bits() as u128
        }
        Float::F64 => {
            let x = f64::from_bits(a as u64);
            let v = match op {
                FUnOp::Sqrt => x.sqrt(),
                FUnOp::Floor => x.floor(),
                FUnOp::Ceil => x.ceil(),
                FUnOp::Trunc => x.trunc(),
                FUnOp::Rint => x.round_ties_even(),
                _ => x.round(),
            };
            v.to_bits() as u128
        }
        Float::X80 => {
            let round = match op {
                FUnOp::Sqrt => return x87_sqrt(a),
                FUnOp::Floor => Round::TowardNegative,
                FUnOp::Ceil => Round::TowardPositive,
                FUnOp::Trunc => Round::TowardZero,
                FUnOp::Rint => Round::NearestTiesToEven,
                _ => Round::NearestTiesToAway,
            };
            x80(a).round_to_integral(round).value.to_bits()
        }
    };
    if is_nan(k, result) { default_nan(k) } else { result }
}

/// The square root of an x87 number: of its 64-bit significand as an integer, rounded to nearest.
fn x87_sqrt(a: u128) -> u128 {
    let x = x80(a);
    if x.is_zero() || (x.is_infinite() && !x.is_negative()) {
        return a;
    }
    if x.is_negative() {
        return default_nan(Float::X80);
    }
    // a = m * 2^e with m of 64 bits, made such that e is even; the root of m * 2^64 has 64 bits.
    let (mut e, mut m) = ((a >> 64) as i64 & 0x7fff, a as u64);
    if e == 0 {
        e = 1;
    }
    let shift = m.leading_zeros();
    m <<= shift;
    e -= shift as i64 + 16383 + 63;
    let (mut wide, mut half) = ((m as u128) << 63, e - 63);
    if half % 2 != 0 {
        wide <<= 1;
        half -= 1;
    }
    let mut root = wide.isqrt();
    let rest = wide - root * root;
    if rest > root {
        root += 1; // above the middle; the middle itself is no square
    }
    let mut exponent = half / 2;
    if root >> 64 != 0 {
        root >>= 1;
        exponent += 1;
    }
    while root >> 63 == 0 {
        root <<= 1;
        exponent -= 1;
    }
    ((exponent + 63 + 16383) as u128) << 64 | root
}

/// `a * b + c`, rounded once if `fused`.
pub fn mul_add(fused: bool, k: Float, a: u128, b: u128, c: u128) -> u128 {
    if !fused || [a, b, c].iter().any(|&v| is_nan(k, v)) {
        return binary(FBinOp::Add, k, binary(FBinOp::Mul, k, a, b), c);
    }
    let result = match k {
        Float::F32 => {
            let [x, y, z] = [a, b, c].map(|v| f32::from_bits(v as u32));
            x.mul_add(y, z).to_bits() as u128
        }
        Float::F64 => {
            let [x, y, z] = [a, b, c].map(|v| f64::from_bits(v as u64));
            x.mul_add(y, z).to_bits() as u128
        }
        Float::X80 => x80(a).mul_add(x80(b), x80(c)).value.to_bits(),
    };
    if is_nan(k, result) { default_nan(k) } else { result }
}

fn order(k: Float, a: u128, b: u128) -> Option<Ordering> {
    match k {
        Float::F32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        Float::F64 => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        Float::X80 => x80(a).partial_cmp(&x80(b)),
    }
}

/// A comparison.
pub fn compare(pred: FPred, k: Float, a: u128, b: u128) -> bool {
    match order(k, a, b) {
        Some(Ordering::Equal) => pred.eq,
        Some(Ordering::Greater) => pred.gt,
        Some(Ordering::Less) => pred.lt,
        None => pred.uno,
    }
}

/// A number of one kind as one of another, rounded to nearest even.
pub fn convert(from: Float, to: Float, a: u128) -> u128 {
    let mut inexact = false;
    let x: X87DoubleExtended = match from {
        Float::F32 => Single::from_bits(a).convert(&mut inexact).value,
        Float::F64 => Double::from_bits(a).convert(&mut inexact).value,
        Float::X80 => x80(a),
    };
    let result = match to {
        Float::F32 => {
            let v: StatusAnd<Single> = x.convert(&mut inexact);
            v.value.to_bits()
        }
        Float::F64 => {
            let v: StatusAnd<Double> = x.convert(&mut inexact);
            v.value.to_bits()
        }
        Float::X80 => x.to_bits(),
    };
    if is_nan(to, result) { result | quiet_bit(to) } else { result }
}

/// To an integer of `w` bits, towards zero. Out of range and for a NaN: for widths up to 64 the processor's
/// indefinite value, the least signed number of the register that clang converts through; wider: saturated.
pub fn to_int(signed: bool, from: Float, w: u8, a: u128) -> u128 {
    let x = x80(convert(from, Float::X80, a));
    let mask = if w >= 128 { u128::MAX } else { (1 << w) - 1 };
    let mut exact = false;
    let nan = is_nan(from, a);
    if w > 64 {
        return if signed {
            x.to_i128_r(w as usize, Round::TowardZero, &mut exact).value as u128 & mask
        } else {
            x.to_u128_r(w as usize, Round::TowardZero, &mut exact).value & mask
        };
    }
    // What fits a signed 128-bit number is exact there; what does not is out of every range here.
    let whole = x.to_i128_r(128, Round::TowardZero, &mut exact).value;
    let register = match (signed, w) {
        (true, ..=32) => 32,
        (true, _) | (false, ..=32) => 64,
        (false, _) => {
            // Two steps: below 2^63 directly, else after subtracting that.
            let top = 1i128 << 63;
            let step = |v: i128| if nan || !(-top..top).contains(&v) { top as u128 } else { v as u128 };
            let value = if nan || whole < top { step(whole) } else { step(whole - top) ^ top as u128 };
            return value & mask;
        }
    };
    let limit = 1i128 << (register - 1);
    let value = if nan || !(-limit..limit).contains(&whole) { limit as u128 } else { whole as u128 };
    value & mask
}

/// From an integer of `w` bits, rounded to nearest even.
pub fn from_int(signed: bool, w: u8, to: Float, a: u128) -> u128 {
    let shift = 128 - w as u32;
    let s = ((a << shift) as i128) >> shift;
    match (to, signed) {
        (Float::F32, true) => (s as f32).to_bits() as u128,
        (Float::F32, false) => (a as f32).to_bits() as u128,
        (Float::F64, true) => (s as f64).to_bits() as u128,
        (Float::F64, false) => (a as f64).to_bits() as u128,
        (Float::X80, true) => X87DoubleExtended::from_i128_r(s, Round::NearestTiesToEven).value.to_bits(),
        (Float::X80, false) => X87DoubleExtended::from_u128_r(a, Round::NearestTiesToEven).value.to_bits(),
    }
}

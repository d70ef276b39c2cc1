//! Arithmetic in a directed rounding mode: only the rounding differs from the arithmetic that rounds to nearest.
//!
//! The rounding mode changes neither the operations that give a NaN nor the bits of a NaN: such results are those of the rounding
//! to nearest. `rustc_apfloat` computes the others, except square roots, which it does not have.

use crate::operations::{FBinOp, FPred, FUnOp, Float};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float as Number, FloatConvert, Round};

use crate::x87;

/// A rounding mode of the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, and of two to the even one.
    #[default]
    Nearest,
    /// Towards minus infinity.
    Down,
    /// Towards infinity.
    Up,
    /// Towards zero.
    Zero,
}

impl Rounding {
    /// The mode of the two bits that the processor has for it.
    pub fn from_bits(bits: u64) -> Rounding {
        [Rounding::Nearest, Rounding::Down, Rounding::Up, Rounding::Zero][(bits & 3) as usize]
    }

    /// The two bits that the processor has for it.
    pub fn to_bits(self) -> u64 {
        self as u64
    }

    fn round(self) -> Round {
        match self {
            Rounding::Nearest => Round::NearestTiesToEven,
            Rounding::Down => Round::TowardNegative,
            Rounding::Up => Round::TowardPositive,
            Rounding::Zero => Round::TowardZero,
        }
    }

    /// [`binary`](crate::binary) in this mode.
    pub fn binary(self, op: FBinOp, k: Float, a: u128, b: u128) -> u128 {
        let nearest = crate::binary(op, k, a, b);
        let rounds = matches!(op, FBinOp::Add | FBinOp::Sub | FBinOp::Mul | FBinOp::Div);
        if self == Rounding::Nearest || !rounds || is_nan(k, nearest) {
            return nearest;
        }
        match k {
            Float::F32 => binary::<Single>(op, self.round(), a, b),
            Float::F64 => binary::<Double>(op, self.round(), a, b),
            Float::X80 => binary::<X87DoubleExtended>(op, self.round(), x87::low(a), x87::low(b)),
        }
    }

    /// [`unary`](crate::unary) in this mode.
    pub fn unary(self, op: FUnOp, k: Float, a: u128) -> u128 {
        let nearest = crate::unary(op, k, a);
        if self == Rounding::Nearest || is_nan(k, nearest) {
            return nearest;
        }
        match (op, k) {
            (FUnOp::Rint, Float::F32) => whole::<Single>(self.round(), a),
            (FUnOp::Rint, Float::F64) => whole::<Double>(self.round(), a),
            (FUnOp::Rint, Float::X80) => whole::<X87DoubleExtended>(self.round(), x87::low(a)),
            (FUnOp::Sqrt, Float::F32) => root::<Single>(self, a & 0xffff_ffff, nearest),
            (FUnOp::Sqrt, Float::F64) => root::<Double>(self, a & u128::from(u64::MAX), nearest),
            (FUnOp::Sqrt, Float::X80) => x87::directed_root(self == Rounding::Up, x87::low(a)),
            _ => nearest,
        }
    }

    /// [`mul_add`](crate::mul_add) in this mode.
    pub fn mul_add(self, fused: bool, k: Float, a: u128, b: u128, c: u128) -> u128 {
        if !fused {
            return self.binary(FBinOp::Add, k, self.binary(FBinOp::Mul, k, a, b), c);
        }
        let nearest = crate::mul_add(fused, k, a, b, c);
        if self == Rounding::Nearest || is_nan(k, nearest) {
            return nearest;
        }
        // musl rounds the product before it adds a zero: the sign of one that underflows depends on that.
        if k == Float::F64 && f64::from_bits(c as u64) == 0.0 {
            return self.binary(FBinOp::Add, k, self.binary(FBinOp::Mul, k, a, b), c);
        }
        match k {
            Float::F32 => fused_sum::<Single>(self.round(), a, b, c),
            Float::F64 => fused_sum::<Double>(self.round(), a, b, c),
            Float::X80 => fused_sum::<X87DoubleExtended>(self.round(), x87::low(a), x87::low(b), x87::low(c)),
        }
    }

    /// [`convert`](crate::convert) in this mode.
    pub fn convert(self, from: Float, to: Float, a: u128) -> u128 {
        let nearest = crate::convert(from, to, a);
        if self == Rounding::Nearest || is_nan(to, nearest) {
            return nearest;
        }
        match (from, to) {
            (Float::F64, Float::F32) => narrow::<Double, Single>(self.round(), a),
            (Float::X80, Float::F32) => narrow::<X87DoubleExtended, Single>(self.round(), x87::low(a)),
            (Float::X80, Float::F64) => narrow::<X87DoubleExtended, Double>(self.round(), x87::low(a)),
            _ => nearest,
        }
    }

    /// [`from_int`](crate::from_int) in this mode.
    pub fn from_int(self, signed: bool, w: u8, to: Float, a: u128) -> u128 {
        if self == Rounding::Nearest {
            return crate::from_int(signed, w, to, a);
        }
        let shift = 128 - u32::from(w.clamp(1, 128));
        let (signed_value, value) = ((a << shift) as i128 >> shift, a << shift >> shift);
        match to {
            Float::F32 if signed => Single::from_i128_r(signed_value, self.round()).value.to_bits(),
            Float::F64 if signed => Double::from_i128_r(signed_value, self.round()).value.to_bits(),
            Float::X80 if signed => {
                X87DoubleExtended::from_i128_r(signed_value, self.round()).value.to_bits()
            }
            Float::F32 => Single::from_u128_r(value, self.round()).value.to_bits(),
            Float::F64 => Double::from_u128_r(value, self.round()).value.to_bits(),
            Float::X80 => X87DoubleExtended::from_u128_r(value, self.round()).value.to_bits(),
        }
    }
}

fn is_nan(k: Float, a: u128) -> bool {
    crate::compare(FPred { eq: false, gt: false, lt: false, uno: true }, k, a, a)
}

fn binary<N: Number>(op: FBinOp, round: Round, a: u128, b: u128) -> u128 {
    let (x, y) = (N::from_bits(a), N::from_bits(b));
    let result = match op {
        FBinOp::Add => x.add_r(y, round),
        FBinOp::Sub => x.sub_r(y, round),
        FBinOp::Mul => x.mul_r(y, round),
        _ => x.div_r(y, round),
    };
    result.value.to_bits()
}

fn whole<N: Number>(round: Round, a: u128) -> u128 {
    N::from_bits(a).round_to_integral(round).value.to_bits()
}

fn fused_sum<N: Number>(round: Round, a: u128, b: u128, c: u128) -> u128 {
    N::from_bits(a).mul_add_r(N::from_bits(b), N::from_bits(c), round).value.to_bits()
}

fn narrow<N: FloatConvert<M>, M: Number>(round: Round, a: u128) -> u128 {
    N::from_bits(a).convert_r(round, &mut false).value.to_bits()
}

/// The square root of a number, rounded as `mode` says; `nearest` is the nearest one. If it lies on the wrong side, its neighbour
/// is the result. A root has half the bits of its square, which so is exact in four times the precision.
fn root<N: FloatConvert<Quad>>(mode: Rounding, a: u128, nearest: u128) -> u128 {
    let (x, r) = (N::from_bits(a), N::from_bits(nearest));
    if r.is_zero() || r.is_infinite() {
        return nearest;
    }
    let wide = |n: N| -> Quad { n.convert_r(Round::NearestTiesToEven, &mut false).value };
    let square = wide(r).mul_r(wide(r), Round::NearestTiesToEven).value;
    // A positive number's neighbours have neighbouring bits.
    match square.partial_cmp(&wide(x)) {
        Some(std::cmp::Ordering::Greater) if mode != Rounding::Up => nearest - 1,
        Some(std::cmp::Ordering::Less) if mode == Rounding::Up => nearest + 1,
        _ => nearest,
    }
}

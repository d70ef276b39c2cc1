//! Floating-point operators of terms. Their operands and results are bit patterns; a result equals that of
//! [`cleave_float`], to the last bit.

use cleave_float::{FBinOp, FPred, FUnOp, Float, Rounding};

/// An operator on floating-point numbers. The widths of operands and result (32, 64 and 80 bits) give the formats of its
/// numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    /// `a + b`.
    Add(Rounding),
    /// `a - b`.
    Sub(Rounding),
    /// `a * b`.
    Mul(Rounding),
    /// `a / b`.
    Div(Rounding),
    /// The remainder of `a / b`, as `fmod` gives it.
    Rem,
    /// `a * b + c`, rounded once.
    MulAdd(Rounding),
    /// The square root.
    Sqrt(Rounding),
    /// To an integer in the rounding mode.
    Rint(Rounding),
    /// To an integer, down.
    Floor,
    /// To an integer, up.
    Ceil,
    /// To an integer, towards zero.
    Trunc,
    /// To an integer, half away from zero.
    Round,
    /// Inverts the sign.
    Neg,
    /// The absolute value.
    Abs,
    /// A number of one format converted to another.
    Convert(Rounding),
    /// A number converted to a signed integer; see [`cleave_float::to_int`].
    ToSigned,
    /// A number converted to an unsigned integer.
    ToUnsigned,
    /// A signed integer converted to a number.
    FromSigned(Rounding),
    /// An unsigned integer converted to a number.
    FromUnsigned(Rounding),
    /// `a < b`; one bit.
    Less,
    /// `a <= b`; one bit.
    LessEqual,
    /// `a == b`; one bit.
    Equal,
    /// True if it is NaN, or an x87 pattern that the processor treats as NaN; one bit.
    IsNan,
}

const LESS: FPred = FPred { eq: false, gt: false, lt: true, uno: false };
const LESS_EQUAL: FPred = FPred { eq: true, gt: false, lt: true, uno: false };
const EQUAL: FPred = FPred { eq: true, gt: false, lt: false, uno: false };
const UNORDERED: FPred = FPred { eq: false, gt: false, lt: false, uno: true };

impl FloatOp {
    /// Number of operands, 1 to 3.
    pub fn operands(self) -> u8 {
        use FloatOp::*;
        match self {
            MulAdd(_) => 3,
            Add(_) | Sub(_) | Mul(_) | Div(_) | Rem | Less | LessEqual | Equal => 2,
            Sqrt(_) | Rint(_) | Floor | Ceil | Trunc | Round | Neg | Abs | Convert(_) | ToSigned
            | ToUnsigned | FromSigned(_) | FromUnsigned(_) | IsNan => 1,
        }
    }

    /// True if the result is one bit.
    pub fn is_comparison(self) -> bool {
        matches!(self, FloatOp::Less | FloatOp::LessEqual | FloatOp::Equal | FloatOp::IsNan)
    }

    /// True if it computes a number; comparisons, negation and absolute value are cheap tests or changes of bits.
    pub(crate) fn calculates(self) -> bool {
        !self.is_comparison() && !matches!(self, FloatOp::Neg | FloatOp::Abs)
    }

    /// Its rounding mode, if it has one.
    pub fn rounding(self) -> Option<Rounding> {
        use FloatOp::*;
        match self {
            Add(r) | Sub(r) | Mul(r) | Div(r) | MulAdd(r) | Sqrt(r) | Rint(r) | Convert(r)
            | FromSigned(r) | FromUnsigned(r) => Some(r),
            Rem | Floor | Ceil | Trunc | Round | Neg | Abs | ToSigned | ToUnsigned | Less | LessEqual
            | Equal | IsNan => None,
        }
    }

    /// Its name in printed terms.
    pub fn name(self) -> &'static str {
        use FloatOp::*;
        match self {
            Add(_) => "fadd",
            Sub(_) => "fsub",
            Mul(_) => "fmul",
            Div(_) => "fdiv",
            Rem => "fmod",
            MulAdd(_) => "fma",
            Sqrt(_) => "sqrt",
            Rint(_) => "rint",
            Floor => "floor",
            Ceil => "ceil",
            Trunc => "trunc",
            Round => "round",
            Neg => "fneg",
            Abs => "fabs",
            Convert(_) => "float",
            ToSigned => "sint",
            ToUnsigned => "uint",
            FromSigned(_) => "float.s",
            FromUnsigned(_) => "float.u",
            Less => "flt",
            LessEqual => "fle",
            Equal => "feq",
            IsNan => "isnan",
        }
    }

    /// Every operator in every mode.
    pub fn all() -> impl Iterator<Item = FloatOp> {
        use FloatOp::*;
        let modes = [Rounding::Nearest, Rounding::Down, Rounding::Up, Rounding::Zero];
        let rounding = [Add, Sub, Mul, Div, MulAdd, Sqrt, Rint, Convert, FromSigned, FromUnsigned];
        let others =
            [Rem, Floor, Ceil, Trunc, Round, Neg, Abs, ToSigned, ToUnsigned, Less, LessEqual, Equal, IsNan];
        modes.into_iter().flat_map(move |mode| rounding.map(|op| op(mode))).chain(others)
    }

    /// True if operands of these widths and a result of `to` bits are valid for it; the number of widths must be that of
    /// operands.
    pub fn fits(self, from: &[u8], to: u8) -> bool {
        use FloatOp::*;
        let number = |w: u8| Float::of_bits(w).is_some();
        let Some(&first) = from.first() else { return false };
        if from.len() != usize::from(self.operands()) || from.iter().any(|&w| w != first) {
            return false;
        }
        match self {
            FromSigned(_) | FromUnsigned(_) => number(to) && (1..=128).contains(&first),
            ToSigned | ToUnsigned => number(first) && (1..=128).contains(&to),
            Convert(_) => number(first) && number(to) && first != to,
            _ => number(first) && to == if self.is_comparison() { 1 } else { first },
        }
    }

    /// A code for hashes; each pair of operator and mode has its own.
    pub(crate) fn code(self) -> u64 {
        use FloatOp::*;
        let place = match self {
            Add(_) => 0,
            Sub(_) => 1,
            Mul(_) => 2,
            Div(_) => 3,
            MulAdd(_) => 4,
            Sqrt(_) => 5,
            Rint(_) => 6,
            Floor => 7,
            Ceil => 8,
            Trunc => 9,
            Round => 10,
            Neg => 11,
            Abs => 12,
            Convert(_) => 13,
            ToSigned => 14,
            ToUnsigned => 15,
            FromSigned(_) => 16,
            FromUnsigned(_) => 17,
            Less => 18,
            LessEqual => 19,
            Equal => 20,
            IsNan => 21,
            Rem => 22,
        };
        place * 4 + self.rounding().map_or(0, Rounding::to_bits)
    }

    /// The result of `to` bits for operands of `from` bits, as bit patterns.
    #[inline]
    pub fn value(self, from: u8, to: u8, [a, b, c]: [u128; 3]) -> u128 {
        use FloatOp::*;
        match self {
            FromSigned(r) => r.from_int(true, from, kind(to), a),
            FromUnsigned(r) => r.from_int(false, from, kind(to), a),
            Add(r) => r.binary(FBinOp::Add, kind(from), a, b),
            Sub(r) => r.binary(FBinOp::Sub, kind(from), a, b),
            Mul(r) => r.binary(FBinOp::Mul, kind(from), a, b),
            Div(r) => r.binary(FBinOp::Div, kind(from), a, b),
            Rem => cleave_float::binary(FBinOp::Rem, kind(from), a, b),
            MulAdd(r) => r.mul_add(true, kind(from), a, b, c),
            Sqrt(r) => r.unary(FUnOp::Sqrt, kind(from), a),
            Rint(r) => r.unary(FUnOp::Rint, kind(from), a),
            Floor => cleave_float::unary(FUnOp::Floor, kind(from), a),
            Ceil => cleave_float::unary(FUnOp::Ceil, kind(from), a),
            Trunc => cleave_float::unary(FUnOp::Trunc, kind(from), a),
            Round => cleave_float::unary(FUnOp::Round, kind(from), a),
            Neg => cleave_float::unary(FUnOp::Neg, kind(from), a),
            Abs => cleave_float::unary(FUnOp::Abs, kind(from), a),
            Convert(r) => r.convert(kind(from), kind(to), a),
            ToSigned => cleave_float::to_int(true, kind(from), to, a),
            ToUnsigned => cleave_float::to_int(false, kind(from), to, a),
            Less => cleave_float::compare(LESS, kind(from), a, b).into(),
            LessEqual => cleave_float::compare(LESS_EQUAL, kind(from), a, b).into(),
            Equal => cleave_float::compare(EQUAL, kind(from), a, b).into(),
            IsNan => cleave_float::compare(UNORDERED, kind(from), a, a).into(),
        }
    }
}

/// The format of a width; constructors admit no width but 32, 64 and 80.
#[inline]
pub(crate) fn kind(width: u8) -> Float {
    match width {
        32 => Float::F32,
        64 => Float::F64,
        _ => Float::X80,
    }
}

/// The bit pattern of positive infinity.
pub(crate) fn infinity(k: Float) -> u128 {
    match k {
        Float::F32 => 0xff << 23,
        Float::F64 => 0x7ff << 52,
        Float::X80 => 0x7fff << 64 | 1 << 63,
    }
}

//! The operators on concrete values; every evaluation of terms uses them. Division by zero and shifts by the width or
//! more are as in SMT-LIB (all ones, the dividend, zero, the sign): the engine checks for them before it makes such a term.

use crate::store::term::BinaryOp;

/// The low `w` bits set; `w` is 0 to 128.
#[inline(always)]
pub const fn mask(w: u8) -> u128 {
    if w >= 128 { u128::MAX } else { (1 << w) - 1 }
}

/// The low `w` bits set, for widths up to 64.
#[inline(always)]
pub const fn mask64(w: u8) -> u64 {
    if w >= 64 { u64::MAX } else { (1 << w) - 1 }
}

/// The `w`-bit value `v` as a signed number.
#[inline(always)]
pub const fn sign_extend(v: u128, w: u8) -> i128 {
    let shift = 128 - w as u32;
    ((v << shift) as i128) >> shift
}

/// Defines the operators on values of one integer type: `binary` is `a op b` for operands of `w` bits, at most the width of the
/// type; `wb` is the second operand's width (for a concatenation).
macro_rules! operators {
    ($binary:ident, $sign:ident, $word:ty, $signed:ty) => {
        /// A value of `w` bits as a signed number.
        #[inline(always)]
        pub(crate) const fn $sign(v: $word, w: u8) -> $signed {
            let shift = <$word>::BITS - w as u32;
            ((v << shift) as $signed) >> shift
        }

        #[inline(always)]
        /// The value of a binary operation; `wb` is the second operand's width, for a concatenation.
        pub fn $binary(op: BinaryOp, w: u8, wb: u8, a: $word, b: $word) -> $word {
            use BinaryOp::*;
            let m = mask(w) as $word;
            match op {
                Add => a.wrapping_add(b) & m,
                Sub => a.wrapping_sub(b) & m,
                Mul => a.wrapping_mul(b) & m,
                UDiv => a.checked_div(b).unwrap_or(m),
                URem => a.checked_rem(b).unwrap_or(a),
                SDiv => match ($sign(a, w), $sign(b, w)) {
                    (x, 0) => (if x < 0 { 1 } else { m }) & m,
                    (x, y) => x.wrapping_div(y) as $word & m,
                },
                SRem => match ($sign(a, w), $sign(b, w)) {
                    (_, 0) => a,
                    (x, y) => x.wrapping_rem(y) as $word & m,
                },
                And => a & b,
                Or => a | b,
                Xor => a ^ b,
                Shl => {
                    if b >= w as $word {
                        0
                    } else {
                        (a << b) & m
                    }
                }
                LShr => {
                    if b >= w as $word {
                        0
                    } else {
                        a >> b
                    }
                }
                AShr => ($sign(a, w) >> b.min(w as $word - 1)) as $word & m,
                Eq => (a == b) as $word,
                Ult => (a < b) as $word,
                Slt => ($sign(a, w) < $sign(b, w)) as $word,
                Concat => {
                    if u32::from(wb) >= <$word>::BITS {
                        b
                    } else {
                        a << wb | b
                    }
                }
            }
        }
    };
}

operators!(binary8, sign_extend8, u8, i8);
operators!(binary32, sign_extend32, u32, i32);
operators!(binary64, sign_extend64, u64, i64);
operators!(binary128, sign_extend128, u128, i128);

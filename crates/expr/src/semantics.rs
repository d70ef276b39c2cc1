//! What the operators mean on concrete values. Division by zero and shifts by the width or more are as in
//! SMT-LIB (all ones, the dividend, zero, the sign): the engine checks for them before it makes such a term.

use crate::term::BinaryOp;

/// The low `w` bits set; `w` is 0 to 128.
#[inline(always)]
pub const fn mask(w: u8) -> u128 {
    if w >= 128 { u128::MAX } else { (1 << w) - 1 }
}

/// The low `w` bits set, for widths up to 64.
#[inline(always)]
pub(crate) const fn mask64(w: u8) -> u64 {
    if w >= 64 { u64::MAX } else { (1 << w) - 1 }
}

/// The `w`-bit value `v` as a signed number.
#[inline(always)]
pub const fn sign_extend(v: u128, w: u8) -> i128 {
    let shift = 128 - w as u32;
    ((v << shift) as i128) >> shift
}

#[inline(always)]
const fn sign64(v: u64, w: u8) -> i64 {
    let shift = 64 - w as u32;
    ((v << shift) as i64) >> shift
}

/// `a op b` for operands of `w` bits, at most 64; `wb` is the second operand's width (for a concatenation).
#[inline(always)]
pub(crate) fn binary64(op: BinaryOp, w: u8, wb: u8, a: u64, b: u64) -> u64 {
    use BinaryOp::*;
    let m = mask64(w);
    match op {
        Add => a.wrapping_add(b) & m,
        Sub => a.wrapping_sub(b) & m,
        Mul => a.wrapping_mul(b) & m,
        UDiv => a.checked_div(b).unwrap_or(m),
        URem => a.checked_rem(b).unwrap_or(a),
        SDiv => match (sign64(a, w), sign64(b, w)) {
            (x, 0) => (if x < 0 { 1 } else { m }) & m,
            (x, y) => x.wrapping_div(y) as u64 & m,
        },
        SRem => match (sign64(a, w), sign64(b, w)) {
            (_, 0) => a,
            (x, y) => x.wrapping_rem(y) as u64 & m,
        },
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => {
            if b >= w as u64 {
                0
            } else {
                (a << b) & m
            }
        }
        LShr => {
            if b >= w as u64 {
                0
            } else {
                a >> b
            }
        }
        AShr => (sign64(a, w) >> b.min(w as u64 - 1)) as u64 & m,
        Eq => (a == b) as u64,
        Ult => (a < b) as u64,
        Slt => (sign64(a, w) < sign64(b, w)) as u64,
        Concat => {
            if wb >= 64 {
                b
            } else {
                a << wb | b
            }
        }
    }
}

/// As [`binary64`], for many pairs of operands. Which operator it is, is asked once: the compiler makes vector code of each loop.
pub(crate) fn binary_columns<const N: usize>(
    op: BinaryOp,
    w: u8,
    wb: u8,
    [a, b]: [&[u64; N]; 2],
    out: &mut [u64; N],
) {
    macro_rules! one_loop_each {
        ($($name:ident)*) => {
            match op {
                $(BinaryOp::$name => for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
                    *o = binary64(BinaryOp::$name, w, wb, x, y);
                },)*
            }
        };
    }
    one_loop_each!(Add Sub Mul UDiv SDiv URem SRem And Or Xor Shl LShr AShr Eq Ult Slt Concat);
}

/// As [`binary64`], for operands of up to 128 bits.
pub(crate) fn binary128(op: BinaryOp, w: u8, wb: u8, a: u128, b: u128) -> u128 {
    use BinaryOp::*;
    let m = mask(w);
    match op {
        Add => a.wrapping_add(b) & m,
        Sub => a.wrapping_sub(b) & m,
        Mul => a.wrapping_mul(b) & m,
        UDiv => a.checked_div(b).unwrap_or(m),
        URem => a.checked_rem(b).unwrap_or(a),
        SDiv => match (sign_extend(a, w), sign_extend(b, w)) {
            (x, 0) => (if x < 0 { 1 } else { m }) & m,
            (x, y) => x.wrapping_div(y) as u128 & m,
        },
        SRem => match (sign_extend(a, w), sign_extend(b, w)) {
            (_, 0) => a,
            (x, y) => x.wrapping_rem(y) as u128 & m,
        },
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => {
            if b >= w as u128 {
                0
            } else {
                (a << b) & m
            }
        }
        LShr => {
            if b >= w as u128 {
                0
            } else {
                a >> b
            }
        }
        AShr => (sign_extend(a, w) >> b.min(w as u128 - 1)) as u128 & m,
        Eq => (a == b) as u128,
        Ult => (a < b) as u128,
        Slt => (sign_extend(a, w) < sign_extend(b, w)) as u128,
        Concat => {
            if wb >= 128 {
                b
            } else {
                a << wb | b
            }
        }
    }
}

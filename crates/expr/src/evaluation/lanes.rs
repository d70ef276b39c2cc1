//! Values of terms for 64 inputs at once, in the smallest integer type that holds the widest of these terms: a vector instruction
//! works on twice as many values of half the size.

use std::cell::Cell;
use std::ops::{BitAnd, Not, Shr};

use crate::domains::byteset::LANES;
use crate::evaluation::semantics::{
    binary8, binary32, binary64, binary128, sign_extend8, sign_extend32, sign_extend64, sign_extend128,
};
use crate::policy::vectors;
use crate::store::term::BinaryOp;

/// An integer type with which terms are evaluated.
pub trait Value:
    Copy + PartialEq + Into<u128> + Not<Output = Self> + BitAnd<Output = Self> + Shr<u32, Output = Self> + 'static
{
    /// Zero.
    const ZERO: Self;
    /// A vector of zeros.
    const ZEROS: &'static [Self; LANES];

    /// The lower bits of a value.
    fn from_wide(value: u128) -> Self;
    /// A value of `from` bits with its sign extended over the whole type; the caller masks it to the width it needs.
    fn sign_extended(self, from: u8) -> Self;
    /// As `binary64` for values of this type. The operator is matched once outside the loops, so that the compiler vectorizes
    /// each loop.
    fn binary(op: BinaryOp, widths: [u8; 2], operands: [&[Self; LANES]; 2], out: &mut [Self; LANES]);
    /// Buffers for at least `columns` value vectors; their values are undefined.
    fn room(columns: usize) -> Vec<[Self; LANES]>;
    /// Returns the buffers for the next query.
    fn give_back(room: Vec<[Self; LANES]>);
}

macro_rules! values {
    ($($kind:ty, $binary:ident, $sign_extend:ident, $kept:ident, $room:expr;)*) => {$(
        thread_local! {
            static $kept: Cell<Vec<[$kind; LANES]>> = const { Cell::new(Vec::new()) };
        }

        impl Value for $kind {
            const ZERO: $kind = 0;
            const ZEROS: &'static [$kind; LANES] = &[0; LANES];

            #[inline(always)]
            fn from_wide(value: u128) -> $kind {
                value as $kind
            }

            #[inline(always)]
            fn sign_extended(self, from: u8) -> $kind {
                $sign_extend(self, from) as $kind
            }

            fn binary(
                op: BinaryOp,
                [w, wb]: [u8; 2],
                [a, b]: [&[$kind; LANES]; 2],
                out: &mut [$kind; LANES],
            ) {
                macro_rules! one_loop_each {
                    ($name:ident) => {
                        for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
                            *o = $binary(BinaryOp::$name, w, wb, x, y);
                        }
                    };
                }
                match op {
                    BinaryOp::Add => one_loop_each!(Add),
                    BinaryOp::Sub => one_loop_each!(Sub),
                    BinaryOp::Mul => one_loop_each!(Mul),
                    BinaryOp::UDiv => one_loop_each!(UDiv),
                    BinaryOp::SDiv => one_loop_each!(SDiv),
                    BinaryOp::URem => one_loop_each!(URem),
                    BinaryOp::SRem => one_loop_each!(SRem),
                    BinaryOp::And => one_loop_each!(And),
                    BinaryOp::Or => one_loop_each!(Or),
                    BinaryOp::Xor => one_loop_each!(Xor),
                    BinaryOp::Shl => one_loop_each!(Shl),
                    BinaryOp::LShr => one_loop_each!(LShr),
                    BinaryOp::AShr => one_loop_each!(AShr),
                    BinaryOp::Eq => one_loop_each!(Eq),
                    BinaryOp::Ult => one_loop_each!(Ult),
                    BinaryOp::Slt => one_loop_each!(Slt),
                    BinaryOp::Concat => one_loop_each!(Concat),
                }
            }

            fn room(columns: usize) -> Vec<[$kind; LANES]> {
                let mut room = $kept.take();
                if room.len() < columns {
                    room.resize(columns, [0; LANES]);
                }
                room
            }

            fn give_back(mut room: Vec<[$kind; LANES]>) {
                room.truncate($room);
                room.shrink_to($room);
                $kept.set(room);
            }
        }
    )*};
}

values! {
    u8, binary8, sign_extend8, KEPT8, vectors::REUSED;
    u32, binary32, sign_extend32, KEPT32, vectors::REUSED;
    u64, binary64, sign_extend64, KEPT64, vectors::REUSED;
    u128, binary128, sign_extend128, KEPT128, 0;
}

/// Evaluates an expression with `V` as the smallest value type that holds this width.
#[macro_export]
macro_rules! of_kind {
    ($width:expr, $V:ident => $value:expr) => {
        match $width {
            0..=8 => {
                type $V = u8;
                $value
            }
            9..=32 => {
                type $V = u32;
                $value
            }
            33..=64 => {
                type $V = u64;
                $value
            }
            _ => {
                type $V = u128;
                $value
            }
        }
    };
}
pub(crate) use of_kind;

/// The lowest bits of eight bytes, the first byte's in the lowest bit. The product moves each into the highest byte, and no two
/// meet.
#[inline(always)]
fn lowest_bits(bytes: [u8; 8]) -> u64 {
    (u64::from_le_bytes(bytes) & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The inputs, at most 64, for which a term of one bit holds: a bit for each, the first in the lowest bit.
#[inline]
pub fn holding<V: Value>(values: &[V]) -> u64 {
    let mut low = [0; LANES];
    low.iter_mut().zip(values).for_each(|(low, v)| *low = (*v).into() as u8);
    low.as_chunks().0.iter().rev().fold(0, |set, eight| set << 8 | lowest_bits(*eight))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn where_a_term_holds_is_its_lowest_bit(values in proptest::collection::vec(0..=1u32, 0..=LANES)) {
            let expected = values.iter().enumerate().fold(0, |set, (i, v)| set | u64::from(*v) << i);
            prop_assert_eq!(holding(&values), expected);
        }
    }
}

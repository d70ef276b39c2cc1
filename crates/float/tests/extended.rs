//! Operations that have no native counterpart to compare with.

use cleave_float::{FBinOp, FUnOp, Float};
use cleave_float::{binary, convert, from_int, to_int, unary};

const ZERO: u128 = 0;
const MINUS_ZERO: u128 = 1 << 79;
const NAN: u128 = 0x7fff_c000_0000_0000_1234;

fn x80(v: i128) -> u128 {
    from_int(true, 128, Float::X80, v as u128)
}

#[test]
fn minimum_and_maximum_in_extended_precision_order_zeros_and_keep_nans() {
    let check = |a, b, least, greatest| {
        for (a, b) in [(a, b), (b, a)] {
            assert_eq!(binary(FBinOp::Minimum, Float::X80, a, b), least);
            assert_eq!(binary(FBinOp::Maximum, Float::X80, a, b), greatest);
        }
    };
    check(x80(-3), x80(2), x80(-3), x80(2));
    check(x80(7), x80(8), x80(7), x80(8));
    check(ZERO, MINUS_ZERO, MINUS_ZERO, ZERO);
    check(x80(5), NAN, NAN, NAN);
}

#[test]
fn bits_above_an_operand_are_ignored_and_those_above_a_result_are_zero() {
    for (k, bits) in [(Float::F32, 32), (Float::F64, 64), (Float::X80, 80)] {
        let (two, above) = (from_int(true, 8, k, 2), u128::MAX << bits);
        assert_eq!(binary(FBinOp::Add, k, two | above, two | above), from_int(true, 8, k, 4 | 0xff00));
        assert_eq!(unary(FUnOp::Neg, k, two | above) >> bits, 0);
        assert_eq!(convert(k, k, two | above), two);
        assert_eq!(to_int(true, k, 8, unary(FUnOp::Neg, k, two)), 0xfe);
    }
}

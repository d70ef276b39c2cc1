//! Abstract bounds of integers: intervals of unsigned numbers, and one transfer function for each operator. Terms have such
//! bounds for all inputs (`terms.rs`); a path, the solver's words, boxes and the spans of prefix states narrow them by what they
//! know of the operands, with the same functions.

use std::ops::{BitAnd, BitOr, BitXor};

use crate::evaluation::semantics::{mask, sign_extend};
use crate::store::term::BinaryOp;

/// Both bounds of a number, which are possible values.
pub type Bounds<T = u64> = (T, T);

/// The intersection of two intervals; the first if they are disjoint, as on a path that nobody has checked.
pub fn both<T: Copy + Ord>(a: Bounds<T>, b: Bounds<T>) -> Bounds<T> {
    let (least, most) = (a.0.max(b.0), a.1.min(b.1));
    if least <= most { (least, most) } else { a }
}

/// The smallest interval that contains two: the bounds of a choice.
pub fn hull<T: Copy + Ord>(a: Bounds<T>, b: Bounds<T>) -> Bounds<T> {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The value of an order for all operands within their bounds, if it is the same for all.
pub fn less<T: Copy + Ord>(a: Bounds<T>, b: Bounds<T>) -> Option<bool> {
    match (a.1 < b.0, a.0 >= b.1) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// The bounds of a conjunction, disjunction or sum of two bits, from those of the bits.
pub fn of_bits<T>(op: BinaryOp, a: Bounds<T>, b: Bounds<T>) -> Bounds<T>
where
    T: Copy + Ord + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T>,
{
    match op {
        BinaryOp::And => (a.0 & b.0, a.1 & b.1),
        BinaryOp::Xor if a.0 == a.1 && b.0 == b.1 => (a.0 ^ b.0, a.1 ^ b.1),
        // One of them is unknown, so its upper bound is 1.
        BinaryOp::Xor => (a.0 & b.0 & (a.0 ^ b.0), a.1 | b.1),
        _ => (a.0 | b.0, a.1 | b.1),
    }
}

/// Defines the transfer functions for one type of numbers.
macro_rules! transfer {
    ($word:ty, $binary:ident, $extended:ident, $biased:ident) => {
        /// The bounds of a binary operation, other than a comparison, from those of its operands of `w` bits; `wb` is the second
        /// operand's width, for a concatenation, whose result the type holds. `None` if they say nothing of it.
        #[inline]
        pub fn $binary(
            op: BinaryOp,
            w: u8,
            wb: u8,
            (al, ah): Bounds<$word>,
            (bl, bh): Bounds<$word>,
        ) -> Option<Bounds<$word>> {
            let whole = mask(w) as $word;
            let ones = |v: $word| if v == 0 { 0 } else { <$word>::MAX >> v.leading_zeros() };
            match op {
                // Both bounds of a sum may wrap, for instance with a constant: x + (-5) for x in 5..=9.
                BinaryOp::Add => {
                    let (least, most) = (al.overflowing_add(bl), ah.overflowing_add(bh));
                    let beyond = |sum: ($word, bool)| sum.1 || sum.0 > whole;
                    (beyond(least) == beyond(most)).then_some((least.0 & whole, most.0 & whole))
                }
                BinaryOp::Sub => (al >= bh).then(|| (al - bh, ah - bl)),
                BinaryOp::Mul => {
                    let most = ah.checked_mul(bh).filter(|most| *most <= whole)?;
                    Some((al * bl, most))
                }
                BinaryOp::UDiv => (bl > 0).then(|| (al / bh, ah / bl)),
                BinaryOp::URem => (bl > 0).then(|| (0, ah.min(bh - 1))),
                BinaryOp::And => Some((0, ah.min(bh))),
                BinaryOp::Or => Some((al.max(bl), ones(ah | bh))),
                BinaryOp::Xor => Some((0, ones(ah | bh))),
                BinaryOp::LShr => {
                    let by = u32::try_from(bl).unwrap_or(u32::MAX);
                    Some((0, ah.checked_shr(by).unwrap_or(0)))
                }
                BinaryOp::Concat => Some((al << wb | bl, ah << wb | bh)),
                _ => None,
            }
        }

        /// The bounds of a sign extension from `from` to `w` bits; `None` if both signs are possible.
        #[inline]
        pub fn $extended(from: u8, w: u8, (least, most): Bounds<$word>) -> Option<Bounds<$word>> {
            let half = (mask(from) >> 1) as $word;
            let extended = |v: $word| (sign_extend(v as u128, from) as u128 & mask(w)) as $word;
            ((least <= half) == (most <= half)).then(|| (extended(least), extended(most)))
        }

        /// The bounds of the same words as signed numbers of `w` bits, each plus 2^(w - 1): their unsigned order is the signed
        /// order of the words.
        #[inline]
        pub fn $biased(w: u8, (least, most): Bounds<$word>) -> Bounds<$word> {
            let half = (mask(w) >> 1) as $word + 1;
            if (least < half) == (most < half) { (least ^ half, most ^ half) } else { (0, mask(w) as $word) }
        }
    };
}

transfer!(u64, binary_bounds, sign_extended, biased);
transfer!(u128, wide_binary_bounds, wide_sign_extended, wide_biased);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::semantics::binary64;

    const WIDTH: u8 = 3;

    fn all_bounds() -> impl Iterator<Item = Bounds> {
        (0..8).flat_map(|least| (least..8).map(move |most| (least, most)))
    }

    #[test]
    fn bounds_hold_all_results_and_many_are_the_least() {
        let (mut known, mut tight) = (0, 0);
        for op in BinaryOp::ALL.into_iter().filter(|op| !op.is_comparison()) {
            for a in all_bounds() {
                for b in all_bounds() {
                    let Some(found) = binary_bounds(op, WIDTH, WIDTH, a, b) else { continue };
                    let wide = |(l, h): Bounds| (u128::from(l), u128::from(h));
                    assert_eq!(wide_binary_bounds(op, WIDTH, WIDTH, wide(a), wide(b)), Some(wide(found)));
                    let results: Vec<u64> = (a.0..=a.1)
                        .flat_map(|x| (b.0..=b.1).map(move |y| binary64(op, WIDTH, WIDTH, x, y)))
                        .collect();
                    let exact = (*results.iter().min().unwrap(), *results.iter().max().unwrap());
                    assert!(
                        found.0 <= exact.0 && exact.1 <= found.1,
                        "{op:?} {a:?} {b:?}: {found:?} {exact:?}"
                    );
                    known += 1;
                    tight += usize::from(found == exact);
                }
            }
        }
        assert!(known > 9_000 && tight > 4_000, "{tight} of {known}");
    }

    #[test]
    fn signs_orders_and_choices_are_those_of_all_numbers() {
        let signed = |v: u64| sign_extend(v.into(), WIDTH);
        for a in all_bounds() {
            let numbers = || a.0..=a.1;
            if let Some((least, most)) = sign_extended(WIDTH, 6, a) {
                let extended = |v: u64| (signed(v) as u64) & 63;
                assert!(numbers().all(|v| (least..=most).contains(&extended(v))));
                assert_eq!((least, most), (extended(a.0), extended(a.1)));
            }
            let (least, most) = biased(WIDTH, a);
            assert!(numbers().all(|v| (least..=most).contains(&((signed(v) + 4) as u64))));
            for b in all_bounds() {
                let pairs = || (a.0..=a.1).flat_map(move |x| (b.0..=b.1).map(move |y| (x, y)));
                if a.1 < 2 && b.1 < 2 {
                    for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
                        let results: Vec<u64> = pairs().map(|(x, y)| binary64(op, 1, 1, x, y)).collect();
                        let exact = (*results.iter().min().unwrap(), *results.iter().max().unwrap());
                        assert_eq!(of_bits(op, a, b), exact, "{op:?} {a:?} {b:?}");
                    }
                }
                if let Some(value) = less(a, b) {
                    assert!(pairs().all(|(x, y)| (x < y) == value));
                }
                if let Some(value) = less(biased(WIDTH, a), biased(WIDTH, b)) {
                    assert!(pairs().all(|(x, y)| (signed(x) < signed(y)) == value));
                }
                let (joined, met) = (hull(a, b), both(a, b));
                assert!((0..8).all(|v| {
                    let inside = |i: Bounds| (i.0..=i.1).contains(&v);
                    inside(joined) >= (inside(a) || inside(b)) && inside(met) >= (inside(a) && inside(b))
                }));
            }
        }
    }
}

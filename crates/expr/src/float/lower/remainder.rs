//! The circuit of the remainder of a division with a truncated quotient (`fmod`). It is exact: nothing is rounded.

use cleave_float::{Float, Rounding};

use super::format::{EXPONENT, Format, Unpacked};
use crate::domains::interval::{at_place, last_place};
use crate::policy::floats;
use crate::store::term::{BinaryOp, Term};
use crate::store::terms::Terms;

/// The exponent of a finite number's highest bit.
fn exponent_of(f: Format, bits: u128) -> i32 {
    let stored = f.significand - u8::from(!f.explicit());
    let significand = bits & ((1 << stored) - 1);
    let field = (bits >> stored) as i32 & ((1 << f.exponent) - 1);
    if field > 0 {
        return field - f.bias();
    }
    let highest = 127 - (significand | 1).leading_zeros() as i32;
    f.least() - (i32::from(f.significand) - 1 - highest)
}

impl Terms {
    /// The exponent of a constant that is a power of two.
    pub(super) fn power_of_two(&self, f: Format, b: Term) -> Option<i32> {
        let bits = self.constant(b)?;
        let fraction = bits & ((1 << (f.significand - 1)) - 1);
        let stored = f.significand - u8::from(!f.explicit());
        let field = (bits >> stored) as i32 & ((1 << f.exponent) - 1);
        let normal = field > 0 && field < (1 << f.exponent) - 1 && fraction == 0;
        let has_top = f.kind != Float::X80 || bits >> 63 & 1 != 0;
        (normal && has_top).then(|| field - f.bias())
    }

    /// Maximum number of digits of the quotient behind its first one; `None` if it is greater than `floats::REMAINDER_DIGITS`.
    pub(super) fn remainder_steps(&self, f: Format, a: Term, b: Term) -> Option<i32> {
        let (x, y) = (self.numbers(a), self.numbers(b));
        let last = last_place(f.kind);
        let most = x.lo.abs().max(x.hi.abs()).min(last - 1).max(1);
        let least = if y.lo <= 0 && y.hi >= 0 { 1 } else { y.lo.abs().min(y.hi.abs()).min(last - 1) };
        let [most, least] = [most, least].map(|place| exponent_of(f, at_place(f.kind, place)));
        let steps = (most - least).max(0);
        (steps <= floats::REMAINDER_DIGITS).then_some(steps)
    }

    /// True if the quotient of two numbers has at most [`floats::NEAR_DIGITS`] digits behind its first one, or is not needed; one bit.
    pub(super) fn near_enough(&mut self, f: Format, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(f, a), self.unpacked(f, b));
        let apart = self.sub(x.exponent, y.exponent);
        let most = self.word(EXPONENT, floats::NEAR_DIGITS);
        let near = self.sle(apart, most);
        self.any(&[near, x.nan, y.nan, x.infinite, y.infinite, y.zero])
    }

    /// Long division, digit by digit: the rest is doubled, and the divisor is subtracted if it is not greater.
    pub(super) fn long_remainder(&mut self, f: Format, steps: i32, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(f, a), self.unpacked(f, b));
        let apart = self.sub(x.exponent, y.exponent);
        let w = self.width(x.significand);
        let divisor = self.zext(y.significand, w + 1);
        let mut rest = x.significand;
        for step in 0..=steps {
            let wide = if step == 0 {
                self.zext(rest, w + 1)
            } else {
                let zero = self.bool(false);
                self.concat(rest, zero)
            };
            let less = self.sub(wide, divisor);
            let borrow = self.extract(less, u32::from(w), 1);
            let next = self.ite(borrow, wide, less);
            let next = self.extract(next, 0, w);
            let place = self.word(EXPONENT, step);
            let counts = self.sle(place, apart);
            rest = self.ite(counts, next, rest);
        }
        self.remainder_of_rest(f, &x, &y, (rest, y.exponent))
    }

    /// The remainder of a division by a power of two: the bits of the significand below it.
    pub(super) fn remainder_of_power(&mut self, f: Format, a: Term, b: Term, power: i32) -> Term {
        let (x, y) = (self.unpacked(f, a), self.unpacked(f, b));
        let w = self.width(x.significand);
        let first = self.word(EXPONENT, power - 1);
        let by = self.sub(x.exponent, first);
        let width = self.word(EXPONENT, w.into());
        let some = self.slt(by, width);
        let amount = self.extract(by, 0, 7);
        let amount = self.zext(amount, w);
        let kept = self.binary(BinaryOp::Shl, x.significand, amount);
        let zero = self.constant_of(w, 0);
        let rest = self.ite(some, kept, zero);
        self.remainder_of_rest(f, &x, &y, (rest, first))
    }

    /// The pattern of a rest whose highest bit has this exponent; and the results for special operands.
    fn remainder_of_rest(
        &mut self,
        f: Format,
        x: &Unpacked,
        y: &Unpacked,
        (rest, exponent): (Term, Term),
    ) -> Term {
        let some = self.some_bit(rest);
        let (significand, zeros) = self.normalized(rest);
        let exponent = self.sub(exponent, zeros);
        let number = self.rounded(f, Rounding::Nearest, x.sign, exponent, significand);
        let nothing = self.with_sign(f, x.sign, 0);
        let t = self.ite(some, number, nothing);
        let smaller = self.slt(x.exponent, y.exponent);
        let itself = self.any(&[x.zero, y.infinite, smaller]);
        let plain = self.without_pseudo(f, x.bits);
        let t = self.ite(itself, plain, t);
        let nan = self.any(&[x.nan, y.nan, x.infinite, y.zero]);
        let no_number = self.nan_of_two(f, x, y);
        self.ite(nan, no_number, t)
    }

    /// A number with exponent field zero and an integer bit as the processor stores it: with exponent field one.
    fn without_pseudo(&mut self, f: Format, bits: Term) -> Term {
        if !f.explicit() {
            return bits;
        }
        let field = self.extract(bits, 64, 15);
        let some = self.some_bit(field);
        let least = self.not(some);
        let top = self.extract(bits, 63, 1);
        let pseudo = self.and(least, top);
        let one = self.constant_of(80, 1 << 64);
        let written = self.or(bits, one);
        self.ite(pseudo, written, bits)
    }
}

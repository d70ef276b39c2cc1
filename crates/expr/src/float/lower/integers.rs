//! Circuits of conversions from integers to floating-point numbers and back.

use cleave_float::Rounding;

use super::format::{EXPONENT, Format, Unpacked};
use crate::store::term::Term;
use crate::store::terms::Terms;

impl Terms {
    pub(super) fn of_integer(&mut self, f: Format, signed: bool, mode: Rounding, a: Term) -> Term {
        let w = self.width(a);
        let sign = if signed { self.extract(a, u32::from(w) - 1, 1) } else { self.bool(false) };
        let zero = self.constant_of(w, 0);
        let negated = self.sub(zero, a);
        let magnitude = self.ite(sign, negated, a);
        let some = self.some_bit(magnitude);
        let (significand, zeros) =
            if w == 1 { (magnitude, self.constant_of(EXPONENT, 0)) } else { self.normalized(magnitude) };
        let top = self.word(EXPONENT, i32::from(w) - 1);
        let exponent = self.sub(top, zeros);
        let number = self.rounded(f, mode, sign, exponent, significand);
        let nothing = self.constant_of(f.width, 0);
        self.ite(some, number, nothing)
    }

    /// A number converted to an integer of at most 64 bits; see `cleave_float::to_int`.
    pub(super) fn cut_to_integer(&mut self, f: Format, signed: bool, w: u8, a: Term) -> Term {
        let x = self.unpacked(f, a);
        let register = match (signed, w) {
            (true, ..=16) | (false, ..=15) if f.explicit() => 16,
            (true, ..=32) | (false, ..=31) => 32,
            _ => 64,
        };
        let magnitude = self.truncated(&x);
        let low = self.register(&x, magnitude, register);
        if signed || w < 64 {
            return self.extract(low, 0, w);
        }
        // Numbers from 2^63 up to, but not including, 2^64.
        let top = self.word(EXPONENT, 63);
        let there = self.eq(x.exponent, top);
        let positive = self.not(x.sign);
        let lost = self.any(&[x.nan, x.infinite, x.zero]);
        let number = self.not(lost);
        let above = self.and(there, positive);
        let above = self.and(above, number);
        let low = if f.explicit() {
            let large = self.sle(top, x.exponent);
            let finite_or_not = self.or(large, x.infinite);
            let some = self.not(x.zero);
            let large = self.and(finite_or_not, some);
            let large = self.and(large, positive);
            let none = self.or(x.nan, large);
            let zero = self.constant_of(64, 0);
            self.ite(none, zero, low)
        } else {
            low
        };
        self.ite(above, magnitude, low)
    }

    /// A number converted to an integer of more than 64 bits, with the results of libgcc's functions; see `cleave_float::to_int`.
    pub(super) fn cut_to_wide_integer(&mut self, f: Format, signed: bool, w: u8, a: Term) -> Term {
        let x = self.unpacked(f, a);
        let wide = {
            let zeros = self.constant_of(128 - f.significand, 0);
            self.concat(x.significand, zeros)
        };
        let top = self.word(EXPONENT, 127);
        let by = self.sub(top, x.exponent);
        let amount = self.extract(by, 0, 7);
        let amount = self.zext(amount, 128);
        let shifted = self.binary(crate::store::term::BinaryOp::LShr, wide, amount);
        let zero = self.constant_of(EXPONENT, 0);
        let small = self.slt(x.exponent, zero);
        let none = self.constant_of(128, 0);
        let magnitude = self.ite(small, none, shifted);
        let beyond = self.slt(top, x.exponent);
        let beyond = self.or(beyond, x.infinite);
        let of_magnitude = self.ite(beyond, none, magnitude);
        let of_negative = if signed {
            self.sub(none, of_magnitude)
        } else if f.explicit() {
            none
        } else {
            self.halves_of_negative(&x, magnitude)
        };
        let number = self.ite(x.sign, of_negative, of_magnitude);
        let no_halves = self.constant_of(128, 1 << 127 | 1 << 63);
        let value = self.ite(x.nan, no_halves, number);
        self.extract(value, 0, w)
    }

    /// A negative `float` or `double` converted to an unsigned integer of 128 bits.
    fn halves_of_negative(&mut self, x: &Unpacked, magnitude: Term) -> Term {
        let least = self.constant_of(64, 1 << 63);
        let zero = self.constant_of(64, 0);
        let low = self.truncated(x);
        let low = self.register(x, low, 64);
        let one_half = self.zext(low, 128);
        let bound = self.word(EXPONENT, 127);
        let beyond = self.sle(bound, x.exponent);
        let beyond = self.or(beyond, x.infinite);
        let high = self.extract(magnitude, 64, 64);
        let high = self.sub(zero, high);
        let high = self.ite(beyond, least, high);
        let two_halves = self.concat(high, least);
        let limit = self.word(EXPONENT, 64);
        let below = self.slt(x.exponent, limit);
        let finite = self.not(x.infinite);
        let below = self.and(below, finite);
        self.ite(below, one_half, two_halves)
    }

    /// The magnitude of a number below 2^64, truncated to an integer of 64 bits.
    fn truncated(&mut self, x: &Unpacked) -> Term {
        let w = self.width(x.significand);
        let word = if w < 64 {
            let zeros = self.constant_of(64 - w, 0);
            self.concat(x.significand, zeros)
        } else {
            x.significand
        };
        let top = self.word(EXPONENT, 63);
        let by = self.sub(top, x.exponent);
        let amount = self.extract(by, 0, 6);
        let amount = self.zext(amount, 64);
        let shifted = self.binary(crate::store::term::BinaryOp::LShr, word, amount);
        let limit = self.word(EXPONENT, 0);
        let small = self.slt(x.exponent, limit);
        let zero = self.constant_of(64, 0);
        self.ite(small, zero, shifted)
    }

    /// The result of the processor's instruction, in 64 bits: the least integer of the register if the number does not fit it.
    fn register(&mut self, x: &Unpacked, magnitude: Term, bits: u8) -> Term {
        let limit = self.constant_of(64, 1 << (bits - 1));
        let (below, within) = (self.ult(magnitude, limit), self.ule(magnitude, limit));
        let fits = self.ite(x.sign, within, below);
        let top = self.word(EXPONENT, 63);
        let beyond = self.slt(top, x.exponent);
        let lost = self.any(&[beyond, x.nan, x.infinite]);
        let number = self.not(lost);
        let fits = self.and(number, fits);
        let zero = self.constant_of(64, 0);
        let negated = self.sub(zero, magnitude);
        let value = self.ite(x.sign, negated, magnitude);
        let least = self.sub(zero, limit);
        self.ite(fits, value, least)
    }
}

//! Circuits of rounding to integers, and of conversions between formats.

use cleave_float::{Float, Rounding};

use super::format::{EXPONENT, Format, Unpacked};
use crate::float::float_op::FloatOp;
use crate::store::term::Term;
use crate::store::terms::Terms;

impl Terms {
    pub(super) fn whole(&mut self, f: Format, op: FloatOp, a: Term) -> Term {
        let x = self.unpacked(f, a);
        let t = self.finite_whole(f, op, &x);
        // A number without a fraction stays as it is.
        let last = self.word(EXPONENT, i32::from(f.significand) - 1);
        let large = self.sle(last, x.exponent);
        let itself = self.any(&[large, x.zero, x.infinite]);
        let t = self.ite(itself, a, t);
        if !f.explicit() {
            return self.ite(x.nan, a, t);
        }
        if op == FloatOp::Round {
            return self.extended_round(f, &x, t);
        }
        let no_number = self.nan_of_one(f, &x);
        self.ite(x.nan, no_number, t)
    }

    /// musl's `roundl` of a NaN; see `cleave_float`.
    fn extended_round(&mut self, f: Format, x: &Unpacked, number: Term) -> Term {
        let field = self.extract(x.bits, 64, 15);
        let (all, half) = (self.word(15, f.bias() + 63), self.word(15, f.bias() - 1));
        let (large, some) = (self.ule(all, field), self.ule(half, field));
        let default = self.default_nan(f);
        let (sign, rest) = self.sign_and_rest(default);
        let flipped = self.eq(sign, x.sign);
        let flipped = self.not(flipped);
        let turned = self.concat(flipped, rest);
        let t = self.ite(some, turned, default);
        let t = self.ite(x.nan, t, number);
        let itself = self.and(large, x.nan);
        self.ite(itself, x.bits, t)
    }

    /// A finite number with a fraction, rounded to an integer.
    fn finite_whole(&mut self, f: Format, op: FloatOp, x: &Unpacked) -> Term {
        let w = f.significand;
        let last = self.word(EXPONENT, i32::from(w) - 1);
        let by = self.sub(last, x.exponent);
        let zero = self.constant_of(EXPONENT, 0);
        let negative = self.slt(by, zero);
        let by = self.ite(negative, zero, by);
        let behind = self.constant_of(2, 0);
        let word = self.concat(x.significand, behind);
        let word = self.jammed(word, by);
        let kept = self.extract(word, 2, w);
        let [more, half, odd] = [0, 1, 2].map(|i| self.extract(word, i, 1));
        let up = match op {
            FloatOp::Rint(mode) => self.goes_up(mode, x.sign, odd, half, more),
            FloatOp::Floor => self.goes_up(Rounding::Down, x.sign, odd, half, more),
            FloatOp::Ceil => self.goes_up(Rounding::Up, x.sign, odd, half, more),
            FloatOp::Round => half,
            _ => self.bool(false),
        };
        let (kept, up) = (self.zext(kept, w + 1), self.zext(up, w + 1));
        let integer = self.add(kept, up);
        let some = self.some_bit(integer);
        let (significand, zeros) = self.normalized(integer);
        let top = self.word(EXPONENT, i32::from(w));
        let exponent = self.sub(top, zeros);
        let number = self.rounded(f, Rounding::Nearest, x.sign, exponent, significand);
        let nothing = self.with_sign(f, x.sign, 0);
        self.ite(some, number, nothing)
    }

    pub(super) fn converted(&mut self, from: Format, to: Format, mode: Rounding, a: Term) -> Term {
        let x = self.unpacked(from, a);
        let number = self.rounded(to, mode, x.sign, x.exponent, x.significand);
        let nothing = self.with_sign(to, x.sign, 0);
        let t = self.ite(x.zero, nothing, number);
        let infinity = self.with_sign(to, x.sign, to.infinity());
        let t = self.ite(x.infinite, infinity, t);
        let no_number = self.converted_nan(from, to, &x);
        self.ite(x.nan, no_number, t)
    }

    /// The quiet NaN with the upper bits of the payload.
    fn converted_nan(&mut self, from: Format, to: Format, x: &Unpacked) -> Term {
        let (n, m) = (from.significand - 1, to.significand - 1);
        let payload = self.extract(x.bits, 0, n);
        let payload = if m >= n {
            let zeros = m - n;
            if zeros == 0 {
                payload
            } else {
                let zeros = self.constant_of(zeros, 0);
                self.concat(payload, zeros)
            }
        } else {
            self.extract(payload, u32::from(n - m), m)
        };
        let quiet = self.constant_of(m, 1 << (m - 1));
        let payload = self.or(payload, quiet);
        let head = match to.kind {
            Float::X80 => self.constant_of(16, u128::MAX),
            _ => self.constant_of(to.exponent, u128::MAX),
        };
        let magnitude = self.concat(head, payload);
        let own = self.concat(x.sign, magnitude);
        let default = self.default_nan(to);
        self.ite(x.invalid, default, own)
    }
}

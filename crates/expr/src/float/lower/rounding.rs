//! The last step of each operation's circuit: rounds an exact result to a format.

use cleave_float::Rounding;

use super::format::{EXPONENT, Format};
use crate::store::term::Term;
use crate::store::terms::Terms;

impl Terms {
    /// True if rounding goes away from zero; one bit. `odd` is the lowest bit kept, `half` the first one below it, `more` is set
    /// if any lower bit is set.
    pub(super) fn goes_up(&mut self, mode: Rounding, sign: Term, odd: Term, half: Term, more: Term) -> Term {
        let inexact = self.or(half, more);
        match mode {
            Rounding::Nearest => {
                let t = self.or(more, odd);
                self.and(half, t)
            }
            Rounding::Zero => self.bool(false),
            Rounding::Down => self.and(sign, inexact),
            Rounding::Up => {
                let positive = self.not(sign);
                self.and(positive, inexact)
            }
        }
    }

    /// The pattern of a number that is not zero. The highest bit of `significand` is set, and has the weight 2 to
    /// the `exponent`; its lowest bit may be sticky if it has at least two bits more than the format keeps.
    pub(super) fn rounded(
        &mut self,
        f: Format,
        mode: Rounding,
        sign: Term,
        exponent: Term,
        significand: Term,
    ) -> Term {
        let kept_bits = f.significand;
        let room = kept_bits + 2;
        let n = self.width(significand);
        let word = if n <= room {
            let zeros = room - n;
            if zeros == 0 {
                significand
            } else {
                let zeros = self.constant_of(zeros, 0);
                self.concat(significand, zeros)
            }
        } else {
            let below = n - (room - 1);
            let top = self.extract(significand, u32::from(below), room - 1);
            let rest = self.extract(significand, 0, below);
            let more = self.some_bit(rest);
            self.concat(top, more)
        };
        // A number below the least exponent keeps fewer bits.
        let least = self.word(EXPONENT, f.least());
        let small = self.slt(exponent, least);
        let none = self.constant_of(EXPONENT, 0);
        let below = self.sub(least, exponent);
        let by = self.ite(small, below, none);
        let word = self.jammed(word, by);
        let kept = self.extract(word, 2, kept_bits);
        let odd = self.extract(word, 2, 1);
        let half = self.extract(word, 1, 1);
        let more = self.extract(word, 0, 1);
        let up = self.goes_up(mode, sign, odd, half, more);
        // Exponent and fraction as one number: a carry out of the fraction is the next exponent.
        let bias = self.word(EXPONENT, f.bias());
        let biased = self.add(exponent, bias);
        let field = self.extract(biased, 0, f.exponent);
        let zero = self.constant_of(f.exponent, 0);
        let field = self.ite(small, zero, field);
        let fraction = self.extract(kept, 0, f.significand - 1);
        let plain = self.concat(field, fraction);
        let up = self.zext(up, self.width(plain));
        let magnitude = self.add(plain, up);
        let field = self.extract(magnitude, u32::from(f.significand) - 1, f.exponent);
        let ones = self.constant_of(f.exponent, u128::MAX);
        let reached = self.eq(field, ones);
        let most = self.word(EXPONENT, f.bias());
        let beyond = self.slt(most, exponent);
        let over = self.or(reached, beyond);
        let magnitude = if f.explicit() {
            let fraction = self.extract(magnitude, 0, f.significand - 1);
            let top = self.some_bit(field);
            let low = self.concat(top, fraction);
            self.concat(field, low)
        } else {
            magnitude
        };
        let plain = self.concat(sign, magnitude);
        let overflow = self.overflow(f, mode, sign);
        self.ite(over, overflow, plain)
    }

    /// The result for a number that is too large: infinity, or the greatest number.
    fn overflow(&mut self, f: Format, mode: Rounding, sign: Term) -> Term {
        let infinity = f.infinity();
        // The pattern before infinity, with the integer bit if the format has one.
        let greatest = match f.explicit() {
            true => (0x7ffe << 64) | u128::from(u64::MAX),
            false => infinity - 1,
        };
        let (infinite, greatest) = (self.with_sign(f, sign, infinity), self.with_sign(f, sign, greatest));
        match mode {
            Rounding::Nearest => infinite,
            Rounding::Zero => greatest,
            Rounding::Down => self.ite(sign, infinite, greatest),
            Rounding::Up => self.ite(sign, greatest, infinite),
        }
    }
}

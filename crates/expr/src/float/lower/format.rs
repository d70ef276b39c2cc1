//! Formats of floating-point numbers as circuits: unpacking, normalisation, NaNs and comparisons.

use cleave_float::Float;

use crate::store::term::Term;
use crate::store::terms::Terms;

/// The layout of a floating-point format.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub(super) kind: Float,
    /// Bits of a number.
    pub(super) width: u8,
    /// Bits of the exponent.
    pub(super) exponent: u8,
    /// Bits of the significand, with the highest bit of a normal number.
    pub(super) significand: u8,
}

impl Format {
    pub(super) fn of(kind: Float) -> Format {
        let (exponent, significand) = match kind {
            Float::F32 => (8, 24),
            Float::F64 => (11, 53),
            Float::X80 => (15, 64),
        };
        Format { kind, width: kind.bits(), exponent, significand }
    }

    pub(super) fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The least exponent of a normal number.
    pub(super) fn least(self) -> i32 {
        1 - self.bias()
    }

    /// True if the highest bit of the significand is stored.
    pub(super) fn explicit(self) -> bool {
        self.kind == Float::X80
    }

    /// The bit pattern of positive infinity.
    pub(super) fn infinity(self) -> u128 {
        crate::float::float_op::infinity(self.kind)
    }

    /// The mask of the bit that makes a NaN quiet.
    fn quiet(self) -> u128 {
        1 << (self.significand - 2)
    }

    /// The NaN of an operation whose operands are no NaNs.
    fn default_nan(self) -> u128 {
        1 << (self.width - 1) | self.infinity() | self.quiet()
    }
}

/// Bits of signed exponents in circuits: enough for sums of two exponents, and for an integer's exponent.
pub(super) const EXPONENT: u8 = 20;

/// An unpacked bit pattern. Exponent and significand have a meaning only for finite numbers; a zero has the
/// significand zero and an exponent below all others.
#[derive(Clone, Copy)]
pub(super) struct Unpacked {
    /// A NaN, or an invalid pattern.
    pub(super) nan: Term,
    /// An exponent, but no integer bit; only in extended precision.
    pub(super) invalid: Term,
    pub(super) infinite: Term,
    pub(super) zero: Term,
    pub(super) sign: Term,
    /// Signed, [`EXPONENT`] bits.
    pub(super) exponent: Term,
    /// Normalised: the highest bit is set.
    pub(super) significand: Term,
    pub(super) bits: Term,
}

impl Terms {
    pub(super) fn word(&mut self, w: u8, v: i32) -> Term {
        self.constant_of(w, v as i128 as u128)
    }

    /// The disjunction of conditions; one bit.
    pub(super) fn any(&mut self, all: &[Term]) -> Term {
        let none = self.bool(false);
        all.iter().fold(none, |some, &t| self.or(some, t))
    }

    pub(super) fn sign_and_rest(&mut self, a: Term) -> (Term, Term) {
        let w = self.width(a);
        (self.extract(a, u32::from(w) - 1, 1), self.extract(a, 0, w - 1))
    }

    /// True if any bit is set; one bit.
    pub(super) fn some_bit(&mut self, a: Term) -> Term {
        let zero = self.constant_of(self.width(a), 0);
        self.ne(a, zero)
    }

    pub(super) fn unpacked(&mut self, f: Format, bits: Term) -> Unpacked {
        let fraction_bits = f.significand - 1;
        let stored = if f.explicit() { f.significand } else { fraction_bits };
        let sign = self.extract(bits, u32::from(f.width) - 1, 1);
        let field = self.extract(bits, u32::from(stored), f.exponent);
        let fraction = self.extract(bits, 0, fraction_bits);
        let (none, ones) = (self.constant_of(f.exponent, 0), self.constant_of(f.exponent, u128::MAX));
        let least = self.eq(field, none);
        let normal = self.not(least);
        let greatest = self.eq(field, ones);
        let top = if f.explicit() { self.extract(bits, u32::from(fraction_bits), 1) } else { normal };
        let some_fraction = self.some_bit(fraction);
        let no_fraction = self.not(some_fraction);
        let no_top = self.not(top);
        let invalid = if f.explicit() { self.and(normal, no_top) } else { self.bool(false) };
        let proper = self.and(greatest, some_fraction);
        let nan = self.or(invalid, proper);
        let infinite = self.and(greatest, no_fraction);
        let infinite = if f.explicit() { self.and(infinite, top) } else { infinite };
        let zero = self.and(least, no_fraction);
        let zero = if f.explicit() { self.and(zero, no_top) } else { zero };
        let significand = self.concat(top, fraction);
        let (significand, zeros) = self.normalized(significand);
        let wide = self.zext(field, EXPONENT);
        let bias = self.word(EXPONENT, f.bias());
        let plain = self.sub(wide, bias);
        let lowest = self.word(EXPONENT, f.least());
        let exponent = self.ite(least, lowest, plain);
        let exponent = self.sub(exponent, zeros);
        Unpacked { nan, invalid, infinite, zero, sign, exponent, significand, bits }
    }

    /// A word shifted to the left until its highest bit is set, and the distance, in [`EXPONENT`] bits. The distance of a zero
    /// is the greatest: at least its width less one.
    pub(super) fn normalized(&mut self, a: Term) -> (Term, Term) {
        let w = self.width(a);
        let mut word = a;
        let mut by = self.bool(false);
        let mut stages = 0;
        let mut step = 1u8 << (7 - (w - 1).max(1).leading_zeros() as u8);
        while step > 0 {
            let front = self.extract(word, u32::from(w - step), step);
            let some = self.some_bit(front);
            let empty = self.not(some);
            let rest = self.extract(word, 0, w - step);
            let zeros = self.constant_of(step, 0);
            let shifted = self.concat(rest, zeros);
            word = self.ite(empty, shifted, word);
            by = if stages == 0 { empty } else { self.concat(by, empty) };
            stages += 1;
            step /= 2;
        }
        (word, self.zext(by, EXPONENT))
    }

    /// A word shifted to the right; the lowest bit is sticky: it is also set if a bit that was shifted out is set. `by` is not
    /// negative.
    pub(super) fn jammed(&mut self, a: Term, by: Term) -> Term {
        let w = self.width(a);
        let mut word = a;
        let mut place = 0;
        while place < 7 && 1u32 << place < u32::from(w) {
            let step = 1u8 << place;
            let cond = self.extract(by, place, 1);
            let (kept, lost) = (self.extract(word, u32::from(step), w - step), self.extract(word, 0, step));
            let lost = self.some_bit(lost);
            let lost = self.zext(lost, w);
            let kept = self.zext(kept, w);
            let shifted = self.or(kept, lost);
            word = self.ite(cond, shifted, word);
            place += 1;
        }
        let width = self.width(by);
        let far = self.extract(by, place, width - place as u8);
        let far = self.some_bit(far);
        let some = self.some_bit(a);
        let all_lost = self.zext(some, w);
        self.ite(far, all_lost, word)
    }

    /// A constant magnitude (infinity, zero or another) with a sign.
    pub(super) fn with_sign(&mut self, f: Format, sign: Term, magnitude: u128) -> Term {
        let magnitude = self.constant_of(f.width - 1, magnitude);
        self.concat(sign, magnitude)
    }

    pub(super) fn default_nan(&mut self, f: Format) -> Term {
        self.constant_of(f.width, f.default_nan())
    }

    fn quieted(&mut self, f: Format, bits: Term) -> Term {
        let quiet = self.constant_of(f.width, f.quiet());
        self.or(bits, quiet)
    }

    /// The NaN of an operation of one operand.
    pub(super) fn nan_of_one(&mut self, f: Format, x: &Unpacked) -> Term {
        let (quieted, default) = (self.quieted(f, x.bits), self.default_nan(f));
        let own = if f.explicit() {
            let valid = self.not(x.invalid);
            self.and(x.nan, valid)
        } else {
            x.nan
        };
        self.ite(own, quieted, default)
    }

    /// The NaN of an operation of two operands.
    pub(super) fn nan_of_two(&mut self, f: Format, x: &Unpacked, y: &Unpacked) -> Term {
        let (p, q) = (self.quieted(f, x.bits), self.quieted(f, y.bits));
        let default = self.default_nan(f);
        if !f.explicit() {
            let second = self.ite(y.nan, q, default);
            return self.ite(x.nan, p, second);
        }
        // If both are NaN: the one with the greater significand; for equal ones the positive one.
        let (m, n) = (self.extract(x.bits, 0, 64), self.extract(y.bits, 0, 64));
        let (greater, same) = (self.ult(n, m), self.eq(m, n));
        let negative = self.not(x.sign);
        let first = self.or(negative, y.sign);
        let first = self.and(same, first);
        let first = self.or(greater, first);
        let both = self.ite(first, p, q);
        let second = self.ite(y.nan, q, default);
        let of_first = self.ite(y.nan, both, p);
        let t = self.ite(x.nan, of_first, second);
        let invalid = self.or(x.invalid, y.invalid);
        self.ite(invalid, default, t)
    }

    /// The magnitude as a word whose unsigned order is that of magnitudes.
    fn magnitude(&mut self, f: Format, bits: Term) -> Term {
        let rest = self.extract(bits, 0, f.width - 1);
        if !f.explicit() {
            return rest;
        }
        // A number with exponent field zero and an integer bit equals one with exponent field one.
        let field = self.extract(bits, 64, 15);
        let zero = self.constant_of(15, 0);
        let least = self.eq(field, zero);
        let top = self.extract(bits, 63, 1);
        let pseudo = self.and(least, top);
        let pseudo = self.zext(pseudo, 15);
        let field = self.or(field, pseudo);
        let low = self.extract(bits, 0, 64);
        self.concat(field, low)
    }

    /// `a < b`, or `a <= b`.
    pub(super) fn ordered_circuit(&mut self, f: Format, or_equal: bool, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(f, a), self.unpacked(f, b));
        let (m, n) = (self.magnitude(f, a), self.magnitude(f, b));
        let both_zero = self.and(x.zero, y.zero);
        let (up, down) =
            if or_equal { (self.ule(m, n), self.ule(n, m)) } else { (self.ult(m, n), self.ult(n, m)) };
        let of_positive = {
            let positive = self.not(y.sign);
            self.and(positive, up)
        };
        // A negative number is less than a positive one, unless both are zero.
        let certain = self.bool(true);
        let of_negative = self.ite(y.sign, down, certain);
        let plain = self.ite(x.sign, of_negative, of_positive);
        let zeros = self.bool(or_equal);
        let t = self.ite(both_zero, zeros, plain);
        let nan = self.or(x.nan, y.nan);
        let number = self.not(nan);
        self.and(number, t)
    }

    /// `a == b`.
    pub(super) fn equal_circuit(&mut self, f: Format, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(f, a), self.unpacked(f, b));
        let (m, n) = (self.magnitude(f, a), self.magnitude(f, b));
        let (same_sign, same) = (self.eq(x.sign, y.sign), self.eq(m, n));
        let same = self.and(same_sign, same);
        let both_zero = self.and(x.zero, y.zero);
        let t = self.or(same, both_zero);
        let nan = self.or(x.nan, y.nan);
        let number = self.not(nan);
        self.and(number, t)
    }
}

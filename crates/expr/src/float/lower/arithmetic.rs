//! Circuits of sums, products, quotients, square roots and fused products, each rounded once.

use cleave_float::Rounding;

use super::format::{EXPONENT, Format, Unpacked};
use crate::store::term::Term;
use crate::store::terms::Terms;

/// A finite number: sign, exponent of its highest bit, significand. A zero has the significand zero, and an exponent
/// below those of all other numbers.
#[derive(Clone, Copy)]
struct Finite {
    sign: Term,
    exponent: Term,
    significand: Term,
}

impl Terms {
    pub(super) fn sum(&mut self, f: Format, mode: Rounding, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(f, a), self.unpacked(f, b));
        self.sum_of(f, mode, &x, &y, y.sign)
    }

    pub(super) fn difference(&mut self, f: Format, mode: Rounding, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(f, a), self.unpacked(f, b));
        let sign = self.not(y.sign);
        self.sum_of(f, mode, &x, &y, sign)
    }

    /// The sum of two numbers, the second with the sign `y_sign`.
    fn sum_of(&mut self, f: Format, mode: Rounding, x: &Unpacked, y: &Unpacked, y_sign: Term) -> Term {
        let same = self.eq(x.sign, y_sign);
        let differ = self.not(same);
        let both = self.and(x.infinite, y.infinite);
        let against = self.and(both, differ);
        let nan = self.any(&[x.nan, y.nan, against]);
        let infinite = self.or(x.infinite, y.infinite);
        let infinite_sign = self.ite(x.infinite, x.sign, y_sign);
        let p = Finite { sign: x.sign, exponent: x.exponent, significand: x.significand };
        let q = Finite { sign: y_sign, exponent: y.exponent, significand: y.significand };
        let finite = self.finite_sum(f, mode, p, q);
        let infinity = self.with_sign(f, infinite_sign, f.infinity());
        let t = self.ite(infinite, infinity, finite);
        let no_number = self.nan_of_two(f, x, y);
        self.ite(nan, no_number, t)
    }

    fn finite_sum(&mut self, f: Format, mode: Rounding, x: Finite, y: Finite) -> Term {
        // The greater magnitude first.
        let less = self.slt(x.exponent, y.exponent);
        let level = self.eq(x.exponent, y.exponent);
        let smaller = self.ult(x.significand, y.significand);
        let smaller = self.and(level, smaller);
        let swap = self.or(less, smaller);
        let mut pick = |a: Term, b: Term| (self.ite(swap, b, a), self.ite(swap, a, b));
        let (p_sign, q_sign) = pick(x.sign, y.sign);
        let (p_exponent, q_exponent) = pick(x.exponent, y.exponent);
        let (p, q) = pick(x.significand, y.significand);
        // One bit in front for the carry, three behind for rounding.
        let w = self.width(p) + 4;
        let zeros = self.constant_of(3, 0);
        let (p, q) = (self.concat(p, zeros), self.concat(q, zeros));
        let (p, q) = (self.zext(p, w), self.zext(q, w));
        let apart = self.sub(p_exponent, q_exponent);
        let q = self.jammed(q, apart);
        let same = self.eq(p_sign, q_sign);
        let (sum, difference) = (self.add(p, q), self.sub(p, q));
        let total = self.ite(same, sum, difference);
        let some = self.some_bit(total);
        let (significand, by) = self.normalized(total);
        let one = self.constant_of(EXPONENT, 1);
        let exponent = self.add(p_exponent, one);
        let exponent = self.sub(exponent, by);
        let number = self.rounded(f, mode, p_sign, exponent, significand);
        let other_zero = self.bool(mode == Rounding::Down);
        let zero_sign = self.ite(same, p_sign, other_zero);
        let zero = self.with_sign(f, zero_sign, 0);
        self.ite(some, number, zero)
    }

    /// The exact product; its highest bit is set if both numbers are finite and not zero.
    fn exact_product(&mut self, x: &Unpacked, y: &Unpacked) -> Finite {
        let w = 2 * self.width(x.significand);
        let (m, n) = (self.zext(x.significand, w), self.zext(y.significand, w));
        let product = self.mul(m, n);
        let top = self.extract(product, u32::from(w) - 1, 1);
        let rest = self.extract(product, 0, w - 1);
        let zero = self.bool(false);
        let shifted = self.concat(rest, zero);
        let significand = self.ite(top, product, shifted);
        let exponent = self.add(x.exponent, y.exponent);
        let carry = self.zext(top, EXPONENT);
        let exponent = self.add(exponent, carry);
        let same = self.eq(x.sign, y.sign);
        Finite { sign: self.not(same), exponent, significand }
    }

    pub(super) fn product(&mut self, f: Format, mode: Rounding, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(f, a), self.unpacked(f, b));
        let exact = self.exact_product(&x, &y);
        let finite = self.rounded(f, mode, exact.sign, exact.exponent, exact.significand);
        let zero = self.or(x.zero, y.zero);
        let infinite = self.or(x.infinite, y.infinite);
        let lost = self.and(zero, infinite);
        let nan = self.any(&[x.nan, y.nan, lost]);
        let nothing = self.with_sign(f, exact.sign, 0);
        let t = self.ite(zero, nothing, finite);
        let infinity = self.with_sign(f, exact.sign, f.infinity());
        let t = self.ite(infinite, infinity, t);
        let no_number = self.nan_of_two(f, &x, &y);
        self.ite(nan, no_number, t)
    }

    pub(super) fn quotient(&mut self, f: Format, mode: Rounding, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(f, a), self.unpacked(f, b));
        let (significand, short) = self.divided(x.significand, y.significand);
        let exponent = self.sub(x.exponent, y.exponent);
        let exponent = self.sub(exponent, short);
        let same = self.eq(x.sign, y.sign);
        let sign = self.not(same);
        let finite = self.rounded(f, mode, sign, exponent, significand);
        let zeros = self.and(x.zero, y.zero);
        let infinities = self.and(x.infinite, y.infinite);
        let nan = self.any(&[x.nan, y.nan, zeros, infinities]);
        let zero = self.or(x.zero, y.infinite);
        let infinite = self.or(x.infinite, y.zero);
        let nothing = self.with_sign(f, sign, 0);
        let t = self.ite(zero, nothing, finite);
        let infinity = self.with_sign(f, sign, f.infinity());
        let t = self.ite(infinite, infinity, t);
        let no_number = self.nan_of_two(f, &x, &y);
        self.ite(nan, no_number, t)
    }

    /// The normalised quotient of two normalised significands, with two bits more than they have and a sticky bit; and 1 if
    /// it is less than one, else 0.
    fn divided(&mut self, a: Term, b: Term) -> (Term, Term) {
        let w = self.width(a);
        let wide = w + 2;
        let divisor = self.zext(b, wide);
        let mut rest = self.zext(a, wide);
        let mut quotient = None;
        for place in 0..w + 2 {
            if place > 0 {
                let kept = self.extract(rest, 0, wide - 1);
                let zero = self.bool(false);
                rest = self.concat(kept, zero);
            }
            let less = self.sub(rest, divisor);
            let borrow = self.extract(less, u32::from(wide) - 1, 1);
            rest = self.ite(borrow, rest, less);
            let bit = self.not(borrow);
            quotient = Some(match quotient {
                None => bit,
                Some(q) => self.concat(q, bit),
            });
        }
        let quotient = quotient.unwrap_or(a);
        let more = self.some_bit(rest);
        let whole = self.concat(quotient, more);
        let n = self.width(whole);
        let top = self.extract(whole, u32::from(n) - 1, 1);
        let low = self.extract(whole, 0, n - 1);
        // The bit shifted in lies behind the sticky bit and does not affect rounding.
        let shifted = self.concat(low, more);
        let normal = self.ite(top, whole, shifted);
        let short = self.not(top);
        (normal, self.zext(short, EXPONENT))
    }

    pub(super) fn square_root(&mut self, f: Format, mode: Rounding, a: Term) -> Term {
        let x = self.unpacked(f, a);
        let odd = self.extract(x.exponent, 0, 1);
        let significand = self.root(x.significand, odd);
        // The exponent halved, downwards.
        let half = self.extract(x.exponent, 1, EXPONENT - 1);
        let exponent = self.sext(half, EXPONENT);
        let positive = self.bool(false);
        let root = self.rounded(f, mode, positive, exponent, significand);
        let some = self.not(x.zero);
        let negative = self.and(x.sign, some);
        let nan = self.or(x.nan, negative);
        let itself = self.or(x.zero, x.infinite);
        let t = self.ite(itself, a, root);
        let no_number = self.nan_of_one(f, &x);
        self.ite(nan, no_number, t)
    }

    /// The square root of a normalised significand, or of twice that, with one bit more than it has and a sticky bit. The
    /// highest bit is set. It is computed digit by digit, as on paper.
    fn root(&mut self, significand: Term, twice: Term) -> Term {
        let w = self.width(significand);
        let zero = self.bool(false);
        let (double, single) = (self.concat(significand, zero), self.zext(significand, w + 1));
        let front = self.ite(twice, double, single);
        let wide = w + 4;
        let mut rest = self.constant_of(wide, 0);
        let mut root: Option<Term> = None;
        for place in 0..w + 1 {
            // The next two digits of the square, which has 2 (w + 1) of them.
            let digits = [0, 1].map(|i| {
                let at = 2 * u32::from(place) + i;
                match u32::from(w).checked_sub(at) {
                    Some(bit) => self.extract(front, bit, 1),
                    None => zero,
                }
            });
            let digits = self.concat(digits[0], digits[1]);
            let kept = self.extract(rest, 0, wide - 2);
            rest = self.concat(kept, digits);
            let one = self.constant_of(2, 1);
            let trial = match root {
                None => one,
                Some(r) => self.concat(r, one),
            };
            let trial = self.zext(trial, wide);
            let less = self.sub(rest, trial);
            let borrow = self.extract(less, u32::from(wide) - 1, 1);
            rest = self.ite(borrow, rest, less);
            let bit = self.not(borrow);
            root = Some(match root {
                None => bit,
                Some(r) => self.concat(r, bit),
            });
        }
        let more = self.some_bit(rest);
        self.concat(root.unwrap_or(significand), more)
    }

    /// `a * b + c`, rounded once; in double precision with the special cases of the C library's function.
    pub(super) fn fused(&mut self, f: Format, mode: Rounding, a: Term, b: Term, c: Term) -> Term {
        let (x, y, z) = (self.unpacked(f, a), self.unpacked(f, b), self.unpacked(f, c));
        let exact = self.exact_product(&x, &y);
        // The addend as wide as the product.
        let zeros = self.constant_of(f.significand, 0);
        let wide = self.concat(z.significand, zeros);
        let addend = Finite { sign: z.sign, exponent: z.exponent, significand: wide };
        let once = self.finite_sum(f, mode, exact, addend);
        let product = self.product(f, mode, a, b);
        let twice = self.sum(f, mode, product, c);
        let no_number = self.or(x.nan, y.nan);
        let unbounded = self.any(&[x.infinite, y.infinite, no_number]);
        let nothing = self.or(x.zero, y.zero);
        let special = self.or(unbounded, nothing);
        if f.width == 64 {
            let beyond = self.or(z.infinite, z.nan);
            let t = self.ite(beyond, c, once);
            let special = self.or(special, z.zero);
            return self.ite(special, twice, t);
        }
        let t = self.ite(z.zero, product, once);
        let t = self.ite(z.infinite, c, t);
        let t = self.ite(z.nan, twice, t);
        // For a zero product and for infinities two roundings give the same result as one.
        self.ite(special, twice, t)
    }
}

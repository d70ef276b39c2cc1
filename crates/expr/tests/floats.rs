//! Floating-point terms, as constructed and as circuits, have the values that `cleave_float` gives.

use cleave_expr::{FloatOp, Term, Terms, Witness};
use cleave_float::{FBinOp, FPred, FUnOp, Float, Rounding};

use crate::common::{Dice, KINDS, MODES, asked};

/// Number of random operands for each operator; the environment variable `CLEAVE_FLOAT_CASES` overrides it.
fn cases() -> u64 {
    asked("CLEAVE_FLOAT_CASES", 300)
}

impl Dice {
    /// A random word in which many bits are equal.
    fn word(&mut self) -> u64 {
        match self.below(5) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << self.below(64),
            3 => (1u64 << self.below(64)).wrapping_sub(1),
            _ => self.next(),
        }
    }

    /// A random pattern of a format: special values, numbers near one, or any.
    fn number(&mut self, k: Float) -> u128 {
        let (fraction, bias) = match k {
            Float::F32 => (23, 127u64),
            Float::F64 => (52, 1023),
            Float::X80 => (64, 16383),
        };
        let most = 2 * bias + 1;
        let exponent = match self.below(8) {
            0 => 0,
            1 => 1,
            2 => most,
            3 => most - 1,
            4 => self.below(most + 1),
            _ => bias + self.below(2 * fraction + 4) - fraction - 2,
        };
        let mut significand = u128::from(self.word());
        if fraction < 64 {
            significand &= (1 << fraction) - 1;
        } else if self.below(8) > 0 && exponent > 0 {
            significand |= 1 << 63;
        }
        let sign = u128::from(self.below(2));
        (sign << (k.bits() - 1)) | (u128::from(exponent) << fraction) | significand
    }
}

/// Operations without a circuit: it would be too large, or wider than terms can be.
const WITHOUT_CIRCUIT: [&str; 6] = [
    "mul_add true X80 Nearest",
    "mul_add true X80 Down",
    "mul_add true X80 Up",
    "mul_add true X80 Zero",
    "remainder F64",
    "remainder X80",
];

struct Bench {
    terms: Terms,
    dice: Dice,
}

impl Bench {
    fn new(seed: u64) -> Bench {
        Bench { terms: Terms::new(), dice: Dice(seed) }
    }

    /// An input word made of bytes of an object.
    fn input(&mut self, object: u32, w: u8) -> Term {
        let mut t = self.terms.byte(object, 0);
        for i in 1..u32::from(w.div_ceil(8)) {
            let b = self.terms.byte(object, i);
            t = self.terms.concat(b, t);
        }
        self.terms.extract(t, 0, w)
    }

    fn witness(&mut self, values: &[u128]) -> Witness {
        let mut patch = Vec::new();
        for (object, value) in values.iter().enumerate() {
            for (i, byte) in value.to_le_bytes().into_iter().enumerate() {
                patch.push((self.terms.byte_id(object as u32, i as u32), byte));
            }
        }
        let none = self.terms.witness(&[]);
        self.terms.patched(&none, patch)
    }

    /// Asserts that the term and its circuit have the value that `expected` gives for these operands.
    fn check(
        &mut self,
        what: &str,
        t: Term,
        operand: &dyn Fn(&mut Dice) -> u128,
        n: usize,
        expected: &dyn Fn(&[u128]) -> u128,
    ) {
        let low = self.terms.lowered(t);
        assert!(
            low.is_some_and(|low| !self.terms.has_floats(low)) != WITHOUT_CIRCUIT.contains(&what),
            "{what}"
        );
        for _ in 0..cases() {
            let mut values: Vec<u128> = (0..n).map(|_| operand(&mut self.dice)).collect();
            if n > 1 && self.dice.below(6) == 0 {
                values[1] = values[0] ^ u128::from(self.dice.below(3));
            }
            let w = self.witness(&values);
            let wanted = expected(&values);
            let got = self.terms.eval_wide(t, &w);
            assert_eq!(got, wanted, "{what} of {values:x?}: {got:x}, not {wanted:x}");
            let Some(low) = low else { continue };
            let got = self.terms.eval_wide(low, &w);
            assert_eq!(got, wanted, "the circuit of {what} of {values:x?}: {got:x}, not {wanted:x}");
        }
    }
}

fn each(run: impl Fn(Float, Rounding)) {
    for k in KINDS {
        for mode in MODES {
            run(k, mode);
        }
    }
}

#[test]
fn sums_products_and_quotients_are_those_of_the_library() {
    each(|k, mode| {
        for op in [FBinOp::Add, FBinOp::Sub, FBinOp::Mul, FBinOp::Div] {
            let mut b = Bench::new(1);
            let (x, y) = (b.input(0, k.bits()), b.input(1, k.bits()));
            let t = b.terms.float_binary(op, mode, x, y);
            let what = format!("{op:?} {k:?} {mode:?}");
            b.check(&what, t, &|d| d.number(k), 2, &|v| mode.binary(op, k, v[0], v[1]));
        }
    });
}

#[test]
fn remainders_are_those_of_the_library() {
    for k in KINDS {
        let mut b = Bench::new(11);
        let (x, y) = (b.input(0, k.bits()), b.input(1, k.bits()));
        let t = b.terms.float_binary(FBinOp::Rem, Rounding::Nearest, x, y);
        let rem = move |v: &[u128]| cleave_float::binary(FBinOp::Rem, k, v[0], v[1]);
        b.check(&format!("remainder {k:?}"), t, &|d| d.number(k), 2, &rem);
        // Remainders of integers, and by powers of two, have a circuit: the exponents of integers are close enough.
        for (n, signed) in [(16, true), (32, false), (64, true)] {
            let i = b.input(2, n);
            let number = b.terms.float_from_int(signed, Rounding::Nearest, k, i);
            for divisor in [1, 3, 10, 360, 1 << 20, 1_000_003] {
                let by = Rounding::Nearest.from_int(false, 32, k, divisor);
                let constant = b.terms.constant_of(k.bits(), by);
                let t = b.terms.float_binary(FBinOp::Rem, Rounding::Nearest, number, constant);
                let what = format!("remainder of {n} bits by {divisor} {k:?}");
                // Only the third object matters.
                b.check(&what, t, &|d| u128::from(d.word()) & (u128::MAX >> (128 - n)), 3, &|v| {
                    rem(&[Rounding::Nearest.from_int(signed, n, k, v[2]), by])
                });
            }
        }
        for power in [-30i32, -1, 0, 1, 11, 64] {
            let magnitude = Rounding::Nearest.from_int(false, 128, k, 1 << power.unsigned_abs());
            let one = Rounding::Nearest.from_int(false, 8, k, 1);
            let by = match power {
                ..0 => cleave_float::binary(FBinOp::Div, k, one, magnitude),
                _ => magnitude,
            };
            for by in [by, cleave_float::unary(FUnOp::Neg, k, by)] {
                let constant = b.terms.constant_of(k.bits(), by);
                let t = b.terms.float_binary(FBinOp::Rem, Rounding::Nearest, x, constant);
                let what = format!("remainder by 2 to the {power} {k:?}");
                b.check(&what, t, &|d| d.number(k), 1, &|v| rem(&[v[0], by]));
            }
        }
    }
}

#[test]
fn the_lesser_the_greater_and_the_sign_are_those_of_the_library() {
    for k in KINDS {
        for op in [FBinOp::CopySign, FBinOp::MinNum, FBinOp::MaxNum, FBinOp::Minimum, FBinOp::Maximum] {
            let mut b = Bench::new(2);
            let (x, y) = (b.input(0, k.bits()), b.input(1, k.bits()));
            let t = b.terms.float_binary(op, Rounding::Nearest, x, y);
            b.check(&format!("{op:?} {k:?}"), t, &|d| d.number(k), 2, &|v| {
                cleave_float::binary(op, k, v[0], v[1])
            });
        }
    }
}

#[test]
fn operations_of_one_operand_are_those_of_the_library() {
    use FUnOp::*;
    each(|k, mode| {
        for op in [Neg, Abs, Sqrt, Floor, Ceil, Trunc, Rint, Round] {
            let mut b = Bench::new(3);
            let x = b.input(0, k.bits());
            let t = b.terms.float_unary(op, mode, x);
            let what = format!("{op:?} {k:?} {mode:?}");
            b.check(&what, t, &|d| d.number(k), 1, &|v| mode.unary(op, k, v[0]));
        }
    });
}

#[test]
fn fused_products_are_those_of_the_library() {
    each(|k, mode| {
        for fused in [false, true] {
            let mut b = Bench::new(4);
            let [x, y, z] = [0, 1, 2].map(|i| b.input(i, k.bits()));
            let t = b.terms.float_mul_add(fused, mode, x, y, z);
            let what = format!("mul_add {fused} {k:?} {mode:?}");
            b.check(&what, t, &|d| d.number(k), 3, &|v| mode.mul_add(fused, k, v[0], v[1], v[2]));
        }
    });
}

#[test]
fn comparisons_are_those_of_the_library() {
    for k in KINDS {
        for bits in 0..16 {
            let pred = FPred { eq: bits & 1 != 0, gt: bits & 2 != 0, lt: bits & 4 != 0, uno: bits & 8 != 0 };
            let mut b = Bench::new(5);
            let (x, y) = (b.input(0, k.bits()), b.input(1, k.bits()));
            let t = b.terms.float_compare(pred, x, y);
            b.check(&format!("{pred:?} {k:?}"), t, &|d| d.number(k), 2, &|v| {
                cleave_float::compare(pred, k, v[0], v[1]).into()
            });
            // One operand is a constant, for which many operations have simpler forms.
            for _ in 0..40 {
                let (v, low) = (b.dice.number(k), b.dice.below(4));
                let v = if low == 0 { v & 1 << (k.bits() - 1) } else { v };
                let c = b.terms.constant_of(k.bits(), v);
                for (p, q, first) in [(x, c, true), (c, x, false)] {
                    let t = b.terms.float_compare(pred, p, q);
                    let what = format!("{pred:?} {k:?} with {v:x}");
                    b.check(&what, t, &|d| if d.below(4) == 0 { v } else { d.number(k) }, 1, &|x| {
                        let (p, q) = if first { (x[0], v) } else { (v, x[0]) };
                        cleave_float::compare(pred, k, p, q).into()
                    });
                }
            }
        }
    }
}

#[test]
fn conversions_are_those_of_the_library() {
    each(|from, mode| {
        for to in KINDS {
            let mut b = Bench::new(6);
            let x = b.input(0, from.bits());
            let t = b.terms.float_convert(mode, to, x);
            let what = format!("convert {from:?} {to:?} {mode:?}");
            b.check(&what, t, &|d| d.number(from), 1, &|v| mode.convert(from, to, v[0]));
        }
        for (signed, w) in
            [1, 7, 8, 16, 31, 32, 33, 53, 63, 64, 100, 128].map(|w| [(true, w), (false, w)]).as_flattened()
        {
            let (signed, w) = (*signed, *w);
            let mut b = Bench::new(7);
            let x = b.input(0, w);
            let t = b.terms.float_from_int(signed, mode, from, x);
            let what = format!("{from:?} of {signed} {w} {mode:?}");
            let integer = |d: &mut Dice| {
                let v = u128::from(d.word()) << 64 | u128::from(d.word());
                v >> d.below(128) & (u128::MAX >> (128 - w))
            };
            b.check(&what, t, &integer, 1, &|v| mode.from_int(signed, w, from, v[0]));
            if mode == Rounding::Nearest {
                let x = b.input(0, from.bits());
                let t = b.terms.float_to_int(signed, w, x);
                let what = format!("{signed} {w} of {from:?}");
                b.check(&what, t, &|d| d.number(from), 1, &|v| cleave_float::to_int(signed, from, w, v[0]));
                let t = b.terms.float_to_int_saturated(signed, w, x);
                b.check(&what, t, &|d| d.number(from), 1, &|v| {
                    cleave_float::to_int_saturated(signed, from, w, v[0])
                });
            }
        }
    });
}

#[test]
fn a_term_names_its_operators_and_knows_its_bytes() {
    let mut b = Bench::new(8);
    let (x, y) = (b.input(0, 32), b.input(1, 32));
    let t = b.terms.float(FloatOp::Add(Rounding::Up), 32, &[x, y]);
    assert!(b.terms.text(t, 1).starts_with("(fadd.up.32.32 "));
    assert_eq!(b.terms.bytes_of(t).len(), 8);
    let other = b.terms.float(FloatOp::Add(Rounding::Down), 32, &[x, y]);
    assert_ne!(b.terms.hash_of(t), b.terms.hash_of(other));
}

struct Plain;

impl cleave_expr::Names for Plain {
    fn byte(&self, object: u32, offset: u32) -> String {
        format!("b{object}[{offset}]")
    }

    fn word(&self, object: u32, offset: u32, _: u32) -> String {
        format!("w{object}[{offset}]")
    }
}

#[test]
fn conditions_on_numbers_are_told_in_c() {
    let mut b = Bench::new(9);
    let near = Rounding::Nearest;
    let (x, n) = (b.input(0, 64), b.input(1, 32));
    let s = &mut b.terms;
    let half = s.constant_of(64, 0.5f64.to_bits().into());
    let square = s.float(FloatOp::Mul(near), 64, &[x, x]);
    let sum = s.float(FloatOp::Add(near), 64, &[square, x]);
    let less = s.float(FloatOp::Less, 1, &[half, sum]);
    assert_eq!(s.c_text(less, &Plain, 50), "0.5 < *(double *)&b0[0] * *(double *)&b0[0] + *(double *)&b0[0]");
    let not = s.not(less);
    assert!(s.c_text(not, &Plain, 50).starts_with("!(0.5 < "));
    let integer = s.float_from_int(true, near, Float::F64, n);
    let other = s.float(FloatOp::Mul(near), 64, &[integer, x]);
    let cut = s.float_to_int(true, 32, other);
    let is = s.eq(cut, n);
    assert_eq!(s.c_text(is, &Plain, 50), "w1[0] == (int)((double)w1[0] * *(double *)&b0[0])");
}

#[test]
fn a_comparison_of_a_monotone_function_is_one_of_its_operand() {
    let mut b = Bench::new(10);
    let near = Rounding::Nearest;
    let n = b.input(0, 32);
    let s = &mut b.terms;
    let number = s.float_from_int(true, near, Float::F64, n);
    let k = s.constant_of(64, 3.5f64.to_bits().into());
    let less = s.float(FloatOp::Less, 1, &[number, k]);
    let three = s.constant_of(32, 3);
    assert_eq!(less, s.sle(n, three));
    let two = s.constant_of(64, 2.0f64.to_bits().into());
    let double = s.float(FloatOp::Mul(near), 64, &[number, two]);
    let equal = s.float(FloatOp::Equal, 1, &[double, k]);
    assert_eq!(s.constant64(equal), Some(0), "no integer doubled is 3.5");
}

//! Comparisons of quotients as comparisons of the dividend with a product, and products in their least width; the rewriter calls it.
//!
//! A program that prints a number tests the quotient after each division by ten. A program that allocates `w * h` bytes first
//! tests `MAX / w < h`. A SAT solver would need a circuit for each of these divisions, and division has the largest circuit of
//! all operators.

use crate::evaluation::semantics::mask;
use crate::store::term::{BinaryOp, Node, Term};
use crate::store::terms::Terms;

impl Terms {
    /// A comparison of a quotient with a constant, without the division; `None` if it is another term.
    pub(crate) fn compared_quotient(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let by_constant = |s: &Self, t: Term| match s.node(t) {
            Node::Binary(BinaryOp::UDiv, _, by) => s.constant(by).filter(|by| *by != 0),
            _ => None,
        };
        match (op, self.constant(a), self.constant(b)) {
            (BinaryOp::Ult, None, Some(limit)) if by_constant(self, a).is_some() => {
                Some(self.is_less(a, Some(limit)))
            }
            (BinaryOp::Ult, Some(limit), None) if by_constant(self, b).is_some() => {
                let less = self.is_less(b, limit.checked_add(1));
                Some(self.not(less))
            }
            (BinaryOp::Eq, None, Some(value)) => {
                by_constant(self, a)?;
                let (less, at_most) = (self.is_less(a, Some(value)), self.is_less(a, value.checked_add(1)));
                let at_least = self.not(less);
                Some(self.and(at_least, at_most))
            }
            (BinaryOp::Eq, Some(_), None) => self.compared_quotient(op, b, a),
            (BinaryOp::Ult | BinaryOp::Slt, ..) => self.compared_product(op, a, b),
            _ => None,
        }
    }

    /// `x / w < n` as `x < w * n`, and `n < x / w` as `(n + 1) * w <= x`, if the product does not overflow; `None` for other
    /// terms. A quotient by zero has all bits set.
    fn compared_product(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let (quotient, other, below) = match (self.divided_by(a), self.divided_by(b)) {
            (Some(_), None) => (a, b, true),
            (None, Some(_)) => (b, a, false),
            _ => return None,
        };
        let (x, by) = self.divided_by(quotient)?;
        let (w, whole) = (self.width(x), self.width(a));
        if whole > 64 {
            return None;
        }
        let (most, most_by, all) = (self.range(other).1, self.range(by).1, mask(w) as u64);
        // The other number has a successor in the quotient's width, and the product does not overflow.
        let factor = if below { most } else { most.checked_add(1)? };
        if most >= all || factor.checked_mul(most_by).is_none_or(|product| product > all) {
            return None;
        }
        let signed = op == BinaryOp::Slt;
        let half = mask(whole) as u64 >> 1;
        if signed && (most > half || self.range(x).1 > half) {
            return None;
        }
        let number = self.extract(other, 0, w);
        let plain = if below {
            let product = self.narrow_product(by, number);
            self.ult(x, product)
        } else {
            let one = self.constant_of(w, 1);
            let next = self.add(number, one);
            let product = self.narrow_product(by, next);
            let more = self.ult(x, product);
            self.not(more)
        };
        if !signed || w < whole {
            return Some(plain);
        }
        // As a signed number the quotient by zero is -1, less than all values of the other number.
        let zero = self.constant_of(w, 0);
        let by_zero = self.eq(by, zero);
        if below {
            return Some(self.or(by_zero, plain));
        }
        let by_more = self.not(by_zero);
        Some(self.and(by_more, plain))
    }

    /// A product of two numbers in the least width that holds all its values, zero-extended. The form does not depend on the
    /// width to which the program extended the two before.
    pub(crate) fn narrow_product(&mut self, a: Term, b: Term) -> Term {
        let plain = self.mul(a, b);
        let w = self.width(plain);
        if w > 64 {
            return plain;
        }
        let Some(most) = self.range(a).1.checked_mul(self.range(b).1) else { return plain };
        let bits = (64 - most.leading_zeros()).max(1) as u8;
        if bits >= w {
            return plain;
        }
        let (a, b) = (self.extract(a, 0, bits), self.extract(b, 0, bits));
        let narrow = self.mul(a, b);
        self.zext(narrow, w)
    }

    /// The dividend and the divisor of a quotient, which may be zero-extended.
    fn divided_by(&self, mut t: Term) -> Option<(Term, Term)> {
        while let Node::Zext(inner) = self.node(t) {
            t = inner;
        }
        match self.node(t) {
            Node::Binary(BinaryOp::UDiv, x, by) => Some((x, by)),
            _ => None,
        }
    }

    /// The condition that `t` is less than a limit; `None` is a limit above all values.
    fn is_less(&mut self, mut t: Term, mut limit: Option<u128>) -> Term {
        loop {
            let Some(below) = limit.filter(|limit| *limit <= mask(self.width(t))) else {
                return self.bool(true);
            };
            match self.node(t) {
                Node::Zext(x) => t = x,
                Node::Binary(BinaryOp::UDiv, x, by) if self.constant(by).is_some_and(|by| by != 0) => {
                    // x / k < n is x < n * k.
                    limit = self.constant(by).and_then(|by| below.checked_mul(by));
                    t = x;
                }
                _ => {
                    let below = self.constant_of(self.width(t), below);
                    return self.ult(t, below);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(s: &mut Terms, cond: Term, form: Term, witnesses: &[crate::store::witness::Witness]) {
        for w in witnesses {
            assert_eq!(s.holds(form, w), s.holds(cond, w), "{}: {}", s.text(cond, 9), s.text(form, 9));
        }
    }

    /// Quotients of a byte, of one and of two divisions, compared with all constants.
    #[test]
    fn a_comparison_without_the_division_is_the_same() {
        let mut s = Terms::default();
        let byte = s.byte(0, 0);
        let witnesses: Vec<_> = (0..=255).map(|v| s.witness(&[v])).collect();
        for (k, l, w) in
            [(1, 1, 8), (2, 3, 8), (10, 10, 8), (10, 30, 16), (3, 85, 8), (7, 40, 128), (255, 1, 8)]
        {
            let wide = s.zext(byte, w);
            let mut t = wide;
            for by in [k, l] {
                let by = s.constant_of(w, by);
                t = s.binary(BinaryOp::UDiv, t, by);
            }
            for limit in (0..=255).chain([mask(w), mask(w) - 1]) {
                let limit = s.constant_of(w, limit);
                for cond in [s.ult(t, limit), s.ult(limit, t), s.eq(t, limit)] {
                    let form = s.rewritten(cond);
                    agree(&mut s, cond, form, &witnesses);
                    let left = s.below(&[form], 100).unwrap();
                    let division = |n: &Term| matches!(s.node(*n), Node::Binary(BinaryOp::UDiv, ..));
                    assert!(!left.iter().any(|(node, _)| division(node)), "{}", s.text(form, 9));
                }
            }
        }
    }

    /// Quotients by a byte, of a byte and of a constant, beside a number of bits that leave room for the product.
    #[test]
    fn a_quotient_beside_a_number_is_a_product_beside_what_is_divided() {
        let mut s = Terms::default();
        let (divided, by, number) = (s.byte(0, 0), s.byte(0, 1), s.byte(0, 2));
        let few = [0, 1, 2, 3, 7, 15, 16, 100, 127, 128, 254, 255];
        let inputs = (0..few.len().pow(3)).map(|i| [i / 144, i / 12 % 12, i % 12].map(|i| few[i]));
        let witnesses: Vec<_> = inputs.map(|input| s.witness(&input)).collect();
        let mut found = 0;
        for (w, bits, whole) in
            [(16, 8, 16), (16, 7, 32), (16, 8, 64), (64, 8, 64), (8, 4, 8), (12, 4, 12), (16, 8, 17)]
        {
            let (x, n) = (s.zext(divided, w.max(8)), s.extract(number, 0, bits));
            let (d, k) = (s.zext(by, w), s.constant_of(w, mask(w) >> 1));
            let narrow = s.extract(by, 0, 4);
            let narrow = s.zext(narrow, w);
            let n = s.zext(n, whole);
            for (x, d) in
                [(x, d), (k, d), (x, narrow), (k, narrow), (n, d)].map(|(x, d)| (s.extract(x, 0, w), d))
            {
                let quotient = s.binary(BinaryOp::UDiv, x, d);
                let quotient = s.zext(quotient, whole);
                for op in [BinaryOp::Ult, BinaryOp::Slt] {
                    for cond in [s.binary(op, quotient, n), s.binary(op, n, quotient)] {
                        let form = s.rewritten(cond);
                        found += usize::from(form != cond);
                        agree(&mut s, cond, form, &witnesses);
                    }
                }
            }
        }
        assert!(found >= 40, "{found} comparisons had another form");
    }
}

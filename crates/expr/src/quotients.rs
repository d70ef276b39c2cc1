//! Comparisons of quotients with constants are comparisons of what is divided.
//!
//! A program that prints a number asks after each division by ten whether anything is left. A SAT solver would have a circuit for
//! each of these divisions, and there is no larger one.

use crate::semantics::mask;
use crate::term::{BinaryOp, Node, Term};
use crate::terms::Terms;

impl Terms {
    /// A comparison of a quotient with a constant, without the division; `None` if it is another term.
    pub(crate) fn compared_quotient(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let divided = |s: &Self, t: Term| match s.node(t) {
            Node::Binary(BinaryOp::UDiv, _, by) => s.constant(by).filter(|by| *by != 0),
            _ => None,
        };
        match (op, self.constant(a), self.constant(b)) {
            (BinaryOp::Ult, None, Some(limit)) => {
                divided(self, a)?;
                Some(self.is_less(a, Some(limit)))
            }
            (BinaryOp::Ult, Some(limit), None) => {
                divided(self, b)?;
                let less = self.is_less(b, limit.checked_add(1));
                Some(self.not(less))
            }
            (BinaryOp::Eq, None, Some(value)) => {
                divided(self, a)?;
                let (less, at_most) = (self.is_less(a, Some(value)), self.is_less(a, value.checked_add(1)));
                let at_least = self.not(less);
                Some(self.and(at_least, at_most))
            }
            (BinaryOp::Eq, Some(_), None) => self.compared_quotient(op, b, a),
            _ => None,
        }
    }

    /// Whether `t` is less than a limit; `None` is more than all values.
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
                    for w in &witnesses {
                        assert_eq!(
                            s.holds(form, w),
                            s.holds(cond, w),
                            "{}: {}",
                            s.text(cond, 9),
                            s.text(form, 9)
                        );
                    }
                    let left = s.below(&[form], 100).unwrap();
                    let division = |n: &Term| matches!(s.node(*n), Node::Binary(BinaryOp::UDiv, ..));
                    assert!(!left.iter().any(|(node, _)| division(node)), "{}", s.text(form, 9));
                }
            }
        }
    }
}

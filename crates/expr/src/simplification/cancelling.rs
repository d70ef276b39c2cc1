//! Equations of sums for solvers, without the summands that both sides have; the rewriter calls it. `x - z + y == x + y - z`
//! holds for all numbers, but a search in the bits of three words takes seconds to find that.

use crate::evaluation::semantics::mask;
use crate::policy::rewriting;
use crate::store::term::{BinaryOp, Node, Term};
use crate::store::terms::Terms;

/// A sum modulo two to the power of its width: summands in the order in which they were met, each with its factor, and a
/// constant.
#[derive(Default)]
struct LinearSum {
    summands: Vec<(Term, u128)>,
    constant: u128,
    /// Number of summands that were met, equal ones counted each time.
    met: usize,
}

impl Terms {
    /// `a == b` without the summands that both sides have; `None` if they have none in common.
    pub(crate) fn without_common_summands(&mut self, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if !(self.is_sum(a) || self.is_sum(b)) || self.is_constant(a) || self.is_constant(b) {
            return None;
        }
        let sum = self.linear_difference(a, b)?;
        let left: Vec<(Term, u128)> = sum.summands.iter().copied().filter(|&(_, by)| by != 0).collect();
        if left.len() == sum.met {
            return None;
        }
        let negative = |by: u128| by >> (w - 1) == 1;
        let minus = |by: u128| by.wrapping_neg() & mask(w);
        let (mut one, mut other) = (None, None);
        for (t, by) in left {
            match negative(by) {
                false => one = Some(self.plus_multiple(one, t, by)),
                true => other = Some(self.plus_multiple(other, t, minus(by))),
            }
        }
        let zero = self.constant_of(w, 0);
        let constant = self.constant_of(w, minus(sum.constant));
        let other = self.add(other.unwrap_or(zero), constant);
        Some(self.eq(one.unwrap_or(zero), other))
    }

    fn is_sum(&self, t: Term) -> bool {
        matches!(self.node(t), Node::Binary(BinaryOp::Add | BinaryOp::Sub, ..))
    }

    /// `a - b`; `None` if it has more than `rewriting::SUMMANDS` summands.
    fn linear_difference(&self, a: Term, b: Term) -> Option<LinearSum> {
        let w = self.width(a);
        let all = mask(w);
        let minus = |by: u128| by.wrapping_neg() & all;
        let mut sum = LinearSum::default();
        let mut open = vec![(b, all), (a, 1)];
        while let Some((t, by)) = open.pop() {
            if sum.met + open.len() > rewriting::SUMMANDS {
                return None;
            }
            match self.node(t) {
                Node::Const(_) | Node::WideConst(_) => {
                    let value = self.constant(t)?;
                    sum.constant = sum.constant.wrapping_add(value.wrapping_mul(by)) & all;
                }
                Node::Binary(BinaryOp::Add, x, y) => open.extend([(y, by), (x, by)]),
                Node::Binary(BinaryOp::Sub, x, y) => open.extend([(y, minus(by)), (x, by)]),
                Node::Binary(BinaryOp::Mul, x, k) if self.is_constant(k) => {
                    open.push((x, by.wrapping_mul(self.constant(k)?) & all));
                }
                // -x - 1
                Node::Not(x) => {
                    sum.constant = sum.constant.wrapping_sub(by) & all;
                    open.push((x, minus(by)));
                }
                _ => {
                    sum.met += 1;
                    match sum.summands.iter_mut().find(|(known, _)| *known == t) {
                        Some((_, times)) => *times = times.wrapping_add(by) & all,
                        None => sum.summands.push((t, by)),
                    }
                }
            }
        }
        Some(sum)
    }

    fn plus_multiple(&mut self, sum: Option<Term>, t: Term, by: u128) -> Term {
        let by = self.constant_of(self.width(t), by);
        let multiple = self.mul(t, by);
        match sum {
            Some(sum) => self.add(sum, multiple),
            None => multiple,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum of three words with factors and constants, in an order that the seed gives.
    fn sum(s: &mut Terms, words: [Term; 3], seed: u64) -> Term {
        let w = s.width(words[0]);
        let mut t = s.constant_of(w, u128::from(seed >> 12));
        for i in 0..4 {
            let word = words[(seed >> (2 * i)) as usize % 3];
            let by = s.constant_of(w, [1, 3, 5, 255][(seed >> (2 * i + 3)) as usize % 4]);
            let part = if seed >> (i + 8) & 1 == 0 { word } else { s.mul(word, by) };
            t = match seed >> (i + 5) & 3 {
                0 => s.sub(t, part),
                1 => s.sub(part, t),
                2 => s.not(t),
                _ => s.add(part, t),
            };
        }
        t
    }

    #[test]
    fn an_equation_without_common_summands_is_the_same() {
        let mut s = Terms::default();
        let bytes = [0, 1, 2].map(|i| s.byte(0, i));
        let few = [0, 1, 2, 127, 128, 255];
        let inputs = (0..216).map(|i| [few[i % 6], few[i / 6 % 6], few[i / 36]]);
        let witnesses: Vec<_> = inputs.map(|input| s.witness(&input)).collect();
        let mut shorter = 0;
        for w in [8, 16, 128] {
            let words = bytes.map(|byte| if w == 8 { byte } else { s.zext(byte, w) });
            for seed in 0..300u64 {
                let (a, b) = (sum(&mut s, words, seed * 7919), sum(&mut s, words, seed * 104_729 + 13));
                let cond = s.eq(a, b);
                let form = s.without_common_summands(a, b);
                shorter += usize::from(form.is_some());
                for witness in &witnesses {
                    let form = form.unwrap_or(cond);
                    assert_eq!(s.holds(form, witness), s.holds(cond, witness), "{}", s.text(cond, 9));
                }
            }
        }
        assert!(shorter > 300, "{shorter}");
    }

    #[test]
    fn what_both_sides_sum_up_needs_no_search() {
        let mut s = Terms::default();
        let [x, y, z] = [0, 4, 8].map(|at| {
            let bytes: Vec<Term> = (at..at + 4).map(|i| s.byte(0, i)).collect();
            bytes[1..].iter().fold(bytes[0], |low, &high| s.concat(high, low))
        });
        let (sum, other) = (s.add(x, y), s.sub(x, z));
        let (one, other) = (s.sub(sum, z), s.add(other, y));
        let cond = s.eq(one, other);
        assert_eq!(s.constant64(cond), None);
        let form = s.rewritten(cond);
        assert_eq!(s.constant64(form), Some(1));
    }
}

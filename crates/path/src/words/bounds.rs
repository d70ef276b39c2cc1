//! Unsigned bounds of a word on a path, computed without a search. [`PathCondition::bounds`] is the entry.

use cleave_expr::{BinaryOp, Node, Support, Term, Terms, binary_bounds, both, hull, mask};

use crate::condition::PathCondition;
use crate::policy::facts;
use crate::words::comparisons::Compared;

/// Number of low bits of a concatenation that are constant zeros.
fn zeros_behind(terms: &Terms, word: Term) -> u8 {
    match terms.node(word) {
        Node::Const(0) => terms.width(word),
        Node::Binary(BinaryOp::Concat, _, low) => zeros_behind(terms, low),
        _ => 0,
    }
}

impl PathCondition {
    /// The least and the greatest unsigned value that `t`, of at most 64 bits, can have on the path, or wider bounds.
    /// They come from the values left to its bytes and from comparisons of its parts with constants, without a search.
    /// A function of the path and the term.
    pub fn bounds(&self, terms: &mut Terms, t: Term) -> (u64, u64) {
        self.bounds_within(terms, t, facts::DEPTH_OF_INDEX)
    }

    fn bounds_within(&self, terms: &mut Terms, t: Term, deep: u32) -> (u64, u64) {
        let plain = terms.range(t);
        if plain.0 == plain.1 || deep == 0 || terms.width(t) > 64 {
            return plain;
        }
        let seen = self.bounds_of_parts(terms, t, deep - 1).map_or(plain, |parts| both(plain, parts));
        let compared = self.compared(terms, t);
        let seen = both(seen, compared.unsigned);
        // A value in the lower half of the width is the same as a signed and as an unsigned number.
        let half = mask(terms.width(t)) as u64 >> 1;
        if seen.1 > half && compared.signed.0 < 0 {
            return seen;
        }
        let (least, most) = compared.signed;
        both(seen, (least.max(0) as u64, most.max(0) as u64))
    }

    /// The bounds that the path's conditions on the bytes of `t` give it.
    fn compared(&self, terms: &mut Terms, t: Term) -> Compared {
        let mut all = Compared::nothing(terms.width(t));
        match terms.support(t) {
            Support::None => {}
            Support::One(id) => self.byte_conditions(id).for_each(|c| all.add(terms, t, c)),
            Support::Many => {
                let Some(component) =
                    terms.some_byte(t).and_then(|id| self.component(self.component_of(id)?))
                else {
                    return all;
                };
                match &component.facts {
                    Some(facts) => return facts.compared(t).unwrap_or(all),
                    None => component.relations.iter().for_each(|r| all.add(terms, t, r.term)),
                }
            }
        }
        all
    }

    /// The bounds of `t` that follow from the bounds of its operands.
    fn bounds_of_parts(&self, terms: &mut Terms, t: Term, deep: u32) -> Option<(u64, u64)> {
        let width = terms.width(t);
        match terms.node(t) {
            Node::Byte(id) => {
                let domain = self.domain(id);
                let least = domain.first()?;
                Some((least.into(), domain.iter().last().unwrap_or(least).into()))
            }
            Node::Zext(x) => Some(self.bounds_within(terms, x, deep)),
            Node::Sext(x) => {
                let (least, most) = self.bounds_within(terms, x, deep);
                (most <= mask(terms.width(x)) as u64 >> 1).then_some((least, most))
            }
            Node::Ite(_, a, b) => {
                Some(hull(self.bounds_within(terms, a, deep), self.bounds_within(terms, b, deep)))
            }
            Node::Binary(BinaryOp::Concat, _, low) => {
                // A left shift puts the pieces of the shifted word in front of zeros.
                let zeros = zeros_behind(terms, low);
                if zeros > 0 {
                    let whole = terms.extract(t, zeros.into(), width - zeros);
                    let (least, most) = self.bounds_within(terms, whole, deep);
                    return Some((least << zeros, most << zeros));
                }
                self.bounds_of_operands(terms, t, deep)
            }
            // Only these: which bounds are known decides what a path is.
            Node::Binary(BinaryOp::Add | BinaryOp::Mul | BinaryOp::And, ..) => {
                self.bounds_of_operands(terms, t, deep)
            }
            _ => None,
        }
    }

    /// The bounds of a binary operation from those of its operands.
    fn bounds_of_operands(&self, terms: &mut Terms, t: Term, deep: u32) -> Option<(u64, u64)> {
        let Node::Binary(op, a, b) = terms.node(t) else { return None };
        let (of_a, of_b) = (self.bounds_within(terms, a, deep), self.bounds_within(terms, b, deep));
        binary_bounds(op, terms.width(t), terms.width(b), of_a, of_b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A condition on a word and a constant, and when it holds.
    type Form = (fn(&mut Terms, Term, Term) -> Term, fn(u16, u16) -> bool);

    const FORMS: [Form; 9] = [
        (Terms::ult, |a, b| a < b),
        (Terms::ule, |a, b| a <= b),
        (Terms::slt, |a, b| (a as i16) < b as i16),
        (Terms::sle, |a, b| a as i16 <= b as i16),
        (|t, a, b| t.ult(b, a), |a, b| b < a),
        (|t, a, b| t.ule(b, a), |a, b| b <= a),
        (|t, a, b| t.slt(b, a), |a, b| (b as i16) < a as i16),
        (|t, a, b| t.sle(b, a), |a, b| b as i16 <= a as i16),
        (
            |t, a, b| {
                let (sum, most) = (t.add(a, b), t.constant_of(16, 500));
                t.ult(sum, most)
            },
            |a, b| a.wrapping_add(b) < 500,
        ),
    ];

    /// Asserts that the bounds of a word on a path with two conditions contain all its values. Returns true if they are
    /// the least and the greatest of the values; `None` if there are no values.
    fn are_exact(terms: &mut Terms, forms: [&Form; 2], constants: [i16; 2]) -> Option<bool> {
        let bytes = [0, 1].map(|i| terms.byte(0, i));
        let word = terms.concat(bytes[1], bytes[0]);
        let mut path = PathCondition::default();
        for (form, k) in forms.iter().zip(constants) {
            let k = terms.constant_of(16, (k as u16).into());
            let condition = form.0(terms, word, k);
            path.assume(terms, condition);
        }
        let holds = |v: &u16| forms.iter().zip(constants).all(|(form, k)| form.1(*v, k as u16));
        let all: Vec<u16> = (0..=u16::MAX).filter(holds).collect();
        let (&least, &most) = (all.first()?, all.last()?);
        let bounds = path.bounds(terms, word);
        assert!(bounds.0 <= least.into() && u64::from(most) <= bounds.1, "{bounds:?}");
        let four = terms.constant_of(64, 4);
        let (unsigned, signed) = (terms.zext(word, 64), terms.sext(word, 64));
        let (unsigned, signed) = (terms.mul(unsigned, four), terms.mul(signed, four));
        assert_eq!(path.bounds(terms, unsigned), (4 * bounds.0, 4 * bounds.1), "of four times as much");
        let (low, high) = path.bounds(terms, signed);
        for v in all {
            let v = (v as i16 as u64).wrapping_mul(4);
            assert!((low..=high).contains(&v), "{v} in {low}..{high}");
        }
        Some(bounds == (least.into(), most.into()))
    }

    #[test]
    fn bounds_hold_all_values_and_are_mostly_the_least_and_the_most() {
        let mut terms = Terms::new();
        let (mut exact, mut count) = (0, 0);
        for first in &FORMS {
            for second in &FORMS {
                for constants in [[300, 7], [0, 1000], [-5, 200], [-300, -2], [128, 0]] {
                    let judged = are_exact(&mut terms, [first, second], constants);
                    count += u32::from(judged.is_some());
                    exact += u32::from(judged == Some(true));
                }
            }
        }
        assert!(3 * exact > 2 * count, "only {exact} of {count} bounds are exact");
    }
}

//! Refutation by counted work: whether a condition has no input, as a function of the condition alone. The engine asks where the answer is
//! a part of what a path is, so neither a clock nor what was asked before may matter.

use std::time::Duration;

use cleave_expr::{Term, Terms, Witness};

use crate::backends::backend::{Backend, Query, Verdict};
use crate::backends::blast::BitBlaster;
use crate::policy::refutation::MOST_OPERATORS;

/// The finding on a condition.
#[derive(Clone, Debug)]
pub enum Refutation {
    /// No input satisfies it.
    Refuted,
    /// This input satisfies it.
    Satisfied(Witness),
    /// Nothing, within a fixed number of the SAT solver's decisions; nothing is found of conditions on floating-point numbers.
    Unknown,
}

/// Looks for an input that satisfies a condition of one bit.
pub fn refute(terms: &mut Terms, condition: Term) -> Refutation {
    if terms.has_floats(condition) || !is_small(terms, condition) {
        return Refutation::Unknown;
    }
    let near = terms.witness(&[]);
    let query = Query { conditions: &[condition], domains: &[], near: &near };
    // A new solver each time: what an old one has learnt would make it find more.
    match BitBlaster::new(&Default::default()).solve_briefly(terms, &query, Duration::MAX, 0) {
        Verdict::Unsat(_) => Refutation::Refuted,
        Verdict::Sat(model) => Refutation::Satisfied(terms.patched(&near, model)),
        Verdict::Unknown(_) => Refutation::Unknown,
    }
}

fn is_small(terms: &Terms, condition: Term) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut todo = vec![condition];
    while let Some(t) = todo.pop() {
        if seen.insert(t) {
            todo.extend(terms.children(t));
        }
        if seen.len() > MOST_OPERATORS {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_input_satisfies_is_refuted_and_what_one_does_is_not() {
        let mut terms = Terms::new();
        let bytes: Vec<Term> = (0..2).map(|i| terms.byte(0, i)).collect();
        let wide = |terms: &mut Terms, t| terms.zext(t, 32);
        let (x, y) = (wide(&mut terms, bytes[0]), wide(&mut terms, bytes[1]));
        let product = terms.mul(x, y);
        let five = terms.constant_of(32, 5);
        let times_five = terms.mul(product, five);
        for (k, refuted) in [(2 * 3 * 5, false), (7, true), (5 * 257, true)] {
            let k = terms.constant_of(32, k);
            let same = terms.eq(times_five, k);
            let found = refute(&mut terms, same);
            assert_eq!(matches!(found, Refutation::Refuted), refuted);
            if let Refutation::Satisfied(input) = found {
                assert!(terms.holds(same, &input));
            }
        }
    }
}

//! Simpler forms of the conditions of a hard question. The layer `rewriting` makes them; the sweeps and the back ends
//! solve them.

use cleave_expr::{BinaryOp, ByteSet, Node, Term, Terms, mask};
use rustc_hash::FxHashMap;

use crate::backends::backend::Conflict;
use crate::policy::rewriting;

/// Conditions and the forms that are solved in their place.
#[derive(Default)]
pub(crate) struct Rewritten {
    /// The forms, without those that always hold.
    pub(crate) forms: Vec<Term>,
    /// The condition of each form.
    of: FxHashMap<Term, Term>,
}

impl Rewritten {
    /// Uses conditions as they are.
    pub(crate) fn keep(&mut self, conditions: &[Term]) {
        self.forms.clear();
        self.of.clear();
        self.forms.extend_from_slice(conditions);
    }

    /// Rewrites conditions. Returns a conflict if some are seen to contradict each other.
    pub(crate) fn simplify(&mut self, terms: &mut Terms, conditions: &[Term]) -> Option<Conflict> {
        self.forms.clear();
        self.of.clear();
        let mut few: FxHashMap<Term, (ByteSet, Vec<Term>)> = FxHashMap::default();
        let mut bounded: FxHashMap<Term, Bounded> = FxHashMap::default();
        // In the order of the conditions, so that the conflict does not depend on the numbers of terms.
        let mut numbers = Vec::new();
        for &condition in conditions {
            let form = terms.rewritten(condition);
            match terms.constant64(form) {
                Some(0) => return Some(conflict(vec![condition])),
                Some(_) => continue,
                None => {}
            }
            if let Some((of, holds)) = terms.on_few_values(form) {
                let (left, because) = few.entry(of).or_insert_with(|| (values_of(terms, of), Vec::new()));
                let now = left.intersect(&holds);
                if now != *left {
                    *left = now;
                    because.push(condition);
                }
                if now.is_empty() {
                    return Some(conflict(std::mem::take(because)));
                }
            } else if let Some((of, bounds)) = bounds(terms, form) {
                let known = bounded.entry(of).or_insert_with(|| {
                    numbers.push(of);
                    Bounded::default()
                });
                for bound in bounds.into_iter().flatten() {
                    if let Some(because) = known.narrow(bound, condition) {
                        return Some(conflict(because));
                    }
                }
            }
            self.forms.push(form);
            self.of.entry(form).or_insert(condition);
        }
        let mut bounds = numbers.into_iter().filter_map(|of| Some((of, bounded.get(&of)?)));
        let (_, none) = bounds.find(|(of, bounds)| !bounds.leave_a_product(terms, *of))?;
        Some(conflict(none.conditions()))
    }

    /// A conflict of the forms in terms of the conditions.
    pub(crate) fn of_conditions(&self, mut conflict: Conflict) -> Conflict {
        for term in &mut conflict.conditions {
            *term = self.of.get(term).copied().unwrap_or(*term);
        }
        conflict
    }
}

/// A lower or an upper bound of a number, included.
#[derive(Clone, Copy)]
enum Bound {
    Least(u128),
    Most(u128),
}

/// The bounds of a number, each with its condition.
#[derive(Default)]
struct Bounded {
    least: Option<(u128, Term)>,
    most: Option<(u128, Term)>,
}

impl Bounded {
    /// Adds a bound. Returns the conditions that contradict each other then.
    fn narrow(&mut self, bound: Bound, condition: Term) -> Option<Vec<Term>> {
        match bound {
            Bound::Least(v) if self.least.is_none_or(|(least, _)| least < v) => {
                self.least = Some((v, condition))
            }
            Bound::Most(v) if self.most.is_none_or(|(most, _)| v < most) => self.most = Some((v, condition)),
            _ => return None,
        }
        let ((least, _), (most, _)) = (self.least?, self.most?);
        (least > most).then(|| self.conditions())
    }

    /// The conditions of the bounds.
    fn conditions(&self) -> Vec<Term> {
        self.least.iter().chain(&self.most).map(|(_, condition)| *condition).collect()
    }

    /// Returns false if `of` is a product of two numbers and none is between the bounds. Tries all values of a small
    /// factor; a SAT solver would have to find that a number is prime.
    fn leave_a_product(&self, terms: &Terms, of: Term) -> bool {
        let Node::Binary(BinaryOp::Mul, a, b) = terms.node(of) else { return true };
        let whole = mask(terms.width(of));
        if terms.width(of) > 64 {
            return true;
        }
        let (mut few, mut other) = (terms.range(a), terms.range(b));
        if other.1 < few.1 {
            (few, other) = (other, few);
        }
        if few.1 > rewriting::FACTOR || few.1.checked_mul(other.1).is_none_or(|most| u128::from(most) > whole)
        {
            return true;
        }
        // Bounds of a number of at most 64 bits fit.
        let least = self.least.map_or(0, |(least, _)| least) as u64;
        let most = self.most.map_or(whole, |(most, _)| most) as u64;
        if least == 0 && (few.0 == 0 || other.0 == 0) {
            return true;
        }
        let first = few.0.max(least.div_ceil(other.1.max(1))).max(1);
        (first..=few.1).any(|v| least.div_ceil(v).max(other.0) <= (most / v).min(other.1))
    }
}

/// A comparison of a number with a constant, as bounds of it.
fn bounds(terms: &Terms, form: Term) -> Option<(Term, [Option<Bound>; 2])> {
    let (comparison, holds) = match terms.node(form) {
        Node::Not(x) => (x, false),
        _ => (form, true),
    };
    let Node::Binary(op @ (BinaryOp::Ult | BinaryOp::Eq), a, b) = terms.node(comparison) else { return None };
    if op == BinaryOp::Eq {
        let (of, k) = match (terms.constant(a), terms.constant(b)) {
            (None, Some(k)) => (a, k),
            (Some(k), None) => (b, k),
            _ => return None,
        };
        return holds.then_some((of, [Some(Bound::Least(k)), Some(Bound::Most(k))]));
    }
    let (of, bound) = match (terms.constant(a), terms.constant(b), holds) {
        (None, Some(k), true) => (a, Bound::Most(k.checked_sub(1)?)),
        (None, Some(k), false) => (a, Bound::Least(k)),
        (Some(k), None, true) => (b, Bound::Least(k.checked_add(1)?)),
        (Some(k), None, false) => (b, Bound::Most(k)),
        _ => return None,
    };
    Some((of, [Some(bound), None]))
}

fn conflict(conditions: Vec<Term>) -> Conflict {
    Conflict { conditions, domains: Vec::new() }
}

/// All values that a term of few values may have.
fn values_of(terms: &Terms, t: Term) -> ByteSet {
    let (least, most) = terms.range(t);
    let mut set = ByteSet::EMPTY;
    (least..=most.min(255)).for_each(|v| set.insert(v as u8));
    set
}

//! The conditions of a hard question in the forms that are easiest to solve.

use cleave_expr::{BinaryOp, ByteSet, Node, Term, Terms};
use rustc_hash::FxHashMap;

use crate::backend::Conflict;

/// Conditions, and how they are solved.
#[derive(Default)]
pub(crate) struct Rewritten {
    /// The forms that are solved; those that always hold are left out.
    pub(crate) forms: Vec<Term>,
    /// What each is a form of.
    of: FxHashMap<Term, Term>,
}

impl Rewritten {
    /// Takes conditions as they are.
    pub(crate) fn keep(&mut self, conditions: &[Term]) {
        self.forms.clear();
        self.of.clear();
        self.forms.extend_from_slice(conditions);
    }

    /// Takes conditions in simpler forms; those that are seen to contradict each other.
    pub(crate) fn simplify(&mut self, terms: &mut Terms, conditions: &[Term]) -> Option<Conflict> {
        self.forms.clear();
        self.of.clear();
        let mut few: FxHashMap<Term, (ByteSet, Vec<Term>)> = FxHashMap::default();
        let mut bounded: FxHashMap<Term, Bounded> = FxHashMap::default();
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
            } else if let Some((of, bound)) = bound(terms, form) {
                let bounds = bounded.entry(of).or_default();
                if let Some(because) = bounds.narrow(bound, condition) {
                    return Some(conflict(because));
                }
            }
            self.forms.push(form);
            self.of.entry(form).or_insert(condition);
        }
        None
    }

    /// A conflict of the forms in terms of the conditions.
    pub(crate) fn of_conditions(&self, mut conflict: Conflict) -> Conflict {
        for term in &mut conflict.conditions {
            *term = self.of.get(term).copied().unwrap_or(*term);
        }
        conflict
    }
}

/// The least that a number can be, or the most.
#[derive(Clone, Copy)]
enum Bound {
    Least(u128),
    Most(u128),
}

/// The bounds that conditions give a number, and which conditions.
#[derive(Default)]
struct Bounded {
    least: Option<(u128, Term)>,
    most: Option<(u128, Term)>,
}

impl Bounded {
    /// Takes one more bound; the conditions that contradict each other then.
    fn narrow(&mut self, bound: Bound, condition: Term) -> Option<Vec<Term>> {
        match bound {
            Bound::Least(v) if self.least.is_none_or(|(least, _)| least < v) => {
                self.least = Some((v, condition))
            }
            Bound::Most(v) if self.most.is_none_or(|(most, _)| v < most) => self.most = Some((v, condition)),
            _ => return None,
        }
        let ((least, above), (most, below)) = (self.least?, self.most?);
        (least > most).then(|| vec![above, below])
    }
}

/// A comparison of a number with a constant, as a bound of it. Every number is at least zero, so no bound is below that.
fn bound(terms: &Terms, form: Term) -> Option<(Term, Bound)> {
    let (comparison, holds) = match terms.node(form) {
        Node::Not(x) => (x, false),
        _ => (form, true),
    };
    let Node::Binary(BinaryOp::Ult, a, b) = terms.node(comparison) else { return None };
    match (terms.constant(a), terms.constant(b), holds) {
        (None, Some(k), true) => Some((a, Bound::Most(k.checked_sub(1)?))),
        (None, Some(k), false) => Some((a, Bound::Least(k))),
        (Some(k), None, true) => Some((b, Bound::Least(k.checked_add(1)?))),
        (Some(k), None, false) => Some((b, Bound::Most(k))),
        _ => None,
    }
}

fn conflict(conditions: Vec<Term>) -> Conflict {
    Conflict { conditions, domains: Vec::new() }
}

/// The values that a term of few values can have at most.
fn values_of(terms: &Terms, t: Term) -> ByteSet {
    let (least, most) = terms.range(t);
    let mut set = ByteSet::EMPTY;
    (least..=most.min(255)).for_each(|v| set.insert(v as u8));
    set
}

//! The conditions of a hard question in the forms that are easiest to solve.

use cleave_expr::{ByteSet, Term, Terms};
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

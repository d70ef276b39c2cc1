//! The values of a few bytes with which all that the path has decided about them holds, kept from one question to the next.
//!
//! A path through a conversion of text to numbers asks hundreds of questions about the same few characters, each about larger
//! terms. Of the thousand values that the characters had, few are left after a few decisions.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Table, Term, Terms, Witness};
use rustc_hash::FxHasher;

use crate::answer::LayerAnswer;
use crate::backend::Conflict;
use crate::kept::{Kept, places};
use crate::path::PathCondition;
use crate::solver::Solver;

/// Questions with fewer conditions of the path are tried from the start.
pub(crate) const FEWEST: usize = 4;
/// More combinations than this are not listed.
const MOST_ROWS: usize = 1 << 14;
/// Work for a question, in units of [`Terms::rows_with`].
const WORK: usize = 1 << 17;
/// Of a table with more rows nothing is kept but which are left.
const MANY_ROWS: usize = 1 << 14;
/// Work for a question there: a tenth of a second.
const MUCH_WORK: usize = 1 << 21;

/// All combinations of values, the last byte's changing fastest; `None` if there are too many.
fn all_rows(domains: &[(ByteId, ByteSet)]) -> Option<Vec<u8>> {
    let count = domains
        .iter()
        .try_fold(1usize, |n, (_, set)| n.checked_mul(set.len() as usize).filter(|n| *n <= MOST_ROWS))?;
    let sets: Vec<Vec<u8>> = domains.iter().map(|(_, set)| set.iter().collect()).collect();
    let mut rows = Vec::with_capacity(count * domains.len());
    for number in 0..count {
        let start = rows.len();
        let mut left = number;
        for values in sets.iter().rev() {
            rows.push(*values.get(left % values.len().max(1))?);
            left /= values.len();
        }
        rows[start..].reverse();
    }
    Some(rows)
}

/// What is kept is found by these: for the first conditions of a path on these bytes, from none to all.
pub(crate) fn keys(bytes: &[ByteId], path: &[Term]) -> Vec<u64> {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    let mut keys = vec![hasher.finish()];
    for t in path {
        t.hash(&mut hasher);
        keys.push(hasher.finish());
    }
    keys
}

impl Solver {
    /// An answer by the values that the path leaves to the slice's bytes.
    pub(crate) fn by_survivors(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let bytes = self.slice.bytes.clone();
        if bytes.is_empty() || self.slice.relations.len() < FEWEST {
            return None;
        }
        let domains: Rc<[(ByteId, ByteSet)]> = bytes.iter().map(|&id| (id, pc.domain(id))).collect();
        // From the first that was assumed to the last, so that a longer path has those of a shorter one in front.
        let path: Vec<Term> = self.slice.relations.iter().rev().map(|r| r.term).collect();
        let keys = keys(&bytes, &path);
        let wider = |kept: &Kept| {
            kept.domains
                .iter()
                .zip(&*domains)
                .all(|((a, wide), (b, set))| a == b && set.intersect(wide) == *set)
        };
        let known = (0..keys.len()).rev().find_map(|i| {
            let kept = self.survivors.kept.get(&keys[i])?;
            (*kept.path == path[..i] && wider(kept)).then(|| (i, kept.clone()))
        });
        let (done, kept) = match known {
            Some(known) => known,
            None => (0, Kept::all(domains.clone(), Table::new(&bytes, all_rows(&domains)?))),
        };
        let kept = if done == path.len() {
            kept
        } else {
            let left = self.rows_left(terms, &path[done..], &kept)?;
            let kept = kept.under(&path, left);
            self.survivors.keep(keys[path.len()], kept.clone());
            kept
        };
        let sets = self.slice.domains(pc);
        let asked: Vec<Term> = self.slice.asked.iter().map(|r| r.term).collect();
        let left = self.rows_left(terms, &asked, &kept)?;
        let table = kept.table.borrow();
        if let Some(values) = places(&left).find_map(|place| table.values(place, &sets, near)) {
            return Some(LayerAnswer::Sat(terms.patched(near, values)));
        }
        let conditions = path.into_iter().chain(asked).collect();
        let domains = sets.into_iter().filter(|(_, set)| *set != ByteSet::FULL).collect();
        Some(LayerAnswer::Unsat(Conflict { conditions, domains }))
    }

    /// Of the rows that are left those in which further conditions hold; `None` if they are too many to look at, or depend on other bytes.
    fn rows_left(&mut self, terms: &Terms, conds: &[Term], kept: &Kept) -> Option<Vec<u64>> {
        if kept.table.borrow().len() > MANY_ROWS {
            return terms.rows_of(conds, &kept.table.borrow(), &kept.left, MUCH_WORK);
        }
        let mut left = kept.left.to_vec();
        let mut table = kept.table.borrow_mut();
        let mut work = WORK;
        for &cond in conds {
            let before = table.size();
            let holds = terms.rows_with(cond, &mut table, work);
            let grown = table.size() - before;
            self.survivors.grows(grown);
            work = work.saturating_sub(grown / 64);
            left.iter_mut().zip(holds?).for_each(|(left, holds)| *left &= holds);
        }
        Some(left)
    }
}

//! Cache of satisfying assignments for small sets of bytes, kept from one question to the next. The pipeline asks it;
//! the entries are in `kept.rs`.
//!
//! A path through a conversion of text to numbers asks hundreds of questions about the same few characters, each about
//! larger terms. Of their thousand values few are left after a few conditions. The key of an entry is the address of
//! the path's list of conditions, so that the next question finds the entry of the last one without a look at the
//! conditions before.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use cleave_assignments::{KeptModels, bits_seen};
use cleave_expr::{ByteId, ByteSet, Table, Term, Terms, Witness};
use cleave_path::{List, Models, PathCondition, Relation, all_rows, places};
use rustc_hash::FxHasher;

use crate::answer::LayerAnswer;
use crate::backends::backend::Conflict;
use crate::budget::ROWS;
use crate::layers::sweeping::limit;
use crate::options::LayerName;
use crate::policy::enumeration;
use crate::solver::Solver;

/// A list and its tails, without the empty one.
fn ending_with(list: &List<Relation>) -> Vec<&List<Relation>> {
    let mut all = Vec::new();
    let mut at = list;
    while let Some(rest) = at.rest() {
        all.push(at);
        at = rest;
    }
    all
}

/// The condition assumed last in each of these lists.
fn terms_of(lists: &[&List<Relation>]) -> Vec<Term> {
    lists.iter().filter_map(|list| list.first()).map(|r| r.term).collect()
}

/// Returns true if rows merge values that these conditions distinguish.
fn hides(terms: &Terms, kept: &KeptModels, since: &[&List<Relation>], asked: &[Term]) -> bool {
    let table = kept.models.table().borrow();
    !table.sees_all() && terms.are_hidden(&[&terms_of(since), asked].concat(), &table)
}

/// The cache key of the rows that the conditions of `first` and `others` leave to bytes.
pub(crate) fn key(bytes: &[ByteId], first: &List<Relation>, others: &[List<Relation>]) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    for list in others {
        list.place().hash(&mut hasher);
    }
    first.place().hash(&mut hasher);
    hasher.finish()
}

/// A table of all values of some bytes, or of the bits that these conditions read if these have far fewer values.
fn listed(terms: &Terms, domains: &[(ByteId, ByteSet)], conds: &[Term], work: usize) -> Option<Table> {
    let most = (work / enumeration::FUEL_OF_MODEL).clamp(enumeration::FEW_MODELS, enumeration::MOST_MODELS);
    let bytes: Vec<ByteId> = domains.iter().map(|(id, _)| *id).collect();
    let count = |sets: &[(ByteId, ByteSet)]| {
        sets.iter().fold(1usize, |n, (_, set)| n.saturating_mul(set.len() as usize))
    };
    if let Some(seen) = bits_seen(terms, conds, &bytes, work / enumeration::FUEL_OF_TERM) {
        let part = |((id, set), bits): (&(ByteId, ByteSet), &u8)| (*id, set.seen_through(*bits));
        let parts: Vec<(ByteId, ByteSet)> = domains.iter().zip(&seen).map(part).collect();
        if count(&parts).saturating_mul(enumeration::FEWER) <= count(domains) {
            return Some(Table::seen(bytes, all_rows(&parts, most)?, seen));
        }
    }
    Some(Table::new(&bytes, all_rows(domains, most)?))
}

/// Cached rows, and the conditions assumed since: the last first, each as the list that ends with it.
type Found<'a> = (Option<KeptModels>, Vec<&'a List<Relation>>);

impl Solver {
    /// An answer by the values that the path leaves to the slice's bytes. With `anew` they are listed if they are not
    /// cached.
    pub(crate) fn by_survivors(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
        anew: bool,
    ) -> Option<LayerAnswer> {
        // Without slices the question concerns more than the components that it is linked to.
        if !self.on(LayerName::Slices) || (!anew && self.survivors.is_empty()) {
            return None;
        }
        let components = self.slice.slots.iter().filter_map(|slot| pc.component(*slot));
        let (count, size) = components.clone().fold((0, 0), |(n, size), c| (n + c.count, size + c.size));
        if count < enumeration::LEAST_CONDITIONS || size > enumeration::MOST_BYTES {
            return None;
        }
        let lists = self.slice.lists(pc);
        let mut bytes = self.slice.bytes.clone();
        components.for_each(|c| bytes.extend(c.bytes.iter()));
        bytes.sort_unstable();
        bytes.dedup();
        if bytes.len() > enumeration::MOST_BYTES {
            return None;
        }
        let (first, others) = lists.split_first()?;
        let domains: Rc<[(ByteId, ByteSet)]> = bytes.iter().map(|&id| (id, pc.domain(id))).collect();
        let most = if anew { usize::MAX } else { enumeration::NEAR };
        let (known, since) = self.known_rows(&bytes, &domains, first, others, most)?;
        if known.is_none() && !anew {
            return None;
        }
        let asked: Vec<Term> = self.slice.asked.iter().map(|r| r.term).collect();
        let (known, since) = match known {
            // The rows merge values that the question distinguishes: they are listed anew.
            Some(kept) if hides(terms, &kept, &since, &asked) => match anew {
                true => (None, ending_with(first)),
                false => return None,
            },
            known => (known, since),
        };
        let mut work = enumeration::LIST_FUEL.max(if anew { self.budget.of(ROWS) } else { 0 });
        if known.as_ref().is_some_and(KeptModels::is_long) {
            work = work.max(enumeration::LONG_LIST_FUEL);
        }
        let kept = match known {
            Some(kept) => kept.within(terms, domains),
            None => {
                let conds: Vec<Term> = others.iter().flat_map(|l| l.iter().map(|r| r.term)).collect();
                let all: Vec<Term> = conds.iter().chain(&terms_of(&since)).chain(&asked).copied().collect();
                let mut table = listed(terms, &domains, &all, work)?;
                table.count_rows();
                terms.listed(table.len() * bytes.len());
                let models = Models::whole(terms, table);
                let kept = KeptModels { lists: Vec::new(), count: 0, domains, models, listed: false };
                let left = self.rows_left(terms, &conds, &kept, &mut work);
                if left.is_none() {
                    self.learn(ROWS, false);
                }
                kept.narrowed(terms, left?)
            }
        };
        let kept = self.up_to_now(terms, &bytes, kept, &since, others, &mut work)?;
        let left = self.rows_left(terms, &asked, &kept, &mut work)?;
        if anew {
            self.learn(ROWS, true);
        }
        Some(self.of_rows(terms, near, &kept, &left, &lists, asked))
    }

    /// The cached rows for these lists, or for the first list without its last conditions, `most` at most. Without an
    /// entry the result has all conditions of the first list; `None` if these are more than `most`.
    fn known_rows<'a>(
        &self,
        bytes: &[ByteId],
        domains: &[(ByteId, ByteSet)],
        first: &'a List<Relation>,
        others: &[List<Relation>],
        most: usize,
    ) -> Option<Found<'a>> {
        let wider =
            |kept: &KeptModels| kept.domains.iter().zip(domains).all(|(a, b)| a.1.intersect(&b.1) == b.1);
        let (mut at, mut since) = (first, Vec::new());
        loop {
            if let Some(kept) = self.survivors.get(key(bytes, at, others))
                && kept.is_of(at, others)
                && kept.models.table().borrow().bytes() == bytes
                && wider(kept)
            {
                return Some((Some(kept.clone()), since));
            }
            let Some(rest) = at.rest() else { return Some((None, since)) };
            if since.len() == most {
                return None;
            }
            since.push(at);
            at = rest;
        }
    }

    /// Narrows rows by the conditions assumed since, and caches the result. `None` if the work ends before the last
    /// condition; what was reached is cached all the same.
    fn up_to_now(
        &mut self,
        terms: &Terms,
        bytes: &[ByteId],
        mut kept: KeptModels,
        since: &[&List<Relation>],
        others: &[List<Relation>],
        work: &mut usize,
    ) -> Option<KeptModels> {
        let mut at = None;
        let mut whole = Some(());
        // A long list has no value vectors that the next condition could use, so all conditions are evaluated together.
        let together = if kept.is_long() { since.len().max(1) } else { 1 };
        for lists in since.rchunks(together) {
            let conds: Vec<Term> =
                lists.iter().rev().filter_map(|list| list.first()).map(|r| r.term).collect();
            let Some(left) = self.rows_left(terms, &conds, &kept, work) else {
                whole = None;
                break;
            };
            kept = kept.narrowed(terms, left);
            kept.count += lists.len();
            at = lists.first().copied();
        }
        if let Some(list) = at {
            kept.lists = std::iter::once(list).chain(others).cloned().collect();
            self.survivors.keep(terms, key(bytes, list, others), kept.clone());
        }
        if whole.is_none() {
            self.learn(ROWS, false);
        }
        whole.map(|()| kept)
    }

    /// The answer: a remaining row is a witness; without one the conditions conflict.
    fn of_rows(
        &self,
        terms: &mut Terms,
        near: &Witness,
        kept: &KeptModels,
        left: &[u64],
        lists: &[List<Relation>],
        asked: Vec<Term>,
    ) -> LayerAnswer {
        let table = kept.models.table().borrow();
        let narrowed: Vec<(usize, ByteSet)> = self
            .slice
            .narrowed
            .iter()
            .filter_map(|(id, set)| Some((table.bytes().binary_search(id).ok()?, *set)))
            .collect();
        let fits = |place: &usize| narrowed.iter().all(|(at, set)| table.allows(*place, *at, set));
        let narrow = |&(id, set): &(ByteId, ByteSet)| {
            (id, self.slice.narrowed.iter().find(|n| n.0 == id).map_or(set, |n| n.1))
        };
        let sets: Vec<(ByteId, ByteSet)> = kept.domains.iter().map(narrow).collect();
        if let Some(values) = places(left).filter(fits).find_map(|place| table.values(place, &sets, near)) {
            return LayerAnswer::Sat(terms.patched(near, values));
        }
        let of_path = lists.iter().flat_map(|list| list.iter().map(|r| r.term));
        let conditions = of_path.chain(asked).collect();
        let domains = sets.into_iter().filter(|(_, set)| *set != ByteSet::FULL).collect();
        LayerAnswer::Unsat(Conflict { conditions, domains })
    }

    /// The remaining rows in which further conditions hold; `None` if that is too much work, or they depend on other
    /// bytes.
    fn rows_left(
        &mut self,
        terms: &Terms,
        conds: &[Term],
        kept: &KeptModels,
        work: &mut usize,
    ) -> Option<Vec<u64>> {
        if kept.is_long() {
            let limit = limit(*work, &self.options.stop);
            let (left, done) =
                terms.rows_of(conds, &kept.models.table().borrow(), kept.models.left(), limit)?;
            *work = work.saturating_sub(done);
            return Some(left);
        }
        let mut left = kept.models.left().to_vec();
        let mut all = Some(());
        let mut table = kept.models.table().borrow_mut();
        for &cond in conds {
            let Some((holds, done)) = terms.rows_with(cond, &mut table, limit(*work, &self.options.stop))
            else {
                all = None;
                break;
            };
            *work = work.saturating_sub(done);
            left.iter_mut().zip(holds).for_each(|(left, holds)| *left &= holds);
        }
        drop(table);
        terms.fit_tables();
        all.map(|()| left)
    }
}

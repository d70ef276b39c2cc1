//! Values of terms over the enumerated models of a path, see `models.rs`. The engine and the simplification ask for them;
//! each new condition of a path narrows its rows here.

use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};

use crate::component::Component;
use crate::condition::PathCondition;
use crate::models::{Bounds, LITTLE, MUCH, Models, Source, places};
use crate::policy::listing;

impl PathCondition {
    /// The rows of the bytes that `t` depends on, if one table has all of them.
    #[inline(always)]
    fn rows_for(&self, terms: &mut Terms, t: Term) -> Option<(&Component, &Models)> {
        if self.has_rows { self.listed_for(terms, t) } else { None }
    }

    fn listed_for(&self, terms: &mut Terms, t: Term) -> Option<(&Component, &Models)> {
        let component = self.component(self.component_of(terms.some_byte(t)?)?)?;
        let models = component.models.as_ref()?;
        let table = models.table().borrow();
        let inside = |bytes: &[ByteId]| bytes.iter().all(|id| table.bytes().contains(id));
        let all = terms.is_of_rows(t, &table) || inside(&terms.bytes_of(t));
        drop(table);
        all.then_some((component, models))
    }

    /// The value of a term whose bytes have listed rows, or the term itself if it has several in these.
    #[inline]
    pub(crate) fn by_rows(&self, terms: &mut Terms, t: Term) -> Option<Term> {
        let (_, models) = self.rows_for(terms, t)?;
        // No input takes this path, so any answer is right.
        if models.count() == 0 {
            return Some(t);
        }
        match models.only(terms, t) {
            Some(value) => Some(terms.constant_of(terms.width(t), value)),
            None => Some(t),
        }
    }

    /// Returns true if the models of some bytes were enumerated.
    pub fn has_rows(&self) -> bool {
        self.has_rows
    }

    /// The one value that a term has on the path, if its bytes have few enumerated models. `None` if it has several
    /// values. A function of the path and the term.
    pub fn one_of_few(&self, terms: &mut Terms, t: Term) -> Option<u128> {
        let (_, models) = self.rows_for(terms, t)?;
        if !(1..=listing::FEW_ROWS).contains(&models.count()) {
            return None;
        }
        models.only(terms, t)
    }

    /// The table-encoded form of a term of many steps, indexed by the row of the test; it equals `t` wherever the
    /// path's conditions hold. Terms made of it contain none of the steps, so they cost as much late on a path as
    /// early. A function of the path and the term.
    pub fn by_row(&self, terms: &mut Terms, t: Term) -> Option<Term> {
        if !terms.is_deep(t) {
            return None;
        }
        let (_, models) = self.rows_for(terms, t)?;
        if models.count() == 0 {
            return None;
        }
        models.by_row(terms, t)
    }

    /// Returns true if a term is zero in all enumerated models of its bytes, if these are not very many. A function of
    /// the path and the term.
    pub fn is_zero_in_rows(&self, terms: &mut Terms, t: Term) -> bool {
        let Some((_, models)) = self.rows_for(terms, t) else { return false };
        (1..=LITTLE.rows).contains(&models.count()) && models.only(terms, t) == Some(0)
    }

    /// Returns true if [`PathCondition::one_of_few`] knows all values of a term.
    pub fn has_few(&self, terms: &mut Terms, t: Term) -> bool {
        self.rows_for(terms, t).is_some_and(|(_, models)| (1..=listing::FEW_ROWS).contains(&models.count()))
    }

    /// Number of enumerated models of a component, if `t` depends on its bytes alone.
    pub fn rows_left(&self, terms: &mut Terms, t: Term) -> Option<usize> {
        self.rows_for(terms, t).map(|(_, models)| models.count())
    }

    /// The sources of rows for a new condition on these bytes: their rows, and the values of bytes without linked
    /// conditions. `None` if some bytes are linked to bytes without rows, or all are new.
    pub(crate) fn sources(&self, bytes: &[ByteId]) -> Option<Vec<Source>> {
        if !self.has_rows {
            return None;
        }
        let (mut slots, mut sources) = (Vec::new(), Vec::new());
        for &id in bytes {
            match self.component_of(id) {
                None => sources.push(Source::Byte(id, self.domain(id))),
                Some(slot) => {
                    let models = self.component(slot)?.models.as_ref()?;
                    if !slots.contains(&slot) {
                        slots.push(slot);
                        sources.push(Source::Rows(models.clone()));
                    }
                    if !models.table().borrow().bytes().contains(&id) {
                        sources.push(Source::Byte(id, self.domain(id)));
                    }
                }
            }
        }
        (!slots.is_empty()).then_some(sources)
    }

    /// Updates the rows of a component for a new condition: from `sources` if there are rows, or by a listing if one is
    /// due.
    pub(crate) fn rows_with(
        &self,
        terms: &mut Terms,
        component: &mut Component,
        sources: Option<Vec<Source>>,
        cond: Term,
    ) {
        let models = match sources.as_deref() {
            Some([Source::Rows(models)]) => Some(models.with(terms, cond)),
            Some(sources) => self
                .put_together(terms, sources, &[cond])
                .map(|models| models.with(terms, cond))
                .or_else(|| {
                    let many = sources.iter().any(|s| matches!(s, Source::Rows(_)) && s.len() > LITTLE.rows);
                    Models::listed(terms, sources, &[cond], if many { MUCH } else { LITTLE })
                }),
            None => None,
        };
        component.models = models;
        if component.models.is_none() && component.weight >= component.due {
            component.due = 2 * component.weight;
            let mut conds: Vec<Term> = component.relations.iter().map(|r| r.term).collect();
            conds.reverse();
            let deep = component.weight > component.count;
            component.models = self.listed(terms, &component.sorted_bytes(), &conds, deep);
        } else if component.models.is_none() && sources.is_some() {
            // A later condition may soon decide what made the rows too many.
            component.due = component.due.min(component.weight + 1);
        }
    }

    /// The rows of these bytes, without some that the conditions do not distinguish. Bytes with too many combinations
    /// are grouped. If that fails too and some conditions are deep, the listing is tried with more work.
    fn listed(&self, terms: &mut Terms, bytes: &[ByteId], conds: &[Term], deep: bool) -> Option<Models> {
        if let Some(models) = self.of_most(terms, bytes, conds, LITTLE) {
            return Some(models);
        }
        let sets: Vec<(ByteId, ByteSet)> = bytes.iter().map(|id| (*id, self.domain(*id))).collect();
        let models = Models::grouped(terms, &sets, conds);
        if models.is_some() || !deep { models } else { self.of_most(terms, bytes, conds, MUCH) }
    }

    /// The rows of these bytes; if these are too many, without a few bytes that the conditions do not distinguish.
    fn of_most(&self, terms: &mut Terms, bytes: &[ByteId], conds: &[Term], bounds: Bounds) -> Option<Models> {
        let sources = |left_out: &[(ByteId, ByteSet)]| {
            let is_in = |id: &&ByteId| left_out.iter().all(|(out, _)| out != *id);
            bytes.iter().filter(is_in).map(|id| Source::Byte(*id, self.domain(*id))).collect::<Vec<_>>()
        };
        if let Some(models) = Models::listed(terms, &sources(&[]), conds, bounds) {
            return Some(models);
        }
        let mut wide: Vec<(ByteId, ByteSet)> = bytes.iter().map(|id| (*id, self.domain(*id))).collect();
        wide.sort_by_key(|(id, set)| (std::cmp::Reverse(set.len()), terms.byte_position(*id)));
        let mut n = 1;
        while n <= listing::MOST_OMITTED.min(wide.len().saturating_sub(1)) {
            let out = &wide[..n];
            let (met, others): (Vec<Term>, Vec<Term>) = conds.iter().partition(|cond| {
                let bytes = terms.bytes_of(**cond);
                out.iter().any(|(id, _)| bytes.binary_search(id).is_ok())
            });
            let Some(models) = Models::listed(terms, &sources(out), &others, bounds) else {
                n += 1;
                continue;
            };
            let Some(tells) = met.iter().find(|cond| !models.always(terms, out, **cond, bounds)) else {
                return Some(models);
            };
            // The condition distinguishes these bytes: they stay in the rows.
            let told = terms.bytes_of(*tells);
            let out: Vec<ByteId> = out.iter().map(|(id, _)| *id).collect();
            wide.retain(|(id, _)| !out.contains(id) || told.binary_search(id).is_err());
            n = 1;
        }
        None
    }

    /// Narrows the rows of a component to the values that conditions have left to a byte.
    pub(crate) fn rows_within(&self, terms: &Terms, component: &mut Component, id: ByteId) {
        if let Some(models) = &component.models {
            component.models = Some(models.within(terms, id, &self.domain(id)));
        }
    }

    /// All combinations of rows and other values, if these are few and the values of `conds` in them are cheap to
    /// compute.
    fn put_together(&self, terms: &Terms, sources: &[Source], conds: &[Term]) -> Option<Models> {
        Models::joined(terms, &self.joined_last, sources).filter(|models| models.is_soon_known(terms, conds))
    }

    /// The rows of all bytes of conditions: listed ones, or their combinations with the values left to other bytes.
    fn rows_of(&self, terms: &mut Terms, conds: &[Term]) -> Option<Models> {
        if !self.has_rows {
            return None;
        }
        if let [cond] = conds
            && let Some((_, models)) = self.rows_for(terms, *cond)
        {
            return Some(models.clone());
        }
        let mut bytes: Vec<ByteId> = conds.iter().flat_map(|cond| terms.bytes_of(*cond).to_vec()).collect();
        bytes.sort_unstable();
        bytes.dedup();
        match &self.sources(&bytes)?[..] {
            [Source::Rows(models)] => Some(models.clone()),
            sources => self.put_together(terms, sources, conds),
        }
    }

    /// A model of a conjunction of conditions on bytes with rows and on others of few values; or, as the error, the
    /// number of first conditions that cannot hold.
    pub fn row_with(
        &self,
        terms: &mut Terms,
        conds: &[Term],
        near: &Witness,
    ) -> Option<Result<Witness, usize>> {
        let models = self.rows_of(terms, conds)?;
        let mut left = models.left().to_vec();
        for (i, &cond) in conds.iter().enumerate() {
            let holds = models.holding(terms, cond)?;
            left.iter_mut().zip(holds).for_each(|(left, holds)| *left &= holds);
            if left.iter().all(|block| *block == 0) {
                return Some(Err(i + 1));
            }
        }
        let place = places(&left).next()?;
        let table = models.table().borrow();
        let values: Vec<(ByteId, u8)> =
            table.bytes().iter().copied().zip(table.row(place).iter().copied()).collect();
        Some(Ok(terms.patched(near, values)))
    }
}

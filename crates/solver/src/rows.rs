//! What a path says of terms on bytes whose values it lists; see `live.rs`.

use cleave_expr::{ByteId, Term, Terms, Witness};

use crate::component::Component;
use crate::live::{FEW, Live, Source, places};
use crate::path::PathCondition;

impl PathCondition {
    /// The rows of the bytes that `t` depends on, if they are listed: of all of them together.
    fn rows_for(&self, terms: &mut Terms, t: Term) -> Option<(&Component, &Live)> {
        if !self.has_rows {
            return None;
        }
        let component = self.component(self.component_of(terms.some_byte(t)?)?)?;
        let live = component.live.as_ref()?;
        let inside = |bytes: &[ByteId]| bytes.iter().all(|id| component.bytes.binary_search(id).is_ok());
        let all = terms.is_of_rows(t, &live.table().borrow()) || inside(&terms.bytes_of(t));
        all.then_some((component, live))
    }

    /// The value of a term whose bytes have listed rows, or the term itself if it has several in these.
    pub(crate) fn by_rows(&self, terms: &mut Terms, t: Term) -> Option<Term> {
        let (_, live) = self.rows_for(terms, t)?;
        // No input takes this path: whatever is said of it is right.
        if live.count() == 0 {
            return Some(t);
        }
        match live.only(terms, &self.columns, t) {
            Some(value) => Some(terms.constant_of(terms.width(t), value)),
            None => Some(t),
        }
    }

    /// Whether for some bytes the values are listed that are left to them.
    pub fn has_rows(&self) -> bool {
        self.has_rows
    }

    /// The one value that a term has on the path, if few combinations of values are left to its bytes, and they are
    /// listed. A function of the path and the term.
    pub fn one_of_few(&self, terms: &mut Terms, t: Term) -> Option<u128> {
        let (_, live) = self.rows_for(terms, t)?;
        if !(1..=FEW).contains(&live.count()) {
            return None;
        }
        live.only(terms, &self.columns, t)
    }

    /// Whether [`PathCondition::one_of_few`] knows all values of a term.
    pub fn has_few(&self, terms: &mut Terms, t: Term) -> bool {
        self.rows_for(terms, t).is_some_and(|(_, live)| (1..=FEW).contains(&live.count()))
    }

    /// How many combinations of values the path leaves to the bytes of a component, if `t` is on these alone and they are listed.
    pub fn rows_left(&self, terms: &mut Terms, t: Term) -> Option<usize> {
        self.rows_for(terms, t).map(|(_, live)| live.count())
    }

    /// What a new condition on these bytes goes on from: their rows, and the values of those that have no linked conditions. `None` if
    /// some are linked to bytes without rows, or all are new.
    pub(crate) fn sources(&self, bytes: &[ByteId]) -> Option<Vec<Source>> {
        if !self.has_rows {
            return None;
        }
        let (mut slots, mut sources) = (Vec::new(), Vec::new());
        for &id in bytes {
            match self.component_of(id) {
                None => sources.push(Source::Byte(id, self.domain(id))),
                Some(slot) if slots.contains(&slot) => {}
                Some(slot) => {
                    slots.push(slot);
                    sources.push(Source::Rows(self.component(slot)?.live.clone()?));
                }
            }
        }
        (!slots.is_empty()).then_some(sources)
    }

    /// The rows of a component that has a new condition, if they are listed or it is time; they go on from `sources`.
    pub(crate) fn rows_with(
        &self,
        terms: &Terms,
        component: &mut Component,
        sources: Option<Vec<Source>>,
        cond: Term,
    ) {
        let live = match sources.as_deref() {
            Some([Source::Rows(live)]) => Some(live.with(terms, &self.columns, cond)),
            Some(sources) => Live::listed(terms, sources, &[cond]),
            None => None,
        };
        component.live = live;
        if component.live.is_none() && component.count >= component.due {
            component.due = 2 * component.count;
            let sources: Vec<Source> =
                component.bytes.iter().map(|id| Source::Byte(*id, self.domain(*id))).collect();
            let mut conds: Vec<Term> = component.relations.iter().map(|r| r.term).collect();
            conds.reverse();
            component.live = Live::listed(terms, &sources, &conds);
        }
    }

    /// Rows of a byte of which a condition has left these values.
    pub(crate) fn rows_within(&self, component: &mut Component, id: ByteId) {
        if let Some(live) = &component.live {
            component.live = Some(live.within(id, &self.domain(id)));
        }
    }

    /// Whether conditions can hold together, if they are on bytes whose rows are listed: a witness, or how many of the first
    /// cannot.
    pub(crate) fn row_with(
        &self,
        terms: &mut Terms,
        conds: &[Term],
        near: &Witness,
    ) -> Option<Result<Witness, (usize, &Component)>> {
        let (component, live) = self.rows_for(terms, *conds.first()?)?;
        let mut left = live.left().to_vec();
        for (i, &cond) in conds.iter().enumerate() {
            let (other, _) = self.rows_for(terms, cond)?;
            if !std::ptr::eq(other, component) {
                return None;
            }
            let holds = live.holding(terms, &self.columns, cond)?;
            left.iter_mut().zip(holds).for_each(|(left, holds)| *left &= holds);
            if left.iter().all(|block| *block == 0) {
                return Some(Err((i + 1, component)));
            }
        }
        let place = places(&left).next()?;
        let table = live.table().borrow();
        let values: Vec<(ByteId, u8)> =
            table.bytes().iter().copied().zip(table.row(place).iter().copied()).collect();
        Some(Ok(terms.patched(near, values)))
    }
}

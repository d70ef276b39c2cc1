//! What a path says of terms on bytes whose values it lists; see `live.rs`.

use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};

use crate::component::Component;
use crate::live::{Bounds, FEW, LITTLE, Live, MUCH, Source, places};
use crate::path::PathCondition;

/// So many bytes may be left out of rows.
const MOST_LEFT_OUT: usize = 3;

impl PathCondition {
    /// The rows of the bytes that `t` depends on, if they are listed: of all of them together.
    #[inline(always)]
    fn rows_for(&self, terms: &mut Terms, t: Term) -> Option<(&Component, &Live)> {
        if self.has_rows { self.listed_for(terms, t) } else { None }
    }

    fn listed_for(&self, terms: &mut Terms, t: Term) -> Option<(&Component, &Live)> {
        let component = self.component(self.component_of(terms.some_byte(t)?)?)?;
        let live = component.live.as_ref()?;
        let table = live.table().borrow();
        let inside = |bytes: &[ByteId]| bytes.iter().all(|id| table.bytes().contains(id));
        let all = terms.is_of_rows(t, &table) || inside(&terms.bytes_of(t));
        drop(table);
        all.then_some((component, live))
    }

    /// The value of a term whose bytes have listed rows, or the term itself if it has several in these.
    #[inline]
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

    /// A term that is calculated in many steps as an entry of a table, by the row that the test is; it is what `t` is wherever the path's
    /// conditions hold. What is made of it from then on has none of these steps in it: to know what that is in each row, and to make it
    /// again, costs as much late on a path as early. A function of the path and the term.
    pub fn by_row(&self, terms: &mut Terms, t: Term) -> Option<Term> {
        if !terms.is_deep(t) {
            return None;
        }
        let (_, live) = self.rows_for(terms, t)?;
        if live.count() == 0 {
            return None;
        }
        live.by_row(terms, &self.columns, t)
    }

    /// Whether a term is zero with all values that the path leaves to its bytes, if these are listed and not very many. A function of the path
    /// and the term.
    pub fn is_zero_in_rows(&self, terms: &mut Terms, t: Term) -> bool {
        let Some((_, live)) = self.rows_for(terms, t) else { return false };
        (1..=LITTLE.rows).contains(&live.count()) && live.only(terms, &self.columns, t) == Some(0)
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
                Some(slot) => {
                    let live = self.component(slot)?.live.as_ref()?;
                    if !slots.contains(&slot) {
                        slots.push(slot);
                        sources.push(Source::Rows(live.clone()));
                    }
                    if !live.table().borrow().bytes().contains(&id) {
                        sources.push(Source::Byte(id, self.domain(id)));
                    }
                }
            }
        }
        (!slots.is_empty()).then_some(sources)
    }

    /// The rows of a component that has a new condition, if they are listed or it is time; they go on from `sources`.
    pub(crate) fn rows_with(
        &self,
        terms: &mut Terms,
        component: &mut Component,
        sources: Option<Vec<Source>>,
        cond: Term,
    ) {
        let live = match sources.as_deref() {
            Some([Source::Rows(live)]) => Some(live.with(terms, &self.columns, cond)),
            Some(sources) => self
                .put_together(terms, sources, &[cond])
                .map(|live| live.with(terms, &self.columns, cond))
                .or_else(|| {
                    let many = sources.iter().any(|s| matches!(s, Source::Rows(_)) && s.len() > LITTLE.rows);
                    Live::listed(terms, sources, &[cond], if many { MUCH } else { LITTLE })
                }),
            None => None,
        };
        component.live = live;
        if component.live.is_none() && component.weight >= component.due {
            component.due = 2 * component.weight;
            let mut conds: Vec<Term> = component.relations.iter().map(|r| r.term).collect();
            conds.reverse();
            let deep = component.weight > component.count;
            component.live = self.listed(terms, &component.sorted_bytes(), &conds, deep);
        } else if component.live.is_none() && sources.is_some() {
            // What made the rows too many may be decided soon.
            component.due = component.due.min(component.weight + 1);
        }
    }

    /// The rows of these bytes, or of all but some that the conditions do not tell apart; the bytes in groups where all their
    /// combinations are too many, and what is too much otherwise where nothing else is left and some conditions are deep.
    fn listed(&self, terms: &mut Terms, bytes: &[ByteId], conds: &[Term], deep: bool) -> Option<Live> {
        if let Some(live) = self.of_most(terms, bytes, conds, LITTLE) {
            return Some(live);
        }
        let sets: Vec<(ByteId, ByteSet)> = bytes.iter().map(|id| (*id, self.domain(*id))).collect();
        let live = Live::grouped(terms, &sets, conds);
        if live.is_some() || !deep { live } else { self.of_most(terms, bytes, conds, MUCH) }
    }

    /// The rows of these bytes; where these are too many, of all but a few bytes that the conditions do not tell apart.
    fn of_most(&self, terms: &mut Terms, bytes: &[ByteId], conds: &[Term], bounds: Bounds) -> Option<Live> {
        let sources = |left_out: &[(ByteId, ByteSet)]| {
            let is_in = |id: &&ByteId| left_out.iter().all(|(out, _)| out != *id);
            bytes.iter().filter(is_in).map(|id| Source::Byte(*id, self.domain(*id))).collect::<Vec<_>>()
        };
        if let Some(live) = Live::listed(terms, &sources(&[]), conds, bounds) {
            return Some(live);
        }
        let mut wide: Vec<(ByteId, ByteSet)> = bytes.iter().map(|id| (*id, self.domain(*id))).collect();
        wide.sort_by_key(|(id, set)| (std::cmp::Reverse(set.len()), terms.byte_position(*id)));
        let mut n = 1;
        while n <= MOST_LEFT_OUT.min(wide.len().saturating_sub(1)) {
            let out = &wide[..n];
            let (met, others): (Vec<Term>, Vec<Term>) = conds.iter().partition(|cond| {
                let bytes = terms.bytes_of(**cond);
                out.iter().any(|(id, _)| bytes.binary_search(id).is_ok())
            });
            let Some(live) = Live::listed(terms, &sources(out), &others, bounds) else {
                n += 1;
                continue;
            };
            let Some(tells) = met.iter().find(|cond| !live.always(terms, out, **cond, bounds)) else {
                return Some(live);
            };
            // These bytes are told apart.
            let told = terms.bytes_of(*tells);
            let out: Vec<ByteId> = out.iter().map(|(id, _)| *id).collect();
            wide.retain(|(id, _)| !out.contains(id) || told.binary_search(id).is_err());
            n = 1;
        }
        None
    }

    /// Rows of a byte of which a condition has left these values.
    pub(crate) fn rows_within(&self, component: &mut Component, id: ByteId) {
        if let Some(live) = &component.live {
            component.live = Some(live.within(id, &self.domain(id)));
        }
    }

    /// Rows and other values put together, if that and these conditions are not too much work.
    fn put_together(&self, terms: &Terms, sources: &[Source], conds: &[Term]) -> Option<Live> {
        Live::joined(&self.columns, sources).filter(|live| live.is_soon_known(terms, conds))
    }

    /// The rows of all bytes that conditions are on: those that are listed, or these put together with what is left to other bytes.
    fn rows_of(&self, terms: &mut Terms, conds: &[Term]) -> Option<Live> {
        if !self.has_rows {
            return None;
        }
        if let [cond] = conds
            && let Some((_, live)) = self.rows_for(terms, *cond)
        {
            return Some(live.clone());
        }
        let mut bytes: Vec<ByteId> = conds.iter().flat_map(|cond| terms.bytes_of(*cond).to_vec()).collect();
        bytes.sort_unstable();
        bytes.dedup();
        match &self.sources(&bytes)?[..] {
            [Source::Rows(live)] => Some(live.clone()),
            sources => self.put_together(terms, sources, conds),
        }
    }

    /// Whether conditions can hold together, if they are on bytes whose rows are listed, or these and others of few values: a witness, or
    /// how many of the first cannot.
    pub(crate) fn row_with(
        &self,
        terms: &mut Terms,
        conds: &[Term],
        near: &Witness,
    ) -> Option<Result<Witness, usize>> {
        let live = self.rows_of(terms, conds)?;
        let mut left = live.left().to_vec();
        for (i, &cond) in conds.iter().enumerate() {
            let holds = live.holding(terms, &self.columns, cond)?;
            left.iter_mut().zip(holds).for_each(|(left, holds)| *left &= holds);
            if left.iter().all(|block| *block == 0) {
                return Some(Err(i + 1));
            }
        }
        let place = places(&left).next()?;
        let table = live.table().borrow();
        let values: Vec<(ByteId, u8)> =
            table.bytes().iter().copied().zip(table.row(place).iter().copied()).collect();
        Some(Ok(terms.patched(near, values)))
    }
}

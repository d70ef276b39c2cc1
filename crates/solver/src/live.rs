//! The values of a path's few bytes that are left to it, listed: its *live rows*.
//!
//! A path through a conversion of text to numbers has thousands of conditions on three or four characters. Of these the first
//! few leave some hundred values. From then on the path knows its rows: a condition that holds in all of them, or in none,
//! is decided, and so is a term that has one value in all of them. Nothing has to be simplified, and nobody has to be asked. The rows
//! are a function of the path's conditions alone.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use cleave_expr::{ByteId, ByteSet, Table, Term, Terms, Witness};

use crate::component::Component;
use crate::kept::{all_of, places};
use crate::path::PathCondition;

/// Rows are listed once so many conditions link the bytes, and if that was in vain, at twice as many.
pub(crate) const FEWEST: usize = 16;
/// So many combinations of values are looked at ...
const MOST_LISTED: usize = 1 << 18;
/// ... and so many may be left.
const MOST: usize = 1 << 12;
/// Work for each condition to list rows: units of [`Terms::rows_of`].
const WORK: usize = 1 << 14;
/// With so many rows each value that the program makes is looked at: what is one costs nothing any more.
const FEW: usize = 256;
/// Rows are listed anew if only one of so many is left.
const THINNED: usize = 4;
/// When columns take so many bytes, those that were not used lately are forgotten.
const MOST_KEPT: usize = 1 << 27;

/// What the columns of all live rows take, of a path and of those that parted from it.
#[derive(Default)]
pub(crate) struct Columns {
    tables: Vec<Weak<RefCell<Table>>>,
    /// In bytes, or more: some may be gone.
    size: usize,
}

impl Columns {
    fn grow(&mut self, table: &Rc<RefCell<Table>>, before: usize) {
        let now = table.borrow().size();
        if before == 0 && now > 0 {
            self.tables.push(Rc::downgrade(table));
        }
        self.size += now.saturating_sub(before);
        for _ in 0..2 {
            if self.size <= MOST_KEPT {
                return;
            }
            self.size = 0;
            self.tables.retain(|table| table.strong_count() > 0);
            for table in self.tables.iter().filter_map(Weak::upgrade) {
                let mut table = table.borrow_mut();
                table.forget_unused();
                self.size += table.size();
            }
        }
    }
}

/// The rows of values of some bytes with which all conditions on these bytes hold.
#[derive(Clone)]
pub(crate) struct Live {
    /// Rows; paths that parted share them.
    table: Rc<RefCell<Table>>,
    /// A bit for each row that is left.
    left: Rc<[u64]>,
    count: usize,
}

/// Where values of bytes come from.
pub(crate) enum Source {
    /// A byte without linked conditions has one of these.
    Byte(ByteId, ByteSet),
    Rows(Live),
}

impl Source {
    fn len(&self) -> usize {
        match self {
            Source::Byte(_, set) => set.len() as usize,
            Source::Rows(live) => live.count,
        }
    }

    /// The values one after the other, and of which bytes they are.
    fn rows(&self) -> (Vec<ByteId>, Vec<Vec<u8>>) {
        match self {
            Source::Byte(id, set) => (vec![*id], set.iter().map(|v| vec![v]).collect()),
            Source::Rows(live) => {
                let table = live.table.borrow();
                (table.bytes().to_vec(), places(&live.left).map(|place| table.row(place).to_vec()).collect())
            }
        }
    }
}

fn count(left: &[u64]) -> usize {
    left.iter().map(|block| block.count_ones() as usize).sum()
}

impl Live {
    /// The combinations of some values with which conditions hold, if not too many are to be looked at and not too many are left. That
    /// depends on nothing but what is given here.
    pub(crate) fn listed(terms: &Terms, sources: &[Source], conds: &[Term]) -> Option<Live> {
        sources
            .iter()
            .try_fold(1usize, |n, source| n.checked_mul(source.len()).filter(|n| *n <= MOST_LISTED))?;
        let (mut bytes, mut rows) = (Vec::new(), vec![Vec::new()]);
        for source in sources {
            let (more, values) = source.rows();
            bytes.extend(more);
            let longer = |row: &Vec<u8>| values.iter().map(|v| [&row[..], v].concat()).collect::<Vec<_>>();
            rows = rows.iter().flat_map(longer).collect();
        }
        let all = Table::new(&bytes, rows.concat());
        let work = WORK.saturating_mul(conds.len().max(FEWEST));
        let (left, _) = terms.rows_of(conds, &all, &all_of(&all), work)?;
        let count = count(&left);
        if count > MOST {
            return None;
        }
        let table = all.part(places(&left));
        Some(Live { left: all_of(&table), table: Rc::new(RefCell::new(table)), count })
    }

    /// How many rows are left.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The rows of these.
    fn narrowed(&self, left: Vec<u64>) -> Live {
        let count = count(&left);
        if count == self.count {
            return self.clone();
        }
        let all = self.table.borrow().len();
        if all > FEWEST && count * THINNED <= all {
            let table = Table::taken_from(&self.table, places(&left));
            return Live { left: all_of(&table), table: Rc::new(RefCell::new(table)), count };
        }
        Live { table: self.table.clone(), left: left.into(), count }
    }

    /// The rows that are left in which a condition holds; all of them where it depends on other bytes.
    fn with(&self, terms: &Terms, columns: &RefCell<Columns>, cond: Term) -> Live {
        self.holding(terms, columns, cond).map_or_else(|| self.clone(), |left| self.narrowed(left))
    }

    /// The rows that are left in which a condition holds.
    fn holding(&self, terms: &Terms, columns: &RefCell<Columns>, cond: Term) -> Option<Vec<u64>> {
        let holds = self.looked_up(columns, |table| terms.rows_where(cond, table))?;
        Some(holds.iter().zip(&*self.left).map(|(holds, left)| holds & left).collect())
    }

    fn looked_up<T>(&self, columns: &RefCell<Columns>, look: impl FnOnce(&mut Table) -> T) -> T {
        let before = self.table.borrow().size();
        let found = look(&mut self.table.borrow_mut());
        if self.table.borrow().size() != before {
            columns.borrow_mut().grow(&self.table, before);
        }
        found
    }

    /// The rows in which a byte has one of these values.
    fn within(&self, id: ByteId, set: &ByteSet) -> Live {
        let table = self.table.borrow();
        let Some(at) = table.bytes().iter().position(|b| *b == id) else { return self.clone() };
        let mut left = self.left.to_vec();
        for place in places(&self.left).filter(|place| !table.allows(*place, at, set)) {
            left[place / 64] &= !(1 << (place % 64));
        }
        drop(table);
        self.narrowed(left)
    }

    /// The one value that a term on these bytes has.
    fn only(&self, terms: &Terms, columns: &RefCell<Columns>, t: Term) -> Option<u128> {
        self.looked_up(columns, |table| terms.only_value(t, table, &self.left))
    }
}

impl PathCondition {
    /// The rows of the bytes that `t` depends on, if they are listed: of all of them together.
    fn rows_for(&self, terms: &mut Terms, t: Term) -> Option<(&Component, &Live)> {
        if !self.has_rows {
            return None;
        }
        let component = self.component(self.component_of(terms.some_byte(t)?)?)?;
        let live = component.live.as_ref()?;
        let inside = |bytes: &[ByteId]| bytes.iter().all(|id| component.bytes.binary_search(id).is_ok());
        let all = terms.is_of_rows(t, &live.table.borrow()) || inside(&terms.bytes_of(t));
        all.then_some((component, live))
    }

    /// The value of a term whose bytes have listed rows, or the term itself if it has several in these.
    pub(crate) fn by_rows(&self, terms: &mut Terms, t: Term) -> Option<Term> {
        let (_, live) = self.rows_for(terms, t)?;
        // No input takes this path: whatever is said of it is right.
        if live.count == 0 {
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
        if !(1..=FEW).contains(&live.count) {
            return None;
        }
        live.only(terms, &self.columns, t)
    }

    /// Whether [`PathCondition::one_of_few`] knows all values of a term.
    pub fn has_few(&self, terms: &mut Terms, t: Term) -> bool {
        self.rows_for(terms, t).is_some_and(|(_, live)| (1..=FEW).contains(&live.count))
    }

    /// How many combinations of values the path leaves to the bytes of a component, if `t` is on these alone and they are listed.
    pub fn rows_left(&self, terms: &mut Terms, t: Term) -> Option<usize> {
        self.rows_for(terms, t).map(|(_, live)| live.count)
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
        let mut left = live.left.to_vec();
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
        let table = live.table.borrow();
        let values: Vec<(ByteId, u8)> =
            table.bytes().iter().copied().zip(table.row(place).iter().copied()).collect();
        Some(Ok(terms.patched(near, values)))
    }
}

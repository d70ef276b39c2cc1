//! Finds the assumptions of a path about parts of a term without a pass over the whole path each time. The
//! simplification in `implied.rs` calls it.

use cleave_expr::Term;
use rustc_hash::FxHashMap;

use crate::component::{Component, Relation};
use crate::persistent::List;
use crate::policy::lists;

/// Tables of the assumptions, by the slots of components. Paths with the same prefix share them: a table is extended
/// for a path that has grown, and rebuilt for another.
#[derive(Default)]
pub(crate) struct Lookup {
    /// Number of scans for the term at hand.
    looks: u32,
    tables: FxHashMap<u32, Table>,
}

/// The assumptions of one component.
#[derive(Default)]
struct Table {
    /// Each condition with its index; the first assumed comes first.
    conditions: Rows<Relation, usize>,
    /// Terms that have one value.
    values: Rows<(Term, u64), u64>,
}

/// A list as a table.
struct Rows<E, V> {
    /// The list. While it is held here no other list has its address.
    of: List<E>,
    count: usize,
    rows: FxHashMap<Term, V>,
}

impl<E, V> Default for Rows<E, V> {
    fn default() -> Self {
        Rows { of: List::default(), count: 0, rows: FxHashMap::default() }
    }
}

impl<E: Copy, V> Rows<E, V> {
    /// Extends the table to a longer list. Returns false if the list does not extend this one by at most [`lists::EXTENDED`]
    /// elements.
    fn goes_on(&mut self, list: &List<E>, row: impl Fn(usize, E) -> (Term, V)) -> bool {
        let mut new = Vec::new();
        let mut at = list;
        while at.place() != self.of.place() {
            let (Some(first), Some(rest)) = (at.first(), at.rest()) else { return false };
            if new.len() == lists::EXTENDED {
                return false;
            }
            new.push(*first);
            at = rest;
        }
        for element in new.into_iter().rev() {
            self.count += 1;
            let (term, value) = row(self.count, element);
            self.rows.insert(term, value);
        }
        self.of = list.clone();
        true
    }

    fn anew(list: &List<E>, row: impl Fn(usize, E) -> (Term, V)) -> Rows<E, V> {
        let mut all: Vec<E> = list.iter().copied().collect();
        all.reverse();
        let count = all.len();
        let rows = all.into_iter().enumerate().map(|(i, element)| row(i + 1, element)).collect();
        Rows { of: list.clone(), count, rows }
    }
}

fn condition(number: usize, relation: Relation) -> (Term, usize) {
    (relation.term, number)
}

fn value(_: usize, known: (Term, u64)) -> (Term, u64) {
    known
}

impl Lookup {
    /// Begins a lookup for another term.
    pub(crate) fn begin(&mut self) {
        self.looks = 0;
    }

    /// The table of a component, if it exists or pays.
    fn table(&mut self, slot: u32, component: &Component) -> Option<&Table> {
        let table = self.tables.entry(slot).or_default();
        let (relations, values) = (&component.relations, &component.values);
        if !table.conditions.goes_on(relations, condition) || !table.values.goes_on(values, value) {
            self.looks += 1;
            if self.looks <= lists::SCANS {
                return None;
            }
            table.conditions = Rows::anew(relations, condition);
            table.values = Rows::anew(values, value);
        }
        Some(table)
    }

    /// Returns true if `cond` is assumed, false if `opposite` is. The last one counts if both are.
    pub(crate) fn assumed(
        &mut self,
        slot: u32,
        component: &Component,
        cond: Term,
        opposite: Term,
    ) -> Option<bool> {
        if let Some(facts) = &component.facts {
            return facts.assumed(cond, opposite);
        }
        if component.count <= lists::SHORT {
            return assumed(component, cond, opposite);
        }
        let Some(table) = self.table(slot, component) else { return assumed(component, cond, opposite) };
        match (table.conditions.rows.get(&cond), table.conditions.rows.get(&opposite)) {
            (Some(on), Some(off)) => Some(on > off),
            (Some(_), None) => Some(true),
            (None, Some(_)) => Some(false),
            (None, None) => None,
        }
    }

    /// The one value of a term, if it has been learned.
    pub(crate) fn value(&mut self, slot: u32, component: &Component, term: Term) -> Option<u64> {
        if let Some(facts) = &component.facts {
            return facts.value(term);
        }
        match self.table(slot, component) {
            Some(table) => table.values.rows.get(&term).copied(),
            None => component.values.iter().find(|(t, _)| *t == term).map(|(_, value)| *value),
        }
    }
}

/// [`Lookup::assumed`] without a table.
fn assumed(component: &Component, cond: Term, opposite: Term) -> Option<bool> {
    let is_one = |term: Term| term == cond || term == opposite;
    component.relations.iter().map(|r| r.term).find(|term| is_one(*term)).map(|term| term == cond)
}

#[cfg(test)]
mod tests {
    use cleave_expr::{BinaryOp, Terms};

    use super::*;

    /// Forty conditions with their opposites.
    fn conditions(terms: &mut Terms) -> Vec<(Term, Term)> {
        (0..40)
            .map(|i| {
                let (a, b) = (terms.byte(0, i), terms.byte(0, i + 1));
                let cond = terms.binary(BinaryOp::Ult, a, b);
                (cond, terms.not(cond))
            })
            .collect()
    }

    /// Asserts that a lookup finds the conditions and values of the lists.
    fn check(lookup: &mut Lookup, component: &Component, conditions: &[(Term, Term)]) {
        for &(cond, opposite) in conditions {
            for (cond, opposite) in [(cond, opposite), (opposite, cond)] {
                let found = lookup.assumed(3, component, cond, opposite);
                assert_eq!(found, assumed(component, cond, opposite));
            }
            let listed = component.values.iter().find(|(t, _)| *t == cond).map(|(_, v)| *v);
            assert_eq!(lookup.value(3, component, cond), listed);
        }
    }

    fn assume(component: &mut Component, i: usize, (cond, opposite): (Term, Term)) {
        component
            .relations
            .push(Relation { term: if i.is_multiple_of(2) { cond } else { opposite }, bytes: 0 });
        component.count += 1;
        component.values.push((cond, i as u64));
        // The last assumption counts.
        if i.is_multiple_of(5) {
            component.relations.push(Relation { term: opposite, bytes: 0 });
            component.count += 1;
            component.values.push((cond, 7));
        }
    }

    #[test]
    fn tables_find_what_the_lists_hold_as_they_grow_and_where_paths_part() {
        let mut terms = Terms::default();
        let conditions = conditions(&mut terms);
        let (mut one, mut other) = (Component::new(), Component::new());
        let mut lookup = Lookup { looks: lists::SCANS, ..Lookup::default() };
        for (i, pair) in conditions.iter().enumerate().filter(|(i, _)| i % 3 > 0) {
            assume(&mut one, i, *pair);
            if i == 20 {
                other = one.clone();
            }
            if i > 20 {
                assume(&mut other, i + 1, *pair);
            }
            check(&mut lookup, &one, &conditions);
        }
        assert_eq!(lookup.tables.len(), 1);
        // The other parted from it long ago.
        check(&mut lookup, &other, &conditions);
        check(&mut lookup, &one, &conditions);
        lookup.begin();
        check(&mut lookup, &other, &conditions);
    }
}

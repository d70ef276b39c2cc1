//! What a path condition says about parts of a term: what has one value on the path is replaced by it.
//!
//! A compiler turns `w > l ? a : b` into a value without a branch, and the program asks for that value again and
//! again after the path has decided which it is. With the decided conditions replaced the value is a constant
//! once more, and there is nothing left to ask. The result is a function of the path and the term alone.

use cleave_expr::{BinaryOp, ByteSet, Node, Support, Term, Terms, mask};
use rustc_hash::FxHashMap;

use crate::path::{Component, PathCondition};

/// More parts of a term than this are not looked at.
const MOST_PARTS: usize = 1000;

impl PathCondition {
    /// Whether the path has decided `cond` (one bit), as far as that can be seen without a search: it is assumed
    /// or its opposite is, or the values left to its only byte decide it.
    pub fn known(&self, terms: &mut Terms, cond: Term) -> Option<bool> {
        match terms.support(cond) {
            Support::None => terms.constant64(cond).map(|v| v != 0),
            Support::One(id) => {
                let domain = self.domain(id);
                if domain == ByteSet::FULL {
                    return None; // a term that has one value for all values of its byte is rare
                }
                let set = terms.byte_set(cond)?;
                let left = domain.intersect(&set);
                if left == domain {
                    Some(true)
                } else if left.is_empty() {
                    Some(false)
                } else {
                    None
                }
            }
            Support::Many => {
                // All bytes of an assumed condition are in one component, so any will do.
                let component = self.component(self.component_of(terms.some_byte(cond)?)?)?;
                let opposite = terms.not(cond);
                assumed(component, cond, opposite)
            }
        }
    }

    /// Notes that `t` has only this value by what is assumed: whoever has made it concrete knows. What `t` is
    /// made from by steps that can be undone has one value too.
    pub fn learn(&mut self, terms: &mut Terms, t: Term, value: u64) {
        let (mut t, mut value) = (t, value);
        loop {
            if terms.support(t) != Support::Many {
                return;
            }
            if let Some(id) = terms.some_byte(t) {
                self.note_value(id, t, value);
            }
            let w = terms.width(t);
            (t, value) = match terms.node(t) {
                Node::Zext(x) | Node::Sext(x) => (x, value & mask(terms.width(x)) as u64),
                Node::Not(x) => (x, !value & mask(w) as u64),
                Node::Binary(BinaryOp::Add, x, k) if w <= 64 => match terms.constant64(k) {
                    Some(k) => (x, value.wrapping_sub(k) & mask(w) as u64),
                    None => return,
                },
                Node::Binary(BinaryOp::Sub, k, x) if w <= 64 => match terms.constant64(k) {
                    Some(k) => (x, k.wrapping_sub(value) & mask(w) as u64),
                    None => return,
                },
                _ => return,
            };
        }
    }

    /// `t` with what the path has decided replaced by its value: conditions, bytes, and terms that were made
    /// concrete.
    pub fn simplified(&self, terms: &mut Terms, t: Term) -> Term {
        if self.is_empty() {
            return t;
        }
        if terms.width(t) == 1
            && let Some(v) = self.known(terms, t)
        {
            return terms.bool(v);
        }
        if self.concerns(terms, t) { self.rebuilt(terms, t).unwrap_or(t) } else { t }
    }

    /// Whether a part of `t` may have one value on the path.
    fn concerns(&self, terms: &mut Terms, t: Term) -> bool {
        match terms.support(t) {
            Support::None => false,
            Support::One(id) => {
                let domain = self.domain(id);
                domain.len() == 1 || (domain != ByteSet::FULL && terms.has_conditions(t))
            }
            Support::Many => {
                terms.has_conditions(t)
                    || terms.bytes_of(t).iter().any(|&id| {
                        self.domain(id).len() == 1
                            || self
                                .component_of(id)
                                .and_then(|slot| self.component(slot))
                                .is_some_and(|c| c.values.iter().next().is_some())
                    })
            }
        }
    }

    /// The value of a part, if the path leaves it only one.
    fn one_value(&self, terms: &mut Terms, lookup: &mut Lookup, part: Term) -> Option<Term> {
        let w = terms.width(part);
        if w == 1 {
            let v = match terms.support(part) {
                Support::Many => {
                    let slot = self.component_of(terms.some_byte(part)?)?;
                    let opposite = terms.not(part);
                    lookup.assumed(slot, self.component(slot)?, part, opposite)?
                }
                _ => self.known(terms, part)?,
            };
            return Some(terms.bool(v));
        }
        let v = match terms.support(part) {
            Support::None => return None,
            Support::One(id) if terms.node(part) == Node::Byte(id) => {
                let domain = self.domain(id);
                if domain.len() != 1 {
                    return None;
                }
                domain.first()? as u64
            }
            Support::One(_) => return None,
            Support::Many => {
                let slot = self.component_of(terms.some_byte(part)?)?;
                lookup.value(slot, self.component(slot)?, part)?
            }
        };
        Some(terms.constant_of(w, v as u128))
    }

    /// Part by part, operands first; nothing if there are too many parts.
    fn rebuilt(&self, terms: &mut Terms, t: Term) -> Option<Term> {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        let mut lookup = Lookup::default();
        let mut todo = vec![t];
        while let Some(&part) = todo.last() {
            if done.contains_key(&part) {
                todo.pop();
                continue;
            }
            if done.len() + todo.len() > MOST_PARTS {
                return None;
            }
            if let Some(v) = self.one_value(terms, &mut lookup, part) {
                done.insert(part, v);
                todo.pop();
                continue;
            }
            let before = todo.len();
            todo.extend(terms.children(part).filter(|c| !done.contains_key(c)));
            if todo.len() == before {
                todo.pop();
                let new = with_parts(terms, part, &done);
                // What is left may be what the path has decided.
                let value = if new == part { None } else { self.one_value(terms, &mut lookup, new) };
                done.insert(part, value.unwrap_or(new));
            }
        }
        done.get(&t).copied()
    }
}

/// Whether `cond` is assumed, or `opposite`: what was assumed last counts.
fn assumed(component: &Component, cond: Term, opposite: Term) -> Option<bool> {
    let is_one = |term: Term| term == cond || term == opposite;
    component.relations.iter().map(|r| r.term).find(|term| is_one(*term)).map(|term| term == cond)
}

/// Finds what is assumed of the parts of one term. The first looks go through the lists; where there are many parts, the
/// lists are written into tables once, as a long path has hundreds of conditions.
#[derive(Default)]
struct Lookup {
    looks: u32,
    tables: FxHashMap<u32, Table>,
}

/// What is assumed of one component.
#[derive(Default)]
struct Table {
    /// Each condition with its place in the list, the last assumed first.
    conditions: FxHashMap<Term, usize>,
    values: FxHashMap<Term, u64>,
}

impl Lookup {
    /// So many looks before a table pays.
    const FEW: u32 = 16;

    fn table(&mut self, slot: u32, component: &Component) -> Option<&Table> {
        self.looks += 1;
        if self.looks <= Self::FEW {
            return None;
        }
        Some(self.tables.entry(slot).or_insert_with(|| {
            let mut table = Table::default();
            for (place, relation) in component.relations.iter().enumerate() {
                table.conditions.entry(relation.term).or_insert(place);
            }
            for (term, value) in component.values.iter() {
                table.values.entry(*term).or_insert(*value);
            }
            table
        }))
    }

    /// As [`assumed`].
    fn assumed(&mut self, slot: u32, component: &Component, cond: Term, opposite: Term) -> Option<bool> {
        let Some(table) = self.table(slot, component) else { return assumed(component, cond, opposite) };
        match (table.conditions.get(&cond), table.conditions.get(&opposite)) {
            (Some(on), Some(off)) => Some(on < off),
            (Some(_), None) => Some(true),
            (None, Some(_)) => Some(false),
            (None, None) => None,
        }
    }

    /// The value that a term was learned to have.
    fn value(&mut self, slot: u32, component: &Component, term: Term) -> Option<u64> {
        match self.table(slot, component) {
            Some(table) => table.values.get(&term).copied(),
            None => component.values.iter().find(|(t, _)| *t == term).map(|(_, value)| *value),
        }
    }
}

/// `t` made anew of what its operands have become.
fn with_parts(terms: &mut Terms, t: Term, done: &FxHashMap<Term, Term>) -> Term {
    let new = |x: Term| done.get(&x).copied().unwrap_or(x);
    if terms.children(t).all(|c| new(c) == c) {
        return t;
    }
    let w = terms.width(t);
    match terms.node(t) {
        Node::Const(_) | Node::WideConst(_) | Node::Byte(_) => t,
        Node::Not(a) => terms.not(new(a)),
        Node::Binary(op, a, b) => terms.binary(op, new(a), new(b)),
        Node::Ite(c, a, b) => terms.ite(new(c), new(a), new(b)),
        Node::Extract(a, low) => terms.extract(new(a), low, w),
        Node::Zext(a) => terms.zext(new(a), w),
        Node::Sext(a) => terms.sext(new(a), w),
        Node::Table(id, a) => terms.table(id, new(a)),
        Node::Float(op, ..) => {
            let operands: Vec<Term> = terms.children(t).map(new).collect();
            terms.float(op, w, &operands)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::Relation;
    use crate::persistent::List;

    #[test]
    fn tables_find_what_the_lists_hold() {
        let mut terms = Terms::default();
        let byte = |terms: &mut Terms, i: u32| terms.byte(0, i);
        let mut conditions = Vec::new();
        for i in 0..40 {
            let (a, b) = (byte(&mut terms, i), byte(&mut terms, i + 1));
            let cond = terms.binary(BinaryOp::Ult, a, b);
            conditions.push((cond, terms.not(cond)));
        }
        let (mut relations, mut values) = (List::default(), List::default());
        for (i, (cond, opposite)) in conditions.iter().enumerate().filter(|(i, _)| i % 3 > 0) {
            relations.push(Relation { term: if i % 2 == 0 { *cond } else { *opposite }, bytes: 0 });
            values.push((*cond, i as u64));
            // What was assumed last counts.
            if i % 5 == 0 {
                relations.push(Relation { term: *opposite, bytes: 0 });
                values.push((*cond, 7));
            }
        }
        let component = Component { bytes: [].into(), relations, count: 0, values };
        let mut lookup = Lookup { looks: Lookup::FEW, ..Lookup::default() };
        for (cond, opposite) in conditions {
            for (cond, opposite) in [(cond, opposite), (opposite, cond)] {
                let found = lookup.assumed(3, &component, cond, opposite);
                assert_eq!(found, assumed(&component, cond, opposite));
            }
            let listed = component.values.iter().find(|(t, _)| *t == cond).map(|(_, v)| *v);
            assert_eq!(lookup.value(3, &component, cond), listed);
        }
        assert_eq!(lookup.tables.len(), 1);
    }
}

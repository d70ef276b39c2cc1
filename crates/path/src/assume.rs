//! A condition becomes one of a path's: its conjuncts narrow bytes, join components and narrow their enumerated models. The
//! engine and the solver's layers call it.

use std::rc::Rc;

use cleave_expr::{BinaryOp, ByteId, ByteSet, Node, Note, Support, Term, Terms};

use crate::component::{Component, Relation, filter_bit};
use crate::condition::PathCondition;

/// One conjunct of a condition.
pub enum Part {
    /// A condition on one byte, which holds for these values.
    Byte(ByteId, Rc<ByteSet>, Term),
    /// A condition on several bytes.
    Relation(Term),
    /// A false constant.
    False,
}

/// Calls `f` for every conjunct of `cond` but constants that hold.
pub fn conjuncts(terms: &mut Terms, cond: Term, mut f: impl FnMut(&mut Terms, Part)) {
    let mut more: Vec<Term> = Vec::new(); // allocates only where there is a conjunction
    let mut next = Some(cond);
    while let Some(t) = next {
        next = None;
        match terms.node(t) {
            Node::Const(0) => f(terms, Part::False),
            Node::Const(_) => {}
            Node::Binary(BinaryOp::And, a, b) => {
                more.push(b);
                next = Some(a);
            }
            Node::Not(x) if matches!(terms.node(x), Node::Binary(BinaryOp::Or, ..)) => {
                if let Node::Binary(_, a, b) = terms.node(x) {
                    let (a, b) = (terms.not(a), terms.not(b));
                    more.push(b);
                    next = Some(a);
                }
            }
            _ => match (terms.support(t), terms.byte_set(t)) {
                (Support::One(id), Some(set)) => f(terms, Part::Byte(id, set, t)),
                _ => bounded(terms, t, &mut f),
            },
        }
        next = next.or_else(|| more.pop());
    }
}

/// Calls `f` for the parts of a condition on several bytes. An upper bound of a word, as every count of arguments has
/// one, leaves its upper bytes one value.
fn bounded(terms: &mut Terms, t: Term, f: &mut impl FnMut(&mut Terms, Part)) {
    let Some((mut word, most)) = upper_bound(terms, t) else { return f(terms, Part::Relation(t)) };
    let up_to = |most: u64| {
        let mut set = ByteSet::EMPTY;
        (0..=most.min(255)).for_each(|v| set.insert(v as u8));
        Rc::new(set)
    };
    while let Node::Binary(BinaryOp::Concat, high, low) = terms.node(word)
        && let Node::Byte(id) = terms.node(high)
        && most.checked_shr(u32::from(terms.width(low))).unwrap_or(0) == 0
    {
        f(terms, Part::Byte(id, up_to(0), t));
        word = low;
    }
    match terms.node(word) {
        Node::Byte(id) => f(terms, Part::Byte(id, up_to(most), t)),
        _ => f(terms, Part::Relation(t)),
    }
}

/// A word of at most 64 bits, and its greatest value if `t` holds.
fn upper_bound(terms: &Terms, t: Term) -> Option<(Term, u64)> {
    let (word, most) = match terms.node(t) {
        Node::Binary(BinaryOp::Ult, word, above) => (word, terms.constant64(above)?.checked_sub(1)?),
        Node::Not(x) => match terms.node(x) {
            Node::Binary(BinaryOp::Ult, most, word) => (word, terms.constant64(most)?),
            _ => return None,
        },
        _ => return None,
    };
    (terms.width(word) <= 64).then_some((word, most))
}

impl PathCondition {
    /// Adds `cond`: one bit, not constant false, and possible together with the path.
    pub fn assume(&mut self, terms: &mut Terms, cond: Term) {
        self.assume_marked(terms, cond, 0);
    }

    /// As [`PathCondition::assume`]. The caller can find the condition by `mark` later; nothing here interprets it.
    pub fn assume_marked(&mut self, terms: &mut Terms, cond: Term, mark: u32) {
        self.list(cond, mark);
        conjuncts(terms, cond, |terms, part| match part {
            Part::Byte(id, set, t) => {
                let info = self.bytes.get_mut(id.0 as usize);
                info.domain = info.domain.intersect(&set);
                info.conditions.push(t);
                self.contradictory |= info.domain.is_empty();
                self.narrow_rows(terms, id);
            }
            Part::Relation(t) => self.relate(terms, t),
            Part::False => self.contradictory = true,
        });
    }

    /// Narrows the rows of a byte after a condition has narrowed its values.
    fn narrow_rows(&mut self, terms: &Terms, id: ByteId) {
        if !self.has_rows {
            return;
        }
        if let Some(slot) = self.component_of(id)
            && let Some(mut component) = self.components.get_mut(slot as usize).take()
        {
            self.rows_within(terms, Rc::make_mut(&mut component), id);
            self.keep_rows(slot, component);
        }
    }

    fn keep_rows(&mut self, slot: u32, component: Rc<Component>) {
        if let Some(models) = &component.models {
            self.has_rows = true;
            self.contradictory |= models.count() == 0;
        }
        *self.components.get_mut(slot as usize) = Some(component);
    }

    fn relate(&mut self, terms: &mut Terms, t: Term) {
        let bytes = terms.bytes_of(t);
        let sources = self.sources(&bytes);
        let slot = self.joined(terms, &bytes);
        let filter = bytes.iter().fold(0, |f, &b| f | filter_bit(b));
        let taken = self.components.get_mut(slot as usize).take();
        let mut kept = taken.unwrap_or_else(|| Rc::new(Component::new()));
        let component = Rc::make_mut(&mut kept);
        let opposite = terms.not(t);
        terms.note(t, Note::Assumed);
        terms.note(opposite, Note::Assumed);
        component.relate(terms, Relation { term: t, bytes: filter });
        for &b in bytes.iter().filter(|b| self.component_of(**b).is_none()) {
            component.bytes.push(b);
            component.size += 1;
        }
        for b in bytes.iter() {
            if self.component_of(*b).is_none() {
                self.bytes.get_mut(b.0 as usize).component = slot + 1;
            }
        }
        self.rows_with(terms, component, sources, t);
        component.keep_facts(terms);
        self.keep_rows(slot, kept);
    }

    /// Merges the components of these bytes and returns the slot of the result.
    fn joined(&mut self, terms: &mut Terms, bytes: &[ByteId]) -> u32 {
        let mut target: Option<u32> = None;
        for &b in bytes {
            let Some(slot) = self.component_of(b) else { continue };
            match target {
                None => target = Some(slot),
                Some(t) if t != slot => target = Some(self.merged(terms, t, slot)),
                Some(_) => {}
            }
        }
        target.unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }

    /// Merges two components into the one with more bytes.
    fn merged(&mut self, terms: &mut Terms, a: u32, b: u32) -> u32 {
        let size = |s: u32| self.component(s).map_or(0, |c| c.size);
        let (into, from) = if size(a) >= size(b) { (a, b) } else { (b, a) };
        let Some(old) = self.components.get_mut(from as usize).take() else { return into };
        for b in old.bytes.iter() {
            self.bytes.get_mut(b.0 as usize).component = into + 1;
        }
        if let Some(new) = self.components.get_mut(into as usize) {
            let new = Rc::make_mut(new);
            for &b in old.bytes.iter() {
                new.bytes.push(b);
            }
            new.size += old.size;
            let moved: Vec<Relation> = old.relations.iter().copied().collect();
            for r in moved.into_iter().rev() {
                new.relate(terms, r);
            }
            for &(t, value) in old.values.iter() {
                new.note_value(t, value);
            }
        }
        into
    }
}

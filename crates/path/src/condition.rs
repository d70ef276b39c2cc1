//! Path conditions: the assumptions of a state, sorted so that a question looks only at conditions that concern it. The
//! engine keeps one for each state; all layers of the solver read it.

use std::cell::RefCell;
use std::rc::Rc;

use cleave_expr::{BinaryOp, ByteId, ByteSet, Node, Note, Support, Term, Terms};

use crate::component::{Component, Relation, filter_bit};
use crate::lookup::Lookup;
use crate::models::Joined;
use crate::persistent::{Chunked, List};

/// All conditions of a path. A clone shares everything.
///
/// Conjunctions are split. A condition on a single byte narrows the exact set of that byte's values; the
/// others are *relational*, and bytes that are linked by relational conditions form a *component*.
#[derive(Clone, Default)]
pub struct PathCondition {
    given: Given,
    len: usize,
    /// True if a contradiction was seen without a search: a byte without a value, no row left, or a false constant.
    contradictory: bool,
    bytes: Chunked<ByteInfo>,
    components: Chunked<Option<Rc<Component>>>,
    slots: u32,
    /// Lookup tables of this path and of those that parted from it.
    pub(crate) lookup: Rc<RefCell<Lookup>>,
    /// True if the models of some component were enumerated.
    pub(crate) has_rows: bool,
    /// Combinations of these models, shared in the same way.
    pub(crate) joined_last: Rc<Joined>,
}

/// Conditions as they were given, each with its mark; see [`PathCondition::assume_marked`].
pub type Given = List<(Term, u32)>;

/// The conditions on one byte alone, and the component of the byte.
#[derive(Clone)]
struct ByteInfo {
    domain: ByteSet,
    conditions: List<Term>,
    /// The component's slot plus one; 0 for none.
    component: u32,
}

impl Default for ByteInfo {
    fn default() -> Self {
        ByteInfo { domain: ByteSet::FULL, conditions: List::default(), component: 0 }
    }
}

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

/// The conditions of a path, in order. It shares them with the path, so that two histories are compared without a look
/// at their common part.
#[derive(Clone, Default)]
pub struct History {
    given: Given,
    len: usize,
}

impl History {
    /// The number of first conditions that both paths have assumed before they parted, in time proportional to the others.
    pub fn shared(&self, other: &History) -> usize {
        let least = self.len.min(other.len);
        let (mut a, mut b, mut len) = (self.first(least), other.first(least), least);
        while let (Some(x), Some(y)) = (a, b)
            && x.place() != y.place()
        {
            (a, b, len) = (x.rest(), y.rest(), len - 1);
        }
        len
    }

    /// The list of the first `n` conditions.
    fn first(&self, n: usize) -> Option<&Given> {
        (n..self.len).try_fold(&self.given, |list, _| list.rest())
    }

    /// All conditions but the first `n`, in order, each with its mark from
    /// [`PathCondition::assume_marked`].
    pub fn behind(&self, n: usize) -> Vec<(Term, u32)> {
        let mut all: Vec<_> = self.given.iter().take(self.len.saturating_sub(n)).copied().collect();
        all.reverse();
        all
    }
}

impl PathCondition {
    /// Number of conditions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the path has no conditions.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns true if the conditions are seen to contradict each other without a search: a byte has no value left, the
    /// enumerated models have no row left, or a condition is the false constant. The path may be contradictory without
    /// that, if it has conditions that were never checked.
    pub fn is_contradictory(&self) -> bool {
        self.contradictory
    }

    /// All conditions, in order, as they were given.
    pub fn conditions(&self) -> Vec<Term> {
        self.marked().into_iter().map(|(term, _)| term).collect()
    }

    /// All conditions, in order, each with its mark from [`PathCondition::assume_marked`].
    pub fn marked(&self) -> Vec<(Term, u32)> {
        let mut all = Vec::with_capacity(self.len);
        all.extend(self.given.iter().copied());
        all.reverse();
        all
    }

    /// The conditions as a history, which can be compared with that of another path.
    pub fn history(&self) -> History {
        History { given: self.given.clone(), len: self.len }
    }

    /// All conditions, last to first.
    pub fn given(&self) -> &Given {
        &self.given
    }

    /// The values that the conditions on this byte alone leave to it.
    pub fn domain(&self, id: ByteId) -> ByteSet {
        self.bytes.get(id.0 as usize).map_or(ByteSet::FULL, |b| b.domain)
    }

    /// The conditions on this byte alone.
    pub fn byte_conditions(&self, id: ByteId) -> impl Iterator<Item = Term> + '_ {
        let info = self.bytes.get(id.0 as usize);
        info.into_iter().flat_map(|b| b.conditions.iter().copied())
    }

    /// The slot of the component that the byte is in.
    #[inline]
    pub fn component_of(&self, id: ByteId) -> Option<u32> {
        let slot = self.bytes.get(id.0 as usize)?.component;
        slot.checked_sub(1)
    }

    /// The component in a slot.
    pub fn component(&self, slot: u32) -> Option<&Component> {
        self.components.get(slot as usize)?.as_deref()
    }

    /// All components, by slot.
    pub fn components(&self) -> impl Iterator<Item = &Component> {
        self.components.iter().filter_map(|(_, c)| c.as_deref())
    }

    /// All bytes that have conditions of their own.
    pub fn narrowed_bytes(&self) -> impl Iterator<Item = ByteId> + '_ {
        let narrowed = self.bytes.iter().filter(|(_, b)| b.domain != ByteSet::FULL);
        narrowed.map(|(i, _)| ByteId(i as u32))
    }

    /// Appends a condition without any conclusion from it. The path must not be used in questions afterwards.
    pub fn list(&mut self, cond: Term, mark: u32) {
        self.given.push((cond, mark));
        self.len += 1;
    }

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

    /// Records that a term on several bytes has one value under the assumptions.
    pub(crate) fn note_value(&mut self, id: ByteId, t: Term, value: u64) {
        if let Some(slot) = self.component_of(id)
            && let Some(component) = self.components.get_mut(slot as usize)
        {
            Rc::make_mut(component).note_value(t, value);
        }
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

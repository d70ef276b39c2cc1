//! Path conditions: the assumptions of a state, sorted so that a question looks only at conditions that concern it. The
//! engine keeps one for each state; all layers of the solver read it.

use std::cell::RefCell;
use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Term};

use crate::component::Component;
use crate::lookup::Lookup;
use crate::models::Joined;
use crate::persistent::{Chunked, List};

/// All conditions of a path. A clone shares everything.
///
/// Conjunctions are split. A condition on a single byte narrows the exact set of that byte's values; the
/// others are *relational*, and bytes that are linked by relational conditions form a *component*.
#[derive(Clone, Default)]
pub struct PathCondition {
    pub(crate) given: Given,
    pub(crate) len: usize,
    /// True if a contradiction was seen without a search: a byte without a value, no row left, or a false constant.
    pub(crate) contradictory: bool,
    pub(crate) bytes: Chunked<ByteInfo>,
    pub(crate) components: Chunked<Option<Rc<Component>>>,
    pub(crate) slots: u32,
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
pub(crate) struct ByteInfo {
    pub(crate) domain: ByteSet,
    pub(crate) conditions: List<Term>,
    /// The component's slot plus one; 0 for none.
    pub(crate) component: u32,
}

impl Default for ByteInfo {
    fn default() -> Self {
        ByteInfo { domain: ByteSet::FULL, conditions: List::default(), component: 0 }
    }
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

    /// Records that a term on several bytes has one value under the assumptions.
    pub(crate) fn note_value(&mut self, id: ByteId, t: Term, value: u64) {
        if let Some(slot) = self.component_of(id)
            && let Some(component) = self.components.get_mut(slot as usize)
        {
            Rc::make_mut(component).note_value(t, value);
        }
    }
}

//! The slice of a question: its conjuncts, and the part of the path condition that shares bytes with them, directly or
//! through other conditions. The pipeline fills it in stages; the layers read it.

use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};
use cleave_path::{List, Part, PathCondition, Relation, conjuncts, filter_bit};

use crate::backends::backend::Conflict;

/// A question and its slice of the path condition. It is refilled for each question, so that its vectors keep their
/// room.
#[derive(Default)]
pub(crate) struct Slice {
    /// The question's conjuncts on several bytes.
    pub(crate) asked: Vec<Relation>,
    /// Bytes that the question's conjuncts narrow by themselves, with the values left to them.
    pub(crate) narrowed: Vec<(ByteId, ByteSet)>,
    /// All bytes of the slice, in the order of their ids, once `gather` was called; before, those that no condition links.
    pub(crate) bytes: Vec<ByteId>,
    /// The path's relational conditions of the slice.
    pub(crate) relations: Vec<Relation>,
    /// Slots of the components that are linked to the question.
    pub(crate) slots: Vec<u32>,
    /// True if the question has a conjunct that never holds.
    pub(crate) impossible: bool,
    /// True if the facts of the path refuted the question: they do not say which conditions are to blame.
    pub(crate) blames_all: bool,
}

impl Slice {
    /// Splits the question, the conjunction of `conds`, and empties the rest of the slice.
    pub(crate) fn begin(&mut self, terms: &mut Terms, pc: &PathCondition, conds: &[Term]) {
        self.asked.clear();
        self.narrowed.clear();
        self.bytes.clear();
        self.relations.clear();
        self.slots.clear();
        self.impossible = false;
        self.blames_all = false;
        for &cond in conds {
            self.split(terms, pc, cond);
        }
    }

    fn split(&mut self, terms: &mut Terms, pc: &PathCondition, cond: Term) {
        conjuncts(terms, cond, |terms, part| match part {
            Part::Byte(id, set, _) => match self.narrowed.iter_mut().find(|n| n.0 == id) {
                Some(n) => n.1 = n.1.intersect(&set),
                None => self.narrowed.push((id, pc.domain(id).intersect(&set))),
            },
            Part::Relation(term) => {
                let bytes = terms.bytes_of(term).iter().fold(0, |f, &b| f | filter_bit(b));
                self.asked.push(Relation { term, bytes });
            }
            Part::False => self.impossible = true,
        });
    }

    /// Finds the components that the question is linked to.
    pub(crate) fn link(&mut self, terms: &mut Terms, pc: &PathCondition) {
        for i in 0..self.narrowed.len() {
            self.include(pc, self.narrowed[i].0);
        }
        for i in 0..self.asked.len() {
            for &b in terms.bytes_of(self.asked[i].term).iter() {
                self.include(pc, b);
            }
        }
    }

    /// Gathers all bytes and conditions of the linked components, after `link`; with `whole` those of the whole path.
    pub(crate) fn gather(&mut self, pc: &PathCondition, whole: bool) {
        for i in 0..self.slots.len() {
            if let Some(c) = pc.component(self.slots[i]) {
                self.bytes.extend(c.bytes.iter());
                self.relations.extend(c.relations.iter());
            }
        }
        if whole {
            self.relations.clear();
            self.bytes.extend(pc.narrowed_bytes());
            for c in pc.components() {
                self.bytes.extend(c.bytes.iter());
                self.relations.extend(c.relations.iter());
            }
        }
        self.bytes.sort_unstable();
        self.bytes.dedup();
    }

    /// The conditions of each linked component, the last assumed first.
    pub(crate) fn lists(&self, pc: &PathCondition) -> Vec<List<Relation>> {
        self.slots.iter().filter_map(|slot| pc.component(*slot)).map(|c| c.relations.clone()).collect()
    }

    fn include(&mut self, pc: &PathCondition, id: ByteId) {
        match pc.component_of(id) {
            None => self.bytes.push(id),
            Some(slot) if !self.slots.contains(&slot) => self.slots.push(slot),
            Some(_) => {}
        }
    }

    /// The values that are left to a byte by the path and by the question's conjuncts on it alone.
    pub(crate) fn domain(&self, pc: &PathCondition, id: ByteId) -> ByteSet {
        match self.narrowed.iter().find(|n| n.0 == id) {
            Some(n) => n.1,
            None => pc.domain(id),
        }
    }

    /// All bytes of the slice with their values; see [`Slice::domain`].
    pub(crate) fn domains(&self, pc: &PathCondition) -> Vec<(ByteId, ByteSet)> {
        self.bytes.iter().map(|&id| (id, self.domain(pc, id))).collect()
    }

    /// Returns true if all conditions of the slice, and the question, hold under `w`, which differs from a witness of
    /// the path only in bytes whose filter bits are in `changed`, and keeps every byte in its domain.
    pub(crate) fn holds(&self, terms: &mut Terms, w: &Witness, changed: u64) -> bool {
        self.asked.iter().all(|r| terms.holds(r.term, w))
            && self.relations.iter().all(|r| r.bytes & changed == 0 || terms.holds(r.term, w))
    }

    /// The path's conditions that conflict with the question `conds`, given a conflict of a back end's query or of a
    /// core.
    pub(crate) fn blamed(&self, pc: &PathCondition, conds: &[Term], conflict: &Conflict) -> Vec<Term> {
        let mut blamed: Vec<Term> = Vec::with_capacity(conflict.conditions.len());
        let of_path = |c: &&Term| self.asked.iter().all(|r| r.term != **c) && !conds.contains(c);
        blamed.extend(conflict.conditions.iter().filter(of_path));
        for &(id, _) in &conflict.domains {
            blamed.extend(pc.byte_conditions(id));
        }
        blamed
    }
}

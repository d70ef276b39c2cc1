//! Components of a path: bytes and the conditions that link them. The path condition keeps them; the slice and the
//! layers read them.

use cleave_expr::{ByteId, Term, Terms};

use crate::facts::Facts;
use crate::models::Models;
use crate::persistent::List;
use crate::policy::{facts, listing};

/// A relational condition with a filter of its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// The condition.
    pub term: Term,
    /// Bit `i` is set if a byte whose id is `i` modulo 64 is among its bytes.
    pub bytes: u64,
}

/// Bytes and the conditions that link them.
#[derive(Clone)]
pub struct Component {
    /// The bytes, each once.
    pub bytes: List<ByteId>,
    /// Number of bytes.
    pub size: usize,
    /// The conditions, the last assumed first.
    pub relations: List<Relation>,
    /// Number of conditions.
    pub count: usize,
    /// Number of conditions in which a deep one counts several times: see [`weight`].
    pub(crate) weight: usize,
    /// Terms on these bytes that have one value under the assumptions.
    pub(crate) values: List<(Term, u64)>,
    /// The enumerated models of these bytes under all assumptions, if they are listed.
    pub(crate) models: Option<Models>,
    /// Facts that say as much as all conditions and values, if there are many and no models are listed.
    pub(crate) facts: Option<Facts>,
    /// Value of `weight` at which the models are listed next.
    pub(crate) due: usize,
}

impl Component {
    /// A component without bytes and conditions.
    pub(crate) fn new() -> Component {
        Component {
            bytes: List::default(),
            size: 0,
            relations: List::default(),
            count: 0,
            weight: 0,
            values: List::default(),
            models: None,
            facts: None,
            due: listing::LEAST_WEIGHT,
        }
    }

    /// The bytes in the order of their ids.
    pub(crate) fn sorted_bytes(&self) -> Vec<ByteId> {
        let mut bytes: Vec<ByteId> = self.bytes.iter().copied().collect();
        bytes.sort_unstable();
        bytes
    }

    /// Adds a condition.
    pub(crate) fn relate(&mut self, terms: &mut Terms, relation: Relation) {
        self.relations.push(relation);
        self.count += 1;
        self.weight += weight(terms, relation.term);
        if let Some(facts) = &mut self.facts {
            facts.add(terms, relation.term);
        }
    }

    /// Records that a term has one value.
    pub(crate) fn note_value(&mut self, t: Term, value: u64) {
        self.values.push((t, value));
        if let Some(facts) = &mut self.facts {
            facts.note_value(t, value);
        }
    }

    /// Makes or drops the facts; called after each new condition. Only components with many conditions and without
    /// listed models have facts.
    pub(crate) fn keep_facts(&mut self, terms: &mut Terms) {
        if self.models.is_some() || self.count < facts::LEAST {
            self.facts = None;
        } else if self.facts.is_none() {
            let mut conditions: Vec<Term> = self.relations.iter().map(|r| r.term).collect();
            let mut values: Vec<(Term, u64)> = self.values.iter().copied().collect();
            conditions.reverse();
            values.reverse();
            self.facts = Some(Facts::of(terms, conditions, values));
        }
    }
}

/// Number of conditions as which one counts: a question on the result of many steps costs as much as many questions.
pub(crate) fn weight(terms: &Terms, cond: Term) -> usize {
    if terms.is_deep(cond) { (usize::from(terms.depth(cond)) / listing::DEPTH_OF_WEIGHT).max(1) } else { 1 }
}

/// The filter bit of a byte; see [`Relation`].
#[inline]
pub fn filter_bit(id: ByteId) -> u64 {
    1 << (id.0 % 64)
}

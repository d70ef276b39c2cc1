//! Conditions that link bytes, and the bytes that they link.

use cleave_expr::{ByteId, Term, Terms};

use crate::facts::{self, Facts};
use crate::live::Live;
use crate::persistent::List;

/// A relational condition with a filter of its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relation {
    pub(crate) term: Term,
    /// Bit `i` is set if a byte whose id is `i` modulo 64 is among its bytes.
    pub(crate) bytes: u64,
}

/// Bytes and the conditions that link them.
#[derive(Clone)]
pub(crate) struct Component {
    /// Each once.
    pub(crate) bytes: List<ByteId>,
    /// How many bytes.
    pub(crate) size: usize,
    pub(crate) relations: List<Relation>,
    pub(crate) count: usize,
    /// The same where deep ones count several times: see [`weight`].
    pub(crate) weight: usize,
    /// Terms on these bytes that have one value, by what is assumed.
    pub(crate) values: List<(Term, u64)>,
    /// The values of the bytes that all that was assumed leaves, if they are listed.
    pub(crate) live: Option<Live>,
    /// The same as all conditions and values say, where they are many and not listed.
    pub(crate) facts: Option<Facts>,
    /// With conditions of so much weight they are to be listed.
    pub(crate) due: usize,
}

impl Component {
    /// Nothing links anything.
    pub(crate) fn new() -> Component {
        Component {
            bytes: List::default(),
            size: 0,
            relations: List::default(),
            count: 0,
            weight: 0,
            values: List::default(),
            live: None,
            facts: None,
            due: crate::live::FEWEST,
        }
    }

    /// Its bytes in the order of their ids.
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

    /// Notes that a term has one value.
    pub(crate) fn note_value(&mut self, t: Term, value: u64) {
        self.values.push((t, value));
        if let Some(facts) = &mut self.facts {
            facts.note_value(t, value);
        }
    }

    /// To be called when a condition was added: facts are kept of many conditions, unless values are listed.
    pub(crate) fn keep_facts(&mut self, terms: &mut Terms) {
        if self.live.is_some() || self.count < facts::FEWEST {
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

/// Conditions that are not deep weigh as one, and deep ones as one for so many steps of arithmetic; of more than 255 for those.
const DEPTH_OF_ONE: usize = 4;

/// As how many conditions one counts: to answer a question on what was computed in many steps costs as much as many questions.
pub(crate) fn weight(terms: &Terms, cond: Term) -> usize {
    if terms.is_deep(cond) { (usize::from(terms.depth(cond)) / DEPTH_OF_ONE).max(1) } else { 1 }
}

/// The filter bit of a byte; see [`Relation`].
#[inline]
pub(crate) fn filter_bit(id: ByteId) -> u64 {
    1 << (id.0 % 64)
}

//! Conditions that link bytes, and the bytes that they link.

use std::rc::Rc;

use cleave_expr::{ByteId, Term, Terms};

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
    /// In the order of their ids.
    pub(crate) bytes: Rc<[ByteId]>,
    pub(crate) relations: List<Relation>,
    pub(crate) count: usize,
    /// The same where deep ones count several times: see [`weight`].
    pub(crate) weight: usize,
    /// Terms on these bytes that have one value, by what is assumed.
    pub(crate) values: List<(Term, u64)>,
    /// The values of the bytes that all that was assumed leaves, if they are listed.
    pub(crate) live: Option<Live>,
    /// With conditions of so much weight they are to be listed.
    pub(crate) due: usize,
}

impl Component {
    /// Nothing links anything.
    pub(crate) fn new() -> Component {
        Component {
            bytes: Rc::from([]),
            relations: List::default(),
            count: 0,
            weight: 0,
            values: List::default(),
            live: None,
            due: crate::live::FEWEST,
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

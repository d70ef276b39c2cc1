//! Local changes of a witness that make a question true.

use cleave_expr::{ByteSet, Terms, Witness};

use crate::path::{PathCondition, filter_bit};
use crate::slice::Slice;

/// At most this many values of a byte are tried.
const VALUES: usize = 16;

/// Room for the layer's work.
#[derive(Default)]
pub(crate) struct Patcher {}

/// Printable ASCII: tests are read by people.
const PRINTABLE: ByteSet = ByteSet([0xFFFF_FFFF_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0, 0]);

/// The value to choose from a set: `now` if it is in it, or a printable one, or the least.
pub(crate) fn preferred(set: &ByteSet, now: u8) -> u8 {
    if set.contains(now) {
        return now;
    }
    set.intersect(&PRINTABLE).first().or_else(|| set.first()).unwrap_or(now)
}

impl Patcher {
    /// Where the question concerns one byte that other conditions contain: values of its set, one by one.
    pub(crate) fn by_values(
        &mut self,
        terms: &mut Terms,
        _pc: &PathCondition,
        slice: &Slice,
        near: &Witness,
    ) -> Option<Witness> {
        let [(id, set)] = slice.narrowed[..] else { return None };
        if !slice.asked.is_empty() {
            return None;
        }
        let step = (set.len() as usize).div_ceil(VALUES).max(1);
        let first = preferred(&set, near.get(id));
        for v in std::iter::once(first).chain(set.iter().step_by(step)) {
            let w = terms.patched(near, [(id, v)]);
            if slice.holds(terms, &w, filter_bit(id)) {
                return Some(w);
            }
        }
        None
    }

    /// Changes that make the question true by construction, checked against the slice.
    pub(crate) fn patch(
        &mut self,
        _: &mut Terms,
        _: &PathCondition,
        _: &Slice,
        _: &Witness,
    ) -> Option<Witness> {
        None
    }
}

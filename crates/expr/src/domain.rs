//! Exact sets of the values of one byte for which a condition holds.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::byteset::{ByteSet, LANES};
use crate::term::{Support, Term};
use crate::terms::Terms;
use crate::witness::Witness;

/// With more terms below it than this, a condition is looked at value by value.
const MOST_TERMS: usize = 1 << 15;

impl Terms {
    /// The values of its one input byte for which the one-bit term `t` holds; `None` if it depends on no byte,
    /// on several, or is no condition.
    pub fn byte_set(&mut self, t: Term) -> Option<Rc<ByteSet>> {
        if !matches!(self.support(t), Support::One(_)) || self.width(t) != 1 {
            return None;
        }
        if let Some(set) = self.byte_sets.get(&t) {
            return Some(set.clone());
        }
        let set = Rc::new(self.compute_byte_set(t));
        self.byte_sets.insert(t, set.clone());
        Some(set)
    }

    fn compute_byte_set(&mut self, t: Term) -> ByteSet {
        let Some(below) = self.below(&[t], MOST_TERMS) else { return self.byte_set_by_values(t) };
        let wide = below.iter().any(|(node, _)| self.width(*node) > 64);
        // 64 values at a time: the columns of thousands of terms stay in the processor's cache.
        let words: [u64; 4] = std::array::from_fn(|i| {
            let first = i * LANES;
            if wide { self.wide_columns(&below, first) } else { self.columns(&below, first) }
        });
        ByteSet(words)
    }

    /// These terms and all below them in rising order, each with the places of its operands; `None` if there are more
    /// than `most`.
    pub(crate) fn below(&self, tops: &[Term], most: usize) -> Option<Vec<(Term, [u32; 3])>> {
        let mut order = Vec::new();
        let mut seen: FxHashMap<Term, u32> = FxHashMap::default();
        for &top in tops {
            if seen.insert(top, 0).is_none() {
                order.push(top);
            }
        }
        let mut next = 0;
        while next < order.len() {
            let node = order[next];
            next += 1;
            if order.len() > most {
                return None;
            }
            for child in self.children(node) {
                if seen.insert(child, 0).is_none() {
                    order.push(child);
                }
            }
        }
        // Operands are older than what is made of them.
        order.sort_unstable();
        let mut below = Vec::with_capacity(order.len());
        for (place, &node) in order.iter().enumerate() {
            let mut operands = [0; 3];
            for (operand, child) in operands.iter_mut().zip(self.children(node)) {
                *operand = seen[&child];
            }
            seen.insert(node, place as u32);
            below.push((node, operands));
        }
        Some(below)
    }

    /// For which of the 64 values of the byte from `first` on the last of these terms holds.
    fn columns(&self, below: &[(Term, [u32; 3])], first: usize) -> u64 {
        let mut columns: Vec<[u64; LANES]> = Vec::with_capacity(below.len());
        const ZERO: [u64; LANES] = [0; LANES];
        for (node, operands) in below {
            let mut out = ZERO;
            let column = |i: u32| columns.get(i as usize).unwrap_or(&ZERO);
            self.eval_columns(*node, first, operands.map(column), &mut out);
            columns.push(out);
        }
        columns.last().map_or(0, |last| last.iter().rev().fold(0, |set, x| set << 1 | (x & 1)))
    }

    /// [`Terms::columns`] where some terms have more than 64 bits.
    fn wide_columns(&self, below: &[(Term, [u32; 3])], first: usize) -> u64 {
        let mut columns: Vec<[u128; LANES]> = Vec::with_capacity(below.len());
        const ZERO: [u128; LANES] = [0; LANES];
        for (node, operands) in below {
            let mut out = ZERO;
            let column = |i: u32| columns.get(i as usize).unwrap_or(&ZERO);
            self.eval_wide_columns(*node, first, operands.map(column), &mut out);
            columns.push(out);
        }
        columns.last().map_or(0, |last| last.iter().rev().fold(0, |set, x| set << 1 | (*x as u64 & 1)))
    }

    fn byte_set_by_values(&mut self, t: Term) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        let Support::One(id) = self.support(t) else { return set };
        let nothing: Witness = self.witness(&[]);
        for v in 0..=255u8 {
            let w = self.patched(&nothing, [(id, v)]);
            if self.holds(t, &w) {
                set.insert(v);
            }
        }
        set
    }
}

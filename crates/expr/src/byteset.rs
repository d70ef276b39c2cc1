//! Exact sets of the values of one byte.

use std::rc::Rc;

use crate::terms::{Support, Term, Terms};
use crate::witness::Witness;

/// A set of byte values, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByteSet(pub [u64; 4]);

impl ByteSet {
    /// All 256 values.
    pub const FULL: ByteSet = ByteSet([u64::MAX; 4]);
    /// No value.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);

    /// Whether `v` is in the set.
    #[inline]
    pub fn contains(&self, v: u8) -> bool {
        self.0[v as usize / 64] >> (v % 64) & 1 != 0
    }
    /// Adds `v`.
    #[inline]
    pub fn insert(&mut self, v: u8) {
        self.0[v as usize / 64] |= 1 << (v % 64);
    }
    /// The values in both.
    #[inline]
    pub fn intersect(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
    /// The values not in it.
    #[inline]
    pub fn complement(&self) -> ByteSet {
        ByteSet(self.0.map(|x| !x))
    }
    /// Whether it has no value.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }
    /// How many values it has.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|x| x.count_ones()).sum()
    }
    /// The values, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255u8).filter(|&v| self.contains(v))
    }
    /// The least value.
    pub fn first(&self) -> Option<u8> {
        let i = self.0.iter().position(|&x| x != 0)?;
        Some((i as u32 * 64 + self.0[i].trailing_zeros()) as u8)
    }
}

impl Terms {
    /// The values of its one input byte for which the one-bit term `t` holds; `None` if it depends on no byte,
    /// on several, or goes through terms of more than 64 bits.
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
        let Some(order) = self.small_order(t) else { return self.byte_set_by_values(t) };
        let mut columns: Vec<[u64; 256]> = Vec::with_capacity(order.len());
        const ZERO: [u64; 256] = [0; 256];
        for &node in &order {
            let mut out = ZERO;
            let mut operands = [&ZERO, &ZERO, &ZERO];
            for (slot, child) in operands.iter_mut().zip(self.children(node)) {
                let i = order.binary_search(&child).expect("operands are in the order before their users");
                *slot = &columns[i];
            }
            self.eval_columns(node, operands[0], operands[1], operands[2], &mut out);
            columns.push(out);
        }
        let mut set = ByteSet::EMPTY;
        if let Some(last) = columns.last() {
            for (v, &x) in last.iter().enumerate() {
                set.0[v / 64] |= (x & 1) << (v % 64);
            }
        }
        set
    }

    /// All terms below `t`, rising; `None` if some are wide or there are very many.
    fn small_order(&self, t: Term) -> Option<Vec<Term>> {
        let mut order = vec![t];
        let mut next = 0;
        while next < order.len() {
            let node = order[next];
            next += 1;
            if self.width(node) > 64 || order.len() > 400 {
                return None;
            }
            for child in self.children(node) {
                if !order.contains(&child) {
                    order.push(child);
                }
            }
        }
        order.sort_unstable();
        Some(order)
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

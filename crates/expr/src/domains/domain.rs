//! Exact sets of the values of one byte for which a condition holds, cached by condition. The solver calls it for conditions on
//! one byte.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::domains::byteset::{ByteSet, LANES};
use crate::evaluation::lane_eval::asked;
use crate::evaluation::lanes::{Value, holding, of_kind};
use crate::evaluation::rows::Table;
use crate::policy::vectors;
use crate::store::term::{ByteId, Node, Support, Term};
use crate::store::terms::Terms;
use crate::store::witness::Witness;

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
        let Some(below) = self.below(&[t], vectors::EVALUATED_WHOLE) else {
            return self.byte_set_by_table(t);
        };
        let width = self.widest(below.iter().map(|(node, _)| *node));
        of_kind!(width, V => self.set_of_columns::<V>(&below))
    }

    fn byte_set_by_table(&mut self, t: Term) -> ByteSet {
        let Support::One(id) = self.support(t) else { return ByteSet::EMPTY };
        let words = self.with_byte_table(id, |terms, table| terms.rows_where(t, table));
        debug_assert!(words.is_some(), "all of the term is on this byte, and nothing limits the work");
        let words = words.unwrap_or_default();
        ByteSet(std::array::from_fn(|i| words.get(i).copied().unwrap_or(0)))
    }

    /// A term on one byte as the entry of a table of 256 values at that byte; terms built from the result contain none of the
    /// terms below `t`. `None` if `t` is not on one byte.
    pub fn by_byte(&mut self, t: Term) -> Option<Term> {
        let Support::One(id) = self.support(t) else { return None };
        self.with_byte_table(id, |terms, table| terms.by_row(t, table, &[u64::MAX; 256 / LANES], 256))
    }

    /// Calls `look` with the table of all values of a byte and its cached value vectors.
    fn with_byte_table<T>(&mut self, id: ByteId, look: impl FnOnce(&mut Terms, &mut Table) -> T) -> T {
        let table = match self.byte_tables.get(&id) {
            Some(table) => table.clone(),
            None => {
                let table = self.shared(Table::new(&[id], (0..=u8::MAX).collect()));
                self.byte_tables.insert(id, table.clone());
                table
            }
        };
        let found = look(self, &mut table.borrow_mut());
        self.fit_tables();
        found
    }

    /// These terms and all below them in rising order, each with the indices of its operands in this order; `None` if
    /// there are more than `most`.
    pub fn below(&self, tops: &[Term], most: usize) -> Option<Vec<(Term, [u32; 3])>> {
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
        // Operands are older than the terms made of them.
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

    /// The values of a byte with which all of `conds` (one bit each) hold, all other bytes being as in `near`. `None` if there
    /// are more than `most` terms below the conditions.
    pub fn values_with(&self, conds: &[Term], byte: ByteId, near: &Witness, most: usize) -> Option<ByteSet> {
        let below = self.below(conds, most)?;
        let width = self.widest(below.iter().map(|(node, _)| *node));
        Some(of_kind!(width, V => self.values_in::<V>(&below, &asked(&below, conds), byte, near)))
    }

    fn values_in<V: Value>(
        &self,
        below: &[(Term, [u32; 3])],
        asked: &[bool],
        byte: ByteId,
        near: &Witness,
    ) -> ByteSet {
        let mut columns = V::room(below.len());
        let words = std::array::from_fn(|word| {
            let mut left = u64::MAX;
            for (place, (node, operands)) in below.iter().enumerate() {
                let (before, rest) = columns.split_at_mut(place);
                let Some(out) = rest.first_mut() else { break };
                match self.node(*node) {
                    Node::Byte(id) if id != byte => out.fill(V::from_wide(near.get(id).into())),
                    _ => {
                        let operand = |i: u32| before.get(i as usize).unwrap_or(V::ZEROS);
                        self.eval_columns(*node, word * LANES, operands.map(operand), out);
                    }
                }
                if asked[place] {
                    left &= holding(out);
                }
            }
            left
        });
        V::give_back(columns);
        ByteSet(words)
    }

    /// The values of the byte for which the last of these terms holds.
    fn set_of_columns<V: Value>(&self, below: &[(Term, [u32; 3])]) -> ByteSet {
        let mut columns = V::room(below.len());
        // 64 values at a time: the columns of thousands of terms stay in the processor's cache.
        let words = std::array::from_fn(|i| {
            for (place, (node, operands)) in below.iter().enumerate() {
                let (before, rest) = columns.split_at_mut(place);
                let Some(out) = rest.first_mut() else { break };
                let operand = |i: u32| before.get(i as usize).unwrap_or(V::ZEROS);
                self.eval_columns(*node, i * LANES, operands.map(operand), out);
            }
            below.len().checked_sub(1).map_or(0, |last| holding(&columns[last]))
        });
        V::give_back(columns);
        ByteSet(words)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::term::BinaryOp;

    use super::*;

    #[test]
    fn sets_of_conditions_on_large_terms_are_those_of_all_values() {
        let mut terms = Terms::default();
        let (id, byte) = (terms.byte_id(0, 3), terms.byte(0, 3));
        let mut sum = terms.zext(byte, 64);
        let nothing = terms.witness(&[]);
        let mut sets = 0;
        for step in 0..300u64 {
            let odd = terms.constant_of(64, u128::from(step.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1));
            let product = terms.binary(BinaryOp::Mul, sum, odd);
            // Some steps go through a wider term.
            let wide = terms.zext(product, 100);
            let shift = terms.constant_of(100, 29);
            let shifted = terms.binary(BinaryOp::LShr, wide, shift);
            let part = if step % 7 == 0 { terms.extract(shifted, 0, 64) } else { product };
            sum = terms.binary(BinaryOp::Xor, part, sum);
            let limit = terms.constant_of(64, u128::from(u64::MAX / 3));
            let cond = terms.binary(BinaryOp::Ult, sum, limit);
            if step % 50 == 0 {
                let entry = terms.by_byte(sum).expect("on one byte");
                assert!(terms.depth(entry) <= 1 && terms.depth(sum) as u64 >= step.min(255));
                for value in 0..=u8::MAX {
                    let w = terms.patched(&nothing, [(id, value)]);
                    assert_eq!(terms.eval(entry, &w), terms.eval(sum, &w), "{step} {value}");
                }
            }
            // The first terms are less than the limit for all values of the byte.
            let Some(set) = terms.byte_set(cond) else { continue };
            sets += 1;
            for value in 0..=u8::MAX {
                let w = terms.patched(&nothing, [(id, value)]);
                assert_eq!(set.contains(value), terms.holds(cond, &w), "{step} {value}");
            }
        }
        assert!(sets > 290 && terms.tables_held().0 > 0);
        let other = terms.byte(0, 4);
        let other = terms.zext(other, 64);
        let both = terms.add(sum, other);
        assert_eq!(terms.by_byte(both), None);
    }

    #[test]
    fn what_is_chosen_out_of_choices_is_deep_on_one_byte_and_its_entry_is_what_it_is() {
        let mut terms = Terms::default();
        let (id, byte) = (terms.byte_id(0, 3), terms.byte(0, 3));
        let mut chosen = terms.zext(byte, 32);
        let mut whole = [false; 2];
        for step in 0..200u32 {
            let bit = terms.extract(byte, step % 8, 1);
            let other = terms.constant_of(32, u128::from(step.wrapping_mul(0x9E37_79B9)));
            let turned = terms.binary(BinaryOp::Xor, chosen, other);
            let (low, high) = (terms.extract(turned, 0, 13), terms.extract(turned, 13, 19));
            let turned = terms.concat(low, high);
            chosen = terms.ite(bit, turned, chosen);
            whole[usize::from(terms.is_deep(chosen))] = true;
        }
        assert_eq!((whole, terms.depth(chosen)), ([true; 2], 0));
        let entry = terms.by_byte(chosen).expect("on one byte");
        assert!(!terms.is_deep(entry));
        let nothing = terms.witness(&[]);
        for value in 0..=u8::MAX {
            let w = terms.patched(&nothing, [(id, value)]);
            assert_eq!(terms.eval(entry, &w), terms.eval(chosen, &w), "{value}");
        }
        // The same of two bytes is not.
        let other = terms.byte(0, 4);
        let other = terms.zext(other, 32);
        let both = terms.binary(BinaryOp::Xor, chosen, other);
        assert!(terms.is_deep(chosen) && !terms.is_deep(both));
    }

    /// `10 * a + b` for two bytes, in 32 bits.
    fn number(terms: &mut Terms) -> (ByteId, ByteId, Term) {
        let (a, b) = (terms.byte_id(0, 0), terms.byte_id(0, 1));
        let [x, y] = [0, 1].map(|i| {
            let byte = terms.byte(0, i);
            terms.zext(byte, 32)
        });
        let ten = terms.constant_of(32, 10);
        let x = terms.binary(BinaryOp::Mul, x, ten);
        (a, b, terms.binary(BinaryOp::Add, x, y))
    }

    #[test]
    fn the_values_of_a_byte_are_those_with_which_all_holds() {
        let mut terms = Terms::default();
        let (a, b, n) = number(&mut terms);
        let near = terms.witness(&[]);
        let near = terms.patched(&near, [(a, b'4')]);
        let (low, high) = (terms.constant_of(32, 528 + 45), terms.constant_of(32, 528 + 60));
        let at_least = terms.ule(low, n);
        let below = terms.ult(n, high);
        let wide = terms.zext(n, 100);
        let other = terms.constant_of(100, 528 + 50);
        let other = terms.ne(wide, other);
        for conds in [&[at_least, below][..], &[at_least, below, other]] {
            for (id, other) in [(a, b), (b, a)] {
                let set = terms.values_with(conds, id, &near, 1000).unwrap();
                for value in 0..=255u8 {
                    let witness = terms.patched(&near, [(id, value)]);
                    let holds = conds.iter().all(|&cond| terms.holds(cond, &witness));
                    assert_eq!(set.contains(value), holds, "{value} {other:?}");
                }
            }
        }
        assert_eq!(terms.values_with(&[at_least], a, &near, 2), None);
    }
}

//! Evaluation of terms for 64 inputs at once, a SIMD lane each. Byte sets, tables, and the searches of `cleave-assignments` call it.

use rustc_hash::FxHashSet;

use crate::domains::byteset::LANES;
use crate::evaluation::entries::{Entries, of_all};
use crate::evaluation::lanes::Value;
use crate::evaluation::semantics::{mask, mask64};
use crate::store::term::{Node, Term};
use crate::store::terms::Terms;

/// For each of these terms: true if it is one of the conditions.
pub fn asked(below: &[(Term, [u32; 3])], conds: &[Term]) -> Vec<bool> {
    let conds: FxHashSet<Term> = conds.iter().copied().collect();
    below.iter().map(|(node, _)| conds.contains(node)).collect()
}

impl Terms {
    /// The greatest width of some terms, in bits.
    pub fn widest(&self, terms: impl IntoIterator<Item = Term>) -> u8 {
        terms.into_iter().map(|t| self.width(t)).max().unwrap_or(0)
    }

    /// As [`Terms::eval_columns`] for the next 64 inputs, but only if some operand was evaluated after the node; returns true if
    /// so. `values` and `made_for` (the step at which each was evaluated) are indexed by the operands' places; `since` is the
    /// step of the node's values, 0 if it has none.
    #[inline(always)]
    pub fn eval_anew<V: Value>(
        &self,
        (node, operands): (Term, [u32; 3]),
        (values, made_for): (&[[V; LANES]], &[usize]),
        since: usize,
        out: &mut [V; LANES],
    ) -> bool {
        let newer = |&i: &u32| made_for.get(i as usize).is_some_and(|&at| at > since);
        let anew = since == 0 || operands.iter().any(newer);
        if anew {
            let operand = |i: u32| values.get(i as usize).unwrap_or(V::ZEROS);
            self.eval_columns(node, 0, operands.map(operand), out);
        }
        anew
    }

    /// The values of a node for 64 inputs, from its operands' values. Those of a byte are `first` and the numbers that follow it.
    /// `V` must hold the node's values and its operands'.
    pub fn eval_columns<V: Value>(
        &self,
        t: Term,
        first: usize,
        [a, b, c]: [&[V; LANES]; 3],
        out: &mut [V; LANES],
    ) {
        self.count(1, 0);
        let width = self.width(t);
        let m = V::from_wide(mask(width));
        match self.node(t) {
            Node::Const(_) | Node::WideConst(_) => out.fill(V::from_wide(self.constant(t).unwrap_or(0))),
            Node::Byte(_) => {
                for (i, o) in out.iter_mut().enumerate() {
                    *o = V::from_wide((first + i) as u128);
                }
            }
            Node::Not(_) => {
                for (o, x) in out.iter_mut().zip(a) {
                    *o = !*x & m;
                }
            }
            Node::Binary(op, ta, tb) => {
                V::binary(op, [self.width(ta), self.width(tb)], [a, b], out);
            }
            Node::Ite(..) => {
                for (i, o) in out.iter_mut().enumerate() {
                    *o = if a[i] != V::ZERO { b[i] } else { c[i] };
                }
            }
            Node::Extract(_, low) => {
                for (o, x) in out.iter_mut().zip(a) {
                    *o = *x >> low & m;
                }
            }
            Node::Zext(_) => *out = *a,
            Node::Sext(ta) => {
                let from = self.width(ta);
                for (o, x) in out.iter_mut().zip(a) {
                    *o = x.sign_extended(from) & m;
                }
            }
            Node::Table(id, _) => {
                of_all!(&self.tables[id.0 as usize].entries, entries => {
                    for (o, &x) in out.iter_mut().zip(a) {
                        let entry = usize::try_from(x.into()).ok().and_then(|i| entries.get(i));
                        *o = V::from_wide(entry.copied().unwrap_or(0).into());
                    }
                });
            }
            Node::Float(op, operand, ..) => {
                let from = self.width(operand);
                for (i, o) in out.iter_mut().enumerate() {
                    *o = V::from_wide(op.value(from, width, [a[i], b[i], c[i]].map(V::into)));
                }
            }
        }
    }

    /// The mask of the bits of a byte that a term uses which has the byte as an operand.
    pub fn seen_by(&self, t: Term) -> u8 {
        match self.node(t) {
            Node::Extract(_, low) if low < 8 => (mask64(self.width(t)) << low) as u8,
            _ => u8::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::evaluation::lanes::of_kind;
    use crate::store::term::BinaryOp;
    use crate::store::term::ByteId;

    /// Compares terms on two words made of two bytes, evaluated in each `Value` type that holds them, with their values under a
    /// witness.
    fn check(width: u8, values: &[[u8; 2]; LANES], constant: u128) {
        let mut terms = Terms::default();
        let ids = [0, 1].map(|i| terms.byte_id(0, i));
        let [a, b] = [0, 1].map(|i| terms.byte(0, i));
        let (narrow, part) = (width.min(8), width.min(5));
        let [x, y] = [a, b].map(|byte| {
            let low = terms.extract(byte, 0, narrow);
            terms.sext(low, width)
        });
        let constant = terms.constant_of(width, constant);
        let x = terms.binary(BinaryOp::Xor, x, constant);
        use BinaryOp::*;
        let mut all = Vec::new();
        for op in [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, Ult, Slt] {
            all.extend([terms.binary(op, x, y), terms.binary(op, y, x), terms.binary(op, x, constant)]);
        }
        let holds = terms.binary(Ult, y, x);
        all.extend([terms.not(x), terms.ite(holds, x, y), terms.extract(x, (width - part).into(), part)]);
        if let Some(wider) = width.checked_add(width).filter(|w| *w <= 128) {
            all.extend([terms.concat(x, y), terms.sext(x, wider), terms.zext(y, wider)]);
        }
        let nothing = terms.witness(&[]);
        for t in all {
            let below = terms.below(&[t], usize::MAX).unwrap();
            let widest = terms.widest(below.iter().map(|(node, _)| *node));
            let found: Vec<u128> = of_kind!(widest, V => columns::<V>(&terms, &below, &ids, values));
            for (row, found) in values.iter().zip(found) {
                let w = terms.patched(&nothing, ids.into_iter().zip(*row));
                assert_eq!(found, terms.eval_wide(t, &w), "{width} {row:?} {}", terms.text(t, 9));
            }
        }
    }

    fn columns<V: Value>(
        terms: &Terms,
        below: &[(Term, [u32; 3])],
        ids: &[ByteId; 2],
        values: &[[u8; 2]; LANES],
    ) -> Vec<u128> {
        let mut columns: Vec<[V; LANES]> = Vec::new();
        for (node, operands) in below {
            let mut out = [V::ZERO; LANES];
            match terms.node(*node) {
                Node::Byte(id) => {
                    let place = ids.iter().position(|i| *i == id).unwrap();
                    out = values.map(|row| V::from_wide(row[place].into()));
                }
                _ => {
                    let operand = |i: u32| columns.get(i as usize).unwrap_or(V::ZEROS);
                    terms.eval_columns(*node, 0, operands.map(operand), &mut out);
                }
            }
            columns.push(out);
        }
        columns.last().unwrap().map(V::into).to_vec()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn values_of_each_kind_are_those_under_a_witness(
            width in 1..=128u8,
            values in proptest::collection::vec(any::<[u8; 2]>(), LANES),
            constant in any::<u128>(),
        ) {
            let values = values.try_into().unwrap();
            check(width, &values, constant);
            for width in [1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128] {
                check(width, &values, constant);
            }
        }
    }
}

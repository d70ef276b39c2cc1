//! Values of terms for 64 inputs at once, each in as few bits as the widest of these terms takes: the processor works on twice as many of
//! half the size.

use std::cell::Cell;
use std::ops::{BitAnd, Not, Shr};

use crate::byteset::LANES;
use crate::semantics::{
    binary8, binary32, binary64, binary128, mask, sign_extend8, sign_extend32, sign_extend64, sign_extend128,
};
use crate::term::{BinaryOp, Node, Term};
use crate::terms::Terms;

/// A kind of values that terms are evaluated with.
pub(crate) trait Value:
    Copy + PartialEq + Into<u128> + Not<Output = Self> + BitAnd<Output = Self> + Shr<u32, Output = Self> + 'static
{
    const ZERO: Self;
    const ZEROS: &'static [Self; LANES];

    /// The lower bits of a value.
    fn from_wide(value: u128) -> Self;
    /// A value of `from` bits as a signed number; what is above the width that is wanted is to be cut off.
    fn sign_extended(self, from: u8) -> Self;
    /// As `binary64` for values of this kind. Which operator it is, is asked once: the compiler makes vector code of each loop.
    fn binary(op: BinaryOp, widths: [u8; 2], operands: [&[Self; LANES]; 2], out: &mut [Self; LANES]);
    /// Room for so many columns, of any values.
    fn room(columns: usize) -> Vec<[Self; LANES]>;
    /// Gives the room back.
    fn give_back(room: Vec<[Self; LANES]>);
}

/// So many columns of a kind are kept for the next question: at most four megabytes of a kind. To get them from the system anew, which fills them with
/// zeros, takes longer than most trials.
const ROOM: usize = 1 << 13;

macro_rules! values {
    ($($kind:ty, $binary:ident, $sign_extend:ident, $kept:ident, $room:expr;)*) => {$(
        thread_local! {
            static $kept: Cell<Vec<[$kind; LANES]>> = const { Cell::new(Vec::new()) };
        }

        impl Value for $kind {
            const ZERO: $kind = 0;
            const ZEROS: &'static [$kind; LANES] = &[0; LANES];

            #[inline(always)]
            fn from_wide(value: u128) -> $kind {
                value as $kind
            }

            #[inline(always)]
            fn sign_extended(self, from: u8) -> $kind {
                $sign_extend(self, from) as $kind
            }

            fn binary(
                op: BinaryOp,
                [w, wb]: [u8; 2],
                [a, b]: [&[$kind; LANES]; 2],
                out: &mut [$kind; LANES],
            ) {
                macro_rules! one_loop_each {
                    ($name:ident) => {
                        for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
                            *o = $binary(BinaryOp::$name, w, wb, x, y);
                        }
                    };
                }
                match op {
                    BinaryOp::Add => one_loop_each!(Add),
                    BinaryOp::Sub => one_loop_each!(Sub),
                    BinaryOp::Mul => one_loop_each!(Mul),
                    BinaryOp::UDiv => one_loop_each!(UDiv),
                    BinaryOp::SDiv => one_loop_each!(SDiv),
                    BinaryOp::URem => one_loop_each!(URem),
                    BinaryOp::SRem => one_loop_each!(SRem),
                    BinaryOp::And => one_loop_each!(And),
                    BinaryOp::Or => one_loop_each!(Or),
                    BinaryOp::Xor => one_loop_each!(Xor),
                    BinaryOp::Shl => one_loop_each!(Shl),
                    BinaryOp::LShr => one_loop_each!(LShr),
                    BinaryOp::AShr => one_loop_each!(AShr),
                    BinaryOp::Eq => one_loop_each!(Eq),
                    BinaryOp::Ult => one_loop_each!(Ult),
                    BinaryOp::Slt => one_loop_each!(Slt),
                    BinaryOp::Concat => one_loop_each!(Concat),
                }
            }

            fn room(columns: usize) -> Vec<[$kind; LANES]> {
                let mut room = $kept.take();
                if room.len() < columns {
                    room.resize(columns, [0; LANES]);
                }
                room
            }

            fn give_back(mut room: Vec<[$kind; LANES]>) {
                room.truncate($room);
                room.shrink_to($room);
                $kept.set(room);
            }
        }
    )*};
}

values! {
    u8, binary8, sign_extend8, KEPT8, ROOM;
    u32, binary32, sign_extend32, KEPT32, ROOM;
    u64, binary64, sign_extend64, KEPT64, ROOM;
    u128, binary128, sign_extend128, KEPT128, 0;
}

/// An expression for the kind of values `V` that all terms of at most this width are of.
macro_rules! of_kind {
    ($width:expr, $V:ident => $value:expr) => {
        match $width {
            0..=8 => {
                type $V = u8;
                $value
            }
            9..=32 => {
                type $V = u32;
                $value
            }
            33..=64 => {
                type $V = u64;
                $value
            }
            _ => {
                type $V = u128;
                $value
            }
        }
    };
}
pub(crate) use of_kind;

/// The lowest bits of eight bytes, the first one's lowest: the product moves each into the highest byte, and no two of them meet.
#[inline(always)]
fn lowest_bits(bytes: [u8; 8]) -> u64 {
    (u64::from_le_bytes(bytes) & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// For which of some inputs, at most 64, a term of one bit holds: a bit for each, the first one's lowest.
#[inline]
pub(crate) fn holding<V: Value>(values: &[V]) -> u64 {
    let mut low = [0; LANES];
    low.iter_mut().zip(values).for_each(|(low, v)| *low = (*v).into() as u8);
    low.as_chunks().0.iter().rev().fold(0, |set, eight| set << 8 | lowest_bits(*eight))
}

impl Terms {
    /// The width of the widest of some terms.
    pub(crate) fn widest(&self, terms: impl IntoIterator<Item = Term>) -> u8 {
        terms.into_iter().map(|t| self.width(t)).max().unwrap_or(0)
    }

    /// The values of a node for 64 inputs, of its operands' values. Of a byte these are `first` and those that follow it. The kind has
    /// room for the node's values and for its operands'.
    pub(crate) fn eval_columns<V: Value>(
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
                let entries = &self.tables[id.0 as usize].entries;
                for (o, &x) in out.iter_mut().zip(a) {
                    let entry = usize::try_from(x.into()).ok().and_then(|i| entries.get(i));
                    *o = V::from_wide(entry.copied().unwrap_or(0).into());
                }
            }
            Node::Float(op, operand, ..) => {
                let from = self.width(operand);
                for (i, o) in out.iter_mut().enumerate() {
                    *o = V::from_wide(op.value(from, width, [a[i], b[i], c[i]].map(V::into)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::term::ByteId;

    /// What terms on two words made of two bytes are in each kind of values that has room for them, beside their values under a witness.
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

        #[test]
        fn where_a_term_holds_is_its_lowest_bit(values in proptest::collection::vec(0..=1u32, 0..=LANES)) {
            let expected = values.iter().enumerate().fold(0, |set, (i, v)| set | u64::from(*v) << i);
            prop_assert_eq!(holding(&values), expected);
        }
    }
}

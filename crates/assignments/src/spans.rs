//! Wrapped intervals of terms when some bytes have no value yet, for 64 prefix states at once; `abstract_bounds` uses them.
//!
//! The numbers of a [`Span`] wrap at the end of the width, as sums and differences do: `2 - x` for a count `x` from 0 to 5 is
//! -3 to 2, and the predecessor of the least number is next to it.

use crate::policy::sweep;
use cleave_expr::{
    BinaryOp, LANES, Node, Term, Terms, binary_bounds, binary64, less, mask64, of_bits, sign_extend,
};

/// The numbers `from`, `from + 1`, ... `from + more`, modulo 2^w for a width `w`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) from: u64,
    pub(crate) more: u64,
}

/// Spans of a term for 64 prefix states.
pub(crate) type Spans = [Span; LANES];

impl Span {
    pub(crate) const ZERO: Span = Span::one(0);

    /// The span of one number.
    pub(crate) const fn one(v: u64) -> Span {
        Span { from: v, more: 0 }
    }

    /// The numbers from `least` to `most`.
    pub(crate) fn between(least: u64, most: u64) -> Span {
        Span { from: least, more: most - least }
    }

    fn all(width: u8) -> Span {
        Span { from: 0, more: mask64(width) }
    }

    /// The only number; `None` if there are several.
    pub(crate) fn value(self) -> Option<u64> {
        (self.more == 0).then_some(self.from)
    }

    /// The least and the greatest number as unsigned numbers.
    fn bounds(self, width: u8) -> (u64, u64) {
        match self.from.checked_add(self.more) {
            Some(most) if most <= mask64(width) => (self.from, most),
            _ => (0, mask64(width)),
        }
    }

    /// The least and the greatest number as signed numbers, each plus 2^(width - 1).
    fn signed_bounds(self, width: u8) -> (u64, u64) {
        let half = 1 << (width - 1);
        Span { from: self.from.wrapping_add(half) & mask64(width), ..self }.bounds(width)
    }

    fn plus(self, other: Span, width: u8) -> Span {
        match self.more.checked_add(other.more) {
            Some(more) if more < mask64(width) => {
                Span { from: self.from.wrapping_add(other.from) & mask64(width), more }
            }
            _ => Span::all(width),
        }
    }

    /// The numbers with all bits inverted.
    fn inverted(self, width: u8) -> Span {
        Span { from: !self.from.wrapping_add(self.more) & mask64(width), ..self }
    }

    fn minus(self, other: Span, width: u8) -> Span {
        let negative = other.inverted(width).plus(Span::one(1 & mask64(width)), width);
        self.plus(negative, width)
    }

    /// True if no number is in both.
    fn is_apart(self, other: Span, width: u8) -> bool {
        let m = mask64(width);
        other.from.wrapping_sub(self.from) & m > self.more
            && self.from.wrapping_sub(other.from) & m > other.more
    }

    /// The smallest span that contains both.
    fn joined(self, other: Span, width: u8) -> Span {
        let m = mask64(width);
        let behind = |a: Span, b: Span| {
            let more = (b.from.wrapping_sub(a.from) & m).checked_add(b.more)?;
            let more = more.max(a.more);
            (more <= m).then_some(Span { from: a.from, more })
        };
        match (behind(self, other), behind(other, self)) {
            (Some(a), Some(b)) => {
                if a.more <= b.more {
                    a
                } else {
                    b
                }
            }
            (a, b) => a.or(b).unwrap_or(Span::all(width)),
        }
    }

    fn of_bool(known: Option<bool>) -> Span {
        known.map_or(Span::all(1), |v| Span::one(v.into()))
    }

    /// A span of the `width` bits from bit `low` on, for numbers of `from` bits.
    fn extracted(self, low: u32, from: u8, width: u8) -> Span {
        if self.more == 0 {
            return Span::one(self.from >> low & mask64(width));
        }
        let Span { from: first, more } = match low {
            0 => self,
            _ => {
                let (least, most) = self.bounds(from);
                Span::between(least >> low, most >> low)
            }
        };
        if more < mask64(width) { Span { from: first & mask64(width), more } } else { Span::all(width) }
    }

    fn sign_extended(self, from: u8, width: u8) -> Span {
        let half = 1u64 << (from - 1);
        let (least, most) = self.signed_bounds(from);
        let first = sign_extend(u128::from(least.wrapping_sub(half) & mask64(from)), from) as u64;
        Span { from: first & mask64(width), more: most - least }
    }

    /// A span of the concatenations of a high part `self` and a low part.
    fn before(self, low: Span, (high_width, low_width): (u8, u8)) -> Span {
        let (least, most) = low.bounds(low_width);
        let at = |v: u64| v.checked_shl(low_width.into()).unwrap_or(0);
        let from = at(self.from).wrapping_add(least) & mask64(high_width + low_width);
        Span { from, more: at(self.more) + (most - least) }
    }

    fn shifted_left(self, by: Span, width: u8) -> Span {
        match by.value() {
            Some(by) if by >= width.into() => Span::ZERO,
            Some(by) if self.more <= mask64(width) >> by => {
                Span { from: self.from << by & mask64(width), more: self.more << by }
            }
            _ => Span::all(width),
        }
    }
}

/// A span of the results of an operator, other than a concatenation, on operands of `width` bits.
fn binary(op: BinaryOp, width: u8, a: Span, b: Span) -> Span {
    if let (Some(x), Some(y)) = (a.value(), b.value()) {
        return Span::one(binary64(op, width, width, x, y));
    }
    let (of_a, of_b) = (a.bounds(width), b.bounds(width));
    let between = |(least, most): (u64, u64)| Span::between(least, most);
    match op {
        BinaryOp::Add => a.plus(b, width),
        BinaryOp::Sub => a.minus(b, width),
        BinaryOp::Shl => a.shifted_left(b, width),
        BinaryOp::URem if of_b.0 > of_a.1 => between(of_a),
        BinaryOp::And if width == 1 => between(of_bits(op, of_a, of_b)),
        BinaryOp::LShr if let Some(by) = b.value().filter(|by| *by < width.into()) => {
            Span::between(of_a.0 >> by, of_a.1 >> by)
        }
        BinaryOp::Eq => Span::of_bool(a.is_apart(b, width).then_some(false)),
        BinaryOp::Ult => Span::of_bool(less(of_a, of_b)),
        BinaryOp::Slt => Span::of_bool(less(a.signed_bounds(width), b.signed_bounds(width))),
        _ => binary_bounds(op, width, width, of_a, of_b).map_or(Span::all(width), between),
    }
}

/// The spans of a term of at most 64 bits in the first `used` lanes, from those of its operands.
pub(crate) fn spans(terms: &Terms, t: Term, [a, b, c]: [&Spans; 3], used: usize, out: &mut Spans) {
    let width = terms.width(t);
    let out = &mut out[..used];
    let unary = |out: &mut [Span], f: &dyn Fn(Span) -> Span| {
        out.iter_mut().zip(a).for_each(|(o, a)| *o = f(*a));
    };
    match terms.node(t) {
        Node::Const(v) => out.fill(Span::one(v)),
        Node::WideConst(_) | Node::Byte(_) | Node::Float(..) => out.fill(Span::all(width)),
        Node::Not(_) => unary(out, &|a| a.inverted(width)),
        Node::Zext(x) => {
            let from = terms.width(x);
            unary(out, &|a| {
                let (least, most) = a.bounds(from);
                Span::between(least, most)
            });
        }
        Node::Sext(x) => unary(out, &|a| a.sign_extended(terms.width(x), width)),
        Node::Extract(x, low) => unary(out, &|a| a.extracted(low, terms.width(x), width)),
        Node::Table(id, x) => {
            let (entries, index) = (terms.table_entries(id), terms.width(x));
            unary(out, &|a| {
                let (least, most) = a.bounds(index);
                if most - least >= sweep::BOUNDED_ENTRIES {
                    return Span::between(0, terms.greatest_entry(id));
                }
                let read = |i: u64| entries.at(i as usize);
                let all = (least..=most).map(read);
                Span::between(all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
            });
        }
        Node::Ite(..) => {
            for (((o, c), a), b) in out.iter_mut().zip(a).zip(b).zip(c) {
                *o = match c.value() {
                    Some(0) => *b,
                    Some(_) => *a,
                    None => a.joined(*b, width),
                };
            }
        }
        Node::Binary(BinaryOp::Concat, x, y) => {
            let widths = (terms.width(x), terms.width(y));
            out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (a, b))| *o = a.before(*b, widths));
        }
        Node::Binary(op, x, _) => {
            let width = terms.width(x);
            out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (a, b))| *o = binary(op, width, *a, *b));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All spans of a width.
    fn all_spans(width: u8) -> Vec<Span> {
        let m = mask64(width);
        (0..=m).flat_map(|from| (0..=m).map(move |more| Span { from, more })).collect()
    }

    fn numbers(span: Span, width: u8) -> impl Iterator<Item = u64> {
        (0..=span.more).map(move |i| span.from.wrapping_add(i) & mask64(width))
    }

    fn has(span: Span, v: u64, width: u8) -> bool {
        v.wrapping_sub(span.from) & mask64(width) <= span.more
    }

    /// Asserts that the spans of a term over the two bytes' lower bits contain its value for each of their numbers.
    fn check(terms: &mut Terms, t: Term, parts: [Term; 2], width: u8, exact: &mut usize) {
        let near = terms.witness(&[]);
        let ids = [terms.byte_id(0, 0), terms.byte_id(0, 1)];
        let w = terms.width(t);
        let below = terms.below(&[t], 100).unwrap();
        for a in all_spans(width) {
            for b in all_spans(width) {
                let mut known: Vec<Spans> = Vec::new();
                for (node, operands) in &below {
                    let mut out = [Span::ZERO; LANES];
                    let zeros = [Span::ZERO; LANES];
                    match parts.iter().position(|part| part == node) {
                        Some(i) => out.fill([a, b][i]),
                        None => {
                            let operand = |i: u32| known.get(i as usize).unwrap_or(&zeros);
                            spans(terms, *node, operands.map(operand), 1, &mut out);
                        }
                    }
                    known.push(out);
                }
                let found = known.last().unwrap()[0];
                for x in numbers(a, width) {
                    for y in numbers(b, width) {
                        let witness = terms.patched(&near, [(ids[0], x as u8), (ids[1], y as u8)]);
                        let v = terms.eval(t, &witness);
                        assert!(
                            has(found, v, w),
                            "{} of {a:?}, {b:?}: {v} not in {found:?}",
                            terms.text(t, 5)
                        );
                    }
                }
                *exact += usize::from(found.more < mask64(w));
            }
        }
    }

    #[test]
    fn spans_hold_all_that_a_term_can_be() {
        const WIDTH: u8 = 3;
        let mut terms = Terms::default();
        let bytes = [terms.byte(0, 0), terms.byte(0, 1)];
        let parts = bytes.map(|byte| terms.extract(byte, 0, WIDTH));
        let mut all: Vec<Term> =
            BinaryOp::ALL.into_iter().map(|op| terms.binary(op, parts[0], parts[1])).collect();
        let table = terms.intern_table(5, &[3, 1, 4, 1, 5, 9, 2]);
        all.push(terms.not(parts[0]));
        all.push(terms.zext(parts[0], 6));
        all.push(terms.sext(parts[0], 6));
        all.push(terms.table(table, parts[0]));
        let condition = terms.extract(parts[0], 2, 1);
        let low = terms.extract(parts[0], 0, 2);
        let low = terms.zext(low, WIDTH);
        all.push(terms.ite(condition, parts[1], low));
        let product = terms.binary(BinaryOp::Mul, parts[0], parts[1]);
        all.push(terms.extract(product, 1, 2));
        let mut exact = 0;
        for t in all {
            check(&mut terms, t, parts, WIDTH, &mut exact);
        }
        assert!(exact > 30_000, "spans say something in {exact} cases only");
    }
}

//! Propagation of undefined bits: for each operation, the bits of its result that may change when undefined bits of its
//! operands do. The rules are those of MemorySanitizer and Memcheck; a defined bit may be called undefined, never the other way
//! round. Shadows are terms, as a bit may be undefined for some inputs only.

use cleave_expr::{BinaryOp, Node, Term, Terms};
use cleave_never::never;
use cleave_program::code::Pred;

/// Maximum depth to which a shadow is searched for conditions that its choice has decided.
const DEEPEST: u32 = 8;

/// A value, and its undefined bits as a term of the same width. In those bits the value has one of the values that they may
/// have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadowed {
    pub(crate) value: Term,
    pub(crate) bits: Term,
}

fn ones(s: &mut Terms, w: u8) -> Term {
    s.constant_of(w, u128::MAX)
}

fn without(s: &mut Terms, a: Term, mask: Term) -> Term {
    let keep = s.not(mask);
    s.and(a, keep)
}

/// One bit: true if any bit is undefined.
pub(crate) fn any(s: &mut Terms, bits: Term) -> Term {
    let zero = s.constant_of(s.width(bits), 0);
    s.ne(bits, zero)
}

/// All `w` bits where `cond` holds, none elsewhere.
pub(crate) fn all_where(s: &mut Terms, w: u8, cond: Term) -> Term {
    let (all, none) = (ones(s, w), s.constant_of(w, 0));
    s.ite(cond, all, none)
}

/// All `w` bits if one of these shadows has a bit.
pub(crate) fn smeared(s: &mut Terms, w: u8, shadows: &[Term]) -> Term {
    let mut cond = s.bool(false);
    for &bits in shadows {
        let some = any(s, bits);
        cond = s.or(cond, some);
    }
    all_where(s, w, cond)
}

/// The least and the greatest value that undefined bits can make.
fn bounds(s: &mut Terms, a: Shadowed) -> (Term, Term) {
    (without(s, a.value, a.bits), s.or(a.value, a.bits))
}

/// The shadow of an operation on two values; comparisons are [`compare`]'s.
pub(crate) fn binary(s: &mut Terms, op: BinaryOp, a: Shadowed, b: Shadowed) -> Term {
    let w = s.width(a.value);
    match op {
        BinaryOp::And => {
            let (both, left, right) = (s.and(a.bits, b.bits), s.and(a.bits, b.value), s.and(a.value, b.bits));
            let some = s.or(left, right);
            s.or(both, some)
        }
        BinaryOp::Or => {
            let both = s.and(a.bits, b.bits);
            let (left, right) = (without(s, a.bits, b.value), without(s, b.bits, a.value));
            let some = s.or(left, right);
            s.or(both, some)
        }
        BinaryOp::Xor => s.or(a.bits, b.bits),
        BinaryOp::Add | BinaryOp::Sub => sum(s, op, a, b),
        BinaryOp::Mul => product(s, a, b),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            let moved = s.binary(op, a.bits, b.value);
            let unsure = any(s, b.bits);
            let all = ones(s, w);
            s.ite(unsure, all, moved)
        }
        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => smeared(s, w, &[a.bits, b.bits]),
        BinaryOp::Eq | BinaryOp::Ult | BinaryOp::Slt | BinaryOp::Concat => {
            never!("the shadow of {op:?}, which is no operation of a program");
            smeared(s, w, &[a.bits, b.bits])
        }
    }
}

/// The shadow of a sum or difference: carries can change the bits in which the least and the greatest one differ.
fn sum(s: &mut Terms, op: BinaryOp, a: Shadowed, b: Shadowed) -> Term {
    let ((a_low, a_high), (b_low, b_high)) = (bounds(s, a), bounds(s, b));
    let (low, high) = if op == BinaryOp::Add {
        (s.add(a_low, b_low), s.add(a_high, b_high))
    } else {
        (s.sub(a_low, b_high), s.sub(a_high, b_low))
    };
    let carried = s.xor(low, high);
    let own = s.or(a.bits, b.bits);
    s.or(own, carried)
}

/// The bits from the lowest undefined one on.
fn from_lowest(s: &mut Terms, bits: Term) -> Term {
    let zero = s.constant_of(s.width(bits), 0);
    let minus = s.sub(zero, bits);
    s.or(bits, minus)
}

fn product(s: &mut Terms, a: Shadowed, b: Shadowed) -> Term {
    let w = s.width(a.value);
    for (x, y) in [(a, b), (b, a)] {
        if let (Some(k), Some(0)) = (s.constant(y.value), s.constant(y.bits)) {
            if k == 0 {
                return s.constant_of(w, 0);
            }
            let up = from_lowest(s, x.bits);
            let by = s.constant_of(w, k.trailing_zeros() as u128);
            return s.binary(BinaryOp::Shl, up, by);
        }
    }
    let both = s.or(a.bits, b.bits);
    from_lowest(s, both)
}

/// The shadow of a comparison; one bit.
pub(crate) fn compare(s: &mut Terms, pred: Pred, a: Shadowed, b: Shadowed) -> Term {
    let (x, y, swap) = match pred {
        Pred::Eq | Pred::Ne => {
            let bits = s.or(a.bits, b.bits);
            let differ = s.xor(a.value, b.value);
            let surely = without(s, differ, bits);
            let (surely, unsure) = (any(s, surely), any(s, bits));
            return without(s, unsure, surely);
        }
        Pred::Ult | Pred::Uge => (a, b, false),
        Pred::Ugt | Pred::Ule => (b, a, false),
        Pred::Slt | Pred::Sge => (a, b, true),
        Pred::Sgt | Pred::Sle => (b, a, true),
    };
    // Signed numbers with their sign bits turned over are in the order of unsigned ones.
    let turned = |s: &mut Terms, x: Shadowed| {
        if !swap {
            return x;
        }
        let w = s.width(x.value);
        let sign = s.constant_of(w, 1 << (w - 1));
        Shadowed { value: s.xor(x.value, sign), bits: x.bits }
    };
    let (x, y) = (turned(s, x), turned(s, y));
    let ((x_low, x_high), (y_low, y_high)) = (bounds(s, x), bounds(s, y));
    let (most, least) = (s.ult(x_low, y_high), s.ult(x_high, y_low));
    s.xor(most, least)
}

/// The shadow of `c ? a : b`: that of the chosen arm. If the choice is undefined, the bits that are undefined in one arm, or
/// differ.
pub(crate) fn choice(s: &mut Terms, c: Shadowed, a: Shadowed, b: Shadowed) -> Term {
    let yes = under(s, a.bits, c.value, true, DEEPEST);
    let no = under(s, b.bits, c.value, false, DEEPEST);
    let chosen = s.ite(c.value, yes, no);
    if s.constant(c.bits) == Some(0) {
        return chosen;
    }
    let either = s.or(a.bits, b.bits);
    let differ = s.xor(a.value, b.value);
    let unsure = s.or(either, differ);
    s.ite(c.bits, unsure, chosen)
}

/// The shadow of `llvm.fshl` and `llvm.fshr`, given `moved`, the same operation on the shadows of the values.
pub(crate) fn funnel(s: &mut Terms, moved: Term, amount_bits: Term) -> Term {
    let w = s.width(moved);
    let (unsure, all) = (any(s, amount_bits), ones(s, w));
    s.ite(unsure, all, moved)
}

/// `t` where `cond` is known to be `side`: conditions in it that this decides are gone. A value that an optimiser computes in
/// front of its check is undefined just where the check fails, and so nothing is left to decide.
pub(crate) fn under(s: &mut Terms, t: Term, cond: Term, side: bool, depth: u32) -> Term {
    match s.node(cond) {
        Node::Not(c) => return under(s, t, c, !side, depth),
        Node::Binary(BinaryOp::And, p, q) if side && depth > 0 => {
            let t = under(s, t, p, true, depth - 1);
            return under(s, t, q, true, depth - 1);
        }
        Node::Binary(BinaryOp::Or, p, q) if !side && depth > 0 => {
            let t = under(s, t, p, false, depth - 1);
            return under(s, t, q, false, depth - 1);
        }
        _ => {}
    }
    if t == cond {
        return s.bool(side);
    }
    if s.width(t) == 1
        && let Some(decided) = implied(s, cond, side, t)
    {
        return s.bool(decided);
    }
    if depth == 0 || s.constant(t).is_some() {
        return t;
    }
    let depth = depth - 1;
    match s.node(t) {
        Node::Not(x) => {
            let x = under(s, x, cond, side, depth);
            s.not(x)
        }
        Node::Zext(x) => {
            let (x, w) = (under(s, x, cond, side, depth), s.width(t));
            s.zext(x, w)
        }
        Node::Sext(x) => {
            let (x, w) = (under(s, x, cond, side, depth), s.width(t));
            s.sext(x, w)
        }
        Node::Extract(x, low) => {
            let (x, w) = (under(s, x, cond, side, depth), s.width(t));
            s.extract(x, low, w)
        }
        Node::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Concat), x, y) => {
            let (x, y) = (under(s, x, cond, side, depth), under(s, y, cond, side, depth));
            s.binary(op, x, y)
        }
        Node::Ite(c, x, y) => {
            let c = under(s, c, cond, side, depth);
            let (x, y) = (under(s, x, cond, side, depth), under(s, y, cond, side, depth));
            s.ite(c, x, y)
        }
        _ => t,
    }
}

/// The values that a comparison with a constant leaves to the term compared: that term, and the bounds.
fn interval(s: &Terms, cond: Term, side: bool) -> Option<(Term, u64, u64)> {
    let plain = |t: Term| match s.node(t) {
        Node::Zext(x) => x,
        _ => t,
    };
    match s.node(cond) {
        Node::Not(c) => interval(s, c, !side),
        Node::Binary(BinaryOp::Ult, a, b) => match (s.constant64(a), s.constant64(b), side) {
            (None, Some(k), true) => Some((plain(a), 0, k.checked_sub(1)?)),
            (None, Some(k), false) => Some((plain(a), k, u64::MAX)),
            (Some(k), None, true) => Some((plain(b), k.checked_add(1)?, u64::MAX)),
            (Some(k), None, false) => Some((plain(b), 0, k)),
            _ => None,
        },
        Node::Binary(BinaryOp::Eq, a, k) if side => {
            let k = s.constant64(k)?;
            Some((plain(a), k, k))
        }
        _ => None,
    }
}

/// The value of `t`, if `cond` being `side` decides it; both are comparisons of one term with constants.
fn implied(s: &Terms, cond: Term, side: bool, t: Term) -> Option<bool> {
    let (x, lo, hi) = interval(s, cond, side)?;
    if let Some((y, from, to)) = interval(s, t, true)
        && x == y
    {
        if from <= lo && hi <= to {
            return Some(true);
        }
        if hi < from || to < lo {
            return Some(false);
        }
    }
    let (y, from, to) = interval(s, t, false)?;
    (x == y && from <= lo && hi <= to).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed sequence of numbers without a pattern.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, n: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) % n
        }
    }

    const OPS: [BinaryOp; 9] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::LShr,
        BinaryOp::AShr,
    ];
    const PREDS: [Pred; 10] = [
        Pred::Eq,
        Pred::Ne,
        Pred::Ult,
        Pred::Ule,
        Pred::Ugt,
        Pred::Uge,
        Pred::Slt,
        Pred::Sle,
        Pred::Sgt,
        Pred::Sge,
    ];

    /// An expression over variables of one width; comparisons are widened to it.
    #[derive(Debug)]
    enum Tree {
        Variable(usize),
        Constant(u64),
        Binary(BinaryOp, Box<Tree>, Box<Tree>),
        Compare(Pred, Box<Tree>, Box<Tree>),
        Choice(Pred, Box<[Tree; 4]>),
    }

    fn tree(n: &mut Numbers, w: u8, depth: u32) -> Tree {
        let sub = |n: &mut Numbers| Box::new(tree(n, w, depth - 1));
        match if depth == 0 { n.below(2) } else { 1 + n.below(8) } {
            0 => Tree::Variable(n.below(2) as usize),
            1 if n.below(2) == 0 => Tree::Variable(n.below(2) as usize),
            1 => Tree::Constant(n.below(1 << w)),
            2 | 3 => Tree::Compare(PREDS[n.below(10) as usize], sub(n), sub(n)),
            4 => {
                let pred = PREDS[n.below(10) as usize];
                Tree::Choice(pred, Box::new([(); 4].map(|()| tree(n, w, depth - 1))))
            }
            _ => Tree::Binary(OPS[n.below(9) as usize], sub(n), sub(n)),
        }
    }

    fn holds(pred: Pred, w: u8, a: u64, b: u64) -> bool {
        crate::ops::direct::compare64(pred, w, a, b)
    }

    /// The value of the expression, and true if a shift in it goes too far.
    fn value(t: &Tree, w: u8, variables: [u64; 2]) -> (u64, bool) {
        let mask = (1u64 << w) - 1;
        match t {
            Tree::Variable(i) => (variables[*i], false),
            Tree::Constant(v) => (*v, false),
            Tree::Compare(pred, a, b) => {
                let ((a, far), (b, away)) = (value(a, w, variables), value(b, w, variables));
                (holds(*pred, w, a, b) as u64, far || away)
            }
            Tree::Choice(pred, of) => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| value(&of[i], w, variables));
                let chosen = if holds(*pred, w, a.0, b.0) { c.0 } else { d.0 };
                (chosen, a.1 || b.1 || c.1 || d.1)
            }
            Tree::Binary(op, a, b) => {
                let ((a, far), (b, away)) = (value(a, w, variables), value(b, w, variables));
                let signed = ((a << (64 - w)) as i64) >> (64 - w);
                let (v, over) = match op {
                    BinaryOp::Add => (a.wrapping_add(b), false),
                    BinaryOp::Sub => (a.wrapping_sub(b), false),
                    BinaryOp::Mul => (a.wrapping_mul(b), false),
                    BinaryOp::And => (a & b, false),
                    BinaryOp::Or => (a | b, false),
                    BinaryOp::Xor => (a ^ b, false),
                    BinaryOp::Shl => (a.checked_shl(b as u32).unwrap_or(0), b >= w as u64),
                    BinaryOp::LShr => (a.checked_shr(b as u32).unwrap_or(0), b >= w as u64),
                    _ => ((signed >> b.min(63)) as u64, b >= w as u64),
                };
                (v & mask, far || away || over)
            }
        }
    }

    fn shadow(s: &mut Terms, t: &Tree, w: u8, variables: [Shadowed; 2]) -> Shadowed {
        match t {
            Tree::Variable(i) => variables[*i],
            Tree::Constant(v) => Shadowed { value: s.constant_of(w, *v as u128), bits: s.constant_of(w, 0) },
            Tree::Binary(op, a, b) => {
                let (a, b) = (shadow(s, a, w, variables), shadow(s, b, w, variables));
                Shadowed { value: s.binary(*op, a.value, b.value), bits: binary(s, *op, a, b) }
            }
            Tree::Compare(pred, a, b) => {
                let bit = condition(s, *pred, a, b, w, variables);
                Shadowed { value: s.zext(bit.value, w), bits: s.zext(bit.bits, w) }
            }
            Tree::Choice(pred, of) => {
                let c = condition(s, *pred, &of[0], &of[1], w, variables);
                let (a, b) = (shadow(s, &of[2], w, variables), shadow(s, &of[3], w, variables));
                Shadowed { value: s.ite(c.value, a.value, b.value), bits: choice(s, c, a, b) }
            }
        }
    }

    fn condition(s: &mut Terms, p: Pred, a: &Tree, b: &Tree, w: u8, of: [Shadowed; 2]) -> Shadowed {
        let (a, b) = (shadow(s, a, w, of), shadow(s, b, w, of));
        let value = match p {
            Pred::Eq => s.eq(a.value, b.value),
            Pred::Ne => s.ne(a.value, b.value),
            Pred::Ult => s.ult(a.value, b.value),
            Pred::Ule => s.ule(a.value, b.value),
            Pred::Ugt => s.ult(b.value, a.value),
            Pred::Uge => s.ule(b.value, a.value),
            Pred::Slt => s.slt(a.value, b.value),
            Pred::Sle => s.sle(a.value, b.value),
            Pred::Sgt => s.slt(b.value, a.value),
            Pred::Sge => s.sle(b.value, a.value),
        };
        Shadowed { value, bits: compare(s, p, a, b) }
    }

    /// All values that agree with `v` outside of `bits`.
    fn fillings(v: u64, bits: u64) -> Vec<u64> {
        let mut all = vec![v & !bits];
        for bit in (0..8).map(|i| 1 << i).filter(|bit| bits & bit != 0) {
            all.extend(all.clone().iter().map(|v| v | bit));
        }
        all
    }

    /// Number of bits of all results that are said to be undefined, and number of those that are.
    fn judge(seed: u64, symbolic: bool) -> (u32, u32) {
        let mut n = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            n.below(2);
        }
        let w = 4 + n.below(3) as u8;
        let t = tree(&mut n, w, 3);
        let all = (1u64 << w) - 1;
        let given = [0, 1].map(|_| (n.below(1 << w), n.below(1 << w) & n.below(1 << w) & all));
        let mut s = Terms::new();
        // If the values are inputs, the shadow is a term, evaluated under the witness that has them.
        let witness = s.witness(&[]);
        let mut patch = Vec::new();
        let variables = [0, 1].map(|i: usize| {
            let (v, bits) = given[i];
            let value = if symbolic {
                patch.push((s.byte_id(0, i as u32), (v & !bits) as u8));
                let byte = s.byte(0, i as u32);
                s.extract(byte, 0, w)
            } else {
                s.constant_of(w, (v & !bits) as u128)
            };
            Shadowed { value, bits: s.constant_of(w, bits as u128) }
        });
        let witness = s.patched(&witness, patch);
        let said = shadow(&mut s, &t, w, variables).bits;
        let said = s.eval(said, &witness);
        let (mut ones, mut zeros) = (0, 0);
        for a in fillings(given[0].0, given[0].1) {
            for b in fillings(given[1].0, given[1].1) {
                let (v, _) = value(&t, w, [a, b]);
                ones |= v;
                zeros |= !v & all;
            }
        }
        let varies = ones & zeros;
        assert_eq!(varies & !said, 0, "{t:?} of {given:?} in {w} bits: {said:#b} is said, {varies:#b} vary");
        (said.count_ones(), varies.count_ones())
    }

    #[test]
    fn a_bit_that_undefined_bits_change_is_undefined() {
        let (mut said, mut varies) = (0, 0);
        for seed in 1..6000 {
            let (a, b) = judge(seed, seed % 2 == 0);
            said += a;
            varies += b;
        }
        // The shadow is not exact, but not all bits that undefined bits have a part in are undefined either.
        assert!(varies > 3000 && said < 3 * varies, "{varies} bits vary, {said} are said to");
    }

    #[test]
    fn what_a_guard_excludes_leaves_nothing_to_decide() {
        let mut s = Terms::new();
        let c = s.byte(0, 0);
        let wide = s.zext(c, 64);
        let (k, width) = (s.constant_of(8, 64), s.constant_of(64, 64));
        let (guard, over) = (s.ult(c, k), s.ule(width, wide));
        let bits = all_where(&mut s, 1, over);
        let none = s.constant_of(1, 0);
        let (yes, no) = (s.bool(true), s.bool(false));
        let c = Shadowed { value: guard, bits: none };
        let (a, b) = (Shadowed { value: yes, bits }, Shadowed { value: no, bits: none });
        let left = choice(&mut s, c, a, b);
        assert_eq!(s.constant(left), Some(0));
        let (small, c) = (s.constant_of(8, 5), Shadowed { value: guard, bits: none });
        let tighter = s.ult(wide_byte(&s, wide), small);
        let left = choice(&mut s, Shadowed { value: tighter, ..c }, a, b);
        assert_eq!(s.constant(left), Some(0));
    }

    fn wide_byte(s: &Terms, wide: Term) -> Term {
        match s.node(wide) {
            Node::Zext(x) => x,
            _ => wide,
        }
    }
}

//! Propagation-based local search: changes of a witness that make a question true. The pipeline and the floating-point
//! layers call it.
//!
//! A goal (this term is to have that value) is pushed down to the bytes, inverting operators on the way (Niemetz,
//! Preiner, Biere, CAV 2016), but without chance: if there are several ways down, the number of the attempt selects
//! one. Evaluation checks every result, so an error here cannot make an answer wrong.

use cleave_expr::{BinaryOp, ByteId, ByteSet, Node, Term, Terms, Witness, mask, sign_extend};
use cleave_path::{Apart, Broken, Pair, PathCondition, comparison, filter_bit, number};

use crate::layers::slice::Slice;
use crate::policy::patching;

/// Printable ASCII: tests are read by people.
const PRINTABLE: ByteSet = ByteSet([0xFFFF_FFFF_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0, 0]);

/// The value to choose from a set: `now` if the set has it, or a printable one, or the least.
pub(crate) fn preferred(set: &ByteSet, now: u8) -> u8 {
    if set.contains(now) {
        return now;
    }
    set.intersect(&PRINTABLE).first().or_else(|| set.first()).unwrap_or(now)
}

/// Some values of a set, the one to choose first.
fn some_values(set: ByteSet, now: u8) -> impl Iterator<Item = u8> {
    let step = (set.len() as usize).div_ceil(patching::VALUES).max(1);
    let values: Vec<u8> = set.iter().step_by(step).collect();
    std::iter::once(preferred(&set, now)).chain(values)
}

/// Buffers of the layer.
#[derive(Default)]
pub(crate) struct Patcher {
    changes: Vec<(ByteId, u8)>,
}

impl Patcher {
    /// For a question about one byte that other conditions depend on: tries values of its set one by one.
    pub(crate) fn by_values(&mut self, terms: &mut Terms, slice: &Slice, near: &Witness) -> Option<Witness> {
        let [(id, set)] = slice.narrowed[..] else { return None };
        if !slice.asked.is_empty() {
            return None;
        }
        if set.is_empty() {
            return None;
        }
        some_values(set, near.get(id)).find_map(|v| {
            let w = terms.patched(near, [(id, v)]);
            slice.holds(terms, &w, filter_bit(id)).then_some(w)
        })
    }

    /// As [`Patcher::by_values`], checked against the facts or conditions of the path instead of the slice.
    pub(crate) fn by_values_checked(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
        near: &Witness,
        id: ByteId,
    ) -> Option<Witness> {
        some_values(slice.domain(pc, id), near.get(id)).find_map(|v| {
            let w = terms.patched(near, [(id, v)]);
            pc.broken(terms, &w, &[(id, v)]).is_none().then_some(w)
        })
    }

    /// `near` with changed bytes that give these terms these values. Only the sets of single bytes are respected; the
    /// caller checks the path and the question.
    pub(crate) fn assigned(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
        near: &Witness,
        values: &[(Term, u128)],
    ) -> Option<Witness> {
        self.changes.clear();
        let base = near.clone();
        let mut attempt =
            Attempt { terms, pc, slice, base, choice: 0, fuel: patching::STEPS, changes: &mut self.changes };
        if !values.iter().all(|&(t, v)| attempt.make(t, v)) {
            return None;
        }
        Some(terms.patched(near, self.changes.iter().copied()))
    }

    /// Changes that make the question true by construction, checked against the slice.
    pub(crate) fn patch(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
        near: &Witness,
    ) -> Option<Witness> {
        for number in 0..patching::ATTEMPTS {
            self.changes.clear();
            let base = near.clone();
            let mut attempt = Attempt {
                terms,
                pc,
                slice,
                base,
                choice: number,
                fuel: patching::STEPS,
                changes: &mut self.changes,
            };
            if let Some(w) = attempt.run(near, None) {
                return Some(w);
            }
        }
        None
    }

    /// As [`Patcher::patch`], checked also against the path's facts or conditions on the changed bytes. If there are
    /// `goals`, each of which makes the question true, an attempt pursues one of them.
    pub(crate) fn patch_checked(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
        near: &Witness,
        goals: &[(Term, u64)],
    ) -> Option<Witness> {
        for number in 0..patching::ATTEMPTS {
            self.changes.clear();
            let base = near.clone();
            let choice = number / goals.len().max(1) as u32;
            let mut attempt =
                Attempt { terms, pc, slice, base, choice, fuel: patching::STEPS, changes: &mut self.changes };
            let goal = goals.get(number as usize % goals.len().max(1)).copied();
            if let Some(w) = attempt.run(near, Some(goal)) {
                return Some(w);
            }
        }
        None
    }
}

/// One attempt.
struct Attempt<'a> {
    terms: &'a mut Terms,
    pc: &'a PathCondition,
    slice: &'a Slice,
    /// The witness under which terms are evaluated for the goal at hand.
    base: Witness,
    /// The rest of the attempt's number: each choice divides it.
    choice: u32,
    fuel: u32,
    changes: &'a mut Vec<(ByteId, u8)>,
}

impl Attempt<'_> {
    /// Makes the question true and repairs conditions that this breaks. `None` means that the slice has all conditions
    /// that matter. With `Some` the path is checked too, and an inner goal takes the place of the question.
    fn run(&mut self, near: &Witness, goal: Option<Option<(Term, u64)>>) -> Option<Witness> {
        for (id, set) in &self.slice.narrowed {
            let now = near.get(*id);
            if set.is_empty() {
                return None;
            }
            if !set.contains(now) {
                self.changes.push((*id, preferred(set, now)));
            }
        }
        match goal.flatten() {
            Some((t, value)) if !self.make(t, value.into()) => return None,
            Some(_) => {}
            None => {
                for r in &self.slice.asked {
                    if !self.make_bool(r.term, true) {
                        return None;
                    }
                }
            }
        }
        for _ in 0..=patching::REPAIRS {
            self.base = self.terms.patched(near, self.changes.iter().copied());
            let Some(broken) = self.broken(goal.is_some()) else {
                // An attempt that has not used up its number repeats an earlier one; its result holds all the same.
                return Some(self.base.clone());
            };
            let before = self.changes.len();
            if !self.mend(broken) || self.changes.len() == before {
                return None;
            }
        }
        None
    }

    /// The first condition or fact that fails after the changes.
    fn broken(&mut self, by_path: bool) -> Option<Broken> {
        let changed = self.changes.iter().fold(0, |f, c| f | filter_bit(c.0));
        let slice = self.slice;
        let touched = slice.relations.iter().filter(|r| r.bytes & changed != 0);
        let mut conditions = slice.asked.iter().chain(touched);
        if let Some(r) = conditions.find(|r| !self.terms.holds(r.term, &self.base)) {
            return Some(Broken::Condition(r.term));
        }
        if by_path { self.pc.broken(self.terms, &self.base, self.changes) } else { None }
    }

    /// Changes bytes so that something holds.
    fn mend(&mut self, broken: Broken) -> bool {
        match broken {
            Broken::Condition(cond) => self.make_bool(cond, true),
            Broken::Word(word, next) => {
                let first = self.pick(2) as usize;
                let value = next[first].or(next[1 - first]);
                value.is_some_and(|value| self.make(word, value.into()))
            }
            Broken::Apart(pair, apart) => self.move_apart(pair, apart),
        }
    }

    /// Moves one word of a pair as little as is needed.
    fn move_apart(&mut self, pair: Pair, apart: Apart) -> bool {
        let width = self.terms.width(pair.words[0]);
        let [x, y] = pair.words.map(|word| number(self.terms.eval(word, &self.base), width, pair.signed));
        let wanted = (x - y).clamp(apart.least, apart.most);
        let to = [y + wanted, x - wanted];
        let which = self.pick(2) as usize;
        self.make(pair.words[which], to[which] as u128 & mask(width))
    }

    /// The attempt's choice among `n` ways.
    fn pick(&mut self, n: u32) -> u32 {
        let k = self.choice % n;
        self.choice /= n;
        k
    }

    fn value(&mut self, t: Term) -> u128 {
        self.terms.eval_wide(t, &self.base)
    }

    fn spent(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel == 0
    }

    fn set_byte(&mut self, id: ByteId, v: u8) -> bool {
        if let Some(c) = self.changes.iter().find(|c| c.0 == id) {
            return c.1 == v;
        }
        if !self.slice.domain(self.pc, id).contains(v) {
            return false;
        }
        self.changes.push((id, v));
        true
    }

    /// Changes bytes so that the one-bit term `t` becomes `want`.
    fn make_bool(&mut self, t: Term, want: bool) -> bool {
        if self.terms.holds(t, &self.base) == want {
            return true;
        }
        if self.spent() {
            return false;
        }
        match self.terms.node(t) {
            Node::Not(x) => self.make_bool(x, !want),
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                if want == (op == BinaryOp::And) {
                    self.make_bool(a, want) && self.make_bool(b, want)
                } else {
                    let t = if self.pick(2) == 0 { a } else { b };
                    self.make_bool(t, want)
                }
            }
            Node::Binary(BinaryOp::Eq, a, b) if want => {
                let (moved, other) = self.side(a, b);
                let v = self.value(other);
                self.make(moved, v)
            }
            Node::Binary(BinaryOp::Eq, a, b) => self.make_different(a, b),
            Node::Binary(op @ (BinaryOp::Ult | BinaryOp::Slt), a, b) => {
                self.compare(op == BinaryOp::Slt, a, b, want)
            }
            Node::Ite(c, x, y) => {
                let now = self.terms.holds(c, &self.base);
                let stay = self.pick(2) == 0;
                let branch = if now == stay { x } else { y };
                (stay || self.make_bool(c, !now)) && self.make_bool(branch, want)
            }
            _ => self.make(t, want as u128),
        }
    }

    /// The operand to change, and the other one. A constant stays.
    fn side(&mut self, a: Term, b: Term) -> (Term, Term) {
        if self.terms.constant(b).is_some() {
            (a, b)
        } else if self.terms.constant(a).is_some() || self.pick(2) != 0 {
            (b, a)
        } else {
            (a, b)
        }
    }

    fn make_different(&mut self, a: Term, b: Term) -> bool {
        let w = self.terms.width(a);
        let (moved, other) = self.side(a, b);
        let v = self.value(other);
        if let Node::Byte(id) = self.terms.node(moved) {
            let mut set = self.slice.domain(self.pc, id);
            let mut now = ByteSet::EMPTY;
            now.insert(v as u8);
            set = set.intersect(&now.complement());
            let kth = self.pick(3) as usize;
            return set.iter().nth(kth).is_some_and(|v| self.set_byte(id, v));
        }
        let to = match self.pick(3) {
            0 => {
                // A different value, as near as the room allows.
                let (lo, hi) = self.tightened(moved, other, true, (0, mask(w)));
                let key = flip(v, w);
                if key < hi && key + 1 >= lo {
                    flip(key + 1 + room(w, hi - key - 1), w)
                } else if key > lo && key - 1 <= hi {
                    flip(key - 1 - room(w, key - 1 - lo), w)
                } else {
                    return false;
                }
            }
            1 => v.wrapping_add(1) & mask(w),
            _ => v.wrapping_sub(1) & mask(w),
        };
        self.make(moved, to)
    }

    /// `a < b`, or with `want` false `a >= b`.
    fn compare(&mut self, signed: bool, a: Term, b: Term, want: bool) -> bool {
        let w = self.terms.width(a);
        let (moved, other) = self.side(a, b);
        let (key_of, most) = (|v: u128| if signed { flip(v, w) } else { v }, mask(w));
        let bound = key_of(self.value(other));
        let now = key_of(self.value(moved));
        let below = (moved == a) == want;
        let (mut lo, mut hi) = match (below, want) {
            (true, true) => match bound.checked_sub(1) {
                Some(hi) => (0, hi),
                None => return false,
            },
            (false, true) if bound == most => return false,
            (false, true) => (bound + 1, most),
            (true, false) => (0, bound),
            (false, false) => (bound, most),
        };
        if w <= 64 {
            let (l, h) = self.terms.range(moved);
            let (l, h) = (key_of(l as u128), key_of(h as u128));
            if l <= h {
                (lo, hi) = (lo.max(l), hi.min(h));
            }
        }
        let key = match self.pick(3) {
            0 => {
                (lo, hi) = self.tightened(moved, other, signed, (lo, hi));
                if lo > hi {
                    return false;
                }
                if now < lo { lo + room(w, hi - lo) } else { hi - room(w, hi - lo) }
            }
            1 if lo <= hi => {
                if now < lo {
                    lo
                } else {
                    hi
                }
            }
            2 if lo <= hi => {
                if now < lo {
                    hi
                } else {
                    lo
                }
            }
            _ => return false,
        };
        if let Node::Byte(id) = self.terms.node(moved) {
            return self.byte_between(id, signed, (lo, hi), key);
        }
        self.make(moved, key_of(key))
    }

    /// A value of a byte's set with a key in `lo ..= hi`: the first from `key` on, or any.
    fn byte_between(&mut self, id: ByteId, signed: bool, (lo, hi): (u128, u128), key: u128) -> bool {
        let set = self.slice.domain(self.pc, id);
        let flip = if signed { 0x80 } else { 0 };
        let fits = |k: &u128| set.contains(*k as u8 ^ flip);
        match (key..=hi).find(fits).or_else(|| (lo..key).rev().find(fits)) {
            Some(k) => self.set_byte(id, k as u8 ^ flip),
            None => false,
        }
    }

    /// The part of `lo ..= hi` (keys) that the comparisons of the slice leave to `t` under the current values.
    /// Comparisons of `t` with `except` do not count.
    fn tightened(&mut self, t: Term, except: Term, signed: bool, (lo, hi): (u128, u128)) -> (u128, u128) {
        let (mut lo, mut hi) = (lo, hi);
        let w = self.terms.width(t);
        let order = if signed { BinaryOp::Slt } else { BinaryOp::Ult };
        let slice = self.slice;
        for r in slice.relations.iter().chain(&slice.asked).take(patching::BOUNDING) {
            let Some(c) = comparison(self.terms, r.term) else { continue };
            if (c.a != t && c.b != t) || c.a == except || c.b == except {
                continue;
            }
            let other = if c.a == t { c.b } else { c.a };
            let v = self.value(other);
            let k = if signed { flip(v, w) } else { v };
            match (c.op, c.holds, c.a == t) {
                (BinaryOp::Eq, true, _) => (lo, hi) = (lo.max(k), hi.min(k)),
                (op, true, true) if op == order => match k.checked_sub(1) {
                    Some(k) => hi = hi.min(k),
                    None => return (1, 0),
                },
                (op, true, false) if op == order => lo = lo.max(k + 1),
                (op, false, true) if op == order => lo = lo.max(k),
                (op, false, false) if op == order => hi = hi.min(k),
                _ => {}
            }
        }
        (lo, hi)
    }

    /// Changes bytes so that `t` becomes `v`.
    fn make(&mut self, t: Term, v: u128) -> bool {
        if self.value(t) == v {
            return true;
        }
        if self.spent() {
            return false;
        }
        let w = self.terms.width(t);
        match self.terms.node(t) {
            Node::Const(_) | Node::WideConst(_) => false,
            Node::Byte(id) => self.set_byte(id, v as u8),
            Node::Not(x) => self.make(x, !v & mask(w)),
            Node::Zext(x) => v <= mask(self.terms.width(x)) && self.make(x, v),
            Node::Sext(x) => {
                let wx = self.terms.width(x);
                let low = v & mask(wx);
                sign_extend(low, wx) as u128 & mask(w) == v && self.make(x, low)
            }
            Node::Extract(x, low) => {
                let now = self.value(x);
                let m = mask(w) << low;
                self.make(x, now & !m | v << low)
            }
            Node::Binary(BinaryOp::Concat, a, b) => {
                let wb = self.terms.width(b);
                self.make(a, v.checked_shr(wb as u32).unwrap_or(0)) && self.make(b, v & mask(wb))
            }
            Node::Binary(op, ..)
                if w == 1 && (op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or)) =>
            {
                self.make_bool(t, v != 0)
            }
            Node::Binary(op, a, b) => {
                let (moved, other) = self.side(a, b);
                let (now, k) = (self.value(moved), self.value(other));
                match inverse(op, w, moved == a, v, now, k) {
                    Some(v) => self.make(moved, v),
                    None => false,
                }
            }
            Node::Ite(c, x, y) => self.make_choice(c, x, y, v),
            Node::Float(..) => false,
            Node::Table(id, index) => {
                let entries = self.terms.table_entries(id);
                let kth = self.pick(3) as usize;
                let is = |&i: &usize| u128::from(entries.at(i)) == v;
                let found = if entries.len() > patching::LARGE_TABLE {
                    // Entries near the current index first: the other conditions may hold there.
                    let now = usize::try_from(self.value(index)).unwrap_or(0).min(entries.len());
                    match kth {
                        0 => (now..entries.len()).find(is),
                        1 => (0..now).rev().find(is),
                        _ => (0..entries.len()).find(is),
                    }
                } else {
                    (0..entries.len()).filter(is).nth(kth)
                };
                found.is_some_and(|i| {
                    i as u128 <= mask(self.terms.width(index)) && self.make(index, i as u128)
                })
            }
        }
    }

    fn make_choice(&mut self, c: Term, x: Term, y: Term, v: u128) -> bool {
        let now = self.terms.holds(c, &self.base);
        // If a branch has the value already, only the condition has to change.
        for (branch, side) in [(x, true), (y, false)] {
            if side != now && self.value(branch) == v {
                return self.make_bool(c, side);
            }
        }
        let stay = self.pick(2) == 0;
        let branch = if now == stay { x } else { y };
        (stay || self.make_bool(c, !now)) && self.make(branch, v)
    }
}

/// Turns over the sign bit: signed order becomes unsigned order.
fn flip(v: u128, w: u8) -> u128 {
    v ^ 1 << (w - 1)
}

/// Distance to keep from the border of an interval of this size, so that later values find room on both sides.
pub(crate) fn room(w: u8, size: u128) -> u128 {
    (size / 2).min(1 << (w / 3))
}

/// The value of one operand (the first, or else the second) with which `op` gives `v`, when the other operand
/// is `k` and this one is `now`.
fn inverse(op: BinaryOp, w: u8, first: bool, v: u128, now: u128, k: u128) -> Option<u128> {
    use BinaryOp::*;
    let m = mask(w);
    match (op, first) {
        (Add, _) => Some(v.wrapping_sub(k) & m),
        (Sub, true) => Some(v.wrapping_add(k) & m),
        (Sub, false) => Some(k.wrapping_sub(v) & m),
        (Xor, _) => Some(v ^ k),
        (And, _) if v & !k == 0 => Some(v | (now & !k)),
        (Or, _) if k & !v == 0 => Some((v & !k) | (now & k)),
        (Mul, _) => {
            let zeros = k.trailing_zeros();
            if k == 0 || v & mask(zeros as u8) != 0 {
                return None;
            }
            Some((v >> zeros).wrapping_mul(odd_inverse(k >> zeros)) & (m >> zeros))
        }
        (UDiv, true) => v.checked_mul(k).and_then(|p| p.checked_add(now.checked_rem(k)?)).filter(|&x| x <= m),
        (UDiv, false) => k.checked_div(v),
        (URem, true) if v < k => (now - now % k).checked_add(v).filter(|&x| x <= m).or(Some(v)),
        (URem, false) if v < k => Some(k - v),
        (SDiv, true) => Some(v.wrapping_mul(k) & m),
        (SRem, true) => Some(v),
        (Shl, true) if k < w as u128 && v & mask(k as u8) == 0 => Some(v >> k),
        (LShr | AShr, true) if k < w as u128 => Some((v << k | (now & mask(k as u8))) & m),
        _ => None,
    }
}

/// The inverse of an odd number modulo 2^128, by Newton's iteration.
fn odd_inverse(k: u128) -> u128 {
    let mut x = k; // right in the lowest three bits
    for _ in 0..6 {
        x = x.wrapping_mul(2u128.wrapping_sub(k.wrapping_mul(x)));
    }
    x
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn operators() -> impl Strategy<Value = BinaryOp> {
        use BinaryOp::*;
        proptest::sample::select(vec![Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr])
    }

    proptest! {
        #[test]
        fn what_inverts_an_operator_fits_its_width(
            (op, w, first) in (operators(), 1u8..=128, any::<bool>()),
            (v, now, k) in (any::<u128>(), any::<u128>(), any::<u128>()),
            small in 0u32..128,
        ) {
            let m = mask(w);
            for k in [k & m, k & m & mask(small as u8), m] {
                let (v, now) = (v & m, now & m);
                // Sums of values near the border exceed the width.
                for (v, now) in [(v, now), (v % k.max(1), m), (m, now)] {
                    if let Some(x) = inverse(op, w, first, v, now, k) {
                        prop_assert!(x <= m, "{op:?} {v} {now} {k}: {x}");
                        match op {
                            BinaryOp::URem if first => prop_assert_eq!(x % k, v),
                            BinaryOp::Mul => prop_assert_eq!(x.wrapping_mul(k) & m, v),
                            BinaryOp::Add => prop_assert_eq!(x.wrapping_add(k) & m, v),
                            _ => {}
                        }
                    }
                }
            }
        }
    }
}

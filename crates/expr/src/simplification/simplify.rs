//! The constructors' rewriting rules. Each uses only the shape of its operands, so a term's form depends only
//! on how it was made.

use crate::evaluation::semantics::{mask, sign_extend};
use crate::store::term::{BinaryOp, Node, Term};
use crate::store::terms::Terms;
use BinaryOp::*;

impl Terms {
    /// A simpler form of `a op b`, if a rule applies. At most one operand may be a constant, and those of a
    /// commutative operator must be in order (a constant is the second).
    pub(crate) fn simplified(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        if let Some(t) = self.pushed_into_choice(op, a, b) {
            return Some(t);
        }
        if op.is_comparison()
            && let Some(t) = self.compared_entry(op, a, b)
        {
            return Some(t);
        }
        match op {
            Add => self.simplify_add(a, b),
            Sub => self.simplify_sub(a, b),
            Mul => self.simplify_mul(a, b),
            And => self.simplify_and(a, b),
            Or => self.simplify_or(a, b),
            Xor => self.simplify_xor(a, b),
            Shl | LShr | AShr => self.simplify_shift(op, a, b),
            UDiv | URem | SDiv | SRem => self.simplify_division(op, a, b),
            Eq => self.simplify_eq(a, b),
            Ult => self.simplify_ult(a, b),
            Slt => self.simplify_slt(a, b),
            Concat => self.simplify_concat(a, b),
        }
    }

    /// `(c ? k1 : k2) op k` is `c ? (k1 op k) : (k2 op k)`; for a comparison one constant is enough.
    fn pushed_into_choice(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let leaves = |s: &Self, t: Term| match s.node(t) {
            Node::Ite(c, x, y) => {
                let (x_known, y_known) = (s.is_constant(x), s.is_constant(y));
                let few = if op.is_comparison() { x_known || y_known } else { x_known && y_known };
                few.then_some((c, x, y))
            }
            _ => None,
        };
        let (c, x, y) = if self.is_constant(b) {
            let (c, x, y) = leaves(self, a)?;
            (c, self.binary(op, x, b), self.binary(op, y, b))
        } else if self.is_constant(a) {
            let (c, x, y) = leaves(self, b)?;
            (c, self.binary(op, a, x), self.binary(op, a, y))
        } else {
            return None;
        };
        Some(self.ite(c, x, y))
    }

    fn zero(&mut self, w: u8) -> Term {
        self.constant_of(w, 0)
    }

    /// The parts (hi, k) of `hi:0_k`, a term followed by `k` zero bits.
    fn shifted(&self, t: Term) -> Option<(Term, u8)> {
        match self.node(t) {
            Node::Binary(Concat, hi, lo) if self.constant(lo) == Some(0) => Some((hi, self.width(lo))),
            _ => None,
        }
    }

    /// If `t` has only zeros from bit `k` on: its low `k` bits.
    fn fits(&mut self, t: Term, k: u8) -> Option<Term> {
        let fits = match self.constant(t) {
            Some(v) => v <= mask(k),
            None => match self.node(t) {
                Node::Zext(x) => self.width(x) <= k,
                _ => self.width(t) <= 64 && k < 64 && self.range(t).1 <= mask(k) as u64,
            },
        };
        if fits { Some(self.extract(t, 0, k)) } else { None }
    }

    /// `hi:0 + z`, `hi:0 | z` and `hi:0 ^ z` as a concatenation, if the bits do not overlap.
    fn disjoint(&mut self, a: Term, b: Term) -> Option<Term> {
        for (x, y) in [(a, b), (b, a)] {
            if let Some((hi, k)) = self.shifted(x)
                && let Some(low) = self.fits(y, k)
            {
                return Some(self.concat(hi, low));
            }
            // zext(hi:0_k) beside low bits
            if let Node::Zext(inner) = self.node(x)
                && let Some((hi, k)) = self.shifted(inner)
                && let Some(low) = self.fits(y, k)
            {
                let w = self.width(x);
                let both = self.concat(hi, low);
                return Some(self.zext(both, w));
            }
        }
        None
    }

    fn simplify_add(&mut self, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if let Some(k) = self.constant(b) {
            if k == 0 {
                return Some(a);
            }
            if let Node::Binary(Add, x, c) = self.node(a)
                && let Some(k2) = self.constant(c)
            {
                let sum = self.constant_of(w, k.wrapping_add(k2));
                return Some(self.add(x, sum));
            }
        } else {
            // Constants move outwards, so that the constants of nested sums combine.
            for (x, y) in [(a, b), (b, a)] {
                if let Node::Binary(Add, p, c) = self.node(x)
                    && self.is_constant(c)
                {
                    let inner = self.add(p, y);
                    return Some(self.add(inner, c));
                }
                if let Node::Binary(Sub, p, q) = self.node(x)
                    && q == y
                {
                    return Some(p);
                }
            }
        }
        self.disjoint(a, b)
    }

    fn simplify_sub(&mut self, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if a == b {
            return Some(self.zero(w));
        }
        if let Some(k) = self.constant(b) {
            let negated = self.constant_of(w, k.wrapping_neg());
            return Some(self.add(a, negated));
        }
        if let Node::Binary(Add, x, y) = self.node(a) {
            if y == b {
                return Some(x);
            }
            if x == b {
                return Some(y);
            }
            if self.is_constant(y) {
                let inner = self.sub(x, b);
                return Some(self.add(inner, y));
            }
        }
        if let Node::Binary(Add, x, y) = self.node(b)
            && self.is_constant(y)
        {
            let inner = self.sub(a, x);
            return Some(self.sub(inner, y));
        }
        None
    }

    fn simplify_mul(&mut self, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        let k = self.constant(b)?;
        match k {
            0 => Some(b),
            1 => Some(a),
            _ if k.is_power_of_two() => {
                let by = self.constant_of(w, k.trailing_zeros() as u128);
                Some(self.binary(Shl, a, by))
            }
            _ => match self.node(a) {
                Node::Binary(Mul, x, c) => {
                    let k2 = self.constant(c)?;
                    let product = self.constant_of(w, k.wrapping_mul(k2));
                    Some(self.mul(x, product))
                }
                _ => None,
            },
        }
    }

    fn simplify_and(&mut self, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if a == b {
            return Some(a);
        }
        if self.negates(a, b) {
            return Some(self.zero(w));
        }
        let Some(k) = self.constant(b) else {
            return if w == 1 { self.absorbed(And, Or, a, b) } else { None };
        };
        if k == 0 {
            return Some(b);
        }
        if k == mask(w) || (w <= 64 && (k + 1).is_power_of_two() && self.range(a).1 as u128 <= k) {
            return Some(a);
        }
        if (k + 1).is_power_of_two() {
            let low = self.extract(a, 0, k.count_ones() as u8);
            return Some(self.zext(low, w));
        }
        match self.node(a) {
            Node::Binary(And, x, c) => {
                let k2 = self.constant(c)?;
                let both = self.constant_of(w, k & k2);
                Some(self.and(x, both))
            }
            Node::Zext(x) => {
                let wx = self.width(x);
                let kx = self.constant_of(wx, k);
                let inner = self.and(x, kx);
                Some(self.zext(inner, w))
            }
            Node::Binary(Concat, hi, lo) => {
                let (wh, wl) = (self.width(hi), self.width(lo));
                let (kh, kl) = (self.constant_of(wh, k >> wl), self.constant_of(wl, k));
                let (hi, lo) = (self.and(hi, kh), self.and(lo, kl));
                Some(self.concat(hi, lo))
            }
            // A mask of consecutive bits: the bits below become zeros.
            _ if k.trailing_zeros() > 0 && {
                let run = k >> k.trailing_zeros();
                (run + 1).is_power_of_two()
            } =>
            {
                let low = k.trailing_zeros();
                let bits = self.extract(a, low, k.count_ones() as u8);
                let zeros = self.zero(low as u8);
                let t = self.concat(bits, zeros);
                Some(self.zext(t, w))
            }
            _ => None,
        }
    }

    /// `x & (x | y)` and `x | (x & y)` are `x`, for one bit.
    fn absorbed(&self, _outer: BinaryOp, inner: BinaryOp, a: Term, b: Term) -> Option<Term> {
        for (x, y) in [(a, b), (b, a)] {
            if let Node::Binary(op, p, q) = self.node(y)
                && op == inner
                && (p == x || q == x)
            {
                return Some(x);
            }
        }
        None
    }

    fn negates(&self, a: Term, b: Term) -> bool {
        matches!(self.node(a), Node::Not(x) if x == b) || matches!(self.node(b), Node::Not(x) if x == a)
    }

    fn simplify_or(&mut self, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if a == b {
            return Some(a);
        }
        if self.negates(a, b) {
            return Some(self.constant_of(w, mask(w)));
        }
        if let Some(k) = self.constant(b) {
            if k == 0 {
                return Some(a);
            }
            if k == mask(w) {
                return Some(b);
            }
            if let Node::Binary(Or, x, c) = self.node(a)
                && let Some(k2) = self.constant(c)
            {
                let both = self.constant_of(w, k | k2);
                return Some(self.or(x, both));
            }
        } else if w == 1 {
            return self.absorbed(Or, And, a, b);
        }
        self.disjoint(a, b)
    }

    fn simplify_xor(&mut self, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if a == b {
            return Some(self.zero(w));
        }
        if let Some(k) = self.constant(b) {
            if k == 0 {
                return Some(a);
            }
            if k == mask(w) {
                return Some(self.not(a));
            }
            if let Node::Binary(Xor, x, c) = self.node(a)
                && let Some(k2) = self.constant(c)
            {
                let both = self.constant_of(w, k ^ k2);
                return Some(self.xor(x, both));
            }
        }
        if w == 1 {
            // a != b
            let t = self.eq(a, b);
            return Some(self.not(t));
        }
        self.disjoint(a, b)
    }

    /// Shifts by a constant become extracts and concatenations.
    fn simplify_shift(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if self.constant(a) == Some(0) {
            return Some(a);
        }
        let k = self.constant(b)?;
        if k == 0 {
            return Some(a);
        }
        if k >= w as u128 {
            return Some(match op {
                AShr => {
                    let sign = self.extract(a, w as u32 - 1, 1);
                    self.sext(sign, w)
                }
                _ => self.zero(w),
            });
        }
        let k = k as u8;
        Some(match op {
            Shl => {
                let kept = self.extract(a, 0, w - k);
                let zeros = self.zero(k);
                self.concat(kept, zeros)
            }
            _ => {
                let kept = self.extract(a, k as u32, w - k);
                if op == LShr { self.zext(kept, w) } else { self.sext(kept, w) }
            }
        })
    }

    fn simplify_division(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        let k = self.constant(b)?;
        if k == 1 {
            return Some(if matches!(op, UDiv | SDiv) { a } else { self.zero(w) });
        }
        if w <= 64 && k <= mask(w - 1) && self.range(a).1 as u128 <= mask(w - 1) && k != 0 {
            // Both operands are non-negative.
            match op {
                SDiv => return Some(self.binary(UDiv, a, b)),
                SRem => return Some(self.binary(URem, a, b)),
                _ => {}
            }
        }
        if matches!(op, UDiv | URem) {
            if w <= 64 && (self.range(a).1 as u128) < k {
                return Some(if op == UDiv { self.zero(w) } else { a });
            }
            if k.is_power_of_two() {
                let shift = k.trailing_zeros();
                return Some(if op == UDiv {
                    let by = self.constant_of(w, shift as u128);
                    self.binary(LShr, a, by)
                } else {
                    let low = self.extract(a, 0, shift as u8);
                    self.zext(low, w)
                });
            }
            if let Some(t) = self.narrowed_division(op, a, k) {
                return Some(t);
            }
        }
        None
    }

    /// Division of a zero-extended value by a constant that fits the narrower width, in that width.
    fn narrowed_division(&mut self, op: BinaryOp, a: Term, k: u128) -> Option<Term> {
        let Node::Zext(x) = self.node(a) else { return None };
        let wx = self.width(x);
        if k == 0 || k > mask(wx) {
            return None; // division by zero gives all ones of the whole width
        }
        let kx = self.constant_of(wx, k);
        let inner = self.binary(op, x, kx);
        Some(self.zext(inner, self.width(a)))
    }

    fn simplify_eq(&mut self, a: Term, b: Term) -> Option<Term> {
        if a == b {
            return Some(self.bool(true));
        }
        let w = self.width(a);
        if self.negates(a, b) {
            return Some(self.bool(false));
        }
        if w <= 64 {
            let ((al, ah), (bl, bh)) = (self.range(a), self.range(b));
            if ah < bl || bh < al {
                return Some(self.bool(false));
            }
        }
        if let Some(k) = self.constant(b) {
            return self.eq_constant(a, b, k);
        }
        match (self.node(a), self.node(b)) {
            (Node::Zext(x), Node::Zext(y)) | (Node::Sext(x), Node::Sext(y)) => {
                let (wx, wy) = (self.width(x), self.width(y));
                if wx == wy {
                    return Some(self.eq(x, y));
                }
                None
            }
            (Node::Not(x), Node::Not(y)) => Some(self.eq(x, y)),
            (Node::Binary(Add, x, c), Node::Binary(Add, y, d)) if c == d => Some(self.eq(x, y)),
            _ => None,
        }
    }

    fn eq_constant(&mut self, a: Term, b: Term, k: u128) -> Option<Term> {
        let w = self.width(a);
        if w == 1 {
            return Some(if k == 1 { a } else { self.not(a) });
        }
        match self.node(a) {
            Node::Zext(x) => {
                let wx = self.width(x);
                if k > mask(wx) {
                    return Some(self.bool(false));
                }
                let kx = self.constant_of(wx, k);
                Some(self.eq(x, kx))
            }
            Node::Sext(x) => {
                let wx = self.width(x);
                if sign_extend(k, w) != sign_extend(k & mask(wx), wx) {
                    return Some(self.bool(false));
                }
                let kx = self.constant_of(wx, k);
                Some(self.eq(x, kx))
            }
            Node::Binary(Concat, hi, lo) => {
                let (wh, wl) = (self.width(hi), self.width(lo));
                let (kh, kl) = (self.constant_of(wh, k >> wl), self.constant_of(wl, k));
                let (p, q) = (self.eq(hi, kh), self.eq(lo, kl));
                Some(self.and(p, q))
            }
            Node::Binary(Add, x, c) if self.is_constant(c) => {
                let d = self.sub(b, c);
                Some(self.eq(x, d))
            }
            Node::Binary(Xor, x, c) if self.is_constant(c) => {
                let d = self.xor(b, c);
                Some(self.eq(x, d))
            }
            Node::Binary(Sub, x, y) if k == 0 => Some(self.eq(x, y)),
            Node::Binary(Xor, x, y) if k == 0 => Some(self.eq(x, y)),
            Node::Binary(Sub, c, y) if self.is_constant(c) => {
                let d = self.sub(c, b);
                Some(self.eq(y, d))
            }
            Node::Not(x) => {
                let d = self.not(b);
                Some(self.eq(x, d))
            }
            _ => None,
        }
    }

    fn simplify_ult(&mut self, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if a == b || self.constant(b) == Some(0) || self.constant(a) == Some(mask(w)) {
            return Some(self.bool(false));
        }
        if w <= 64 {
            let ((al, ah), (bl, bh)) = (self.range(a), self.range(b));
            if ah < bl {
                return Some(self.bool(true));
            }
            if al >= bh {
                return Some(self.bool(false));
            }
        }
        if w == 1 {
            let n = self.not(a);
            return Some(self.and(n, b));
        }
        if self.constant(b) == Some(1) {
            let z = self.zero(w);
            return Some(self.eq(a, z));
        }
        if self.constant(a) == Some(0) {
            return Some(self.ne(b, a));
        }
        self.ult_narrowed(a, b)
    }

    fn ult_narrowed(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.node(a), self.node(b)) {
            (Node::Zext(x), Node::Zext(y)) if self.width(x) == self.width(y) => Some(self.ult(x, y)),
            (Node::Zext(x), _) => {
                let k = self.constant(b)?;
                let wx = self.width(x);
                if k > mask(wx) {
                    return Some(self.bool(true));
                }
                let kx = self.constant_of(wx, k);
                Some(self.ult(x, kx))
            }
            (_, Node::Zext(y)) => {
                let k = self.constant(a)?;
                let wy = self.width(y);
                if k > mask(wy) {
                    return Some(self.bool(false));
                }
                let ky = self.constant_of(wy, k);
                Some(self.ult(ky, y))
            }
            _ => None,
        }
    }

    fn simplify_slt(&mut self, a: Term, b: Term) -> Option<Term> {
        if a == b {
            return Some(self.bool(false));
        }
        let w = self.width(a);
        if w == 1 {
            // -1 < 0
            let n = self.not(b);
            return Some(self.and(a, n));
        }
        if w <= 64 {
            let half = mask(w - 1) as u64;
            let ((al, ah), (bl, bh)) = (self.range(a), self.range(b));
            if (ah <= half && bh <= half) || (al > half && bl > half) {
                return Some(self.ult(a, b));
            }
            if ah <= half && bl > half {
                return Some(self.bool(false));
            }
            if al > half && bh <= half {
                return Some(self.bool(true));
            }
        }
        if self.constant(b) == Some(0) {
            return Some(self.extract(a, w as u32 - 1, 1));
        }
        if self.constant(a) == Some(mask(w)) {
            // -1 < b
            let sign = self.extract(b, w as u32 - 1, 1);
            return Some(self.not(sign));
        }
        match (self.node(a), self.node(b)) {
            (Node::Sext(x), Node::Sext(y)) if self.width(x) == self.width(y) => Some(self.slt(x, y)),
            (Node::Sext(x), _) => {
                let (k, wx) = (sign_extend(self.constant(b)?, w), self.width(x));
                let (least, most) = (-(1i128 << (wx - 1)), (1i128 << (wx - 1)) - 1);
                if k > most || k <= least {
                    return Some(self.bool(k > most));
                }
                let kx = self.constant_of(wx, k as u128);
                Some(self.slt(x, kx))
            }
            (_, Node::Sext(y)) => {
                let (k, wy) = (sign_extend(self.constant(a)?, w), self.width(y));
                let (least, most) = (-(1i128 << (wy - 1)), (1i128 << (wy - 1)) - 1);
                if k >= most || k < least {
                    return Some(self.bool(k < least));
                }
                let ky = self.constant_of(wy, k as u128);
                Some(self.slt(ky, y))
            }
            _ => None,
        }
    }

    fn simplify_concat(&mut self, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a) + self.width(b);
        if self.constant(a) == Some(0) {
            return Some(self.zext(b, w));
        }
        // Adjacent parts of one word combine, even if the lower part has a simpler form.
        let wb = self.width(b) as u32;
        if let Node::Extract(x, low) = self.node(a)
            && low >= wb
            && self.extract(x, low - wb, wb as u8) == b
        {
            return Some(self.extract(x, low - wb, w));
        }
        match (self.node(a), self.node(b)) {
            (Node::Zext(x), _) => {
                let inner = self.concat(x, b);
                Some(self.zext(inner, w))
            }
            // Concatenations nest to the right, so that neighbours combine.
            (Node::Binary(Concat, p, q), _) => {
                let low = self.concat(q, b);
                Some(self.concat(p, low))
            }
            (_, Node::Binary(Concat, p, q)) => {
                let merged = match (self.node(a), self.node(p)) {
                    (Node::Extract(x, low), Node::Extract(y, low2))
                        if x == y && low == low2 + self.width(p) as u32 =>
                    {
                        let wide = self.width(a) + self.width(p);
                        self.extract(x, low2, wide)
                    }
                    _ if self.is_constant(a) && self.is_constant(p) => self.concat(a, p),
                    _ => return None,
                };
                Some(self.concat(merged, q))
            }
            // Copies of a sign bit in front of its own word.
            (Node::Sext(x), _) => match (self.node(x), self.node(b)) {
                (Node::Extract(y, low), _)
                    if self.width(x) == 1 && y == b && low + 1 == self.width(b) as u32 =>
                {
                    Some(self.sext(b, w))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A simpler form of the `w` bits of `a` from `low` on; `a` is no constant and wider than `w`.
    pub(crate) fn extract_simplified(&mut self, a: Term, low: u32, w: u8) -> Option<Term> {
        let end = low + w as u32;
        match self.node(a) {
            Node::Extract(x, low2) => Some(self.extract(x, low + low2, w)),
            Node::Zext(x) => {
                let wx = self.width(x) as u32;
                Some(if low >= wx {
                    self.zero(w)
                } else if end <= wx {
                    self.extract(x, low, w)
                } else {
                    let top = self.extract(x, low, (wx - low) as u8);
                    self.zext(top, w)
                })
            }
            Node::Sext(x) => {
                let wx = self.width(x) as u32;
                Some(if end <= wx {
                    self.extract(x, low, w)
                } else {
                    let from = low.min(wx - 1);
                    let top = self.extract(x, from, (wx - from) as u8);
                    self.sext(top, w)
                })
            }
            Node::Binary(Concat, hi, lo) => {
                let wl = self.width(lo) as u32;
                Some(if end <= wl {
                    self.extract(lo, low, w)
                } else if low >= wl {
                    self.extract(hi, low - wl, w)
                } else {
                    let (h, l) =
                        (self.extract(hi, 0, (end - wl) as u8), self.extract(lo, low, (wl - low) as u8));
                    self.concat(h, l)
                })
            }
            Node::Not(x) => {
                let inner = self.extract(x, low, w);
                Some(self.not(inner))
            }
            Node::Binary(op @ (And | Or | Xor), x, y) => {
                let (x, y) = (self.extract(x, low, w), self.extract(y, low, w));
                Some(self.binary(op, x, y))
            }
            Node::Binary(op @ (Add | Sub | Mul), x, y) if low == 0 => {
                let (x, y) = (self.extract(x, 0, w), self.extract(y, 0, w));
                Some(self.binary(op, x, y))
            }
            Node::Ite(c, x, y) if self.is_constant(x) || self.is_constant(y) => {
                let (x, y) = (self.extract(x, low, w), self.extract(y, low, w));
                Some(self.ite(c, x, y))
            }
            _ => None,
        }
    }
}

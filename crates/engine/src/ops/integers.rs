//! Integer ops of at most 64 bits with an operand that is not known, and rare ones: `step.rs` executes the others itself. Rare ones
//! on known values are computed by `direct.rs`.

use cleave_expr::{BinaryOp, Term};
use cleave_program::code::{BinOp, ClampOp, OverflowOp, Pc, Pred, SwitchTable, UnOp};
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::ops::direct::{self, compare64, mask64, term_op, wrapping};
use crate::states::state::{Reg, State};
use crate::stop::{End, Stop};
use crate::undefined::shades::{Cause, Why};
use crate::undefined::shadow::{self, Shadowed};

/// Its number on Linux.
const SIGFPE: i32 = 8;

/// The values of registers if all of them are known.
#[inline(always)]
fn known<const N: usize>(regs: [Reg; N]) -> Option<[u128; N]> {
    regs.iter().all(|r| r.is_known()).then(|| regs.map(|r| r.value.into()))
}

impl Engine {
    pub(crate) fn binary_terms(&mut self, op: BinaryOp, w: u8, x: Reg, y: Reg) -> Reg {
        let (a, b) = (self.term(w, x), self.term(w, y));
        let t = self.terms.binary(op, a, b);
        let r = self.reg(t);
        if x.shade().is_none() && y.shade().is_none() {
            let plain = x.base().is_none() && y.base().is_none();
            return if plain { r } else { self.derived_by(op, w, r, x, y) };
        }
        let (a, b) = (self.shadowed(w, x), self.shadowed(w, y));
        let bits = shadow::binary(&mut self.terms, op, a, b);
        self.tinted(r, bits, &[x, y])
    }

    pub(crate) fn comparison(&mut self, pred: Pred, w: u8, x: Reg, y: Reg) -> Reg {
        let (a, b) = (self.term(w, x), self.term(w, y));
        let t = self.comparison_of(pred, a, b);
        let r = self.reg(t);
        if x.shade().is_none() && y.shade().is_none() {
            let plain = x.base().is_none() && y.base().is_none();
            return if plain { r } else { self.derived_comparison(pred, w, r, x, y) };
        }
        let (a, b) = (self.shadowed(w, x), self.shadowed(w, y));
        let bits = shadow::compare(&mut self.terms, pred, a, b);
        self.tinted(r, bits, &[x, y])
    }

    pub(crate) fn comparison_of(&mut self, pred: Pred, a: Term, b: Term) -> Term {
        let s = &mut self.terms;
        match pred {
            Pred::Eq => s.eq(a, b),
            Pred::Ne => s.ne(a, b),
            Pred::Ult => s.ult(a, b),
            Pred::Ule => s.ule(a, b),
            Pred::Ugt => s.ult(b, a),
            Pred::Uge => s.ule(b, a),
            Pred::Slt => s.slt(a, b),
            Pred::Sle => s.sle(a, b),
            Pred::Sgt => s.slt(b, a),
            Pred::Sge => s.sle(b, a),
        }
    }

    /// `c ? x : y`.
    pub(crate) fn choice(&mut self, state: &State, w: u8, c: Reg, x: Reg, y: Reg) -> Reg {
        let cond = self.term(1, c);
        let (a, b) = (self.term(w, x), self.term(w, y));
        let t = self.terms.ite(cond, a, b);
        let r = self.reg(t);
        if [c, x, y].iter().all(|r| r.shade().is_none()) {
            if [c, x, y].iter().all(|r| r.base().is_none()) {
                return r;
            }
            let r = if [x, y].iter().any(|&side| self.is_of_object(state, side)) {
                self.chosen_base(state, r, cond, [x, y])
            } else {
                r
            };
            return self.derived_choice(r, c, [x, y]);
        }
        let (c_bits, a, b) = (self.undefined_bits(1, c), self.shadowed(w, x), self.shadowed(w, y));
        let bits = shadow::choice(&mut self.terms, Shadowed { value: cond, bits: c_bits }, a, b);
        self.tinted(r, bits, &[x, y, c])
    }

    /// A shift whose amount may be too large: that is a bug, decided on its own. The result of a lazy one is
    /// undefined instead.
    pub(crate) fn shift_terms(
        &mut self,
        state: &State,
        op: BinaryOp,
        lazy: bool,
        w: u8,
        x: Reg,
        y: Reg,
    ) -> Result<Reg, Stop> {
        if !self.options.checks.has(Family::Shift) {
            let (amount, width) = (self.term(w, y), self.terms.constant_of(w, w as u128));
            let wrapped = self.terms.binary(BinaryOp::URem, amount, width);
            let wrapped = self.reg(wrapped).with_shade(y.shade());
            return Ok(self.binary_terms(op, w, x, wrapped));
        }
        let mut over = None;
        if w as u64 <= mask64(w) {
            let amount = self.term(w, y);
            over = self.overshift(state, lazy, w, amount)?;
        }
        let r = self.binary_terms(op, w, x, y);
        Ok(match over {
            Some(over) => self.overshifted(state, w, r, over),
            None => r,
        })
    }

    /// The result of a shift of `w` bits that goes too far where `over` holds.
    pub(crate) fn overshifted(&mut self, state: &State, w: u8, r: Reg, over: Term) -> Reg {
        let cause = Cause { why: Why::Overshift(w), place: self.here(state) };
        self.undefined_where(w, r, over, cause)
    }

    /// The condition under which a lazy shift of a value of `w` bits shifts too far; for another shift it is decided here.
    pub(crate) fn overshift(
        &mut self,
        state: &State,
        lazy: bool,
        w: u8,
        amount: Term,
    ) -> Result<Option<Term>, Stop> {
        let width = self.terms.constant_of(w, w as u128);
        let over = self.terms.ule(width, amount);
        if lazy {
            return Ok(self.terms.constant64(over).is_none_or(|v| v != 0).then_some(over));
        }
        if self.decide(state, over)? {
            let text = format!("a {w}-bit value is shifted by {w} or more");
            return Err(Stop::bug(BugKind::Overshift, text));
        }
        Ok(None)
    }

    pub(crate) fn truncated(&mut self, w: u8, x: Reg) -> Reg {
        let r = match x.term() {
            None => Reg::known(x.value & mask64(w)),
            Some(t) => {
                let t = self.terms.extract(t, 0, w);
                self.reg(t)
            }
        };
        match x.shade() {
            None => self.derived_low(r, x),
            Some(_) => {
                let bits = self.undefined_bits(w, x);
                self.tinted(r, bits, &[x])
            }
        }
    }

    pub(crate) fn extended(&mut self, signed: bool, from: u8, w: u8, x: Reg) -> Reg {
        let t = self.term(from, x);
        let t = if signed { self.terms.sext(t, w) } else { self.terms.zext(t, w) };
        let r = self.reg(t);
        if x.shade().is_none() {
            return self.derived_low(r, x);
        }
        let bits = self.undefined_bits(from, x);
        let bits = if signed { self.terms.sext(bits, w) } else { self.terms.zext(bits, w) };
        self.tinted(r, bits, &[x])
    }

    /// Division and remainder: by zero is a bug, and so is the one signed quotient that overflows.
    pub(crate) fn division(&mut self, state: &State, op: BinOp, w: u8, x: Reg, y: Reg) -> Result<Reg, Stop> {
        if let Some([a, b]) = known([x, y])
            && let Some(v) = direct::binary(op, w, a, b)
        {
            return Ok(Reg::known(v as u64));
        }
        self.used(state, y, "the divisor")?;
        let (a, b) = (self.term(w, x), self.term(w, y));
        let t = self.checked_division(state, op, w, a, b)?;
        let r = self.reg(t);
        let r = self.smeared(w, r, &[x]);
        let remainder = op == BinOp::URem && r.shade().is_none();
        Ok(if remainder {
            self.derived_by(BinaryOp::URem, w, r.with_shade(None), x, y)
        } else {
            self.derived(r, &[y])
        })
    }

    pub(crate) fn checked_division(
        &mut self,
        state: &State,
        op: BinOp,
        w: u8,
        a: Term,
        b: Term,
    ) -> Result<Term, Stop> {
        let zero = self.terms.constant_of(w, 0);
        let by_zero = self.terms.eq(b, zero);
        if self.decide(state, by_zero)? {
            return Err(self.wrong_division("a division by zero"));
        }
        if matches!(op, BinOp::SDiv | BinOp::SRem) {
            let least = self.terms.constant_of(w, 1 << (w - 1));
            let minus_one = self.terms.constant_of(w, u128::MAX);
            let (p, q) = (self.terms.eq(b, minus_one), self.terms.eq(a, least));
            let both = self.terms.and(p, q);
            if self.decide(state, both)? {
                return Err(self.wrong_division("a signed division whose result does not fit"));
            }
        }
        Ok(self.terms.binary(term_op(op), a, b))
    }

    /// A bug; without that check, the signal that the processor raises.
    fn wrong_division(&self, message: &str) -> Stop {
        match self.options.checks.has(Family::Division) {
            true => Stop::bug(BugKind::Division, message),
            false => Stop::End(End::Signal(SIGFPE)),
        }
    }

    /// Case by case, in order; each is a decision.
    pub(crate) fn switch(
        &mut self,
        state: &mut State,
        w: u8,
        v: Reg,
        table: &SwitchTable,
    ) -> Result<Pc, Stop> {
        self.used(state, v, "the branch of a switch")?;
        self.decides_switch(state, w, v, table);
        let Some(t) = v.term() else {
            let found = table.cases.iter().find(|(value, _)| *value == v.value);
            return Ok(found.map_or(table.default, |&(_, pc)| pc));
        };
        for pc in table.targets() {
            let values = table.cases.iter().filter(|c| c.1 == pc).map(|c| c.0).collect();
            let cond = self.one_of(w, t, values);
            if self.decide_branch(state, cond)? {
                return Ok(pc);
            }
        }
        Ok(table.default)
    }

    /// The condition that `t` is one of these values: neighbours are one comparison.
    fn one_of(&mut self, w: u8, t: Term, mut values: Vec<u64>) -> Term {
        values.sort_unstable();
        let mut any = self.terms.bool(false);
        for run in values.chunk_by(|a, b| a + 1 == *b) {
            let (first, last) = (run[0], run[run.len() - 1]);
            let k = self.terms.constant_of(w, first as u128);
            let within = if first == last {
                self.terms.eq(t, k)
            } else {
                let above = self.terms.sub(t, k);
                let room = self.terms.constant_of(w, (last - first) as u128);
                self.terms.ule(above, room)
            };
            any = self.terms.or(any, within);
        }
        any
    }

    pub(crate) fn index_terms(
        &mut self,
        state: &mut State,
        base: Reg,
        index: Reg,
        scale: i32,
        off: i32,
    ) -> Reg {
        if base.shade().is_some() || index.shade().is_some() {
            // As in sums of numbers, bits below the lowest undefined one stay defined: rustc keeps a byte in the low bits of a pointer.
            let [scale, off] = [scale, off].map(|n| Reg::known(n as i64 as u64));
            let scaled = self.binary_terms(BinaryOp::Mul, 64, index, scale);
            let sum = self.binary_terms(BinaryOp::Add, 64, base, scaled);
            return self.binary_terms(BinaryOp::Add, 64, sum, off);
        }
        let (b, i) = (self.term(64, base), self.term(64, index));
        let scale = self.terms.constant_of(64, scale as i64 as u64 as u128);
        let off = self.terms.constant_of(64, off as i64 as u64 as u128);
        let scaled = self.terms.mul(i, scale);
        let sum = self.terms.add(b, scaled);
        let t = self.terms.add(sum, off);
        let r = self.reg(t);
        if self.is_of_addresses(index) {
            self.index_of_addresses(state, base, r);
            return r.with_shade(None);
        }
        self.moved_from(state, r, base, index)
    }

    /// With `strict` the result is undefined where the operation has none: of 0, or of the least number.
    pub(crate) fn unary(&mut self, state: &State, op: UnOp, strict: bool, w: u8, x: Reg) -> Reg {
        if let Some([v]) = known([x])
            && !(strict && without_result(op, w).is_some_and(|(none, _)| none == v))
        {
            return Reg::known(direct::unary(op, w, v) as u64);
        }
        let a = self.term(w, x);
        let t = self.unary_term(op, w, a);
        let r = self.reg(t);
        let r = self.unary_shaded(op, w, r, x);
        let strict = strict && self.options.checks.has(Family::Uninitialised);
        if strict { self.strict_unary(state, op, w, r, a) } else { r }
    }

    /// `r`, the result of `op` of `x`, with its shade; both of any width.
    pub(crate) fn unary_shaded(&mut self, op: UnOp, w: u8, r: Reg, x: Reg) -> Reg {
        match op {
            UnOp::Bswap | UnOp::BitReverse => {
                if x.shade().is_none() {
                    return self.derived(r, &[x]);
                }
                let bits = self.undefined_bits(w, x);
                let bits = self.unary_term(op, w, bits);
                self.tinted(r, bits, &[x])
            }
            UnOp::Ctpop | UnOp::Ctlz | UnOp::Cttz | UnOp::Abs => self.smeared(w, r, &[x]),
        }
    }

    pub(crate) fn strict_unary(&mut self, state: &State, op: UnOp, w: u8, r: Reg, a: Term) -> Reg {
        let Some((none, why)) = without_result(op, w) else { return r };
        let none = self.terms.constant_of(w, none);
        let here = self.terms.eq(a, none);
        if self.terms.constant64(here) == Some(0) {
            return r;
        }
        self.undefined_where(w, r, here, Cause { why, place: self.here(state) })
    }

    pub(crate) fn unary_term(&mut self, op: UnOp, w: u8, a: Term) -> Term {
        let s = &mut self.terms;
        match op {
            UnOp::Bswap => {
                let mut t = s.extract(a, 0, 8);
                for i in 1..w / 8 {
                    let byte = s.extract(a, 8 * i as u32, 8);
                    t = s.concat(t, byte);
                }
                t
            }
            UnOp::BitReverse => {
                let mut t = s.extract(a, 0, 1);
                for i in 1..w {
                    let bit = s.extract(a, i as u32, 1);
                    t = s.concat(t, bit);
                }
                t
            }
            UnOp::Ctpop => {
                let mut sum = s.constant_of(w, 0);
                for i in 0..w {
                    let bit = s.extract(a, i as u32, 1);
                    let bit = s.zext(bit, w);
                    sum = s.add(sum, bit);
                }
                sum
            }
            UnOp::Ctlz | UnOp::Cttz => {
                // The least significant decision innermost: the first set bit from the right end wins.
                let mut t = s.constant_of(w, w as u128);
                for i in 0..w {
                    let place = if op == UnOp::Ctlz { i } else { w - 1 - i };
                    let bit = s.extract(a, place as u32, 1);
                    let count = if op == UnOp::Ctlz { w - 1 - place } else { place };
                    let k = s.constant_of(w, count as u128);
                    t = s.ite(bit, k, t);
                }
                t
            }
            UnOp::Abs => {
                let zero = s.constant_of(w, 0);
                let negative = s.slt(a, zero);
                let negated = s.sub(zero, a);
                s.ite(negative, negated, a)
            }
        }
    }

    pub(crate) fn clamp(&mut self, op: ClampOp, w: u8, x: Reg, y: Reg) -> Reg {
        if let Some([a, b]) = known([x, y]) {
            return Reg::known(direct::clamp(op, w, a, b) as u64);
        }
        let (a, b) = (self.term(w, x), self.term(w, y));
        let t = self.clamp_term(op, w, a, b);
        let r = self.reg(t);
        self.smeared(w, r, &[x, y])
    }

    pub(crate) fn clamp_term(&mut self, op: ClampOp, w: u8, a: Term, b: Term) -> Term {
        let pick = |s: &mut Self, pred: Pred| {
            let c = s.comparison_of(pred, a, b);
            s.terms.ite(c, a, b)
        };
        match op {
            ClampOp::UMin => pick(self, Pred::Ult),
            ClampOp::UMax => pick(self, Pred::Ugt),
            ClampOp::SMin => pick(self, Pred::Slt),
            ClampOp::SMax => pick(self, Pred::Sgt),
            ClampOp::UAddSat => self.saturated(OverflowOp::UAdd, w, a, b),
            ClampOp::USubSat => self.saturated(OverflowOp::USub, w, a, b),
            ClampOp::SAddSat => self.saturated(OverflowOp::SAdd, w, a, b),
            ClampOp::SSubSat => self.saturated(OverflowOp::SSub, w, a, b),
            ClampOp::UShlSat => self.saturated_shift(false, w, a, b),
            ClampOp::SShlSat => self.saturated_shift(true, w, a, b),
        }
    }

    /// The greatest value of `w` bits, or for a negative `a` the least.
    fn signed_limit(&mut self, w: u8, a: Term) -> Term {
        let zero = self.terms.constant_of(w, 0);
        let most = self.terms.constant_of(w, (1 << (w - 1)) - 1);
        let least = self.terms.constant_of(w, 1 << (w - 1));
        let negative = self.terms.slt(a, zero);
        self.terms.ite(negative, least, most)
    }

    fn saturated(&mut self, op: OverflowOp, w: u8, a: Term, b: Term) -> Term {
        let (plain, over) = self.overflow_term(op, w, a, b);
        let at_limit = match op {
            OverflowOp::UAdd | OverflowOp::UMul => self.terms.constant_of(w, u128::MAX),
            OverflowOp::USub => self.terms.constant_of(w, 0),
            OverflowOp::SAdd | OverflowOp::SSub => self.signed_limit(w, a),
            OverflowOp::SMul => {
                let sign = self.terms.xor(a, b);
                self.signed_limit(w, sign)
            }
        };
        self.terms.ite(over, at_limit, plain)
    }

    fn saturated_shift(&mut self, signed: bool, w: u8, a: Term, b: Term) -> Term {
        let plain = self.terms.binary(BinaryOp::Shl, a, b);
        let back = if signed { BinaryOp::AShr } else { BinaryOp::LShr };
        let again = self.terms.binary(back, plain, b);
        let over = self.terms.ne(again, a);
        let at_limit = if signed { self.signed_limit(w, a) } else { self.terms.constant_of(w, u128::MAX) };
        self.terms.ite(over, at_limit, plain)
    }

    pub(crate) fn overflow(&mut self, op: OverflowOp, w: u8, x: Reg, y: Reg) -> (Reg, Reg) {
        if let Some([a, b]) = known([x, y]) {
            let (v, over) = direct::overflow(op, w, a, b);
            return (Reg::known(v as u64), Reg::known(over.into()));
        }
        let (a, b) = (self.term(w, x), self.term(w, y));
        let (t, over) = self.overflow_term(op, w, a, b);
        let (t, over) = (self.reg(t), self.reg(over));
        if x.shade().is_none() && y.shade().is_none() {
            return (self.derived(t, &[x, y]), self.derived(over, &[x, y]));
        }
        let (a, b) = (self.shadowed(w, x), self.shadowed(w, y));
        let bits = shadow::binary(&mut self.terms, wrapping(op), a, b);
        (self.tinted(t, bits, &[x, y]), self.smeared(1, over, &[x, y]))
    }

    /// The wrapped result and whether it overflowed; `w` is at most 128.
    pub(crate) fn overflow_term(&mut self, op: OverflowOp, w: u8, a: Term, b: Term) -> (Term, Term) {
        let s = &mut self.terms;
        let zero = s.constant_of(w, 0);
        match op {
            OverflowOp::UAdd => {
                let t = s.add(a, b);
                let over = s.ult(t, a);
                (t, over)
            }
            OverflowOp::USub => {
                let t = s.sub(a, b);
                let over = s.ult(a, b);
                (t, over)
            }
            OverflowOp::SAdd => {
                let t = s.add(a, b);
                let (down, less) = (s.slt(b, zero), s.slt(t, a));
                let same = s.eq(down, less);
                let over = s.not(same);
                (t, over)
            }
            OverflowOp::SSub => {
                let t = s.sub(a, b);
                let (down, more) = (s.slt(b, zero), s.slt(a, t));
                let same = s.eq(down, more);
                let over = s.not(same);
                (t, over)
            }
            OverflowOp::UMul | OverflowOp::SMul => self.multiply_overflow(op == OverflowOp::SMul, w, a, b),
        }
    }

    fn multiply_overflow(&mut self, signed: bool, w: u8, a: Term, b: Term) -> (Term, Term) {
        let s = &mut self.terms;
        let t = s.mul(a, b);
        if w <= 64 {
            let ext =
                |s: &mut cleave_expr::Terms, x| if signed { s.sext(x, 2 * w) } else { s.zext(x, 2 * w) };
            let (wa, wb, wt) = (ext(s, a), ext(s, b), ext(s, t));
            let product = s.mul(wa, wb);
            let over = s.ne(product, wt);
            return (t, over);
        }
        // No room for the double width: divide back. Signed: also least * -1.
        let zero = s.constant_of(w, 0);
        let div = if signed { BinaryOp::SDiv } else { BinaryOp::UDiv };
        let back = s.binary(div, t, a);
        let differs = s.ne(back, b);
        let nonzero = s.ne(a, zero);
        let mut over = s.and(nonzero, differs);
        if signed {
            let (least, minus) = (s.constant_of(w, 1 << (w - 1)), s.constant_of(w, u128::MAX));
            let (p, q) = (s.eq(a, minus), s.eq(b, least));
            let edge = s.and(p, q);
            over = s.or(over, edge);
        }
        (t, over)
    }

    pub(crate) fn funnel(&mut self, left: bool, w: u8, x: Reg, y: Reg, z: Reg) -> Reg {
        if let Some([a, b, c]) = known([x, y, z]) {
            return Reg::known(direct::funnel(left, w, a, b, c) as u64);
        }
        let (a, b, c) = (self.term(w, x), self.term(w, y), self.term(w, z));
        let t = self.funnel_term(left, w, a, b, c);
        let r = self.reg(t);
        if [x, y, z].iter().all(|r| r.shade().is_none()) {
            return self.derived(r, &[x, y, z]);
        }
        let bits = self.funnel_bits(left, w, [x, y, z], c);
        self.tinted(r, bits, &[x, y, z])
    }

    /// The undefined bits of `x:y` shifted by `z`, whose value is `c`; of any width.
    pub(crate) fn funnel_bits(&mut self, left: bool, w: u8, [x, y, z]: [Reg; 3], c: Term) -> Term {
        let (x, y, z) = (self.undefined_bits(w, x), self.undefined_bits(w, y), self.undefined_bits(w, z));
        let moved = self.funnel_term(left, w, x, y, c);
        shadow::funnel(&mut self.terms, moved, z)
    }

    /// `a:b` shifted by `c` modulo `w`: the high part for a left shift, the low part for a right one.
    pub(crate) fn funnel_term(&mut self, left: bool, w: u8, a: Term, b: Term, c: Term) -> Term {
        let s = &mut self.terms;
        let width = s.constant_of(w, w as u128);
        let zero = s.constant_of(w, 0);
        let by = if w.is_power_of_two() || w as u64 > mask64(w.min(64)) {
            let m = s.constant_of(w, w as u128 - 1);
            s.and(c, m)
        } else {
            s.binary(BinaryOp::URem, c, width)
        };
        let rest = s.sub(width, by);
        let (high, low) = if left {
            (s.binary(BinaryOp::Shl, a, by), s.binary(BinaryOp::LShr, b, rest))
        } else {
            (s.binary(BinaryOp::Shl, a, rest), s.binary(BinaryOp::LShr, b, by))
        };
        let both = s.or(high, low);
        let none = s.eq(by, zero);
        s.ite(none, if left { a } else { b }, both)
    }

    /// The comparison of two pointers that are not both known to be in the same slot.
    pub(crate) fn pointers_compared(
        &mut self,
        state: &mut State,
        pred: Pred,
        x: Reg,
        y: Reg,
    ) -> Result<Reg, Stop> {
        if let (Some(a), Some(b)) = (self.object_start(state, x), self.object_start(state, y))
            && a != b
        {
            let ordered = !matches!(pred, Pred::Eq | Pred::Ne);
            if ordered {
                self.may_be_compared(state, "compared", a, b)?;
            }
            let certain = |r: Reg, start| r.term().is_some() || self.is_in_bounds(state, r, start);
            // Two distances may be chosen by the order, and compared with no more than the room of both: so programs check that objects
            // do not overlap. The order itself depends on addresses once something is decided by it.
            if ordered && [x, y].iter().all(|r| r.shade().is_none()) {
                let r = self.comparison(pred, 64, x, y);
                return Ok(match r.handle() {
                    None => self.with_address(r, None, self.here_in_program(state)),
                    Some(_) => r,
                });
            }
            if ordered || !certain(x, a) || !certain(y, b) {
                self.depends_on_addresses(state);
            }
        }
        for (input, place) in [(x, y), (y, x)] {
            if place.base().is_some() || place.is_known() && self.is_place(state, place.value) {
                self.came_to(state, input);
            }
        }
        if x.is_known() && y.is_known() {
            return Ok(Reg::known(compare64(pred, 64, x.value, y.value).into()));
        }
        Ok(self.comparison(pred, 64, x, y))
    }

    /// The distance of two pointers that are not both known to be in the same slot.
    pub(crate) fn pointers_subtracted(&mut self, state: &State, x: Reg, y: Reg) -> Result<Reg, Stop> {
        let r = match x.is_known() && y.is_known() {
            true => Reg::known(x.value.wrapping_sub(y.value)),
            false => self.binary_terms(BinaryOp::Sub, 64, x, y),
        };
        match (self.object_start(state, x), self.object_start(state, y)) {
            (Some(a), Some(b)) if a != b => {
                self.may_be_compared(state, "subtracted", a, b)?;
                let place = self.here_in_program(state);
                Ok(if r.handle().is_some() {
                    r
                } else {
                    let [a, b] =
                        [(a, x), (b, y)].map(|(start, at)| self.raw(state, start).room(self.span(at)));
                    self.with_cause(r, Why::Distance(a.min(b)), place)
                })
            }
            _ => Ok(r),
        }
    }
}

/// The operand of which a strict operation has no result, and why.
fn without_result(op: UnOp, w: u8) -> Option<(u128, Why)> {
    match op {
        UnOp::Ctlz | UnOp::Cttz => Some((0, Why::CountOfZero)),
        UnOp::Abs => Some((1 << (w - 1), Why::AbsOfLeast)),
        UnOp::Bswap | UnOp::BitReverse | UnOp::Ctpop => None,
    }
}

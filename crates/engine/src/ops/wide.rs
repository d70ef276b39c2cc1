//! Ops on scalars of 65 to 128 bits. Such a value is in two registers: both known, or the first has a term of
//! the whole width.

use cleave_expr::{Term, mask, sign_extend};
use cleave_memory::Shade;
use cleave_never::never;
use cleave_program::code::{BinOp, Op, Operand, OverflowOp, UnOp};
use cleave_program::{branch_ops, call_ops, float_ops, other_ops, plain_ops};

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::memory::pointers::AccessTarget;
use crate::ops::direct::{self, term_op, wrapping};
use crate::states::state::{Reg, State};
use crate::stop::Stop;
use crate::undefined::shadow::{self, Shadowed};

impl Engine {
    /// A wide operand as a term of `w` bits.
    pub(crate) fn wide_term(&mut self, state: &State, constants: &[u64], o: Operand, w: u8) -> Term {
        let low = state.get(constants, o);
        match low.term() {
            Some(t) => t,
            None => {
                let high = state.get(constants, o.high());
                self.terms.constant_of(w, (high.value as u128) << 64 | low.value as u128)
            }
        }
    }

    /// A wide operand with its shadow.
    fn wide_shadowed(&mut self, state: &State, constants: &[u64], o: Operand, w: u8) -> Shadowed {
        let bits = self.undefined_bits(w, state.get(constants, o));
        Shadowed { value: self.wide_term(state, constants, o, w), bits }
    }

    /// An operand of any width as a term.
    pub(crate) fn any_term(&mut self, state: &State, constants: &[u64], o: Operand, w: u8) -> Term {
        if w > 64 {
            return self.wide_term(state, constants, o, w);
        }
        let r = state.get(constants, o);
        self.term(w, r)
    }

    /// Puts a term of any width into a register, or two.
    pub(crate) fn put(&mut self, state: &mut State, dst: u32, t: Term) {
        let (d, t) = (dst as usize, self.settled_term(t));
        if self.terms.width(t) <= 64 {
            state.frame.regs[d] = self.reg(t);
            return;
        }
        let (low, high) = match self.terms.constant(t) {
            Some(v) => (Reg::known(v as u64), Reg::known((v >> 64) as u64)),
            None => (Reg::symbolic(t), Reg::ZERO),
        };
        state.frame.regs[d] = low;
        state.frame.regs[d + 1] = high;
    }

    pub(crate) fn wide(&mut self, state: &mut State, constants: &[u64], op: &Op) -> Result<(), Stop> {
        if let Some((dst, w, value)) = wide_of_known(state, constants, op) {
            put_known(state, dst, w, value);
            return Ok(());
        }
        self.wide_terms(state, constants, op)
    }

    fn wide_terms(&mut self, state: &mut State, constants: &[u64], op: &Op) -> Result<(), Stop> {
        let (dst, t) = match *op {
            Op::WideMove { dst, a } => {
                let (low, high) = (state.get(constants, a), state.get(constants, a.high()));
                state.frame.regs[dst as usize] = low;
                state.frame.regs[dst as usize + 1] = high;
                return Ok(());
            }
            Op::WideBin { dst, .. } => match self.wide_two(state, constants, op)? {
                Some(t) => (dst, t),
                None => return Ok(()),
            },
            Op::WideCmp { pred, w, dst, a, b } => {
                let x = self.wide_term(state, constants, a, w);
                let y = self.wide_term(state, constants, b, w);
                (dst, self.comparison_of(pred, x, y))
            }
            Op::WideSelect { w, dst, cond, a, b } => {
                let c = self.any_term(state, constants, cond, 1);
                let x = self.wide_term(state, constants, a, w);
                let y = self.wide_term(state, constants, b, w);
                (dst, self.terms.ite(c, x, y))
            }
            Op::WideExt { signed, from, w, dst, a } => {
                let x = self.any_term(state, constants, a, from);
                (dst, if signed { self.terms.sext(x, w) } else { self.terms.zext(x, w) })
            }
            Op::WideTrunc { from, w, dst, a } => {
                let x = self.wide_term(state, constants, a, from);
                (dst, self.terms.extract(x, 0, w))
            }
            Op::WideUnary { op, strict, w, dst, a } => {
                let x = self.wide_term(state, constants, a, w);
                let r = self.wide_one(state, (op, strict, w, dst), x, state.get(constants, a));
                state.frame.regs[dst as usize] = r;
                return Ok(());
            }
            Op::WideClamp { op, w, dst, a, b } => {
                let x = self.wide_term(state, constants, a, w);
                let y = self.wide_term(state, constants, b, w);
                (dst, self.clamp_term(op, w, x, y))
            }
            Op::WideFunnel { left, w, dst, a, b, c } => {
                let x = self.wide_term(state, constants, a, w);
                let y = self.wide_term(state, constants, b, w);
                let z = self.wide_term(state, constants, c, w);
                (dst, self.funnel_term(left, w, x, y, z))
            }
            Op::Overflow { op, w, dst, a, b } => {
                let x = self.wide_term(state, constants, a, w);
                let y = self.wide_term(state, constants, b, w);
                let from = [state.get(constants, a), state.get(constants, b)];
                (dst, self.wide_overflow(state, (op, w, dst), [x, y], from))
            }
            Op::WideLoad { w, dst, addr, off } => {
                let addr = state.get(constants, addr);
                let (t, shade) = self.wide_load(state, addr, off, w)?;
                self.put(state, dst, t);
                state.frame.regs[dst as usize] = state.frame.regs[dst as usize].with_shade(shade);
                return Ok(());
            }
            Op::WideStore { w, val, addr, off } => {
                let value = self.wide_term(state, constants, val, w);
                let shade = state.get(constants, val).shade();
                let addr = state.get(constants, addr);
                return self.store_term(state, value, shade, addr, off);
            }
            plain_ops!() | branch_ops!() | other_ops!() | float_ops!() | call_ops!() => {
                return Err(Stop::impossible("an op that is no wide op"));
            }
        };
        let from = wide_sources(op).map(|o| o.map_or(Reg::ZERO, |o| state.get(constants, o)));
        if from.iter().all(|r| r.shade().is_none()) {
            self.put(state, dst, t);
            return Ok(());
        }
        let bits = self.wide_bits(state, constants, op);
        self.put(state, dst, t);
        state.frame.regs[dst as usize] = self.tinted(state.frame.regs[dst as usize], bits, &from);
        Ok(())
    }

    /// An operation on two wide values: its result; `None` if a shift by too much has put it in its place already.
    fn wide_two(
        &mut self,
        state: &mut State,
        constants: &[u64],
        op_at_hand: &Op,
    ) -> Result<Option<Term>, Stop> {
        let &Op::WideBin { op, lazy, w, dst, a, b } = op_at_hand else {
            return Err(Stop::impossible("an op that is no operation on two wide values"));
        };
        let x = self.wide_term(state, constants, a, w);
        let y = self.wide_term(state, constants, b, w);
        let over = match op {
            BinOp::Shl | BinOp::LShr | BinOp::AShr if self.options.checks.has(Family::Shift) => {
                self.overshift(state, lazy, w, y)?
            }
            _ => None,
        };
        if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
            self.used(state, state.get(constants, b), "the divisor")?;
        }
        let t = self.wide_binary(state, op, w, x, y)?;
        if let Some(over) = over {
            let from = [state.get(constants, a), state.get(constants, b)];
            let bits = self.wide_bits(state, constants, op_at_hand);
            self.put(state, dst, t);
            let r = self.tinted(state.frame.regs[dst as usize], bits, &from);
            state.frame.regs[dst as usize] = self.overshifted(state, w, r, over);
            return Ok(None);
        }
        Ok(Some(t))
    }

    /// A sum, difference or product of values that come `from` registers. Its flag, behind the two registers of the
    /// result, is in its place already.
    fn wide_overflow(
        &mut self,
        state: &mut State,
        (op, w, dst): (OverflowOp, u8, u32),
        [x, y]: [Term; 2],
        from: [Reg; 2],
    ) -> Term {
        let (t, over) = self.overflow_term(op, w, x, y);
        self.put(state, dst + 2, over);
        let flag = self.smeared(1, state.frame.regs[dst as usize + 2], &from);
        state.frame.regs[dst as usize + 2] = flag;
        t
    }

    /// An operation on one wide value `x`, which comes `from` a register: the low half of the result, whose value is in
    /// its place already.
    fn wide_one(
        &mut self,
        state: &mut State,
        (op, strict, w, dst): (UnOp, bool, u8, u32),
        x: Term,
        from: Reg,
    ) -> Reg {
        let t = self.unary_term(op, w, x);
        self.put(state, dst, t);
        let r = self.unary_shaded(op, w, state.frame.regs[dst as usize], from);
        let strict = strict && self.options.checks.has(Family::Uninitialised);
        if strict { self.strict_unary(state, op, w, r, x) } else { r }
    }

    /// The undefined bits of an op's result, a wide one or of a wide operand.
    fn wide_bits(&mut self, state: &State, constants: &[u64], op: &Op) -> Term {
        let get = |o: Operand| state.get(constants, o);
        match *op {
            Op::WideBin { op, w, a, b, .. } => {
                let x = self.wide_shadowed(state, constants, a, w);
                let y = self.wide_shadowed(state, constants, b, w);
                shadow::binary(&mut self.terms, term_op(op), x, y)
            }
            Op::Overflow { op, w, a, b, .. } => {
                let x = self.wide_shadowed(state, constants, a, w);
                let y = self.wide_shadowed(state, constants, b, w);
                shadow::binary(&mut self.terms, wrapping(op), x, y)
            }
            Op::WideCmp { pred, w, a, b, .. } => {
                let x = self.wide_shadowed(state, constants, a, w);
                let y = self.wide_shadowed(state, constants, b, w);
                shadow::compare(&mut self.terms, pred, x, y)
            }
            Op::WideSelect { w, cond, a, b, .. } => {
                let c = self.shadowed(1, get(cond));
                let x = self.wide_shadowed(state, constants, a, w);
                let y = self.wide_shadowed(state, constants, b, w);
                shadow::choice(&mut self.terms, c, x, y)
            }
            Op::WideExt { signed, from, w, a, .. } => {
                let bits = self.undefined_bits(from, get(a));
                if signed { self.terms.sext(bits, w) } else { self.terms.zext(bits, w) }
            }
            Op::WideTrunc { from, w, a, .. } => {
                let bits = self.undefined_bits(from, get(a));
                self.terms.extract(bits, 0, w)
            }
            Op::WideClamp { w, a, b, .. } => {
                let bits = [self.undefined_bits(w, get(a)), self.undefined_bits(w, get(b))];
                shadow::smeared(&mut self.terms, w, &bits)
            }
            Op::WideFunnel { left, w, a, b, c, .. } => {
                let amount = self.wide_term(state, constants, c, w);
                self.funnel_bits(left, w, [get(a), get(b), get(c)], amount)
            }
            // Their shades are made where they are executed.
            Op::WideMove { .. } | Op::WideUnary { .. } | Op::WideLoad { .. } | Op::WideStore { .. } => {
                never!("the shade of {}", op.name());
                self.terms.constant_of(1, 0)
            }
            plain_ops!() | branch_ops!() | other_ops!() | float_ops!() | call_ops!() => {
                never!("the shade of {}, which is no wide op", op.name());
                self.terms.constant_of(1, 0)
            }
        }
    }

    fn wide_load(
        &mut self,
        state: &State,
        addr: Reg,
        off: i32,
        w: u8,
    ) -> Result<(Term, Option<Shade>), Stop> {
        // The usual case of floats is fast: known bytes at a known address.
        if let AccessTarget::At(address) = self.place(state, addr, off, w.div_ceil(8) as u64)? {
            let high = state.memory.load_known(address.wrapping_add(8), (w as usize - 64).div_ceil(8));
            if let (Some(low), Some(high)) = (state.memory.load_known(address, 8), high) {
                return Ok((self.terms.constant_of(w, (high as u128) << 64 | low as u128), None));
            }
        }
        self.cursor = 0; // the decisions of `place` are asked again
        self.load_term(state, addr, off, w)
    }

    fn wide_binary(&mut self, state: &State, op: BinOp, w: u8, x: Term, y: Term) -> Result<Term, Stop> {
        match op {
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => {
                self.checked_division(state, op, w, x, y)
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr if !self.options.checks.has(Family::Shift) => {
                let width = self.terms.constant_of(w, w as u128);
                let amount = self.terms.binary(cleave_expr::BinaryOp::URem, y, width);
                Ok(self.terms.binary(term_op(op), x, amount))
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => Ok(self.terms.binary(term_op(op), x, y)),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => {
                Ok(self.terms.binary(term_op(op), x, y))
            }
        }
    }
}

/// Puts a known value of `w` bits into a register, or two.
fn put_known(state: &mut State, dst: u32, w: u8, value: u128) {
    state.frame.regs[dst as usize] = Reg::known(value as u64);
    if w > 64 {
        state.frame.regs[dst as usize + 1] = Reg::known((value >> 64) as u64);
    }
}

/// The place, width and value of a result whose operands are all known; the flag of an overflow is in its place already. `None` for
/// other ops, and where a check finds a fault.
fn wide_of_known(state: &mut State, constants: &[u64], op: &Op) -> Option<(u32, u8, u128)> {
    let known = |o: Operand, w: u8| {
        let low = state.get(constants, o);
        let high = if w > 64 { state.get(constants, o.high()).value } else { 0 };
        low.is_known().then(|| u128::from(high) << 64 | u128::from(low.value))
    };
    Some(match *op {
        Op::WideBin { op, w, dst, a, b, .. } => (dst, w, direct::binary(op, w, known(a, w)?, known(b, w)?)?),
        Op::WideCmp { pred, w, dst, a, b } => {
            (dst, 1, direct::compare(pred, w, known(a, w)?, known(b, w)?).into())
        }
        Op::WideSelect { w, dst, cond, a, b } => {
            let (x, y) = (known(a, w)?, known(b, w)?);
            (dst, w, if known(cond, 1)? & 1 != 0 { x } else { y })
        }
        Op::WideExt { signed, from, w, dst, a } => {
            let x = known(a, from)?;
            (dst, w, if signed { sign_extend(x, from) as u128 & mask(w) } else { x })
        }
        Op::WideTrunc { from, w, dst, a } => (dst, w, known(a, from)? & mask(w)),
        Op::WideUnary { op, strict: false, w, dst, a } => (dst, w, direct::unary(op, w, known(a, w)?)),
        Op::WideClamp { op, w, dst, a, b } => (dst, w, direct::clamp(op, w, known(a, w)?, known(b, w)?)),
        Op::WideFunnel { left, w, dst, a, b, c } => {
            (dst, w, direct::funnel(left, w, known(a, w)?, known(b, w)?, known(c, w)?))
        }
        Op::Overflow { op, w, dst, a, b } if w > 64 => {
            let (value, over) = direct::overflow(op, w, known(a, w)?, known(b, w)?);
            put_known(state, dst + 2, 1, over.into());
            (dst, w, value)
        }
        _ => return None,
    })
}

/// The operands that an op's shade comes from, wide or not.
fn wide_sources(op: &Op) -> [Option<Operand>; 3] {
    match *op {
        Op::WideBin { a, b, .. }
        | Op::WideCmp { a, b, .. }
        | Op::WideClamp { a, b, .. }
        | Op::Overflow { a, b, .. } => [Some(a), Some(b), None],
        Op::WideSelect { cond, a, b, .. } => [Some(a), Some(b), Some(cond)],
        Op::WideFunnel { a, b, c, .. } => [Some(a), Some(b), Some(c)],
        Op::WideExt { a, .. } | Op::WideTrunc { a, .. } => [Some(a), None, None],
        // Their shades are made where they are executed.
        Op::WideMove { .. } | Op::WideUnary { .. } | Op::WideLoad { .. } | Op::WideStore { .. } => [None; 3],
        plain_ops!() | branch_ops!() | other_ops!() | float_ops!() | call_ops!() => [None; 3],
    }
}

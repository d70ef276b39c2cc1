//! Ops on scalars of 65 to 128 bits. Such a value is in two registers: both known, or the first has a term of
//! the whole width.

use cleave_expr::Term;
use cleave_program::code::{BinOp, Op, Operand};

use crate::checks::Family;
use crate::engine::Engine;
use crate::integers::term_op;
use crate::pointers::Place;
use crate::state::{Reg, State};
use crate::stop::{BugKind, Stop};

impl Engine {
    /// A wide operand as a term of `w` bits.
    pub(crate) fn wide_term(&mut self, state: &State, constants: &[u64], o: Operand, w: u8) -> Term {
        let low = state.get(constants, o);
        match low.term {
            Some(t) => t,
            None => {
                let high = state.get(constants, o.high());
                self.terms.constant_of(w, (high.value as u128) << 64 | low.value as u128)
            }
        }
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
    pub(crate) fn put(&self, state: &mut State, dst: u32, t: Term) {
        let d = dst as usize;
        if self.terms.width(t) <= 64 {
            state.frame.regs[d] = self.reg(t);
            return;
        }
        let (low, high) = match self.terms.constant(t) {
            Some(v) => (Reg::known(v as u64), Reg::known((v >> 64) as u64)),
            None => (Reg { value: 0, term: Some(t) }, Reg::ZERO),
        };
        state.frame.regs[d] = low;
        state.frame.regs[d + 1] = high;
    }

    pub(crate) fn wide(&mut self, state: &mut State, constants: &[u64], op: &Op) -> Result<(), Stop> {
        let (dst, t) = match *op {
            Op::WideMove { dst, a } => {
                let (low, high) = (state.get(constants, a), state.get(constants, a.high()));
                state.frame.regs[dst as usize] = low;
                state.frame.regs[dst as usize + 1] = high;
                return Ok(());
            }
            Op::WideBin { op, w, dst, a, b } => {
                let x = self.wide_term(state, constants, a, w);
                let y = self.wide_term(state, constants, b, w);
                (dst, self.wide_binary(state, op, w, x, y)?)
            }
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
            Op::WideUnary { op, w, dst, a } => {
                let x = self.wide_term(state, constants, a, w);
                (dst, self.unary_term(op, w, x))
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
                let (t, over) = self.overflow_term(op, w, x, y);
                self.put(state, dst + 2, over);
                (dst, t)
            }
            Op::WideLoad { w, dst, addr, off } => {
                let addr = state.get(constants, addr);
                (dst, self.wide_load(state, addr, off, w)?)
            }
            Op::WideStore { w, val, addr, off } => {
                let value = self.wide_term(state, constants, val, w);
                let addr = state.get(constants, addr);
                return self.store_term(state, value, addr, off);
            }
            _ => return Err(Stop::unsupported("a wide op that is none")),
        };
        self.put(state, dst, t);
        Ok(())
    }

    fn wide_load(&mut self, state: &State, addr: Reg, off: i32, w: u8) -> Result<Term, Stop> {
        // Fast for what floats do all the time: known bytes at a known address.
        if let Place::At(address) = self.place(state, addr, off, w.div_ceil(8) as u64)? {
            let high = state.memory.load_known(address.wrapping_add(8), (w as usize - 64).div_ceil(8));
            if let (Some(low), Some(high)) = (state.memory.load_known(address, 8), high) {
                return Ok(self.terms.constant_of(w, (high as u128) << 64 | low as u128));
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
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let width = self.terms.constant_of(w, w as u128);
                if !self.options.checks.has(Family::Shift) {
                    let amount = self.terms.binary(cleave_expr::BinaryOp::URem, y, width);
                    return Ok(self.terms.binary(term_op(op), x, amount));
                }
                let over = self.terms.ule(width, y);
                if self.decide(state, over)? {
                    let text = format!("a {w}-bit value is shifted by {w} or more");
                    return Err(Stop::bug(BugKind::Overshift, text));
                }
                Ok(self.terms.binary(term_op(op), x, y))
            }
            _ => Ok(self.terms.binary(term_op(op), x, y)),
        }
    }
}

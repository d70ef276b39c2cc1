//! Floating point, on concrete values: an operand that depends on the inputs is decided first, one path for
//! each value that it can have. A result is wholly undefined if one bit of an operand is.

use cleave_expr::Term;
use cleave_program::code::{FPred, Float, Op, Operand};
use cleave_program::{branch_ops, call_ops, other_ops, plain_ops, wide_ops};

use crate::engine::Engine;
use crate::state::{Reg, State};
use crate::stop::Stop;

impl Engine {
    fn concrete_wide(&mut self, state: &State, t: Term) -> Result<u128, Stop> {
        if let Some(v) = self.terms.constant(t) {
            return Ok(v);
        }
        let w = self.terms.width(t);
        if w <= 64 {
            return Ok(self.concrete_term(state, t)? as u128);
        }
        let (low, high) = (self.terms.extract(t, 0, 64), self.terms.extract(t, 64, w - 64));
        let high = self.concrete_term(state, high)? as u128;
        let low = self.concrete_term(state, low)? as u128;
        Ok(high << 64 | low)
    }

    fn concrete_operand(
        &mut self,
        state: &State,
        constants: &[u64],
        o: Operand,
        w: u8,
    ) -> Result<u128, Stop> {
        let low = state.get(constants, o);
        if low.term().is_none() {
            let high = if w > 64 { state.get(constants, o.high()).value } else { 0 };
            return Ok((high as u128) << 64 | low.value as u128);
        }
        let t = self.any_term(state, constants, o, w);
        self.concrete_wide(state, t)
    }

    pub(crate) fn float(&mut self, state: &mut State, constants: &[u64], op: &Op) -> Result<(), Stop> {
        let rounding = state.rounding;
        // The result is undefined if one bit of an operand is.
        let (dst, w, value, operands) = match *op {
            Op::FBin { op, k, dst, a, b } => {
                let x = self.concrete_operand(state, constants, a, k.bits())?;
                let y = self.concrete_operand(state, constants, b, k.bits())?;
                (dst, k.bits(), rounding.binary(op, k, x, y), [Some(a), Some(b), None])
            }
            Op::FUn { op, k, dst, a } => {
                let x = self.concrete_operand(state, constants, a, k.bits())?;
                (dst, k.bits(), rounding.unary(op, k, x), [Some(a), None, None])
            }
            Op::FMulAdd { fused, k, dst, a, b, c } => {
                let x = self.concrete_operand(state, constants, a, k.bits())?;
                let y = self.concrete_operand(state, constants, b, k.bits())?;
                let z = self.concrete_operand(state, constants, c, k.bits())?;
                (dst, k.bits(), rounding.mul_add(fused, k, x, y, z), [Some(a), Some(b), Some(c)])
            }
            Op::FCmp { pred, k, dst, a, b } => {
                let x = self.concrete_operand(state, constants, a, k.bits())?;
                let y = self.concrete_operand(state, constants, b, k.bits())?;
                (dst, 1, cleave_float::compare(pred, k, x, y) as u128, [Some(a), Some(b), None])
            }
            Op::FToF { from, to, dst, a } => {
                let x = self.concrete_operand(state, constants, a, from.bits())?;
                (dst, to.bits(), rounding.convert(from, to, x), [Some(a), None, None])
            }
            Op::FToInt { signed, from, w, dst, a } => {
                let x = self.concrete_operand(state, constants, a, from.bits())?;
                (dst, w, cleave_float::to_int(signed, from, w, x), [Some(a), None, None])
            }
            Op::FToIntSat { signed, from, w, dst, a } => {
                let x = self.concrete_operand(state, constants, a, from.bits())?;
                (dst, w, saturated(signed, from, w, x), [Some(a), None, None])
            }
            Op::IntToF { signed, w, to, dst, a } => {
                let x = self.concrete_operand(state, constants, a, w)?;
                (dst, to.bits(), rounding.from_int(signed, w, to, x), [Some(a), None, None])
            }
            plain_ops!() | branch_ops!() | other_ops!() | wide_ops!() | call_ops!() => {
                return Err(Stop::impossible("an op that is no floating-point op"));
            }
        };
        let from = operands.map(|o| o.map_or(Reg::ZERO, |o| state.get(constants, o)));
        state.frame.regs[dst as usize] = self.smeared(w, Reg::known(value as u64), &from);
        if w > 64 {
            state.frame.regs[dst as usize + 1] = Reg::known((value >> 64) as u64);
        }
        Ok(())
    }
}

/// A number as an integer of `w` bits: the nearest towards zero that there is, and 0 of what is no number.
fn saturated(signed: bool, from: Float, w: u8, x: u128) -> u128 {
    let none = FPred { eq: false, gt: false, lt: false, uno: false };
    let (unordered, below, above) =
        (FPred { uno: true, ..none }, FPred { lt: true, ..none }, FPred { gt: true, eq: true, ..none });
    let all = u128::MAX >> (128 - u32::from(w));
    let (least, most) = if signed { (all ^ all >> 1, all >> 1) } else { (0, all) };
    // The greatest integer may be rounded up: no number is between the two.
    let bound = |v| cleave_float::from_int(signed, w, from, v);
    if cleave_float::compare(unordered, from, x, x) {
        0
    } else if cleave_float::compare(below, from, x, bound(least)) {
        least
    } else if cleave_float::compare(above, from, x, bound(most)) {
        most
    } else {
        cleave_float::to_int(signed, from, w, x)
    }
}

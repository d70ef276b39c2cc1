//! Floating point. Known operands give a known result; a result that depends on the inputs is a term, as an integer is. A
//! result is wholly undefined if one bit of an operand is.

use cleave_expr::Term;
use cleave_float::{Float, Rounding};
use cleave_program::code::{Op, Operand};
use cleave_program::{branch_ops, call_ops, other_ops, plain_ops, wide_ops};

use crate::engine::Engine;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

impl Engine {
    /// The result where all operands are known; `None` where one depends on the inputs.
    fn float_of_known(state: &State, constants: &[u64], op: &Op) -> Option<u128> {
        let rounding = state.rounding;
        let known = |o: Operand, w: u8| {
            let low = state.get(constants, o);
            let high = if w > 64 { state.get(constants, o.high()).value } else { 0 };
            low.term().is_none().then(|| u128::from(high) << 64 | u128::from(low.value))
        };
        Some(match *op {
            Op::FBin { op, k, a, b, .. } => rounding.binary(op, k, known(a, k.bits())?, known(b, k.bits())?),
            Op::FUn { op, k, a, .. } => rounding.unary(op, k, known(a, k.bits())?),
            Op::FMulAdd { fused, k, a, b, c, .. } => {
                let [x, y, z] = [known(a, k.bits())?, known(b, k.bits())?, known(c, k.bits())?];
                rounding.mul_add(fused, k, x, y, z)
            }
            Op::FCmp { pred, k, a, b, .. } => {
                cleave_float::compare(pred, k, known(a, k.bits())?, known(b, k.bits())?).into()
            }
            Op::FToF { from, to, a, .. } => rounding.convert(from, to, known(a, from.bits())?),
            Op::FToInt { signed, from, w, a, .. } => {
                cleave_float::to_int(signed, from, w, known(a, from.bits())?)
            }
            Op::FToIntSat { signed, from, w, a, .. } => {
                cleave_float::to_int_saturated(signed, from, w, known(a, from.bits())?)
            }
            Op::IntToF { signed, halves, w, to, a, .. } => match known(a, w)? {
                0 if halves && rounding == Rounding::Down => minus_zero(to),
                value => rounding.from_int(signed, w, to, value),
            },
            plain_ops!() | branch_ops!() | other_ops!() | wide_ops!() | call_ops!() => return None,
        })
    }

    /// The result as a term.
    fn float_term(&mut self, state: &State, constants: &[u64], op: &Op) -> Result<Term, Stop> {
        let rounding = state.rounding;
        Ok(match *op {
            Op::FBin { op, k, a, b, .. } => {
                let w = k.bits();
                let (x, y) = (self.any_term(state, constants, a, w), self.any_term(state, constants, b, w));
                self.terms.float_binary(op, rounding, x, y)
            }
            Op::FUn { op, k, a, .. } => {
                let x = self.any_term(state, constants, a, k.bits());
                self.terms.float_unary(op, rounding, x)
            }
            Op::FMulAdd { fused, k, a, b, c, .. } => {
                let [x, y, z] = [a, b, c].map(|o| self.any_term(state, constants, o, k.bits()));
                self.terms.float_mul_add(fused, rounding, x, y, z)
            }
            Op::FCmp { pred, k, a, b, .. } => {
                let [x, y] = [a, b].map(|o| self.any_term(state, constants, o, k.bits()));
                self.terms.float_compare(pred, x, y)
            }
            Op::FToF { from, to, a, .. } => {
                let x = self.any_term(state, constants, a, from.bits());
                self.terms.float_convert(rounding, to, x)
            }
            Op::FToInt { signed, from, w, a, .. } => {
                let x = self.any_term(state, constants, a, from.bits());
                self.terms.float_to_int(signed, w, x)
            }
            Op::FToIntSat { signed, from, w, a, .. } => {
                let x = self.any_term(state, constants, a, from.bits());
                self.terms.float_to_int_saturated(signed, w, x)
            }
            Op::IntToF { signed, halves, w, to, a, .. } => {
                let x = self.any_term(state, constants, a, w);
                let number = self.terms.float_from_int(signed, rounding, to, x);
                if !halves || rounding != Rounding::Down {
                    return Ok(number);
                }
                let zero = self.terms.constant_of(w, 0);
                let (is_zero, minus_zero) =
                    (self.terms.eq(x, zero), self.terms.constant_of(to.bits(), minus_zero(to)));
                self.terms.ite(is_zero, minus_zero, number)
            }
            plain_ops!() | branch_ops!() | other_ops!() | wide_ops!() | call_ops!() => {
                return Err(Stop::impossible("an op that is no floating-point op"));
            }
        })
    }

    pub(crate) fn float(&mut self, state: &mut State, constants: &[u64], op: &Op) -> Result<(), Stop> {
        let (dst, w, operands) = shape(op)?;
        let from = operands.map(|o| o.map_or(Reg::ZERO, |o| state.get(constants, o)));
        if let Some(value) = Engine::float_of_known(state, constants, op) {
            let low = self.smeared(w, Reg::known(value as u64), &from);
            state.frame.regs[dst as usize] = low;
            if w > 64 {
                state.frame.regs[dst as usize + 1] = Reg::known((value >> 64) as u64);
            }
            return Ok(());
        }
        let t = self.float_term(state, constants, op)?;
        self.put(state, dst, t);
        state.frame.regs[dst as usize] = self.smeared(w, state.frame.regs[dst as usize], &from);
        Ok(())
    }
}

fn minus_zero(k: Float) -> u128 {
    1 << (k.bits() - 1)
}

/// An op's result, the width of that, and its operands.
fn shape(op: &Op) -> Result<(u32, u8, [Option<Operand>; 3]), Stop> {
    Ok(match *op {
        Op::FBin { k, dst, a, b, .. } => (dst, k.bits(), [Some(a), Some(b), None]),
        Op::FUn { k, dst, a, .. } => (dst, k.bits(), [Some(a), None, None]),
        Op::FMulAdd { k, dst, a, b, c, .. } => (dst, k.bits(), [Some(a), Some(b), Some(c)]),
        Op::FCmp { dst, a, b, .. } => (dst, 1, [Some(a), Some(b), None]),
        Op::FToF { to, dst, a, .. } | Op::IntToF { to, dst, a, .. } => {
            (dst, to.bits(), [Some(a), None, None])
        }
        Op::FToInt { w, dst, a, .. } | Op::FToIntSat { w, dst, a, .. } => (dst, w, [Some(a), None, None]),
        plain_ops!() | branch_ops!() | other_ops!() | wide_ops!() | call_ops!() => {
            return Err(Stop::impossible("an op that is no floating-point op"));
        }
    })
}

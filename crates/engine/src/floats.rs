//! Floating point, on concrete values: an operand that depends on the inputs is decided first, one path for
//! each value that it can have. A result is wholly undefined if one bit of an operand is.

use cleave_expr::Term;
use cleave_program::code::{Float, Op, Operand};

use crate::engine::Engine;
use crate::state::{Reg, State};
use crate::stop::Stop;

fn bits(k: Float) -> u8 {
    match k {
        Float::F32 => 32,
        Float::F64 => 64,
        Float::X80 => 80,
    }
}

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
        let (dst, w, value) = match *op {
            Op::FBin { op, k, dst, a, b } => {
                let x = self.concrete_operand(state, constants, a, bits(k))?;
                let y = self.concrete_operand(state, constants, b, bits(k))?;
                (dst, bits(k), cleave_float::binary(op, k, x, y))
            }
            Op::FUn { op, k, dst, a } => {
                let x = self.concrete_operand(state, constants, a, bits(k))?;
                (dst, bits(k), cleave_float::unary(op, k, x))
            }
            Op::FMulAdd { fused, k, dst, a, b, c } => {
                let x = self.concrete_operand(state, constants, a, bits(k))?;
                let y = self.concrete_operand(state, constants, b, bits(k))?;
                let z = self.concrete_operand(state, constants, c, bits(k))?;
                (dst, bits(k), cleave_float::mul_add(fused, k, x, y, z))
            }
            Op::FCmp { pred, k, dst, a, b } => {
                let x = self.concrete_operand(state, constants, a, bits(k))?;
                let y = self.concrete_operand(state, constants, b, bits(k))?;
                (dst, 1, cleave_float::compare(pred, k, x, y) as u128)
            }
            Op::FToF { from, to, dst, a } => {
                let x = self.concrete_operand(state, constants, a, bits(from))?;
                (dst, bits(to), cleave_float::convert(from, to, x))
            }
            Op::FToInt { signed, from, w, dst, a } => {
                let x = self.concrete_operand(state, constants, a, bits(from))?;
                (dst, w, cleave_float::to_int(signed, from, w, x))
            }
            Op::IntToF { signed, w, to, dst, a } => {
                let x = self.concrete_operand(state, constants, a, w)?;
                (dst, bits(to), cleave_float::from_int(signed, w, to, x))
            }
            _ => return Err(Stop::impossible("an op that is no floating-point op")),
        };
        let from = float_sources(op).map(|o| o.map_or(Reg::ZERO, |o| state.get(constants, o)));
        state.frame.regs[dst as usize] = self.smeared(w, Reg::known(value as u64), &from);
        if w > 64 {
            state.frame.regs[dst as usize + 1] = Reg::known((value >> 64) as u64);
        }
        Ok(())
    }
}

/// The operands of a floating-point op: its result is undefined if one of their bits is.
fn float_sources(op: &Op) -> [Option<Operand>; 3] {
    match *op {
        Op::FBin { a, b, .. } | Op::FCmp { a, b, .. } => [Some(a), Some(b), None],
        Op::FMulAdd { a, b, c, .. } => [Some(a), Some(b), Some(c)],
        Op::FUn { a, .. } | Op::FToF { a, .. } | Op::FToInt { a, .. } | Op::IntToF { a, .. } => {
            [Some(a), None, None]
        }
        _ => [None; 3],
    }
}

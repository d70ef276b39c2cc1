//! Calls through a pointer to another type of function than the one that is called. C leaves them undefined; where
//! the calling convention of x86-64 says what happens, that happens: arguments too many are not looked at, results
//! that nobody wants are dropped, and of a wider integer the low bits are taken. Anything else is unsupported.

use cleave_program::code::{Function, IndirectCall, Kind, NO_REG, Op, Program};

use crate::engine::Engine;
use crate::state::{Reg, State};

/// Whether a scalar that is passed as `from` and taken as `to` has a certain value. Who takes less than 32 bits
/// relies on the others: they are to be its extension.
fn becomes(from: Kind, to: Kind) -> bool {
    from == to || (!from.float && !to.float && (32..from.width).contains(&to.width) && from.width <= 64)
}

fn all_become(from: &[Kind], to: &[Kind]) -> bool {
    from.len() >= to.len() && from.iter().zip(to).all(|(&from, &to)| becomes(from, to))
}

/// Whether it is certain what a call by another type does.
pub(crate) fn fits(call: &IndirectCall, callee: &Function) -> bool {
    let (given, own) = (&call.signature, &callee.signature);
    // What is given beyond the fixed arguments would be variable ones.
    let beyond = callee.variadic && call.varargs.is_none() && given.params.len() > own.params.len();
    // A builtin puts its result in place itself.
    let results = match callee.builtin {
        Some(_) => own.results == given.results,
        None => all_become(&own.results, &given.results),
    };
    !beyond && all_become(&given.params, &own.params) && (call.dst == NO_REG || results)
}

/// The results that the call which the running frame stands at wants.
pub(crate) fn wanted<'a>(program: &'a Program, state: &State) -> Option<&'a [Kind]> {
    let function = program.functions.get(state.frame.func as usize)?;
    match function.code.get(state.frame.pc as usize)? {
        Op::CallIndirect { call, .. } => Some(&function.indirect.get(*call as usize)?.signature.results),
        _ => None,
    }
}

impl Engine {
    /// Cuts scalars that were passed as `from` to what they are taken as.
    pub(crate) fn narrow(&mut self, regs: &mut [Reg], from: &[Kind], to: &[Kind]) {
        let mut at = 0;
        for (from, to) in from.iter().zip(to) {
            if let Some(r) = regs.get_mut(at).filter(|_| to.width < from.width && to.width < 64) {
                *r = self.truncated(to.width, *r);
            }
            at += to.registers();
        }
    }
}

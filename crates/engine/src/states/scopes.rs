//! Scopes of local variables: an object ends with its scope.

use cleave_expr::Term;
use cleave_memory::{Fault, Grave, Kind};
use cleave_program::code::{Builtin, Op};

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::states::places::OpPlace;
use crate::states::state::{Reg, State};
use crate::undefined::shades::{Cause, Why};

impl Engine {
    /// A scope begins or ends. Its variable is in memory, so its address is known.
    pub(crate) fn scope(&self, state: &mut State, begins: bool, at: Reg) {
        if !self.options.checks.has(Family::Scope) || !at.is_known() {
            return;
        }
        if begins {
            state.memory.begin_scope(at.value, self.options.checks.has(Family::Uninitialised));
        } else {
            let death = self.here(state).to_raw();
            state.memory.end_scope(at.value, death);
        }
    }

    /// True if the life of an object ended with its scope.
    pub(crate) fn ended_with_scope(&self, grave: Grave) -> bool {
        let end = self.op_at(OpPlace::from_raw(grave.death));
        let scope = matches!(end, Some(Op::Scope { .. } | Op::Builtin { what: Builtin::StackRestore, .. }));
        grave.kind == Kind::Stack && scope
    }

    /// The value of a read of `n` bytes that an optimiser may have moved out of the scope of the variable: one that is wholly
    /// undefined, and the cause. An optimiser moves only reads that it sees to be of a variable of the function.
    pub(crate) fn read_outside_of_scope(
        &mut self,
        state: &State,
        fault: &Fault,
        n: u64,
    ) -> Option<(Term, Option<(Term, Cause)>)> {
        let Fault::Dead { grave, .. } = *fault else { return None };
        let place = OpPlace::from_raw(grave.death);
        let Some(Op::Scope { lazy: true, .. }) = self.op_at(place) else { return None };
        let (Op::Load { addr, .. } | Op::WideLoad { addr, .. }) = self.op_at(self.here(state))? else {
            return None;
        };
        let function = &self.program.functions[state.frame.func as usize];
        if !addr.as_reg().is_some_and(|r| function.may_be_local(r)) {
            return None;
        }
        let width = 8 * n as u8;
        let (value, bits) = (self.terms.constant_of(width, 0), self.terms.constant_of(width, u128::MAX));
        let cause = Cause { why: Why::Scope(grave.size()), place };
        let undefined = self.options.checks.has(Family::Uninitialised).then_some((bits, cause));
        Some((value, undefined))
    }
}

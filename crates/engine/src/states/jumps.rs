//! The next places of states, and counts of the visits to each place, for search strategies.

use cleave_program::code::{FuncId, Op, Operand, Pc};
use cleave_program::{call_ops, float_ops, other_ops, plain_ops, wide_ops};

use crate::engine::Engine;
use crate::states::state::{Reg, Reply, State};
use crate::states::visits::Visits;

impl Engine {
    /// The place where a state goes on from a branch whose side it was told, or with `side` as the next answer. `None` if the
    /// op at hand is no branch, or these answers do not decide it.
    pub fn target(&self, state: &State, side: Option<bool>) -> Option<Pc> {
        let function = self.program.functions.get(state.frame.func as usize)?;
        let told = state.answers.iter().filter_map(|reply| match reply {
            Reply::Side(side) => Some(*side),
            Reply::Value(_) | Reply::Bounds(..) => None,
        });
        let mut sides = told.chain(side);
        match *function.code.get(state.frame.pc as usize)? {
            Op::Branch { then, other, .. }
            | Op::CmpBranch { then, other, .. }
            | Op::PtrBranch { then, other, .. } => sides.last().map(|side| if side { then } else { other }),
            Op::Switch { table, .. } => {
                let mut targets = function.switches.get(table as usize)?.targets();
                loop {
                    match (targets.next(), sides.next()) {
                        (target, Some(true)) => return target,
                        (None, _) => return Some(function.switches.get(table as usize)?.default),
                        (Some(_), Some(false)) => {}
                        (Some(_), None) => return None,
                    }
                }
            }
            Op::Jump { .. } | Op::Lands { .. } => None,
            plain_ops!() | other_ops!() | wide_ops!() | float_ops!() | call_ops!() => None,
        }
    }

    /// Counts visits from now on, on top of `visits`.
    pub fn count_visits(&mut self, visits: Visits) {
        self.visits = Some(visits);
    }

    /// The visits, where they are counted.
    pub fn visits(&self) -> Option<&Visits> {
        self.visits.as_ref()
    }

    /// Takes the visits away; they are not counted any more.
    pub fn take_visits(&mut self) -> Option<Visits> {
        self.visits.take()
    }

    /// Marks an access of `n` bytes by the op at `pc`.
    #[inline(always)]
    pub(crate) fn marks_access(&mut self, state: &State, pc: Pc, address: u64, n: u64) {
        if let Some((marks, op)) = self.visits.as_mut().and_then(|v| v.accesses(state.frame.func, pc))
            && let Ok((object, offset)) = state.memory.resolve(address, n)
        {
            marks.accessed(op, object.size, object.size - offset - n, state.depth);
        }
    }

    /// Marks the value that the op at `pc` stores.
    #[inline(always)]
    pub(crate) fn marks_value(&mut self, state: &State, pc: Pc, value: Reg) {
        if value.is_known()
            && let Some((marks, op)) = self.visits.as_mut().and_then(|v| v.accesses(state.frame.func, pc))
        {
            marks.stored(op, value.value);
        }
    }

    /// The branch at `pc` was decided by known values for the side that is not `target`.
    #[inline(always)]
    pub(crate) fn decided_by_known(&mut self, state: &State, pc: Pc, target: Pc) {
        if let Some(visits) = &mut self.visits {
            let func = state.frame.func;
            let function = &self.program.functions[func as usize];
            let get = |o: Operand| {
                let reg = state.get(&function.constants, o);
                reg.is_known().then_some(reg.value)
            };
            visits.decided(function, func, [pc, target], get);
        }
    }

    /// The sides of branches that nobody has taken for which a state has a value that was not tried: the first ops of the sides.
    pub fn fitting(&self, state: &State) -> Vec<(FuncId, Pc)> {
        self.visits.as_ref().map_or_else(Vec::new, |visits| visits.fitting(&state.memory))
    }

    #[inline(always)]
    pub(crate) fn visit(&mut self, func: FuncId, pc: Pc) {
        if let Some(visits) = &mut self.visits {
            visits.add(func, pc);
        }
    }
}

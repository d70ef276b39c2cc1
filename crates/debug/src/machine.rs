//! The machine that gdb sees: three registers, code that is there to have addresses, a stack that links the frames, and the
//! program's own memory.

use std::sync::Arc;

use cleave_program::code::{FuncId, Op, Operand, Reg};
use cleave_program::debug::{Debuggable, Home};

use crate::addresses::{Addresses, Word};
use crate::timeline::Timeline;

/// What stands for an instruction of x86-64 where gdb reads code: `nop`.
const NOP: u8 = 0x90;

/// The registers that gdb sees. The others do not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// The result of the function that has just returned, if it is one number.
    pub(crate) rax: Option<u64>,
    pub(crate) rbp: u64,
    pub(crate) rsp: u64,
    pub(crate) rip: u64,
}

/// A program as a machine.
pub(crate) struct Machine {
    pub(crate) program: Arc<Debuggable>,
    pub(crate) addresses: Addresses,
}

impl Machine {
    pub(crate) fn new(program: Arc<Debuggable>) -> Machine {
        Machine { addresses: Addresses::new(&program), program }
    }

    /// Where the state stands: the address of the op that comes next.
    pub(crate) fn here(&self, timeline: &Timeline) -> u64 {
        let (func, pc) = timeline.state.stack().next().unwrap_or_default();
        self.addresses.op(func, pc)
    }

    pub(crate) fn registers(&self, timeline: &mut Timeline) -> Registers {
        let height = timeline.state.stack_height() - 1;
        Registers {
            rax: self.result(timeline),
            rbp: self.addresses.frame_pointer(height),
            rsp: self.addresses.stack_pointer(height),
            rip: self.here(timeline),
        }
    }

    /// The result of the call that the state stands behind.
    fn result(&self, timeline: &mut Timeline) -> Option<u64> {
        let (func, pc) = timeline.state.stack().next()?;
        let function = self.program.program.functions.get(func as usize)?;
        let results = |callee: FuncId| Some(self.program.program.functions.get(callee as usize)?.results);
        let (results, dst): (u16, Reg) = match function.code.get((pc as usize).checked_sub(1)?)? {
            Op::Call { func, dst, .. } | Op::CallVar { func, dst, .. } => (results(*func)?, *dst),
            Op::CallIndirect { call, .. } => {
                let call = function.indirect.get(*call as usize)?;
                (call.results, call.dst)
            }
            _ => return None,
        };
        let witness = timeline.witness.clone();
        let register = (results == 1).then_some(Operand::reg(dst))?;
        timeline.engine.value_of(&timeline.state, 0, register, &witness)
    }

    /// Reads memory from an address on: as much as there is in one piece, `most` bytes at most.
    pub(crate) fn read(&self, timeline: &mut Timeline, address: u64, most: usize) -> Vec<u8> {
        if self.addresses.is_code(address) {
            let (start, size) = self.addresses.code();
            return vec![NOP; most.min((start + size - address) as usize)];
        }
        let witness = timeline.witness.clone();
        let found = timeline.engine.bytes_at(&timeline.state, address, most as u64, &witness);
        if !found.is_empty() {
            return found;
        }
        let mut out = Vec::new();
        while out.len() < most {
            let Some((height, word, byte)) = self.addresses.stack(address + out.len() as u64) else { break };
            let Some(value) = self.word(timeline, height, word) else { break };
            let wanted = most - out.len();
            out.extend(value.to_le_bytes()[byte..].iter().take(wanted));
        }
        out
    }

    /// A word of the stack.
    fn word(&self, timeline: &mut Timeline, height: usize, word: Word) -> Option<u64> {
        let depth = (timeline.state.stack_height() - 1).checked_sub(height)?;
        match word {
            Word::Return => match timeline.state.stack().nth(depth + 1) {
                Some((func, pc)) => Some(self.addresses.op(func, pc + 1)),
                None => Some(0),
            },
            Word::Pointer => {
                Some(height.checked_sub(1).map_or(0, |below| self.addresses.frame_pointer(below)))
            }
            Word::Variable(number) => {
                let (func, _) = timeline.state.stack().nth(depth)?;
                let operand = self.variable(func, number);
                let witness = timeline.witness.clone();
                let value =
                    operand.and_then(|o| timeline.engine.value_of(&timeline.state, depth, o, &witness));
                // What nobody can show is never asked for; the words around it may be.
                Some(value.unwrap_or(0))
            }
        }
    }

    /// What stands for a variable of a function : its address.
    fn variable(&self, func: FuncId, number: usize) -> Option<Operand> {
        let variable = self.program.info.function(func)?.variables.get(number)?;
        match &variable.home {
            Home::Memory { address, .. } => Some(Operand::reg(*address)),
            // From where to where a register still holds it is not known.
            Home::Registers(_) | Home::Unknown => None,
        }
    }
}

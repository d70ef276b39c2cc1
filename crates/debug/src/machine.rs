//! The machine that gdb sees: three registers, code that exists only to have addresses, a stack that links the frames, and the
//! program's own memory.

use std::sync::Arc;

use cleave_program::code::{FuncId, Op, Operand, Reg};
use cleave_program::debug::{Debuggable, Home};

use crate::addresses::{Addresses, Word};
use crate::timeline::Timeline;

/// Byte that gdb reads at each code address: the x86-64 instruction `nop`.
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

    /// The address of the next op.
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

    /// The result of the call that has just returned.
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

    /// Reads at most `most` bytes of memory from `address` on; stops at the end of the piece that contains the address.
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
                // gdb never reads a word without a value; it may read the words around it.
                Some(value.unwrap_or(0))
            }
        }
    }

    /// The operand that holds a variable's address.
    fn variable(&self, func: FuncId, number: usize) -> Option<Operand> {
        let variable = self.program.info.function(func)?.variables.get(number)?;
        match &variable.home {
            Home::Memory { address, .. } => Some(Operand::reg(*address)),
            // The range of code in which a register holds the variable is not known.
            Home::Registers(_) | Home::Unknown => None,
        }
    }
}

//! A debugger's view of a state, under a witness of its path. Nothing here changes a state.

use std::ops::Range;

use cleave_expr::Witness;
use cleave_memory::Byte;
use cleave_program::code::{Operand, Position};

use crate::engine::{Decided, Engine};
use crate::states::state::{Frame, Reg, State};

/// Maximum number of levels of a condition that are shown to people.
const SHOWN_LEVELS: u32 = 5;

impl State {
    /// Number of functions that are running.
    pub fn stack_height(&self) -> usize {
        self.frame.height as usize + 1
    }

    fn frame_at(&self, depth: usize) -> Option<&Frame> {
        self.frames().nth(depth)
    }
}

impl Engine {
    /// The value of an operand of a running function, 0 for the innermost one; `None` if there is no such function or
    /// register.
    pub fn value_of(
        &mut self,
        state: &State,
        depth: usize,
        operand: Operand,
        witness: &Witness,
    ) -> Option<u64> {
        let frame = state.frame_at(depth)?;
        let constants = &self.program.functions.get(frame.func as usize)?.constants;
        let value = match operand.as_reg() {
            Some(register) => *frame.regs.get(register as usize)?,
            None => Reg::known(*constants.get(operand.as_constant()? as usize)?),
        };
        Some(value.term().map_or(value.value, |term| self.terms.eval(term, witness)))
    }

    /// The bytes from an address on, `most` at most: as many as the object at that address has. None where there is no
    /// object that is alive.
    pub fn bytes_at(&mut self, state: &State, address: u64, most: u64, witness: &Witness) -> Vec<u8> {
        let Ok((object, offset)) = state.memory.resolve_decided(address, 1) else { return Vec::new() };
        let size = object.extent.map_or(object.size, |extent| self.terms.eval(extent, witness));
        let count = most.min(size.min(object.size).saturating_sub(offset));
        let bytes: Vec<Byte> = (offset..offset + count).map(|i| object.get(i)).collect();
        self.under(&bytes, witness)
    }

    /// The bytes that the program has written to standard output and standard error.
    pub fn written(&mut self, state: &State, witness: &Witness) -> [Vec<u8>; 2] {
        let mut value = |byte| match byte {
            Byte::Known(value) => value,
            Byte::Symbolic(term) => self.terms.eval(term, witness) as u8,
        };
        [state.kernel.stdout(&mut value), state.kernel.stderr(&mut value)]
    }

    fn under(&mut self, bytes: &[Byte], witness: &Witness) -> Vec<u8> {
        let value = |byte: &Byte| match *byte {
            Byte::Known(value) => value,
            Byte::Symbolic(term) => self.terms.eval(term, witness) as u8,
        };
        bytes.iter().map(value).collect()
    }

    /// Some of the decisions behind a state in words, a line each: the place, and the condition that holds since then.
    pub fn describe(&self, state: &State, decisions: Range<usize>) -> Vec<String> {
        let all = self.decisions(state);
        let place = |p: &Position| {
            let file = self.program.strings.get(p.file as usize).map_or("", String::as_str);
            format!("{file}:{}: ", p.line)
        };
        let line = |d: &Decided<'_>| {
            let place = d.position.map_or_else(String::new, place);
            let mut text = self.terms.text(d.holds, SHOWN_LEVELS);
            for (i, input) in state.inputs().iter().enumerate() {
                text = text.replace(&format!("input{i}["), &format!("{}[", input.name));
            }
            format!("{place}{text}")
        };
        all.get(decisions).unwrap_or_default().iter().map(line).collect()
    }
}

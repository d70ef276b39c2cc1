//! A program in place of another: `execve`. Memory, frames and all that belongs to them are those of the new image; inputs,
//! path condition, kernel and counts go on.

use std::rc::Rc;

use cleave_float::Rounding;
use cleave_linux::Execution;
use cleave_memory::{AddressSpace, Byte};
use cleave_program::code::Builtin;

use crate::engine::Engine;
use crate::states::state::{Frame, State};
use crate::stop::Stop;

/// `cleave_env_get` of a program that another one executed: all is concrete as the start-up code sees it, since the length of
/// each text is known.
pub(crate) fn environment(start: &Execution, key: u64, index: usize) -> u64 {
    let length = |texts: &[Vec<Byte>]| texts.get(index).map_or(0, |text| text.len() as u64);
    match key {
        0 => start.arguments.len() as u64,
        5 => length(&start.arguments),
        6 => start.variables.len() as u64,
        7 => length(&start.variables),
        _ => 0,
    }
}

/// `cleave_env_copy` and `cleave_env_copy_var` of such a program: the text with its NUL.
pub(crate) fn text(start: &Execution, what: Builtin, index: usize) -> Vec<Byte> {
    let texts = if what == Builtin::EnvCopy { &start.arguments } else { &start.variables };
    let mut text = texts.get(index).cloned().unwrap_or_default();
    text.push(Byte::Known(0));
    text
}

impl Engine {
    /// Starts another image in a state. Nothing of the old one is looked at: LeakSanitizer does not, either.
    pub(crate) fn execute(&mut self, state: &mut State, start: Execution) -> Result<(), Stop> {
        let Some(image) = self.program.image(start.image) else {
            return Err(Stop::impossible("a program is executed that was not loaded"));
        };
        let (entry, memory) = (image.entry, AddressSpace::new(&self.program, image));
        self.give_memory_back(state);
        self.alone_in_process(state);
        state.memory = memory;
        let frame = Frame { id: state.next_frame, ..Frame::first(&self.program, entry) };
        state.next_frame += 1;
        state.frame = frame;
        state.callers = None;
        state.stack_bytes = 0;
        state.jumps = Rc::default();
        state.thread_pointer = 0;
        state.rounding = Rounding::default();
        state.closed = Rc::default();
        state.start = Some(Rc::new(start));
        Ok(())
    }
}

//! Places in the program: where an object began and ended, where a value became undefined.

use cleave_program::code::{FuncId, Op, Pc, Program};

use crate::engine::Engine;
use crate::state::State;
use crate::stop::TraceLine;

/// An op, as one number; 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct OpPlace(u32);

impl OpPlace {
    pub(crate) fn to_raw(self) -> u32 {
        self.0
    }

    pub(crate) fn from_raw(raw: u32) -> OpPlace {
        OpPlace(raw)
    }
}

/// The numbers of the ops of a program, in the order of its functions.
pub(crate) struct Places {
    /// The number of the first op of each function.
    first: Vec<u32>,
}

impl Places {
    pub(crate) fn new(program: &Program) -> Places {
        let mut next = 1u32;
        let number = |f: &cleave_program::code::Function| {
            let first = next;
            next = next.saturating_add(f.code.len() as u32);
            first
        };
        Places { first: program.functions.iter().map(number).collect() }
    }

    fn of(&self, func: FuncId, pc: Pc) -> OpPlace {
        OpPlace(self.first.get(func as usize).map_or(0, |first| first.saturating_add(pc)))
    }

    fn op(&self, place: OpPlace) -> Option<(FuncId, Pc)> {
        let func = self.first.partition_point(|&first| first <= place.0).checked_sub(1)?;
        Some((func as FuncId, place.0 - self.first[func]))
    }
}

impl Engine {
    /// Where the running frame stands.
    pub(crate) fn here(&self, state: &State) -> OpPlace {
        self.places.of(state.frame.func, state.frame.pc)
    }

    /// Where the innermost frame of the program itself stands, and not of the C library.
    pub(crate) fn here_in_program(&self, state: &State) -> OpPlace {
        let own = |&(func, _): &(FuncId, Pc)| !self.program.functions[func as usize].library;
        let (func, pc) = state.stack().find(own).unwrap_or((state.frame.func, state.frame.pc));
        self.places.of(func, pc)
    }

    /// The op at a place.
    pub(crate) fn op_at(&self, place: OpPlace) -> Option<&Op> {
        let (func, pc) = self.places.op(place)?;
        self.program.functions.get(func as usize)?.code.get(pc as usize)
    }

    /// A place as a line of a trace.
    pub(crate) fn place_line(&self, place: OpPlace) -> Option<TraceLine> {
        let (func, pc) = self.places.op(place)?;
        Some(self.trace_line(func, pc))
    }

    /// A place for a message: the function, and the line if it is known.
    pub(crate) fn place_text(&self, place: OpPlace) -> String {
        let Some((func, pc)) = self.places.op(place) else { return "the program".into() };
        let Some(function) = self.program.functions.get(func as usize) else { return "the program".into() };
        // Stack objects have no line of their own: that of the function's definition is close.
        let own = function.positions.get(pc as usize).copied().filter(|&p| p != u32::MAX);
        let position = self.program.positions.get(own.unwrap_or(function.defined_at) as usize);
        let file = position.and_then(|p| self.program.strings.get(p.file as usize));
        match (position, file) {
            (Some(p), Some(file)) => format!("`{}` ({file}:{})", function.name, p.line),
            _ => format!("`{}`", function.name),
        }
    }
}

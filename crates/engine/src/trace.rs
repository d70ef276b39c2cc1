//! The places of states, objects and decisions, for messages: functions, lines, arguments.

use cleave_expr::Term;
use cleave_memory::Byte;
use cleave_program::code::{FuncId, Op, Pc};

use crate::engine::{Decided, Engine};
use crate::states::places::OpPlace;
use crate::states::state::{Frame, Reg, State};
use crate::stop::TraceLine;

impl Engine {
    /// The place of the running frame.
    pub(crate) fn here(&self, state: &State) -> OpPlace {
        self.places.of(state.frame.func, state.frame.pc)
    }

    /// The place of the innermost frame of the program itself, and not of the C library; the running frame's if there is none.
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

    /// The stack of a state, the innermost function first.
    pub fn trace(&self, state: &State) -> Vec<TraceLine> {
        let line = |frame: &Frame| TraceLine {
            arguments: self.arguments(frame),
            ..self.trace_line(frame.func, frame.pc)
        };
        let mut lines = vec![line(&state.frame)];
        let mut next = state.callers.as_deref();
        while let Some(caller) = next {
            if lines.len() == 64 {
                let (function, arguments) = ("...".into(), String::new());
                lines.push(TraceLine { function, file: None, line: 0, library: true, arguments });
                break;
            }
            lines.push(line(&caller.frame));
            next = caller.next.as_deref();
        }
        lines
    }

    /// The index of the source position of an op; `u32::MAX` if that is not known.
    fn position(&self, func: FuncId, pc: Pc) -> u32 {
        let function = &self.program.functions[func as usize];
        function.positions.get(pc as usize).copied().unwrap_or(u32::MAX)
    }

    /// The mark of a decision that a path condition keeps beside its condition: the side, and in the upper 31 bits the index of
    /// the source position plus one.
    pub(crate) fn mark(&self, frame: &Frame, side: bool) -> u32 {
        self.position(frame.func, frame.pc).wrapping_add(1) << 1 | u32::from(side)
    }

    /// The side of a decision, from the mark that the path condition keeps.
    pub fn side_of(mark: u32) -> bool {
        mark & 1 == 1
    }

    /// The decisions behind a state, in order.
    pub fn decisions(&self, state: &State) -> Vec<Decided<'_>> {
        let decided = |(holds, mark): (Term, u32)| Decided {
            holds,
            side: Engine::side_of(mark),
            position: self.program.positions.get((mark >> 1).wrapping_sub(1) as usize),
        };
        state.path.marked().into_iter().map(decided).collect()
    }

    pub(crate) fn trace_line(&self, func: FuncId, pc: Pc) -> TraceLine {
        let function = &self.program.functions[func as usize];
        let position = self.program.positions.get(self.position(func, pc) as usize);
        TraceLine {
            function: function.name.clone(),
            file: position.and_then(|p| self.program.strings.get(p.file as usize)).cloned(),
            line: position.map_or(0, |p| p.line),
            library: function.library,
            arguments: String::new(),
        }
    }

    /// The arguments that the function of a frame was called with, in KLEE's form: known ones as unsigned numbers. Registers
    /// of arguments are never written again.
    fn arguments(&self, frame: &Frame) -> String {
        let mut registers = frame.regs.iter();
        let texts = self.program.functions[frame.func as usize].parameters.iter().map(|(name, count)| {
            let value: Vec<&Reg> = registers.by_ref().take(*count as usize).collect();
            let text = match value[..] {
                _ if value.iter().any(|r| Reg::term(**r).is_some()) => "symbolic".into(),
                _ if value.iter().any(|r| Reg::shade(**r).is_some()) => "uninitialised".into(),
                [low] => low.value.to_string(),
                [low, high] => (u128::from(high.value) << 64 | u128::from(low.value)).to_string(),
                _ => "...".into(),
            };
            if name.is_empty() { text } else { format!("{name}={text}") }
        });
        texts.collect::<Vec<String>>().join(", ")
    }

    /// The known string at an address, for messages and names; symbolic bytes read as `?`.
    pub(crate) fn text_at(&self, state: &State, address: Reg) -> Option<String> {
        if address.term().is_some() {
            return None;
        }
        let mut text = Vec::new();
        for i in 0..4096 {
            // A text that goes up to the end of its object ends there, without its zero.
            let Some(byte) = state.memory.read(address.value + i, 1).ok().filter(|b| !b.is_empty()) else {
                return (i > 0).then(|| String::from_utf8_lossy(&text).into_owned());
            };
            match &byte[0] {
                Byte::Known(0) => break,
                Byte::Known(c) => text.push(*c),
                Byte::Symbolic(_) => text.push(b'?'),
            }
        }
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

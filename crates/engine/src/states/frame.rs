//! The frames of functions that run.

use std::rc::Rc;

pub(crate) use cleave_memory::Reg;
use cleave_program::code::{ArgClass, FuncId, NO_REG, Pc, Program, Reg as RegIndex};

/// A variable argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable {
    pub(crate) low: Reg,
    pub(crate) high: Reg,
    pub(crate) bits: u8,
    pub(crate) float: bool,
    pub(crate) byval: Option<u32>,
    pub(crate) align: u32,
    pub(crate) class: ArgClass,
}

/// A function that is running.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) func: FuncId,
    /// The op that runs next; in a caller: the call.
    pub(crate) pc: Pc,
    pub(crate) regs: Vec<Reg>,
    /// End of the stack's objects when the function was called.
    pub(crate) stack_mark: u64,
    /// Unique on its path.
    pub(crate) id: u32,
    /// Number of frames below it.
    pub(crate) height: u32,
    /// The caller's first register for the results.
    pub(crate) dst: RegIndex,
    /// Bytes that the frame counts for on a real stack.
    pub(crate) weight: u64,
    pub(crate) varargs: Option<Rc<[Variable]>>,
    /// It was called through a pointer, by another function type than its own.
    pub(crate) other_type: bool,
}

impl Frame {
    /// The first frame of a program, at its entry.
    pub(crate) fn first(program: &Program, entry: FuncId) -> Frame {
        let registers = program.functions[entry as usize].registers as usize;
        Frame { func: entry, regs: vec![Reg::ZERO; registers], dst: NO_REG, ..Frame::default() }
    }

    /// Becomes a copy of another, in the memory that it has.
    pub(crate) fn copy_from(&mut self, other: &Frame) {
        let mut regs = std::mem::take(&mut self.regs);
        regs.clone_from(&other.regs);
        *self = Frame { regs, varargs: other.varargs.clone(), ..*other };
    }
}

/// A frame below the running one, or one that has ended and is kept for a call to come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    pub(crate) frame: Frame,
    pub(crate) next: Option<Rc<Caller>>,
}

impl Drop for Caller {
    /// Link by link: a deep recursion of the program must not become one of ours.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(link) = next {
            match Rc::try_unwrap(link) {
                Ok(mut caller) => next = caller.next.take(),
                Err(_) => break,
            }
        }
    }
}

/// A place that `setjmp` remembered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JumpPoint {
    pub(crate) frame: u32,
    pub(crate) pc: Pc,
    pub(crate) dst: RegIndex,
    /// The signals that are blocked again when it is jumped to (`sigsetjmp`); bit 0 is signal 1.
    pub(crate) mask: Option<u64>,
}

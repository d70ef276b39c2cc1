//! Registers, and the frames of functions that run.

use std::rc::Rc;

use cleave_expr::Term;
use cleave_memory::Shade;
use cleave_program::code::{ArgClass, FuncId, NO_REG, Pc, Program, Reg as RegIndex};

/// The contents of a register: a known value, or a term whose value is then not kept here. Some of its bits may be
/// undefined: then it has a shade, and the value or term stands for one of the values that it may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reg {
    /// The value, zero above the register's width; 0 where there is a term.
    pub(crate) value: u64,
    /// The term in the low half and the shade in the high half, zero for none: one comparison tells that there is
    /// neither.
    rest: u64,
}

impl Reg {
    pub(crate) const ZERO: Reg = Reg { value: 0, rest: 0 };

    #[inline(always)]
    pub(crate) fn known(value: u64) -> Reg {
        Reg { value, rest: 0 }
    }

    #[inline(always)]
    pub(crate) fn symbolic(term: Term) -> Reg {
        Reg { value: 0, rest: term.to_raw() as u64 }
    }

    /// True if it has neither a term nor a handle: its value is the same for every input, and has no undefined bits.
    #[inline(always)]
    pub(crate) fn is_known(self) -> bool {
        self.rest == 0
    }

    #[inline(always)]
    pub(crate) fn term(self) -> Option<Term> {
        Term::from_raw(self.rest as u32)
    }

    /// Its undefined bits.
    #[inline(always)]
    pub(crate) fn shade(self) -> Option<Shade> {
        self.handle().filter(|handle| !handle.is_base())
    }

    /// The object that a pointer was made from, where its value does not tell.
    #[inline(always)]
    pub(crate) fn base(self) -> Option<Shade> {
        self.handle().filter(|handle| handle.is_base())
    }

    /// Its undefined bits, or the object that it was made from.
    #[inline(always)]
    pub(crate) fn handle(self) -> Option<Shade> {
        Shade::from_raw((self.rest >> 32) as u32)
    }

    /// The same value with this handle and no other.
    #[inline]
    pub(crate) fn with_shade(self, shade: Option<Shade>) -> Reg {
        let shade = shade.map_or(0, Shade::to_raw);
        Reg { value: self.value, rest: self.rest & 0xffff_ffff | (shade as u64) << 32 }
    }
}

impl std::fmt::Debug for Reg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.term() {
            Some(t) => write!(f, "{t:?}")?,
            None => write!(f, "{:#x}", self.value)?,
        }
        self.shade().map_or(Ok(()), |shade| write!(f, " {shade:?}"))
    }
}

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

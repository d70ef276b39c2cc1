//! A state: one point of the exploration of a program, as a value. A clone is cheap and shares what it can.

use std::rc::Rc;

use cleave_expr::Term;
use cleave_float::Rounding;
use cleave_linux::Kernel;
use cleave_memory::{AddressSpace, Shade};
use cleave_program::code::{ArgClass, FuncId, Operand, Pc, Reg as RegIndex};
use cleave_region::PathDigest;
use cleave_solver::PathCondition;

use crate::coverage::Passed;

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

    /// Whether it has a value that is the same for every input, and no undefined bits.
    #[inline(always)]
    pub(crate) fn is_known(self) -> bool {
        self.rest == 0
    }

    #[inline(always)]
    pub(crate) fn term(self) -> Option<Term> {
        Term::from_raw(self.rest as u32)
    }

    #[inline(always)]
    pub(crate) fn shade(self) -> Option<Shade> {
        Shade::from_raw((self.rest >> 32) as u32)
    }

    /// The same value with this shade and no other.
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
#[derive(Clone, Debug)]
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
    /// Where the stack's objects ended when the function was called.
    pub(crate) stack_mark: u64,
    /// Unique on its path.
    pub(crate) id: u32,
    /// How many frames are below it.
    pub(crate) height: u32,
    /// Where the caller wants the results.
    pub(crate) dst: RegIndex,
    /// Bytes that the frame counts for on a real stack.
    pub(crate) weight: u64,
    pub(crate) varargs: Option<Rc<[Variable]>>,
    /// It was called through a pointer, by another function type than its own.
    pub(crate) other_type: bool,
}

impl Frame {
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct JumpPoint {
    pub(crate) frame: u32,
    pub(crate) pc: Pc,
    pub(crate) dst: RegIndex,
}

/// A symbolic object, in order of creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub name: Rc<str>,
    /// Its size in bytes.
    pub len: u32,
}

/// What an op was told: kept, so that it is told the same when it starts again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// The side of a decision.
    Side(bool),
    /// A term as the path has made it.
    Value(Term),
}

/// The allocations, or the system calls, that may still fail on a path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Failing {
    /// How many.
    pub(crate) left: u32,
    /// The op at hand has its input already: a path may be written down between the decision and its answer.
    pub(crate) asked: Option<u32>,
}

impl Failing {
    pub(crate) fn at_most(left: u32) -> Failing {
        Failing { left, asked: None }
    }

    /// Nothing is left to decide: the next call has an input of its own.
    pub(crate) fn decided(&mut self, fails: bool) {
        self.asked = None;
        self.left -= u32::from(fails);
    }
}

/// One point of the exploration.
#[derive(Clone)]
pub struct State {
    pub(crate) frame: Frame,
    /// The registers of `frame`, which then has none itself, while the state waits beside clones of it.
    pub(crate) waiting: Option<Rc<Vec<Reg>>>,
    pub(crate) callers: Option<Rc<Caller>>,
    pub(crate) next_frame: u32,
    pub(crate) stack_bytes: u64,
    pub(crate) memory: AddressSpace,
    pub(crate) kernel: Kernel,
    pub(crate) path: PathCondition,
    pub(crate) depth: u32,
    pub(crate) digest: PathDigest,
    /// What the op at hand was told so far.
    pub(crate) answers: Vec<Reply>,
    pub(crate) inputs: Rc<Vec<Input>>,
    /// Conditions that the test of the path should satisfy if it can (`klee_prefer_cex`).
    pub(crate) preferences: Rc<Vec<Term>>,
    pub(crate) jumps: Rc<Vec<JumpPoint>>,
    pub(crate) thread_pointer: u64,
    /// How floating point is rounded: see `fesetround`.
    pub(crate) rounding: Rounding,
    pub(crate) failing: Failing,
    /// The system calls that may still fail.
    pub(crate) failing_calls: Failing,
    /// Where the streams were that the program has closed.
    pub(crate) closed: Rc<Vec<u64>>,
    pub(crate) instructions: u64,
    pub(crate) passed: Passed,
}

impl State {
    /// How many decisions lie behind it.
    pub fn depth(&self) -> u32 {
        self.depth
    }
    /// The digest of the decisions behind it.
    pub fn digest(&self) -> PathDigest {
        self.digest
    }
    /// The conditions that hold on its path.
    pub fn path_condition(&self) -> &PathCondition {
        &self.path
    }
    /// Its inputs so far, in order of creation.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }
    /// LLVM instructions executed on its path.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// To be called before a state is cloned: of clones that wait, only those that run get registers of their own.
    pub fn share(&mut self) {
        let regs = &mut self.frame.regs;
        self.waiting.get_or_insert_with(|| Rc::new(std::mem::take(regs)));
    }

    /// To be called before it runs: see [`State::share`].
    pub(crate) fn run_alone(&mut self, spare: &mut [Rc<Caller>]) {
        let Some(waiting) = self.waiting.take() else { return };
        self.frame.regs = Rc::try_unwrap(waiting).unwrap_or_else(|waiting| {
            let ended = spare.last_mut().and_then(Rc::get_mut);
            let mut regs = ended.map(|link| std::mem::take(&mut link.frame.regs)).unwrap_or_default();
            regs.clone_from(&waiting);
            regs
        });
    }

    /// How many functions are below the running one.
    pub fn height(&self) -> u32 {
        self.frame.height
    }

    /// Where it stands, the innermost function first: functions and the ops that run next, which in a caller is
    /// the call.
    pub fn stack(&self) -> impl Iterator<Item = (FuncId, Pc)> + '_ {
        self.frames().map(|f| (f.func, f.pc))
    }

    /// The running frame and those below it.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        let callers = std::iter::successors(self.callers.as_deref(), |c| c.next.as_deref());
        std::iter::once(&self.frame).chain(callers.map(|c| &c.frame))
    }

    /// The value of an operand, with the function's constants.
    #[inline(always)]
    pub(crate) fn get(&self, constants: &[u64], o: Operand) -> Reg {
        match o.as_reg() {
            Some(r) => self.frame.regs[r as usize],
            None => Reg::known(constants[o.as_constant().unwrap_or(0) as usize]),
        }
    }
}

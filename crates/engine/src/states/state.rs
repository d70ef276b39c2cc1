//! A state: one point of the exploration of a program, as a value. A clone is cheap and shares what it can.

use std::collections::BTreeSet;
use std::rc::Rc;

use cleave_diagram::Diagram;
use cleave_expr::Term;
use cleave_float::Rounding;
use cleave_linux::{Execution, Kernel};
use cleave_memory::AddressSpace;
use cleave_program::code::{FuncId, Operand, Pc};
use cleave_region::PathDigest;
use cleave_solver::PathCondition;

use crate::checking::rounds::Recurrence;
use crate::merging::arms::{Leaving, Merging};
use crate::states::coverage::Passed;
pub(crate) use crate::states::frame::{Caller, Frame, JumpPoint, Reg, Variable};
use crate::states::places::OpPlace;
use crate::stop::End;
use crate::threads::clocks::Clocks;
use crate::threads::parked::Parked;

/// A symbolic object, in order of creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub name: Rc<str>,
    /// Its size in bytes.
    pub len: u32,
}

/// A reply that an op got, kept so that it gets the same when it starts again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// The side of a decision.
    Side(bool),
    /// A term as the path has simplified it.
    Value(Term),
    /// The least and the most that a term can be, as the path then was.
    Bounds(u64, u64),
}

/// The allocations, or the system calls, that may still fail on a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Failing {
    /// The number of them.
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

/// The decisions of one call of the C library.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Aside {
    /// The number of its frame: that of the function which the program called.
    pub(crate) frame: u32,
    pub(crate) decisions: u32,
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
    /// The processes that do not run, once the program has made one.
    pub(crate) parked: Option<Rc<Parked>>,
    pub(crate) path: PathCondition,
    /// The path as it was when the op at hand began, if values of its bytes are listed: an op that runs again must see the same
    /// path.
    pub(crate) settled: Option<Rc<PathCondition>>,
    pub(crate) depth: u32,
    pub(crate) digest: PathDigest,
    /// The decisions of the call of the C library in which the last one was.
    pub(crate) aside: Aside,
    /// The replies that the op at hand got so far.
    pub(crate) answers: Vec<Reply>,
    pub(crate) inputs: Rc<Vec<Input>>,
    /// Conditions that the test of the path should satisfy if it can (`klee_prefer_cex`).
    pub(crate) preferences: Rc<Vec<Term>>,
    pub(crate) jumps: Rc<Vec<JumpPoint>>,
    pub(crate) thread_pointer: u64,
    /// The rounding mode of floating point: see `fesetround`.
    pub(crate) rounding: Rounding,
    pub(crate) failing: Failing,
    /// The system calls that may still fail.
    pub(crate) failing_calls: Failing,
    /// The reads and writes that may move one byte only.
    pub(crate) short_calls: Failing,
    /// The preemptions that a path may still have.
    pub(crate) preemptions: Failing,
    /// The happens-before order, once there are threads whose races are looked for.
    pub(crate) clocks: Option<Rc<Clocks>>,
    /// Objects of the heap that the C library has made for itself, if races are looked for.
    pub(crate) of_library: Rc<BTreeSet<u64>>,
    /// Addresses of the streams that the program has closed.
    pub(crate) closed: Rc<Vec<u64>>,
    /// Arguments and environment of the program, if another one executed it; else the options have them.
    pub(crate) start: Option<Rc<Execution>>,
    pub(crate) instructions: u64,
    /// The places at which the path depends on where objects lie: see `addresses.rs`.
    pub(crate) addresses: Rc<Vec<OpPlace>>,
    /// Data of the search for a path without an end.
    pub(crate) recurrence: Recurrence<State>,
    pub(crate) passed: Passed,
    /// The inputs of the path, as far as the diagrams of its conditions tell, where arms are joined.
    pub(crate) inputs_of_path: Diagram,
    /// The inputs that come to where the state stands: those of the path, or of the arm that runs.
    pub(crate) care: Diagram,
    /// Cost of the merge at hand; see `merge.rs`.
    pub(crate) cost: u64,
    /// The arms of the path, while it has several.
    pub(crate) merging: Option<Box<Merging<State>>>,
    /// The path is stopped for an arm that leaves.
    pub(crate) leaving: Option<Leaving>,
    /// How the path ends, where that was found before the path was known to be taken.
    pub(crate) ending: Option<Box<End>>,
}

impl State {
    /// Number of decisions that lie behind it.
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

    /// Number of functions below the running one.
    pub fn height(&self) -> u32 {
        self.frame.height
    }

    /// The stack, the innermost function first: functions and the ops that run next, which in a caller is the call.
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

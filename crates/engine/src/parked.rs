//! The parts of threads and processes that do not run.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cleave_float::Rounding;
use cleave_linux::Execution;
use cleave_memory::{AddressSpace, Object};

use crate::frame::{Caller, Frame, JumpPoint};
use crate::spin::Spin;

/// Memory that a process has of its parent (`vfork`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Borrowed {
    pub(crate) parent: u64,
    /// Where the stack's objects ended when it was lent.
    pub(crate) stack_mark: u64,
}

/// What of a state belongs to one thread.
#[derive(Clone)]
pub(crate) struct Context {
    /// Its process.
    pub(crate) pid: u64,
    pub(crate) frame: Frame,
    pub(crate) callers: Option<Rc<Caller>>,
    pub(crate) stack_bytes: u64,
    /// The number of its stack in its process's memory.
    pub(crate) stack: u64,
    pub(crate) jumps: Rc<Vec<JumpPoint>>,
    pub(crate) thread_pointer: u64,
    pub(crate) rounding: Rounding,
}

impl Context {
    /// Its running frame and those below it.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        let callers = std::iter::successors(self.callers.as_deref(), |c| c.next.as_deref());
        std::iter::once(&self.frame).chain(callers.map(|c| &c.frame))
    }
}

/// What of a state belongs to all threads of a process.
#[derive(Clone, Default)]
pub(crate) struct Belongings {
    /// Empty while a child has it.
    pub(crate) memory: AddressSpace,
    pub(crate) closed: Rc<Vec<u64>>,
    pub(crate) start: Option<Rc<Execution>>,
    pub(crate) borrowed: Option<Borrowed>,
}

/// Where a thread has its own copies of thread-local variables: by the addresses of these variables.
pub(crate) type Locals = BTreeMap<u64, u64>;

/// What a thread does next that others may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It uses what stands at these addresses; 0 is none.
    Uses {
        objects: [u64; 3],
        /// Where a word stands whose low 30 bits are zero when the thread can go on; 0 for nowhere.
        word: u64,
    },
    /// It accesses these bytes, atomically or as a volatile object.
    Accesses { address: u64, size: u64, writes: bool },
    /// Nobody knows what.
    Anything,
}

impl Step {
    /// Whether the two lead to the same whichever is first.
    pub(crate) fn is_independent(step: Option<&Step>, other: Option<&Step>) -> bool {
        match (step, other) {
            (Some(Step::Anything), _) | (_, Some(Step::Anything)) => false,
            (Some(Step::Uses { objects: own, .. }), Some(Step::Uses { objects: others, .. })) => {
                !own.iter().any(|o| *o != 0 && others.contains(o))
            }
            (
                Some(&Step::Accesses { address, size, writes }),
                Some(&Step::Accesses { address: other, size: others, writes: also }),
            ) => !(writes || also) || address + size <= other || other + others <= address,
            (Some(Step::Uses { objects, .. }), Some(&Step::Accesses { address, size, .. }))
            | (Some(&Step::Accesses { address, size, .. }), Some(Step::Uses { objects, .. })) => {
                !objects.iter().any(|o| (address..address + size).contains(o))
            }
            (None, _) | (_, None) => true,
        }
    }
}

/// The threads and processes of a state that do not run.
#[derive(Clone)]
pub(crate) struct Parked {
    /// Process and thread whose parts the state has.
    pub(crate) current: (u64, u64),
    /// Whose memory that process has.
    pub(crate) borrowed: Option<Borrowed>,
    /// By thread. The first thread of a process has the number of the process.
    pub(crate) contexts: BTreeMap<u64, Rc<Context>>,
    /// By process; not that of the thread that runs.
    pub(crate) processes: BTreeMap<u64, Rc<Belongings>>,
    /// The thread-local variables of threads that have some of their own; others have those of the program's first thread.
    pub(crate) locals: BTreeMap<u64, Locals>,
    /// What each thread does next that others may see, where orders of threads are explored; nothing of one that has just begun.
    pub(crate) steps: BTreeMap<u64, Step>,
    /// Threads that stand at a call which others may see, and may make it now.
    pub(crate) passed: BTreeSet<u64>,
    /// Threads that could go on, whose next steps other paths have taken first.
    pub(crate) asleep: BTreeSet<u64>,
    /// How many instructions the path had when the thread that runs got the turn, where races are sought.
    pub(crate) turn_began: u64,
    /// What threads have accessed since they last changed anything, where that is looked for.
    pub(crate) spins: BTreeMap<u64, Rc<Spin>>,
    /// In how many sections each thread is that no other thread interrupts (`__VERIFIER_atomic_begin`); those of others are in none.
    pub(crate) sections: BTreeMap<u64, u32>,
    /// What processes share (`mmap` with `MAP_SHARED`), by the kernel's number, as the process left it that ran last.
    pub(crate) shared: BTreeMap<u64, Rc<Object>>,
}

impl Parked {
    pub(crate) fn new(current: (u64, u64)) -> Parked {
        Parked {
            current,
            borrowed: None,
            contexts: BTreeMap::new(),
            processes: BTreeMap::new(),
            locals: BTreeMap::new(),
            steps: BTreeMap::new(),
            passed: BTreeSet::new(),
            asleep: BTreeSet::new(),
            turn_began: 0,
            spins: BTreeMap::new(),
            sections: BTreeMap::new(),
            shared: BTreeMap::new(),
        }
    }

    /// The parked threads of a process.
    pub(crate) fn threads_of(&self, pid: u64) -> impl Iterator<Item = &Context> {
        self.contexts.values().map(Rc::as_ref).filter(move |context| context.pid == pid)
    }
}

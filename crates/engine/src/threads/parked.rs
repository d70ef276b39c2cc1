//! The parts of a state of threads and processes that do not run.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cleave_float::Rounding;
use cleave_linux::Execution;
use cleave_memory::{AddressSpace, Object};

use crate::states::frame::{Caller, Frame, JumpPoint};
use crate::threads::spin::Spin;

/// Memory that a process borrows from its parent (`vfork`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Borrowed {
    pub(crate) parent: u64,
    /// End of the stack's objects when it was lent.
    pub(crate) stack_mark: u64,
}

/// The parts of a state that belong to one thread.
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

/// The parts of a state that belong to all threads of a process.
#[derive(Clone, Default)]
pub(crate) struct Belongings {
    /// Empty while a child borrows it.
    pub(crate) memory: AddressSpace,
    pub(crate) closed: Rc<Vec<u64>>,
    pub(crate) start: Option<Rc<Execution>>,
    pub(crate) borrowed: Option<Borrowed>,
}

/// Addresses of a thread's own copies of thread-local variables, by the addresses of these variables.
pub(crate) type Locals = BTreeMap<u64, u64>;

/// The next step of a thread that others may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It uses the objects at these addresses; 0 is none.
    Uses {
        objects: [u64; 3],
        /// Address of a word whose low 30 bits are zero when the thread can go on; 0 for none.
        word: u64,
    },
    /// It accesses these bytes, atomically or as a volatile object.
    Accesses { address: u64, size: u64, writes: bool },
    /// The step is not known.
    Anything,
}

impl Step {
    /// True if the two steps lead to the same state in either order.
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
    /// The memory that this process borrows, if it does.
    pub(crate) borrowed: Option<Borrowed>,
    /// By thread. The first thread of a process has the number of the process.
    pub(crate) contexts: BTreeMap<u64, Rc<Context>>,
    /// By process; not that of the thread that runs.
    pub(crate) processes: BTreeMap<u64, Rc<Belongings>>,
    /// The thread-local variables of threads that have some of their own; others have those of the program's first thread.
    pub(crate) locals: BTreeMap<u64, Locals>,
    /// The next steps of threads that others may see, if orders of threads are explored; none of one that has just begun.
    pub(crate) steps: BTreeMap<u64, Step>,
    /// Threads that stand at a call which others may see, and may make it now.
    pub(crate) passed: BTreeSet<u64>,
    /// Threads that could go on, whose next steps other paths have taken first.
    pub(crate) asleep: BTreeSet<u64>,
    /// Instructions of the path when the thread that runs got the turn, if races are sought.
    pub(crate) turn_began: u64,
    /// Accesses of threads since they last changed anything, if spinning threads are looked for.
    pub(crate) spins: BTreeMap<u64, Rc<Spin>>,
    /// Number of sections that each thread is in and that no other thread interrupts (`__VERIFIER_atomic_begin`); a thread
    /// without an entry is in none.
    pub(crate) sections: BTreeMap<u64, u32>,
    /// Objects that processes share (`mmap` with `MAP_SHARED`), by the kernel's number, as the process left them that ran last.
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

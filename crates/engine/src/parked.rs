//! The parts of processes that do not run.

use std::collections::BTreeMap;
use std::rc::Rc;

use cleave_float::Rounding;
use cleave_linux::Execution;
use cleave_memory::{AddressSpace, Object};

use crate::frame::{Caller, Frame, JumpPoint};

/// Memory that a process has of its parent (`vfork`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Borrowed {
    pub(crate) parent: u64,
    /// Where the stack's objects ended when it was lent.
    pub(crate) stack_mark: u64,
}

/// What of a state belongs to one process.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) frame: Frame,
    pub(crate) callers: Option<Rc<Caller>>,
    pub(crate) stack_bytes: u64,
    /// Empty while a child has it.
    pub(crate) memory: AddressSpace,
    pub(crate) jumps: Rc<Vec<JumpPoint>>,
    pub(crate) thread_pointer: u64,
    pub(crate) rounding: Rounding,
    pub(crate) closed: Rc<Vec<u64>>,
    pub(crate) start: Option<Rc<Execution>>,
    pub(crate) borrowed: Option<Borrowed>,
}

/// The processes of a state that do not run.
#[derive(Clone)]
pub(crate) struct Parked {
    /// The process whose parts the state has.
    pub(crate) current: u64,
    /// Whose memory that process has.
    pub(crate) borrowed: Option<Borrowed>,
    pub(crate) contexts: BTreeMap<u64, Rc<Context>>,
    /// What processes share (`mmap` with `MAP_SHARED`), by the kernel's number, as the process left it that ran last.
    pub(crate) shared: BTreeMap<u64, Rc<Object>>,
}

impl Parked {
    pub(crate) fn new(current: u64) -> Parked {
        Parked { current, borrowed: None, contexts: BTreeMap::new(), shared: BTreeMap::new() }
    }
}

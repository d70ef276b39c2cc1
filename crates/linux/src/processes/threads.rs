//! Threads: the part of a process's state that belongs to one of them.

use cleave_memory::Byte;

use crate::processes::status::Life;
use crate::signals::state::Own;

/// Data that a call that waits keeps from one run to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// When its time is up, in nanoseconds on the kernel's clock.
    pub(crate) deadline: Option<u64>,
    /// Bytes that it has written.
    pub(crate) written: usize,
    /// It stands in the queue of a futex.
    pub(crate) queued: bool,
    /// It is to return with these: a signal has stopped its process.
    pub(crate) cut: bool,
    /// The process whose lock is in its way.
    pub(crate) awaits: Option<u64>,
    /// The named pipe that it opens.
    pub(crate) opening: Option<Opening>,
}

/// A named pipe that is being opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Opening {
    /// The open file description, which has no descriptor yet.
    pub(crate) key: u32,
    /// Number of times its other end had been opened at the first try.
    pub(crate) seen: u64,
}

/// A thread, but for its signals.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Thread {
    pub(crate) tid: u64,
    pub(crate) life: Life,
    /// Its place in the queue for the turn, if it is in it: the lowest is first.
    pub(crate) ticket: Option<u64>,
    /// Data that the call at hand kept when it waited.
    pub(crate) progress: Option<Progress>,
    /// Its name (`PR_SET_NAME`), NUL-padded.
    pub(crate) name: [Byte; 16],
    /// Address that a zero is written to when it ends, and whose waiters are woken (`CLONE_CHILD_CLEARTID`); 0 for none.
    pub(crate) cleared: u64,
}

impl Thread {
    pub(crate) fn new(tid: u64, name: [Byte; 16]) -> Thread {
        Thread { tid, life: Life::Ready, ticket: None, progress: None, name, cleared: 0 }
    }
}

/// A thread of a process that is not the one that runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Waiting {
    pub(crate) thread: Thread,
    pub(crate) own: Own,
}

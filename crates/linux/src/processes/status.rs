//! Conditions of processes and threads, as the process itself, its parent and the engine see them.

use cleave_memory::Byte;

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It exited with this status, of which the program may have made a term.
    Exited(Byte),
    /// A signal ended it.
    Killed(u32),
}

/// The codes of `SIGCHLD` for a child that has ended by itself, and by a signal.
pub(crate) const CLD_EXITED: i32 = 1;
pub(crate) const CLD_KILLED: i32 = 2;

/// Condition of a process, as others see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It runs, is ready or waits.
    Lives,
    /// A signal has stopped it.
    Stopped,
    /// It has ended and was not waited for.
    Ended,
    /// There is no such process.
    Gone,
}

/// Activity of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// It runs, or will when it gets its turn.
    Ready,
    /// A call of it waits, and is run again when it gets its turn.
    Waits {
        /// When it waits no longer, in nanoseconds on the kernel's clock.
        until: Option<u64>,
        /// The reason why it would wait for ever, as a sentence without its full stop.
        why: &'static str,
        /// Number of calls of all processes that had returned when it waited last.
        since: u64,
    },
    /// A child has its process's memory (`vfork`): it waits until that child ends or executes a program.
    Lends {
        /// The child.
        to: u64,
    },
    /// It has ended.
    Ended,
}

/// News that a parent may ask of a child that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// A signal has stopped it.
    Stopped(u32),
    Continued,
}

/// Action after a call that has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterCall {
    /// Nothing: the process goes on.
    Nothing,
    /// There is a new process, a copy of the one that called.
    Born {
        /// Its number.
        pid: u64,
        /// It has its parent's memory itself, and the parent waits.
        lends: bool,
    },
    /// There is a new thread of the process.
    BornThread {
        /// Its number.
        tid: u64,
        /// Its thread pointer; none for that of the thread that called.
        pointer: Option<u64>,
    },
    /// The process gives up its turn.
    GivesWay,
}

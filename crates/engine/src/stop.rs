//! Reasons why the run of a state stops: a decision that is open, or the end of its path.

use cleave_expr::Term;
use cleave_memory::Byte;
use cleave_never::never;
use cleave_region::BugKind;

use crate::memory::accessed::Accessed;

/// A bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// Its kind.
    pub kind: BugKind,
    /// The mistake, as a sentence without its full stop.
    pub message: String,
    /// The lines that are to blame, the innermost first; empty if these are the stack at the end of the path.
    pub trace: Vec<TraceLine>,
}

/// The end of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program exits with this status. It is seen from outside alone, like output: a value under the test.
    Exit(Byte),
    /// The program ends by a signal that it, or the system, raised.
    Signal(i32),
    /// `klee_silent_exit`: an end that is no result.
    Silent,
    /// No input that comes here satisfies an assumption.
    AssumedAway,
    /// The program's own `assume` has refused the input: it is no result, and nothing is said of it.
    Rejected,
    /// A bug.
    Bug(Bug),
    /// A bug that is suppressed.
    Suppressed {
        /// The bug.
        bug: Bug,
        /// The index of the suppression in the options.
        by: usize,
    },
    /// Something that is not modelled: its name.
    Unsupported(String),
}

/// A line of a stack trace, the innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLine {
    /// The function.
    pub function: String,
    /// The source file, where the program has line information.
    pub file: Option<String>,
    /// The line, from 1; 0 where it is not known.
    pub line: u32,
    /// The function is the C library's.
    pub library: bool,
    /// The arguments that it was called with, for people: `n=7, symbolic`.
    pub arguments: String,
}

impl TraceLine {
    /// Its line and function, as far as they are known, in few words.
    pub fn short(&self) -> String {
        match &self.file {
            Some(file) if self.line > 0 => format!("{file}:{} in {}", self.line, self.function),
            _ => self.function.clone(),
        }
    }
}

/// The reason why a state does not go on by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The op at hand asks for the branch direction of a condition.
    Decide {
        cond: Term,
        /// Only the true side is a path.
        assume: bool,
    },
    /// The op at hand is not for a path that may be infeasible.
    Unchecked,
    /// The op at hand accesses bytes that an object may have or not: see [`crate::memory::sizes`].
    Uncertain {
        /// The object's address.
        base: u64,
        /// Start of the access, in bytes from there.
        offset: u64,
        /// End of the access, likewise.
        end: u64,
    },
    /// The op at hand accesses bytes at a place where a thread may be interrupted; `None` if they are not known yet.
    AtPoint(Option<Accessed>),
    /// A branch whose condition is open, of a path that it splits.
    Branch(Term),
    /// The arm that runs has come to where others wait, or is ahead of them.
    Arrives,
    /// The arm that runs cannot do the op at hand beside others.
    Leaves,
    End(End),
}

impl Stop {
    pub(crate) fn bug(kind: BugKind, message: impl Into<String>) -> Stop {
        Stop::End(End::Bug(Bug { kind, message: message.into(), trace: Vec::new() }))
    }
    pub(crate) fn unsupported(what: impl Into<String>) -> Stop {
        Stop::End(End::Unsupported(what.into()))
    }

    /// The engine is in a state that cannot be: this is a mistake of Cleave, and is reported as one.
    #[cold]
    #[track_caller]
    pub(crate) fn impossible(what: &str) -> Stop {
        never!("{what}");
        Stop::unsupported(format!("an internal error of Cleave: {what}"))
    }
}

/// The outcome of a run of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A decision: the state goes on once [`crate::Engine::take`] has told it a side.
    Decision {
        /// The condition.
        cond: Term,
        /// Only the true side is a path (`klee_assume`).
        assume: bool,
    },
    /// The path is at its end.
    Ended {
        /// Its end.
        end: End,
        /// The stack, for a bug, for something unsupported, and for an assumption that no input satisfies; else empty.
        trace: Vec<TraceLine>,
    },
    /// The fuel is used up; run it again.
    OutOfFuel,
}

/// The effect of an op on the flow of control.
pub(crate) enum Flow {
    /// The next op of the same function.
    Next,
    /// Another function, or another place in this one: `state.frame` says where.
    Elsewhere,
    /// The same op once more: its system call waits. It does not count as executed yet.
    Again,
}

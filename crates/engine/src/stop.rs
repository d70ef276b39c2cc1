//! What ends the run of a state: a decision that is open, or the end of its path.

use cleave_expr::Term;
use cleave_memory::Byte;
use cleave_never::never;

/// The kinds of bugs. One table gives their names, which reports know more about.
macro_rules! bug_kinds {
    ($($(#[$doc:meta])* $name:ident => $text:literal;)*) => {
        /// What kind of bug a path ends in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum BugKind { $($(#[$doc])* $name,)* }
        impl BugKind {
            /// Its name in records and reports.
            pub fn name(self) -> &'static str {
                match self { $(BugKind::$name => $text,)* }
            }
        }
    };
}

bug_kinds! {
    /// An access near address zero.
    NullPointer => "null-pointer";
    /// An access behind or before an object.
    OutOfBounds => "out-of-bounds";
    /// An access where no object is.
    WildPointer => "wild-pointer";
    /// An access to an object whose life is over.
    UseAfterFree => "use-after-free";
    /// An access to a local variable behind the end of its block.
    UseAfterScope => "use-after-scope";
    /// At the end of the program nothing points to an object of the heap.
    Leak => "leak";
    /// A length that is negative, or more than any object has.
    BadLength => "bad-length";
    /// Source and destination of a copy overlap.
    Overlap => "overlap";
    /// A second free.
    DoubleFree => "double-free";
    /// A free of something that is no start of a heap object.
    InvalidFree => "invalid-free";
    /// A write to a constant.
    ReadOnly => "read-only";
    /// A division or remainder by zero, or one that overflows.
    Division => "division";
    /// A shift by the width or more.
    Overshift => "overshift";
    /// What the program does depends on a value that was never set.
    Uninitialised => "uninitialised";
    /// A failed assertion.
    Assertion => "assertion";
    /// `abort` or a trap.
    Abort => "abort";
    /// `__builtin_trap`, or what a compiler makes of a failed check.
    Trap => "trap";
    /// `__builtin_debugtrap`.
    Breakpoint => "breakpoint";
    /// Code that cannot be reached was.
    Unreachable => "unreachable";
    /// A call through a pointer to no function.
    BadCall => "bad-call";
    /// The stack is full.
    StackOverflow => "stack-overflow";
    /// More functions are running than the options allow.
    TooManyFrames => "stack-frames";
    /// A variable argument is read that was not passed.
    MissingArgument => "missing-argument";
    /// An access beyond an array inside of a structure.
    Subobject => "subobject";
    /// The program waits for what nobody is there to do.
    Deadlock => "deadlock";
    /// A function of the C library is called in a way that its contract forbids.
    Contract => "contract";
    /// A check of `-fsanitize=undefined`: arithmetic that overflows.
    Overflow => "overflow";
    /// A shift by too much, or of a bit out of its type.
    Shift => "shift";
    /// A call of `__builtin_unreachable`.
    UnreachableCall => "unreachable-call";
    /// The end of a function that must return a value.
    MissingReturn => "missing-return";
    /// An index outside of the array's type.
    Bounds => "bounds";
    /// An access at an address that does not suit the type.
    Alignment => "alignment";
    /// Arithmetic on pointers that overflows, or begins with null.
    PointerOverflow => "pointer-overflow";
    /// Null where an attribute says that it cannot be.
    Nonnull => "nonnull";
    /// An array of variable length that is not positive.
    VlaBound => "vla-bound";
    /// A bool or an enumeration with another value than its type has.
    InvalidValue => "invalid-value";
    /// A floating-point number that does not fit into the integer that it is made.
    FloatCast => "float-cast-overflow";
    /// An implicit conversion that changes the sign, or the sign and more.
    Conversion => "implicit-conversion";
    /// An implicit conversion that drops bits.
    Truncation => "implicit-truncation";
    /// A compiler's builtin with an argument that it is not defined for.
    InvalidBuiltin => "invalid-builtin";
    /// The program said so itself: `klee_report_error`, `reach_error`.
    Reported => "reported";
    /// An intrinsic was used in a way it does not allow.
    Usage => "user";
}

/// A bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// What kind it is.
    pub kind: BugKind,
    /// What is wrong, as a sentence without its full stop.
    pub message: String,
    /// The line that is to blame, where that is not the one at which the path ends.
    pub place: Option<TraceLine>,
}

/// How a path ends.
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
    /// A bug.
    Bug(Bug),
    /// A bug that is suppressed.
    Suppressed {
        /// The bug.
        bug: Bug,
        /// By which of the options' suppressions.
        by: usize,
    },
    /// Something that is not modelled, and what.
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
}

/// Why a state does not go on by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The op at hand wants to know which way a condition goes.
    Decide {
        cond: Term,
        /// Only the true side is a path.
        assume: bool,
    },
    /// The op at hand is not for a path that may be infeasible.
    Unchecked,
    End(End),
}

impl Stop {
    pub(crate) fn bug(kind: BugKind, message: impl Into<String>) -> Stop {
        Stop::End(End::Bug(Bug { kind, message: message.into(), place: None }))
    }
    pub(crate) fn unsupported(what: impl Into<String>) -> Stop {
        Stop::End(End::Unsupported(what.into()))
    }

    /// The engine stands where it cannot be: this is a mistake of ours, and is told as one.
    #[cold]
    #[track_caller]
    pub(crate) fn impossible(what: &str) -> Stop {
        never!("{what}");
        Stop::unsupported(format!("an internal error of Cleave: {what}"))
    }
}

/// What running a state came to.
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
        /// How.
        end: End,
        /// Where, for a bug and what is unsupported.
        trace: Vec<TraceLine>,
    },
    /// The fuel is used up; run it again.
    OutOfFuel,
}

//! The one table of bug kinds: name, KLEE's file suffix, native effect, level, headline, advice. The
//! engine, the reports, suppressions and `cleave replay` read it; a new kind is one entry.

/// Severity of a bug, in the words of SARIF's levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// It is no bug of the program.
    Note,
    /// The program continues with a result that may be wrong, or loses something.
    Warning,
    /// The program's behaviour is undefined, or it ends there, or waits for ever, or itself reports an error.
    Error,
}

impl Level {
    /// Its name in SARIF.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// Effect of a native run of a test with such a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NativeEffect {
    /// It is killed by SIGABRT.
    Abort,
    /// It is killed by SIGFPE.
    FloatingPointException,
    /// It is killed by SIGSEGV, in all likelihood.
    SegmentationFault,
    /// It is killed by SIGILL.
    IllegalInstruction,
    /// It is killed by SIGTRAP.
    Breakpoint,
    /// It waits until its time is up.
    Hang,
    /// The effect is unknown: the behaviour is undefined.
    Unknown,
}

macro_rules! bug_kinds {
    ($($(#[$doc:meta])* $kind:ident, $name:literal, $suffix:literal, $effect:ident, $level:ident, $headline:literal, $advice:literal;)*) => {
        /// A kind of bug that a path can end in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BugKind {
            $($(#[$doc])* $kind,)*
        }

        impl BugKind {
            /// All of them, in the order of the table.
            pub const ALL: &'static [BugKind] = &[$(BugKind::$kind),*];

            /// The name used in the database, in JSON and in suppressions.
            pub const fn name(self) -> &'static str {
                match self { $(BugKind::$kind => $name,)* }
            }
            /// The part of a file's name between the test's name and `.err`; KLEE's if KLEE has one.
            pub const fn suffix(self) -> &'static str {
                match self { $(BugKind::$kind => $suffix,)* }
            }
            /// The message if the engine gave no closer one.
            pub const fn headline(self) -> &'static str {
                match self { $(BugKind::$kind => $headline,)* }
            }
            /// Advice to the reader.
            pub const fn advice(self) -> &'static str {
                match self { $(BugKind::$kind => $advice,)* }
            }
            /// Its severity.
            pub const fn level(self) -> Level {
                match self { $(BugKind::$kind => Level::$level,)* }
            }
            /// Effect of a native run of such a test.
            pub const fn native_effect(self) -> NativeEffect {
                match self { $(BugKind::$kind => NativeEffect::$effect,)* }
            }
        }
    };
}

bug_kinds! {
    /// Access through a null pointer, or near it.
    NullPointer, "null-pointer", "ptr", SegmentationFault, Error, "memory error: null pointer",
        "Check the pointer before this access, or find on the stack below where it became null.";
    /// Access outside of the object the address belongs to.
    OutOfBounds, "out-of-bounds", "ptr", Unknown, Error, "memory error: out of bound pointer",
        "Compare the index or length in this line with the size of the object named here.";
    /// Access to memory that belongs to no object.
    WildPointer, "wild-pointer", "ptr", Unknown, Error, "memory error: pointer to no object",
        "Find where this pointer got its value: it is uninitialised, overwritten or computed wrongly.";
    /// Access to memory that was freed, or to a variable of a function that has returned.
    UseAfterFree, "use-after-free", "ptr", Unknown, Error, "memory error: use after free",
        "Free the object later, or forget the pointer when the object is freed.";
    /// Access to a local variable behind the end of its block.
    UseAfterScope, "use-after-scope", "ptr", Unknown, Error, "memory error: use after scope",
        "Declare the variable in the block that uses it last, or forget the pointer where its block ends.";
    /// At the end of the program nothing points to an object of the heap.
    Leak, "leak", "leak", Unknown, Warning, "memory leak",
        "Free the object that is allocated in this line, or keep a pointer to it.";
    /// A length that is negative, or more than any object has.
    BadLength, "bad-length", "ptr", Unknown, Error, "memory error: impossible length",
        "Find where this length got below zero, and check it there.";
    /// Source and destination of a copy overlap.
    Overlap, "overlap", "ptr", Unknown, Error, "memory error: copy between overlapping places",
        "Use memmove, or copy to another object first.";
    /// Pointers into two objects are compared by order, or subtracted.
    PointerCompare, "pointer-compare", "ptr", Unknown, Warning, "pointers into two objects are compared or subtracted",
        "Compare or subtract pointers into the same object, or compare them as uintptr_t if any order will do.";
    /// The same object freed twice.
    DoubleFree, "double-free", "ptr", Unknown, Error, "memory error: double free",
        "Free the object once; set the pointer to NULL after freeing where it may be seen again.";
    /// Something freed that `malloc` did not give.
    InvalidFree, "invalid-free", "free", Unknown, Error, "memory error: invalid free",
        "Free only what malloc, calloc, realloc or their kin have returned, and exactly that address.";
    /// An object freed by another function than that for what made it, or as one of another size.
    MismatchedFree, "mismatched-free", "free", Unknown, Error, "memory error: freed by another function than its own",
        "Free with delete what new has made, with delete[] what new[] has made, and with free what malloc has made.";
    /// A write to a constant.
    ReadOnly, "read-only", "read_only", SegmentationFault, Error, "memory error: object read only",
        "Copy the constant and write to the copy; string literals are constants.";
    /// Division or remainder by zero, or a quotient that does not fit.
    Division, "division", "div", FloatingPointException, Error, "divide by zero",
        "Check the divisor before this line.";
    /// A shift by the width of the value, or by more.
    Overshift, "overshift", "overshift", Unknown, Error, "overshift error",
        "Check that the number of bits to shift by is less than the width of the value.";
    /// A decision, an address or an output depends on a value that was never set.
    Uninitialised, "uninitialised", "uninitialised", Unknown, Error, "use of an uninitialised value",
        "Set the value named here on all paths that lead to this line.";
    /// Arithmetic that overflows, where the program is compiled so that this is noticed.
    Overflow, "overflow", "overflow", Abort, Error, "integer overflow",
        "Use a wider type, or check the operands before this line.";
    /// A shift by too much, or of a bit out of its type, where the program is compiled so that this is noticed.
    Shift, "shift", "overflow", Abort, Error, "shift out of bounds",
        "Check that the number of bits to shift by is less than the width, and shift unsigned values.";
    /// A call of `__builtin_unreachable`, where the program is compiled so that this is noticed.
    UnreachableCall, "unreachable-call", "unreachable_call", Abort, Error, "unreachable code is reached",
        "Find out why the condition in front of this line holds, or take __builtin_unreachable out.";
    /// The end of a function that must return a value.
    MissingReturn, "missing-return", "missing_return", Abort, Error, "missing return",
        "Return a value on all paths through this function.";
    /// A variable argument is read that was not passed.
    MissingArgument, "missing-argument", "ptr", Unknown, Error, "missing argument",
        "Compare the format, or the count, with the arguments of this call.";
    /// An access beyond an array inside of a structure.
    Subobject, "subobject", "ptr", Unknown, Error, "memory error: beyond a member",
        "Compare the index in this line with the size of the member: what stands behind it in the structure is meant by no one.";
    /// Waiting for what nobody is there to do.
    Deadlock, "deadlock", "deadlock", Hang, Error, "deadlock",
        "Find out who should end this wait: a second thread, the other end of a pipe, or an unlock that was forgotten.";
    /// A loop in which the state of the program comes again.
    NonTermination, "non-termination", "endless", Hang, Error, "endless loop",
        "Find what should change in each round of this loop: a counter that is not counted, a step of zero, an end of input that is not looked for.";
    /// A function of the C library is called in a way that its contract forbids.
    Contract, "contract", "contract", Unknown, Error, "a function's contract is broken",
        "Compare this call with what the manual page of the function asks for.";
    /// A lock is unlocked by a thread that does not hold it.
    BadUnlock, "bad-unlock", "bad_unlock", Unknown, Error, "unlock by another thread",
        "Unlock in the thread that has locked, or use a semaphore where another thread is to go on.";
    /// Two threads access the same bytes, one of them writes, not both atomically, and nothing orders the two.
    DataRace, "data-race", "race", Unknown, Error, "data race",
        "Guard both accesses with the same lock, make them atomic, or let one thread wait for the other in between.";
    /// A system call on a file descriptor that is not open for it.
    Descriptor, "descriptor", "descriptor", Unknown, Warning, "bad file descriptor",
        "Find where this descriptor was closed, or what open returned, and do not use it behind that.";
    /// An index outside of the array's type.
    Bounds, "bounds", "ptr", Abort, Error, "index out of bounds",
        "Compare the index in this line with the number of elements.";
    /// An access at an address that does not suit the type.
    Alignment, "alignment", "ptr", Abort, Error, "misaligned address",
        "Copy the bytes with memcpy, or align the object.";
    /// Arithmetic on pointers that overflows, or begins with null.
    PointerOverflow, "pointer-overflow", "ptr", Abort, Error, "pointer overflow",
        "Check the pointer for null and the offset for its range before this line.";
    /// Null where an attribute says that it cannot be.
    Nonnull, "nonnull", "nullable_attribute", Abort, Error, "null where an attribute forbids it",
        "Check the value before it is passed or returned in this line.";
    /// An array of variable length that is not positive.
    VlaBound, "vla-bound", "ptr", Abort, Error, "array length not positive",
        "Check the length before this line.";
    /// A bool or an enumeration with another value than its type has.
    InvalidValue, "invalid-value", "invalid_load", Abort, Error, "invalid value of a type",
        "Find what wrote this object: it is uninitialised, or was written as another type.";
    /// A floating-point number that does not fit.
    FloatCast, "float-cast-overflow", "overflow", Abort, Warning, "floating-point conversion overflows",
        "Check the range of the number before it is converted.";
    /// An implicit conversion that drops bits.
    Truncation, "implicit-truncation", "implicit_truncation", Abort, Warning, "implicit conversion drops bits",
        "Write the conversion out if it is meant, or check the range before this line.";
    /// An implicit conversion that changes the sign.
    Conversion, "implicit-conversion", "implicit_conversion", Abort, Warning, "implicit conversion changes the value",
        "Write the conversion out if it is meant, or check the range before this line.";
    /// A compiler's builtin with an argument that it is not defined for.
    InvalidBuiltin, "invalid-builtin", "invalid_builtin_use", Abort, Error, "invalid use of a builtin",
        "Check the argument for zero before this line.";
    /// `assert` or `klee_assert` failed.
    Assertion, "assertion", "assert", Abort, Error, "ASSERTION FAIL",
        "The program itself says that this cannot happen; replay the test to see how it does.";
    /// `abort` was called.
    Abort, "abort", "abort", Abort, Error, "abort failure",
        "Look on the stack below for who called abort, and why.";
    /// An exception that nothing catches, or that comes to a function which lets none pass.
    UncaughtException, "uncaught-exception", "uncaught_exception", Abort, Error, "uncaught exception",
        "Catch it in one of the functions on the stack below, or check in front of this line what makes it.";
    /// A panic of Rust that ends the program.
    Panic, "panic", "panic", Abort, Error, "panic",
        "Check in this line what the message names, or return an error in place of the panic.";
    /// `__builtin_trap`, or what a compiler makes of a failed check.
    Trap, "trap", "abort", IllegalInstruction, Error, "trap",
        "Look in this line for __builtin_trap, or for what the compiler was told to trap.";
    /// `__builtin_debugtrap`.
    Breakpoint, "breakpoint", "abort", Breakpoint, Warning, "breakpoint",
        "Take the breakpoint out: without a debugger it ends the program.";
    /// `klee_report_error` or `reach_error` was called.
    Reported, "reported", "report_error", Unknown, Error, "reported error",
        "The program itself reports this place as an error.";
    /// An intrinsic was called in a way that makes no sense.
    User, "user", "user", Unknown, Error, "user error",
        "Correct the call of the intrinsic in this line; its rules stand in the header.";
    /// Code was reached that the compiler took for unreachable.
    Unreachable, "unreachable", "exec", Unknown, Error, "reached \"unreachable\" instruction",
        "A function that should not return does, or one that should return a value does not.";
    /// The stack grew beyond its limit.
    StackOverflow, "stack-overflow", "stack_overflow", SegmentationFault, Error, "stack overflow",
        "Look on the stack below for a recursion without end, or for a large local array.";
    /// More functions are running than the options allow.
    TooManyFrames, "stack-frames", "stack_overflow", Unknown, Warning, "too many stack frames",
        "Look on the stack below for a recursion without end, or allow more with --max-stack-frames.";
    /// A call through a pointer to no function, or to one of another type.
    BadCall, "bad-call", "exec", Unknown, Error, "invalid function pointer",
        "Find where the function pointer got its value.";
    /// Something that Cleave does not model: no error of the program.
    Unsupported, "unsupported", "model", Unknown, Note, "not supported by Cleave",
        "This is no bug of the program. The other paths are explored all the same; please report what is named here.";
}

impl BugKind {
    /// True if it is a bug of the program: all are except [`BugKind::Unsupported`].
    pub fn is_bug(self) -> bool {
        self != BugKind::Unsupported
    }

    /// The kind of this [`BugKind::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_every_kind_says_what_to_do() {
        for (i, kind) in BugKind::ALL.iter().enumerate() {
            assert_eq!(BugKind::from_name(kind.name()), Some(*kind));
            assert!(BugKind::ALL[..i].iter().all(|k| k.name() != kind.name()), "{}", kind.name());
            let word = |text: &str| {
                !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b"-_".contains(&b))
            };
            assert!(word(kind.name()) && word(kind.suffix()), "{kind:?}");
            assert_eq!(kind.level() == Level::Note, !kind.is_bug(), "{kind:?}");
            assert!(!kind.headline().is_empty() && kind.advice().ends_with('.'), "{kind:?}");
        }
        assert_eq!(BugKind::from_name("nonsense"), None);
        assert_eq!(BugKind::ALL.iter().filter(|kind| !kind.is_bug()).count(), 1);
    }
}

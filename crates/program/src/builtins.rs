//! Functions that the engine executes itself when a program calls them by name: one table.
//!
//! An entry is `NAME(ARGUMENTS): "FUNCTION" ...;`. ARGUMENTS is the number of argument registers that the engine needs; a call
//! with fewer is refused. The functions of these names are never called, even if the module defines them. A line added here must
//! also be added to `engine/src/ops/builtins.rs`; the compiler reports it if it is missing there.

use serde::{Deserialize, Serialize};

macro_rules! builtins {
    ($($(#[$about:meta])* $section:ident {
        $($(#[$doc:meta])* $name:ident($arguments:literal): $($function:literal)*;)*
    })*) => {
        /// A function that the engine executes itself when a program calls it by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Builtin {
            $($($(#[$doc])* $name,)*)*
        }

        impl Builtin {
            /// The builtin of a function's name.
            pub fn named(function: &str) -> Option<Builtin> {
                match function {
                    $($($($function => Some(Builtin::$name),)*)*)*
                    _ => None,
                }
            }

            /// Number of argument registers that the engine needs.
            pub const fn arguments(self) -> usize {
                match self {
                    $($(Builtin::$name => $arguments,)*)*
                }
            }
        }

        $(
            $(#[$about])*
            #[macro_export]
            macro_rules! $section {
                () => { $($crate::code::Builtin::$name)|* };
            }
        )*
    };
}

builtins! {
/// A pattern of the functions of the heap.
heap_builtins {
    /// `malloc(size)`.
    Malloc(1): "malloc" "__libc_malloc" "__libc_malloc_impl";
    /// `calloc(count, size)`.
    Calloc(2): "calloc" "__libc_calloc";
    /// `realloc(address, size)`.
    Realloc(2): "realloc" "__libc_realloc";
    /// `free(address)`.
    Free(1): "free" "__libc_free";
    /// `memalign(alignment, size)`, `aligned_alloc`.
    Memalign(2): "memalign" "aligned_alloc";
    /// `posix_memalign(where, alignment, size)`.
    PosixMemalign(3): "posix_memalign";
    /// `malloc_usable_size(address)`.
    MallocUsableSize(1): "malloc_usable_size";
}

/// A pattern of what is neither the heap's nor KLEE's.
system_builtins {
    // memory
    /// `(dst, src, len) -> dst`; the two do not overlap.
    Memcpy(3): "memcpy";
    /// `(dst, src, len) -> dst`.
    Memmove(3): "memmove";
    /// `(copying, dst, src)`, followed by the other parameters that [`Copying::params`] counts: a function of the C library
    /// begins to copy, and its source and destination must not overlap.
    Copies(3): ;
    /// `(dst, byte, len) -> dst`.
    Memset(3): "memset";

    // the interface to the kernel and the start-up code (runtime/)
    /// `cleave_syscall(nr, a, b, c, d, e, f)`.
    Syscall(1): "cleave_syscall";
    /// `cleave_point(object, other, word)`: the thread is about to use data that it shares with others (runtime/musl/points.c).
    Point(3): "cleave_point";
    /// `cleave_ordered(object, how)`: the thread acquires or releases the object, or has joined the thread of that name
    /// (runtime/musl/points.h).
    Ordered(2): "cleave_ordered";
    /// `cleave_bad_unlock(what)`: a lock is unlocked by a thread that does not hold it.
    BadUnlock(1): "cleave_bad_unlock";
    /// `cleave_atomic_point(address, size, does)`: the thread is about to access data that it may share with others, atomically
    /// or as a volatile object; see [`crate::atomics::Shared`].
    AtomicPoint(3): "cleave_atomic_point";
    /// `cleave_atomic_begins(address, size, does)`: the accesses up to the end are that one.
    AtomicBegins(3): "cleave_atomic_begins";
    /// `cleave_atomic_ends(address, size, does)`: it is done; of a fence this is all.
    AtomicEnds(3): "cleave_atomic_ends";
    /// `(address)`: where the running thread has the thread-local variable that the first one has there.
    ThreadLocal(1): ;
    /// `cleave_thread_pointer()`: the value that `cleave_set_thread_pointer` was given.
    ThreadPointer(0): "cleave_thread_pointer";
    /// `cleave_set_thread_pointer(address)`.
    SetThreadPointer(1): "cleave_set_thread_pointer";
    /// `cleave_env_get(key, index)`: a number of the argument list or the environment.
    EnvGet(2): "cleave_env_get";
    /// `cleave_env_copy(index, dst)`: the text of an argument.
    EnvCopy(2): "cleave_env_copy";
    /// `cleave_env_copy_var(index, dst)`: the text of a variable of the environment.
    EnvCopyVar(2): "cleave_env_copy_var";
    /// `cleave_make_files()`: the files with symbolic content.
    MakeFiles(0): "cleave_make_files";
    /// `cleave_signal_frame(info, context)`: the arguments of a handler (runtime/musl/signals.c).
    SignalFrame(2): "cleave_signal_frame";
    /// `cleave_signal_return(context)`: the handler has returned.
    SignalReturn(1): "cleave_signal_return";
    /// `cleave_sized_input(size, most, name)`: a symbolic object whose size is an input too (runtime/fuzz.c). Harnesses call it by its
    /// other name.
    SizedInput(3): "cleave_sized_input" "cleave_symbolic_object";
    /// `cleave_allocate(size)`: memory of the start-up code, for arguments and environment.
    Allocate(1): "cleave_allocate";
    /// `cleave_text_ends(text, from)`: the object of an argument or variable ends behind the first NUL from there on.
    TextEnds(2): "cleave_text_ends";
    /// `setjmp(buffer)`.
    Setjmp(1): "setjmp" "_setjmp" "__setjmp" "sigsetjmp" "__sigsetjmp";
    /// `longjmp(buffer, value)`.
    Longjmp(2): "longjmp" "_longjmp" "siglongjmp";
    /// `llvm.frameaddress(level)`: address of the frame of the running function, or of its `level`-th caller; null if there is
    /// none.
    FrameAddress(1): ;
    /// `llvm.returnaddress(level)`: address that this function returns to.
    ReturnAddress(1): ;
    /// `llvm.readcyclecounter`: the time of the model, a cycle a nanosecond.
    CycleCounter(0): ;

    // exceptions (runtime/cxx)
    /// `cleave_unwind_next(frame, all)`: the number of the next frame above `frame`, or above the running function for 0, in which
    /// an exception does not just go on to the caller, or of any with `all`; 0 at the end of the stack.
    UnwindNext(2): "cleave_unwind_next";
    /// `cleave_unwind_value(frame, what)`: see [`UnwindValue`].
    UnwindValue(2): "cleave_unwind_value";
    /// `cleave_unwind_to(frame, first, second)`: the frame goes on at its landing pad with these values.
    UnwindTo(3): "cleave_unwind_to";
    /// `cleave_terminates(text)`: a C++ program is about to abort for this reason.
    Terminates(1): "cleave_terminates";

    // variable arguments and the stack
    /// `(va_list *)`.
    VaStart(1): ;
    /// `(dst, src)`.
    VaCopy(2): ;
    /// A mark of the stack, for [`Builtin::StackRestore`].
    StackSave(0): ;
    /// `(mark)`: frees the stack objects made since the mark was taken.
    StackRestore(1): ;

    // ends of a path
    /// `__assert_fail(expr, file, line, func)`.
    AssertFail(1): "__assert_fail";
    /// `abort()`.
    Abort(0): "abort";
    /// An `abort` that is an assumption (assumptions.rs): the path does not count.
    Rejects(0): ;
    /// `reach_error()`, `__VERIFIER_error()`.
    ReachError(0): "reach_error" "__VERIFIER_error";
    /// `llvm.trap` and `llvm.ubsantrap`.
    Trap(0): ;
    /// `llvm.debugtrap`.
    Breakpoint(0): ;
    /// musl's `__fesetround(mode)`.
    SetRounding(1): "__fesetround";
    /// `fegetround()`.
    GetRounding(0): "fegetround";
    /// `llvm.get.rounding`.
    FltRounds(0): ;
    /// `fetestexcept(mask)`.
    Exceptions(1): "fetestexcept";
    /// `cpuid`: leaf, subleaf, and which of the four results (eax, ebx, ecx, edx).
    Cpuid(3): ;
    /// `(handler, data, ...)`: a check of `-fsanitize=undefined` has failed; see [`crate::undefined`].
    Undefined(1): ;

    // contracts of the C library (runtime/musl/contracts.c)
    /// `cleave_stuck(why)`: the program waits for ever.
    Stuck(1): "cleave_stuck";
    /// `cleave_misused(what)`: a function is called in a way that its contract forbids.
    Misused(1): "cleave_misused";
    /// `(offset, bytes, size, text)`: an access to an array of `size` bytes in a structure that the text names.
    Member(4): ;
    /// As [`Builtin::Member`], of an access that names a variable of `size` bytes which is part of a section.
    SectionMember(4): ;
    /// `(status)`: `main` is about to return this value.
    ExitStatus(1): "cleave_exit_status";
    /// `cleave_closed(stream)`: a stream, or one of directories, whose life is over.
    Closed(1): "cleave_closed";

    // numbers that are printed before they are text (runtime/musl/numbers.c)
    /// `cleave_number_waits(mantissa, exponent, width, precision, fd)`: whether a number needs no text now.
    NumberWaits(5): "cleave_number_waits";
    /// `cleave_stream(what, stream, fd, a, b, c)`: an event of a stream in which numbers wait.
    StreamCall(6): "cleave_stream";
}

/// A pattern of KLEE's intrinsics, under their own names without `klee_`.
klee_builtins {
    /// `klee_make_symbolic(address, size, name)`; the engine decides about an object without a name.
    MakeSymbolic(2): "klee_make_symbolic";
    /// `klee_assume(condition)`.
    Assume(1): "klee_assume";
    /// `klee_prefer_cex(object, condition)`.
    PreferCex(2): "klee_prefer_cex" "klee_posix_prefer_cex";
    /// `klee_report_error(file, line, message, suffix)`.
    ReportError(0): "klee_report_error";
    /// `klee_silent_exit(status)`.
    SilentExit(1): "klee_silent_exit";
    /// `klee_abort()`.
    KleeAbort(0): "klee_abort";
    /// `klee_get_value_*`: the argument's width is that of the result.
    GetValue32(1): "klee_get_value_i32";
    /// As [`Builtin::GetValue32`], of 64 bits.
    GetValue64(1): "klee_get_value_l" "klee_get_value_ll" "klee_get_value_i64";
    /// As [`Builtin::GetValue32`], of a `float`.
    GetValueF32(1): "klee_get_value_f";
    /// As [`Builtin::GetValue32`], of a `double`.
    GetValueF64(1): "klee_get_value_d";
    /// `klee_is_symbolic(value)`.
    IsSymbolic(1): "klee_is_symbolic";
    /// `klee_get_obj_size(address)`.
    GetObjSize(1): "klee_get_obj_size";
    /// `klee_define_fixed_object(address, size)`.
    DefineFixed(2): "klee_define_fixed_object";
    /// `klee_print_expr(text, value)`.
    PrintExpr(2): "klee_print_expr";
    /// `klee_warning(text)`.
    Warning(0): "klee_warning";
    /// `klee_warning_once(text)`.
    WarningOnce(0): "klee_warning_once";
    /// `klee_check_memory_access(address, size)`.
    CheckMemoryAccess(2): "klee_check_memory_access";
    /// Does nothing and returns 0. Hints, and output for people: without them the paths are the same. With
    /// `klee_set_forking(0)` KLEE leaves paths out, here there are all of them; `klee_is_replay` is 0 as in KLEE, and 1
    /// natively. A program that `klee_alias_function` changes is another one: it stays an unknown function.
    Nothing(0):
        "klee_mark_global" "klee_stack_trace" "klee_set_forking" "klee_print_range" "klee_is_replay";
    /// `klee_open_merge()`, `klee_close_merge()`: nothing is merged, which is said.
    Merge(0): "klee_open_merge" "klee_close_merge";
}
}

impl Builtin {
    /// Returns true if arguments that are no pointers are sizes, or numbers as wide as these: `size_t`, `long`, `uintptr_t`. The
    /// engine takes them as 64 bits, also from a program whose own have 32.
    pub(crate) fn takes_sizes(self) -> bool {
        use Builtin::*;
        matches!(
            self,
            Malloc
                | Calloc
                | Realloc
                | Free
                | Memalign
                | PosixMemalign
                | MallocUsableSize
                | Memcpy
                | Memmove
                | Memset
                | Syscall
                | Point
                | Ordered
                | AtomicPoint
                | AtomicBegins
                | AtomicEnds
                | EnvGet
                | EnvCopy
                | EnvCopyVar
                | SizedInput
                | Allocate
                | TextEnds
                | MakeSymbolic
                | Assume
                | PreferCex
                | IsSymbolic
                | GetObjSize
                | DefineFixed
                | CheckMemoryAccess
        )
    }

    /// Returns true if the result is a pointer, also where a program declares another.
    pub(crate) fn returns_pointer(self) -> bool {
        use Builtin::*;
        matches!(self, Malloc | Calloc | Realloc | Memalign | Memcpy | Memmove | Memset)
    }
}

/// Returns true if the engine has a function of that name itself, so that no module needs to define it.
pub(crate) fn is_builtin(name: &str) -> bool {
    Builtin::named(name).is_some() || crate::undefined::handler(name).is_some()
}

/// Returns true if no module needs to define that name: the engine has it, or the linker makes it.
pub fn is_known(name: &str) -> bool {
    is_builtin(name) || crate::undefined_names::is_linker_made(name)
}

/// Answers of [`Builtin::UnwindValue`] about a frame, by the number of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwindValue {
    /// The address of its function's personality; 0 if it has none.
    Personality,
    /// The address of the table that the personality reads.
    Table,
    /// The number of the landing pad behind the call that the frame is in; 0 if there is none.
    Pad,
    /// The address of its function.
    Function,
    /// The address that the call returns to.
    Address,
    /// The address of the frame on the stack.
    Stack,
    /// 1 if no exception passes it: see [`crate::code::Unwinding`].
    Never,
}

impl UnwindValue {
    /// The question of that number.
    pub fn from_raw(raw: u64) -> Option<UnwindValue> {
        use UnwindValue::*;
        [Personality, Table, Pad, Function, Address, Stack, Never].get(usize::try_from(raw).ok()?).copied()
    }
}

/// Kind of copy of a C-library function that is C code, as the first argument of [`Builtin::Copies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copying {
    /// A string, up to its zero.
    Text,
    /// A string, or as many characters of it as the length says.
    Start,
    /// A string, to the end of another.
    Append,
    /// A string, or as many characters of it as the length says, to the end of another.
    AppendStart,
    /// As many elements of 4 bytes as the length says.
    Wide,
    /// As [`Copying::Start`], but the length only says where to stop: no more is written.
    Limited,
    /// Bytes up to the first of a value, or as many as the length behind it says.
    Until,
    /// A string of elements of 4 bytes, up to its zero.
    WideText,
    /// A string of elements of 4 bytes, or as many of them as the length says.
    WideStart,
}

impl Copying {
    /// All of them; the first argument is an index into this.
    const ALL: [Copying; 9] = [
        Copying::Text,
        Copying::Start,
        Copying::Append,
        Copying::AppendStart,
        Copying::Wide,
        Copying::Limited,
        Copying::Until,
        Copying::WideText,
        Copying::WideStart,
    ];

    /// Kind of copy of the function `function`, if its source and destination must not overlap.
    pub fn of(function: &str) -> Option<Copying> {
        Some(match function {
            "strcpy" | "__stpcpy" => Copying::Text,
            "strncpy" | "__stpncpy" => Copying::Start,
            "strcat" => Copying::Append,
            "strncat" => Copying::AppendStart,
            "wmemcpy" => Copying::Wide,
            // `strlcat`, `wcscat` and the like call these.
            "strlcpy" => Copying::Limited,
            "memccpy" => Copying::Until,
            "wcscpy" => Copying::WideText,
            "wcsncpy" => Copying::WideStart,
            _ => return None,
        })
    }

    /// The argument that stands for it.
    pub fn to_raw(self) -> u64 {
        self as u64
    }

    /// The kind that the argument `raw` stands for.
    pub fn from_raw(raw: u64) -> Option<Copying> {
        Copying::ALL.get(usize::try_from(raw).ok()?).copied()
    }

    /// Number of parameters of the function: a length is the last of more than two.
    pub fn params(self) -> u32 {
        match self {
            Copying::Text | Copying::Append | Copying::WideText => 2,
            Copying::Until => 4,
            _ => 3,
        }
    }

    /// Returns true if a length is among the arguments.
    pub fn bounded(self) -> bool {
        self.params() > 2
    }

    /// Returns true if the function always writes as much as the length says; in the others the length is only a limit.
    pub fn writes_all(self) -> bool {
        matches!(self, Copying::Start | Copying::Wide | Copying::WideStart)
    }

    /// Bytes of an element.
    pub fn element(self) -> u64 {
        if matches!(self, Copying::Wide | Copying::WideText | Copying::WideStart) { 4 } else { 1 }
    }
}

//! The names that the engine does itself. They go before definitions in the module.

use crate::code::Builtin;

/// The builtin of a function's name.
pub(crate) fn builtin(name: &str) -> Option<Builtin> {
    use Builtin::*;
    Some(match name {
        "malloc" | "__libc_malloc" | "__libc_malloc_impl" => Malloc,
        "calloc" | "__libc_calloc" => Calloc,
        "realloc" | "__libc_realloc" => Realloc,
        "free" | "__libc_free" => Free,
        "cleave_allocate" => Allocate,
        "memalign" | "aligned_alloc" => Memalign,
        "posix_memalign" => PosixMemalign,
        "malloc_usable_size" => MallocUsableSize,
        "memcpy" => Memcpy,
        "memmove" => Memmove,
        "memset" => Memset,
        "cleave_syscall" => Syscall,
        "cleave_thread_pointer" => ThreadPointer,
        "cleave_set_thread_pointer" => SetThreadPointer,
        "cleave_env_get" => EnvGet,
        "cleave_env_copy" => EnvCopy,
        "cleave_env_copy_var" => EnvCopyVar,
        "cleave_make_files" => MakeFiles,
        "cleave_stuck" => Stuck,
        "cleave_misused" => Misused,
        "cleave_closed" => Closed,
        "setjmp" | "_setjmp" | "__setjmp" | "sigsetjmp" | "__sigsetjmp" => Setjmp,
        "longjmp" | "_longjmp" | "siglongjmp" => Longjmp,
        "abort" => Abort,
        "__fesetround" => SetRounding,
        "__assert_fail" => AssertFail,
        "reach_error" | "__VERIFIER_error" => ReachError,
        "klee_make_symbolic" => MakeSymbolic,
        "klee_assume" => Assume,
        "klee_prefer_cex" | "klee_posix_prefer_cex" => PreferCex,
        "klee_report_error" => ReportError,
        "klee_silent_exit" => SilentExit,
        "klee_abort" => KleeAbort,
        "klee_get_value_i32" => GetValue32,
        "klee_get_value_l" | "klee_get_value_ll" | "klee_get_value_i64" => GetValue64,
        "klee_get_value_f" => GetValueF32,
        "klee_get_value_d" => GetValueF64,
        "klee_is_symbolic" => IsSymbolic,
        "klee_get_obj_size" => GetObjSize,
        "klee_define_fixed_object" => DefineFixed,
        "klee_print_expr" => PrintExpr,
        "klee_warning" => Warning,
        "klee_warning_once" => WarningOnce,
        "klee_check_memory_access" => CheckMemoryAccess,
        // Hints, and output for people: without them the paths are the same. With `klee_set_forking(0)` KLEE leaves
        // paths out, here there are all of them; `klee_is_replay` is 0 as in KLEE, and 1 natively. A program that
        // `klee_alias_function` changes is another one: it stays an unknown function.
        "klee_mark_global" | "klee_open_merge" | "klee_close_merge" | "klee_stack_trace"
        | "klee_set_forking" | "klee_print_range" | "klee_is_replay" => Nothing,
        _ => return None,
    })
}

/// Whether the engine has a function of that name itself, so that no module needs to define it.
pub fn is_builtin(name: &str) -> bool {
    builtin(name).is_some()
}

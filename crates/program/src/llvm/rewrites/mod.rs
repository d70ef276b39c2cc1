//! Passes that replace functions and instructions of a module by others.

pub(crate) mod alias; // Replaces functions by others (`--function-alias`).
pub(crate) mod assumptions; // SV-COMP's assumptions: `assume_abort_if_not`, `__VERIFIER_assume`.
pub(crate) mod atomic_functions; // SV-COMP's `__VERIFIER_atomic_` functions.
pub(crate) mod entry; // Starts a program at another function than `main`.
pub(crate) mod library_calls; // Intrinsics that native code turns into calls.
pub(crate) mod pads; // Landing pads of exceptions: a table for each function that has some.
pub(crate) mod promotion; // Moves variables from memory to registers if no access can follow the end of their scope.
pub(crate) mod proofs; // Rust programs with proofs begin at the `main` of the runtime.
pub(crate) mod quad_floats; // `__float128`: calls of the compiler's library.
pub(crate) mod small_floats; // `_Float16` and `__bf16`, in single precision.
pub(crate) mod thread_locals; // Thread-local variables that are named directly.
pub(crate) mod unoptimised; // Keeps functions that were compiled without optimisation as they were written.
pub(crate) mod wide_switches; // Switches on integers of more than 64 bits.
pub(crate) mod writer; // Writes instructions in front of another one that they replace.

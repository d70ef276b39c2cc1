//! Passes that replace functions and instructions of a module by others.

pub(crate) mod alias; // Replaces functions by others.
pub(crate) mod assumptions; // Assumptions in the words of SV-COMP.
pub(crate) mod atomic_functions; // Atomic functions in the words of SV-COMP.
pub(crate) mod entry; // Starts a program at another function than `main`.
pub(crate) mod library_calls; // Intrinsics that native code turns into calls.
pub(crate) mod promotion; // Moves variables from memory to registers if no access can follow the end of their scope.
pub(crate) mod quad_floats; // `__float128`: the compiler's own library computes with it, and the back end makes the calls.
pub(crate) mod small_floats; // `_Float16` and `__bf16`: numbers of 16 bits, which the processor has no arithmetic for.
pub(crate) mod unoptimised; // Keeps functions that were compiled without optimisation as they were written.
pub(crate) mod writer; // Writes instructions in front of another one that they replace.

//! Ops: what the loop of `step.rs` does not execute itself, because a value is not known or the op is rare.

pub(crate) mod atomics; // accesses that threads make without the C library
pub(crate) mod builtins; // functions that the engine executes itself, by name
pub(crate) mod calls; // calls and returns
pub(crate) mod code_pointers; // pointers to code that depend on the input
pub(crate) mod direct; // integer operations on known values, without terms
pub(crate) mod floats; // floating point
pub(crate) mod frames; // frames of calls, and the stack that they take
pub(crate) mod integers; // integers of at most 64 bits
pub(crate) mod intrinsics; // KLEE's intrinsics
pub(crate) mod memory_ops; // loads and stores
pub(crate) mod operators; // `operator new` and `operator delete` of a program
pub(crate) mod signatures; // calls by another type of function than that of the one called
pub(crate) mod varargs; // variable arguments
pub(crate) mod wide; // scalars of 65 to 128 bits

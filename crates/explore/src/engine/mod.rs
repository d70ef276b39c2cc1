//! What binds this crate to the engine: real programs as a space, and their control flow.

pub(crate) mod control_flow; // The interprocedural control flow graph of a program.
pub(crate) mod programs; // Real programs as a space: the engine behind the trait `Space`.

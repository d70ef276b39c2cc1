//! The binding of this crate to the engine: real programs as a space, and their control flow.

pub(crate) mod control_flow; // The program's control flow graph, and distances to code that no path has reached.
pub(crate) mod programs; // Real programs as a space: the engine behind the trait `Space`.

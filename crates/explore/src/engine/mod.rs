//! The binding of this crate to the engine: real programs as a space, and their control flow.

pub(crate) mod bug_places; // The line by which bugs are told apart.
pub(crate) mod compared; // Tests with the words that the program compares with, for a mutator.
pub(crate) mod control_flow; // The program's control flow graph, and distances to code that no path has reached.
pub(crate) mod executing; // Executions of tests for a mutator, and their novelty.
pub(crate) mod programs; // Real programs as a space: the engine behind the trait `Space`.
pub(crate) mod words; // Constants and texts of a program, for a mutator.

//! Commands that take tests: natively, in the engine, under gdb.

pub mod compare; // `cleave compare`: two versions on the same inputs.
pub mod debug; // `cleave debug`: a test of a run under gdb.
pub mod follow; // `cleave tests follow`: behaviour of a run's tests in the engine, without a native run.
pub mod harness; // `cleave harness`: a harness in C for a function.
pub mod minimize; // `cleave tests minimize`: keeps the shortest input of each path.
pub(crate) mod native_gdb; // `cleave replay --gdb`: the native program on a test, under gdb.
pub mod proofs; // `cleave proofs`: tests of a Rust program natively, and its proofs as runs.
pub mod replay; // `cleave replay`: the native judge.
pub mod tests; // `cleave tests`: the order of tests, and which take the same path.

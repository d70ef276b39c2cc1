//! One file for each command: its options, its work, its output.

pub(crate) mod exploring; // Commands that explore: `run`, `resume`, `join`, ...
pub(crate) mod measuring; // Commands that measure and simulate.
pub(crate) mod results; // Commands that show what a run has found.
pub(crate) mod testing; // Commands that take tests: natively, in the engine, under gdb.
pub(crate) mod tools; // Commands around programs and the shell: `cc`, `dump`, `man`, ...

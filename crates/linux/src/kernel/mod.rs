//! The kernel's state, and what it shares with the program: memory, structures, error numbers.

pub(crate) mod closing; // Descriptors are opened and closed; files are forgotten.
pub(crate) mod errno; // Error numbers, and the failures of a call.
pub(crate) mod guest; // Interface from the kernel to the program: memory, inputs, decisions.
pub(crate) mod record; // Structures of the kernel's interface, as bytes.
pub(crate) mod recurrence; // Detects that the kernel's state recurs.
pub(crate) mod replay_queries; // Queries of a native replay to the model beside its calls.
pub(crate) mod start; // The state at the start of a program.
pub(crate) mod state; // The kernel's state.
pub(crate) mod user_memory; // The program's memory as calls use it: words, strings, structures.

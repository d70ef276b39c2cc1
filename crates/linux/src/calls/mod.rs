//! System calls: the table of them, how one is answered, and how one fails at will.
//!
//! The handlers stand in the folders of their subjects. A handler takes the call at hand and its arguments, and returns the
//! result, an error number, or a reason to stop.

pub(crate) mod arguments; // The parts of their arguments that system calls distinguish.
pub(crate) mod dispatch; // The interface to the kernel: one system call.
pub(crate) mod errors; // The errors with which calls fail at will, as manual pages name them.
pub(crate) mod faults; // Calls that fail at will, or move less than they are asked to.
pub(crate) mod machine; // Handlers that tell of the machine: its names, its memory, randomness.
pub(crate) mod names; // Names of system calls, for messages.
pub(crate) mod table; // The handlers of the system calls, by number.

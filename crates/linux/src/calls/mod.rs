//! System calls: the table of them, how one is answered, and how one fails at will.
//!
//! The handlers stand in the folders of their subjects. A handler takes the call at hand and its arguments, and returns the
//! result, an error number, or a reason to stop.

pub(crate) mod alike; // Numbers that a call does not tell apart.
pub(crate) mod dispatch; // The interface to the kernel: one system call.
pub(crate) mod errors; // How calls fail at will: as in KLEE, or with the errors of the table.
pub(crate) mod faults; // Calls that fail at will, or move less than they are asked to.
pub(crate) mod machine; // Handlers that tell of the machine: its names, its memory, randomness.
pub(crate) mod points; // Names of the points of a schedule.
pub(crate) mod row; // The columns of the table.
pub(crate) mod table; // The system calls, a row a call: number, name, handler, properties, errors.
pub(crate) mod terminals; // The calls that show whether a stream is the terminal.

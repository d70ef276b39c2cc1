//! The world of a program, as the C library asks for it.

pub(crate) mod arguments; // arguments of system calls, as far as a call tells them apart
pub(crate) mod failing; // allocations and system calls that fail or move less
pub(crate) mod guest; // the program as the kernel sees it
pub(crate) mod handlers; // signal handlers
pub(crate) mod printed; // numbers that a program prints
pub(crate) mod processor; // the processor that a program finds
pub(crate) mod unwinding; // exceptions

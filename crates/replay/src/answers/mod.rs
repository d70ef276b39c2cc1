//! Answers to a native program's system calls in the kernel's place, so that it sees the model's world.

pub(crate) mod calls; // the answers
pub(crate) mod family; // several native processes under the model's schedule
pub(crate) mod guest; // a native process as the model sees it
pub(crate) mod listener; // the listener of seccomp's notifications
pub(crate) mod order; // the order of threads that a test foretells
pub(crate) mod poll; // waiting for descriptors
pub(crate) mod short; // reads and writes that move one byte
pub(crate) mod signals; // signals
pub(crate) mod sockets; // the model's sockets
pub(crate) mod table; // the treatment of each system call
pub(crate) mod turns; // whose turn is next

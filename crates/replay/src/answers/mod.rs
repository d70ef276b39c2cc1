//! Answers to a native program's system calls in the kernel's place, so that it sees the model's world.

mod answering; // the answer to one call
pub(crate) mod calls; // the state of a run's calls, and the treatments of a call
pub(crate) mod family; // several native processes under the model's schedule
pub(crate) mod guest; // a native process as the model sees it
pub(crate) mod listener; // the listener of seccomp's notifications
pub(crate) mod order; // the order of threads that a test foretells
pub(crate) mod poll; // waiting for descriptors
mod serving; // calls as they come, and whose turn they are
pub(crate) mod short; // reads and writes that move one byte
pub(crate) mod signals; // signals
pub(crate) mod sockets; // the model's sockets
pub(crate) mod table; // the treatment of each system call
mod turns; // calls of several processes and threads: whose turn is next

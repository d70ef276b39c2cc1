//! The model of the Linux kernel, as programs linked with musl on x86-64 see it: system calls, files, streams,
//! process state. [`world`] says what a program finds at its start; [`Kernel::syscall`] answers one call.
//!
//! A call is a function of the kernel's state, its arguments, the program's memory and the decisions of the path: no clock, no
//! randomness, no file of the host. A call that is not modelled is reported ([`Stop::Unsupported`]).

mod calls; // System calls: the table of them, and how one is answered.
pub mod env; // The environment of a program when it starts, and the world around it.
mod events; // Descriptors without a name: counters, timers, signals, watches, sets of descriptors.
mod files; // The file system: inodes, contents, paths, open descriptions, pipes.
mod kernel; // The kernel's state, and what it shares with the program: memory, structures, errors.
mod memory; // Mappings of memory.
mod processes; // Processes and threads: births, turns, waiting, ends.
mod signals; // Signals: actions, sending, delivery.
mod sockets; // Sockets, the network of this machine, and peers outside.
mod streams; // Output of streams, in which printed numbers may wait for their text.
mod time; // The clock and timers.

pub use calls::alike::Alike;
pub use calls::errors::Failures;
pub use calls::faults::{BAD_DESCRIPTOR, FAULTED_CALL, succeeded};
pub use calls::row::{Argument, Traits};
pub use calls::table::{
    EXIT, EXITS, FUTEX, GIVES_MEMORY_BACK, NUMBERS, SCHED_YIELD, TRANSFERS, UNSEEN, argument, call_is,
    is_modelled, name_of, nr,
};
pub use env::world;
pub use env::{FAILING_CALL_OBJECT, SCHEDULE_OBJECT, SHORT_CALL_OBJECT};
pub use files::stat_object::Attributes;
pub use files::tree::{TreeEntry, TreeNode};
pub use kernel::errno::Errno;
pub use kernel::guest::{Guest, Stop, Wait};
pub use kernel::start::KnownFiles;
pub use kernel::state::{Handed, Kernel, KernelSpec};
pub use processes::execution::{Execution, ProgramFile};
pub use processes::orders::{Point, Schedules, Turn};
pub use processes::schedule::Next;
pub use processes::status::{AfterCall, Condition, Status};
pub use signals::delivery::{Delivery, INTERRUPTED, RESTART};
pub use signals::state::{After, Sent, Told};
pub use streams::float_text::{Conversion, text as number_text};

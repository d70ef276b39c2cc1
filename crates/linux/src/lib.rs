//! The model of the Linux kernel, as programs linked with musl on x86-64 see it: system calls, files, streams,
//! process state. [`world`] says what a program finds at its start; [`Kernel::syscall`] answers one call.
//!
//! A call is a function of the kernel's state, its arguments, the program's memory and the decisions of the path: no clock, no
//! randomness, no file of the host. A call that is not modelled is reported ([`Stop::Unsupported`]).

mod buffered;
mod calls;
mod content;
mod delivery;
mod errno;
mod execution;
mod failing;
mod failures;
mod file_mappings;
mod files;
mod fs;
mod futexes;
mod guest;
mod info;
mod ino;
mod inode;
mod inotify;
mod kernel;
mod life;
mod locks;
mod mappings;
mod metadata;
mod names;
mod network;
mod notices;
mod others;
mod output;
mod outside;
mod outsiders;
mod path;
mod pipe;
mod ports;
mod posix_timers;
mod printed;
mod printing;
mod process;
mod processes;
mod programs;
mod record;
mod recurrence;
mod refusal;
mod schedule;
mod schedules;
mod sending;
mod signals;
mod socket;
mod special;
mod stat_object;
mod syscall;
mod table;
mod threads;
mod tree;
mod undecided;
mod user;

mod addresses;
mod arguments;
pub mod env;
pub mod world;

pub use arguments::{
    Argument, EXIT, EXITS, FUTEX, GIVES_MEMORY_BACK, SCHED_YIELD, TRANSFERS, UNSEEN, argument,
};
pub use delivery::{Delivery, INTERRUPTED, RESTART};
pub use env::{FAILING_CALL_OBJECT, SCHEDULE_OBJECT, SHORT_CALL_OBJECT};
pub use errno::Errno;
pub use execution::{Execution, ProgramFile};
pub use failing::{BAD_DESCRIPTOR, FAULTED_CALL, succeeded};
pub use failures::Failures;
pub use guest::{Guest, Stop, Wait};
pub use kernel::Handed;
pub use kernel::{Kernel, KernelSpec, KnownFiles};
pub use life::{AfterCall, Condition, Status};
pub use names::name_of;
pub use printed::{Conversion, text as number_text};
pub use schedule::Next;
pub use schedules::{Point, Schedules, Turn};
pub use signals::{After, Sent, Told};
pub use stat_object::Attributes;
pub use syscall::is_modelled;
pub use tree::{TreeEntry, TreeNode};

//! The model of the Linux kernel, as programs linked with musl on x86-64 see it: system calls, files, streams,
//! process state. [`world`] says what a program finds at its start; [`Kernel::syscall`] answers one call.
//!
//! A call is a function of the kernel's state, its arguments, the program's memory and the decisions of the
//! path: no clock, no randomness, no file of the host. What is not modelled is said ([`Stop::Unsupported`]).

mod calls;
mod content;
mod errno;
mod failing;
mod fs;
mod guest;
mod inode;
mod kernel;
mod names;
mod output;
mod path;
mod process;
mod refusal;
mod syscall;
mod table;
mod user;

mod arguments;
pub mod env;
pub mod world;

pub use arguments::{Argument, EXITS, TRANSFERS, argument};
pub use env::FAILING_CALL_OBJECT;
pub use errno::Errno;
pub use failing::{BAD_DESCRIPTOR, FAILED_CALL, FAULTED_CALL};
pub use guest::{Guest, Stop};
pub use kernel::{Kernel, KernelSpec};
pub use names::name_of;
pub use syscall::is_modelled;

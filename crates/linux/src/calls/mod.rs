//! Handlers of system calls, a file a family. `table.rs` maps numbers to them, and [`crate::Kernel::syscall`] calls them. A
//! handler takes the call at hand and its arguments, and returns the result, an error number, or a reason to stop.

pub(crate) mod attributes;
pub(crate) mod children;
pub(crate) mod descriptors;
pub(crate) mod directories;
pub(crate) mod epoll;
pub(crate) mod events;
pub(crate) mod execute;
pub(crate) mod futex;
pub(crate) mod identity;
pub(crate) mod inotify;
pub(crate) mod io;
pub(crate) mod links;
mod locking;
pub(crate) mod many;
pub(crate) mod memory;
pub(crate) mod messages;
pub(crate) mod misc;
pub(crate) mod open;
pub(crate) mod process;
pub(crate) mod rename;
pub(crate) mod rights;
pub(crate) mod signals;
pub(crate) mod socket_options;
pub(crate) mod sockets;
pub(crate) mod stat;
pub(crate) mod time;
pub(crate) mod timers;

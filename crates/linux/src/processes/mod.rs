//! Processes and threads: their state, their births and ends, and which of them runs.

pub(crate) mod calls; // Handlers of calls about processes and threads.
pub(crate) mod executable_files; // Makes the files of programs that can be executed.
pub(crate) mod execution; // Programs that can be executed, and the request to start one.
pub(crate) mod futexes; // Futexes: the queue of waiters.
pub(crate) mod lifecycle; // Births, lives and ends of processes.
pub(crate) mod orders; // The orders of threads that are explored (`--explore-schedules`).
pub(crate) mod parked; // The processes beside the one that runs.
pub(crate) mod process; // One process: descriptors, working directory, signals, mappings.
pub(crate) mod process_table; // All processes by number, and the turn.
pub(crate) mod schedule; // Who runs next after a call that waits.
pub(crate) mod status; // Conditions of processes and threads, as others see them.
pub(crate) mod threads; // The part of a process's state that belongs to one thread.
pub(crate) mod waits; // Calls that wait.

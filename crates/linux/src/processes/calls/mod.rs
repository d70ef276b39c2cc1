//! Handlers of calls about processes and threads, a file a family.

pub(crate) mod children; // Child processes and threads: made, and waited for.
pub(crate) mod execute; // Programs in place of others: `execve`, `execveat`.
pub(crate) mod futex; // `futex`: waits for a word of memory, wakes the threads that wait.
pub(crate) mod identity; // Ids of process, user and group.
pub(crate) mod process; // The end of a process, its scheduling and limits.

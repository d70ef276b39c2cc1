//! Futexes: the queue of waiters, first come, first woken. A call that was woken is not in the queue any more when it runs again.

/// The word that a thread waits for. A word in memory that processes share is one for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A word of a process's own, by its address.
    Own {
        pid: u64,
        address: u64,
        /// Those who wait have said that they share it with no process (`FUTEX_PRIVATE_FLAG`): then others do not meet them.
        private: bool,
    },
    /// A word in a piece of shared memory: its number, and the bytes before the word.
    Shared { number: u64, offset: u64 },
}

/// A thread that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waiter {
    pub(crate) key: Key,
    pub(crate) pid: u64,
    pub(crate) tid: u64,
    /// Only a wake with one of these bits wakes it.
    pub(crate) bits: u32,
}

//! The clock and timers.

pub(crate) mod clock_calls; // Handlers of the clock.
pub(crate) mod posix_timers; // Timers that a process makes (`timer_create`).
pub(crate) mod timer_calls; // Handlers of timers that send signals.

//! Objects of descriptors that have no name and no content: counters, timers, signals, sets of descriptors that are watched.

use crate::events::watches::Inotify;

/// A file of a kind of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Special {
    /// `eventfd`: a counter. A semaphore gives one at a time.
    Event { count: u64, semaphore: bool },
    /// `timerfd`.
    Timer(Timer),
    /// `signalfd`: takes pending signals of this set.
    Signals(u64),
    /// `epoll`.
    Epoll(Epoll),
    /// `inotify`.
    Inotify(Inotify),
}

/// A timer that is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timer {
    /// The number of its clock.
    pub(crate) clock: u32,
    /// Time when it goes off next, in nanoseconds on the kernel's clock; none if it is off, or was read after its only time.
    pub(crate) due: Option<u64>,
    /// After how many nanoseconds again; 0 for once.
    pub(crate) interval: u64,
}

impl Timer {
    /// Number of times it went off since it was read last.
    pub(crate) fn expirations(&self, now: u64) -> u64 {
        match self.due {
            Some(due) if due <= now => (now - due).checked_div(self.interval).unwrap_or(0) + 1,
            _ => 0,
        }
    }

    /// It is read: from now on it counts anew.
    pub(crate) fn read(&mut self, now: u64) {
        let past = self.expirations(now);
        self.due = match (self.due, self.interval) {
            (Some(_), 0) if past > 0 => None,
            (due, interval) => due.map(|due| due.saturating_add(interval.saturating_mul(past))),
        };
    }
}

/// Descriptors that are watched.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Epoll {
    /// In the order in which they are reported; a reported one goes to the end.
    pub(crate) watched: Vec<Watched>,
}

/// A descriptor that an `epoll` watches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Watched {
    pub(crate) fd: i32,
    /// The key of its open file description: it is watched by both.
    pub(crate) key: u32,
    /// The events that are asked for, with the flags [`ONE_SHOT`] and [`EDGE`].
    pub(crate) events: u32,
    /// The value that the program gets with the event.
    pub(crate) data: u64,
    /// It waits to be reported since this turn; none if nothing happened.
    pub(crate) ready_since: Option<u64>,
}

/// `EPOLLONESHOT`: told of once.
pub(crate) const ONE_SHOT: u32 = 1 << 30;
/// `EPOLLET`: an event is reported once, and not as long as its condition lasts.
pub(crate) const EDGE: u32 = 1 << 31;

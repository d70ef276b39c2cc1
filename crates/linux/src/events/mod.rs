//! Descriptors that have no name and no content: counters, timers, signals, watches of files, sets of descriptors.

pub(crate) mod counter_calls; // Handlers of `eventfd`, `timerfd` and `signalfd`.
pub(crate) mod epoll_calls; // Handlers of `epoll`: sets of descriptors that are watched.
pub(crate) mod inotify_calls; // Handlers of `inotify`: watches are set and removed.
pub(crate) mod notices; // Reports of events of files to their watchers.
pub(crate) mod objects; // Counters, timers, taken signals and sets of descriptors, as objects.
pub(crate) mod poll_calls; // Handlers of `poll` and `select`.
pub(crate) mod readiness; // Readiness of descriptors, of sets of them too.
pub(crate) mod watches; // Watches of files and directories, and the events that wait to be read.

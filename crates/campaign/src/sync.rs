//! Channels and threads, as [`crate::threads`] and [`crate::worker`] use them. A test compiles these two files with
//! others in their place, which it schedules.

pub(crate) use std::sync::mpsc;
pub(crate) use std::thread;

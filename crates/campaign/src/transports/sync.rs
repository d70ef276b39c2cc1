//! Channels and threads for [`crate::transports::threads`] and [`crate::workers::worker`]. A test compiles these two files with
//! replacements whose interleavings it schedules.

pub(crate) use std::sync::mpsc;
pub(crate) use std::thread;

//! Handlers of calls about sockets, a file a family.

pub(crate) mod batches; // Several messages in one call.
pub(crate) mod messages; // Sending and receiving, and readiness.
pub(crate) mod options; // Options of sockets.
pub(crate) mod rights; // Descriptors that go through sockets (`SCM_RIGHTS`).
pub(crate) mod sockets; // Sockets are made, named, connected and shut down.

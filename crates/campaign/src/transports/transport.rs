//! The interface between the coordinator and its workers: a [`Transport`] starts workers and carries messages.

use std::time::Duration;

use crate::accounting::account::Snapshot;
use crate::transports::protocol::{FromWorker, ToWorker};

/// Names a worker. All names of a transport are different; a replacement has a new name.
pub type WorkerId = u64;

/// News from a worker.
#[expect(clippy::large_enum_variant, reason = "nearly all messages are reports")]
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// A message.
    Message(FromWorker),
    /// It has ended and sends no more: the known reason.
    Gone(String),
    /// Its machine has left: it has ended, but its regions are not to blame.
    Left(String),
}

/// Starts workers and carries messages. Each worker's messages arrive in the order in which it sent them.
pub trait Transport {
    /// Starts a worker. From then on something comes from it: at the latest [`Incoming::Gone`].
    ///
    /// # Errors
    /// Reason of the failure, and advice.
    fn start(&mut self, worker: WorkerId) -> Result<(), String>;
    /// Sends a message. It is dropped if the worker has ended; [`Incoming::Gone`] reports that.
    fn send(&mut self, worker: WorkerId, message: &ToWorker);
    /// The next message of any worker; `None` if none came within `wait`.
    ///
    /// # Errors
    /// If no message can come any more.
    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String>;
    /// Ends a worker at once. Its earlier messages may still arrive, and then the news of its end.
    fn kill(&mut self, worker: WorkerId);
    /// Number of possible workers at the moment, running ones included. `None` if machines do not come and go: then
    /// the number is the one that the session asks for.
    fn places(&self) -> Option<u32> {
        None
    }
    /// The machine of a worker that keeps its paths there: the prefix of its shards' names. `None` if paths are kept
    /// with the run.
    fn host(&self, worker: WorkerId) -> Option<String> {
        let _ = worker;
        None
    }
    /// Number of exploring processes, if one member stands for a machine with several. `None` if each member is one process.
    fn processors(&self) -> Option<u32> {
        None
    }
    /// Receives the state of the run, for clients of the transport. Called often.
    fn note(&mut self, now: &Snapshot) {
        let _ = now;
    }
}

//! How messages come to workers and back.

use std::time::Duration;

use crate::account::Snapshot;
use crate::protocol::{FromWorker, ToWorker};

/// Names a worker; no two of a transport are the same, also when one takes another's place.
pub type WorkerId = u64;

/// What comes from a worker.
#[expect(clippy::large_enum_variant, reason = "nearly all messages are reports")]
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// A message.
    Message(FromWorker),
    /// It is gone, and says no more: what is known of why.
    Gone(String),
    /// The machine it ran on has left: as gone, but what it explored is not to blame.
    Left(String),
}

/// Starts workers and carries messages. Each worker's messages arrive in the order in which it sent them.
pub trait Transport {
    /// Starts a worker. From then on something comes from it: [`Incoming::Gone`] at the latest.
    ///
    /// # Errors
    /// Why it cannot be started, and what to do.
    fn start(&mut self, worker: WorkerId) -> Result<(), String>;
    /// Sends a message. A worker that is gone takes none; [`Incoming::Gone`] says so.
    fn send(&mut self, worker: WorkerId, message: &ToWorker);
    /// The next message of any worker; `None` if none came within `wait`.
    ///
    /// # Errors
    /// If no message can come any more.
    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String>;
    /// Ends a worker at once. What it sent before may still arrive, and then that it is gone.
    fn kill(&mut self, worker: WorkerId);
    /// How many workers there can be at the moment, those that run counted. `None` where machines do not come and go: then
    /// there are as many as the session asks for.
    fn places(&self) -> Option<u32> {
        None
    }
    /// The machine of a worker that keeps its paths there: what the names of its shards begin with. `None` where they are kept
    /// with the run.
    fn host(&self, worker: WorkerId) -> Option<String> {
        let _ = worker;
        None
    }
    /// How many processes explore, where one member stands for a machine with several. `None` where each is one.
    fn processors(&self) -> Option<u32> {
        None
    }
    /// Where the run stands; often. For those who ask the transport.
    fn note(&mut self, now: &Snapshot) {
        let _ = now;
    }
}

//! The coordinator's transport: a worker on each rank but its own.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use cleave_campaign::{FromWorker, Incoming, ToWorker, Transport, WorkerId, version};
use serde::{Deserialize, Serialize};

use crate::link::{Link, Pauses};

/// A message to a rank; `M` is [`ToWorker`], owned or not.
#[derive(Serialize, Deserialize)]
pub(crate) enum ToRank<M> {
    /// Start a worker.
    Start {
        worker: WorkerId,
        /// The coordinator's version: messages of other versions cannot be read.
        version: String,
    },
    /// Pass this on to the worker.
    Tell(WorkerId, M),
    /// End the worker at once.
    Kill(WorkerId),
    /// The session is over.
    End,
}

/// A message from a rank.
#[expect(clippy::large_enum_variant, reason = "nearly all messages are reports")]
#[derive(Serialize, Deserialize)]
pub(crate) enum FromRank {
    /// A message of the worker.
    Message(WorkerId, FromWorker),
    /// The worker is gone, for this reason.
    Gone(WorkerId, String),
    /// This rank sends no more: the answer to [`ToRank::End`].
    Bye,
}

/// Workers on the other ranks of the job.
pub struct Ranks {
    link: Link,
    workers: BTreeMap<WorkerId, i32>,
    /// Ranks without a worker.
    free: BTreeSet<i32>,
    pauses: Pauses,
}

impl Ranks {
    /// The transport of rank 0.
    pub fn new(link: Link) -> Ranks {
        let free = (1..link.size()).collect();
        Ranks { link, workers: BTreeMap::new(), free, pauses: Pauses::new() }
    }

    /// Maximum number of workers at once.
    pub fn workers(&self) -> u32 {
        u32::try_from(self.link.size() - 1).unwrap_or(0)
    }

    /// Ends the workers that are left, and has [`serve`](crate::serve) return on all ranks.
    pub fn end(mut self) {
        for rank in 1..self.link.size() {
            self.tell(rank, &ToRank::End);
        }
        // MPI complains about messages that were not received.
        let mut left = self.link.size() - 1;
        while left > 0 {
            match self.link.receive() {
                Some((_, bytes)) => {
                    left -= i32::from(matches!(postcard::from_bytes(&bytes), Ok(FromRank::Bye)))
                }
                None => std::thread::sleep(self.pauses.next()),
            }
        }
    }

    fn tell(&mut self, rank: i32, message: &ToRank<&ToWorker>) {
        let bytes = postcard::to_stdvec(message).expect("messages have no types that postcard refuses");
        self.link.send(rank, &bytes);
    }

    /// The news about a worker in a message.
    fn understand(&mut self, rank: i32, bytes: &[u8]) -> Result<Option<(WorkerId, Incoming)>, String> {
        match postcard::from_bytes(bytes) {
            Ok(FromRank::Message(worker, message)) => Ok(Some((worker, Incoming::Message(message)))),
            Ok(FromRank::Bye) => Ok(None),
            Ok(FromRank::Gone(worker, why)) => {
                self.workers.remove(&worker);
                self.free.insert(rank);
                let why =
                    if why.is_empty() { format!("on rank {rank}") } else { format!("on rank {rank}: {why}") };
                Ok(Some((worker, Incoming::Gone(why))))
            }
            Err(e) => {
                Err(format!("rank {rank} sent what is no message ({e}); is it another version of Cleave?"))
            }
        }
    }
}

impl Transport for Ranks {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        let rank = self.free.pop_first().ok_or("each rank has its worker; start more with mpiexec -n")?;
        self.workers.insert(worker, rank);
        self.tell(rank, &ToRank::Start { worker, version: version() });
        Ok(())
    }

    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        if let Some(rank) = self.workers.get(&worker) {
            self.tell(*rank, &ToRank::Tell(worker, message));
        }
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        let start = Instant::now();
        loop {
            if let Some((rank, bytes)) = self.link.receive() {
                self.pauses.reset();
                return self.understand(rank, &bytes);
            }
            let left = wait.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(None);
            }
            std::thread::sleep(self.pauses.next().min(left));
        }
    }

    fn kill(&mut self, worker: WorkerId) {
        if let Some(rank) = self.workers.get(&worker) {
            self.tell(*rank, &ToRank::Kill(worker));
        }
    }
}

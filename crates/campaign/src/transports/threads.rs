//! Workers as threads of this process: the transport of tests and small runs.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::transports::protocol::ToWorker;
use crate::transports::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use crate::transports::sync::thread;
use crate::transports::transport::{Incoming, Transport, WorkerId};
use crate::workers::worker::{MakeExploration, Pace, serve};

/// Maximum number of messages waiting for the coordinator; workers wait if there are more.
const BACKLOG: usize = 64;

/// Runs workers as threads.
pub struct Threads {
    make: Arc<MakeExploration>,
    pace: Pace,
    workers: BTreeMap<WorkerId, Sender<ToWorker>>,
    /// Kept so that the channel never closes.
    incoming: SyncSender<(WorkerId, Incoming)>,
    arrivals: Receiver<(WorkerId, Incoming)>,
}

impl Threads {
    /// Workers with explorations that `make` makes from the set-up.
    pub fn new(make: Arc<MakeExploration>, pace: Pace) -> Threads {
        let (incoming, arrivals) = mpsc::sync_channel(BACKLOG);
        Threads { make, pace, workers: BTreeMap::new(), incoming, arrivals }
    }
}

impl Transport for Threads {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        let (to_worker, inbox) = mpsc::channel();
        let (make, pace, out) = (self.make.clone(), self.pace, self.incoming.clone());
        let work = move || {
            let mut send = |message| out.send((worker, Incoming::Message(message))).is_ok();
            let done = catch_unwind(AssertUnwindSafe(|| serve(&inbox, &mut send, &*make, pace)));
            let why = match done {
                Ok(()) => "it ended".to_string(),
                Err(panic) => panic_text(&*panic),
            };
            // Nobody listens if the coordinator is gone.
            let _ = out.send((worker, Incoming::Gone(why)));
        };
        thread::Builder::new()
            .name(format!("worker {worker}"))
            // States are dropped recursively in places, and threads have less stack than a main thread.
            .stack_size(64 << 20)
            .spawn(work)
            .map_err(|e| format!("{e}; try fewer --workers"))?;
        self.workers.insert(worker, to_worker);
        Ok(())
    }

    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        if let Some(to_worker) = self.workers.get(&worker) {
            let _ = to_worker.send(message.clone());
        }
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        match self.arrivals.recv_timeout(wait) {
            Ok(arrival) => Ok(Some(arrival)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err("the channel of the workers is closed".into()),
        }
    }

    fn kill(&mut self, worker: WorkerId) {
        // A thread cannot be killed: it ends at its next check of its inbox.
        self.workers.remove(&worker);
    }
}

/// The text of a panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", text.unwrap_or("no message"))
}

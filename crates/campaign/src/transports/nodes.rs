//! Nodes as threads of this process, each with workers of its own. Tests and simulations use it as a transport.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError};
use std::thread;
use std::time::Duration;

use crate::clock::RealClock;
use crate::transports::node::{Node, NodePace};
use crate::transports::protocol::{FromWorker, ToWorker};
use crate::transports::threads::panic_text;
use crate::transports::transport::{Incoming, Transport, WorkerId};

/// Maximum number of messages waiting for the level above; nodes wait if there are more.
const BACKLOG: usize = 16;
/// Time between two checks for messages of the level above.
const LOOK: Duration = Duration::from_millis(2);

/// Makes the transport of a node's workers.
pub type MakeLocal = dyn Fn() -> Box<dyn Transport> + Send + Sync;

/// Runs nodes as threads. For the coordinator each is a worker.
pub struct Nodes {
    make: Arc<MakeLocal>,
    workers: u32,
    pace: NodePace,
    nodes: BTreeMap<WorkerId, Sender<ToWorker>>,
    /// Kept so that the channel never closes.
    incoming: SyncSender<(WorkerId, Incoming)>,
    arrivals: Receiver<(WorkerId, Incoming)>,
}

impl Nodes {
    /// Nodes of `workers` workers each, with transports made by `make`.
    pub fn new(make: Arc<MakeLocal>, workers: u32, pace: NodePace) -> Nodes {
        let (incoming, arrivals) = mpsc::sync_channel(BACKLOG);
        Nodes { make, workers, pace, nodes: BTreeMap::new(), incoming, arrivals }
    }
}

/// Serves the level above until it says stop or is gone.
fn serve(mut node: Node, inbox: &Receiver<ToWorker>, send: &mut dyn FnMut(FromWorker) -> bool) {
    loop {
        let message = match inbox.try_recv() {
            Ok(message) => Some(message),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => return,
        };
        let last = message == Some(ToWorker::Stop);
        let answer = match message {
            Some(message) => node.handle(message),
            None => node.work(LOOK),
        };
        let failed = matches!(answer, Some(FromWorker::Failed { .. } | FromWorker::Unable { .. }));
        if answer.is_some_and(|answer| !send(answer)) || last || failed {
            return;
        }
        if !node.is_set_up() {
            thread::sleep(LOOK);
        }
    }
}

impl Transport for Nodes {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        let (to_node, inbox) = mpsc::channel();
        let (make, workers, pace, out) =
            (self.make.clone(), self.workers, self.pace.clone(), self.incoming.clone());
        let work = move || {
            let signs = out.clone();
            let sign = move || drop(signs.try_send((worker, Incoming::Message(FromWorker::Ending))));
            let mut send = |message| out.send((worker, Incoming::Message(message))).is_ok();
            let done = catch_unwind(AssertUnwindSafe(|| {
                let clock = Arc::new(RealClock::default());
                let node = Node::new(make(), workers, pace, clock).signing(Box::new(sign));
                serve(node, &inbox, &mut send);
            }));
            let why = match done {
                Ok(()) => "it ended".to_string(),
                Err(panic) => panic_text(&*panic),
            };
            // Nobody listens if the level above is gone.
            let _ = out.send((worker, Incoming::Gone(why)));
        };
        thread::Builder::new()
            .name(format!("node {worker}"))
            .spawn(work)
            .map_err(|e| format!("a thread cannot be started: {e}"))?;
        self.nodes.insert(worker, to_node);
        Ok(())
    }

    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        if let Some(to_node) = self.nodes.get(&worker) {
            let _ = to_node.send(message.clone());
        }
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        match self.arrivals.recv_timeout(wait) {
            Ok(arrival) => Ok(Some(arrival)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err("the channel of the nodes is closed".into()),
        }
    }

    fn kill(&mut self, worker: WorkerId) {
        // The node notices at its next check, and its workers end with it.
        self.nodes.remove(&worker);
    }
}

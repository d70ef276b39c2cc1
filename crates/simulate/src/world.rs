//! The simulated cluster, seen by the coordinator as a transport. The coordinator and the workers run their own
//! code; time, the network between them, and the program are simulated.
//!
//! Events are taken in the order of their times. A worker's slice of work is one event: it ends at the latest
//! after [`Pace::fuel`](cleave_campaign::Pace) instructions, and messages in the meantime wait until then, as with a
//! real worker.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use cleave_campaign::{FromWorker, Incoming, MakeExploration, Pace, ToWorker, Transport, Worker, WorkerId};
use cleave_explore::Concrete;
use serde::Serialize;

use crate::clock::{Picos, VirtualClock, stretched};
use crate::costs::Costs;
use crate::queue::{Link, Network, Queue};
use crate::space::Simulated;
use crate::tree::Tree;

/// Costs of the coordinator and the machines.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// The network.
    pub network: Network,
    /// Time of the coordinator for a message, received or sent.
    pub message: Picos,
    /// Additional time for a received message, for each worker: the coordinator looks through all.
    pub each_worker: Picos,
    /// Additional time for a path: the database and the test's file.
    pub path: Picos,
    /// Time until a started worker takes messages.
    pub startup: Picos,
    /// Thousandths of cores that all workers and the coordinator share; 0: each has a core of its own.
    pub cores: u64,
    /// Size of the set-up message, in bytes: on a cluster it includes the program.
    pub setup: usize,
    /// Reporting times of workers.
    pub pace: Pace,
    /// If true, workers keep their paths in shards; else they send each to the coordinator.
    pub kept: bool,
    /// Time of a worker to sync its shard before it reports.
    pub sync: Picos,
}

/// Prefix of the names of shards that stay with the workers.
pub(crate) const AWAY: &str = "n0";

/// Counts of a simulation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    /// Regions given away.
    pub(crate) steals: u64,
    /// Time that workers had a region, all together.
    pub(crate) busy: Picos,
    /// Work of all workers, as it would take on cores of their own.
    pub(crate) work: Picos,
    /// Time that the coordinator was busy.
    pub(crate) coordinator: Picos,
}

enum Event {
    /// A message has come to a worker.
    Arrives(WorkerId, ToWorker),
    /// A worker goes on.
    Works(WorkerId),
    /// A worker sends.
    Sends(WorkerId, FromWorker),
    /// A message has come to the coordinator.
    Returns(WorkerId, FromWorker),
}

struct Process {
    worker: Worker,
    clock: Arc<VirtualClock>,
    inbox: VecDeque<ToWorker>,
    /// True if an event that lets it continue is on its way.
    woken: bool,
    /// Time from which it takes messages: it has started, and its last slice is over.
    from: Picos,
}

/// The cluster.
pub(crate) struct World {
    tree: Arc<Tree>,
    costs: Costs,
    machine: Machine,
    queue: Queue<Event>,
    workers: BTreeMap<WorkerId, Process>,
    /// The coordinator's clock.
    clock: Arc<VirtualClock>,
    outgoing: Link,
    incoming: Link,
    /// Workers that have a region.
    busy: u64,
    /// Options of concolic workers; `None` for symbolic ones.
    concolic: Option<Concrete>,
    pub(crate) counts: Counts,
}

impl World {
    pub(crate) fn new(
        tree: Arc<Tree>,
        costs: Costs,
        machine: Machine,
        clock: Arc<VirtualClock>,
        concolic: Option<Concrete>,
    ) -> World {
        World {
            tree,
            costs,
            machine,
            queue: Queue::default(),
            workers: BTreeMap::new(),
            clock,
            outgoing: Link::default(),
            incoming: Link::default(),
            busy: 0,
            concolic,
            counts: Counts::default(),
        }
    }

    /// Accounts for work of the coordinator.
    fn charge(&mut self, cost: Picos) {
        let cost = stretched(cost, self.busy + 1, self.machine.cores);
        self.counts.coordinator += cost;
        self.clock.set(self.clock.picos() + cost);
    }

    fn count(&mut self, message: &impl Serialize) -> u64 {
        let bytes = size(message);
        self.counts.messages += 1;
        self.counts.bytes += bytes;
        bytes
    }

    fn wake(&mut self, worker: WorkerId, now: Picos) {
        let Some(process) = self.workers.get_mut(&worker) else { return };
        if !std::mem::replace(&mut process.woken, true) {
            self.queue.push(now.max(process.from), Event::Works(worker));
        }
    }

    /// Lets a worker take its next message, or work for a slice.
    fn work(&mut self, worker: WorkerId, now: Picos) {
        let Some(process) = self.workers.get_mut(&worker) else { return };
        process.woken = false;
        let was_idle = process.worker.is_idle();
        let coordinator = u64::from(self.clock.picos() > now);
        process.clock.set(now);
        let worked = process.clock.worked();
        process.clock.share(self.busy + coordinator, self.machine.cores);
        let answer = match process.inbox.pop_front() {
            Some(message) => {
                let (tree, costs, clock) = (self.tree.clone(), self.costs, process.clock.clone());
                let concolic = self.concolic;
                let make: &MakeExploration =
                    &move |_| Ok(Box::new(Simulated::new(tree.clone(), costs, clock.clone(), concolic)));
                process.worker.handle(message, make)
            }
            None => process.worker.work(),
        };
        if matches!(&answer, Some(FromWorker::Report(report)) if !report.kept.is_empty()) {
            process.clock.work(self.machine.sync);
        }
        let then = process.clock.picos();
        process.from = process.from.max(then);
        let is_idle = process.worker.is_idle();
        let goes_on = !is_idle || !process.inbox.is_empty();
        self.busy = self.busy + u64::from(!is_idle) - u64::from(!was_idle);
        self.counts.busy += then - now;
        self.counts.work += process.clock.worked() - worked;
        if let Some(message) = answer {
            self.queue.push(then, Event::Sends(worker, message));
        }
        if goes_on {
            self.wake(worker, then);
        }
    }
}

/// The bytes of a message as a frame.
pub(crate) fn size(message: &impl Serialize) -> u64 {
    postcard::experimental::serialized_size(message).map_or(0, |n| n as u64) + 4
}

impl Transport for World {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        let clock: Arc<VirtualClock> = Arc::default();
        let process = Process {
            worker: Worker::simulated(self.machine.pace, clock.clone()).that_writes_nothing(),
            clock,
            inbox: VecDeque::new(),
            woken: false,
            from: self.clock.picos() + self.machine.startup,
        };
        self.workers.insert(worker, process);
        Ok(())
    }

    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        self.charge(self.machine.message);
        let bytes = self.count(message);
        let arrives = self.outgoing.carry(&self.machine.network, self.clock.picos(), bytes);
        self.queue.push(arrives, Event::Arrives(worker, message.clone()));
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        let until = self.clock.picos() + (wait.as_nanos() as Picos) * 1000;
        loop {
            match self.queue.time() {
                None => return Err("no simulated process does anything any more".into()),
                Some(time) if time > until => {
                    self.clock.set(until);
                    return Ok(None);
                }
                Some(_) => {}
            }
            let Some((now, event)) = self.queue.pop() else { continue };
            match event {
                Event::Arrives(worker, message) => {
                    if let Some(process) = self.workers.get_mut(&worker) {
                        process.inbox.push_back(message);
                    }
                    self.wake(worker, now);
                }
                Event::Works(worker) => self.work(worker, now),
                Event::Sends(worker, message) => {
                    let bytes = self.count(&message);
                    let arrives = self.incoming.carry(&self.machine.network, now, bytes);
                    self.queue.push(arrives, Event::Returns(worker, message));
                }
                Event::Returns(worker, message) => {
                    // It may have waited for the coordinator.
                    self.clock.set(self.clock.picos().max(now));
                    let look = self.machine.each_worker * self.workers.len() as u64;
                    let mut cost = self.machine.message + look;
                    if let FromWorker::Report(report) = &message {
                        cost += self.machine.path * report.paths.len() as u64;
                        self.counts.steals += report.given.as_ref().map_or(0, |given| given.len() as u64);
                    }
                    self.charge(cost);
                    return Ok(Some((worker, Incoming::Message(message))));
                }
            }
        }
    }

    /// The host of all workers: another machine, so that their shards are not searched here.
    fn host(&self, _: WorkerId) -> Option<String> {
        self.machine.kept.then(|| AWAY.into())
    }

    fn kill(&mut self, worker: WorkerId) {
        self.workers.remove(&worker);
    }
}

//! The cluster as a transport: the run's coordinator drives it, and each node's has its part.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use cleave_campaign::{Incoming, Node, ToWorker, Transport, WorkerId};

use super::core::{Core, HubId, Who};
use crate::clock::{MICROSECOND, Picos};

/// Number of times that a node looks at the clock between two reports of a worker.
const TICKS: Picos = 10;

/// The transport of a node's coordinator.
struct Local {
    core: Rc<RefCell<Core>>,
    hub: HubId,
}

/// The transport of the run's coordinator.
pub(super) struct World {
    pub(super) core: Rc<RefCell<Core>>,
    nodes: BTreeMap<Who, Node>,
    /// Maximum time of a run; then it is given up.
    longest: Picos,
}

fn picos(time: Duration) -> Picos {
    Picos::try_from(time.as_nanos() * 1000).unwrap_or(Picos::MAX)
}

impl Transport for Local {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        self.core.borrow_mut().start(Who { hub: self.hub, worker }).map(drop)
    }

    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        self.core.borrow_mut().send(Who { hub: self.hub, worker }, message);
    }

    /// Takes messages that have arrived by now: others continue when the node's work is done.
    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        let mut core = self.core.borrow_mut();
        let arrival = core.take(self.hub);
        if arrival.is_none() {
            let clock = &core.hub(self.hub).clock;
            clock.set(clock.picos() + picos(wait));
        }
        Ok(arrival)
    }

    fn kill(&mut self, worker: WorkerId) {
        self.core.borrow_mut().remove(Who { hub: self.hub, worker });
    }
}

impl World {
    pub(super) fn new(core: Core, longest: Picos) -> World {
        World { core: Rc::new(RefCell::new(core)), nodes: BTreeMap::new(), longest }
    }

    /// Does all pending work of a node.
    fn go_on(&mut self, who: Who, hub: HubId, now: Picos) {
        let Some(node) = self.nodes.get_mut(&who) else { return };
        let clock = self.core.borrow_mut().hub(hub).clock.clone();
        clock.set(clock.picos().max(now));
        loop {
            let message = self.core.borrow_mut().read(who);
            let mut more = message.is_some();
            let answer = match message {
                Some(message) => {
                    let mut core = self.core.borrow_mut();
                    let cost = core.cluster.message;
                    core.hub(hub).charge(cost);
                    drop(core);
                    node.handle(message)
                }
                None => {
                    more = !self.core.borrow_mut().hub(hub).arrived.is_empty();
                    node.work(Duration::ZERO)
                }
            };
            if let Some(answer) = answer {
                more = true;
                self.core.borrow_mut().say(who, clock.picos(), answer);
            }
            if !more {
                break;
            }
        }
        let mut core = self.core.borrow_mut();
        let tick = picos(core.cluster.pace.every) / TICKS;
        if !node.is_idle() {
            core.wake(who, clock.picos() + tick.max(MICROSECOND));
        }
    }
}

impl Transport for World {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        let who = Who { hub: 0, worker };
        let started = self.core.borrow_mut().start(who)?;
        if let Some((place, hub)) = started {
            let mut core = self.core.borrow_mut();
            let (workers, pace) = (core.workers_at(place), core.cluster.node_pace.clone());
            let clock = core.hub(hub).clock.clone();
            let local = Box::new(Local { core: self.core.clone(), hub });
            self.nodes.insert(who, Node::new(local, workers, pace, clock));
        }
        Ok(())
    }

    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        self.core.borrow_mut().send(Who { hub: 0, worker }, message);
    }

    /// The next message, after any time: until then the coordinator would only look at its clock.
    fn receive(&mut self, _: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        loop {
            let mut core = self.core.borrow_mut();
            if let Some(arrival) = core.take(0) {
                return Ok(Some(arrival));
            }
            if std::mem::take(&mut core.joined) {
                return Ok(None);
            }
            if core.hub(0).clock.picos() > self.longest {
                return Err("nodes are lost faster than the run goes on; let fewer be lost".into());
            }
            if core.is_over() {
                return Err("no simulated process does anything any more".into());
            }
            let goes_on = core.step();
            drop(core);
            if let Some((who, hub, now)) = goes_on {
                self.go_on(who, hub, now);
            }
        }
    }

    fn kill(&mut self, worker: WorkerId) {
        let who = Who { hub: 0, worker };
        self.nodes.remove(&who);
        self.core.borrow_mut().remove(who);
    }

    fn places(&self) -> Option<u32> {
        let core = self.core.borrow();
        core.cluster.failures.map(|_| core.capacity().max(1))
    }

    fn processors(&self) -> Option<u32> {
        let core = self.core.borrow();
        core.cluster.levels.then(|| core.processors())
    }
}

//! The state of the cluster: its members and its events.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use cleave_campaign::{FromWorker, Incoming, ToWorker, WorkerId};

use super::cluster::Cluster;
use super::hub::{Counts, Hub};
use super::process::{Process, Program};
use crate::clock::{Picos, VirtualClock};
use crate::queue::Queue;
use crate::splits::Random;
use crate::world::size;

/// A coordinator: 0 is the run's, the others are those of nodes.
pub(super) type HubId = usize;

/// A member of a coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Who {
    pub(super) hub: HubId,
    pub(super) worker: WorkerId,
}

pub(super) enum Event {
    /// A message has come to a member.
    Arrives(Who, ToWorker),
    /// A member continues, unless it had another event since.
    GoesOn(Who, u64),
    /// A member sends.
    Sends(Who, FromWorker),
    /// A message has come to a coordinator.
    Returns(Who, FromWorker),
    /// A node is lost.
    Fails,
    /// It is known that a member is gone.
    Noticed(Who),
    /// A node joins, in the place of a lost one.
    Joins(usize),
}

/// A member.
enum Member {
    Process(Box<Process>),
    /// A node, and its coordinator.
    Node {
        hub: HubId,
        inbox: VecDeque<ToWorker>,
        epoch: u64,
        wakes: Picos,
    },
}

/// A place for a node.
#[derive(Default)]
struct Place {
    members: Vec<Who>,
    is_lost: bool,
    /// Time of the loss.
    since: Picos,
}

/// The cluster.
pub(super) struct Core {
    program: Program,
    pub(super) cluster: Cluster,
    queue: Queue<Event>,
    places: Vec<Place>,
    /// Number of workers if no node is lost.
    workers: u32,
    members: BTreeMap<Who, Member>,
    hubs: Vec<Hub>,
    random: Random,
    /// Work of workers that are gone, as time.
    worked: u128,
    /// Time of absent workers, until nodes joined in their places.
    gone: u128,
    /// Nodes that were lost.
    pub(super) lost: u64,
    /// True if a node has joined, and the run's coordinator has not looked yet.
    pub(super) joined: bool,
}

impl Core {
    pub(super) fn new(program: Program, cluster: Cluster, workers: u32, clock: Arc<VirtualClock>) -> Core {
        let nodes = workers.div_ceil(cluster.node.max(1)) as usize;
        let mut core = Core {
            program,
            queue: Queue::default(),
            places: (0..nodes).map(|_| Place::default()).collect(),
            workers,
            members: BTreeMap::new(),
            hubs: vec![Hub::new(clock, cluster.network)],
            random: Random(cluster.failures.map_or(0, |f| f.seed)),
            worked: 0,
            gone: 0,
            lost: 0,
            joined: false,
            cluster,
        };
        core.plan_failure(0);
        core
    }

    pub(super) fn hub(&mut self, hub: HubId) -> &mut Hub {
        &mut self.hubs[hub]
    }

    /// The counts of the run's coordinator, and those of all nodes together.
    pub(super) fn counts(&self) -> (Counts, Counts) {
        let mut nodes = Counts::default();
        for hub in &self.hubs[1..] {
            nodes.messages += hub.counts.messages;
            nodes.busy += hub.counts.busy;
            nodes.steals += hub.counts.steals;
        }
        (self.hubs[0].counts, nodes)
    }

    /// Work of all workers, as time.
    pub(super) fn worked(&self) -> u128 {
        let process = |member: &Member| match member {
            Member::Process(process) => u128::from(process.worked()),
            Member::Node { .. } => 0,
        };
        self.worked + self.members.values().map(process).sum::<u128>()
    }

    /// Number of workers at a node's place.
    pub(super) fn workers_at(&self, place: usize) -> u32 {
        self.cluster.node.min(self.workers - place as u32 * self.cluster.node)
    }

    /// Current maximum number of members of the run's coordinator.
    pub(super) fn capacity(&self) -> u32 {
        let there = (0..self.places.len()).filter(|place| !self.places[*place].is_lost);
        there.map(|place| if self.cluster.levels { 1 } else { self.workers_at(place) }).sum()
    }

    /// Current number of workers.
    pub(super) fn processors(&self) -> u32 {
        let there = (0..self.places.len()).filter(|place| !self.places[*place].is_lost);
        there.map(|place| self.workers_at(place)).sum()
    }

    /// Plans the next loss of a node, after an exponentially distributed time.
    fn plan_failure(&mut self, now: Picos) {
        let Some(failures) = self.cluster.failures else { return };
        let uniform = (self.random.below(1 << 53) + 1) as f64 / (1u64 << 53) as f64;
        let wait = -uniform.ln() * failures.every as f64;
        self.queue.push(now.saturating_add(wait as Picos), Event::Fails);
    }

    /// Loses a node, with its coordinator if it has one.
    fn fail(&mut self, now: Picos) {
        self.plan_failure(now);
        let Some(failures) = self.cluster.failures else { return };
        let is_there =
            |place: &usize| !self.places[*place].is_lost && !self.places[*place].members.is_empty();
        let there: Vec<usize> = (0..self.places.len()).filter(is_there).collect();
        // The last node is never lost.
        if there.len() < 2 {
            return;
        }
        self.lost += 1;
        let lost = there[self.random.below(there.len() as u64) as usize];
        (self.places[lost].is_lost, self.places[lost].since) = (true, now);
        for who in std::mem::take(&mut self.places[lost].members) {
            self.catch_up(who, now);
            self.remove(who);
            self.queue.push(now + failures.silence, Event::Noticed(who));
        }
        self.queue.push(now + failures.replaced, Event::Joins(lost));
    }

    /// Lets a member, and all that is below it, work until now.
    fn catch_up(&mut self, who: Who, now: Picos) {
        match self.members.get(&who) {
            None => {}
            Some(Member::Process(process)) => self.worked += u128::from(process.begun(now)),
            Some(Member::Node { hub, .. }) => {
                let below = Who { hub: *hub, worker: 0 }..Who { hub: hub + 1, worker: 0 };
                let below: Vec<Who> = self.members.range(below).map(|(who, _)| *who).collect();
                below.into_iter().for_each(|who| self.catch_up(who, now));
            }
        }
    }

    /// Time of absent workers up to now.
    pub(super) fn gone(&self, now: Picos) -> u128 {
        let lost = (0..self.places.len()).filter(|place| self.places[*place].is_lost);
        let still = lost.map(|place| {
            u128::from(self.workers_at(place)) * u128::from(now.saturating_sub(self.places[place].since))
        });
        self.gone + still.sum::<u128>()
    }

    /// Removes a member, with all that is below it.
    pub(super) fn remove(&mut self, who: Who) {
        match self.members.remove(&who) {
            None => {}
            Some(Member::Process(process)) => self.worked += u128::from(process.worked()),
            Some(Member::Node { hub, .. }) => {
                let below = Who { hub, worker: 0 }..Who { hub: hub + 1, worker: 0 };
                let below: Vec<Who> = self.members.range(below).map(|(who, _)| *who).collect();
                below.into_iter().for_each(|who| self.remove(who));
            }
        }
        self.hubs[who.hub].members = self.hubs[who.hub].members.saturating_sub(1);
    }

    /// A place for one more member of the run's coordinator.
    fn free_place(&self) -> Option<usize> {
        let most = |place: usize| if self.cluster.levels { 1 } else { self.workers_at(place) as usize };
        (0..self.places.len()).find(|n| !self.places[*n].is_lost && self.places[*n].members.len() < most(*n))
    }

    /// Starts a member; returns the place and the coordinator of a node.
    pub(super) fn start(&mut self, who: Who) -> Result<Option<(usize, HubId)>, String> {
        let place = match who.hub {
            0 => Some(self.free_place().ok_or("no node has a place")?),
            _ => None,
        };
        let from = self.hubs[who.hub].clock.picos() + self.cluster.startup;
        self.hubs[who.hub].members += 1;
        if let Some(place) = place {
            self.places[place].members.push(who);
        }
        if let (Some(place), true) = (place, self.cluster.levels) {
            let clock: Arc<VirtualClock> = Arc::default();
            clock.set(from);
            let hub = self.hubs.len();
            self.hubs.push(Hub::new(clock, self.cluster.inner));
            let node = Member::Node { hub, inbox: VecDeque::new(), epoch: 0, wakes: Picos::MAX };
            self.members.insert(who, node);
            return Ok(Some((place, hub)));
        }
        // Shards stay on the nodes, and are named after them.
        let name = format!("n{}-{}", who.hub, who.worker);
        let process = Process::new(&self.cluster, from, name);
        self.members.insert(who, Member::Process(Box::new(process)));
        Ok(None)
    }

    /// Sends a message of a coordinator.
    pub(super) fn send(&mut self, who: Who, message: &ToWorker) {
        let hub = &mut self.hubs[who.hub];
        let regions = if let ToWorker::Lease { regions, .. } = message { regions.len() as u64 } else { 0 };
        hub.charge(self.cluster.message + self.cluster.each_region * regions);
        let now = hub.clock.picos();
        let arrives = hub.carry(0, now, size(message));
        self.queue.push(arrives, Event::Arrives(who, message.clone()));
    }

    /// Takes a coordinator's next message.
    pub(super) fn take(&mut self, hub: HubId) -> Option<(WorkerId, Incoming)> {
        let hub = &mut self.hubs[hub];
        let arrival = hub.arrived.pop_front()?;
        let mut regions = 0;
        if let Incoming::Message(FromWorker::Report(report)) = &arrival.1 {
            let given = report.given.as_ref().map_or(0, |given| given.len() as u64);
            hub.counts.steals += given;
            regions = given + report.remaining.as_ref().map_or(0, |remaining| remaining.len() as u64);
        }
        let cost = self.cluster.each_member * hub.members + self.cluster.each_region * regions;
        hub.charge(self.cluster.message + cost);
        Some(arrival)
    }

    /// Sends a message of a node.
    pub(super) fn say(&mut self, who: Who, now: Picos, message: FromWorker) {
        self.queue.push(now, Event::Sends(who, message));
    }

    /// Takes a node's next message.
    pub(super) fn read(&mut self, who: Who) -> Option<ToWorker> {
        let Some(Member::Node { inbox, .. }) = self.members.get_mut(&who) else { return None };
        inbox.pop_front()
    }

    pub(super) fn wake(&mut self, who: Who, time: Picos) {
        let (epoch, wakes) = match self.members.get_mut(&who) {
            None => return,
            Some(Member::Process(process)) => (&mut process.epoch, &mut process.wakes),
            Some(Member::Node { epoch, wakes, .. }) => (epoch, wakes),
        };
        if time < *wakes {
            *epoch += 1;
            *wakes = time;
            self.queue.push(time, Event::GoesOn(who, *epoch));
        }
    }

    /// True if there are no more events.
    pub(super) fn is_over(&self) -> bool {
        self.queue.time().is_none()
    }

    /// Handles the next event; returns the node that continues then, if one does, with its coordinator.
    pub(super) fn step(&mut self) -> Option<(Who, HubId, Picos)> {
        let (now, event) = self.queue.pop()?;
        match event {
            Event::Arrives(who, message) => {
                let time = match self.members.get_mut(&who)? {
                    Member::Process(process) => process.hear(message, now, &self.cluster),
                    Member::Node { hub, inbox, .. } => {
                        inbox.push_back(message);
                        self.hubs[*hub].clock.picos().max(now)
                    }
                };
                self.wake(who, time);
            }
            Event::GoesOn(who, epoch) => return self.go_on(who, epoch, now),
            Event::Sends(who, message) => {
                // Messages that a lost node has not sent are lost.
                self.members.get(&who)?;
                let arrives = self.hubs[who.hub].carry(1, now, size(&message));
                self.queue.push(arrives, Event::Returns(who, message));
            }
            Event::Returns(who, message) => self.come(who, Incoming::Message(message), now),
            Event::Fails => self.fail(now),
            Event::Noticed(who) => self.come(who, Incoming::Left("its node is lost".into()), now),
            Event::Joins(place) => {
                let away = now.saturating_sub(self.places[place].since);
                self.gone += u128::from(self.workers_at(place)) * u128::from(away);
                (self.places[place].is_lost, self.joined) = (false, true);
            }
        }
        None
    }

    fn go_on(&mut self, who: Who, epoch: u64, now: Picos) -> Option<(Who, HubId, Picos)> {
        let process = match self.members.get_mut(&who)? {
            Member::Process(process) => process,
            Member::Node { hub, epoch: own, wakes, .. } => {
                if *own != epoch {
                    return None;
                }
                *wakes = Picos::MAX;
                return Some((who, *hub, now));
            }
        };
        if process.epoch != epoch {
            return None;
        }
        process.wakes = Picos::MAX;
        let (said, next) = process.go_on(now, &self.cluster, &self.program);
        for (time, message) in said {
            self.queue.push(time.max(now), Event::Sends(who, message));
        }
        if let Some(next) = next {
            self.wake(who, next.max(now));
        }
        None
    }

    /// Delivers a message to a coordinator, which may still be busy.
    fn come(&mut self, who: Who, incoming: Incoming, now: Picos) {
        let hub = &mut self.hubs[who.hub];
        hub.arrived.push_back((who.worker, incoming));
        let time = hub.clock.picos().max(now);
        if who.hub == 0 {
            hub.wait_until(now);
        } else if let Some(node) = self.node_of(who.hub) {
            self.wake(node, time);
        }
    }

    /// The node whose coordinator this is.
    fn node_of(&self, hub: HubId) -> Option<Who> {
        let is_it = |member: &Member| matches!(member, Member::Node { hub: own, .. } if *own == hub);
        let nodes = self.members.range(..Who { hub: 1, worker: 0 });
        nodes.into_iter().find(|(_, member)| is_it(member)).map(|(who, _)| *who)
    }
}

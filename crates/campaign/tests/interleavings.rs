//! The protocol under interleavings that a script chooses: who works, whose message arrives, who dies, and when
//! the coordinator does.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cleave_campaign::{
    Campaign, FromWorker, Incoming, MakeExploration, Meta, Node, NodePace, Pace, RunOptions, SHARDS, Shards,
    StopReason, Store, ToWorker, Transport, Worker, WorkerId,
};
use proptest::prelude::*;

use crate::common::{Tree, folder, whole};
use crate::odd::{HandClock, Odd};

/// A worker, or a machine with workers of its own that is one to the coordinator.
enum Machine {
    Worker(Box<Worker>),
    Node(Box<Node>),
}

impl Machine {
    fn handle(&mut self, message: ToWorker, make: &MakeExploration) -> Option<FromWorker> {
        match self {
            Machine::Worker(worker) => worker.handle(message, make),
            Machine::Node(node) => node.handle(message),
        }
    }

    fn work(&mut self) -> Option<FromWorker> {
        match self {
            Machine::Worker(worker) => worker.work(),
            Machine::Node(node) => node.work(Duration::ZERO),
        }
    }
}

struct Puppet {
    worker: Machine,
    inbox: VecDeque<ToWorker>,
    outbox: VecDeque<Incoming>,
}

/// Workers that move only when the script says so, all in this thread.
struct Script {
    tree: Tree,
    random: u64,
    puppets: BTreeMap<WorkerId, Puppet>,
    batch: usize,
    /// Workers that are still to be killed.
    kills: u32,
    /// How many workers there can be now, where they come and go: then workers leave where otherwise they are killed.
    places: Option<u32>,
    /// Messages until the coordinator dies.
    crash_after: Option<u32>,
    /// States that fit into a worker's memory.
    room: Option<u64>,
    /// Microseconds that writing down a state takes.
    writing: u64,
    clock: Arc<HandClock>,
    /// Workers are nodes, each with so many workers, of which so many are killed.
    nodes: Option<(u32, u32)>,
}

impl Script {
    /// A node whose workers follow a script of their own.
    fn node(&mut self, (workers, kills): (u32, u32)) -> Node {
        let random = (self.roll(usize::MAX / 2) as u64) | 1;
        let inner = Script {
            tree: self.tree.clone(),
            random,
            puppets: BTreeMap::new(),
            batch: self.batch,
            kills,
            places: None,
            crash_after: None,
            room: self.room,
            writing: self.writing,
            clock: self.clock.clone(),
            nodes: None,
        };
        let every = if random & 2 == 0 { Duration::ZERO } else { Duration::from_secs(3600) };
        let pace = NodePace { every, bytes: u64::MAX, grace: Duration::ZERO };
        Node::new(Box::new(inner), workers, pace, self.clock.clone())
    }

    fn roll(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % n as u64) as usize
    }
}

impl Transport for Script {
    fn start(&mut self, id: WorkerId) -> Result<(), String> {
        let pace = Pace {
            fuel: 10,
            every: Duration::from_secs(3600),
            paths: 1 + id as usize % self.batch,
            bytes: usize::MAX,
            patience: Duration::ZERO,
            every_kept: if id.is_multiple_of(2) { Duration::ZERO } else { Duration::from_secs(3600) },
        };
        let worker = match self.nodes {
            Some(nodes) => Machine::Node(Box::new(self.node(nodes))),
            None => Machine::Worker(Box::new(Worker::simulated(pace, self.clock.clone()))),
        };
        let puppet = Puppet { worker, inbox: VecDeque::new(), outbox: VecDeque::new() };
        self.puppets.insert(id, puppet);
        Ok(())
    }

    fn send(&mut self, id: WorkerId, message: &ToWorker) {
        if let Some(puppet) = self.puppets.get_mut(&id) {
            puppet.inbox.push_back(message.clone());
        }
    }

    fn places(&self) -> Option<u32> {
        self.places
    }

    fn receive(&mut self, _: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        if self.places.is_some() && self.roll(8) == 0 {
            self.places = u32::try_from(self.roll(5)).ok();
        }
        if let Some(left) = &mut self.crash_after {
            if *left == 0 {
                return Err("the script ends here".into());
            }
            *left -= 1;
        }
        for _ in 0..40 {
            let ids: Vec<WorkerId> = self.puppets.keys().copied().collect();
            if ids.is_empty() {
                return Ok(None);
            }
            let id = ids[self.roll(ids.len())];
            let (action, seed) = (self.roll(10), self.random);
            let dies = self.kills > 0 && self.roll(40) == 0;
            let tree = self.tree.clone();
            let (room, writing, clock) = (self.room, self.writing, self.clock.clone());
            let make: &MakeExploration = &move |_| {
                let inner = tree.exploration(seed);
                Ok(Box::new(Odd { inner, room, writing, clock: clock.clone() }))
            };
            let puppet = self.puppets.get_mut(&id).unwrap();
            if dies && self.places.is_some() {
                self.kills -= 1;
                // It vanishes, or reports what is left before it leaves.
                if action < 5 {
                    self.puppets.remove(&id);
                    return Ok(Some((id, Incoming::Left("vanished".into()))));
                }
                puppet.inbox.clear();
                puppet.outbox.extend(puppet.worker.handle(ToWorker::Stop, make).map(Incoming::Message));
                puppet.outbox.push_back(Incoming::Left("left".into()));
                continue;
            }
            if dies {
                self.kills -= 1;
                // What it sent but was not taken yet is lost with it, or is not.
                let mut puppet = self.puppets.remove(&id).unwrap();
                if self.roll(2) == 0
                    && let Some(last) = puppet.outbox.pop_front()
                {
                    self.puppets.insert(
                        id,
                        Puppet {
                            worker: Machine::Worker(Box::new(Worker::new(Pace::default()))),
                            inbox: VecDeque::new(),
                            outbox: [Incoming::Gone("killed".into())].into(),
                        },
                    );
                    return Ok(Some((id, last)));
                }
                return Ok(Some((id, Incoming::Gone("killed".into()))));
            }
            match action {
                0..3 => {
                    if let Some(arrival) = puppet.outbox.pop_front() {
                        if matches!(arrival, Incoming::Gone(_) | Incoming::Left(_)) {
                            self.puppets.remove(&id);
                        }
                        return Ok(Some((id, arrival)));
                    }
                }
                3..5 => {
                    if let Some(message) = puppet.inbox.pop_front() {
                        puppet.outbox.extend(puppet.worker.handle(message, make).map(Incoming::Message));
                    }
                }
                _ => puppet.outbox.extend(puppet.worker.work().map(Incoming::Message)),
            }
        }
        Ok(None)
    }

    fn kill(&mut self, id: WorkerId) {
        self.puppets.remove(&id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whoever_dies_and_whenever_each_path_is_there_once(
        seed: u64,
        size in 1usize..80,
        workers in 1u32..5,
        batch in 1usize..8,
        unknown_one_in in prop_oneof![3 => Just(0u64), 1 => 2u64..20],
        kills in 0u32..6,
        crashes in prop::collection::vec(0u32..120, 0..4),
        max_paths in prop::option::of(0u64..20),
        room in prop::option::of(5u64..12),
        writing in prop_oneof![1 => Just(0u64), 1 => Just(1000u64)],
        split_states in prop::option::of(1u32..20),
        prefetch: bool,
        keeps: bool,
        nodes in prop::option::of((1u32..4, 0u32..3)),
    ) {
        let folder = folder();
        let tree = Tree { unknown_one_in, ..Tree::at_least(size, seed, 8) };
        drop(Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap());
        let sessions = crashes.iter().copied().map(Some).chain([None]);
        for (i, crash_after) in sessions.enumerate() {
            let plain = script(&tree, seed.rotate_left(i as u32), batch);
            let mut script = Script { kills, crash_after, room, writing, nodes, ..plain };
            let mut campaign = Campaign::open(folder.path()).unwrap();
            let max_paths = max_paths.filter(|_| crash_after.is_some());
            let shards = keeps.then(|| shards(folder.path())).filter(|_| max_paths.is_none());
            let options =
                RunOptions { workers, max_paths, split_states, prefetch, shards, ..RunOptions::default() };
            let before = campaign.account().unwrap().paths.ended();
            let ended = campaign.run(&mut script, &options, &mut ());
            drop(campaign);
            // Where what was left was not known exactly, some of it is found again; never twice, and nothing is
            // lost.
            let account = Store::read(folder.path()).unwrap().account().unwrap();
            let exact = !account.other.contains_key("inexact_reports");
            tree.check_account(folder.path(), exact);
            // What lies in shards counts together with what remains: it is never found again.
            let all_kept = keeps && max_paths.is_none() && i == 0;
            prop_assert!(!all_kept || (exact && !account.other.contains_key("found_again")));
            prop_assert!(max_paths.is_none_or(|most| account.paths.ended() <= most.max(before)));
            if crash_after.is_none() && kills == 0 {
                prop_assert_eq!(ended.unwrap(), StopReason::Exhausted);
            }
        }
        // At last everything that was set aside, with a solver that knows all.
        let mut script = script(&Tree { unknown_one_in: 0, ..tree.clone() }, seed, batch);
        let mut campaign = Campaign::open(folder.path()).unwrap();
        let retry = ["unknown", "crashed"].map(String::from).to_vec();
        let options = RunOptions { workers, retry, ..RunOptions::default() };
        prop_assert_eq!(campaign.run(&mut script, &options, &mut ()).unwrap(), StopReason::Exhausted);
        let account = campaign.account().unwrap();
        prop_assert_eq!(account.open_regions, 0);
        prop_assert_eq!(account.paths.ended(), tree.paths().len() as u64);
        tree.check_account(folder.path(), true);
    }

    #[test]
    fn machines_that_come_and_go_cost_no_path_and_are_no_deaths(
        seed: u64,
        size in 1usize..80,
        batch in 1usize..8,
        leavings in 0u32..60,
        writing in prop_oneof![1 => Just(0u64), 1 => Just(1000u64)],
        keeps: bool,
        nodes in prop::option::of((1u32..4, Just(0u32))),
    ) {
        let folder = folder();
        let tree = Tree::at_least(size, seed, 8);
        let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
        let plain = script(&tree, seed, batch);
        let mut script = Script { kills: leavings, places: Some(0), writing, nodes, ..plain };
        let shards = keeps.then(|| shards(folder.path()));
        let options = RunOptions { workers: 0, shards, ..RunOptions::default() };
        prop_assert_eq!(campaign.run(&mut script, &options, &mut ()).unwrap(), StopReason::Exhausted);
        drop(campaign);
        let account = Store::read(folder.path()).unwrap().account().unwrap();
        prop_assert_eq!(account.paths.ended(), tree.paths().len() as u64);
        prop_assert_eq!(account.open_regions, 0);
        prop_assert!(account.workers >= 1);
        prop_assert_eq!(account.worker_deaths, 0);
        let exact = !account.other.contains_key("inexact_reports");
        tree.check_account(folder.path(), exact);
    }

    #[test]
    fn any_number_of_workers_stops_at_exactly_as_many_paths_as_asked_for(
        seed: u64,
        workers in 1u32..6,
        batch in prop_oneof![Just(2usize), Just(50)],
        n in 0u64..30,
        split_states in prop::option::of(1u32..20),
        nodes in prop::option::of((1u32..4, Just(0u32))),
    ) {
        let folder = folder();
        let tree = Tree::at_least(15, seed, 7);
        let total = tree.paths().len() as u64;
        drop(Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap());
        // Three times as many, and then all.
        for (i, most) in [Some(n), Some(2 * n), Some(3 * n), None].into_iter().enumerate() {
            let mut script = Script { nodes, ..script(&tree, seed.rotate_left(i as u32), batch) };
            let mut campaign = Campaign::open(folder.path()).unwrap();
            let options = RunOptions { workers, max_paths: most, split_states, ..RunOptions::default() };
            let reason = campaign.run(&mut script, &options, &mut ()).unwrap();
            drop(campaign);
            let account = Store::read(folder.path()).unwrap().account().unwrap();
            prop_assert_eq!(account.paths.ended(), most.unwrap_or(total).min(total));
            prop_assert_eq!(account.open_regions == 0, reason == StopReason::Exhausted);
            if most.is_some_and(|n| n < total) {
                prop_assert_eq!(reason, StopReason::MaxPaths);
            }
            tree.check_account(folder.path(), true);
        }
    }
}

/// Nobody dies, there is memory, and time.
fn script(tree: &Tree, seed: u64, batch: usize) -> Script {
    Script {
        tree: tree.clone(),
        random: seed | 1,
        puppets: BTreeMap::new(),
        batch,
        kills: 0,
        places: None,
        crash_after: None,
        room: None,
        writing: 0,
        clock: Arc::default(),
        nodes: None,
    }
}

/// Workers keep paths in the run's own folder.
fn shards(run: &Path) -> Shards {
    Shards { folder: run.join(SHARDS), prefix: String::new() }
}

#[test]
fn few_paths_are_found_in_vain_beyond_a_limit() {
    let tree = Tree::at_least(2_000, 5, 14);
    let (mut beyond, runs) = (0, 20);
    for seed in 0..runs {
        let mut campaign = Campaign::in_memory(&Meta::default(), &whole()).unwrap();
        let options = RunOptions { workers: 4, max_paths: Some(1_000), ..RunOptions::default() };
        let mut script = script(&tree, 0x9e37_79b9 + seed, 100);
        assert_eq!(campaign.run(&mut script, &options, &mut ()).unwrap(), StopReason::MaxPaths);
        let account = campaign.account().unwrap();
        assert_eq!(account.paths.ended(), 1_000);
        beyond += account.other.get("paths_put_back").copied().unwrap_or(0);
    }
    println!("{beyond} paths beyond a limit of 1,000, in {runs} runs of four workers");
    assert!(beyond <= 4 * runs, "{beyond} paths in {runs} runs");
}

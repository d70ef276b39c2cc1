//! The protocol in all orders: small trees, two workers, the orders in which they can work, hear and be heard, with
//! a worker that dies and a coordinator that dies at any point. Orders that no participant can tell apart are
//! followed once. Where there are too many, all that differ in so many places from what a plain scheduler does
//! (delay-bounded scheduling, Emmi, Qadeer and Rakamaric 2011).

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cleave_campaign::{
    Campaign, CampaignError, Clock, FromWorker, Incoming, MakeExploration, Meta, Pace, RecordedPath, Report,
    RunOptions, Sink, Stats, StopReason, ToWorker, Transport, Worker, WorkerId,
};

use crate::common::Tree;
use crate::odd::{HandClock, Odd};

/// A clock that stands: what the coordinator does is a function of what it heard alone.
#[derive(Debug)]
struct Standing;

impl Clock for Standing {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The worker takes its next message.
    Handle(WorkerId),
    /// It works, before what was sent to it has arrived.
    Work(WorkerId),
    /// What it sent arrives.
    Deliver(WorkerId),
    /// It dies, and so many of its messages still arrive.
    Die(WorkerId, usize),
    /// The user stops the run.
    Interrupt,
    /// The coordinator dies.
    Crash,
}

struct Puppet {
    /// `None`: dead.
    worker: Option<Worker>,
    /// The worker's own, so that its time depends on what it did alone.
    clock: Arc<HandClock>,
    inbox: VecDeque<ToWorker>,
    outbox: VecDeque<Incoming>,
    /// A digest of all that it did.
    history: u64,
}

/// What is to be tried.
#[derive(Clone, Copy, Debug)]
struct Case {
    name: &'static str,
    seed: u64,
    paths: usize,
    deaths: u32,
    interrupts: u32,
    crashes: bool,
    batch: usize,
    split: Option<u32>,
    prefetch: bool,
    /// Regions that the run begins with: more than workers, so that some wait.
    ranges: usize,
    /// Breadth-first.
    broad: bool,
    /// States that fit into memory.
    room: Option<u64>,
    /// Microseconds that writing down a state takes.
    writing: u64,
    /// The run is to stop after so many paths.
    most: Option<u64>,
    /// In how many places an order may differ from the plain one.
    delays: usize,
}

impl Case {
    const PLAIN: Case = Case {
        name: "plain",
        seed: 0,
        paths: 4,
        deaths: 0,
        interrupts: 0,
        crashes: false,
        batch: 1,
        split: None,
        prefetch: true,
        ranges: 1,
        broad: false,
        room: None,
        writing: 0,
        most: None,
        delays: usize::MAX,
    };
}

/// The choices of one schedule: which of how many.
#[derive(Default)]
struct Choices {
    made: Vec<(usize, usize)>,
    /// How many of them were made in this execution.
    at: usize,
}

impl Choices {
    fn choose(&mut self, n: usize) -> usize {
        if self.at == self.made.len() {
            self.made.push((0, n));
        }
        let (choice, of) = self.made[self.at];
        assert_eq!(of, n, "the same choices lead to the same place");
        self.at += 1;
        choice
    }

    /// Whether the choices at hand were all made before.
    fn is_replay(&self) -> bool {
        self.at < self.made.len()
    }

    /// The next schedule; `false` after the last.
    fn next(&mut self) -> bool {
        self.at = 0;
        while let Some((choice, of)) = self.made.pop() {
            if choice + 1 < of {
                self.made.push((choice + 1, of));
                return true;
            }
        }
        false
    }
}

fn digest(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

fn bytes<T: serde::Serialize>(message: &T) -> Vec<u8> {
    postcard::to_stdvec(message).unwrap()
}

fn digest_of(arrival: &Incoming) -> u64 {
    match arrival {
        Incoming::Message(FromWorker::Report(report)) => {
            // Real time is in them, and decides nothing.
            digest(bytes(&Report { stats: Stats::default(), expected: Box::default(), ..report.clone() }))
        }
        Incoming::Message(message) => digest(bytes(message)),
        Incoming::Gone(why) | Incoming::Left(why) => digest(why),
    }
}

/// Why an execution ends early.
const CRASHED: &str = "the coordinator dies here";
const KNOWN: &str = "all that can follow was followed";

struct Script<'a> {
    case: &'a Case,
    tree: &'a Tree,
    choices: &'a mut Choices,
    known: &'a mut HashMap<u64, usize>,
    /// Places that may still differ from the plain order.
    delays: usize,
    /// What the coordinator heard when a crash was tried.
    crashed: &'a mut HashSet<u64>,
    puppets: BTreeMap<WorkerId, Puppet>,
    deaths: u32,
    interrupts: u32,
    interrupt: Arc<AtomicBool>,
    /// A digest of all that the coordinator heard.
    heard: u64,
    /// Workers before this one have had their turn since a message arrived last: what they and this one do in
    /// between is independent, so one order stands for all.
    turn: WorkerId,
    trace: Vec<Step>,
}

impl Script<'_> {
    fn options(&self) -> Vec<Step> {
        let mut options = Vec::new();
        for (id, puppet) in &self.puppets {
            if !puppet.outbox.is_empty() {
                options.push(Step::Deliver(*id));
            }
        }
        for (id, puppet) in &self.puppets {
            let Some(worker) = &puppet.worker else { continue };
            if *id < self.turn {
                continue;
            }
            if !puppet.inbox.is_empty() {
                options.push(Step::Handle(*id));
            }
            // One message that waits to be taken is enough: the next could only be later.
            if !worker.is_idle() && puppet.outbox.len() < 2 {
                options.push(Step::Work(*id));
            }
            // Before its first lease there is nothing to lose; a death after it is the same whoever dies.
            if self.deaths > 0 && (!worker.is_idle() || !puppet.outbox.is_empty()) {
                options.extend((0..=puppet.outbox.len()).map(|n| Step::Die(*id, n)));
            }
        }
        if self.interrupts > 0 && self.heard != 0 {
            options.push(Step::Interrupt);
        }
        options
    }

    fn key(&self) -> u64 {
        let puppets: Vec<_> = self
            .puppets
            .iter()
            .map(|(id, p)| (*id, p.worker.is_some(), p.history, p.inbox.len(), p.outbox.len()))
            .collect();
        let stopped = self.interrupt.load(Ordering::Relaxed);
        digest((puppets, self.deaths, self.interrupts, stopped, self.heard, self.turn))
    }

    fn act(&mut self, id: WorkerId, message: bool) {
        let puppet = self.puppets.get_mut(&id).unwrap();
        let (tree, clock) = (self.tree.clone(), puppet.clock.clone());
        let Case { room, writing, broad, .. } = *self.case;
        let make: &MakeExploration =
            &move |_| Ok(Box::new(Odd { inner: tree.steady(broad), room, writing, clock: clock.clone() }));
        let worker = puppet.worker.as_mut().unwrap();
        let (answer, what) = if message {
            let message = puppet.inbox.pop_front().unwrap();
            let what = bytes(&message);
            let last = message == ToWorker::Stop;
            let answer = worker.handle(message, make);
            if last {
                puppet.worker = None;
            }
            (answer, what)
        } else {
            (worker.work(), Vec::new())
        };
        puppet.history = digest((puppet.history, what));
        puppet.outbox.extend(answer.map(Incoming::Message));
        if puppet.worker.is_none() {
            puppet.outbox.push_back(Incoming::Gone("it ended".into()));
        }
        self.turn = id;
    }
}

impl Transport for Script<'_> {
    fn start(&mut self, id: WorkerId) -> Result<(), String> {
        let clock = Arc::<HandClock>::default();
        let pace = Pace {
            fuel: 10,
            every: Duration::from_secs(3600),
            paths: self.case.batch,
            bytes: usize::MAX,
            patience: Duration::ZERO,
            ..Pace::default()
        };
        let worker = Some(Worker::simulated(pace, clock.clone()));
        let (inbox, outbox) = Default::default();
        self.puppets.insert(id, Puppet { worker, clock, inbox, outbox, history: 0 });
        Ok(())
    }

    fn send(&mut self, id: WorkerId, message: &ToWorker) {
        if let Some(puppet) = self.puppets.get_mut(&id)
            && puppet.worker.is_some()
        {
            puppet.inbox.push_back(message.clone());
            // The first message is always there before anything else happens.
            if matches!(message, ToWorker::Setup { .. }) {
                self.act(id, true);
                self.turn = 0;
            }
        }
    }

    fn receive(&mut self, _: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        loop {
            let mut options = self.options();
            assert!(!options.is_empty(), "a deadlock: everybody waits, after {:?}", self.trace);
            if !self.choices.is_replay() {
                let delays = self.delays;
                let known = self.known.get(&self.key()).copied();
                if known.is_some_and(|before| before >= delays) {
                    return Err(KNOWN.into());
                }
                self.known.insert(self.key(), delays);
            }
            if self.delays == 0 {
                options.truncate(1);
            }
            // What the database holds is a function of what the coordinator heard.
            let heard = digest((self.heard, self.interrupt.load(Ordering::Relaxed)));
            if self.case.crashes && (self.choices.is_replay() || !self.crashed.contains(&heard)) {
                let replayed = self.choices.made.get(self.choices.at).map(|(_, of)| *of);
                if replayed.is_none_or(|of| of == options.len() + 1) {
                    self.crashed.insert(heard);
                    options.insert(0, Step::Crash);
                }
            }
            let choice = self.choices.choose(options.len());
            let step = options[choice];
            let plain = options[0] == Step::Crash;
            self.delays -= usize::from(choice > usize::from(plain) && self.delays != usize::MAX);
            self.trace.push(step);
            match step {
                Step::Crash => return Err(CRASHED.into()),
                Step::Interrupt => {
                    self.interrupts -= 1;
                    self.turn = 0;
                    self.interrupt.store(true, Ordering::Relaxed);
                    return Ok(None);
                }
                Step::Handle(id) => self.act(id, true),
                Step::Work(id) => self.act(id, false),
                Step::Die(id, keep) => {
                    self.deaths -= 1;
                    let puppet = self.puppets.get_mut(&id).unwrap();
                    puppet.worker = None;
                    puppet.inbox.clear();
                    puppet.outbox.truncate(keep);
                    puppet.outbox.push_back(Incoming::Gone("killed".into()));
                    puppet.history = digest((puppet.history, "killed", keep));
                    self.turn = id;
                }
                Step::Deliver(id) => {
                    let puppet = self.puppets.get_mut(&id).unwrap();
                    let arrival = puppet.outbox.pop_front().unwrap();
                    self.heard = digest((self.heard, id, digest_of(&arrival)));
                    self.turn = 0;
                    if matches!(arrival, Incoming::Gone(_)) {
                        self.puppets.remove(&id);
                    }
                    return Ok(Some((id, arrival)));
                }
            }
        }
    }

    fn kill(&mut self, id: WorkerId) {
        if let Some(puppet) = self.puppets.get_mut(&id) {
            puppet.worker = None;
            puppet.inbox.clear();
            puppet.outbox.clear();
        }
    }
}

/// What was explored of a case.
#[derive(Debug, Default)]
struct Explored {
    steals: u64,
    spills: u64,
    inexact: u64,
    executions: u64,
    ended: u64,
    crashed: u64,
    states: usize,
    longest: usize,
}

/// Follows every order, up to `most` executions.
fn explore(case: &Case, most: u64) -> Explored {
    let tree = Tree::exactly(case.paths, case.seed, 6);
    let regions = tree.ranges(case.ranges);
    let mut choices = Choices::default();
    let (mut known, mut crashed) = (HashMap::new(), HashSet::new());
    let mut explored = Explored::default();
    loop {
        let mut campaign = Campaign::in_memory(&Meta::default(), &regions).unwrap();
        let interrupt = Arc::new(AtomicBool::new(false));
        let mut script = Script {
            case,
            tree: &tree,
            choices: &mut choices,
            known: &mut known,
            delays: case.delays,
            crashed: &mut crashed,
            puppets: BTreeMap::new(),
            deaths: case.deaths,
            interrupts: case.interrupts,
            interrupt: interrupt.clone(),
            heard: 0,
            turn: 0,
            trace: Vec::new(),
        };
        let options = RunOptions {
            workers: 2,
            split_states: case.split,
            prefetch: case.prefetch,
            max_paths: case.most,
            interrupt,
            clock: Arc::new(Standing),
            ..RunOptions::default()
        };
        let ended = campaign.run(&mut script, &options, &mut ()).map_err(|e| e.to_string());
        let trace = std::mem::take(&mut script.trace);
        explored.longest = explored.longest.max(trace.len());
        explored.executions += 1;
        match &ended {
            Err(e) if e.contains(KNOWN) => {}
            Err(e) => {
                assert!(e.contains(CRASHED), "{e}, after {trace:?}");
                explored.crashed += 1;
            }
            Ok(_) => explored.ended += 1,
        }
        let account = campaign.account().unwrap();
        let count = |name: &str| account.other.get(name).copied().unwrap_or(0);
        explored.steals += account.stolen_regions;
        explored.spills += count("spilled_regions");
        explored.inexact += count("inexact_reports");
        if !matches!(&ended, Err(e) if e.contains(KNOWN)) {
            check(case, &tree, &mut campaign, ended.ok(), &trace);
        }
        if !choices.next() || explored.executions >= most {
            explored.states = known.len();
            return explored;
        }
    }
}

/// The run is in order where it stopped, and when it is resumed it comes to its end.
fn check(case: &Case, tree: &Tree, campaign: &mut Campaign, ended: Option<StopReason>, trace: &[Step]) {
    let account = campaign.account().unwrap();
    let exact = !account.other.contains_key("inexact_reports");
    tree.check_store(campaign.store(), exact, &format!("after {trace:?}"));
    if let Some(most) = case.most {
        let (found, stopped) = (account.paths.ended(), ended == Some(StopReason::MaxPaths));
        assert!(found == most || (found < most && !stopped), "{found} of {most} paths, after {trace:?}");
    }
    match ended {
        Some(StopReason::Exhausted) => {
            let all = tree.paths().len() as u64;
            assert_eq!((account.open_regions, account.paths.ended()), (0, all), "after {trace:?}");
            return;
        }
        Some(reason) => {
            let expected = if case.most.is_some() { StopReason::MaxPaths } else { StopReason::Interrupted };
            assert_eq!(reason, expected, "after {trace:?}");
            assert!(!account.regions.contains_key("leased"), "all is given back, after {trace:?}");
        }
        None => {}
    }
    let reason = in_plain_order(case, tree, campaign, &mut ()).unwrap();
    assert_eq!(reason, StopReason::Exhausted, "after {trace:?}");
    assert_eq!(campaign.account().unwrap().open_regions, 0, "after {trace:?}");
    tree.check_store(campaign.store(), true, &format!("resumed after {trace:?}"));
}

/// A session in which nobody dies.
fn in_plain_order(
    case: &Case,
    tree: &Tree,
    campaign: &mut Campaign,
    sink: &mut dyn Sink,
) -> Result<StopReason, CampaignError> {
    let case = Case { deaths: 0, interrupts: 0, crashes: false, ..*case };
    let mut script = Script {
        case: &case,
        tree,
        choices: &mut Choices::default(),
        known: &mut HashMap::new(),
        delays: 0,
        crashed: &mut HashSet::new(),
        puppets: BTreeMap::new(),
        deaths: 0,
        interrupts: 0,
        interrupt: Arc::default(),
        heard: 0,
        turn: 0,
        trace: Vec::new(),
    };
    let options = RunOptions { workers: 2, clock: Arc::new(Standing), ..RunOptions::default() };
    campaign.run(&mut script, &options, sink)
}

/// All orders of a case.
#[track_caller]
fn all_orders(case: Case) -> Explored {
    // CLEAVE_DELAYS=2 follows those that differ in two more places: for an hour without haste.
    let more = std::env::var("CLEAVE_DELAYS").map_or(0, |n| n.parse().unwrap());
    let most = if more > 0 { u64::MAX } else { 20_000 };
    let explored = explore(&Case { delays: case.delays.saturating_add(more), ..case }, most);
    println!("{}: {explored:?}", case.name);
    assert!(explored.ended > 100 && explored.steals > 0, "{explored:?}: the orders are there");
    assert!(explored.executions < most, "{explored:?}: not all of them were followed");
    explored
}

#[test]
fn two_workers_in_all_orders() {
    all_orders(Case { paths: 3, crashes: true, ..Case::PLAIN });
}

#[test]
fn two_workers_in_many_orders() {
    all_orders(Case { name: "more paths", paths: 6, crashes: true, delays: 3, ..Case::PLAIN });
}

#[test]
fn one_dies_in_many_orders() {
    let case = Case { name: "a death", paths: 5, deaths: 1, crashes: true, delays: 2, ..Case::PLAIN };
    all_orders(case);
}

#[test]
fn the_user_stops_it_in_many_orders() {
    let case =
        Case { name: "an interrupt", interrupts: 1, deaths: 1, crashes: true, delays: 2, ..Case::PLAIN };
    all_orders(case);
}

#[test]
fn waiting_regions_are_given_back_in_many_orders() {
    let case =
        Case { name: "prefetched", paths: 5, ranges: 4, deaths: 1, crashes: true, delays: 2, ..Case::PLAIN };
    all_orders(case);
}

#[test]
fn splits_come_first_in_many_orders() {
    let case = Case { name: "splits", split: Some(3), deaths: 1, crashes: true, delays: 2, ..Case::PLAIN };
    all_orders(case);
}

#[test]
fn what_does_not_fit_is_kept_in_many_orders() {
    let case = Case {
        name: "little memory",
        paths: 32,
        batch: 100,
        broad: true,
        room: Some(1),
        crashes: true,
        deaths: 1,
        delays: 1,
        ..Case::PLAIN
    };
    assert!(all_orders(case).spills > 0);
}

#[test]
fn a_limit_on_paths_is_met_exactly_in_many_orders() {
    for (most, writing) in [(3, 0), (7, 0), (7, 100_000)] {
        all_orders(Case {
            name: "a limit",
            paths: 9,
            most: Some(most),
            writing,
            batch: 4,
            crashes: true,
            deaths: 1,
            delays: 2,
            ..Case::PLAIN
        });
    }
}

#[test]
fn what_is_left_need_not_be_known_exactly_in_many_orders() {
    let case =
        Case { name: "slow writing", writing: 100_000, deaths: 1, crashes: true, delays: 2, ..Case::PLAIN };
    assert!(all_orders(case).inexact > 0);
}

/// Takes so many reports, and fails at the next: the session ends between a report that is recorded and whatever
/// the coordinator does next.
struct Failing(u32);

impl Sink for Failing {
    fn paths(&mut self, _: &[RecordedPath<'_>]) -> Result<(), String> {
        self.0 = self.0.checked_sub(1).ok_or("the disk is full")?;
        Ok(())
    }
}

#[test]
fn what_is_recorded_says_itself_that_it_is_not_exact() {
    let case = Case { paths: 20, writing: 100_000, delays: 0, ..Case::PLAIN };
    let tree = Tree::exactly(case.paths, case.seed, 6);
    let mut again = 0;
    for reports in 0.. {
        let mut campaign = Campaign::in_memory(&Meta::default(), &tree.ranges(1)).unwrap();
        let ended = in_plain_order(&case, &tree, &mut campaign, &mut Failing(reports));
        let account = campaign.account().unwrap();
        tree.check_store(campaign.store(), false, &format!("after {reports} reports"));
        again += account.other.get("inexact_reports").copied().unwrap_or(0);
        assert_eq!(in_plain_order(&case, &tree, &mut campaign, &mut ()).unwrap(), StopReason::Exhausted);
        tree.check_store(campaign.store(), true, &format!("resumed after {reports} reports"));
        if ended.is_ok() {
            break;
        }
    }
    assert!(again > 0, "some reports did not say what was left");
}

//! A worker: explores leased regions, reports, and gives regions away on request. Transports run it in threads or processes.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cleave_explore::SolverClock;
use cleave_region::{Encoded, Expected, PathKind, Region};

use crate::accounting::counters;
use crate::accounting::stats::Stats;
use crate::clock::{Clock, RealClock};
use crate::shards::shard::ShardWriter;
use crate::transports::protocol::{Expectations, FromWorker, Report, ToWorker};
use crate::transports::sync::mpsc::{Receiver, TryRecvError};
use crate::workers::exploration::{Exploration, Found};
use crate::workers::finished_paths::{Brought, Keeping};
use crate::workers::memory::{ProcessLimit, peak_memory, resident_memory};

/// The first path of a worker into a bug, for which people wait: it is reported at once, with the work that remains, so that it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstBug {
    None,
    Found,
    Told,
}

/// Reporting times of a worker.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Instructions between two checks for messages of the coordinator. Default is 20,000: a millisecond or less.
    pub fuel: u64,
    /// Maximum time between two reports. Default is 150 ms: the cost of a killed worker.
    pub every: Duration,
    /// Number of paths after which a report is made. Default is 1,000: the files of reports that wait for the coordinator when
    /// the session is to stop can then be written in a moment.
    pub paths: usize,
    /// Bytes of tests after which a report is made. Default is 1 MiB.
    pub bytes: usize,
    /// Maximum time between two reports if paths are kept in a shard, which is synced for each. Default is 500 ms.
    pub every_kept: Duration,
    /// Time that a thief waits before a frontier of fewer than [`ENOUGH`] states is shared. Default is 2 ms.
    pub patience: Duration,
}

/// Number of states from which a frontier is shared at once.
pub const ENOUGH: u32 = 4;

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            fuel: 20_000,
            every: Duration::from_millis(150),
            paths: 1_000,
            bytes: 1 << 20,
            every_kept: Duration::from_millis(500),
            patience: Duration::from_millis(2),
        }
    }
}

/// The set-up of a worker, before all other messages.
#[derive(Clone, Copy, Debug)]
pub struct SetUp<'a> {
    /// Its number in the session, from 0.
    pub worker: u64,
    /// The same for all workers of the session.
    pub bytes: &'a [u8],
}

/// Makes an exploration from the content of [`ToWorker::Setup`]; an error is a sentence with the reason.
pub type MakeExploration = dyn Fn(SetUp<'_>) -> Result<Box<dyn Exploration>, String> + Send + Sync;

/// The current lease.
struct Lease {
    id: u64,
    /// Regions that are not begun.
    rest: VecDeque<Encoded<Region>>,
    /// Expected number of paths of each of them.
    each: Option<Expected>,
    careful: bool,
    /// Number of paths left until more are allowed; `None` for no limit.
    left: Option<u64>,
    /// Return the waiting states as soon as there are this many.
    split: Option<u32>,
    /// A theft that waits until there is something to give.
    theft: Option<Theft>,
}

/// The request of a thief.
#[derive(Clone, Copy)]
struct Theft {
    regions: u32,
    /// States of each.
    states: u32,
    /// States that are kept.
    keep: u32,
    since: Duration,
}

/// Exporting the remaining work may take one part in this many of a worker's time.
const WRITING: u32 = 20;
/// Maximum number of states given of a broad frontier, of which half is given: their number grows faster than that of thefts
/// could, and a thief with fewer states returns for more when each has less below it.
const BROAD: usize = 16_384;
/// The remaining work is exported when it has become so many times as much as when it last was: all these together take a third of the
/// time of the last one.
const GROWN: usize = 4;
/// Time up to which the remaining work is exported with every report.
const CHEAP: Duration = Duration::from_millis(1);
/// Number of steps between two checks of memory.
const MEMORY_EVERY: u32 = 16;
/// Number of checks of memory between two looks at the size of the process, which are calls of the system.
const PROCESS_EVERY: u32 = 4;
/// Number of states that a worker keeps, whatever memory they take.
const KEPT_IN_MEMORY: usize = 4;
/// States are given up for memory if that frees at least this part of the limit: each has to be followed from the start again.
const WORTHWHILE: u64 = 64;
/// Bytes that any state takes: a page of its stack.
const LEAST_STATE: u64 = 4096;

/// A region that cannot be read: another worker could not read it either.
fn damaged(error: &postcard::Error) -> FromWorker {
    FromWorker::Failed {
        message: format!("a region of the run's database is damaged ({error}); start a new run"),
    }
}

/// The store of finished paths: in a shard, if there is to be one.
fn keeping(shard: Option<&Path>, writes: bool) -> Result<Keeping, String> {
    shard.map_or(Ok(Keeping::default()), |path| ShardWriter::create(path, writes).map(Keeping::in_shard))
}

/// Gives away up to `n` states, the shallowest first, until they are expected to have half of the `left` paths. Depth-first
/// one may be enough.
fn up_to_half(exploration: &mut dyn Exploration, n: usize, left: f64) -> (Vec<Region>, Option<Expected>) {
    let (mut regions, mut given) = (Vec::new(), Some(Expected::NONE));
    while regions.len() < n && given.is_none_or(|given| given.paths < left / 2.0) {
        let next = exploration.give(1);
        if next.is_empty() {
            break;
        }
        regions.extend(next);
        given = sum(given, exploration.take_given());
    }
    (regions, given)
}

fn encoded(regions: Vec<Region>) -> Vec<Encoded<Region>> {
    regions.iter().map(Encoded::new).collect()
}

/// Regions that are given away, and the number of paths expected of them together.
type Given = (Vec<Encoded<Region>>, Option<Expected>);

/// The sum of two expectations; `None` if one of them is unknown.
fn sum(a: Option<Expected>, b: Option<Expected>) -> Option<Expected> {
    a.zip(b).map(|(a, b)| a + b)
}

/// The expectation of `n` regions, from that of each.
fn all_of(n: usize, each: Option<Expected>) -> Option<Expected> {
    if n == 0 {
        return Some(Expected::NONE);
    }
    each.map(|each| Expected { paths: each.paths * n as f64, variance: each.variance * n as f64 })
}

/// The state machine of a worker, without threads or streams: messages go in and come out.
pub struct Worker {
    exploration: Option<Box<dyn Exploration>>,
    pace: Pace,
    lease: Option<Lease>,
    /// The lease that it begins when the current one is over.
    next: Option<Lease>,
    found: Found,
    /// Its paths that are not reported yet.
    keeping: Keeping,
    /// Time of the last report, and time until which work is counted.
    since: Duration,
    worked: Duration,
    stats: Stats,
    clock: Arc<dyn Clock>,
    /// True if the memory of this process is the worker's own.
    measured: bool,
    /// True if its shard is a file.
    writes: bool,
    /// Its first path into a bug.
    first_bug: FirstBug,
    /// Bytes of memory before the first lease.
    loaded: u64,
    /// The limit of this process, if it has one worker and that one has a limit.
    process: Option<ProcessLimit>,
    /// Bytes that each state freed when states were given up for memory the last time; `None`: not yet.
    freed_each: Option<u64>,
    /// Number of steps until the next check of memory.
    until_memory: u32,
    /// Number of checks of memory until the size of the process is looked at.
    until_process: u32,
    /// Time and duration of the last export of the remaining work, and its number of states.
    written: (Duration, Duration, usize),
}

impl Worker {
    /// A worker that waits for its set-up.
    pub fn new(pace: Pace) -> Worker {
        Worker { measured: true, ..Worker::simulated(pace, Arc::new(RealClock::default())) }
    }

    /// A worker in a simulation: `clock` gives its time, and it does not report its memory.
    pub fn simulated(pace: Pace, clock: Arc<dyn Clock>) -> Worker {
        Worker {
            exploration: None,
            pace,
            lease: None,
            next: None,
            found: Found::default(),
            keeping: Keeping::default(),
            since: clock.now(),
            worked: clock.now(),
            stats: Stats::default(),
            clock,
            measured: false,
            writes: true,
            first_bug: FirstBug::None,
            loaded: 0,
            process: None,
            freed_each: None,
            until_memory: MEMORY_EVERY,
            until_process: PROCESS_EVERY,
            written: (Duration::ZERO, Duration::ZERO, 0),
        }
    }

    /// The same worker with a shard that only counts its content, and is no file.
    pub fn that_writes_nothing(self) -> Worker {
        Worker { writes: false, ..self }
    }

    /// True if there is nothing to do until the next message.
    pub fn is_idle(&self) -> bool {
        self.lease.as_ref().is_none_or(|lease| lease.left == Some(0))
    }

    /// Handles a message; returns the answer.
    pub fn handle(&mut self, message: ToWorker, make: &MakeExploration) -> Option<FromWorker> {
        match message {
            ToWorker::Setup { worker, bytes, shard } => {
                match keeping(shard.as_deref(), self.writes) {
                    Ok(keeping) => self.keeping = keeping,
                    Err(message) => return self.unable(message),
                }
                match make(SetUp { worker, bytes: &bytes }) {
                    Ok(exploration) => {
                        self.exploration = Some(exploration);
                        self.loaded = self.memory();
                        self.process = self.process_limit();
                        Some(FromWorker::Ready)
                    }
                    Err(message) => Some(FromWorker::Failed { message }),
                }
            }
            ToWorker::Lease { lease, regions, careful, at_most, split, expected } => {
                let each = expected.map(|expected| expected.each_of(regions.len()));
                let rest = regions.into();
                let lease = Lease { id: lease, rest, each, careful, left: at_most, split, theft: None };
                if self.lease.is_some() {
                    self.next = Some(lease);
                    return None;
                }
                self.begin(lease)
            }
            ToWorker::Steal { lease, regions, states, keep } => {
                if let Some(next) = self.next.take_if(|next| next.id == lease) {
                    let given = all_of(next.rest.len(), next.each);
                    return Some(FromWorker::Report(Report {
                        lease: next.id,
                        given: Some(next.rest.into()),
                        remaining: Some(Vec::new()),
                        over: true,
                        expected: Box::new(Expectations {
                            remaining: Some(Expected::NONE),
                            given,
                            spilled: None,
                        }),
                        ..Report::default()
                    }));
                }
                // Another lease is over: its last report was the answer.
                if let Some(own) = self.lease.as_mut().filter(|own| own.id == lease) {
                    own.theft = Some(Theft { regions, states, keep, since: self.clock.now() });
                }
                self.answer_theft()
            }
            ToWorker::More { lease, paths } => {
                if let Some(own) = self.lease.as_mut().filter(|own| own.id == lease) {
                    own.left = own.left.map(|left| left.saturating_add(paths));
                }
                None
            }
            ToWorker::Stop => {
                self.next = None;
                let running = self.exploration.as_ref().filter(|_| self.lease.is_some());
                self.found.messages.extend(running.into_iter().flat_map(|e| e.still_running()));
                self.report(true)
            }
        }
    }

    fn begin(&mut self, mut lease: Lease) -> Option<FromWorker> {
        let Some(exploration) = &mut self.exploration else {
            return Some(FromWorker::Failed { message: "a lease came before the set-up".into() });
        };
        match lease.rest.pop_front().map(|region| region.decode()) {
            Some(Ok(region)) => {
                exploration.expect(lease.each);
                if lease.split.is_some() {
                    exploration.start_broad(region);
                } else {
                    exploration.start(region);
                }
            }
            Some(Err(e)) => return Some(damaged(&e)),
            None => return Some(FromWorker::Failed { message: "a lease came without a region".into() }),
        }
        self.lease = Some(lease);
        self.since = self.clock.now();
        self.worked = self.since;
        self.written = (self.since, Duration::ZERO, 0);
        None
    }

    /// Works for a moment; returns a report when one is due.
    pub fn work(&mut self) -> Option<FromWorker> {
        if self.is_idle() {
            return None;
        }
        let (Some(exploration), Some(lease)) = (&mut self.exploration, &mut self.lease) else { return None };
        exploration.step(self.pace.fuel, &mut self.found);
        if self.first_bug == FirstBug::None
            && self.found.paths.iter().any(|path| path.kind == PathKind::Failed)
        {
            self.first_bug = FirstBug::Found;
        }
        let new = match self.keeping.take(&mut self.found) {
            Ok(new) => new,
            Err(message) => return self.unable(message),
        };
        lease.left = lease.left.map(|left| left.saturating_sub(new));
        if exploration.is_done()
            && let Some(next) = lease.rest.pop_front()
        {
            match next.decode() {
                Ok(region) => {
                    exploration.expect(lease.each);
                    exploration.start(region);
                }
                Err(e) => return Some(damaged(&e)),
            }
        }
        let split = lease.split.is_some_and(|n| exploration.waiting() >= n as usize);
        let over = exploration.is_done() || split;
        let every = if self.keeping.is_shard() { self.pace.every_kept } else { self.pace.every };
        let due = over
            || self.first_bug == FirstBug::Found
            || lease.left == Some(0)
            || (lease.careful && new > 0)
            || self.keeping.waiting() >= self.pace.paths
            || self.keeping.bytes() >= self.pace.bytes
            || self.clock.now().saturating_sub(self.since) >= every;
        if due {
            return self.report(over);
        }
        self.until_memory -= 1;
        if self.until_memory == 0 {
            self.until_memory = MEMORY_EVERY;
            if let Some(report) = self.fit_memory() {
                return Some(report);
            }
        }
        self.answer_theft()
    }

    /// Bytes of memory in use.
    fn memory(&self) -> u64 {
        self.exploration.as_ref().map_or(0, |e| e.memory_in_use())
    }

    /// The limit of this process after the program was loaded.
    fn process_limit(&self) -> Option<ProcessLimit> {
        let limit = self.exploration.as_ref()?.memory_limit().filter(|_| self.measured)?;
        Some(ProcessLimit::new(limit, resident_memory()?))
    }

    /// True if this process has become too large: its pages hold more than what is in use.
    fn is_large(&mut self) -> bool {
        let Some(process) = &mut self.process else { return false };
        self.until_process -= 1;
        if self.until_process > 0 {
            return false;
        }
        self.until_process = PROCESS_EVERY;
        resident_memory().is_some_and(|now| process.is_reached(now))
    }

    /// Above the limit on memory, half of the waiting states are given up, to be explored later; so they are if states had to
    /// be suspended: returning to each would cost more than exploring them one part after the other.
    fn fit_memory(&mut self) -> Option<FromWorker> {
        let limit = self.exploration.as_ref()?.memory_limit()?;
        let large = self.is_large();
        let crowded = self.exploration.as_mut()?.crowded();
        let before = self.memory();
        if !crowded && !large && before.saturating_sub(self.loaded) <= limit {
            return None;
        }
        let exploration = self.exploration.as_mut()?;
        let waiting = exploration.waiting();
        let half = waiting.saturating_sub((waiting / 2).max(KEPT_IN_MEMORY)) as u64;
        let n = match self.freed_each {
            _ if crowded => half,
            Some(each) if half.saturating_mul(each) < limit / WORTHWHILE => 0,
            Some(_) => half,
            None => half.min(1),
        };
        if n == 0 {
            return None; // what takes the memory is no waiting state
        }
        let spilled = exploration.spill(n as usize);
        let expected = exploration.take_given();
        let freed = before.saturating_sub(self.memory());
        self.freed_each = Some((freed / n).max(LEAST_STATE));
        self.report_with(None, (spilled, expected), false)
    }

    /// Gives regions to a waiting thief, once there is something to give.
    fn answer_theft(&mut self) -> Option<FromWorker> {
        let lease = self.lease.as_ref()?;
        let theft = lease.theft?;
        let pays = self.exploration.as_ref().is_none_or(|e| e.pays_to_give());
        if lease.rest.is_empty() && !pays {
            return None;
        }
        let waiting = self.waiting();
        let few = waiting <= (theft.keep as usize).max(1);
        if waiting < 2 || (few && self.clock.now().saturating_sub(theft.since) < self.pace.patience) {
            return None;
        }
        self.lease.as_mut()?.theft = None;
        let given = self.give(theft.regions as usize, theft.states as usize);
        self.report_with(Some(given), (Vec::new(), Some(Expected::NONE)), false)
    }

    /// Takes up to `regions` regions of `states` states each out of the frontier, but leaves at least half of it; a broad
    /// frontier gives half. Regions that are not begun go first, unchanged.
    fn give(&mut self, regions: usize, states: usize) -> Given {
        let broad = self.exploration.as_ref().is_some_and(|e| e.is_broad());
        let wanted = if broad { BROAD } else { regions.saturating_mul(states.max(1)) };
        let n = wanted.min(self.waiting() / 2);
        let before = self.clock.now();
        let (Some(exploration), Some(lease)) = (&mut self.exploration, &mut self.lease) else {
            return (Vec::new(), Some(Expected::NONE));
        };
        let begun = lease.rest.len().saturating_sub(n);
        let mut untouched: Vec<Encoded<Region>> = lease.rest.drain(begun..).collect();
        let of_untouched = all_of(untouched.len(), lease.each);
        let n = n - untouched.len();
        let (given, expected) = match exploration.expected().filter(|_| !broad) {
            // More than half of the expected paths would only be stolen back.
            Some(left) => up_to_half(&mut **exploration, n, left.paths),
            None => (exploration.give(n), exploration.take_given()),
        };
        let expected = sum(of_untouched, expected);
        let took = self.clock.now().saturating_sub(before).as_nanos();
        self.stats.add(counters::STEAL_EXPORT_NANOS, u64::try_from(took).unwrap_or(u64::MAX));
        let size = given.len().div_ceil(regions.max(1)).max(1);
        let mut parts: Vec<Region> = Vec::with_capacity(regions);
        for (i, region) in given.into_iter().enumerate() {
            match parts.last_mut() {
                // Neighbours make one region: up to the start of the one before.
                Some(last) if i % size != 0 && last.lo == region.hi => last.lo = region.lo,
                _ => parts.push(region),
            }
        }
        untouched.extend(encoded(parts));
        (untouched, expected)
    }

    /// Number of waiting states; a region that is not begun counts as one.
    fn waiting(&self) -> usize {
        let rest = self.lease.as_ref().map_or(0, |lease| lease.rest.len());
        self.exploration.as_ref().map_or(0, |e| e.waiting()) + rest
    }

    fn report(&mut self, over: bool) -> Option<FromWorker> {
        self.report_with(None, (Vec::new(), Some(Expected::NONE)), over)
    }

    /// Reports that paths cannot be kept on this machine.
    fn unable(&mut self, message: String) -> Option<FromWorker> {
        self.lease = None;
        Some(FromWorker::Unable { message })
    }

    /// Reports that the session has to end; doubtful results are not reported.
    fn fail(&mut self, message: String) -> Option<FromWorker> {
        self.lease = None;
        Some(FromWorker::Failed { message })
    }

    fn report_with(
        &mut self,
        given: Option<Given>,
        (spilled, of_spilled): (Vec<Region>, Option<Expected>),
        over: bool,
    ) -> Option<FromWorker> {
        let (Some(exploration), Some(lease)) = (&mut self.exploration, &self.lease) else { return None };
        if let Some(message) = exploration.failure() {
            return self.fail(message);
        }
        let over = over || (exploration.is_done() && lease.rest.is_empty());
        let (careful, states) = (lease.careful, exploration.waiting());
        let moves = given.is_some() || !spilled.is_empty();
        // Paths in a shard count together with the remaining work, and so do regions that have left the leased region.
        let first_bug = self.first_bug == FirstBug::Found;
        let counts = over || careful || first_bug || (self.keeping.is_shard() && moves);
        let exact = counts || self.worth_writing(states);
        self.since = self.clock.now();
        if !exact && self.keeping.is_shard() {
            return Some(FromWorker::Report(self.interim()));
        }
        let brought = match self.keeping.bring() {
            Ok(brought) => brought,
            Err(message) => return self.unable(message),
        };
        let remaining = if exact { self.write_down() } else { None };
        if first_bug {
            self.first_bug = FirstBug::Told;
        }
        let report = self.full(given, (spilled, of_spilled), brought, remaining, over)?;
        if report.over {
            self.lease = None;
            if let Some(next) = self.next.take() {
                self.begin(next);
            }
        }
        Some(FromWorker::Report(report))
    }

    /// A report of the number of waiting states, while no results can count yet.
    fn interim(&self) -> Report {
        let lease = self.lease.as_ref().map_or(0, |lease| lease.id);
        let expected = Expectations { remaining: self.expected(), given: None, spilled: None };
        let waiting = u32::try_from(self.waiting()).unwrap_or(u32::MAX);
        Report { lease, waiting, expected: Box::new(expected), ..Report::default() }
    }

    /// Expected number of paths left in the lease.
    fn expected(&self) -> Option<Expected> {
        let (exploration, lease) = (self.exploration.as_ref()?, self.lease.as_ref()?);
        sum(exploration.expected(), all_of(lease.rest.len(), lease.each))
    }

    fn full(
        &mut self,
        given: Option<Given>,
        (mut spilled, of_spilled): (Vec<Region>, Option<Expected>),
        brought: Brought,
        remaining: Option<Vec<Encoded<Region>>>,
        over: bool,
    ) -> Option<Report> {
        let waiting = self.waiting();
        let remaining_expected = self.expected();
        let (Some(exploration), Some(lease)) = (&mut self.exploration, &self.lease) else { return None };
        let mut found = std::mem::take(&mut self.found);
        // Each was met at the end of a path, or may have one.
        let of_spilled = sum(of_spilled, all_of(found.left_open.len(), Some(Expected::ONE)));
        spilled.append(&mut found.left_open);
        let (given, of_given) = given.map_or((None, None), |(given, expected)| (Some(given), expected));
        let expected = Expectations { remaining: remaining_expected, given: of_given, spilled: of_spilled };
        let mut stats = std::mem::take(&mut self.stats);
        stats.merge(&exploration.take_stats());
        let now = self.clock.now();
        let busy = now.saturating_sub(self.worked).as_nanos();
        stats.add(counters::BUSY_NANOS, u64::try_from(busy).unwrap_or(u64::MAX));
        if self.measured {
            stats.add(counters::PEAK_MEMORY_BYTES, peak_memory().unwrap_or(0));
        }
        (self.since, self.worked) = (now, now);
        let Brought { paths, kept, places, shows } = brought;
        Some(Report {
            lease: lease.id,
            paths,
            kept,
            places,
            shows,
            set_aside: found.set_aside,
            given,
            spilled: encoded(spilled),
            remaining,
            over,
            waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
            expected: Box::new(expected),
            messages: found.messages,
            stats,
            measure: exploration.take_measure().map(Box::new),
        })
    }

    /// True if enough time has passed since the remaining work was last exported, or there is so much more that nobody knows how long it
    /// takes: a few states took the time of a message.
    fn worth_writing(&self, waiting: usize) -> bool {
        let (at, took, states) = self.written;
        let times = waiting.div_ceil(states.max(1));
        let expected = took.saturating_mul(u32::try_from(times).unwrap_or(u32::MAX));
        expected <= CHEAP
            || times >= GROWN
            || self.clock.now().saturating_sub(at) >= expected.saturating_mul(WRITING)
    }

    /// The remaining work of the lease.
    fn write_down(&mut self) -> Option<Vec<Encoded<Region>>> {
        let exploration = self.exploration.as_mut()?;
        let before = self.clock.now();
        let mut remaining = encoded(exploration.remaining());
        let now = self.clock.now();
        let took = now.saturating_sub(before);
        self.stats.add(counters::WRITING_DOWN_NANOS, u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        self.written = (now, took, exploration.waiting());
        remaining.extend(self.lease.iter().flat_map(|lease| lease.rest.iter().cloned()));
        Some(remaining)
    }
}

/// Slot for the clock of a worker's exploration, to be read by another thread once it is set.
pub(crate) type ClockSlot = Mutex<Option<Arc<SolverClock>>>;

/// Serves a coordinator until it says stop or its end of `inbox` is gone, or until `send` reports that nobody
/// listens.
pub fn serve(
    inbox: &Receiver<ToWorker>,
    send: &mut dyn FnMut(FromWorker) -> bool,
    make: &MakeExploration,
    pace: Pace,
) {
    serve_timed(inbox, send, make, pace, &ClockSlot::default());
}

/// [`serve`], which also publishes the exploration's clock.
pub(crate) fn serve_timed(
    inbox: &Receiver<ToWorker>,
    send: &mut dyn FnMut(FromWorker) -> bool,
    make: &MakeExploration,
    pace: Pace,
    clock: &ClockSlot,
) {
    let mut worker = Worker::new(pace);
    loop {
        let message = if worker.is_idle() {
            match inbox.recv() {
                Ok(message) => Some(message),
                Err(_) => return,
            }
        } else {
            match inbox.try_recv() {
                Ok(message) => Some(message),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return,
            }
        };
        let last = message == Some(ToWorker::Stop);
        if last && let Some(clock) = &*clock.lock().unwrap_or_else(PoisonError::into_inner) {
            clock.ends();
        }
        let answer = match message {
            Some(message) => {
                let set_up = matches!(message, ToWorker::Setup { .. });
                let answer = worker.handle(message, make);
                if set_up {
                    *clock.lock().unwrap_or_else(PoisonError::into_inner) =
                        worker.exploration.as_ref().and_then(|e| e.clock());
                }
                answer
            }
            None => worker.work(),
        };
        let heard = answer.is_none_or(&mut *send);
        if last || !heard {
            return;
        }
    }
}

//! A worker: explores what it is leased, reports, gives away what it is asked for.

use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cleave_region::Region;

use crate::clock::{Clock, RealClock};
use crate::exploration::{Exploration, Found};
use crate::protocol::{FromWorker, Report, ToWorker};
use crate::stats::Stats;
use crate::timed::SolverClock;

/// When a worker reports.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Instructions between two looks at what the coordinator says. Default is 20,000: a millisecond or less.
    pub fuel: u64,
    /// A report at least so often. Default is 150 ms: what a killed worker costs.
    pub every: Duration,
    /// A report after so many paths. Default is 2,000.
    pub paths: usize,
    /// A report after so many bytes of tests. Default is 1 MiB.
    pub bytes: usize,
    /// A frontier of fewer than [`ENOUGH`] states is shared only after a thief waited so long. Default is 10 ms.
    pub patience: Duration,
}

/// A frontier of so many states is shared at once.
pub const ENOUGH: u32 = 4;

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            fuel: 20_000,
            every: Duration::from_millis(150),
            paths: 2_000,
            bytes: 1 << 20,
            patience: Duration::from_millis(10),
        }
    }
}

/// Makes an exploration of what [`ToWorker::Setup`] holds; an error says in a sentence why it cannot.
pub type MakeExploration = dyn Fn(&[u8]) -> Result<Box<dyn Exploration>, String> + Send + Sync;

/// The lease at hand.
struct Lease {
    id: u64,
    careful: bool,
    left: Option<u64>,
    /// A theft that waits until there is something to give: regions, states of each, since when.
    theft: Option<(u32, u32, Duration)>,
}

/// The machine of a worker, without threads or streams: messages go in and come out.
pub struct Worker {
    exploration: Option<Box<dyn Exploration>>,
    pace: Pace,
    lease: Option<Lease>,
    found: Found,
    /// Bytes of the tests in `found`, and how many of its paths they count.
    bytes: usize,
    counted: usize,
    /// The last report.
    since: Duration,
    stats: Stats,
    clock: Arc<dyn Clock>,
    /// The memory of this process is its own.
    measured: bool,
}

impl Worker {
    /// A worker that waits for its set-up.
    pub fn new(pace: Pace) -> Worker {
        Worker { measured: true, ..Worker::simulated(pace, Arc::new(RealClock::default())) }
    }

    /// A worker in a simulation: its time is what `clock` says, and it does not report its memory.
    pub fn simulated(pace: Pace, clock: Arc<dyn Clock>) -> Worker {
        Worker {
            exploration: None,
            pace,
            lease: None,
            found: Found::default(),
            bytes: 0,
            counted: 0,
            since: clock.now(),
            stats: Stats::default(),
            clock,
            measured: false,
        }
    }

    /// Whether there is nothing to do until the next message.
    pub fn is_idle(&self) -> bool {
        self.lease.is_none()
    }

    /// Takes a message; returns the answer.
    pub fn handle(&mut self, message: ToWorker, make: &MakeExploration) -> Option<FromWorker> {
        match message {
            ToWorker::Setup(bytes) => match make(&bytes) {
                Ok(exploration) => {
                    self.exploration = Some(exploration);
                    Some(FromWorker::Ready)
                }
                Err(message) => Some(FromWorker::Failed { message }),
            },
            ToWorker::Lease { lease, region, careful, at_most } => {
                let Some(exploration) = &mut self.exploration else {
                    return Some(FromWorker::Failed { message: "a lease came before the set-up".into() });
                };
                exploration.start(region);
                self.lease = Some(Lease { id: lease, careful, left: at_most, theft: None });
                self.since = self.clock.now();
                None
            }
            ToWorker::Steal { lease, regions, states } => {
                // Another lease is over: its last report was the answer.
                if let Some(own) = self.lease.as_mut().filter(|own| own.id == lease) {
                    own.theft = Some((regions, states, self.clock.now()));
                }
                self.answer_theft()
            }
            ToWorker::Stop => self.report(None, true),
        }
    }

    /// Works for a moment; returns a report when one is due.
    pub fn work(&mut self) -> Option<FromWorker> {
        let (Some(exploration), Some(lease)) = (&mut self.exploration, &mut self.lease) else { return None };
        exploration.step(self.pace.fuel, &mut self.found);
        let new = self.found.paths.len() - self.counted;
        if new > 0 {
            for path in &self.found.paths[self.counted..] {
                self.bytes += path.test.objects.iter().map(|o| o.bytes.len()).sum::<usize>();
            }
            self.counted = self.found.paths.len();
            lease.left = lease.left.map(|left| left.saturating_sub(new as u64));
        }
        let over = exploration.is_done() || lease.left == Some(0);
        let due = over
            || (lease.careful && new > 0)
            || self.counted >= self.pace.paths
            || self.bytes >= self.pace.bytes
            || self.clock.now().saturating_sub(self.since) >= self.pace.every;
        if due { self.report(None, over) } else { self.answer_theft() }
    }

    /// Gives to a thief who waits, once there is something to give.
    fn answer_theft(&mut self) -> Option<FromWorker> {
        let lease = self.lease.as_mut()?;
        let (regions, states, since) = lease.theft?;
        let waiting = self.exploration.as_ref()?.waiting();
        if waiting < 2
            || (waiting < ENOUGH as usize && self.clock.now().saturating_sub(since) < self.pace.patience)
        {
            return None;
        }
        lease.theft = None;
        let given = self.give(regions as usize, states as usize);
        self.report(Some(given), false)
    }

    /// Takes up to `regions` regions of `states` states each out of the frontier, but leaves at least half of it.
    fn give(&mut self, regions: usize, states: usize) -> Vec<Region> {
        let Some(exploration) = &mut self.exploration else { return Vec::new() };
        let n = regions.saturating_mul(states.max(1)).min(exploration.waiting() / 2);
        let given = exploration.give(n);
        let size = given.len().div_ceil(regions.max(1)).max(1);
        let mut parts: Vec<Region> = Vec::with_capacity(regions);
        for (i, region) in given.into_iter().enumerate() {
            match parts.last_mut() {
                // Neighbours make one region: up to where the one before begins.
                Some(last) if i % size != 0 && last.lo == region.hi => last.lo = region.lo,
                _ => parts.push(region),
            }
        }
        parts
    }

    fn report(&mut self, given: Option<Vec<Region>>, over: bool) -> Option<FromWorker> {
        let (Some(exploration), Some(lease)) = (&mut self.exploration, &self.lease) else { return None };
        // What is doubtful is not reported.
        if let Some(message) = exploration.failure() {
            self.lease = None;
            return Some(FromWorker::Failed { message });
        }
        let found = std::mem::take(&mut self.found);
        (self.bytes, self.counted) = (0, 0);
        let mut stats = std::mem::take(&mut self.stats);
        stats.merge(&exploration.take_stats());
        let now = self.clock.now();
        let busy = now.saturating_sub(self.since).as_nanos();
        stats.add("busy_nanos", u64::try_from(busy).unwrap_or(u64::MAX));
        if self.measured {
            stats.add("peak_memory_bytes", peak_memory().unwrap_or(0));
        }
        self.since = now;
        let report = Report {
            lease: lease.id,
            paths: found.paths,
            set_aside: found.set_aside,
            given,
            remaining: exploration.remaining(),
            over: over || exploration.is_done(),
            waiting: u32::try_from(exploration.waiting()).unwrap_or(u32::MAX),
            messages: found.messages,
            stats,
        };
        if report.over {
            self.lease = None;
        }
        Some(FromWorker::Report(report))
    }
}

/// The largest resident size of this process, in bytes.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Where the clock of a worker's exploration is found by another thread, once there is one.
pub(crate) type ClockSlot = Mutex<Option<Arc<SolverClock>>>;

/// Serves a coordinator until it says stop or its end of `inbox` is gone, or until `send` says that nobody
/// listens.
pub fn serve(
    inbox: &Receiver<ToWorker>,
    send: &mut dyn FnMut(FromWorker) -> bool,
    make: &MakeExploration,
    pace: Pace,
) {
    serve_timed(inbox, send, make, pace, &ClockSlot::default());
}

/// [`serve`], and shows the exploration's clock.
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
        let answer = match message {
            Some(message) => {
                let set_up = matches!(message, ToWorker::Setup(_));
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

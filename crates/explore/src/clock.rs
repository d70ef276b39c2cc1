//! Times of solver queries, also of one in progress, and of the ways to regions. Explorations write them; campaign threads read
//! them for reports, at any time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cleave_region::Region;

/// Time spent in the solver. Another thread may read it while the exploring thread waits for an answer.
#[derive(Debug)]
pub struct SolverClock {
    start: Instant,
    /// Nanoseconds of answered queries, not yet reported.
    spent: AtomicU64,
    /// Start of the query in progress, in nanoseconds since `start`, plus 1; 0 for none.
    asked: AtomicU64,
    /// Time of the last report, in nanoseconds since `start`.
    reported: AtomicU64,
    /// If true, the exploration is to stop: its solver gives up.
    stop: Arc<AtomicBool>,
    /// True while the last report is being made.
    ending: AtomicBool,
}

/// Report made while a query is in progress.
pub struct Pending {
    /// Time of the query in progress so far.
    pub takes: Duration,
    /// Nanoseconds in the solver since the last report.
    pub solver_nanos: u64,
    /// Nanoseconds of all work since then.
    pub busy_nanos: u64,
}

impl Default for SolverClock {
    fn default() -> SolverClock {
        SolverClock::new(Arc::default())
    }
}

impl SolverClock {
    /// `stop` is the flag that ends the space's queries.
    pub fn new(stop: Arc<AtomicBool>) -> SolverClock {
        let (spent, asked, reported, ending) = Default::default();
        SolverClock { start: Instant::now(), spent, asked, reported, stop, ending }
    }

    /// Ends the query in progress, as soon as its solver looks at the flag.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// True if queries end without an answer because the exploration is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Notes that the last report is being made.
    pub fn ends(&self) {
        self.ending.store(true, Ordering::Relaxed);
    }

    /// True if the last report is being made.
    pub fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(crate) fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.now();
        self.asked.store(before + 1, Ordering::Relaxed);
        let result = work();
        self.asked.store(0, Ordering::Relaxed);
        self.spent.fetch_add(self.now() - before, Ordering::Relaxed);
        result
    }

    /// Nanoseconds of queries answered since the last call. To be called for a report.
    pub fn take(&self) -> u64 {
        self.begin();
        self.spent.swap(0, Ordering::Relaxed)
    }

    /// Notes that work begins.
    pub fn begin(&self) {
        self.reported.store(self.now(), Ordering::Relaxed);
    }

    /// The query in progress; `None` if there is none.
    pub fn pending(&self) -> Option<Pending> {
        let asked = self.asked.load(Ordering::Relaxed).checked_sub(1)?;
        let now = self.now();
        let takes = now.saturating_sub(asked);
        Some(Pending {
            takes: Duration::from_nanos(takes),
            solver_nanos: takes + self.spent.load(Ordering::Relaxed),
            busy_nanos: now.saturating_sub(self.reported.load(Ordering::Relaxed)),
        })
    }
}

/// Time on the way to regions: from the state where the way begins until its first path enters the region.
#[derive(Debug, Default)]
pub(crate) struct Way {
    /// Start of the current way, and the number of decisions after which it ends; `None` for the end of a path.
    begun: Option<(Instant, Option<u32>)>,
    times: WayTimes,
}

/// Time spent on the ways to regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WayTimes {
    /// Nanoseconds.
    pub nanos: u64,
    /// Number of ways.
    pub ways: u64,
}

impl Way {
    /// Begins the way to a region.
    pub(crate) fn begin(&mut self, region: &Region) {
        self.begun = region.lo.as_ref().map(|cut| (Instant::now(), cut.depth));
    }

    /// Notes that a state has `depth` decisions behind it.
    #[inline]
    pub(crate) fn passed(&mut self, depth: u32) {
        if matches!(self.begun, Some((_, Some(end))) if depth >= end) {
            self.arrived();
        }
    }

    /// Notes that the region is entered, if it was not yet.
    pub(crate) fn arrived(&mut self) {
        if let Some((start, _)) = self.begun.take() {
            self.times.nanos += u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.times.ways += 1;
        }
    }

    /// The times since the last call.
    pub(crate) fn take(&mut self) -> WayTimes {
        std::mem::take(&mut self.times)
    }
}

//! How long questions take, also while one is being answered, and the ways to regions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cleave_region::Region;

/// Time spent in the solver. It may be read from another thread, as the one that asks is busy.
#[derive(Debug)]
pub struct SolverClock {
    start: Instant,
    /// Nanoseconds in questions that are answered and not yet reported.
    spent: AtomicU64,
    /// When the question at hand was asked, in nanoseconds since `start`, plus 1; 0 for none.
    asked: AtomicU64,
    /// The last report, in nanoseconds since `start`.
    reported: AtomicU64,
    /// The exploration is to stop: its solver gives up.
    stop: Arc<AtomicBool>,
    /// The last report is being made.
    ending: AtomicBool,
}

/// What can be said while a question is being answered.
pub struct Pending {
    /// How long the question at hand takes already.
    pub takes: Duration,
    /// Nanoseconds in the solver since the last report.
    pub solver_nanos: u64,
    /// Nanoseconds of work at all since then.
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

    /// Has the query at hand end, as soon as its solver looks.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether queries end without an answer because the exploration is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The last report is being made from now on.
    pub fn ends(&self) {
        self.ending.store(true, Ordering::Relaxed);
    }

    /// Whether the last report is being made.
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

    /// Nanoseconds of questions that are answered, since the last call. It is called for a report.
    pub fn take(&self) -> u64 {
        self.begin();
        self.spent.swap(0, Ordering::Relaxed)
    }

    /// Work begins.
    pub fn begin(&self) {
        self.reported.store(self.now(), Ordering::Relaxed);
    }

    /// Nothing where no question is being answered.
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

/// Time on the way to regions: from the state at which one is begun to where its first path enters it.
#[derive(Debug, Default)]
pub(crate) struct Way {
    /// When the way at hand was begun, and after how many decisions it ends; `None` for the end of a path.
    begun: Option<(Instant, Option<u32>)>,
    times: WayTimes,
}

/// What the ways to regions took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WayTimes {
    /// Nanoseconds.
    pub nanos: u64,
    /// How many ways.
    pub ways: u64,
}

impl Way {
    /// Begins with the way to a region.
    pub(crate) fn begin(&mut self, region: &Region) {
        self.begun = region.lo.as_ref().map(|cut| (Instant::now(), cut.depth));
    }

    /// A state has so many decisions behind it.
    #[inline]
    pub(crate) fn passed(&mut self, depth: u32) {
        if matches!(self.begun, Some((_, Some(end))) if depth >= end) {
            self.arrived();
        }
    }

    /// The region is entered, if it was not yet.
    pub(crate) fn arrived(&mut self) {
        if let Some((start, _)) = self.begun.take() {
            self.times.nanos += u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.times.ways += 1;
        }
    }

    /// What was measured since the last call.
    pub(crate) fn take(&mut self) -> WayTimes {
        std::mem::take(&mut self.times)
    }
}

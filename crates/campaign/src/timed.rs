//! A space that knows how long its questions take, also while one is being answered.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cleave_explore::{Answer, Flow, Outcome, Place, Space, Together};
use cleave_region::{PathDigest, Region, Test};

use crate::counters;
use crate::stats::Stats;

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

/// What a worker that waits for its solver can say.
pub(crate) struct Pending {
    /// How long the question at hand takes already.
    pub(crate) takes: Duration,
    /// Nanoseconds in the solver, and of work at all, since the last report.
    pub(crate) solver_nanos: u64,
    pub(crate) busy_nanos: u64,
}

impl SolverClock {
    fn new(stop: Arc<AtomicBool>) -> SolverClock {
        let (spent, asked, reported, ending) = Default::default();
        SolverClock { start: Instant::now(), spent, asked, reported, stop, ending }
    }

    /// Has the query at hand end, as soon as its solver looks.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether queries end without an answer because the exploration is to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The last report is being made from now on.
    pub fn ends(&self) {
        self.ending.store(true, Ordering::Relaxed);
    }

    /// Whether the last report is being made.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.now();
        self.asked.store(before + 1, Ordering::Relaxed);
        let result = work();
        self.asked.store(0, Ordering::Relaxed);
        self.spent.fetch_add(self.now() - before, Ordering::Relaxed);
        result
    }

    /// Nanoseconds of questions that are answered, since the last call. It is called for a report.
    pub(crate) fn take(&self) -> u64 {
        self.begin();
        self.spent.swap(0, Ordering::Relaxed)
    }

    /// Work begins.
    pub(crate) fn begin(&self) {
        self.reported.store(self.now(), Ordering::Relaxed);
    }

    /// Nothing where no question is being answered.
    pub(crate) fn pending(&self) -> Option<Pending> {
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
    nanos: u64,
    ways: u64,
}

impl Way {
    pub(crate) fn begin(&mut self, region: &Region) {
        self.arrived();
        self.begun = region.lo.as_ref().map(|cut| (Instant::now(), cut.depth));
    }

    pub(crate) fn arrived(&mut self) {
        if let Some((start, _)) = self.begun.take() {
            self.nanos += u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.ways += 1;
        }
    }

    /// Hands over what was counted since the last call.
    pub(crate) fn take(&mut self, stats: &mut Stats) {
        stats.add(counters::REPLAY_NANOS, std::mem::take(&mut self.nanos));
        stats.add(counters::REPLAYS, std::mem::take(&mut self.ways));
    }
}

/// A space whose questions are timed, and the ways to regions.
pub(crate) struct Timed<S> {
    pub(crate) space: S,
    pub(crate) clock: Arc<SolverClock>,
    pub(crate) way: Way,
}

impl<S> Timed<S> {
    /// `stop` is the flag that ends the space's queries.
    pub(crate) fn new(space: S, stop: Arc<AtomicBool>) -> Timed<S> {
        Timed { space, clock: Arc::new(SolverClock::new(stop)), way: Way::default() }
    }
}

impl<S: Space> Space for Timed<S> {
    type State = S::State;
    type Cond = S::Cond;
    type Witness = S::Witness;
    type End = S::End;

    fn ask(
        &mut self,
        state: &S::State,
        cond: &S::Cond,
        side: bool,
        near: &S::Witness,
    ) -> Answer<Self::Witness> {
        let space = &mut self.space;
        self.clock.time(|| space.ask(state, cond, side, near))
    }

    fn ask_together(
        &mut self,
        state: &S::State,
        sides: &[(S::Cond, bool)],
        near: &S::Witness,
    ) -> Together<Self::Witness> {
        let space = &mut self.space;
        self.clock.time(|| space.ask_together(state, sides, near))
    }

    fn run_ahead(&mut self, state: &mut S::State, fuel: u64) -> Option<Outcome<S::Cond, S::End>> {
        self.space.run_ahead(state, fuel)
    }

    fn assumed_away(&self, state: &S::State) -> Option<S::End> {
        self.space.assumed_away(state)
    }

    fn contradicts(&self, state: &S::State) -> bool {
        self.space.contradicts(state)
    }

    fn root(&mut self) -> S::State {
        self.space.root()
    }

    fn prepare(&mut self, test: &Test) -> S::Witness {
        self.space.prepare(test)
    }

    fn write_down(&mut self, state: &S::State, witness: &S::Witness) -> Test {
        self.space.write_down(state, witness)
    }

    fn run(&mut self, state: &mut S::State, witness: &S::Witness, fuel: u64) -> Outcome<S::Cond, S::End> {
        self.space.run(state, witness, fuel)
    }

    fn decides(&mut self, cond: &S::Cond, witness: &S::Witness) -> bool {
        self.space.decides(cond, witness)
    }

    fn leads(&mut self, witness: &S::Witness, state: &S::State) -> bool {
        self.space.leads(witness, state)
    }

    fn take(&mut self, state: &mut S::State, cond: &S::Cond, side: bool) {
        self.space.take(state, cond, side);
        if let Some((_, Some(depth))) = self.way.begun
            && self.space.depth(state) >= depth
        {
            self.way.arrived();
        }
    }

    fn share(&self, state: &mut S::State) {
        self.space.share(state);
    }

    fn point(&self, state: &S::State) -> S::State {
        self.space.point(state)
    }

    fn depth(&self, state: &S::State) -> u32 {
        self.space.depth(state)
    }

    fn digest(&self, state: &S::State) -> PathDigest {
        self.space.digest(state)
    }

    fn decisions(&self, state: &S::State) -> Vec<u8> {
        self.space.decisions(state)
    }

    fn describe(&self, state: &S::State, decisions: Range<usize>) -> Vec<String> {
        self.space.describe(state, decisions)
    }

    fn instructions(&self, state: &S::State) -> u64 {
        self.space.instructions(state)
    }

    fn flow(&mut self) -> Option<Arc<Flow>> {
        self.space.flow()
    }

    fn count_visits(&mut self) {
        self.space.count_visits();
    }

    fn covered(&self, known: usize) -> Vec<Place> {
        self.space.covered(known)
    }

    fn visits(&self, place: Place) -> u64 {
        self.space.visits(place)
    }

    fn stack(&self, state: &S::State, side: Option<bool>) -> Vec<Place> {
        self.space.stack(state, side)
    }

    fn is_full(&self) -> bool {
        self.space.is_full()
    }

    fn renew(&mut self) {
        self.space.renew();
    }
}

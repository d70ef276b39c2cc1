//! The campaign's interface to explorers ([`Exploration`], which workers run), and its implementation for any recordable space
//! ([`Exploring`]).

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cleave_coverage::MarkId;
use cleave_explore::{
    AnyExplorer, Asking, Concolic, Concrete, Counters, Event, Explorer, ItemOrder, Limit, Limits,
    MutatedShare, Mutations, Mutator, NativeProgram, Search, SolverClock, Space, Strategy, walk,
};
use cleave_region::{Encoded, Expected, Message, PathKind, PathRecord, Region, Test, Weight};

use crate::accounting::counters::{self, ADDRESSES, INTERNAL, MADE_UP};
use crate::accounting::stats::Stats;
use crate::transports::protocol::{Aside, SetAside, Shows};

/// Results since the last report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Finished paths.
    pub paths: Vec<PathRecord>,
    /// Coverage that these paths are the first to show, as far as the worker knows.
    pub shows: Vec<Shows>,
    /// Regions set aside.
    pub set_aside: Vec<SetAside>,
    /// Regions left open because the exploration was told to stop while the solver was asked about them.
    pub left_open: Vec<Region>,
    /// Messages for the user.
    pub messages: Vec<Message>,
}

/// Minimum number of rounds of a loop for a message about a path that is still running when the session ends.
const MANY_ROUNDS: u64 = 10_000;

/// A number of rounds in words, to two digits: it is not known more exactly.
fn rounds_in_words(rounds: u64) -> String {
    let unit = 10u64.pow(rounds.max(1).ilog10().saturating_sub(1));
    let digits = (rounds / unit * unit).to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|g| std::str::from_utf8(g).ok()).collect();
    format!("about {} iterations", groups.join(","))
}

/// An exploration of one region at a time.
pub trait Exploration {
    /// Begins `region`; the one before is forgotten.
    fn start(&mut self, region: Region);
    /// As [`Exploration::start`], but always breadth-first: for splitting.
    fn start_broad(&mut self, region: Region) {
        self.start(region);
    }
    /// Continues for about `fuel` instructions, or until it finds something.
    fn step(&mut self, fuel: u64, found: &mut Found);
    /// True if the region is explored.
    fn is_done(&self) -> bool;
    /// Number of waiting states.
    fn waiting(&self) -> usize;
    /// False if giving states away now would make other workers repeat more than was done here.
    fn pays_to_give(&self) -> bool {
        true
    }
    /// Gives away up to `n` states, never the last one, the shallowest first; depth-first that is in falling order of
    /// paths. Neighbours, of which one ends at the very cut at which the other begins, may be merged into one
    /// region.
    fn give(&mut self, n: usize) -> Vec<Region>;
    /// Sets the number of paths expected of the next region; `None` if unknown.
    fn expect(&mut self, expected: Option<Expected>) {
        let _ = expected;
    }
    /// Expected number of paths left in the region; `None` if unknown.
    fn expected(&self) -> Option<Expected> {
        None
    }
    /// Expected number of paths of all that was given away since the last call; `None` if unknown.
    fn take_given(&mut self) -> Option<Expected> {
        None
    }
    /// True if the waiting states are of similar worth, so that a thief should get half of them as long as they are few.
    /// Depth-first the shallowest state alone is worth as much as all others.
    fn is_broad(&self) -> bool {
        false
    }
    /// Gives away up to `n` states to save memory, those that the strategy wants last, never the last one.
    fn spill(&mut self, n: usize) -> Vec<Region> {
        self.give(n)
    }
    /// Maximum memory of states in bytes, in addition to that of the loaded program; `None` for no limit. A process with one
    /// worker keeps to it as a whole, see `memory.rs`.
    fn memory_limit(&self) -> Option<u64> {
        None
    }
    /// Returns true once if the states did not fit into the space's own memory.
    fn crowded(&mut self) -> bool {
        false
    }
    /// Bytes of memory in use; only if there is a limit.
    fn memory_in_use(&self) -> u64 {
        0
    }
    /// The remaining work of the region.
    fn remaining(&mut self) -> Vec<Region>;
    /// Messages on paths that are still running when the session ends.
    fn still_running(&self) -> Vec<Message> {
        Vec::new()
    }
    /// Counts of work since the last call.
    fn take_stats(&mut self) -> Stats;
    /// The weights of all that ended since the last call, in this worker; `None` if nothing is weighed.
    fn take_measure(&mut self) -> Option<Weight> {
        None
    }
    /// The reason why no result of this exploration can be trusted any more; it ends the session of the whole run.
    fn failure(&mut self) -> Option<String> {
        None
    }
    /// The clock that measures the query in progress, if there is one.
    fn clock(&self) -> Option<Arc<SolverClock>> {
        None
    }
}

/// A space whose finished paths can be recorded.
pub trait Recorded: Space {
    /// The record of a finished path; `None` for an end without a result (`klee_silent_exit`).
    fn record(&mut self, end: Self::End, state: &Self::State, witness: &Self::Witness) -> Option<PathRecord>;
    /// Invented answers on the state's path, by name, counted for each path.
    fn made_up(&self, state: &Self::State) -> Vec<String> {
        let _ = state;
        Vec::new()
    }
    /// The marks that the test of a finished path shows and no path before it has shown.
    fn news(&mut self, state: &Self::State, test: &Test) -> Vec<MarkId> {
        let _ = (state, test);
        Vec::new()
    }
    /// Notes that a path with these marks is recorded.
    fn show(&mut self, news: &[MarkId]) {
        let _ = news;
    }
    /// Checks all further information given to states against `witness`, as far as the space can.
    fn watch(&mut self, witness: &Self::Witness) {
        let _ = witness;
    }
    /// Ends [`Recorded::watch`]: returns the information that does not hold, a sentence each.
    fn unwatch(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// Counters since the space was made, except those of the explorer (decisions and queries).
    fn total_stats(&self) -> Stats {
        Stats::default()
    }
    /// See [`Exploration::failure`].
    fn failure(&mut self) -> Option<String> {
        None
    }
    /// The flag that stops the solver: while it is true, every query ends without an answer. Another thread may set it.
    fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
    /// Messages for the user since the last call.
    fn take_messages(&mut self) -> Vec<Message> {
        Vec::new()
    }
}

/// Kind of explorer for a region.
enum How {
    /// States, chosen by a strategy.
    States(Box<dyn Strategy>),
    /// Concrete runs.
    Items(Concrete),
}

/// Explores regions of a space.
pub struct Exploring<S: Recorded> {
    space: S,
    clock: Arc<SolverClock>,
    limits: Limits,
    search: Search,
    asking: Asking,
    /// Explores by concrete runs.
    concolic: Option<Concrete>,
    /// Seed tests, which are run first on the whole program: sorted, each on a path of its own.
    seeds: Vec<Test>,
    memory: Option<(u64, fn() -> u64)>,
    /// Executes mutated tests in turn with the exploration.
    mutator: Option<Mutator>,
    /// Number of times that the frontier had been suspended at the last check.
    written_down: u64,
    self_check: bool,
    /// A test that takes another path than its own.
    wrong_test: Option<String>,
    explorer: Option<AnyExplorer<S>>,
    /// Expected number of paths of the next region.
    expected_next: Option<Expected>,
    events: Vec<Event<S>>,
    /// The explorer's counters already reported.
    reported: Counters,
    /// The space's counters already reported.
    reported_space: Stats,
    /// Counters of earlier explorers, and of silent ends, not yet reported.
    stats: Stats,
    /// The weights of all that ended, without those that the current explorer holds.
    measure: Weight,
}

impl<S: Recorded> Exploring<S> {
    /// Explores regions of `space` within `limits`.
    pub fn new(space: S, limits: Limits) -> Exploring<S> {
        let stop = space.stop_flag();
        Exploring {
            space,
            clock: Arc::new(SolverClock::new(stop)),
            limits,
            search: Search::default(),
            asking: Asking::default(),
            concolic: None,
            seeds: Vec::new(),
            memory: None,
            mutator: None,
            written_down: 0,
            self_check: false,
            wrong_test: None,
            explorer: None,
            expected_next: None,
            events: Vec::new(),
            reported: Counters::default(),
            reported_space: Stats::default(),
            stats: Stats::default(),
            measure: Weight::ZERO,
        }
    }

    /// Chooses states by `search`. Default is depth-first.
    pub fn searching(mut self, search: Search) -> Exploring<S> {
        self.search = search;
        self
    }

    /// Sets the feasibility policy.
    pub fn asking(mut self, asking: Asking) -> Exploring<S> {
        self.asking = asking;
        self
    }

    /// Explores by concrete runs, not by states that fork.
    pub fn concolic(mut self, how: Concrete) -> Exploring<S> {
        self.concolic = Some(how);
        self
    }

    /// Concrete runs of the whole program begin with these tests, which are in the order of their paths and take
    /// different ones.
    pub fn seeded(mut self, seeds: Vec<Test>) -> Exploring<S> {
        self.seeds = seeds;
        self
    }

    /// Gives this share of the work to executions of mutated tests; `seed` determines them. Default is none.
    pub fn mutating(mut self, share: Option<MutatedShare>, seed: u64) -> Exploring<S> {
        self.mutator = share.map(|share| Mutator::new(&mut self.space, share, seed));
        self
    }

    /// Lets the program's native executor choose the mutated tests that the engine executes.
    pub fn natively(mut self, program: Option<NativeProgram>) -> Exploring<S> {
        self.mutator = self.mutator.map(|mutator| mutator.natively(program));
        self
    }

    /// Limits the memory of states, in addition to the memory in use when the worker is set up; `held` returns the memory
    /// in use, in bytes. Default is no limit.
    pub fn within(mut self, bytes: u64, held: fn() -> u64) -> Exploring<S> {
        self.memory = Some((bytes, held));
        self
    }

    /// Begins `region`.
    fn begin(&mut self, region: Region, how: How, limits: Limits) {
        self.count();
        self.reported = Counters::default();
        self.clock.begin();
        self.mutator.iter_mut().for_each(Mutator::leaves_region);
        let mut experience = self.explorer.as_mut().map(AnyExplorer::take_experience).unwrap_or_default();
        experience.expected = self.expected_next.take();
        let trail = self.explorer.take().map(AnyExplorer::into_trail).unwrap_or_default();
        let space = &mut self.space;
        self.explorer = Some(match how {
            How::Items(how) => {
                let whole = region == Region { bound: region.bound, ..Region::whole() };
                let mut regions = if whole { Region::between(self.seeds.clone()) } else { vec![region] };
                // The first region precedes all seeds.
                regions.rotate_left(1);
                let concolic = Concolic::seeded(space, regions, limits, how, trail);
                AnyExplorer::Concolic(concolic.timed(self.clock.clone()))
            }
            How::States(strategy) => {
                let explorer = Explorer::on_trail(space, region, limits, strategy, trail);
                let explorer = explorer.asking(self.asking).experienced(experience);
                AnyExplorer::Symbolic(explorer.timed(self.clock.clone()))
            }
        });
    }

    /// Follows each test once more from the start if `check`; a test that takes another path is a failure, and so is a
    /// decision or an assumption on it that does not hold under the test.
    pub fn self_checking(mut self, check: bool) -> Exploring<S> {
        self.self_check = check;
        self
    }

    /// Follows the test of a path from the start.
    fn follow(&mut self, path: &PathRecord) {
        const FUEL: u64 = 1 << 20;
        self.stats.add(counters::SELF_CHECKED_TESTS, 1);
        let space = &mut self.space;
        let (witness, mut state) = (space.prepare(&path.test), space.root());
        space.watch(&witness);
        // A longer path is another one, perhaps without an end.
        let fuel = path.instructions.saturating_add(FUEL);
        walk(space, &mut state, &witness, fuel, |_, _| ControlFlow::<()>::Continue(()));
        let wrong = space.unwatch();
        let (digest, depth) = (space.digest(&state), space.depth(&state));
        if let Some(what) = wrong.first() {
            self.wrong_test.get_or_insert_with(|| {
                format!(
                    "the self-check found that under the test {} {what}; this is a bug of Cleave: please report it with \
                     the program",
                    path.test
                )
            });
        }
        if (digest, depth) != (path.digest, path.depth) {
            self.wrong_test.get_or_insert_with(|| {
                format!(
                    "the self-check found that the test {} takes the path {digest} of {depth} decisions, not its own, \
                     {} of {}; this is a bug of Cleave: please report it with the program",
                    path.test, path.digest, path.depth
                )
            });
        }
    }

    fn count(&mut self) {
        let Some(explorer) = &mut self.explorer else { return };
        self.measure += explorer.take_ended();
        let (now, before) = (explorer.counters(), self.reported);
        self.stats.add(counters::DECISIONS, now.decisions - before.decisions);
        self.stats.add(counters::QUESTIONS, now.questions - before.questions);
        self.stats.add(counters::QUESTIONS_FEASIBLE, now.feasible - before.feasible);
        self.stats.add(counters::QUESTIONS_INFEASIBLE, now.infeasible - before.infeasible);
        self.stats.add(counters::QUESTIONS_UNKNOWN, now.unknown - before.unknown);
        self.reported = now;
        let way = explorer.take_way_times();
        self.stats.add(counters::REPLAY_NANOS, way.nanos);
        self.stats.add(counters::REPLAYS, way.ways);
    }

    fn note(&mut self, event: Event<S>, found: &mut Found) {
        let stopped = self.clock.is_stopped();
        match event {
            Event::Path { end, state, witness, weight } => {
                let made_up = self.space.made_up(&state);
                let record = self.space.record(end, &state, &witness);
                if let Some(explorer) = &mut self.explorer {
                    explorer.recorded(&self.space);
                }
                match record {
                    // The cause may be that the solver was stopped: the path is followed to its end another time.
                    Some(record) if stopped && record.kind == PathKind::Unsupported => {
                        let region = Region::prefix(record.test, record.depth, Some(record.digest));
                        found.left_open.push(region);
                        return;
                    }
                    Some(record) => {
                        for place in &record.addresses {
                            self.stats.add(&format!("{ADDRESSES}{place}"), 1);
                        }
                        if self.self_check {
                            self.follow(&record);
                        }
                        let news = self.space.news(&state, &record.test);
                        if !news.is_empty() {
                            self.mutator.iter_mut().for_each(|mutator| mutator.offer(&record.test));
                            self.space.show(&news);
                            found.shows.push(Shows { path: found.paths.len() as u32, marks: news });
                        }
                        found.paths.push(record);
                    }
                    None => self.stats.add(counters::SILENT_PATHS, 1),
                }
                self.measure += weight;
                for what in made_up {
                    self.stats.add(&format!("{MADE_UP}{what}"), 1);
                }
            }
            // The solver was stopped before it answered.
            Event::Unknown { region, .. } if stopped => found.left_open.push(region),
            Event::Unknown { region, reason } => {
                found.set_aside.push(SetAside {
                    region: Encoded::new(&region),
                    aside: Aside::Unknown,
                    reason,
                });
            }
            Event::Cut { spins, region, limit } => {
                let reason = match limit {
                    Limit::Depth => "the limit on decisions is reached",
                    Limit::Bound => "the depth bound is used up",
                    Limit::Instructions => "the limit on a path's instructions is reached",
                };
                let reason = match spins {
                    Some((place, rounds)) => {
                        format!("{reason}, in {place}, after {}", rounds_in_words(rounds))
                    }
                    None => reason.to_string(),
                };
                found.set_aside.push(SetAside { region: Encoded::new(&region), aside: Aside::Cut, reason });
            }
            Event::Divergence { region, divergence } => {
                let message =
                    Message::new(format!("regions are set aside as diverged: {}", divergence.sentence()));
                // The remaining work may be many regions.
                if found.messages.last() != Some(&message) {
                    found.messages.push(message);
                }
                let reason = divergence.to_string();
                found.set_aside.push(SetAside {
                    region: Encoded::new(&region),
                    aside: Aside::Diverged,
                    reason,
                });
            }
        }
    }
}

impl<S: Recorded> Exploration for Exploring<S> {
    fn start(&mut self, region: Region) {
        let how = match self.concolic {
            Some(how) => How::Items(how),
            None => {
                let flow = if self.search.uses_coverage() { self.space.flow() } else { None };
                How::States(self.search.strategy(flow))
            }
        };
        self.begin(region, how, self.limits);
    }

    fn start_broad(&mut self, region: Region) {
        let how = match self.concolic {
            Some(how) => How::Items(Concrete { order: ItemOrder::Fifo, ..how }),
            None => How::States(Search::breadth_first().strategy(None)),
        };
        // Other workers wait for states, not for paths.
        self.begin(region, how, Limits { paced_from: 0, ..self.limits });
    }

    fn step(&mut self, fuel: u64, found: &mut Found) {
        let Some(explorer) = &mut self.explorer else { return };
        if let (Some(mutator), AnyExplorer::Symbolic(explorer)) = (&mut self.mutator, &mut *explorer) {
            mutator.turn(&mut self.space, explorer);
        }
        explorer.step(&mut self.space, fuel, &mut self.events);
        let paths = found.paths.len();
        if !self.events.is_empty() {
            let mut events = std::mem::take(&mut self.events);
            for event in events.drain(..) {
                self.note(event, found);
            }
            self.events = events;
            found.messages.append(&mut self.space.take_messages());
        }
        if let (Some(mutator), Some(AnyExplorer::Symbolic(explorer))) =
            (&mut self.mutator, &mut self.explorer)
        {
            mutator.stepped(explorer, found.paths.get(paths));
        }
    }

    fn is_done(&self) -> bool {
        self.explorer.as_ref().is_none_or(AnyExplorer::is_done)
    }

    fn waiting(&self) -> usize {
        self.explorer.as_ref().map_or(0, AnyExplorer::frontier)
    }

    fn pays_to_give(&self) -> bool {
        self.explorer.as_ref().is_none_or(|e| e.pays_to_give(&self.space))
    }

    fn give(&mut self, n: usize) -> Vec<Region> {
        self.explorer.as_mut().map_or_else(Vec::new, |e| e.give(&mut self.space, n))
    }

    fn expect(&mut self, expected: Option<Expected>) {
        self.expected_next = expected;
    }

    fn expected(&self) -> Option<Expected> {
        self.explorer.as_ref().map_or(Some(Expected::NONE), AnyExplorer::expected)
    }

    fn take_given(&mut self) -> Option<Expected> {
        self.explorer.as_mut().map_or(Some(Expected::NONE), AnyExplorer::take_given)
    }

    fn is_broad(&self) -> bool {
        self.explorer.as_ref().is_some_and(AnyExplorer::is_broad)
    }

    fn spill(&mut self, n: usize) -> Vec<Region> {
        self.explorer.as_mut().map_or_else(Vec::new, |e| e.spill(&mut self.space, n))
    }

    fn memory_limit(&self) -> Option<u64> {
        self.memory.map(|(limit, _)| limit)
    }

    fn memory_in_use(&self) -> u64 {
        self.memory.map_or(0, |(_, held)| held())
    }

    fn crowded(&mut self) -> bool {
        let now = self.explorer.as_ref().map_or(0, |e| e.counters().written_down);
        let before = std::mem::replace(&mut self.written_down, now);
        now > before
    }

    fn still_running(&self) -> Vec<Message> {
        let mut loops: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let mut see = |state: &S::State| {
            if let Some((place, rounds)) =
                self.space.spinning(state).filter(|(_, rounds)| *rounds >= MANY_ROUNDS)
            {
                let (paths, most) = loops.entry(place).or_default();
                (*paths, *most) = (*paths + 1, rounds.max(*most));
            }
        };
        self.explorer.iter().for_each(|explorer| explorer.each_state(&mut see));
        let text = |(place, (paths, most)): (String, (u64, u64))| {
            let (who, each) = if paths == 1 {
                ("1 path was".to_string(), "")
            } else {
                (format!("{paths} paths were"), " on the longest")
            };
            Message::new(format!("{who} still running: {} of {place}{each}", rounds_in_words(most)))
        };
        loops.into_iter().map(text).collect()
    }

    fn remaining(&mut self) -> Vec<Region> {
        self.explorer.as_mut().map_or_else(Vec::new, |e| e.remaining(&mut self.space))
    }

    fn take_stats(&mut self) -> Stats {
        self.count();
        let mut stats = std::mem::take(&mut self.stats);
        stats.add(counters::SOLVER_NANOS, self.clock.take());
        if let Some(mutator) = &mut self.mutator {
            let Mutations { followed, elsewhere, unfinished, disagree, native } = mutator.take_counts();
            stats.add(counters::NATIVE_EXECUTIONS, native);
            stats.add(counters::EXECUTIONS_FOLLOWED, followed);
            stats.add(counters::EXECUTIONS_ELSEWHERE, elsewhere);
            stats.add(counters::EXECUTIONS_UNFINISHED, unfinished);
            stats.add(counters::EXECUTIONS_DISAGREE, disagree);
        }
        let total = self.space.total_stats();
        stats.merge(&total.since(&self.reported_space));
        self.reported_space = total;
        for (what, n) in cleave_never::take() {
            stats.add(&format!("{INTERNAL}{what}"), n);
        }
        stats
    }

    fn take_measure(&mut self) -> Option<Weight> {
        self.count();
        Some(std::mem::take(&mut self.measure))
    }

    fn failure(&mut self) -> Option<String> {
        self.space.failure().or_else(|| self.wrong_test.clone())
    }

    fn clock(&self) -> Option<Arc<SolverClock>> {
        Some(self.clock.clone())
    }
}

//! Symbolic exploration of a region by forking states: [`Explorer`]. Workers step it until it is done, and may take regions from
//! it between two steps. Its paths, the regions given away and the remaining regions together are the region.

pub(crate) mod pursuing; // Tests that a mutator found, followed by the state on their way.
pub(crate) mod speculation; // Sides taken unchecked, then one query for the segment (S2PF 2012).
mod stepping; // Steps: states run to their next decision, which is decided.

use std::sync::Arc;

use cleave_region::{Expected, Region, Weight};

use crate::clock::{SolverClock, WayTimes};
use crate::estimate::Experience;
use crate::event::{Event, Limits};
use crate::feasibility::{Asking, Feasibility};
use crate::meter::{Counters, Meter};
use crate::paths::checkpoints::Trail;
use crate::space::Space;
use crate::states::entries::Given;
use crate::states::frontier::Frontier;
use crate::strategies::Search;
use crate::strategy::{DECISION, Strategy};
use speculation::Segment;

/// Maximum work that is repeated on the ways back to states, for each unit of other work.
const REPEATED: u64 = 4;

/// Explores one region of a [`Space`].
pub struct Explorer<S: Space> {
    frontier: Frontier<S>,
    /// Speculative segment. Its first state stays in the frontier.
    segment: Option<Segment<S>>,
    trail: Trail<S>,
    limits: Limits,
    asking: Asking,
    meter: Meter,
    /// True if a path was finished since the space was renewed: otherwise renewing again makes no progress.
    progressed: bool,
    /// Decisions on the ways to regions, and all others up to the last time that the space was renewed.
    repeated: u64,
    renewed_at: u64,
    /// Expected number of paths in all work given away since the last call of `take_given`.
    given: Option<Expected>,
    /// The weights of all that ended without a reported path since the last call of `take_ended`. Weights known to the frontier
    /// are not included.
    ended: Weight,
    /// Work of the space reported to the frontier so far.
    told: u64,
    /// Counted work, in instructions: all, that at the last call of `take_work`, and that when states were given away the last time or
    /// the way to a region ended.
    worked: u64,
    taken: u64,
    gave_at: u64,
}

impl<S: Space> Explorer<S> {
    /// A depth-first exploration of `region`.
    pub fn new(space: &mut S, region: Region, limits: Limits) -> Explorer<S> {
        Explorer::with_strategy(space, region, limits, Search::default().strategy(None))
    }

    /// An exploration of `region` in which `strategy` chooses the next state.
    pub fn with_strategy(
        space: &mut S,
        region: Region,
        limits: Limits,
        strategy: Box<dyn Strategy>,
    ) -> Explorer<S> {
        Explorer::on_trail(space, region, limits, strategy, Trail::default())
    }

    /// As [`Explorer::with_strategy`]; the region begins at a state of `trail` if one is on the way to it. The
    /// states belong to `space`, which was not renewed since.
    pub fn on_trail(
        space: &mut S,
        region: Region,
        limits: Limits,
        strategy: Box<dyn Strategy>,
        mut trail: Trail<S>,
    ) -> Explorer<S> {
        let mut meter = Meter::default();
        meter.way.begin(&region);
        let hi = region.hi.clone();
        let first = trail.begin(space, region);
        let frontier = Frontier::new(space, hi, (strategy, &limits), first);
        let asking = Asking::default();
        Explorer {
            frontier,
            segment: None,
            trail,
            limits,
            asking,
            meter,
            progressed: false,
            repeated: 0,
            renewed_at: 0,
            given: Some(Expected::NONE),
            ended: Weight::ZERO,
            told: 0,
            worked: 0,
            taken: 0,
            gave_at: 0,
        }
    }

    /// Sets the feasibility policy. To be called before the first step.
    pub fn asking(mut self, asking: Asking) -> Explorer<S> {
        self.asking = asking;
        if matches!(asking.feasibility, Feasibility::Speculative { .. }) {
            self.frontier.unbounded();
        }
        self
    }

    /// Has `clock` measure the queries.
    pub fn timed(mut self, clock: Arc<SolverClock>) -> Explorer<S> {
        self.meter.clock = clock;
        self
    }

    /// The states kept on the way to this region and those before it: for the next one.
    pub fn into_trail(self) -> Trail<S> {
        self.trail
    }

    /// Bases estimates on the learned ratios and on the expectation of this region. To be called before the first step.
    pub fn experienced(mut self, experience: Experience) -> Explorer<S> {
        self.frontier.experienced(experience);
        self
    }

    /// Takes the learned ratios for the next region. To be called after the last step.
    pub fn take_experience(&mut self) -> Experience {
        self.frontier.take_experience()
    }

    /// Expected number of paths in the remaining work; `None` if unknown.
    pub fn expected(&self) -> Option<Expected> {
        self.frontier.expected()
    }

    /// Expected number of paths in all work given away since the last call; `None` if unknown.
    pub fn take_given(&mut self) -> Option<Expected> {
        self.given.replace(Expected::NONE)
    }

    fn gave(&mut self, (regions, expected): Given) -> Vec<Region> {
        self.given = self.given.zip(expected).map(|(sum, own)| sum + own);
        regions
    }

    /// True if the region is explored.
    pub fn is_done(&self) -> bool {
        self.frontier() == 0
    }

    /// Number of waiting states.
    pub fn frontier(&self) -> usize {
        self.frontier.count()
    }

    /// True if a strategy chooses among states, so that no single state is worth as much as all others.
    pub fn is_broad(&self) -> bool {
        self.frontier.is_broad()
    }

    /// The counters so far.
    pub fn counters(&self) -> Counters {
        self.meter.counters
    }

    /// The weights of all that ended since the last call and is not part of the remaining work, except those of paths, which
    /// are reported with these: infeasible sides, and assumptions that no input satisfies. To be called between
    /// two steps.
    pub fn take_ended(&mut self) -> Weight {
        std::mem::take(&mut self.ended) + self.frontier.take_refuted()
    }

    /// Time spent on the way to the region, once it is entered; nothing at the next call.
    pub fn take_way_times(&mut self) -> WayTimes {
        self.meter.way.take()
    }

    /// Notes that a path of the last step was recorded. Work of the space for the record counts for the path.
    pub fn recorded(&mut self, space: &S) {
        let now = space.work();
        self.worked += now.saturating_sub(self.told);
        self.frontier.has_recorded(now.saturating_sub(self.told));
        self.told = now;
    }

    /// Tells the frontier of the space's work for the state at hand, which still exists.
    fn tell_work(&mut self, space: &S) {
        let now = space.work();
        self.worked += now.saturating_sub(self.told);
        self.frontier.has_asked(now.saturating_sub(self.told));
        self.told = now;
    }

    /// Ends the path to `state` at an assumption that no input of the path satisfies. The true side belongs to this exploration's
    /// region, so no other exploration reports the path.
    pub(crate) fn assumed_away(
        &mut self,
        space: &S,
        (state, witness, weight): (S::State, S::Witness, Weight),
        events: &mut Vec<Event<S>>,
    ) {
        self.meter.counters.assumed_away += 1;
        match space.assumed_away(&state) {
            Some(end) => {
                self.progressed = true;
                events.push(Event::Path { end, state, witness, weight });
            }
            None => self.ended += weight,
        }
    }

    /// Shows the waiting states to `see`.
    pub fn each_state(&self, see: &mut dyn FnMut(&S::State)) {
        if let Some(segment) = &self.segment {
            see(segment.state());
        }
        self.frontier.each_state(see);
    }

    /// The remaining work, as regions: depth-first one, from the next state's start to the region's end; otherwise one
    /// for each waiting state, in the order of paths.
    pub fn remaining(&self, space: &mut S) -> Vec<Region> {
        self.frontier.remaining(space)
    }

    /// False if the way back to the shallowest state, which another worker would go first, takes much more work than was done here
    /// since states were given away the last time: deep paths with short sides would be replayed most of the time.
    pub fn pays_to_give(&self, space: &S) -> bool {
        let way = self.frontier.shallowest(space).saturating_mul(DECISION);
        way <= (self.worked - self.gave_at).saturating_mul(REPEATED)
    }

    /// Gives away up to `n` states, but keeps at least [`Limits::keep`]. The shallowest go first. Depth-first these
    /// are the last in the order of paths, and this exploration's region then ends where they begin.
    pub fn give(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        let n = n.min(self.frontier().saturating_sub(self.limits.keep.max(1)));
        let given = self.frontier.give(space, n);
        self.gave_at = self.worked;
        self.give_up();
        self.gave(given)
    }

    /// Gives away up to `n` states, but never all, to make room: those of least worth to the strategy.
    pub fn spill(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        self.trail.clear();
        let n = n.min(self.frontier().saturating_sub(1));
        let spilled = self.frontier.spill(space, n);
        self.give_up();
        self.gave(spilled)
    }

    /// Drops a segment whose first state was given away.
    fn give_up(&mut self) {
        if !self.frontier.holds() {
            self.segment = None;
        }
    }
}

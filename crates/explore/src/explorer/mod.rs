//! Symbolic exploration of a region by forking states: [`Explorer`]. Workers step it until it is done, and may take regions from
//! it between two steps. Its paths, the regions given away and the remaining regions together are the region.

pub(crate) mod pursuing; // Tests that a mutator found, followed by the state on their way.
pub(crate) mod speculation; // Sides taken unchecked, then one query for the segment (S2PF 2012).

use std::sync::Arc;

use cleave_region::{Expected, Region, Weight};

use crate::clock::{SolverClock, WayTimes};
use crate::estimate::Experience;
use crate::event::{Event, Limit, Limits};
use crate::feasibility::{Asking, Feasibility};
use crate::meter::{Counters, Meter};
use crate::paths::checkpoints::Trail;
use crate::paths::crossing::Crossing;
use crate::paths::divergence::Divergence;
use crate::space::{Answer, Space};
use crate::states::entries::{Given, Unasked, Waiting};
use crate::states::frontier::{AtHand, Frontier};
use crate::states::node::{Diverged, Node, Ran};
use crate::strategies::Search;
use crate::strategy::{DECISION, Strategy};
use speculation::Segment;

/// Branch status: knowledge about a side of a decision.
enum Known<W> {
    /// The side lies outside of the region, or violates an assumption and is no path.
    Closed,
    /// No input takes it.
    Refuted,
    Open(W),
    /// The side waits unchecked.
    Later,
    /// The solver did not decide if it has paths.
    Unknown(Region, String),
}

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

    /// Continues one state for about `fuel` instructions, or until its next decision or its end.
    pub fn step(&mut self, space: &mut S, fuel: u64, events: &mut Vec<Event<S>>) {
        if self.progressed && space.is_full() && self.pays_to_renew() {
            self.renew(space);
        }
        self.told = space.work();
        let before = events.len();
        if let Some(segment) = self.segment.take() {
            self.speculate(space, segment, fuel, events);
        } else if let Some((at_hand, waiting)) = self.frontier.take(space) {
            self.go_on(space, at_hand, waiting, fuel, events);
        }
        if events.len() > before {
            let paths = events[before..].iter().filter(|event| matches!(event, Event::Path { .. }));
            self.frontier.found(paths.count() as u64);
        }
        if !events.is_empty() || self.is_done() {
            self.meter.way.arrived();
        }
    }

    /// Continues with a taken entry.
    fn go_on(
        &mut self,
        space: &mut S,
        at_hand: AtHand,
        waiting: Waiting<S>,
        fuel: u64,
        events: &mut Vec<Event<S>>,
    ) {
        match waiting {
            Waiting::Node(node) => self.run(space, at_hand, node, fuel, events),
            Waiting::Unknown { region, reason } => {
                self.frontier.end(at_hand);
                events.push(Event::Unknown { region, reason });
            }
            Waiting::Written(region) => match self.trail.begin(space, region) {
                Some(node) => self.run(space, at_hand, node, fuel, events),
                None => self.frontier.end(at_hand),
            },
            Waiting::Unasked(unasked)
                if matches!(self.asking.feasibility, Feasibility::Speculative { .. }) =>
            {
                self.ahead_on(space, at_hand, unasked, fuel, events);
            }
            Waiting::Unasked(unasked) => {
                let answer = self.answer(space, &unasked);
                self.tell_work(space);
                let Some(answer) = answer else { return self.frontier.put_off(at_hand, space, unasked) };
                match self.asked(space, unasked, answer, events) {
                    Some(node) => self.run(space, at_hand, node, fuel, events),
                    None => self.frontier.end(at_hand),
                }
            }
        }
    }

    /// Runs a state.
    fn run(
        &mut self,
        space: &mut S,
        at_hand: AtHand,
        mut node: Node<S>,
        fuel: u64,
        events: &mut Vec<Event<S>>,
    ) {
        let before = space.instructions(&node.state);
        let ran = node.run(space, fuel, &self.limits);
        let ran_for = space.instructions(&node.state).saturating_sub(before);
        self.worked += ran_for + DECISION;
        self.frontier.has_run(space, ran_for);
        self.tell_work(space);
        match ran {
            Ran::Paused => self.frontier.pauses(at_hand, space, node),
            Ran::TooLong => {
                self.frontier.end(at_hand);
                let (spins, region) = (space.spinning(&node.state), node.export(space));
                events.push(Event::Cut { spins, region, limit: Limit::Instructions });
            }
            Ran::Ended(end) => match node.settle(space, true) {
                Ok(inside) => {
                    self.frontier.end(at_hand);
                    if inside {
                        self.progressed = true;
                        let Node { state, witness, weight, .. } = node;
                        events.push(Event::Path { end, state, witness, weight });
                    }
                }
                Err(Diverged(cut)) => {
                    let divergence = Divergence::new(space, &node.state, cut);
                    self.frontier.give_back(at_hand, space, node);
                    self.diverge(space, divergence, events);
                }
            },
            Ran::Decision(cond, assume) if self.goes_ahead(space, &node) => {
                self.ahead_of(space, at_hand, node, cond, assume, events);
            }
            Ran::Decision(cond, assume) => self.decide(space, at_hand, node, cond, assume, events),
        }
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

    /// Decisions that are not on the way to a region.
    fn own_decisions(&self) -> u64 {
        self.meter.counters.decisions - self.repeated
    }

    /// False if most of what fills the space belongs to one path: all of it would be back when a state there goes on.
    fn pays_to_renew(&self) -> bool {
        let since = self.own_decisions() - self.renewed_at;
        2 * u64::from(self.frontier.deepest()) <= since
    }

    /// Suspends the remaining work as regions, renews the space, and continues with the regions.
    fn renew(&mut self, space: &mut S) {
        self.progressed = false;
        self.renewed_at = self.own_decisions();
        self.segment = None;
        self.trail.clear();
        let many = self.frontier.write_down(space);
        space.renew();
        self.meter.counters.written_down += u64::from(many);
    }

    /// Sets aside the region being followed, after its cut has turned out to be made with other decisions.
    fn diverge(&mut self, space: &mut S, divergence: Divergence, events: &mut Vec<Event<S>>) {
        let divergence = Arc::new(divergence);
        let event = |region| Event::Divergence { region, divergence: divergence.clone() };
        events.extend(self.frontier.diverged(space).into_iter().map(event));
    }

    /// Replaces the node by the sides of its decision.
    fn decide(
        &mut self,
        space: &mut S,
        at_hand: AtHand,
        node: Node<S>,
        cond: S::Cond,
        assume: bool,
        events: &mut Vec<Event<S>>,
    ) {
        self.meter.counters.decisions += 1;
        if !node.is_free(space) {
            self.repeated += 1;
            self.gave_at = self.worked;
        }
        let crossing = Crossing::of(space, &node, cond, assume, &mut self.trail);
        if node.is_too_deep(space, &self.limits) {
            let (spins, region) = (space.spinning(&node.state), node.export(space));
            events.push(Event::Cut { spins, region, limit: Limit::Depth });
            self.fork(space, at_hand, ([None, None], true), events);
            return;
        }
        if let Some(divergence) = crossing.excluded(space, &node) {
            // The node stays, to be exported with the remaining work.
            self.frontier.give_back(at_hand, space, node);
            return self.diverge(space, divergence, events);
        }
        let own_side = space.decides(&crossing.cond, &node.witness);
        let known = [false, true].map(|side| self.known(space, &crossing, &node, side, own_side));
        self.tell_work(space);
        for side in [false, true] {
            if !matches!(known[usize::from(side)], Known::Refuted) {
                continue;
            }
            if assume {
                let (state, witness) = (node.state.clone(), node.witness.clone());
                self.assumed_away(space, (state, witness, node.weight), events);
            } else {
                let weight = node.weight.of_side(space.digest(&node.state), side);
                self.frontier.refuted(side, weight);
            }
        }
        let (sides, diverged) = self.sides(space, &crossing, node, known);
        self.tell_work(space);
        self.fork(space, at_hand, (sides, own_side), events);
        if let Some(divergence) = diverged {
            self.diverge(space, divergence, events);
        }
    }

    fn fork(
        &mut self,
        space: &S,
        at_hand: AtHand,
        (sides, own_side): ([Option<Waiting<S>>; 2], bool),
        events: &mut Vec<Event<S>>,
    ) {
        self.progressed |= self.frontier.fork(at_hand, space, sides, own_side, events);
    }

    /// The branch status of a side of a decision, before any side is taken.
    fn known(
        &mut self,
        space: &mut S,
        crossing: &Crossing<S::Cond>,
        node: &Node<S>,
        side: bool,
        own_side: bool,
    ) -> Known<S::Witness> {
        let eager = self.asking.feasibility == Feasibility::Eager;
        // An unchecked side is always the one opposite to a witness.
        // A state that follows a test keeps it as its witness.
        let asks_all = eager && !self.asking.witnesses && !self.frontier.is_pursuing();
        match (crossing.lower(node, side), crossing.upper(node, side)) {
            _ if !crossing.is_open(side) => Known::Closed,
            // A region's lower end is followed by its own test.
            (Some(lo), _) => Known::Open(lo.witness.clone()),
            _ if own_side == side && !asks_all => Known::Open(node.witness.clone()),
            (None, Some(hi)) => Known::Open(hi.witness.clone()),
            (None, None) if eager => self.asked_side(space, node, &crossing.cond, side, own_side),
            (None, None) => Known::Later,
        }
    }

    /// The waiting sides of a decision, the false one first, and the divergence of a cut, if there is one.
    fn sides(
        &mut self,
        space: &mut S,
        crossing: &Crossing<S::Cond>,
        mut node: Node<S>,
        mut known: [Known<S::Witness>; 2],
    ) -> ([Option<Waiting<S>>; 2], Option<Divergence>) {
        let both = known.iter().all(|k| matches!(k, Known::Open(_)));
        // The side opposite to an unchecked one is always open.
        let later = known.iter().any(|k| matches!(k, Known::Later));
        if both || later {
            space.share(&mut node.state);
        }
        let mut at_fork = later.then(|| (node.state.clone(), node.witness.clone(), node.weight));
        let mut rest = Some(node);
        let mut diverged = None;
        let mut sides = [None, None];
        for side in [false, true] {
            let waits = &mut sides[usize::from(side)];
            match std::mem::replace(&mut known[usize::from(side)], Known::Closed) {
                Known::Closed | Known::Refuted => {}
                Known::Later => {
                    *waits = at_fork.take().map(|(state, witness, weight)| {
                        let (cond, assume) = (crossing.cond.clone(), crossing.assume);
                        Waiting::Unasked(Unasked { state, witness, cond, side, assume, weight })
                    });
                }
                Known::Unknown(region, reason) => *waits = Some(Waiting::Unknown { region, reason }),
                Known::Open(witness) => {
                    let from = if both && !side { rest.clone() } else { rest.take() };
                    let Some(mut child) = from else { continue };
                    child.witness = witness;
                    let inside = crossing.cross(space, &mut child, side);
                    self.meter.way.passed(space.depth(&child.state));
                    match inside {
                        Ok(false) => continue,
                        Ok(true) => {}
                        // It is exported with the remaining work.
                        Err(Diverged(cut)) => diverged = Some(Divergence::new(space, &child.state, cut)),
                    }
                    *waits = Some(Waiting::Node(child));
                }
            }
        }
        (sides, diverged)
    }

    /// Queries a side of a decision at once and returns its branch status.
    fn asked_side(
        &mut self,
        space: &mut S,
        node: &Node<S>,
        cond: &S::Cond,
        side: bool,
        own_side: bool,
    ) -> Known<S::Witness> {
        match self.meter.ask(space, &node.state, cond, side, &node.witness) {
            Answer::Feasible(w) => Known::Open(w),
            Answer::Infeasible => Known::Refuted,
            Answer::Unknown(_) if side == own_side => Known::Open(node.witness.clone()),
            Answer::Unknown(reason) => {
                let (state, witness, weight) = (node.state.clone(), node.witness.clone(), node.weight);
                let unasked =
                    Unasked::<S> { state, witness, cond: cond.clone(), side, assume: false, weight };
                Known::Unknown(unasked.export(space), reason)
            }
        }
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

    /// Queries an unchecked side when its turn comes; `None` if that takes long and can wait.
    fn answer(&mut self, space: &mut S, unasked: &Unasked<S>) -> Option<Answer<S::Witness>> {
        let Unasked { state, cond, side, witness, .. } = unasked;
        match self.frontier.can_wait() {
            Some(hurry) => self.meter.ask_first(space, state, (cond, *side), witness, hurry),
            None => Some(self.meter.ask(space, state, cond, *side, witness)),
        }
    }

    /// Handles the answer for an unchecked side.
    fn asked(
        &mut self,
        space: &mut S,
        unasked: Unasked<S>,
        answer: Answer<S::Witness>,
        events: &mut Vec<Event<S>>,
    ) -> Option<Node<S>> {
        self.progressed |= self.frontier.is_broad();
        let witness = match answer {
            Answer::Feasible(witness) => witness,
            Answer::Infeasible => {
                if unasked.assume {
                    let Unasked { state, witness, weight, .. } = unasked;
                    self.assumed_away(space, (state, witness, weight), events);
                } else {
                    self.ended += unasked.weight_of_side(space);
                }
                return None;
            }
            Answer::Unknown(reason) => {
                events.push(Event::Unknown { region: unasked.export(space), reason });
                return None;
            }
        };
        let weight = unasked.weight_of_side(space);
        let mut state = unasked.state;
        space.take(&mut state, &unasked.cond, unasked.side);
        Some(Node::free(state, witness, weight))
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

//! Exploration of a region.

use std::rc::Rc;
use std::sync::Arc;

use cleave_region::Region;

use crate::asking::{Asking, Feasibility};
use crate::chosen::Chosen;
use crate::counters::Counters;
use crate::divergence::Divergence;
use crate::node::{Bound, Diverged, Node};
use crate::space::{Answer, Outcome, Space};
use crate::speculation::Segment;
use crate::strategies::Search;
use crate::strategy::Strategy;
use crate::trail::Trail;
use crate::waiting::{Unasked, Waiting};

/// Bounds of an exploration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// A state with this many decisions behind it is set aside.
    pub max_depth: Option<u32>,
    /// A state with so many instructions behind it is set aside: its path may have no end.
    pub max_instructions: Option<u64>,
    /// So many states are kept when others are given away; at least one is.
    pub keep: usize,
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::max_depth`].
    Depth,
    /// [`Limits::max_instructions`].
    Instructions,
    /// [`Concrete::bound`](crate::Concrete::bound).
    Bound,
}

/// What an exploration reports.
pub enum Event<S: Space> {
    /// A finished path.
    Path {
        /// What it says.
        end: S::End,
        /// Its state at the end.
        state: S::State,
        /// A witness that takes it.
        witness: S::Witness,
    },
    /// A region set aside because nobody knows whether it has paths.
    Unknown {
        /// The region.
        region: Region,
        /// Why.
        reason: String,
    },
    /// A region set aside because of a limit.
    Cut {
        /// The region.
        region: Region,
        /// The limit.
        limit: Limit,
    },
    /// A cut's test took other decisions than those it was made with. What was left of its region is not explored.
    Divergence {
        /// What was left.
        region: Region,
        /// The cut, and what was found.
        divergence: Arc<Divergence>,
    },
}

/// What waits, and how it is kept.
pub(crate) enum Frontier<S: Space> {
    /// Depth-first: in falling order of paths. The next state is the last, and what is deeper is later. All that
    /// was finished comes before all that waits, so that what is left is one region.
    Stack(Vec<Waiting<S>>),
    /// As a strategy chooses.
    Chosen(Box<Chosen<S>>),
}

/// What is known of a side of a decision.
enum Known<W> {
    /// It is outside of the region, or no path.
    Closed,
    Open(W),
    /// It waits until somebody asks.
    Later,
    /// Nobody knows whether it has paths.
    Unknown(Region, String),
}

/// Explores one region of a [`Space`].
pub struct Explorer<S: Space> {
    /// What it was given, without what was given away since.
    region: Region,
    pub(crate) frontier: Frontier<S>,
    /// What runs ahead of what is known. What it began with is at hand in the frontier.
    pub(crate) segment: Option<Segment<S>>,
    trail: Trail<S>,
    pub(crate) limits: Limits,
    pub(crate) asking: Asking,
    pub(crate) counters: Counters,
    /// Whether a path was finished since the space was renewed: without that, renewing again leads nowhere.
    pub(crate) progressed: bool,
}

impl<S: Space> Explorer<S> {
    /// A depth-first exploration of `region`.
    pub fn new(space: &mut S, region: Region, limits: Limits) -> Explorer<S> {
        Explorer::with_strategy(space, region, limits, Search::default().strategy(None))
    }

    /// An exploration of `region` that chooses its next state as `strategy` says.
    pub fn with_strategy(
        space: &mut S,
        region: Region,
        limits: Limits,
        strategy: Box<dyn Strategy>,
    ) -> Explorer<S> {
        Explorer::on_trail(space, region, limits, strategy, Trail::default())
    }

    /// As [`Explorer::with_strategy`]; the region is begun at a state of `trail` if one is on the way to it. The
    /// states are of `space`, which was not renewed since.
    pub fn on_trail(
        space: &mut S,
        region: Region,
        limits: Limits,
        strategy: Box<dyn Strategy>,
        trail: Trail<S>,
    ) -> Explorer<S> {
        let frontier = if strategy.in_order() {
            Frontier::Stack(Vec::new())
        } else {
            Frontier::Chosen(Box::new(Chosen::new(space, strategy)))
        };
        let mut explorer = Explorer {
            region: region.clone(),
            frontier,
            segment: None,
            trail,
            limits,
            asking: Asking::default(),
            counters: Counters::default(),
            progressed: false,
        };
        if let Some(root) = follow(space, region, &mut explorer.trail) {
            match &mut explorer.frontier {
                Frontier::Stack(stack) => stack.push(Waiting::Node(root)),
                Frontier::Chosen(chosen) => chosen.plant(space, root),
            }
        }
        explorer
    }

    /// Asks as `asking` says. To be called before the first step.
    pub fn asking(mut self, asking: Asking) -> Explorer<S> {
        self.asking = asking;
        self
    }

    /// The states kept on the way to this region and those before it: for the next one.
    pub fn into_trail(self) -> Trail<S> {
        self.trail
    }

    /// Whether the region is explored.
    pub fn is_done(&self) -> bool {
        self.frontier() == 0
    }

    /// How many states wait.
    pub fn frontier(&self) -> usize {
        match &self.frontier {
            Frontier::Stack(stack) => stack.len(),
            Frontier::Chosen(chosen) => chosen.count(),
        }
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Goes on with one state for about `fuel` instructions, or until its next decision or its end.
    pub fn step(&mut self, space: &mut S, fuel: u64, events: &mut Vec<Event<S>>) {
        if self.progressed && space.is_full() {
            self.renew(space);
        }
        if let Some(segment) = self.segment.take() {
            return self.speculate(space, segment, fuel, events);
        }
        let next = match &mut self.frontier {
            Frontier::Stack(stack) => stack.pop(),
            Frontier::Chosen(chosen) => chosen.take(),
        };
        let mut node = match next {
            None => return,
            Some(Waiting::Node(node)) => node,
            Some(Waiting::Unknown { region, reason }) => {
                self.ended();
                events.push(Event::Unknown { region, reason });
                return;
            }
            Some(Waiting::Written(region)) => match follow(space, region, &mut self.trail) {
                Some(node) => node,
                None => return self.ended(),
            },
            Some(Waiting::Unasked(unasked))
                if matches!(self.asking.feasibility, Feasibility::Speculative { .. }) =>
            {
                return self.ahead_on(space, unasked, fuel, events);
            }
            Some(Waiting::Unasked(unasked)) => match self.asked(space, unasked, events) {
                Some(node) => node,
                None => return,
            },
        };
        let limit = self.limits.max_instructions.filter(|_| self.is_free(space, &node));
        // Exactly up to the limit, so that it is reached at the same place whatever the fuel is.
        let left = limit.map(|limit| limit.saturating_sub(space.instructions(&node.state)));
        let outcome = if left == Some(0) {
            Outcome::OutOfFuel
        } else {
            space.run(&mut node.state, &node.witness, left.unwrap_or(fuel).min(fuel))
        };
        if let Frontier::Chosen(chosen) = &mut self.frontier {
            chosen.has_run(space);
        }
        match outcome {
            Outcome::OutOfFuel if limit.is_some_and(|n| space.instructions(&node.state) >= n) => {
                let region = node.export(space);
                self.ended();
                events.push(Event::Cut { region, limit: Limit::Instructions });
            }
            Outcome::OutOfFuel => self.put_back(space, node),
            Outcome::Ended(end) => match node.settle(space, true) {
                Ok(inside) => {
                    self.ended();
                    if inside {
                        self.progressed = true;
                        events.push(Event::Path { end, state: node.state, witness: node.witness });
                    }
                }
                Err(Diverged(cut)) => {
                    let divergence = Divergence::new(space, &node.state, cut);
                    self.put_back(space, node);
                    self.diverge(space, divergence, events);
                }
            },
            Outcome::Decision { cond, assume } if self.goes_ahead(space, &node) => {
                self.ahead_of(space, node, cond, assume, events);
            }
            Outcome::Decision { cond, assume } => {
                let diverged = self.decide(space, node, cond, assume, events);
                if let Frontier::Chosen(chosen) = &mut self.frontier {
                    self.progressed |= !chosen.is_following();
                    chosen.forked(space);
                }
                if let Some(divergence) = diverged {
                    self.diverge(space, divergence, events);
                }
            }
        }
    }

    /// The state at hand waits again.
    pub(crate) fn put_back(&mut self, space: &S, node: Node<S>) {
        match &mut self.frontier {
            Frontier::Stack(stack) => stack.push(Waiting::Node(node)),
            Frontier::Chosen(chosen) => chosen.put_back(space, Waiting::Node(node)),
        }
    }

    /// The state at hand is no more.
    fn ended(&mut self) {
        if let Frontier::Chosen(chosen) = &mut self.frontier {
            chosen.ended();
        }
    }

    /// Writes down what is left, and goes on with that in a space that has forgotten everything. Depth-first that
    /// is one region; otherwise each state is followed again when it is chosen, so that each costs memory only
    /// from then on.
    fn renew(&mut self, space: &mut S) {
        self.progressed = false;
        self.segment = None;
        self.trail.clear();
        match &mut self.frontier {
            Frontier::Stack(stack) => {
                let next = stack.last().map(|next| next.start(space));
                stack.clear();
                space.renew();
                let Some(lo) = next else { return };
                self.region.lo = lo;
                stack.extend(follow(space, self.region.clone(), &mut self.trail).map(Waiting::Node));
            }
            Frontier::Chosen(chosen) => {
                chosen.write_down(space);
                space.renew();
                self.counters.written_down += 1;
            }
        }
    }

    /// Sets aside the region that is followed, where that shows that it is not the one it was made as.
    fn diverge(&mut self, space: &mut S, divergence: Divergence, events: &mut Vec<Event<S>>) {
        let regions = match &mut self.frontier {
            Frontier::Chosen(chosen) => chosen.diverged(space),
            Frontier::Stack(_) => {
                let regions = self.remaining(space);
                self.frontier = Frontier::Stack(Vec::new());
                regions
            }
        };
        let divergence = Arc::new(divergence);
        let event = |region| Event::Divergence { region, divergence: divergence.clone() };
        events.extend(regions.into_iter().map(event));
    }

    /// Both sides of a decision take the place of the node. Returns what shows a cut to be wrong, if one is.
    fn decide(
        &mut self,
        space: &mut S,
        node: Node<S>,
        cond: S::Cond,
        assume: bool,
        events: &mut Vec<Event<S>>,
    ) -> Option<Divergence> {
        self.counters.decisions += 1;
        if (node.lo.is_some() && node.hi.is_some()) || space.depth(&node.state) == 0 {
            self.trail.pass(space, &node.state);
        }
        if self.limits.max_depth.is_some_and(|d| space.depth(&node.state) >= d) && self.is_free(space, &node)
        {
            let region = node.export(space);
            events.push(Event::Cut { region, limit: Limit::Depth });
            return None;
        }
        // Where the cuts' tests go, and which sides they leave open.
        let lo_side = node.lo.as_ref().map(|b| space.decides(&cond, &b.witness));
        let hi_side = node.hi.as_ref().map(|b| space.decides(&cond, &b.witness));
        let open = |side| if side { lo_side != Some(false) } else { hi_side != Some(true) && !assume };
        if assume && let Some(divergence) = excluded(space, &node, &cond, [lo_side, hi_side]) {
            // The node stays, to be written down with what is left.
            match &mut self.frontier {
                Frontier::Stack(stack) => stack.push(Waiting::Node(node)),
                Frontier::Chosen(chosen) => chosen.side(true, Waiting::Node(node)),
            }
            return Some(divergence);
        }
        let own_side = space.decides(&cond, &node.witness);
        let eager = self.asking.feasibility == Feasibility::Eager;
        // What waits unasked is beside what a witness takes.
        let asks_all = eager && !self.asking.witnesses;
        let mut known = [false, true].map(|side| {
            let of_lo = node.lo.as_ref().filter(|_| lo_side == Some(side));
            let of_hi = node.hi.as_ref().filter(|_| hi_side == Some(side));
            match (of_lo, of_hi) {
                _ if !open(side) => Known::Closed,
                // A region's lower end is followed by its own test.
                (Some(b), _) => Known::Open(b.witness.clone()),
                _ if own_side == side && !asks_all => Known::Open(node.witness.clone()),
                (None, Some(b)) => Known::Open(b.witness.clone()),
                (None, None) if eager => self.asked_side(space, &node, &cond, side, own_side),
                (None, None) => Known::Later,
            }
        });
        if assume && open(true) && matches!(known[1], Known::Closed) {
            self.assumed_away(space, node.state.clone(), node.witness.clone(), events);
        }
        let both = known.iter().all(|k| matches!(k, Known::Open(_)));
        // Beside a side that is left for later there is the one that a witness takes.
        let later = known.iter().any(|k| matches!(k, Known::Later));
        let mut node = node;
        if both || later {
            space.share(&mut node.state);
        }
        let mut at_fork = later.then(|| (node.state.clone(), node.witness.clone()));
        let mut rest = Some(node);
        let mut diverged = None;
        for side in [false, true] {
            let witness = match std::mem::replace(&mut known[usize::from(side)], Known::Closed) {
                Known::Closed => continue,
                Known::Later => {
                    if let Some((state, witness)) = at_fork.take() {
                        let cond = cond.clone();
                        self.waits(side, Waiting::Unasked(Unasked { state, witness, cond, side, assume }));
                    }
                    continue;
                }
                Known::Unknown(region, reason) => {
                    match &mut self.frontier {
                        Frontier::Stack(stack) => stack.push(Waiting::Unknown { region, reason }),
                        Frontier::Chosen(chosen) => {
                            chosen.loses_a_part();
                            events.push(Event::Unknown { region, reason });
                        }
                    }
                    continue;
                }
                Known::Open(witness) => witness,
            };
            let from = if both && !side { rest.clone() } else { rest.take() };
            let Some(mut child) = from else { continue };
            space.take(&mut child.state, &cond, side);
            child.witness = witness;
            // A cut goes with the side that its test takes; the other side is free of it.
            if lo_side != Some(side) {
                child.lo = None;
            }
            if hi_side != Some(side) {
                child.hi = None;
            }
            match child.settle(space, false) {
                Ok(true) => {}
                Ok(false) => continue,
                // It is written down with what is left.
                Err(Diverged(cut)) => diverged = Some(Divergence::new(space, &child.state, cut)),
            }
            self.waits(side, Waiting::Node(child));
        }
        diverged
    }

    /// A side of the decision at hand waits.
    fn waits(&mut self, side: bool, waiting: Waiting<S>) {
        match &mut self.frontier {
            Frontier::Stack(stack) => stack.push(waiting),
            Frontier::Chosen(chosen) => chosen.side(side, waiting),
        }
    }

    /// Whether the node stands where `max_depth` counts: not on the way to its region.
    fn is_free(&self, space: &S, node: &Node<S>) -> bool {
        node.is_free(space)
    }

    /// A witness of a side of a decision, asked for at once.
    fn asked_side(
        &mut self,
        space: &mut S,
        node: &Node<S>,
        cond: &S::Cond,
        side: bool,
        own_side: bool,
    ) -> Known<S::Witness> {
        match self.counters.ask(space, &node.state, cond, side, &node.witness) {
            Answer::Feasible(w) => Known::Open(w),
            Answer::Infeasible => Known::Closed,
            Answer::Unknown(_) if side == own_side => Known::Open(node.witness.clone()),
            Answer::Unknown(reason) => {
                let (state, witness) = (node.state.clone(), node.witness.clone());
                let unasked = Unasked::<S> { state, witness, cond: cond.clone(), side, assume: false };
                Known::Unknown(unasked.export(space), reason)
            }
        }
    }

    /// No input of the path to `state`, which stands before an assumption, satisfies that. Whoever finds out is the one
    /// whose region the true side belongs to, as the path is no other's.
    pub(crate) fn assumed_away(
        &mut self,
        space: &S,
        state: S::State,
        witness: S::Witness,
        events: &mut Vec<Event<S>>,
    ) {
        self.counters.assumed_away += 1;
        if let Some(end) = space.assumed_away(&state) {
            self.progressed = true;
            events.push(Event::Path { end, state, witness });
        }
    }

    /// The turn of a side has come that nobody has asked for.
    fn asked(&mut self, space: &mut S, unasked: Unasked<S>, events: &mut Vec<Event<S>>) -> Option<Node<S>> {
        self.progressed |= matches!(self.frontier, Frontier::Chosen(_));
        let Unasked { state, cond, side, witness, .. } = &unasked;
        let witness = match self.counters.ask(space, state, cond, *side, witness) {
            Answer::Feasible(witness) => witness,
            Answer::Infeasible => {
                self.ended();
                if unasked.assume {
                    self.assumed_away(space, unasked.state, unasked.witness, events);
                }
                return None;
            }
            Answer::Unknown(reason) => {
                self.ended();
                events.push(Event::Unknown { region: unasked.export(space), reason });
                return None;
            }
        };
        let mut state = unasked.state;
        space.take(&mut state, &unasked.cond, unasked.side);
        Some(Node { state, witness, lo: None, hi: None })
    }

    /// What is left, as regions: depth-first one, from the next state's start to the region's end; otherwise one
    /// for each state that waits, in the order of paths.
    pub fn remaining(&self, space: &mut S) -> Vec<Region> {
        match &self.frontier {
            Frontier::Stack(stack) => {
                let next = stack.last().map(|next| next.start(space));
                next.map(|lo| Region::of(lo, self.region.hi.clone())).into_iter().collect()
            }
            Frontier::Chosen(chosen) => chosen.remaining(space),
        }
    }

    /// Gives away up to `n` states, but keeps at least [`Limits::keep`]. The shallowest go first. Depth-first these
    /// are the last in the order of paths, and this exploration's region then ends where they begin.
    pub fn give(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        let n = n.min(self.frontier().saturating_sub(self.limits.keep.max(1)));
        let given = self.given(space, n);
        self.give_up();
        given
    }

    /// A segment whose beginning was given away is no longer this exploration's.
    fn give_up(&mut self) {
        if let Frontier::Chosen(chosen) = &self.frontier
            && !chosen.holds()
        {
            self.segment = None;
        }
    }

    fn given(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        match &mut self.frontier {
            Frontier::Stack(stack) => {
                let mut given = Vec::with_capacity(n);
                for waiting in stack.drain(..n) {
                    let start = waiting.start(space);
                    // Up to where this exploration's region ends now: with what lies between the subtrees.
                    let region = Region::of(start.clone(), self.region.hi.take());
                    self.region.hi = start;
                    given.push(region);
                }
                given
            }
            Frontier::Chosen(chosen) => chosen.give(space, n),
        }
    }

    /// Gives away up to `n` states, but never all, to make room: those that the strategy thinks least of.
    pub fn spill(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        self.trail.clear();
        let n = n.min(self.frontier().saturating_sub(1));
        let spilled = match &mut self.frontier {
            Frontier::Stack(_) => self.given(space, n),
            Frontier::Chosen(chosen) => chosen.spill(space, n),
        };
        self.give_up();
        spilled
    }
}

/// A path on which an assumption does not hold ends there: so do the cuts whose tests take that side.
pub(crate) fn excluded<S: Space>(
    space: &mut S,
    node: &Node<S>,
    cond: &S::Cond,
    sides: [Option<bool>; 2],
) -> Option<Divergence> {
    for (bound, side) in [&node.lo, &node.hi].into_iter().zip(sides) {
        let Some(bound) = bound.as_ref().filter(|_| side == Some(false)) else { continue };
        let mut ended = node.state.clone();
        space.take(&mut ended, cond, false);
        if let Err(Diverged(cut)) = bound.check(space, &ended) {
            return Some(Divergence::new(space, &ended, cut));
        }
    }
    None
}

/// A state that follows the cuts of a region, from the entry or a state that is on the way; `None` where the region
/// is empty.
pub(crate) fn follow<S: Space>(space: &mut S, region: Region, trail: &mut Trail<S>) -> Option<Node<S>> {
    let lo = region.lo.map(|cut| Rc::new(Bound { witness: space.prepare(&cut.test), cut }));
    let hi = region.hi.map(|cut| {
        // Most regions are subtrees: what is evaluated for one end is then known at the other.
        let same = lo.as_ref().filter(|lo| lo.cut.test == cut.test).map(|lo| lo.witness.clone());
        Rc::new(Bound { witness: same.unwrap_or_else(|| space.prepare(&cut.test)), cut })
    });
    let witness = match (&lo, &hi) {
        (Some(b), _) | (None, Some(b)) => b.witness.clone(),
        (None, None) => space.prepare(&Default::default()),
    };
    let state = trail.towards(space, lo.as_deref(), hi.as_deref()).unwrap_or_else(|| space.root());
    let mut root = Node { state, witness, lo, hi };
    // A cut at depth 0 binds before the first decision; at the entry no digest can differ.
    root.settle(space, false).unwrap_or(true).then_some(root)
}

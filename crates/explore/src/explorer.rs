//! Exploration of a region.

use std::rc::Rc;

use cleave_region::{Cut, PathDigest, Region, Side};

use crate::node::{Bound, Diverged, Node, own_cut};
use crate::space::{Answer, Outcome, Space};
use crate::strategy::{DepthFirst, Strategy};

/// Bounds of an exploration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// A state with this many decisions behind it is set aside.
    pub max_depth: Option<u32>,
}

/// What an exploration has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Decisions met, assumptions among them; those on the way to the region's start too.
    pub decisions: u64,
    /// Sides that no witness showed to be feasible: questions asked.
    pub questions: u64,
    /// Questions answered with yes.
    pub feasible: u64,
    /// Paths that an assumption ended.
    pub assumed_away: u64,
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
    /// A region set aside because of [`Limits::max_depth`].
    Cut {
        /// The region.
        region: Region,
    },
    /// A cut's test took other decisions than those it was made with. What was left is not explored.
    Divergence {
        /// What was left.
        region: Region,
        /// The cut.
        cut: Cut,
        /// The digest that was found.
        found: PathDigest,
    },
}

/// What waits in the frontier.
enum Waiting<S: Space> {
    Node(Node<S>),
    /// A side that nobody knows of. It is set aside when its turn comes and not before: what is left of a
    /// depth-first exploration is one region, and this is a part of it.
    Unknown {
        region: Region,
        reason: String,
    },
}

/// What is known of a side of a decision.
enum Known<W> {
    /// It is outside of the region, or no path.
    Closed,
    Open(W),
    /// Nobody knows whether it has paths.
    Unknown(Region, String),
}

/// Explores one region of a [`Space`].
pub struct Explorer<S: Space> {
    /// What it was given, without what was given away since.
    region: Region,
    /// The frontier in falling order of paths. Depth-first, the next state is the last, and what is deeper is
    /// later.
    frontier: Vec<Waiting<S>>,
    strategy: Box<dyn Strategy>,
    /// All that was finished comes before all that waits, so that what is left is one region.
    in_order: bool,
    limits: Limits,
    counters: Counters,
    /// Whether a path was finished since the space was renewed: without that, renewing again leads nowhere.
    progressed: bool,
}

impl<S: Space> Explorer<S> {
    /// A depth-first exploration of `region`.
    pub fn new(space: &mut S, region: Region, limits: Limits) -> Explorer<S> {
        Explorer::with_strategy(space, region, limits, Box::new(DepthFirst))
    }

    /// An exploration of `region` that chooses its next state as `strategy` says.
    pub fn with_strategy(
        space: &mut S,
        region: Region,
        limits: Limits,
        strategy: Box<dyn Strategy>,
    ) -> Explorer<S> {
        let mut explorer = Explorer {
            region: region.clone(),
            frontier: Vec::new(),
            strategy,
            in_order: true,
            limits,
            counters: Counters::default(),
            progressed: false,
        };
        explorer.open(space, region);
        explorer
    }

    /// Puts a state for `region` behind what waits.
    fn open(&mut self, space: &mut S, region: Region) {
        let mut bound =
            |cut: Option<Cut>| cut.map(|cut| Rc::new(Bound { witness: space.prepare(&cut.test), cut }));
        let (lo, hi) = (bound(region.lo), bound(region.hi));
        let witness = match (&lo, &hi) {
            (Some(b), _) | (None, Some(b)) => b.witness.clone(),
            (None, None) => space.prepare(&Default::default()),
        };
        let mut root = Node { state: space.root(), witness, lo, hi };
        // A cut at depth 0 binds before the first decision; at the entry no digest can differ.
        if root.settle(space, false).unwrap_or(true) {
            self.frontier.push(Waiting::Node(root));
        }
    }

    /// Whether the region is explored.
    pub fn is_done(&self) -> bool {
        self.frontier.is_empty()
    }

    /// How many states wait.
    pub fn frontier(&self) -> usize {
        self.frontier.len()
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
        if self.frontier.is_empty() {
            return;
        }
        let at = self.choose();
        let mut node = match self.frontier.remove(at) {
            Waiting::Unknown { region, reason } => {
                events.push(Event::Unknown { region, reason });
                return;
            }
            Waiting::Node(node) => node,
        };
        match space.run(&mut node.state, &node.witness, fuel) {
            Outcome::OutOfFuel => self.frontier.insert(at, Waiting::Node(node)),
            Outcome::Ended(end) => match node.settle(space, true) {
                Ok(true) => {
                    self.progressed = true;
                    events.push(Event::Path { end, state: node.state, witness: node.witness });
                }
                Ok(false) => {}
                Err(Diverged(cut)) => {
                    let found = space.digest(&node.state);
                    self.frontier.insert(at, Waiting::Node(node));
                    self.diverge(space, cut, found, events);
                }
            },
            Outcome::Decision { cond, assume } => self.decide(space, at, node, cond, assume, events),
        }
    }

    /// The place of the state that is next.
    fn choose(&mut self) -> usize {
        let last = self.frontier.len() - 1;
        let at = self.strategy.next(self.frontier.len()).min(last);
        self.in_order &= at == last;
        at
    }

    /// Writes down what is left, and goes on with that in a space that has forgotten everything.
    fn renew(&mut self, space: &mut S) {
        self.progressed = false;
        let rest = self.remaining(space);
        self.frontier.clear();
        space.renew();
        if let ([region], true) = (&rest[..], self.in_order) {
            self.region = region.clone();
        }
        for region in rest {
            self.open(space, region);
        }
    }

    /// Stops where following `cut` shows that the region is not the one it was made as.
    fn diverge(&mut self, space: &mut S, cut: Cut, found: PathDigest, events: &mut Vec<Event<S>>) {
        let regions = self.remaining(space);
        self.frontier.clear();
        let event = |region| Event::Divergence { region, cut: cut.clone(), found };
        events.extend(regions.into_iter().map(event));
    }

    /// Both sides of a decision take the place of the node.
    fn decide(
        &mut self,
        space: &mut S,
        at: usize,
        node: Node<S>,
        cond: S::Cond,
        assume: bool,
        events: &mut Vec<Event<S>>,
    ) {
        self.counters.decisions += 1;
        if self.limits.max_depth.is_some_and(|d| space.depth(&node.state) >= d) && self.is_free(space, &node)
        {
            let region = node.export(space);
            events.push(Event::Cut { region });
            return;
        }
        // Where the cuts' tests go, and which sides they leave open.
        let lo_side = node.lo.as_ref().map(|b| space.decides(&cond, &b.witness));
        let hi_side = node.hi.as_ref().map(|b| space.decides(&cond, &b.witness));
        let open = |side| if side { lo_side != Some(false) } else { hi_side != Some(true) && !assume };
        let own_side = space.decides(&cond, &node.witness);
        let mut known = [false, true].map(|side| {
            let of_lo = node.lo.as_ref().filter(|_| lo_side == Some(side));
            let of_hi = node.hi.as_ref().filter(|_| hi_side == Some(side));
            match (of_lo, of_hi) {
                _ if !open(side) => Known::Closed,
                // A region's lower end is followed by its own test.
                (Some(b), _) => Known::Open(b.witness.clone()),
                _ if own_side == side => Known::Open(node.witness.clone()),
                (None, Some(b)) => Known::Open(b.witness.clone()),
                (None, None) => self.other_side(space, &node, &cond, side),
            }
        });
        if assume && open(true) && matches!(known[1], Known::Closed) {
            self.counters.assumed_away += 1;
        }
        let both = known.iter().all(|k| matches!(k, Known::Open(_)));
        let mut rest = Some(node);
        let mut place = at;
        let mut diverged = None;
        for side in [false, true] {
            let witness = match std::mem::replace(&mut known[usize::from(side)], Known::Closed) {
                Known::Closed => continue,
                Known::Unknown(region, reason) => {
                    self.frontier.insert(place, Waiting::Unknown { region, reason });
                    place += 1;
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
                Ok(true) => {
                    self.frontier.insert(place, Waiting::Node(child));
                    place += 1;
                }
                Ok(false) => {}
                Err(Diverged(cut)) => {
                    diverged = Some((cut, space.digest(&child.state)));
                    // Written down with what is left.
                    self.frontier.insert(place, Waiting::Node(child));
                    place += 1;
                }
            }
        }
        if let Some((cut, found)) = diverged {
            self.diverge(space, cut, found, events);
        }
    }

    /// Whether the node stands where `max_depth` counts: not on the way to its region.
    fn is_free(&self, space: &S, node: &Node<S>) -> bool {
        let depth = space.depth(&node.state);
        let behind = |b: &Option<Rc<Bound<S::Witness>>>| {
            b.as_ref().is_none_or(|b| b.cut.depth.is_none_or(|d| d <= depth))
        };
        behind(&node.lo) && behind(&node.hi)
    }

    /// A witness of the side that the node's own does not take.
    fn other_side(&mut self, space: &mut S, node: &Node<S>, cond: &S::Cond, side: bool) -> Known<S::Witness> {
        self.counters.questions += 1;
        match space.ask(&node.state, cond, side, &node.witness) {
            Answer::Feasible(w) => {
                self.counters.feasible += 1;
                Known::Open(w)
            }
            Answer::Infeasible => Known::Closed,
            Answer::Unknown(reason) => Known::Unknown(self.unasked(space, node, cond, side), reason),
        }
    }

    /// The region of a side that has no witness, next to the one that the node's witness takes: between a cut at
    /// the node and one at that side.
    fn unasked(&self, space: &mut S, node: &Node<S>, cond: &S::Cond, side: bool) -> Region {
        let mut witnessed = node.state.clone();
        space.take(&mut witnessed, cond, !side);
        let beside = if side { Side::Before } else { Side::After };
        let next = Some(own_cut(space, &witnessed, &node.witness, beside));
        if side {
            Region { lo: Some(node.start(space)), hi: next }
        } else {
            Region { lo: next, hi: Some(node.end(space)) }
        }
    }

    /// What is left, as regions: depth-first one, from the next state's start to the region's end; otherwise one
    /// for each state that waits.
    pub fn remaining(&mut self, space: &mut S) -> Vec<Region> {
        if self.in_order {
            let Some(next) = self.frontier.last() else { return Vec::new() };
            return vec![Region { lo: start_of(space, next), hi: self.region.hi.clone() }];
        }
        self.frontier.iter().map(|waiting| share_of(space, waiting)).collect()
    }

    /// Gives away up to `n` states, the last in the order of paths first, but never all. Depth-first these are
    /// the shallowest ones, and this exploration's region then ends where they begin.
    pub fn give(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        let n = n.min(self.frontier.len().saturating_sub(1));
        let mut given = Vec::with_capacity(n);
        for waiting in self.frontier.drain(..n) {
            if !self.in_order {
                given.push(share_of(space, &waiting));
                continue;
            }
            let start = start_of(space, &waiting);
            // Up to where this exploration's region ends now: with what lies between the subtrees.
            let region = Region { lo: start.clone(), hi: self.region.hi.take() };
            self.region.hi = start;
            given.push(region);
        }
        given
    }
}

/// Where what waits begins.
fn start_of<S: Space>(space: &mut S, waiting: &Waiting<S>) -> Option<Cut> {
    match waiting {
        Waiting::Unknown { region, .. } => region.lo.clone(),
        Waiting::Node(node) => Some(node.start(space)),
    }
}

/// What waits, as a region of its own.
fn share_of<S: Space>(space: &mut S, waiting: &Waiting<S>) -> Region {
    match waiting {
        Waiting::Unknown { region, .. } => region.clone(),
        Waiting::Node(node) => node.export(space),
    }
}

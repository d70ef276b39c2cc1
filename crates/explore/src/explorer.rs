//! Depth-first exploration of a region: true sides first.

use std::rc::Rc;

use cleave_region::{Cut, PathDigest, Region, Side};

use crate::node::{Bound, Diverged, Node, own_cut};
use crate::space::{Answer, Outcome, Space};

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
    /// A cut's test took other decisions than those it was made with. Nothing of the region is explored.
    Divergence {
        /// The region as it was given.
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

/// Explores one region of a [`Space`].
pub struct Explorer<S: Space> {
    region: Region,
    /// The frontier; the next state is the last. Depth-first: what is deeper is later.
    stack: Vec<Waiting<S>>,
    limits: Limits,
    counters: Counters,
    /// Whether a path was finished since the space was renewed: without that, renewing again leads nowhere.
    progressed: bool,
}

impl<S: Space> Explorer<S> {
    /// An exploration of `region`.
    pub fn new(space: &mut S, region: Region, limits: Limits) -> Explorer<S> {
        let mut explorer = Explorer {
            region: region.clone(),
            stack: Vec::new(),
            limits,
            counters: Counters::default(),
            progressed: false,
        };
        explorer.open(space, region);
        explorer
    }

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
            self.stack.push(Waiting::Node(root));
        }
    }

    /// Whether the region is explored.
    pub fn is_done(&self) -> bool {
        self.stack.is_empty()
    }

    /// How many states wait.
    pub fn frontier(&self) -> usize {
        self.stack.len()
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Goes on for about `fuel` instructions, until the next event, or until the region is explored. Returns
    /// how much of the fuel is left: 0 only if it is used up.
    pub fn step(&mut self, space: &mut S, fuel: u64, events: &mut Vec<Event<S>>) {
        if self.progressed && space.is_full() {
            self.progressed = false;
            let rest = self.remaining(space);
            self.stack.clear();
            space.renew();
            for region in rest {
                self.open(space, region);
            }
        }
        let mut node = match self.stack.pop() {
            None => return,
            Some(Waiting::Unknown { region, reason }) => {
                events.push(Event::Unknown { region, reason });
                return;
            }
            Some(Waiting::Node(node)) => node,
        };
        match space.run(&mut node.state, &node.witness, fuel) {
            Outcome::OutOfFuel => self.stack.push(Waiting::Node(node)),
            Outcome::Ended(end) => match node.settle(space, true) {
                Ok(true) => {
                    self.progressed = true;
                    events.push(Event::Path { end, state: node.state, witness: node.witness });
                }
                Ok(false) => {}
                Err(diverged) => self.diverge(space, &node, diverged, events),
            },
            Outcome::Decision { cond, assume } => self.decide(space, node, cond, assume, events),
        }
    }

    fn diverge(&mut self, space: &S, node: &Node<S>, at: Diverged, events: &mut Vec<Event<S>>) {
        let found = space.digest(&node.state);
        let region = std::mem::take(&mut self.region);
        self.stack.clear();
        events.push(Event::Divergence { region, cut: at.0, found });
    }

    /// Both sides of a decision: the false side waits, the true side is next.
    fn decide(
        &mut self,
        space: &mut S,
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
        let open = [lo_side != Some(false), hi_side != Some(true) && !assume]; // true side, false side
        let own_side = space.decides(&cond, &node.witness);
        let mut witnesses = [None, None];
        for (index, side) in [(0, true), (1, false)] {
            if !open[index] {
                continue;
            }
            let of_lo = node.lo.as_ref().filter(|_| lo_side == Some(side));
            witnesses[index] = match of_lo {
                // A region's lower end is followed by its own test.
                Some(b) => Some(b.witness.clone()),
                None if own_side == side => Some(node.witness.clone()),
                None => match node.hi.as_ref().filter(|_| hi_side == Some(side)) {
                    Some(b) => Some(b.witness.clone()),
                    None => self.other_side(space, &node, &cond, side, events),
                },
            };
        }
        if assume && witnesses[0].is_none() {
            self.counters.assumed_away += 1;
        }
        self.fork(space, node, &cond, witnesses, (lo_side, hi_side), events);
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
    fn other_side(
        &mut self,
        space: &mut S,
        node: &Node<S>,
        cond: &S::Cond,
        side: bool,
        events: &mut Vec<Event<S>>,
    ) -> Option<S::Witness> {
        self.counters.questions += 1;
        match space.ask(&node.state, cond, side, &node.witness) {
            Answer::Feasible(w) => {
                self.counters.feasible += 1;
                Some(w)
            }
            Answer::Infeasible => None,
            Answer::Unknown(reason) => {
                let region = self.unasked(space, node, side);
                if side {
                    events.push(Event::Unknown { region, reason });
                } else {
                    self.stack.push(Waiting::Unknown { region, reason });
                }
                None
            }
        }
    }

    /// The region of a side that has no witness, next to one that has: between two cuts of the node's own.
    fn unasked(&self, space: &mut S, node: &Node<S>, side: bool) -> Region {
        let (state, w) = (&node.state, &node.witness);
        let own = |space: &mut S, below, at| Some(own_cut(space, state, w, below, at));
        let keep = |b: &Option<Rc<Bound<S::Witness>>>| b.as_ref().map(|b| b.cut.clone());
        if side {
            // The node's witness goes the false way: from the node's start up to that side.
            let lo = keep(&node.lo).or_else(|| own(space, 0, Side::Before));
            Region { lo, hi: own(space, 1, Side::Before) }
        } else {
            let hi = keep(&node.hi).or_else(|| own(space, 0, Side::After));
            Region { lo: own(space, 1, Side::After), hi }
        }
    }

    fn fork(
        &mut self,
        space: &mut S,
        node: Node<S>,
        cond: &S::Cond,
        witnesses: [Option<S::Witness>; 2],
        (lo_side, hi_side): (Option<bool>, Option<bool>),
        events: &mut Vec<Event<S>>,
    ) {
        let [on_true, on_false] = witnesses;
        let both = on_true.is_some() && on_false.is_some();
        let mut rest = Some(node);
        for (side, witness) in [(false, on_false), (true, on_true)] {
            let Some(witness) = witness else { continue };
            let from = if both && !side { rest.clone() } else { rest.take() };
            let Some(mut child) = from else { continue };
            space.take(&mut child.state, cond, side);
            child.witness = witness;
            // A cut goes with the side that its test takes; the other side is free of it.
            if lo_side != Some(side) {
                child.lo = None;
            }
            if hi_side != Some(side) {
                child.hi = None;
            }
            match child.settle(space, false) {
                Ok(true) => self.stack.push(Waiting::Node(child)),
                Ok(false) => {}
                Err(diverged) => {
                    self.diverge(space, &child, diverged, events);
                    return;
                }
            }
        }
    }

    /// What is left, as regions: for a depth-first frontier one, from the next state's start to the region's
    /// end.
    pub fn remaining(&mut self, space: &mut S) -> Vec<Region> {
        let Some(next) = self.stack.last() else { return Vec::new() };
        let lo = start_of(space, next);
        vec![Region { lo, hi: self.region.hi.clone() }]
    }

    /// Gives away up to `n` states, the shallowest first, but never the last one: for depth-first search these
    /// are the last in the order of paths, so this exploration's region then ends where they begin.
    pub fn give(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        let n = n.min(self.stack.len().saturating_sub(1));
        let mut given = Vec::with_capacity(n);
        for node in self.stack.drain(..n) {
            let start = start_of(space, &node);
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
        Waiting::Node(node) => match &node.lo {
            Some(b) => Some(b.cut.clone()),
            None => Some(own_cut(space, &node.state, &node.witness, 0, Side::Before)),
        },
    }
}

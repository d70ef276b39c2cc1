//! Concolic exploration of a region (Siddiqui and Khurshid 2010, figure 1; Godefroid, Levin and Molnar 2008): an
//! item's inputs are run to the end, then each decision behind the item's position is negated in turn, and each
//! solution of the solver is the input of a new item.
//!
//! The queue holds runs, not the items that result from them: a decision is negated when the turn of its item
//! comes. So no query is made for items that are never reached, and the rest of a run, however many sides it has,
//! is two regions: before its own path and behind it.
//!
//! An item (position, inputs) is the region of the paths that share the inputs' first decisions up to the position.
//! So an item is given away, suspended and resumed like any region; and any region is an item: its inputs are
//! those of the cut with which it begins, and where a cut's test leaves the run, the cut stands for an answer of the
//! solver.
//!
//! A depth bound limits the number of items from one run; the bound of each item is the rest of it at the time when the
//! item is found. Regions that a bound leaves unexplored are set aside as cut.

pub(crate) mod bounded; // An item with a depth bound (Siddiqui and Khurshid 2010, figure 1).
pub(crate) mod negating; // The rest of an item after its run: decisions are negated.
pub(crate) mod queue; // The queue of a concolic exploration, in the order of turns.
pub(crate) mod run; // The concrete run of an item: one path without a solver.

use std::sync::Arc;

use cleave_region::{Region, Weight};

use crate::clock::{SolverClock, WayTimes};
use crate::event::{Event, Limits};
use crate::meter::{Counters, Meter};
use crate::paths::checkpoints::Trail;
use crate::space::Space;

use bounded::Bounded;
use negating::{Negated, Negating};
pub use queue::{ITEM_ORDERS, ItemOrder};
use queue::{Item, Next, Queue};
use run::{Pace, Run};

/// The item in progress.
enum At<S: Space> {
    /// The inputs of an item are run.
    Running(Box<Running<S>>),
    /// The decisions of an item with a depth bound are negated.
    Bounded(Box<Bounded<S>>),
}

/// An item whose inputs are run.
struct Running<S: Space> {
    run: Run<S>,
    item: Item,
}

/// Options of a concolic exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Concrete {
    /// Order of items.
    pub order: ItemOrder,
    /// Maximum number of items from the run of an item that has no bound of its own; each of them has the rest of this
    /// bound as its own (Siddiqui and Khurshid 2010, figure 1). Default is no bound: all paths.
    pub bound: Option<u32>,
}

/// Explores one region of a [`Space`], a concrete run for each path.
pub struct Concolic<S: Space> {
    at: Option<At<S>>,
    queue: Queue<S>,
    trail: Trail<S>,
    limits: Limits,
    meter: Meter,
    /// Number of covered places already counted.
    told: usize,
    /// If true, the space is full and is renewed before the next item.
    full: bool,
    /// True if something was finished since the space was renewed: otherwise renewing again makes no progress.
    progressed: bool,
    /// The weights of all that ended without a reported path, since the last call of `take_ended`.
    ended: Weight,
}

impl<S: Space> Concolic<S> {
    /// An exploration of `region`. States of `trail` belong to `space`, which was not renewed since.
    pub fn new(
        space: &mut S,
        region: Region,
        limits: Limits,
        concrete: Concrete,
        trail: Trail<S>,
    ) -> Concolic<S> {
        Concolic::seeded(space, vec![region], limits, concrete, trail)
    }

    /// An exploration of several disjoint regions: the tests of their first cuts are run first, in this order.
    pub fn seeded(
        space: &mut S,
        regions: Vec<Region>,
        limits: Limits,
        concrete: Concrete,
        trail: Trail<S>,
    ) -> Concolic<S> {
        let mut meter = Meter::default();
        if let [region] = &regions[..] {
            meter.way.begin(region);
        }
        let mut queue = Queue::new(concrete.order);
        for (i, region) in regions.into_iter().enumerate() {
            let score = u64::MAX - i as u64;
            let bound = concrete.bound.map(|bound| region.bound.unwrap_or(bound));
            queue.push(Item { region: Region { bound, ..region }, score, of: None });
        }
        if concrete.order == ItemOrder::Generational {
            space.count_visits();
        }
        Concolic {
            at: None,
            queue,
            trail,
            limits,
            meter,
            told: space.covered(0).len(),
            full: false,
            progressed: false,
            ended: Weight::ZERO,
        }
    }

    /// The states kept on the way to items.
    pub fn into_trail(self) -> Trail<S> {
        self.trail
    }

    /// True if the region is explored.
    pub fn is_done(&self) -> bool {
        self.frontier() == 0
    }

    /// Number of items that wait, the one at hand included. An unchecked side counts as one, although it may be infeasible.
    pub fn frontier(&self) -> usize {
        self.queue.len() + usize::from(self.at.is_some())
    }

    /// The counters so far.
    pub fn counters(&self) -> Counters {
        self.meter.counters
    }

    /// The weights of all that ended since the last call, except those of paths, which are reported with these: infeasible
    /// sides, and assumptions that no input satisfies.
    pub fn take_ended(&mut self) -> Weight {
        std::mem::take(&mut self.ended)
    }

    /// Time spent on the ways to regions since the last call.
    pub fn take_way_times(&mut self) -> WayTimes {
        self.meter.way.take()
    }

    /// Has `clock` measure the queries.
    pub fn timed(mut self, clock: Arc<SolverClock>) -> Concolic<S> {
        self.meter.clock = clock;
        self
    }

    /// Continues: runs an item for about `fuel` instructions, or negates a decision.
    pub fn step(&mut self, space: &mut S, fuel: u64, events: &mut Vec<Event<S>>) {
        match self.at.take() {
            None => self.next(space, events),
            Some(At::Running(running)) => self.run(space, running, fuel, events),
            Some(At::Bounded(mut bounded)) => match bounded.next(space, &mut self.meter, events) {
                None => self.at = Some(At::Bounded(bounded)),
                Some((items, ended)) => {
                    self.ended += ended;
                    items.into_iter().for_each(|item| self.queue.push(item));
                }
            },
        }
        if !events.is_empty() || self.is_done() {
            self.meter.way.arrived();
        }
    }

    /// Begins an item, or negates a decision and begins the resulting item.
    fn next(&mut self, space: &mut S, events: &mut Vec<Event<S>>) {
        match self.queue.pop() {
            None => {}
            Some(Next::Item(item)) => self.begin(space, item),
            Some(Next::Run(place, mut run)) => {
                let negated = run.next(space, &mut self.meter);
                self.queue.put_back(space, place, run);
                self.full |= space.is_full();
                match negated {
                    Negated::Nothing => {}
                    Negated::Refuted(weight) => self.ended += weight,
                    Negated::Unknown(region, reason) => events.push(Event::Unknown { region, reason }),
                    Negated::Item(region) => self.begin(space, Item { region, score: 0, of: None }),
                }
            }
        }
    }

    fn begin(&mut self, space: &mut S, item: Item) {
        if self.full && self.progressed {
            self.trail.clear();
            self.queue.write_all_down(space);
            space.renew();
            (self.full, self.progressed) = (false, false);
        }
        if let Some(node) = self.trail.begin(space, item.region.clone()) {
            self.at = Some(At::Running(Box::new(Running { run: Run::new(node), item })));
        }
    }

    fn run(&mut self, space: &mut S, mut running: Box<Running<S>>, fuel: u64, events: &mut Vec<Event<S>>) {
        let mut found = Vec::new();
        let (limits, trail, meter) = (&self.limits, &mut self.trail, &mut self.meter);
        let pace = running.run.advance(space, fuel, limits, trail, meter, &mut found);
        self.full |= space.is_full();
        match pace {
            Pace::Paused => self.at = Some(At::Running(running)),
            Pace::Diverged(divergence) => {
                let (region, divergence) = (running.item.region, Arc::from(divergence));
                events.push(Event::Divergence { region, divergence });
            }
            Pace::Over => {
                let Running { run, item } = *running;
                self.progressed = true;
                let new = space.covered(self.told).len();
                self.told += new;
                let ended = run.ended;
                let (negating, score) = (Negating::new(space, run), new as u64);
                match item.region.bound {
                    Some(left) => {
                        let found = (found, ended);
                        self.at = Some(At::Bounded(Bounded::new(item, left, negating, score, found)));
                    }
                    None => {
                        events.append(&mut found);
                        self.ended += ended;
                        self.queue.push_run(space, negating, &item, score);
                    }
                }
            }
        }
    }

    /// Shows the running state to `see`.
    pub fn each_state(&self, see: &mut dyn FnMut(&S::State)) {
        if let Some(At::Running(running)) = &self.at {
            see(&running.run.node.state);
        }
    }

    /// The remaining work, as regions: for each run one before its own path and one behind it.
    pub fn remaining(&self, space: &mut S) -> Vec<Region> {
        let at_hand = self.at.as_ref().map(|at| match at {
            At::Running(running) => &running.item,
            At::Bounded(bounded) => bounded.item(),
        });
        let mut regions: Vec<Region> = at_hand.map(|item| item.region.clone()).into_iter().collect();
        regions.extend(self.queue.regions(space));
        regions
    }

    /// Gives away up to `n` items, those with the shortest prefixes first, but never the one at hand, and keeps at
    /// least [`Limits::keep`]. It negates decisions for that, which is no extra work; so each region given away has a path.
    pub fn give(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        let n = n.min(self.frontier().saturating_sub(self.limits.keep.max(1)));
        let (given, refuted) = self.queue.shallowest(space, n, &mut self.meter);
        self.ended += refuted;
        self.full |= space.is_full();
        given
    }

    /// Gives away about `n` items, but never all, to make room: those with the last turns.
    pub fn spill(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        self.trail.clear();
        self.queue.last(space, n)
    }
}

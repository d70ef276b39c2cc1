//! Concolic exploration of a region (Siddiqui and Khurshid 2010, figure 1; Godefroid, Levin and Molnar 2008): an
//! item's inputs are run to the end, then each decision behind the item's position is negated in turn, and what the
//! solver finds are the inputs of a new item.
//!
//! An item (position, inputs) is the region of the paths that share the inputs' first decisions up to the position.
//! So it is given away, written down and gone on with as all regions are; and any region is an item: its inputs are
//! those of the cut that it begins with, and where a cut's test leaves the run, the cut stands for an answer of the
//! solver.
//!
//! With a depth bound no more than so many items come from a run, and the bound of each is what is left when it is
//! found. What a bound leaves unexplored is set aside as cut.

mod negating;
mod queue;
mod run;

use std::sync::Arc;

use cleave_region::Region;

use crate::explorer::{Counters, Event, Limits, follow};
use crate::space::Space;
use crate::trail::Trail;

use negating::Negating;
pub use queue::{ITEM_ORDERS, ItemOrder};
use queue::{Item, Queue};
use run::{Pace, Run};

/// The item at hand.
enum At<S: Space> {
    /// Its inputs are run.
    Running(Box<Run<S>>, Item),
    /// Its decisions are negated.
    Negating(Box<Negating<S>>),
}

/// How a concolic exploration goes about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Concrete {
    /// Which item is next.
    pub order: ItemOrder,
    /// So many items at most come from the run of an item that has no bound of its own, and each has as its bound
    /// what is left of this one (Siddiqui and Khurshid 2010, figure 1). Default is no bound: all paths.
    pub bound: Option<u32>,
}

/// Explores one region of a [`Space`], a concrete run for each path.
pub struct Concolic<S: Space> {
    at: Option<At<S>>,
    queue: Queue,
    trail: Trail<S>,
    limits: Limits,
    counters: Counters,
    /// Covered places that were counted.
    told: usize,
    /// The space is full: it is renewed between two items.
    full: bool,
    /// Whether something was finished since the space was renewed: without that, renewing again leads nowhere.
    progressed: bool,
}

impl<S: Space> Concolic<S> {
    /// An exploration of `region`. States of `trail` are of `space`, which was not renewed since.
    pub fn new(
        space: &mut S,
        region: Region,
        limits: Limits,
        concrete: Concrete,
        trail: Trail<S>,
    ) -> Concolic<S> {
        Concolic::seeded(space, vec![region], limits, concrete, trail)
    }

    /// An exploration of several regions, of which no two overlap: what their first cuts' tests lead to is run first,
    /// in this order.
    pub fn seeded(
        space: &mut S,
        regions: Vec<Region>,
        limits: Limits,
        concrete: Concrete,
        trail: Trail<S>,
    ) -> Concolic<S> {
        let mut queue = Queue::new(concrete.order);
        for (i, region) in regions.into_iter().enumerate() {
            let score = u64::MAX - i as u64;
            let position = region.lo.as_ref().and_then(|cut| cut.depth).unwrap_or(0);
            let bound = concrete.bound.map(|bound| region.bound.unwrap_or(bound));
            queue.push(Item { region: Region { bound, ..region }, position, score });
        }
        if concrete.order == ItemOrder::Generational {
            space.count_visits();
        }
        Concolic {
            at: None,
            queue,
            trail,
            limits,
            counters: Counters::default(),
            told: space.covered(0).len(),
            full: false,
            progressed: false,
        }
    }

    /// The states kept on the way to items.
    pub fn into_trail(self) -> Trail<S> {
        self.trail
    }

    /// Whether the region is explored.
    pub fn is_done(&self) -> bool {
        self.frontier() == 0
    }

    /// How many items wait, the one at hand among them.
    pub fn frontier(&self) -> usize {
        self.queue.len() + usize::from(self.at.is_some())
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Goes on with an item: runs it for about `fuel` instructions, or negates a decision.
    pub fn step(&mut self, space: &mut S, fuel: u64, events: &mut Vec<Event<S>>) {
        self.at = match self.at.take() {
            None => self.begin(space),
            Some(At::Running(run, item)) => self.run(space, run, item, fuel, events),
            Some(At::Negating(mut negating)) => {
                if let Some(item) = negating.next(space, &mut self.counters, events) {
                    self.queue.push(item);
                }
                self.negated(negating, events)
            }
        };
    }

    /// Begins with the next item.
    fn begin(&mut self, space: &mut S) -> Option<At<S>> {
        if self.full && self.progressed {
            self.trail.clear();
            space.renew();
            (self.full, self.progressed) = (false, false);
        }
        let item = self.queue.pop()?;
        let node = follow(space, item.region.clone(), &mut self.trail)?;
        Some(At::Running(Box::new(Run::new(node)), item))
    }

    fn run(
        &mut self,
        space: &mut S,
        mut run: Box<Run<S>>,
        item: Item,
        fuel: u64,
        events: &mut Vec<Event<S>>,
    ) -> Option<At<S>> {
        let mut found = Vec::new();
        let pace = run.advance(space, fuel, &self.limits, &mut self.trail, &mut self.counters, &mut found);
        self.full |= space.is_full();
        match pace {
            Pace::Paused => Some(At::Running(run, item)),
            Pace::Diverged(divergence) => {
                events.push(Event::Divergence { region: item.region, divergence: Arc::from(divergence) });
                None
            }
            Pace::Over => {
                self.progressed = true;
                let new = space.covered(self.told).len();
                self.told += new;
                let negating = Negating::new(space, *run, item, new as u64, found, events);
                self.negated(negating, events)
            }
        }
    }

    /// Stays with the item until nothing of it is left.
    fn negated(&mut self, mut negating: Box<Negating<S>>, events: &mut Vec<Event<S>>) -> Option<At<S>> {
        if !negating.is_done() {
            return Some(At::Negating(negating));
        }
        for item in negating.finish(events) {
            self.queue.push(item);
        }
        None
    }

    /// What is left, as regions: one for each item that waits, and for the item at hand what of it is not done.
    pub fn remaining(&self, space: &mut S) -> Vec<Region> {
        let mut regions = match &self.at {
            None => Vec::new(),
            Some(At::Running(_, item)) => vec![item.region.clone()],
            Some(At::Negating(negating)) => negating.remaining(space),
        };
        regions.extend(self.queue.regions());
        regions
    }

    /// Gives away up to `n` items, those with the shortest prefixes first, but never the one at hand, and keeps at
    /// least [`Limits::keep`].
    pub fn give(&mut self, n: usize) -> Vec<Region> {
        let n = n.min(self.frontier().saturating_sub(self.limits.keep.max(1)));
        let given = (0..n).map_while(|_| self.queue.shallowest());
        given.map(|item| item.region).collect()
    }

    /// Gives away up to `n` items, but never all, to make room: those whose turn comes last.
    pub fn spill(&mut self, n: usize) -> Vec<Region> {
        self.trail.clear();
        let n = n.min(self.frontier().saturating_sub(1));
        let spilled = (0..n).map_while(|_| self.queue.last());
        spilled.map(|item| item.region).collect()
    }
}

//! Concolic exploration of a region (Siddiqui and Khurshid 2010, figure 1; Godefroid, Levin and Molnar 2008): an
//! item's inputs are run to the end, then each decision behind the item's position is negated in turn, and what the
//! solver finds are the inputs of a new item.
//!
//! An item (position, inputs) is the region of the paths that share the inputs' first decisions up to the position.
//! So it is given away, written down and gone on with as all regions are; and any region is an item: its inputs are
//! those of the cut that it begins with, and where a cut's test leaves the run, the cut stands for an answer of the
//! solver.

mod queue;
mod run;

use std::sync::Arc;

use cleave_region::{Cut, Region, Side};

use crate::explorer::{Counters, Event, Limits, follow};
use crate::node::own_cut;
use crate::space::{Answer, Space};
use crate::trail::Trail;

pub use queue::{ITEM_ORDERS, ItemOrder};
use queue::{Item, Queue};
use run::{Beside, Pace, Run, unasked};

/// The item at hand.
enum At<S: Space> {
    /// Its inputs are run.
    Running(Box<Run<S>>, Item),
    /// Its decisions are negated.
    Negating(Box<Negating<S>>),
}

/// What is left to do after the run of an item.
struct Negating<S: Space> {
    /// Where the run ended.
    end: S::State,
    witness: S::Witness,
    beside: Vec<Beside<S>>,
    /// The next one of `beside`.
    next: usize,
    score: u64,
}

impl<S: Space> Negating<S> {
    /// What of it is left: before the run's own path, and behind it.
    fn remaining(&self, space: &mut S) -> Vec<Region> {
        let left = &self.beside[self.next..];
        let mut regions = Vec::new();
        if let Some(first) = left.iter().find(|b| b.side) {
            let lo = own_cut(space, &first.point, &self.witness, Side::Before);
            let hi = own_cut(space, &self.end, &self.witness, Side::Before);
            regions.push(Region { lo: Some(lo), hi: Some(hi) });
        }
        if let Some(first) = left.iter().find(|b| !b.side) {
            let lo = own_cut(space, &self.end, &self.witness, Side::After);
            let hi = match &first.known {
                Some(region) => region.hi.clone(),
                None => Some(own_cut(space, &first.point, &self.witness, Side::After)),
            };
            regions.push(Region { lo: Some(lo), hi });
        }
        regions
    }
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
        order: ItemOrder,
        trail: Trail<S>,
    ) -> Concolic<S> {
        let mut queue = Queue::new(order);
        let position = region.lo.as_ref().and_then(|cut| cut.depth).unwrap_or(0);
        queue.push(Item { region, position, score: 0 });
        if order == ItemOrder::Generational {
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
            Some(At::Negating(negating)) => self.negate(space, negating, events),
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
        let pace = run.advance(space, fuel, &self.limits, &mut self.trail, &mut self.counters, events);
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
                let Run { node, beside } = *run;
                let end = space.point(&node.state);
                let (witness, score) = (node.witness, new as u64);
                let negating = Negating { end, witness, beside, next: 0, score };
                (!negating.beside.is_empty()).then(|| At::Negating(Box::new(negating)))
            }
        }
    }

    /// Negates the next decision.
    fn negate(
        &mut self,
        space: &mut S,
        mut negating: Box<Negating<S>>,
        events: &mut Vec<Event<S>>,
    ) -> Option<At<S>> {
        let Negating { witness, beside, next, score, .. } = &mut *negating;
        let Beside { point, cond, side, known } = &beside[*next];
        let position = space.depth(point) + 1;
        let region = match known {
            Some(region) => Some(region.clone()),
            None => {
                self.counters.questions += 1;
                match space.ask(point, cond, *side, witness) {
                    Answer::Infeasible => None,
                    Answer::Feasible(inputs) => {
                        self.counters.feasible += 1;
                        let mut child = point.clone();
                        space.take(&mut child, cond, *side);
                        Some(Region::subtree(own_cut(space, &child, &inputs, Side::Before)))
                    }
                    Answer::Unknown(reason) => {
                        let end = |space: &mut S, side| -> Cut { own_cut(space, point, witness, side) };
                        let (start, end) = (end(space, Side::Before), end(space, Side::After));
                        let region = unasked(space, point, cond, *side, witness, start, end);
                        events.push(Event::Unknown { region, reason });
                        None
                    }
                }
            }
        };
        if let Some(region) = region {
            self.queue.push(Item { region, position, score: *score });
        }
        *next += 1;
        (*next < beside.len()).then_some(At::Negating(negating))
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

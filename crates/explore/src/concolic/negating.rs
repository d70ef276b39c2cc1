//! What is left to do after the run of an item: its decisions are negated, one after the other.

use cleave_region::{Cut, Region, Side};

use crate::concolic::queue::Item;
use crate::concolic::run::{Beside, Run, unasked};
use crate::explorer::{Counters, Event, Limit};
use crate::node::own_cut;
use crate::space::{Answer, Space};

/// The item at hand after its run.
pub(crate) struct Negating<S: Space> {
    /// Where the run ended.
    end: S::State,
    witness: S::Witness,
    beside: Vec<Beside<S>>,
    /// The next one of `beside`.
    next: usize,
    score: u64,
    /// Of an item with a depth bound.
    bounded: Option<Bounded<S>>,
}

/// An item with a depth bound is done as a whole: what is left of it in the middle would be several regions that share
/// one bound.
struct Bounded<S: Space> {
    item: Item,
    /// How many more items may come of it.
    left: u32,
    /// What was found of it.
    events: Vec<Event<S>>,
    items: Vec<Item>,
}

impl<S: Space> Negating<S> {
    /// After the run of `item`, which has `found` something.
    pub(crate) fn new(
        space: &S,
        run: Run<S>,
        item: Item,
        score: u64,
        found: Vec<Event<S>>,
        events: &mut Vec<Event<S>>,
    ) -> Box<Negating<S>> {
        let Run { node, beside } = run;
        let end = space.point(&node.state);
        let bounded = match item.region.bound {
            Some(left) => Some(Bounded { item, left, events: found, items: Vec::new() }),
            None => {
                events.extend(found);
                None
            }
        };
        Box::new(Negating { end, witness: node.witness, beside, next: 0, score, bounded })
    }

    /// Whether nothing is left to negate.
    pub(crate) fn is_done(&self) -> bool {
        self.next >= self.beside.len()
    }

    /// The items that were held back, and the events; to be called when it is done.
    pub(crate) fn finish(&mut self, events: &mut Vec<Event<S>>) -> Vec<Item> {
        let Some(bounded) = self.bounded.take() else { return Vec::new() };
        events.extend(bounded.events);
        bounded.items
    }

    /// Negates the next decision. Returns the item that comes of it, if it need not be held back.
    pub(crate) fn next(
        &mut self,
        space: &mut S,
        counters: &mut Counters,
        events: &mut Vec<Event<S>>,
    ) -> Option<Item> {
        if self.bounded.as_ref().is_some_and(|b| b.left == 0) {
            let rest = self.undone(space);
            self.next = self.beside.len();
            let cut = |region| Event::Cut { region, limit: Limit::Bound };
            self.bounded.as_mut()?.events.extend(rest.into_iter().map(cut));
            return None;
        }
        let Beside { point, cond, side, known } = self.beside.get(self.next)?;
        self.next += 1;
        let position = space.depth(point) + 1;
        let events = self.bounded.as_mut().map_or(events, |b| &mut b.events);
        let mut region = match known {
            Some(region) => region.clone(),
            None => {
                counters.questions += 1;
                match space.ask(point, cond, *side, &self.witness) {
                    Answer::Infeasible => return None,
                    Answer::Feasible(inputs) => {
                        counters.feasible += 1;
                        let mut child = point.clone();
                        space.take(&mut child, cond, *side);
                        Region::subtree(own_cut(space, &child, &inputs, Side::Before))
                    }
                    Answer::Unknown(reason) => {
                        let start = own_cut(space, point, &self.witness, Side::Before);
                        let end = Cut { side: Side::After, ..start.clone() };
                        let region = unasked(space, point, cond, *side, &self.witness, start, end);
                        events.push(Event::Unknown { region, reason });
                        return None;
                    }
                }
            }
        };
        if let Some(bounded) = &mut self.bounded {
            bounded.left -= 1;
            region.bound = Some(bounded.left);
        }
        let item = Item { region, position, score: self.score };
        match &mut self.bounded {
            None => Some(item),
            Some(bounded) => {
                bounded.items.push(item);
                None
            }
        }
    }

    /// What of the item is left, if it is interrupted now.
    pub(crate) fn remaining(&self, space: &mut S) -> Vec<Region> {
        match &self.bounded {
            Some(bounded) => vec![bounded.item.region.clone()],
            None => self.undone(space),
        }
    }

    /// The sides that are not negated yet: those before the run's own path, and those behind it.
    fn undone(&self, space: &mut S) -> Vec<Region> {
        let left = &self.beside[self.next..];
        let mut regions = Vec::new();
        if let Some(first) = left.iter().find(|b| b.side) {
            let lo = own_cut(space, &first.point, &self.witness, Side::Before);
            let hi = own_cut(space, &self.end, &self.witness, Side::Before);
            regions.push(Region::of(Some(lo), Some(hi)));
        }
        if let Some(first) = left.iter().find(|b| !b.side) {
            let lo = own_cut(space, &self.end, &self.witness, Side::After);
            let hi = match &first.known {
                Some(region) => region.hi.clone(),
                None => Some(own_cut(space, &first.point, &self.witness, Side::After)),
            };
            regions.push(Region::of(Some(lo), hi));
        }
        regions
    }
}

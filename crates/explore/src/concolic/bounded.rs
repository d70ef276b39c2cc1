//! An item with a depth bound (Siddiqui and Khurshid 2010, figure 1).

use cleave_region::Weight;

use crate::concolic::negating::{Negated, Negating};
use crate::concolic::queue::Item;
use crate::event::{Event, Limit};
use crate::meter::Meter;
use crate::space::Space;

/// A run of an item with a depth bound. It is exported as a whole: the rest of a half-finished run would be several
/// regions that share one bound.
pub(crate) struct Bounded<S: Space> {
    item: Item,
    negating: Box<Negating<S>>,
    /// Score of the items that result.
    score: u64,
    /// Number of further items that may result.
    left: u32,
    /// The events and items found so far.
    events: Vec<Event<S>>,
    items: Vec<Item>,
    /// The weights of all that ended without a reported path.
    ended: Weight,
}

impl<S: Space> Bounded<S> {
    /// Created after the run of `item`, with the `found` events, the `ended` weights and `score` new places.
    pub(crate) fn new(
        item: Item,
        left: u32,
        negating: Box<Negating<S>>,
        score: u64,
        (found, ended): (Vec<Event<S>>, Weight),
    ) -> Box<Bounded<S>> {
        Box::new(Bounded { item, negating, score, left, events: found, items: Vec::new(), ended })
    }

    /// The remaining work if it is interrupted now: the whole item.
    pub(crate) fn item(&self) -> &Item {
        &self.item
    }

    /// Negates the next decision. When it is done, returns the items found and the weights of all that ended without a
    /// reported path.
    pub(crate) fn next(
        &mut self,
        space: &mut S,
        meter: &mut Meter,
        events: &mut Vec<Event<S>>,
    ) -> Option<(Vec<Item>, Weight)> {
        if self.left > 0 {
            match self.negating.next(space, meter) {
                Negated::Nothing => {}
                Negated::Refuted(weight) => self.ended += weight,
                Negated::Unknown(region, reason) => self.events.push(Event::Unknown { region, reason }),
                Negated::Item(mut region) => {
                    self.left -= 1;
                    region.bound = Some(self.left);
                    self.items.push(Item { region, score: self.score, of: None });
                }
            }
        }
        if self.left > 0 && self.negating.sides() > 0 {
            return None;
        }
        let cut = |region| Event::Cut { spins: None, region, limit: Limit::Bound };
        self.events.extend(self.negating.undone(space).into_iter().map(cut));
        events.append(&mut self.events);
        Some((std::mem::take(&mut self.items), self.ended))
    }
}

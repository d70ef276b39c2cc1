//! The rest of an item after its run: the decisions of the run are negated, one after the other. The queue of a concolic
//! exploration holds these.

use std::sync::Arc;

use cleave_region::{Cut, Region, Side, Test, Weight};

use crate::concolic::run::{Beside, Run, unasked};
use crate::meter::Meter;
use crate::space::{Answer, Space};
use crate::states::node::{cut_of, own_cut};

/// A finished run, and the unchecked sides beside it.
pub(crate) struct Negating<S: Space> {
    /// State at the end of the run.
    end: S::State,
    witness: S::Witness,
    /// In the order of decisions.
    beside: Vec<Beside<S>>,
    /// The next one of `beside`.
    next: usize,
}

/// Result of negating a decision.
pub(crate) enum Negated {
    /// The region of an item.
    Item(Region),
    /// A side without an answer of the solver, and the reason.
    Unknown(Region, String),
    /// An infeasible side, with its weight.
    Refuted(Weight),
    /// No decision is left.
    Nothing,
}

impl<S: Space> Negating<S> {
    /// Created from a finished run.
    pub(crate) fn new(space: &S, run: Run<S>) -> Box<Negating<S>> {
        let Run { node, beside, .. } = run;
        let end = space.point(&node.state);
        Box::new(Negating { end, witness: node.witness, beside, next: 0 })
    }

    /// Number of sides that are left.
    pub(crate) fn sides(&self) -> usize {
        self.beside.len() - self.next
    }

    /// The length of the prefix that ends with the next side.
    pub(crate) fn position(&self, space: &S) -> u32 {
        self.beside.get(self.next).map_or(0, |beside| space.depth(&beside.point) + 1)
    }

    /// Negates the next decision. Returns the result.
    pub(crate) fn next(&mut self, space: &mut S, meter: &mut Meter) -> Negated {
        let Some(Beside { point, cond, side, known, weight }) = self.beside.get(self.next) else {
            return Negated::Nothing;
        };
        self.next += 1;
        if let Some(region) = known {
            return Negated::Item(region.clone());
        }
        match meter.ask(space, point, cond, *side, &self.witness) {
            Answer::Infeasible => Negated::Refuted(*weight),
            Answer::Feasible(inputs) => {
                let mut child = point.clone();
                space.take(&mut child, cond, *side);
                Negated::Item(Region::subtree(own_cut(space, &child, &inputs, Side::Before)))
            }
            Answer::Unknown(reason) => {
                let start = own_cut(space, point, &self.witness, Side::Before);
                let end = Cut { side: Side::After, ..start.clone() };
                Negated::Unknown(unasked(space, point, cond, *side, &self.witness, start, end), reason)
            }
        }
    }

    /// The rest of the item: the sides that are not negated yet, those before the run's own path, and those
    /// behind it. All cuts have the run's own test.
    pub(crate) fn undone(&self, space: &mut S) -> Vec<Region> {
        let test: Arc<Test> = space.write_down(&self.end, &self.witness).into();
        let first = |side| self.beside[self.next..].iter().find(|beside| beside.side == side);
        // True sides begin before the decision, false sides end after it; the first one goes farthest.
        let before = first(true).map(|far| {
            let lo = cut_of(space, &far.point, &test, Side::Before);
            Region::of(Some(lo), Some(cut_of(space, &self.end, &test, Side::Before)))
        });
        let behind = first(false).map(|far| {
            let hi = match &far.known {
                // The region's own end leads there.
                Some(region) => region.hi.clone(),
                None => Some(cut_of(space, &far.point, &test, Side::After)),
            };
            Region::of(Some(cut_of(space, &self.end, &test, Side::After)), hi)
        });
        before.into_iter().chain(behind).collect()
    }
}

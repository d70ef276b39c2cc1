//! What is left to do after the run of an item: its decisions are negated, one after the other.

use std::sync::Arc;

use cleave_region::{Cut, Fingerprints, Region, Side, Test};

use crate::concolic::run::{Beside, Run, unasked};
use crate::explorer::Counters;
use crate::node::own_cut;
use crate::space::{Answer, Space};

/// A run that was made, and the sides beside it that nobody asked for.
pub(crate) struct Negating<S: Space> {
    /// Where the run ended.
    end: S::State,
    witness: S::Witness,
    /// In the order of decisions.
    beside: Vec<Beside<S>>,
    /// The next one of `beside`.
    next: usize,
}

/// What came of a decision that was negated.
pub(crate) enum Negated {
    /// The region of an item.
    Item(Region),
    /// Where nobody knows whether there is a path, and why not.
    Unknown(Region, String),
    /// No path, or no decision is left.
    Nothing,
}

impl<S: Space> Negating<S> {
    /// After a run.
    pub(crate) fn new(space: &S, run: Run<S>) -> Box<Negating<S>> {
        let Run { node, beside } = run;
        let end = space.point(&node.state);
        Box::new(Negating { end, witness: node.witness, beside, next: 0 })
    }

    /// How many sides are left.
    pub(crate) fn sides(&self) -> usize {
        self.beside.len() - self.next
    }

    /// The length of the prefix that ends with the next side.
    pub(crate) fn position(&self, space: &S) -> u32 {
        self.beside.get(self.next).map_or(0, |beside| space.depth(&beside.point) + 1)
    }

    /// Negates the next decision. Returns what comes of it.
    pub(crate) fn next(&mut self, space: &mut S, counters: &mut Counters) -> Negated {
        let Some(Beside { point, cond, side, known }) = self.beside.get(self.next) else {
            return Negated::Nothing;
        };
        self.next += 1;
        if let Some(region) = known {
            return Negated::Item(region.clone());
        }
        counters.questions += 1;
        match space.ask(point, cond, *side, &self.witness) {
            Answer::Infeasible => Negated::Nothing,
            Answer::Feasible(inputs) => {
                counters.feasible += 1;
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

    /// What of the item is left: the sides that are not negated yet, those before the run's own path, and those
    /// behind it.
    pub(crate) fn undone(&self, space: &mut S) -> Vec<Region> {
        let test = self.test(space);
        let all = |side| {
            let first = self.left(side).next()?;
            Some(between(side, self.far(space, first, &test), self.near(space, side, &test)))
        };
        [true, false].into_iter().filter_map(all).collect()
    }

    /// The inputs of the run: the test of all cuts of its sides.
    fn test(&self, space: &mut S) -> Arc<Test> {
        space.write_down(&self.end, &self.witness).into()
    }

    /// The sides of one kind that are left.
    fn left(&self, side: bool) -> impl Iterator<Item = &Beside<S>> {
        self.beside[self.next..].iter().filter(move |beside| beside.side == side)
    }

    /// Where a side ends that is away from the run's own path.
    fn far(&self, space: &S, beside: &Beside<S>, test: &Arc<Test>) -> Option<Cut> {
        match &beside.known {
            // The region's own end leads there.
            Some(region) => region.hi.clone(),
            None => Some(cut(space, &beside.point, test, outer(beside.side))),
        }
    }

    /// Where all sides of one kind end: at the run's own path.
    fn near(&self, space: &S, side: bool, test: &Arc<Test>) -> Option<Cut> {
        Some(cut(space, &self.end, test, outer(side)))
    }
}

/// True sides begin before the decision, false sides end after it.
fn outer(side: bool) -> Side {
    if side { Side::Before } else { Side::After }
}

/// What lies on a side between its far end and one nearer to the run's own path.
fn between(side: bool, far: Option<Cut>, near: Option<Cut>) -> Region {
    if side { Region::of(far, near) } else { Region::of(near, far) }
}

/// A cut at a decision of the run with the inputs `test`.
fn cut<S: Space>(space: &S, state: &S::State, test: &Arc<Test>, side: Side) -> Cut {
    let (depth, digest) = (Some(space.depth(state)), Some(space.digest(state)));
    let fingerprints = Fingerprints::of(&space.decisions(state));
    Cut { test: test.clone(), depth, side, digest, fingerprints }
}

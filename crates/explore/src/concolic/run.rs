//! The concrete run of an item: one path, followed to its end without a solver, and the sides beside it.

use std::rc::Rc;

use cleave_region::{Cut, Region, Side};

use crate::counters::Counters;
use crate::divergence::Divergence;
use crate::explorer::{Event, Limit, Limits, excluded};
use crate::node::{Bound, Diverged, Node, own_cut};
use crate::space::{Answer, Outcome, Space};
use crate::trail::Trail;

/// So many decisions are taken before others have a look at the worker.
const DECISIONS: u32 = 256;

/// A side of a decision that the run did not take, and that is in its region.
pub(crate) struct Beside<S: Space> {
    /// The decisions before it.
    pub(crate) point: S::State,
    pub(crate) cond: S::Cond,
    pub(crate) side: bool,
    /// The region's upper end lies in it, so that its paths need not be asked for.
    pub(crate) known: Option<Region>,
}

/// A run on its way.
pub(crate) struct Run<S: Space> {
    pub(crate) node: Node<S>,
    /// In the order of decisions.
    pub(crate) beside: Vec<Beside<S>>,
}

/// How far a run has come.
pub(crate) enum Pace {
    /// The fuel is used up.
    Paused,
    /// It is over, and what it came to is reported.
    Over,
    /// A cut's test took other decisions than those it was made with.
    Diverged(Box<Divergence>),
}

/// A decision that the run stands before.
struct Decision<C> {
    cond: C,
    /// Only the true side is a path.
    assume: bool,
    /// Where the cuts' tests go.
    lo: Option<bool>,
    hi: Option<bool>,
}

impl<C> Decision<C> {
    /// Whether the cuts leave a side open, and it can be a path.
    fn is_open(&self, side: bool) -> bool {
        if side { self.lo != Some(false) } else { self.hi != Some(true) && !self.assume }
    }
}

/// Where the run goes on.
enum Way {
    Side(bool),
    End,
}

impl<S: Space> Run<S> {
    pub(crate) fn new(node: Node<S>) -> Run<S> {
        Run { node, beside: Vec::new() }
    }

    /// Goes on for about `fuel` instructions, at most to the end.
    pub(crate) fn advance(
        &mut self,
        space: &mut S,
        fuel: u64,
        limits: &Limits,
        trail: &mut Trail<S>,
        counters: &mut Counters,
        events: &mut Vec<Event<S>>,
    ) -> Pace {
        let begin = space.instructions(&self.node.state);
        for _ in 0..DECISIONS {
            let here = space.instructions(&self.node.state);
            let Some(fuel) = (begin + fuel).checked_sub(here).filter(|left| *left > 0) else { break };
            let limit = limits.max_instructions.filter(|_| self.node.is_free(space));
            // Exactly up to the limit, so that it is reached at the same place whatever the fuel is.
            let left = limit.map(|limit| limit.saturating_sub(here));
            let outcome = if left == Some(0) {
                Outcome::OutOfFuel
            } else {
                space.run(&mut self.node.state, &self.node.witness, left.unwrap_or(fuel).min(fuel))
            };
            match outcome {
                Outcome::OutOfFuel if limit.is_some_and(|n| space.instructions(&self.node.state) >= n) => {
                    let region = self.node.export(space);
                    events.push(Event::Cut { region, limit: Limit::Instructions });
                    return Pace::Over;
                }
                Outcome::OutOfFuel => return Pace::Paused,
                Outcome::Ended(end) => {
                    return match self.node.settle(space, true) {
                        Ok(inside) => {
                            if inside {
                                let (state, witness) = (self.node.state.clone(), self.node.witness.clone());
                                events.push(Event::Path { end, state, witness });
                            }
                            Pace::Over
                        }
                        Err(Diverged(cut)) => self.diverged(space, cut),
                    };
                }
                Outcome::Decision { cond, assume } => {
                    counters.decisions += 1;
                    let node = &self.node;
                    if (node.lo.is_some() && node.hi.is_some()) || space.depth(&node.state) == 0 {
                        trail.pass(space, &node.state);
                    }
                    let lo = node.lo.as_ref().map(|b| space.decides(&cond, &b.witness));
                    let hi = node.hi.as_ref().map(|b| space.decides(&cond, &b.witness));
                    let over =
                        self.decide(space, Decision { cond, assume, lo, hi }, limits, counters, events);
                    if let Some(over) = over {
                        return over;
                    }
                }
            }
        }
        Pace::Paused
    }

    fn diverged(&self, space: &S, cut: Cut) -> Pace {
        Pace::Diverged(Box::new(Divergence::new(space, &self.node.state, cut)))
    }

    /// Takes the side that the inputs take, and notes the other one. `Some` where the run is over.
    fn decide(
        &mut self,
        space: &mut S,
        decision: Decision<S::Cond>,
        limits: &Limits,
        counters: &mut Counters,
        events: &mut Vec<Event<S>>,
    ) -> Option<Pace> {
        let depth = space.depth(&self.node.state);
        if limits.max_depth.is_some_and(|d| depth >= d) && self.node.is_free(space) {
            let region = self.node.export(space);
            events.push(Event::Cut { region, limit: Limit::Depth });
            return Some(Pace::Over);
        }
        let sides = [decision.lo, decision.hi];
        if decision.assume
            && let Some(divergence) = excluded(space, &self.node, &decision.cond, sides)
        {
            return Some(Pace::Diverged(Box::new(divergence)));
        }
        let own = space.decides(&decision.cond, &self.node.witness);
        let way = if decision.is_open(own) {
            if decision.is_open(!own)
                && let Err(diverged) = self.note(space, &decision, !own)
            {
                return Some(diverged);
            }
            Way::Side(own)
        } else if decision.is_open(!own) {
            self.turn(space, &decision, !own, counters, events)
        } else {
            Way::End
        };
        let Way::Side(side) = way else { return Some(Pace::Over) };
        space.take(&mut self.node.state, &decision.cond, side);
        // A cut goes with the side that its test takes; the other side is free of it.
        if decision.lo != Some(side) {
            self.node.lo = None;
        }
        if decision.hi != Some(side) {
            self.node.hi = None;
        }
        match self.node.settle(space, false) {
            Ok(true) => None,
            Ok(false) => Some(Pace::Over),
            Err(Diverged(cut)) => Some(self.diverged(space, cut)),
        }
    }

    /// The side that the inputs take leads out of the region, or is excluded by an assumption: goes on with inputs
    /// of the other.
    fn turn(
        &mut self,
        space: &mut S,
        decision: &Decision<S::Cond>,
        side: bool,
        counters: &mut Counters,
        events: &mut Vec<Event<S>>,
    ) -> Way {
        if decision.hi == Some(side)
            && let Some(hi) = &self.node.hi
        {
            self.node.witness = hi.witness.clone();
            return Way::Side(side);
        }
        match counters.ask(space, &self.node.state, &decision.cond, side, &self.node.witness) {
            Answer::Feasible(witness) => {
                self.node.witness = witness;
                Way::Side(side)
            }
            Answer::Infeasible => {
                if decision.assume {
                    counters.assumed_away += 1;
                    let (state, witness) = (&self.node.state, &self.node.witness);
                    let path = |end| Event::Path { end, state: state.clone(), witness: witness.clone() };
                    events.extend(space.assumed_away(state).map(path));
                }
                Way::End
            }
            Answer::Unknown(reason) => {
                let (start, end) = (self.node.start(space), self.node.end(space));
                let region =
                    unasked(space, &self.node.state, &decision.cond, side, &self.node.witness, start, end);
                events.push(Event::Unknown { region, reason });
                Way::End
            }
        }
    }

    /// Notes a side that the inputs do not take.
    fn note(&mut self, space: &mut S, decision: &Decision<S::Cond>, side: bool) -> Result<(), Pace> {
        // The run follows the lower cut, so that only the upper one can go another way.
        let hi = self.node.hi.clone().filter(|_| decision.hi == Some(side));
        let point = space.point(&self.node.state);
        let known = match hi {
            None => None,
            Some(hi) => match towards(space, &point, &decision.cond, side, hi)? {
                None => return Ok(()),
                region => region,
            },
        };
        self.beside.push(Beside { point, cond: decision.cond.clone(), side, known });
        Ok(())
    }
}

/// The share of a region that lies on the side to which its upper end leads; `None` where that ends before it.
fn towards<S: Space>(
    space: &mut S,
    point: &S::State,
    cond: &S::Cond,
    side: bool,
    hi: Rc<Bound<S::Witness>>,
) -> Result<Option<Region>, Pace> {
    let mut state = point.clone();
    space.take(&mut state, cond, side);
    let mut node: Node<S> = Node { state, witness: hi.witness.clone(), lo: None, hi: Some(hi) };
    match node.settle(space, false) {
        Ok(inside) => Ok(inside.then(|| node.export(space))),
        Err(Diverged(cut)) => Err(Pace::Diverged(Box::new(Divergence::new(space, &node.state, cut)))),
    }
}

/// The region of a side that has no witness: between a cut at its node's start or end, and one at the side that
/// `witness` takes.
pub(crate) fn unasked<S: Space>(
    space: &mut S,
    point: &S::State,
    cond: &S::Cond,
    side: bool,
    witness: &S::Witness,
    start: Cut,
    end: Cut,
) -> Region {
    let mut taken = point.clone();
    space.take(&mut taken, cond, !side);
    if side {
        Region::of(Some(start), Some(own_cut(space, &taken, witness, Side::Before)))
    } else {
        Region::of(Some(own_cut(space, &taken, witness, Side::After)), Some(end))
    }
}

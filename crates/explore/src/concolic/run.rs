//! The concrete run of an item: one path, followed to its end without a solver, and the sides beside it.

use cleave_region::{Cut, Region, Weight};

use crate::event::{Event, Limit, Limits};
use crate::meter::Meter;
use crate::paths::checkpoints::Trail;
use crate::paths::crossing::{Crossing, cut_beside};
use crate::paths::divergence::Divergence;
use crate::space::{Answer, Space};
use crate::states::node::{Diverged, Node, Ran};

/// Maximum number of decisions before the worker returns to its loop.
const DECISIONS: u32 = 256;

/// A side of a decision that the run did not take and that lies in the item's region.
pub(crate) struct Beside<S: Space> {
    /// The decisions before it.
    pub(crate) point: S::State,
    pub(crate) cond: S::Cond,
    pub(crate) side: bool,
    /// Set if the region's upper end lies in the side, so that its feasibility is known.
    pub(crate) known: Option<Region>,
    /// Weight of the side.
    pub(crate) weight: Weight,
}

/// A run in progress.
pub(crate) struct Run<S: Space> {
    pub(crate) node: Node<S>,
    /// In the order of decisions.
    pub(crate) beside: Vec<Beside<S>>,
    /// The weight of an infeasible side at which it ended, if that is not the weight of a path.
    pub(crate) ended: Weight,
}

/// Result of advancing a run.
pub(crate) enum Pace {
    /// The fuel is used up.
    Paused,
    /// The run has ended, and its events are reported.
    Over,
    /// A cut's test took other decisions than those with which the cut was made.
    Diverged(Box<Divergence>),
}

/// The continuation of a run after a decision.
enum Way {
    Side(bool),
    End,
}

impl<S: Space> Run<S> {
    pub(crate) fn new(node: Node<S>) -> Run<S> {
        Run { node, beside: Vec::new(), ended: Weight::ZERO }
    }

    /// Continues for about `fuel` instructions, at most to the end.
    pub(crate) fn advance(
        &mut self,
        space: &mut S,
        fuel: u64,
        limits: &Limits,
        trail: &mut Trail<S>,
        meter: &mut Meter,
        events: &mut Vec<Event<S>>,
    ) -> Pace {
        let begin = space.instructions(&self.node.state);
        for _ in 0..DECISIONS {
            let here = space.instructions(&self.node.state);
            let Some(fuel) = (begin + fuel).checked_sub(here).filter(|left| *left > 0) else { break };
            match self.node.run(space, fuel, limits) {
                Ran::Paused => return Pace::Paused,
                Ran::TooLong => {
                    let (spins, region) = (space.spinning(&self.node.state), self.node.export(space));
                    events.push(Event::Cut { spins, region, limit: Limit::Instructions });
                    return Pace::Over;
                }
                Ran::Ended(end) => {
                    return match self.node.settle(space, true) {
                        Ok(inside) => {
                            if inside {
                                let (state, witness) = (self.node.state.clone(), self.node.witness.clone());
                                events.push(Event::Path { end, state, witness, weight: self.node.weight });
                            }
                            Pace::Over
                        }
                        Err(Diverged(cut)) => self.diverged(space, cut),
                    };
                }
                Ran::Decision(cond, assume) => {
                    meter.counters.decisions += 1;
                    let crossing = Crossing::of(space, &self.node, cond, assume, trail);
                    if let Some(over) = self.decide(space, &crossing, limits, meter, events) {
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

    /// Takes the side that the inputs take, and notes the other one. Returns `Some` if the run has ended.
    fn decide(
        &mut self,
        space: &mut S,
        crossing: &Crossing<S::Cond>,
        limits: &Limits,
        meter: &mut Meter,
        events: &mut Vec<Event<S>>,
    ) -> Option<Pace> {
        if self.node.is_too_deep(space, limits) {
            let (spins, region) = (space.spinning(&self.node.state), self.node.export(space));
            events.push(Event::Cut { spins, region, limit: Limit::Depth });
            return Some(Pace::Over);
        }
        if let Some(divergence) = crossing.excluded(space, &self.node) {
            return Some(Pace::Diverged(Box::new(divergence)));
        }
        let own = space.decides(&crossing.cond, &self.node.witness);
        let way = if crossing.is_open(own) {
            if crossing.is_open(!own)
                && let Err(diverged) = self.note(space, crossing, !own)
            {
                return Some(diverged);
            }
            Way::Side(own)
        } else if crossing.is_open(!own) {
            self.turn(space, crossing, !own, meter, events)
        } else {
            Way::End
        };
        let Way::Side(side) = way else { return Some(Pace::Over) };
        let inside = crossing.cross(space, &mut self.node, side);
        meter.way.passed(space.depth(&self.node.state));
        match inside {
            Ok(true) => None,
            Ok(false) => Some(Pace::Over),
            Err(Diverged(cut)) => Some(self.diverged(space, cut)),
        }
    }

    /// Handles a side of the inputs that leads out of the region, or that an assumption excludes: continues with inputs
    /// that take the other side.
    fn turn(
        &mut self,
        space: &mut S,
        crossing: &Crossing<S::Cond>,
        side: bool,
        meter: &mut Meter,
        events: &mut Vec<Event<S>>,
    ) -> Way {
        if let Some(hi) = crossing.upper(&self.node, side) {
            self.node.witness = hi.witness.clone();
            return Way::Side(side);
        }
        match meter.ask(space, &self.node.state, &crossing.cond, side, &self.node.witness) {
            Answer::Feasible(witness) => {
                self.node.witness = witness;
                Way::Side(side)
            }
            Answer::Infeasible => {
                let Node { state, witness, weight, .. } = &self.node;
                let end = if crossing.assume { space.assumed_away(state) } else { None };
                meter.counters.assumed_away += u64::from(crossing.assume);
                match end {
                    Some(end) => {
                        let (state, witness) = (state.clone(), witness.clone());
                        events.push(Event::Path { end, state, witness, weight: *weight });
                    }
                    None => self.ended += weight.behind(space.digest(state), side, crossing.assume),
                }
                Way::End
            }
            Answer::Unknown(reason) => {
                let (start, end) = (self.node.start(space), self.node.end(space));
                let region =
                    unasked(space, &self.node.state, &crossing.cond, side, &self.node.witness, start, end);
                events.push(Event::Unknown { region, reason });
                Way::End
            }
        }
    }

    /// Notes a side that the inputs do not take.
    fn note(&mut self, space: &mut S, crossing: &Crossing<S::Cond>, side: bool) -> Result<(), Pace> {
        let point = space.point(&self.node.state);
        let weight = self.node.weight.behind(space.digest(&self.node.state), side, crossing.assume);
        // The run follows the lower cut, so that only the upper one can diverge.
        let known = match crossing.upper(&self.node, side).map(|hi| hi.witness.clone()) {
            None => None,
            Some(witness) => {
                let state = point.clone();
                let (hi, weight) = (self.node.hi.clone(), self.node.weight);
                let mut node: Node<S> = Node { state, witness, lo: None, hi, weight };
                match crossing.cross(space, &mut node, side) {
                    Ok(true) => Some(node.export(space)),
                    // The region ends before that side.
                    Ok(false) => return Ok(()),
                    Err(Diverged(cut)) => {
                        return Err(Pace::Diverged(Box::new(Divergence::new(space, &node.state, cut))));
                    }
                }
            }
        };
        self.beside.push(Beside { point, cond: crossing.cond.clone(), side, known, weight });
        Ok(())
    }
}

/// The region of a side without a model: between a cut at the start or end of its node, and one at the side that
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
    let beside = cut_beside(space, point, cond, side, witness);
    if side { Region::of(Some(start), Some(beside)) } else { Region::of(Some(beside), Some(end)) }
}

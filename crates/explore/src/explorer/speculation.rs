//! Speculative search (Zhang, Chen and Wang, S2PF, 2012): sides of decisions are taken unchecked, then one query
//! covers the whole *segment* of them. [`Explorer`](super::Explorer) calls it under [`Feasibility::Speculative`].
//!
//! A segment begins at a state whose path is known to be feasible, and goes on depth-first, true sides first. Its first
//! state stays in the frontier meanwhile, so an infeasible segment costs only its own work. After the query, the rest of
//! the segment replaces that state: the sides that the segment did not take, and the state at its end. An infeasible path may
//! run into anything, and for ever, so a segment is also checked after some instructions, and before every effect that is
//! visible from outside.

use cleave_region::Weight;

use crate::event::Event;
use crate::explorer::Explorer;
use crate::feasibility::{Backtrack, Feasibility};
use crate::space::{Outcome, Space, Together};
use crate::states::entries::{Rest, Unasked, Waiting};
use crate::states::frontier::{AtHand, Held};
use crate::states::node::Node;

/// Maximum number of instructions before a segment is checked, however few its decisions are.
const AHEAD: u64 = 1 << 16;

/// A decision taken ahead.
struct Step<S: Space> {
    /// The state at the decision.
    state: S::State,
    cond: S::Cond,
    side: bool,
    other: Other,
    assume: bool,
    /// Weight of the state's place.
    weight: Weight,
}

/// Status of the side that a segment does not take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    /// It waits to be visited.
    Open,
    /// It is infeasible, which needs no query.
    Refuted,
    /// It is no path, or belongs to another region.
    Closed,
}

/// One or more unchecked decisions in a row.
pub(super) struct Segment<S: Space> {
    /// Its first state, in the frontier.
    held: Held,
    /// Model of the path to the first decision.
    witness: S::Witness,
    steps: Vec<Step<S>>,
    state: S::State,
    /// Weight of the state's place.
    weight: Weight,
    /// Number of instructions of the path at the start of the segment.
    began: u64,
}

/// Result of the query for a segment.
struct Checked<S: Space> {
    /// Number of its first decisions that are feasible together.
    feasible: usize,
    /// A model of these decisions.
    witness: S::Witness,
    /// Reason why the solver did not decide the next one. If `None`, the next one is infeasible, or there is none.
    unknown: Option<String>,
}

impl<S: Space> Segment<S> {
    /// The state at its end.
    pub(super) fn state(&self) -> &S::State {
        &self.state
    }

    /// Takes a side of the decision at which the segment's state stands.
    fn take(&mut self, space: &mut S, cond: S::Cond, side: bool, other: Other, assume: bool) {
        let (state, weight) = (self.state.clone(), self.weight);
        self.weight = weight.behind(space.digest(&state), side, assume);
        space.take(&mut self.state, &cond, side);
        self.steps.push(Step { state, cond, side, other, assume, weight });
    }

    /// Continues with the true side, or with the false side if the true one is seen to be infeasible.
    fn go_on(&mut self, space: &mut S, cond: S::Cond, assume: bool) {
        if !assume {
            let mut on_true = self.state.clone();
            space.take(&mut on_true, &cond, true);
            if space.contradicts(&on_true) {
                return self.take(space, cond, false, Other::Refuted, false);
            }
        }
        let other = if assume { Other::Closed } else { Other::Open };
        self.take(space, cond, true, other, assume);
    }
}

impl<S: Space> Explorer<S> {
    /// Returns true if the decision of a node is taken ahead: only if no witness says which side is feasible.
    pub(super) fn goes_ahead(&self, space: &S, node: &Node<S>) -> bool {
        matches!(self.asking.feasibility, Feasibility::Speculative { .. })
            && !self.asking.witnesses
            && node.lo.is_none()
            && node.hi.is_none()
            && self.limits.max_depth.is_none_or(|d| space.depth(&node.state) < d)
    }

    /// Takes the decision of a node ahead.
    pub(super) fn ahead_of(
        &mut self,
        space: &mut S,
        at_hand: AtHand,
        node: Node<S>,
        cond: S::Cond,
        assume: bool,
        events: &mut Vec<Event<S>>,
    ) {
        self.meter.counters.decisions += 1;
        let began = space.instructions(&node.state);
        let (witness, state, weight) = (node.witness.clone(), node.state.clone(), node.weight);
        let held = self.frontier.hold(at_hand, space, Waiting::Node(node));
        let mut segment = Segment { held, witness, steps: Vec::new(), state, weight, began };
        segment.go_on(space, cond, assume);
        self.went_on(space, segment, events);
    }

    /// Takes an unchecked side ahead when its turn comes.
    pub(super) fn ahead_on(
        &mut self,
        space: &mut S,
        at_hand: AtHand,
        unasked: Unasked<S>,
        fuel: u64,
        events: &mut Vec<Event<S>>,
    ) {
        let began = space.instructions(&unasked.state);
        let (witness, state, weight) = (unasked.witness.clone(), unasked.state.clone(), unasked.weight);
        let (cond, side, assume) = (unasked.cond.clone(), unasked.side, unasked.assume);
        let held = self.frontier.hold(at_hand, space, Waiting::Unasked(unasked));
        let mut segment = Segment { held, witness, steps: Vec::new(), state, weight, began };
        segment.take(space, cond, side, Other::Closed, assume);
        self.went_on(space, segment, events);
        if let Some(segment) = self.segment.take() {
            self.speculate(space, segment, fuel, events);
        }
    }

    /// Checks the segment if it has enough decisions.
    fn went_on(&mut self, space: &mut S, segment: Segment<S>, events: &mut Vec<Event<S>>) {
        let Feasibility::Speculative { depth, .. } = self.asking.feasibility else { return };
        if segment.steps.len() >= depth as usize || space.contradicts(&segment.state) {
            self.finish(space, segment, None, events);
        } else {
            self.segment = Some(segment);
        }
    }

    /// Continues a segment for about `fuel` instructions.
    pub(super) fn speculate(
        &mut self,
        space: &mut S,
        mut segment: Segment<S>,
        fuel: u64,
        events: &mut Vec<Event<S>>,
    ) {
        let now = space.instructions(&segment.state);
        let end = segment.began.saturating_add(AHEAD).min(self.limits.max_instructions.unwrap_or(u64::MAX));
        let left = end.saturating_sub(now);
        let outcome = if left == 0 { None } else { space.run_ahead(&mut segment.state, left.min(fuel)) };
        self.frontier.has_run(space, space.instructions(&segment.state).saturating_sub(now));
        match outcome {
            None => self.finish(space, segment, None, events),
            Some(Outcome::OutOfFuel) => self.segment = Some(segment),
            Some(Outcome::Ended(end)) => self.finish(space, segment, Some(end), events),
            // The state at the end reaches the limit again.
            Some(Outcome::Decision { .. })
                if self.limits.max_depth.is_some_and(|d| space.depth(&segment.state) >= d) =>
            {
                self.finish(space, segment, None, events);
            }
            Some(Outcome::Decision { cond, assume }) => {
                self.meter.counters.decisions += 1;
                segment.go_on(space, cond, assume);
                self.went_on(space, segment, events);
            }
        }
    }

    /// Checks a segment; its rest replaces its first state.
    fn finish(
        &mut self,
        space: &mut S,
        segment: Segment<S>,
        end: Option<S::End>,
        events: &mut Vec<Event<S>>,
    ) {
        let Checked { feasible, witness, unknown } = self.check(space, &segment);
        self.tell_work(space);
        let mut rest = Rest { sides: Vec::new(), last: None, found: false };
        let Segment { held, steps, state, weight: weight_of_all, .. } = segment;
        let all = feasible == steps.len();
        for (i, Step { mut state, cond, side, other, assume, weight }) in steps.into_iter().enumerate() {
            let of_side = |space: &S, side| weight.of_side(space.digest(&state), side);
            if i < feasible {
                if other == Other::Refuted {
                    // A true side, so it precedes all remaining work.
                    self.ended += of_side(space, !side);
                }
                if other == Other::Open {
                    let (witness, side) = (witness.clone(), !side);
                    let unasked = Unasked { state, witness, cond, side, assume: false, weight };
                    rest.sides.push((side, Waiting::Unasked(unasked)));
                }
                continue;
            }
            // The path up to here is feasible and this side is infeasible, so the other side is feasible.
            if let Some(reason) = unknown {
                let (state, witness, cond) = (state.clone(), witness.clone(), cond.clone());
                let region = Unasked::<S> { state, witness, cond, side, assume, weight }.export(space);
                events.push(Event::Unknown { region, reason });
            } else if assume {
                rest.found = true;
                self.assumed_away(space, (state.clone(), witness.clone(), weight), events);
            } else {
                self.ended += of_side(space, side);
            }
            if other == Other::Open {
                let weight = of_side(space, !side);
                space.take(&mut state, &cond, !side);
                rest.last = Some(Waiting::Node(Node::free(state, witness.clone(), weight)));
            }
            break;
        }
        if all {
            match end {
                None => rest.last = Some(Waiting::Node(Node::free(state, witness, weight_of_all))),
                Some(end) => {
                    rest.found = true;
                    events.push(Event::Path { end, state, witness, weight: weight_of_all });
                }
            }
        }
        self.progressed |= self.frontier.replace(held, space, rest);
    }

    /// Queries a whole segment, and if it is infeasible, finds the last feasible decision.
    fn check(&mut self, space: &mut S, segment: &Segment<S>) -> Checked<S> {
        let Feasibility::Speculative { backtrack, .. } = self.asking.feasibility else {
            return Checked {
                feasible: 0,
                witness: segment.witness.clone(),
                unknown: Some("nobody asks".into()),
            };
        };
        let sides: Vec<_> = segment.steps.iter().map(|step| (step.cond.clone(), step.side)).collect();
        // The first `feasible` decisions are feasible together; the first `infeasible` are not.
        let (mut feasible, mut infeasible) = (0, sides.len() + 1);
        let mut witness = segment.witness.clone();
        let mut next = sides.len();
        while feasible + 1 < infeasible {
            let from = &segment.steps[0].state;
            match self.meter.ask_together(space, from, &sides[..next], &witness) {
                Together::Feasible(found) => (feasible, witness) = (next, found),
                Together::Infeasible { within } => {
                    let core = backtrack == Backtrack::Core;
                    infeasible = if core { within.clamp(feasible + 1, next) } else { next };
                }
                Together::Unknown(reason) => {
                    while feasible < sides.len()
                        && space.decides(&sides[feasible].0, &witness) == sides[feasible].1
                    {
                        feasible += 1;
                    }
                    return Checked { feasible, witness, unknown: Some(reason) };
                }
            }
            next = match backtrack {
                Backtrack::Core | Backtrack::Linear => infeasible - 1,
                Backtrack::Binary => feasible + (infeasible - feasible) / 2,
            };
        }
        Checked { feasible, witness, unknown: None }
    }
}

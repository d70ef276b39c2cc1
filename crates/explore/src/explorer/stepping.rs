//! The steps of an [`Explorer`]: a state runs to its next decision or its end, and a decision gives way to its sides.

use std::sync::Arc;

use cleave_region::Region;

use crate::event::{Event, Limit};
use crate::explorer::Explorer;
use crate::feasibility::Feasibility;
use crate::paths::crossing::Crossing;
use crate::paths::divergence::Divergence;
use crate::space::{Answer, Space};
use crate::states::entries::{Unasked, Waiting};
use crate::states::frontier::AtHand;
use crate::states::node::{Diverged, Node, Ran};
use crate::strategy::DECISION;

/// Branch status: knowledge about a side of a decision.
enum Known<W> {
    /// The side lies outside of the region, or violates an assumption and is no path.
    Closed,
    /// No input takes it.
    Refuted,
    Open(W),
    /// The side waits unchecked.
    Later,
    /// The solver did not decide if it has paths.
    Unknown(Region, String),
}

impl<S: Space> Explorer<S> {
    /// Continues one state for about `fuel` instructions, or until its next decision or its end.
    pub fn step(&mut self, space: &mut S, fuel: u64, events: &mut Vec<Event<S>>) {
        if self.progressed && space.is_full() && self.pays_to_renew(space) {
            self.renew(space);
        }
        self.told = space.work();
        let before = events.len();
        if let Some(segment) = self.segment.take() {
            self.speculate(space, segment, fuel, events);
        } else if let Some((at_hand, waiting)) = self.frontier.take(space) {
            self.go_on(space, at_hand, waiting, fuel, events);
        }
        if events.len() > before {
            let paths = events[before..].iter().filter(|event| matches!(event, Event::Path { .. }));
            self.frontier.found(paths.count() as u64);
        }
        if !events.is_empty() || self.is_done() {
            self.meter.way.arrived();
        }
    }

    /// Continues with a taken entry.
    fn go_on(
        &mut self,
        space: &mut S,
        at_hand: AtHand,
        waiting: Waiting<S>,
        fuel: u64,
        events: &mut Vec<Event<S>>,
    ) {
        match waiting {
            Waiting::Node(node) => self.run(space, at_hand, node, fuel, events),
            Waiting::Unknown { region, reason } => {
                self.frontier.end(at_hand);
                events.push(Event::Unknown { region, reason });
            }
            Waiting::Written(region) => match self.trail.begin(space, region) {
                Some(node) => self.run(space, at_hand, node, fuel, events),
                None => self.frontier.end(at_hand),
            },
            Waiting::Unasked(unasked)
                if matches!(self.asking.feasibility, Feasibility::Speculative { .. }) =>
            {
                self.ahead_on(space, at_hand, unasked, fuel, events);
            }
            Waiting::Unasked(unasked) => {
                let answer = self.answer(space, &unasked);
                self.tell_work(space);
                let Some(answer) = answer else { return self.frontier.put_off(at_hand, space, unasked) };
                match self.asked(space, unasked, answer, events) {
                    Some(node) => self.run(space, at_hand, node, fuel, events),
                    None => self.frontier.end(at_hand),
                }
            }
        }
    }

    /// Runs a state.
    fn run(
        &mut self,
        space: &mut S,
        at_hand: AtHand,
        mut node: Node<S>,
        fuel: u64,
        events: &mut Vec<Event<S>>,
    ) {
        let before = space.instructions(&node.state);
        let ran = node.run(space, fuel, &self.limits);
        let ran_for = space.instructions(&node.state).saturating_sub(before);
        self.worked += ran_for + DECISION;
        self.frontier.has_run(space, ran_for);
        self.tell_work(space);
        match ran {
            Ran::Paused => self.frontier.pauses(at_hand, space, node),
            Ran::TooLong => {
                self.frontier.end(at_hand);
                let (spins, region) = (space.spinning(&node.state), node.export(space));
                events.push(Event::Cut { spins, region, limit: Limit::Instructions });
            }
            Ran::Ended(end) => match node.settle(space, true) {
                Ok(inside) => {
                    self.frontier.end(at_hand);
                    if inside {
                        self.progressed = true;
                        let Node { state, witness, weight, .. } = node;
                        events.push(Event::Path { end, state, witness, weight });
                    }
                }
                Err(Diverged(cut)) => {
                    let divergence = Divergence::new(space, &node.state, cut);
                    self.frontier.give_back(at_hand, space, node);
                    self.diverge(space, divergence, events);
                }
            },
            Ran::Decision(cond, assume) if self.goes_ahead(space, &node) => {
                self.ahead_of(space, at_hand, node, cond, assume, events);
            }
            Ran::Decision(cond, assume) => self.decide(space, at_hand, node, cond, assume, events),
        }
    }

    /// False if most of what fills the space belongs to one path: all of it would be back when a state there goes on.
    fn pays_to_renew(&self, space: &S) -> bool {
        let since = self.own_decisions() - self.renewed_at;
        2 * u64::from(self.frontier.deepest(space)) <= since
    }

    /// Decisions that are not on the way to a region.
    fn own_decisions(&self) -> u64 {
        self.meter.counters.decisions - self.repeated
    }

    /// Suspends the remaining work as regions, renews the space, and continues with the regions.
    fn renew(&mut self, space: &mut S) {
        self.progressed = false;
        self.renewed_at = self.own_decisions();
        self.segment = None;
        self.trail.clear();
        let many = self.frontier.write_down(space);
        space.renew();
        self.meter.counters.written_down += u64::from(many);
    }

    /// Sets aside the region being followed, after its cut has turned out to be made with other decisions.
    fn diverge(&mut self, space: &mut S, divergence: Divergence, events: &mut Vec<Event<S>>) {
        let divergence = Arc::new(divergence);
        let event = |region| Event::Divergence { region, divergence: divergence.clone() };
        events.extend(self.frontier.diverged(space).into_iter().map(event));
    }

    /// Replaces the node by the sides of its decision.
    fn decide(
        &mut self,
        space: &mut S,
        at_hand: AtHand,
        node: Node<S>,
        cond: S::Cond,
        assume: bool,
        events: &mut Vec<Event<S>>,
    ) {
        self.meter.counters.decisions += 1;
        if !node.is_free(space) {
            self.repeated += 1;
            self.gave_at = self.worked;
        }
        space.note_words(&node.state, &node.witness, false);
        let crossing = Crossing::of(space, &node, cond, assume, &mut self.trail);
        if node.is_too_deep(space, &self.limits) {
            let (spins, region) = (space.spinning(&node.state), node.export(space));
            events.push(Event::Cut { spins, region, limit: Limit::Depth });
            self.fork(space, at_hand, ([None, None], true), events);
            return;
        }
        if let Some(divergence) = crossing.excluded(space, &node) {
            // The node stays, to be exported with the remaining work.
            self.frontier.give_back(at_hand, space, node);
            return self.diverge(space, divergence, events);
        }
        let own_side = space.decides(&crossing.cond, &node.witness);
        let known = [false, true].map(|side| self.known(space, &crossing, &node, side, own_side));
        self.tell_work(space);
        for side in [false, true] {
            if !matches!(known[usize::from(side)], Known::Refuted) {
                continue;
            }
            if assume {
                let (state, witness) = (node.state.clone(), node.witness.clone());
                self.assumed_away(space, (state, witness, node.weight), events);
            } else {
                let weight = node.weight.of_side(space.digest(&node.state), side);
                self.frontier.refuted(side, weight);
            }
        }
        let (sides, diverged) = self.sides(space, &crossing, node, known);
        self.tell_work(space);
        self.fork(space, at_hand, (sides, own_side), events);
        if let Some(divergence) = diverged {
            self.diverge(space, divergence, events);
        }
    }

    fn fork(
        &mut self,
        space: &S,
        at_hand: AtHand,
        (sides, own_side): ([Option<Waiting<S>>; 2], bool),
        events: &mut Vec<Event<S>>,
    ) {
        self.progressed |= self.frontier.fork(at_hand, space, sides, own_side, events);
    }

    /// The branch status of a side of a decision, before any side is taken.
    fn known(
        &mut self,
        space: &mut S,
        crossing: &Crossing<S::Cond>,
        node: &Node<S>,
        side: bool,
        own_side: bool,
    ) -> Known<S::Witness> {
        let eager = self.asking.feasibility == Feasibility::Eager;
        // An unchecked side is always the one opposite to a witness.
        // A state that follows a test keeps it as its witness.
        let asks_all = eager && !self.asking.witnesses && !self.frontier.is_pursuing();
        match (crossing.lower(node, side), crossing.upper(node, side)) {
            _ if !crossing.is_open(side) => Known::Closed,
            // A region's lower end is followed by its own test.
            (Some(lo), _) => Known::Open(lo.witness.clone()),
            _ if own_side == side && !asks_all => Known::Open(node.witness.clone()),
            (None, Some(hi)) => Known::Open(hi.witness.clone()),
            (None, None) if eager => self.asked_side(space, node, &crossing.cond, side, own_side),
            (None, None) => Known::Later,
        }
    }

    /// The waiting sides of a decision, the false one first, and the divergence of a cut, if there is one.
    fn sides(
        &mut self,
        space: &mut S,
        crossing: &Crossing<S::Cond>,
        mut node: Node<S>,
        mut known: [Known<S::Witness>; 2],
    ) -> ([Option<Waiting<S>>; 2], Option<Divergence>) {
        let both = known.iter().all(|k| matches!(k, Known::Open(_)));
        // The side opposite to an unchecked one is always open.
        let later = known.iter().any(|k| matches!(k, Known::Later));
        if both || later {
            space.share(&mut node.state);
        }
        let mut at_fork = later.then(|| (node.state.clone(), node.witness.clone(), node.weight));
        let mut rest = Some(node);
        let mut diverged = None;
        let mut sides = [None, None];
        for side in [false, true] {
            let waits = &mut sides[usize::from(side)];
            match std::mem::replace(&mut known[usize::from(side)], Known::Closed) {
                Known::Closed | Known::Refuted => {}
                Known::Later => {
                    *waits = at_fork.take().map(|(state, witness, weight)| {
                        let (cond, assume) = (crossing.cond.clone(), crossing.assume);
                        Waiting::Unasked(Unasked { state, witness, cond, side, assume, weight })
                    });
                }
                Known::Unknown(region, reason) => *waits = Some(Waiting::Unknown { region, reason }),
                Known::Open(witness) => {
                    let from = if both && !side { rest.clone() } else { rest.take() };
                    let Some(mut child) = from else { continue };
                    child.witness = witness;
                    let inside = crossing.cross(space, &mut child, side);
                    self.meter.way.passed(space.depth(&child.state));
                    match inside {
                        Ok(false) => continue,
                        Ok(true) => {}
                        // It is exported with the remaining work.
                        Err(Diverged(cut)) => diverged = Some(Divergence::new(space, &child.state, cut)),
                    }
                    *waits = Some(Waiting::Node(child));
                }
            }
        }
        (sides, diverged)
    }

    /// Queries an unchecked side when its turn comes; `None` if that takes long and can wait.
    fn answer(&mut self, space: &mut S, unasked: &Unasked<S>) -> Option<Answer<S::Witness>> {
        let Unasked { state, cond, side, witness, .. } = unasked;
        match self.frontier.can_wait() {
            Some(hurry) => self.meter.ask_first(space, state, (cond, *side), witness, hurry),
            None => Some(self.meter.ask(space, state, cond, *side, witness)),
        }
    }

    /// Handles the answer for an unchecked side.
    fn asked(
        &mut self,
        space: &mut S,
        unasked: Unasked<S>,
        answer: Answer<S::Witness>,
        events: &mut Vec<Event<S>>,
    ) -> Option<Node<S>> {
        self.progressed |= self.frontier.is_broad();
        let witness = match answer {
            Answer::Feasible(witness) => witness,
            Answer::Infeasible => {
                if unasked.assume {
                    let Unasked { state, witness, weight, .. } = unasked;
                    self.assumed_away(space, (state, witness, weight), events);
                } else {
                    self.ended += unasked.weight_of_side(space);
                }
                return None;
            }
            Answer::Unknown(reason) => {
                events.push(Event::Unknown { region: unasked.export(space), reason });
                return None;
            }
        };
        let weight = unasked.weight_of_side(space);
        let mut state = unasked.state;
        space.take(&mut state, &unasked.cond, unasked.side);
        Some(Node::free(state, witness, weight))
    }

    /// Queries a side of a decision at once and returns its branch status.
    fn asked_side(
        &mut self,
        space: &mut S,
        node: &Node<S>,
        cond: &S::Cond,
        side: bool,
        own_side: bool,
    ) -> Known<S::Witness> {
        match self.meter.ask(space, &node.state, cond, side, &node.witness) {
            Answer::Feasible(w) => Known::Open(w),
            Answer::Infeasible => Known::Refuted,
            Answer::Unknown(_) if side == own_side => Known::Open(node.witness.clone()),
            Answer::Unknown(reason) => {
                let (state, witness, weight) = (node.state.clone(), node.witness.clone(), node.weight);
                let unasked =
                    Unasked::<S> { state, witness, cond: cond.clone(), side, assume: false, weight };
                Known::Unknown(unasked.export(space), reason)
            }
        }
    }
}

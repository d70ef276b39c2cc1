//! The frontier: the waiting states of an exploration, and the one at hand. [`crate::Explorer`] calls it. Each state is either
//! waiting or at hand, and is never lost.

use cleave_never::never;
use cleave_region::{Cut, Expected, Region, Weight};

use crate::estimate::{DepthFirst, Experience};
use crate::event::{Event, Limits};
use crate::space::Space;
use crate::states::entries::{Given, Rest, Unasked, Waiting};
use crate::states::gaps::Gaps;
use crate::states::node::Node;
use crate::states::prioritised::Chosen;
use crate::states::prioritised::pursuit::{OnWay, TestWay};
use crate::strategy::{Slot, Strategy};

/// The frontier of a region.
pub(crate) struct Frontier<S: Space>(Keeping<S>);

/// Data structure of a frontier.
enum Keeping<S: Space> {
    /// Depth-first.
    Stack(Stack<S>),
    /// As a strategy chooses.
    Chosen(Box<Chosen<S>>),
}

/// States in falling order of paths. The next state is the last, and deeper states come later. All finished paths precede
/// all waiting states, so that the remaining work is one region.
struct Stack<S: Space> {
    waiting: Vec<Waiting<S>>,
    /// The region's upper end, without the part given away since.
    hi: Option<Cut>,
    /// Has a mark for each of `waiting`.
    estimate: Box<DepthFirst>,
    /// Infeasible sides between them.
    gaps: Gaps,
    /// The weights of those that the exploration has passed, since the last call of `take_refuted`.
    passed: Weight,
}

/// The duty that comes with a state that was taken: to give it back, to fork it or to end it. Only these methods of
/// [`Frontier`] consume it, so a state can be neither given back twice nor lost.
#[must_use = "what was taken has to be given back, forked or ended"]
pub(crate) struct AtHand(());

impl AtHand {
    /// Marks the duty as done.
    fn done(self) {
        std::mem::forget(self);
    }
}

impl Drop for AtHand {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            never!("a state was taken from the frontier and lost");
        }
    }
}

/// The state with which a segment began; it waits while the segment runs ahead. [`Frontier::replace`] replaces it by the rest.
pub(crate) struct Held(());

impl<S: Space> Frontier<S> {
    /// A frontier for the region that ends at `hi`, ordered by `strategy` within the limits on states. It has the state `first`.
    pub(crate) fn new(
        space: &mut S,
        hi: Option<Cut>,
        (strategy, limits): (Box<dyn Strategy>, &Limits),
        first: Option<Node<S>>,
    ) -> Frontier<S> {
        Frontier(if strategy.in_order() {
            let (waiting, estimate, gaps) = Default::default();
            let mut stack = Stack { waiting, hi, estimate, gaps, passed: Weight::ZERO };
            first.into_iter().for_each(|node| stack.push(Waiting::Node(node)));
            Keeping::Stack(stack)
        } else {
            let mut chosen = Box::new(Chosen::new(space, strategy, limits));
            if let Some(first) = first {
                chosen.plant(space, first);
            }
            Keeping::Chosen(chosen)
        })
    }

    /// Removes the bound on waiting states.
    pub(crate) fn unbounded(&mut self) {
        if let Keeping::Chosen(chosen) = &mut self.0 {
            chosen.unbounded();
        }
    }

    /// Number of waiting states.
    pub(crate) fn count(&self) -> usize {
        match &self.0 {
            Keeping::Stack(stack) => stack.waiting.len(),
            Keeping::Chosen(chosen) => chosen.count(),
        }
    }

    /// True if a strategy chooses among states, so that each state that leaves is as much progress as any other.
    pub(crate) fn is_broad(&self) -> bool {
        matches!(self.0, Keeping::Chosen(_))
    }

    /// Takes the next state.
    pub(crate) fn take(&mut self, space: &mut S) -> Option<(AtHand, Waiting<S>)> {
        let next = match &mut self.0 {
            Keeping::Stack(stack) => stack.take(),
            Keeping::Chosen(chosen) => chosen.take(space),
        }?;
        Some((AtHand(()), next))
    }

    /// Accounts for `instructions` run by the state at hand, and for the code that it reached.
    pub(crate) fn has_run(&mut self, space: &S, instructions: u64) {
        if let Keeping::Chosen(chosen) = &mut self.0 {
            chosen.has_run(space, instructions);
        }
    }

    /// Accounts for work of the space on queries of the state at hand, in addition to its instructions.
    pub(crate) fn has_asked(&mut self, work: u64) {
        if let Keeping::Chosen(chosen) = &mut self.0 {
            chosen.has_asked(work);
        }
    }

    /// Accounts for work of the space on recording the end of the state at hand.
    pub(crate) fn has_recorded(&mut self, work: u64) {
        if let Keeping::Chosen(chosen) = &mut self.0 {
            chosen.has_worked(work);
        }
    }

    /// Puts back the state at hand.
    pub(crate) fn give_back(&mut self, at_hand: AtHand, space: &S, node: Node<S>) {
        at_hand.done();
        match &mut self.0 {
            Keeping::Stack(stack) => stack.push(Waiting::Node(node)),
            Keeping::Chosen(chosen) => chosen.put_back(space, Waiting::Node(node)),
        }
    }

    /// Puts back the state at hand, whose path goes on; it may wait longer than others if that is hard work.
    pub(crate) fn pauses(&mut self, at_hand: AtHand, space: &S, node: Node<S>) {
        at_hand.done();
        match &mut self.0 {
            Keeping::Stack(stack) => stack.push(Waiting::Node(node)),
            Keeping::Chosen(chosen) => chosen.pauses(space, Waiting::Node(node)),
        }
    }

    /// `None` if a long query of the state at hand cannot wait: it waits once. Else true if such queries have had their part of the work.
    pub(crate) fn can_wait(&mut self) -> Option<bool> {
        match &mut self.0 {
            Keeping::Stack(_) => None,
            Keeping::Chosen(chosen) => chosen.can_wait(),
        }
    }

    /// Postpones the state at hand because its query takes long.
    pub(crate) fn put_off(&mut self, at_hand: AtHand, space: &S, unasked: Unasked<S>) {
        at_hand.done();
        match &mut self.0 {
            Keeping::Stack(stack) => stack.push(Waiting::Unasked(unasked)),
            Keeping::Chosen(chosen) => chosen.put_off(space, Waiting::Unasked(unasked)),
        }
    }

    /// Removes the state at hand, which has ended.
    pub(crate) fn end(&mut self, at_hand: AtHand) {
        at_hand.done();
        if let Keeping::Chosen(chosen) = &mut self.0 {
            chosen.ended();
        }
    }

    /// Replaces the state at hand by the sides of its decision, the false one first; its own test takes `own_side`. Returns true for
    /// progress: the state is not replaying the way to its old position, and each state counts.
    pub(crate) fn fork(
        &mut self,
        at_hand: AtHand,
        space: &S,
        sides: [Option<Waiting<S>>; 2],
        own_side: bool,
        events: &mut Vec<Event<S>>,
    ) -> bool {
        at_hand.done();
        match &mut self.0 {
            Keeping::Stack(stack) => {
                stack.fork(space, sides);
                false
            }
            Keeping::Chosen(chosen) if chosen.is_draining() => {
                // As in any depth-first exploration, only its paths are progress.
                chosen.forked(space, sides, own_side);
                false
            }
            Keeping::Chosen(chosen) => {
                let sides = sides.map(|side| match side {
                    // It gets no turn of its own, because each state is a region of its own.
                    Some(Waiting::Unknown { region, reason }) => {
                        chosen.loses_a_part();
                        events.push(Event::Unknown { region, reason });
                        None
                    }
                    side => side,
                });
                let progress = !chosen.is_following();
                chosen.forked(space, sides, own_side);
                progress
            }
        }
    }

    /// Keeps the state at hand in the frontier while a segment runs ahead of it.
    pub(crate) fn hold(&mut self, at_hand: AtHand, space: &S, waiting: Waiting<S>) -> Held {
        at_hand.done();
        match (&mut self.0, waiting) {
            (Keeping::Stack(stack), waiting) => stack.push(waiting),
            (Keeping::Chosen(chosen), Waiting::Node(node)) => chosen.put_back(space, Waiting::Node(node)),
            (Keeping::Chosen(chosen), waiting) => chosen.hold(waiting),
        }
        Held(())
    }

    /// True if the first state of a segment is still here, and was not given away.
    pub(crate) fn holds(&self) -> bool {
        match &self.0 {
            // The last entry is never given away.
            Keeping::Stack(_) => true,
            Keeping::Chosen(chosen) => chosen.holds(),
        }
    }

    /// Replaces the first state of a segment by the segment's rest. Returns true if this is progress.
    pub(crate) fn replace(&mut self, Held(()): Held, space: &S, rest: Rest<S>) -> bool {
        match &mut self.0 {
            Keeping::Stack(stack) => {
                stack.drop_last();
                rest.sides.into_iter().for_each(|(_, side)| stack.push_sibling(space, side, false));
                rest.last.into_iter().for_each(|last| stack.push(last));
                rest.found
            }
            Keeping::Chosen(chosen) => {
                chosen.replace(space, rest);
                true
            }
        }
    }

    /// Notes an infeasible side of the decision of the state at hand.
    pub(crate) fn refuted(&mut self, side: bool, weight: Weight) {
        match &mut self.0 {
            // All work before the state at hand is done.
            Keeping::Stack(stack) if side => stack.passed += weight,
            Keeping::Stack(stack) => stack.gaps.add(weight),
            Keeping::Chosen(chosen) => chosen.refuted(side, weight),
        }
    }

    /// The weights of infeasible sides outside the remaining work, since the last call. To be called when no state is at
    /// hand.
    pub(crate) fn take_refuted(&mut self) -> Weight {
        match &mut self.0 {
            Keeping::Stack(stack) => std::mem::take(&mut stack.passed) + stack.gaps.pass(),
            Keeping::Chosen(chosen) => chosen.take_refuted(),
        }
    }

    /// Takes out all regions that depend on the state that follows a wrong cut.
    pub(crate) fn diverged(&mut self, space: &mut S) -> Vec<Region> {
        match &mut self.0 {
            Keeping::Stack(stack) => {
                let rest = stack.remaining(space);
                stack.clear();
                rest.into_iter().collect()
            }
            Keeping::Chosen(chosen) => chosen.diverged(space),
        }
    }

    /// Replaces the states by regions, so that nothing refers to the space: depth-first by one, otherwise by one for each
    /// state, each of which is replayed when its turn comes. Returns true if there may be many regions.
    pub(crate) fn write_down(&mut self, space: &mut S) -> bool {
        match &mut self.0 {
            Keeping::Stack(stack) => {
                stack.write_down(space);
                false
            }
            Keeping::Chosen(chosen) => {
                chosen.write_down(space);
                true
            }
        }
    }

    /// A lower bound of the depth of the state that is given away first.
    pub(crate) fn shallowest(&self, space: &S) -> u64 {
        match &self.0 {
            Keeping::Stack(stack) => {
                let state = stack.waiting.first().and_then(Waiting::state);
                state.map_or(0, |(state, _)| u64::from(space.depth(state)))
            }
            Keeping::Chosen(chosen) => chosen.shallowest(),
        }
    }

    /// True if a waiting state may be taken out of its order to follow a test.
    pub(crate) fn can_pursue(&self) -> bool {
        matches!(&self.0, Keeping::Chosen(chosen) if chosen.can_pursue())
    }

    /// True if a state follows a test to its end, before all others.
    pub(crate) fn is_pursuing(&self) -> bool {
        matches!(&self.0, Keeping::Chosen(chosen) if chosen.is_pursuing())
    }

    /// No state goes before all others any more.
    pub(crate) fn end_pursuit(&mut self) {
        if let Keeping::Chosen(chosen) = &mut self.0 {
            chosen.end_pursuit();
        }
    }

    /// The depth of the deepest waiting state that may follow a test.
    pub(crate) fn deepest(&self, space: &S) -> u32 {
        match &self.0 {
            Keeping::Stack(_) => 0,
            Keeping::Chosen(chosen) => chosen.deepest(space),
        }
    }

    /// The waiting state on the way of a test.
    pub(crate) fn on_way(&mut self, space: &S, way: &TestWay) -> Option<OnWay> {
        match &mut self.0 {
            Keeping::Stack(_) => None,
            Keeping::Chosen(chosen) => chosen.on_way(space, way),
        }
    }

    /// Lets a state that is on the way of a test follow it with `witness` to the end of its path, before all others. `walked` is a
    /// node there, for a state that is suspended. False if there is none.
    pub(crate) fn pursue(
        &mut self,
        space: &mut S,
        slot: Slot,
        witness: S::Witness,
        walked: Option<Node<S>>,
    ) -> bool {
        match &mut self.0 {
            Keeping::Stack(_) => false,
            Keeping::Chosen(chosen) => chosen.pursue(space, slot, witness, walked),
        }
    }

    /// Shows the waiting states to `see`.
    pub(crate) fn each_state(&self, see: &mut dyn FnMut(&S::State)) {
        match &self.0 {
            Keeping::Stack(stack) => {
                stack.waiting.iter().filter_map(Waiting::state).for_each(|(s, _)| see(s))
            }
            Keeping::Chosen(chosen) => chosen.each_state(see),
        }
    }

    /// The remaining work, as regions: depth-first one, from the next state's start to the region's end; otherwise one for each
    /// state, in the order of paths.
    pub(crate) fn remaining(&self, space: &mut S) -> Vec<Region> {
        match &self.0 {
            Keeping::Stack(stack) => stack.remaining(space).into_iter().collect(),
            Keeping::Chosen(chosen) => chosen.remaining(space),
        }
    }

    /// Counts the paths found where the state at hand ended.
    pub(crate) fn found(&mut self, paths: u64) {
        match &mut self.0 {
            Keeping::Stack(stack) => stack.estimate.found(paths),
            Keeping::Chosen(chosen) => chosen.found(paths),
        }
    }

    /// Expected number of paths of all that waits; `None` if unknown.
    pub(crate) fn expected(&self) -> Option<Expected> {
        match &self.0 {
            Keeping::Stack(stack) => Some(stack.estimate.expected()),
            Keeping::Chosen(chosen) => chosen.estimate.expected(),
        }
    }

    /// Bases estimates on earlier experience. To be called before anything is taken.
    pub(crate) fn experienced(&mut self, Experience { ratios, expected }: Experience) {
        match &mut self.0 {
            Keeping::Stack(stack) => stack.estimate.begin(ratios, expected),
            Keeping::Chosen(chosen) => chosen.estimate.begin(expected),
        }
    }

    /// Takes the learned ratios for the next region.
    pub(crate) fn take_experience(&mut self) -> Experience {
        match &mut self.0 {
            Keeping::Stack(stack) => Experience { ratios: stack.estimate.take_ratios(), expected: None },
            Keeping::Chosen(_) => Experience::default(),
        }
    }

    /// Gives away `n` states, which are not all, the shallowest first. Returns also the number of paths expected of them.
    /// Depth-first these are the last in the order of paths, and the region then ends where they begin.
    pub(crate) fn give(&mut self, space: &mut S, n: usize) -> Given {
        match &mut self.0 {
            Keeping::Stack(stack) => stack.give(space, n),
            Keeping::Chosen(chosen) => chosen.give(space, n),
        }
    }

    /// Gives away `n` states, which are not all: those of least worth to the strategy.
    pub(crate) fn spill(&mut self, space: &mut S, n: usize) -> Given {
        match &mut self.0 {
            Keeping::Stack(stack) => stack.give(space, n),
            Keeping::Chosen(chosen) => chosen.spill(space, n),
        }
    }
}

impl<S: Space> Stack<S> {
    fn remaining(&self, space: &mut S) -> Option<Region> {
        let lo = self.waiting.last()?.start(space);
        Some(Region::of(lo, self.hi.clone()))
    }

    fn push(&mut self, waiting: Waiting<S>) {
        self.estimate.push();
        self.gaps.push();
        self.waiting.push(waiting);
    }

    fn push_sibling(&mut self, space: &S, waiting: Waiting<S>, on_way: bool) {
        let place = waiting.state().map_or(0, |(state, _)| space.site(state));
        self.estimate.push_sibling(place, on_way);
        self.gaps.push();
        self.waiting.push(waiting);
    }

    /// The sides of a decision, the false one first: the true one is next.
    fn fork(&mut self, space: &S, sides: [Option<Waiting<S>>; 2]) {
        match sides {
            [Some(on_false), Some(on_true)] => {
                let on_way = on_false.is_bound() || on_true.is_bound();
                self.push_sibling(space, on_false, on_way);
                self.push(on_true);
            }
            sides => sides.into_iter().flatten().for_each(|side| self.push(side)),
        }
    }

    fn take(&mut self) -> Option<Waiting<S>> {
        self.estimate.take();
        self.passed += self.gaps.take();
        self.waiting.pop()
    }

    fn drop_last(&mut self) {
        self.estimate.drop_last();
        self.passed += self.gaps.take();
        self.waiting.pop();
    }

    fn clear(&mut self) {
        self.passed += self.gaps.pass();
        self.gaps.clear();
        self.waiting.clear();
        self.estimate.clear();
    }

    fn write_down(&mut self, space: &mut S) {
        let rest = self.remaining(space).map(Waiting::Written);
        if rest.is_some() {
            self.estimate.write_down();
        }
        self.passed += self.gaps.pass();
        self.gaps.clear();
        rest.iter().for_each(|_| self.gaps.push());
        self.waiting = rest.into_iter().collect();
    }

    fn give(&mut self, space: &mut S, n: usize) -> Given {
        let expected = self.estimate.give(n);
        self.gaps.give(n);
        let give = |waiting: Waiting<S>| {
            let start = waiting.start(space);
            // The region up to the current end, with the gaps between the subtrees.
            let region = Region::of(start.clone(), self.hi.take());
            self.hi = start;
            region
        };
        (self.waiting.drain(..n).map(give).collect(), Some(expected))
    }
}

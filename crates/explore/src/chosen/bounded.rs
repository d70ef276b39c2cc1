//! Few states at a time, however many forks there are. Where many wait, the subtrees of some are explored depth-first, in turn
//! with what the strategy chooses. Beyond the bound regions are kept instead of them. They come back when few states are left.

use cleave_region::{Region, Weight};

use super::drain::Drain;
use super::{Chosen, place_of_question};
use crate::space::Space;
use crate::strategies::Ranked;
use crate::strategy::Slot;
use crate::waiting::Waiting;

/// So many steps of drains, or as much work, follow one another: then their states and terms are still in the processor's
/// caches.
const AT_ONCE: usize = 64;

/// The work of a step is that of its instructions and of its decision, which takes about as long as so many of them.
pub(super) const STEP: u64 = 2048;

/// Drains do so many times the work of the strategy's steps.
const DRAINED: u64 = 2;

/// Drains begin where more states wait than this, or than a part of the bound.
const FEW: usize = 256;
const PART: usize = 32;

/// Where a drain begins: at what the strategy thinks least of, or at the state with the most instructions on its path.
const BEGINNINGS: usize = 2;
const FARTHEST: usize = 1;
/// One of so many drains does not begin where that has paid best.
const TRIED: u32 = 4;
/// Work that is remembered of a way to begin, in instructions: of more, the older half counts half.
const REMEMBERED: u64 = 1 << 26;

/// What drains that began alike took, and the paths that they ended.
#[derive(Clone, Copy, Default)]
struct Yield {
    work: u64,
    paths: u64,
}

impl Yield {
    fn worked(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
        if self.work > REMEMBERED {
            (self.work, self.paths) = (self.work / 2, self.paths / 2);
        }
    }

    /// Whether a path took less work.
    fn is_better_than(self, other: Yield) -> bool {
        let [own, others] =
            [(self, other), (other, self)].map(|(a, b)| u128::from(a.paths) * u128::from(b.work));
        own > others
    }
}

/// What keeps the states few.
pub(super) struct Bound<S: Space> {
    /// So many states the strategy chooses among at most. 0 for no bound.
    most: usize,
    drain: Option<Drain<S>>,
    /// The state at hand is the drain's.
    at_hand: bool,
    /// Steps and work that drains are behind, and whether they are catching up.
    owed: [u64; 2],
    catching_up: bool,
    /// Regions that the strategy is not told of, by depth.
    evicted: Ranked,
    /// How drains began so far, how often, and how the one at work did.
    yields: [Yield; BEGINNINGS],
    begun: u32,
    beginning: usize,
}

impl<S: Space> Bound<S> {
    pub(super) fn new(most: usize) -> Bound<S> {
        Bound {
            most,
            drain: None,
            at_hand: false,
            owed: [0; 2],
            catching_up: false,
            evicted: Ranked::default(),
            yields: Default::default(),
            begun: 0,
            beginning: 0,
        }
    }

    /// How the next drain begins. Each way to begin has its turn; the other turns are those of the one that pays best.
    fn next_beginning(&mut self) -> usize {
        self.begun = self.begun.wrapping_add(1);
        let [worst, farthest] = self.yields;
        let best = usize::from(farthest.is_better_than(worst));
        self.beginning = if self.begun.is_multiple_of(TRIED) { 1 - best } else { best };
        self.beginning
    }

    /// The state at hand ended in so many paths.
    pub(super) fn found(&mut self, paths: u64) {
        if self.at_hand {
            self.yields[self.beginning].paths += paths;
        }
    }

    /// The drain, if the state at hand is its.
    pub(super) fn at_hand(&mut self) -> Option<&mut Drain<S>> {
        self.drain.as_mut().filter(|_| self.at_hand)
    }

    /// Whether there is a bound.
    pub(super) fn is_bounded(&self) -> bool {
        self.most > 0
    }

    pub(super) fn is_at_hand(&self) -> bool {
        self.at_hand
    }

    /// The drain of what waits in a slot.
    pub(super) fn drain_of(&self, slot: Slot) -> Option<&Drain<S>> {
        self.drain.as_ref().filter(|drain| drain.slot == slot)
    }

    /// The weights of refuted sides that a drain has come past, and that were not counted.
    pub(super) fn pass_gap(&mut self) -> Weight {
        self.drain.as_mut().map_or(Weight::ZERO, Drain::pass_gap)
    }

    /// The evicted region with the fewest decisions, and how many.
    pub(super) fn shallowest(&self) -> Option<(u64, Slot)> {
        self.evicted.first()
    }

    /// An evicted region is to leave.
    pub(super) fn given(&mut self, slot: Slot) {
        self.evicted.remove(slot);
    }

    /// What waits in a slot leaves. Returns whether the strategy was not told of it.
    pub(super) fn forgets(&mut self, slot: Slot) -> bool {
        self.evicted.remove(slot) || self.drain_of(slot).is_some()
    }

    /// Whether the strategy is not told of what waits in a slot.
    fn knows(&self, slot: Slot) -> bool {
        self.evicted.contains(slot) || self.drain_of(slot).is_some()
    }

    /// So many states need no drain.
    fn few(&self) -> usize {
        FEW.min(self.most / PART)
    }

    /// A step has run so many instructions. Drains do as many steps as the strategy, and twice as much work: a state that it
    /// chooses may be far from its next decision, and each of its steps then as much as many of theirs.
    pub(super) fn worked(&mut self, instructions: u64) {
        let [steps, _] = &mut self.owed;
        *steps = if self.at_hand { steps.saturating_sub(1) } else { steps.saturating_add(1) };
        self.asked(instructions.saturating_add(STEP));
    }

    /// Work of the space for the state at hand, beside its instructions.
    pub(super) fn asked(&mut self, work: u64) {
        let [_, owed] = &mut self.owed;
        let more = work.saturating_mul(DRAINED);
        *owed = if self.at_hand { owed.saturating_sub(work) } else { owed.saturating_add(more) };
        if self.at_hand {
            self.yields[self.beginning].worked(work);
        }
    }

    /// Whether the next step is one of a drain; `waiting` states wait for the strategy.
    fn is_due(&mut self, waiting: usize) -> bool {
        if self.drain.is_none() && waiting <= self.few() {
            (self.owed, self.catching_up) = ([0; 2], false);
            return false;
        }
        let [steps, work] = self.owed;
        let at_once = AT_ONCE.min(self.most) as u64;
        self.catching_up =
            if self.catching_up { steps > 0 || work > 0 } else { steps >= at_once || work >= at_once * STEP };
        self.catching_up || waiting == 0
    }
}

impl<S: Space> Chosen<S> {
    /// Whether the state at hand is explored depth-first, and not as the strategy chooses.
    pub(crate) fn is_draining(&self) -> bool {
        self.bound.is_at_hand()
    }

    /// The next state, if it is one of a drain. A state on its way back to where it was goes first.
    pub(super) fn take_of_drain(&mut self, space: &mut S) -> Option<Waiting<S>> {
        self.bound.at_hand = false;
        if self.bound.most == 0 || self.following.is_some() {
            return None;
        }
        if self.bound.drain.as_ref().is_some_and(Drain::is_long) {
            self.end_drain(space);
        }
        self.fit(space);
        let waiting = self.among();
        if !self.bound.is_due(waiting) {
            return None;
        }
        // Where few others wait, what is left of the drain would be back soon, and follow all of its way again.
        let next = self.bound.drain.as_ref().and_then(Drain::next);
        if waiting > self.bound.few().max(1) && next.is_some_and(|next| self.takes_too_much(space, next)) {
            self.end_drain(space);
        }
        if self.bound.drain.is_none() {
            let slot = self.begins_drain(space)?;
            self.withdraw(slot);
            let part = self.estimate.share_of(slot.index());
            self.bound.drain = self.held[slot.index()].take().map(|waiting| Drain::new(slot, waiting, part));
        }
        let (next, passed) = self.bound.drain.as_mut()?.take()?;
        self.refuted += passed;
        self.bound.at_hand = true;
        Some(next)
    }

    /// Where a drain begins. What the strategy thinks least of disturbs it least; but all of that may stand far from an
    /// end, as before a sort that each path has to go through. Of several states the one with the most instructions behind it
    /// is most likely near an end; but it may be in a loop. Which of them ends more paths with the same work differs from
    /// program to program.
    fn begins_drain(&mut self, space: &S) -> Option<Slot> {
        let beginning = self.bound.next_beginning();
        loop {
            let fits = |slot: &Slot| self.held.get(slot.index()).is_some_and(Option::is_some);
            let farthest = self.farthest.last().map(|(_, slot)| slot).filter(fits);
            let slot = farthest.filter(|_| beginning == FARTHEST).or_else(|| self.worst())?;
            if !self.postpones(space, slot) {
                return Some(slot);
            }
        }
    }

    /// Whether what waits begins with a question that has to wait.
    fn takes_too_much(&self, space: &S, waiting: &Waiting<S>) -> bool {
        place_of_question(space, waiting).is_some_and(|place| self.costs.too_much(place).is_some())
    }

    /// How many states the strategy chooses among.
    pub(super) fn among(&self) -> usize {
        let others = self.bound.evicted.len() + usize::from(self.bound.drain.is_some());
        self.waiters.count - others - self.costs.postponed()
    }

    /// Evicts states where there are too many, and takes regions in where there are so few that none is drained: what a drain
    /// has left may be the way into a loop without an end, and to come back to it takes all of the way again.
    fn fit(&mut self, space: &mut S) {
        let (few, most) = (self.bound.few(), self.bound.most);
        while self.among() < few.max(1)
            && let Some((depth, slot)) = self.bound.evicted.last()
        {
            self.bound.evicted.remove(slot);
            self.shallow.put(slot, depth);
            self.restore(slot);
        }
        while self.among() > most
            && let Some(slot) = self.worst()
        {
            let waiting = self.held[slot.index()].take();
            self.evict(slot, waiting.map(|waiting| waiting.export(space)));
        }
    }

    /// Has the strategy forget what waits in a slot.
    fn withdraw(&mut self, slot: Slot) {
        if !self.costs.forgets(slot) {
            self.strategy.remove(slot);
        }
        self.shallow.remove(slot);
        self.farthest.remove(slot);
    }

    /// Has the strategy forget what waits in a slot, which may leave all the same. Returns whether the strategy knew of it.
    pub(super) fn withdraws(&mut self, slot: Slot) -> bool {
        if self.bound.knows(slot) || self.costs.knows(slot) {
            return false;
        }
        self.strategy.remove(slot);
        self.farthest.remove(slot);
        true
    }

    /// Tells the strategy again of what waits in a slot.
    pub(super) fn restore(&mut self, slot: Slot) {
        let view = &self.waiters.views[slot.index()];
        if self.bound.is_bounded() {
            self.farthest.put(slot, view.instructions);
        }
        self.strategy.add(slot, view);
    }

    /// A region waits in a slot, and the strategy does not know of it.
    fn evict(&mut self, slot: Slot, region: Option<Region>) {
        self.withdraw(slot);
        self.held[slot.index()] = region.map(Waiting::Written);
        self.bound.evicted.put(slot, u64::from(self.waiters.views[slot.index()].depth));
    }

    /// What is left of a drain waits as a region.
    pub(super) fn end_drain(&mut self, space: &mut S) {
        self.bound.at_hand = false;
        self.refuted += self.bound.pass_gap();
        if let Some(drain) = self.bound.drain.take() {
            self.evict(drain.slot, drain.remaining(space));
        }
    }

    /// The drain's state at hand is no more.
    pub(super) fn ended_in_drain(&mut self) {
        let Some(drain) = &mut self.bound.drain else { return };
        let (slot, part) = (drain.slot, drain.ended());
        if drain.is_done() {
            self.refuted += drain.pass_gap();
            self.estimate.ended(slot.index());
            self.leave(slot);
            self.bound.drain = None;
        } else {
            self.estimate.part_ended(slot.index(), part);
        }
    }

    /// The drain's state at hand waits by itself; it comes before all that the drain has.
    pub(super) fn leaves_drain(&mut self, space: &S, waiting: Waiting<S>) -> Option<Slot> {
        let drain = self.bound.drain.as_mut()?;
        let (of_drain, part) = (drain.slot, drain.part());
        let new_at = self.waiters.views[of_drain.index()].new_at;
        let slot = if drain.is_done() {
            self.refuted += drain.pass_gap();
            self.bound.drain = None;
            of_drain
        } else {
            let slot = self.slot();
            self.waiters.tree.fork(of_drain, slot);
            self.waiters.count += 1;
            self.estimate.parts(of_drain.index(), slot.index(), part);
            slot
        };
        let view = self.view(space, &waiting, new_at);
        self.shallow.put(slot, u64::from(view.depth));
        self.waiters.views[slot.index()] = view;
        self.held[slot.index()] = Some(waiting);
        Some(slot)
    }

    /// The drain's state went elsewhere than its cuts were made: all that is left of it goes. `None` where the state at hand is
    /// not the drain's; what the drain has then becomes a region that waits.
    pub(super) fn drain_diverged(&mut self, space: &mut S) -> Option<Vec<Region>> {
        if !self.bound.is_at_hand() {
            self.end_drain(space);
            return None;
        }
        self.bound.at_hand = false;
        self.refuted += self.bound.pass_gap();
        let drain = self.bound.drain.take()?;
        let rest = drain.remaining(space);
        let _ = self.estimate.give(drain.slot.index());
        self.leave(drain.slot);
        Some(rest.into_iter().collect())
    }
}

//! The bound on live states. If many states wait, the subtrees of some are explored depth-first (a *drain*), alternating
//! with the strategy's choices. Beyond the bound, states are evicted: regions are kept instead. They return when few states are
//! left. In addition, a search that ends paths much more slowly than depth-first search alternates with it (`pace.rs`).

use cleave_region::Region;

use super::Chosen;
use super::bound::{FARTHEST, FIRST, SPARED};
use super::drain::{Drain, Long};
use crate::space::Space;
use crate::states::entries::Waiting;
use crate::strategy::Slot;

/// Number of first states examined for one where a drain can begin.
const LOOKS: usize = 64;

impl<S: Space> Chosen<S> {
    /// True if the state at hand is explored depth-first, and not as the strategy chooses.
    pub(crate) fn is_draining(&self) -> bool {
        self.bound.is_at_hand()
    }

    /// The next state, if it belongs to a drain. A state that is being replayed goes first.
    pub(super) fn take_of_drain(&mut self, space: &mut S) -> Option<Waiting<S>> {
        self.bound.at_hand = None;
        if !self.bound.has_drains() || self.following.is_some() || self.pursued.is_some() {
            return None;
        }
        self.end_long_drains(space);
        self.fit(space);
        let waiting = self.among();
        let mut which = self.bound.due(waiting)?;
        let mut first = None;
        if which == FIRST && self.bound.drains[FIRST].is_none() {
            first = self.first(space);
            if first.is_none() {
                self.bound.pace.rests();
                which = self.bound.due_without_pace(waiting)?;
            }
        }
        // If few other states wait, the rest of the drain would return soon, and replay all of its way again.
        if waiting > self.bound.few().max(1) {
            match which {
                FIRST => self.pass_hard(space),
                _ if self.bound.drains[which]
                    .as_ref()
                    .and_then(Drain::next)
                    .is_some_and(|next| self.takes_too_much(space, next, false).is_some()) =>
                {
                    self.end_drain(space, which, false);
                }
                _ => {}
            }
        }
        if self.bound.drains[which].is_none() {
            let slot = if which == FIRST { first? } else { self.begins_drain(space)? };
            self.withdraw(slot);
            let part = self.estimate.share_of(slot.index());
            let drain = |waiting| Drain::new(slot, waiting, part, which == FIRST);
            self.bound.drains[which] = self.held[slot.index()].take().map(drain);
        }
        let (next, passed) = self.bound.drains[which].as_mut()?.take()?;
        self.refuted += passed;
        self.bound.at_hand = Some(which);
        Some(next)
    }

    /// Ends drains that have taken long enough.
    fn end_long_drains(&mut self, space: &mut S) {
        let few = self.among() <= self.bound.few();
        for which in [SPARED, FIRST] {
            let drain = self.bound.drains[which].as_ref();
            if let Some(end) = drain.and_then(|drain| drain.is_long(few)) {
                self.end_drain(space, which, which == FIRST && end != Long::Dry);
            }
        }
    }

    /// Takes the next states out of the first drain and postpones each as long as its query is too hard.
    fn pass_hard(&mut self, space: &S) {
        while let Some(next) = self.bound.drains[FIRST].as_ref().and_then(Drain::next)
            && let Some(work) = self.takes_too_much(space, next, true)
            && let Some((next, passed)) = self.bound.drains[FIRST].as_mut().and_then(Drain::take)
        {
            self.refuted += passed;
            self.bound.at_hand = Some(FIRST);
            if let Some(slot) = self.leaves_drain(space, next) {
                self.costs.postpone(slot, work);
            }
        }
        self.bound.at_hand = None;
    }

    /// The first state that depth-first search can continue, if it is among the first of all. A state that is only postponed
    /// because the strategy's queries at its place are hard qualifies, too.
    fn first(&self, space: &S) -> Option<Slot> {
        let fits = |slot: Slot| {
            let waiting = self.held.get(slot.index()).and_then(Option::as_ref);
            let here = waiting.is_some_and(|waiting| self.takes_too_much(space, waiting, true).is_none());
            here && !self.bound.knows(slot) && !self.costs.waits_whole(slot)
        };
        self.waiters.tree.first_that(LOOKS, fits)
    }

    /// Chooses the state where a drain begins. The state of least worth to the strategy disturbs it least; but all such states
    /// may be far from an end, for example before a sort that each path has to go through. The state with the most instructions
    /// behind it is most likely near an end; but it may be in a loop. The better choice differs from program to program.
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

    /// Evicts states if there are too many, and takes regions in if there are so few that none is drained: the rest of a drain
    /// may be the way into an endless loop, and returning to it replays all of the way.
    fn fit(&mut self, space: &mut S) {
        let (few, most) = (self.bound.few(), self.bound.most);
        while self.among() < few.max(1)
            && let Some((depth, slot)) = self.bound.evicted.last()
        {
            self.bound.evicted.remove(slot);
            self.shallow.put(slot, depth);
            self.restore(slot);
        }
        while most > 0
            && self.among() > most
            && let Some(slot) = self.worst()
        {
            let waiting = self.held[slot.index()].take();
            self.evict(slot, waiting.map(|waiting| waiting.export(space)));
        }
    }

    /// Ends all drains; their remaining work waits as regions.
    pub(super) fn end_drains(&mut self, space: &mut S) {
        self.end_drain(space, SPARED, false);
        // It continues at the same position when it is due again.
        self.end_drain(space, FIRST, true);
    }

    /// Ends a drain; its remaining work waits as a region, which the strategy knows if `told`.
    fn end_drain(&mut self, space: &mut S, which: usize, told: bool) {
        self.bound.at_hand = None;
        let Some(mut drain) = self.bound.drains[which].take() else { return };
        self.refuted += drain.pass_gap();
        let (slot, rest) = (drain.slot, drain.remaining(space));
        if told {
            self.held[slot.index()] = rest.map(Waiting::Written);
            self.shallow.put(slot, u64::from(self.waiters.views[slot.index()].depth));
            self.restore(slot);
        } else {
            self.evict(slot, rest);
        }
    }

    /// Ends the drains that have a state like this one; their states wait by themselves then. One whose states are bound by the cuts of
    /// a region goes on.
    pub(super) fn dissolve_drains(&mut self, space: &S, is_wanted: impl Fn(&Waiting<S>) -> bool) {
        for which in [SPARED, FIRST] {
            let has_it =
                |drain: &Drain<S>| drain.waiting().any(&is_wanted) && !drain.waiting().any(Waiting::is_bound);
            if !self.bound.drains[which].as_ref().is_some_and(has_it) {
                continue;
            }
            while let Some((next, passed)) = self.bound.drains[which].as_mut().and_then(Drain::take) {
                self.refuted += passed;
                self.bound.at_hand = Some(which);
                if let Some(slot) = self.leaves_drain(space, next) {
                    self.restore(slot);
                }
            }
        }
        self.bound.at_hand = None;
    }

    /// Removes the drain's state at hand, which has ended.
    pub(super) fn ended_in_drain(&mut self) {
        let Some(drain) = self.bound.at_hand() else { return };
        let (slot, part) = (drain.slot, drain.ended());
        if drain.is_done() {
            self.refuted += drain.pass_gap();
            self.estimate.ended(slot.index());
            self.leave(slot);
            self.bound.forget_drain();
        } else {
            self.estimate.part_ended(slot.index(), part);
        }
    }

    /// Takes the drain's state at hand out of the drain, to wait by itself; it precedes all states of the drain.
    pub(super) fn leaves_drain(&mut self, space: &S, waiting: Waiting<S>) -> Option<Slot> {
        let of_drain = self.bound.at_hand()?.slot;
        let before = self.before(of_drain, false);
        let drain = self.bound.at_hand()?;
        let part = drain.part();
        let slot = if drain.is_done() {
            self.refuted += drain.pass_gap();
            self.bound.forget_drain();
            of_drain
        } else {
            let slot = self.slot();
            self.waiters.tree.fork(of_drain, slot);
            self.waiters.count += 1;
            self.estimate.parts(of_drain.index(), slot.index(), part);
            slot
        };
        let view = self.view(space, &waiting, &before);
        self.shallow.put(slot, u64::from(view.depth));
        self.waiters.views[slot.index()] = view;
        self.held[slot.index()] = Some(waiting);
        Some(slot)
    }

    /// Handles a drain's state that diverged from its cuts: returns all that is left of the drain. `None` if the state at hand is
    /// not a drain's; each drain then becomes a region that waits.
    pub(super) fn drain_diverged(&mut self, space: &mut S) -> Option<Vec<Region>> {
        let Some(which) = self.bound.at_hand.take() else {
            self.end_drains(space);
            return None;
        };
        let mut drain = self.bound.drains[which].take()?;
        self.refuted += drain.pass_gap();
        let rest = drain.remaining(space);
        let _ = self.estimate.give(drain.slot.index());
        self.leave(drain.slot);
        Some(rest.into_iter().collect())
    }
}

//! The state at hand: the strategy or a drain gives it, it goes on, forks, and is put back or ends.

use cleave_region::{Region, Weight};

use super::{Before, Chosen, Following, place_of_question};
use crate::space::Space;
use crate::states::entries::{Rest, Waiting};
use crate::states::node::Node;
use crate::strategy::{DECISION, Slot};

/// A state is cold after this many steps without it: the states of these steps have displaced it from the processor's caches.
const COLD: u64 = 32;
/// Extra cost of continuing a cold state, in instructions: its registers, objects and terms come back one cache line after the
/// other.
const WARMING: u64 = 2 * DECISION;

impl<S: Space> Chosen<S> {
    /// Puts in the first state.
    pub(crate) fn plant(&mut self, space: &S, node: Node<S>) {
        let slot = self.slot();
        self.waiters.tree.plant(slot);
        self.estimate.plant(slot.index());
        self.enter(space, slot, Waiting::Node(node), &Before::default());
    }

    /// Puts back the state at hand after it went on.
    pub(crate) fn put_back(&mut self, space: &S, waiting: Waiting<S>) {
        if let Some(drain) = self.bound.at_hand() {
            return drain.push(waiting);
        }
        let before = self.before(self.at, false);
        self.put_back_after(space, waiting, &before);
    }

    /// Puts back the state at hand, whose path was as `before`. It is no drain's.
    fn put_back_after(&mut self, space: &S, waiting: Waiting<S>, before: &Before) {
        let slot = self.at;
        self.since[slot.index()] = self.steps;
        let view = self.view(space, &waiting, before);
        let old = &self.waiters.views[slot.index()];
        // A replayed state has not reached its old position yet: the strategy sees it at the old position meanwhile.
        if self.follows(slot) && view.depth < old.depth {
            self.held[slot.index()] = Some(waiting);
            return;
        }
        if self.follows(slot) && !waiting.is_bound() {
            self.following = None;
        }
        if self.bound.is_bounded() {
            self.farthest.put(slot, view.instructions);
        }
        self.strategy.changed(slot, &view);
        self.waiters.views[slot.index()] = view;
        self.held[slot.index()] = Some(waiting);
    }

    /// Takes the next state.
    pub(crate) fn take(&mut self, space: &mut S) -> Option<Waiting<S>> {
        self.recall(false);
        // What executions have reached is no strategy's find.
        if self.coverage {
            self.hears(space);
        }
        self.steps += 1;
        let (waiting, cold) = match self.take_of_drain(space) {
            Some(waiting) => (waiting, false),
            None => {
                let waiting = self.take_chosen(space)?;
                (waiting, self.steps - self.since[self.at.index()] >= COLD)
            }
        };
        self.costs.begins(place_of_question(space, &waiting), self.bound.is_first());
        if cold {
            self.has_worked(WARMING);
        }
        Some(waiting)
    }

    /// Takes the state that the strategy chooses, or continues one that is replayed.
    fn take_chosen(&mut self, space: &mut S) -> Option<Waiting<S>> {
        let followed = self.following.as_ref().map(|following| following.slot);
        let followed = followed.or(self.pursued).or_else(|| self.ending.pop());
        let fits =
            |held: &[Option<Waiting<S>>], slot: &Slot| held.get(slot.index()).is_some_and(Option::is_some);
        self.at = match followed.filter(|slot| fits(&self.held, slot)) {
            Some(slot) => slot,
            // Each turn of the loop postpones one state, so the loop ends.
            None => loop {
                if self.among() == 0 {
                    self.recall(true);
                }
                let next = self.strategy.next(&self.waiters).filter(|slot| fits(&self.held, slot));
                let next = next.or_else(|| self.waiters.tree.first())?;
                if !self.postpones(space, next) {
                    // If no other state is left, this may be a postponed one.
                    if self.costs.forgets(next) {
                        self.restore(next);
                    }
                    break next;
                }
            },
        };
        let waiting = self.held[self.at.index()].take();
        if let Some(Waiting::Written(region)) = &waiting {
            let region = Some(region.clone());
            let (slot, hung, refuted) = (self.at, Vec::new(), Weight::ZERO);
            self.following = Some(Following { slot, region, hung, refuted });
        }
        waiting
    }

    /// If a long query of the state at hand can wait, because it did not wait before and there is another state: true if hard queries have
    /// had their part of the work.
    pub(crate) fn can_wait(&mut self) -> Option<bool> {
        let drained = self.bound.at_hand().map(|drain| drain.slot);
        let waits = !self.costs.has_waited(drained.unwrap_or(self.at)) && self.has_others();
        waits.then(|| self.costs.is_spent())
    }

    /// Postpones the state at hand because its query takes long; the strategy does not know it meanwhile.
    pub(crate) fn put_off(&mut self, space: &S, waiting: Waiting<S>) {
        if let Some(slot) = self.sets_aside(space, waiting) {
            self.costs.put_off(slot);
        }
    }

    /// Puts back the state at hand, whose path goes on. If its ops are hard work and have had their share, it is postponed.
    pub(crate) fn pauses(&mut self, space: &S, waiting: Waiting<S>) {
        let Some(work) = self.costs.slow().filter(|_| self.has_others()) else {
            return self.put_back(space, waiting);
        };
        if let Some(slot) = self.sets_aside(space, waiting) {
            self.costs.postpone(slot, work);
        }
    }

    /// True if a state waits that is not postponed, beside the one at hand.
    fn has_others(&self) -> bool {
        self.among() > usize::from(!self.bound.is_at_hand())
    }

    /// Hides the state at hand from the strategy. Returns its slot.
    fn sets_aside(&mut self, space: &S, waiting: Waiting<S>) -> Option<Slot> {
        if self.bound.is_at_hand() {
            return self.leaves_drain(space, waiting);
        }
        if self.follows(self.at) {
            self.following = None;
        }
        self.pursued.take_if(|pursued| *pursued == self.at);
        self.held[self.at.index()] = Some(waiting);
        self.withdraws(self.at);
        Some(self.at)
    }

    /// Tells the strategy again of a postponed state if it is time for one; with `all`, in any case.
    fn recall(&mut self, all: bool) {
        if let Some(slot) = self.costs.recall(all) {
            self.restore(slot);
        }
    }

    /// Keeps the taken state in its slot, unchanged, for now.
    pub(crate) fn hold(&mut self, waiting: Waiting<S>) {
        self.held[self.at.index()] = Some(waiting);
    }

    /// True if the slot at hand still holds something.
    pub(crate) fn holds(&self) -> bool {
        self.held.get(self.at.index()).is_some_and(Option::is_some)
    }

    /// Replaces the state at hand by the rest of the segment that began there.
    pub(crate) fn replace(&mut self, space: &S, rest: Rest<S>) {
        let mut here = self.at;
        self.following = None;
        for (side, waiting) in rest.sides {
            let on_true = self.slot();
            self.waiters.tree.fork(here, on_true);
            self.estimate.fork(here.index(), on_true.index());
            let waits = if side { on_true } else { here };
            self.put(space, waits, waiting);
            here = if side { here } else { on_true };
        }
        match rest.last {
            Some(waiting) => self.put(space, here, waiting),
            None if here == self.at => self.ended(),
            None => {
                self.estimate.ended(here.index());
                self.waiters.tree.remove(here);
                self.free.push(here);
            }
        }
    }

    /// Puts `waiting` into a slot of the tree: the slot at hand, or a new one.
    fn put(&mut self, space: &S, slot: Slot, waiting: Waiting<S>) {
        if slot == self.at {
            self.put_back(space, waiting);
        } else {
            let before = self.before(self.at, true);
            self.enter(space, slot, waiting, &before);
        }
    }

    /// True if the state at hand is only replaying the way to its old position.
    pub(crate) fn is_following(&self) -> bool {
        !self.bound.is_at_hand() && self.follows(self.at)
    }

    /// Notes that a part of the state at hand was set aside.
    pub(crate) fn loses_a_part(&mut self) {
        if let Some(following) = &mut self.following {
            following.region = None;
        }
    }

    /// Handles a state at hand that diverged from its cuts and waits again. Takes out all regions that depend on it: the
    /// suspended region unchanged, or the state with the states forked on the way; or the region with which the
    /// exploration began.
    pub(crate) fn diverged(&mut self, space: &mut S) -> Vec<Region> {
        if let Some(regions) = self.drain_diverged(space) {
            return regions;
        }
        let astray = match self.following.take() {
            Some(Following { slot, region, mut hung, refuted }) => {
                hung.push(slot);
                if region.is_some() {
                    self.refuted -= refuted;
                    drop(self.gone(space, hung));
                    return region.into_iter().collect();
                }
                hung
            }
            None => {
                let mut slots = self.waiters.tree.in_order();
                slots.retain(|slot| !matches!(self.held[slot.index()], Some(Waiting::Written(_))));
                slots
            }
        };
        let (regions, _) = self.gone(space, astray);
        regions
    }

    /// Notes an infeasible side of the decision of the state at hand. Each state is a region of its own, and none of these
    /// regions contains that side.
    pub(crate) fn refuted(&mut self, side: bool, weight: Weight) {
        if let Some(drain) = self.bound.at_hand() {
            self.refuted += if side { weight } else { drain.refuted_behind(weight) };
            return;
        }
        self.refuted += weight;
        if self.follows(self.at)
            && let Some(following) = &mut self.following
        {
            following.refuted += weight;
        }
    }

    /// The weights of infeasible sides outside the remaining work, since the last call.
    pub(crate) fn take_refuted(&mut self) -> Weight {
        std::mem::take(&mut self.refuted) + self.bound.pass_gap()
    }

    /// Accounts for `instructions` run by the state at hand, and for the code that it reached.
    pub(crate) fn has_run(&mut self, space: &S, instructions: u64) {
        self.bound.worked(instructions);
        self.costs.ran(instructions, DECISION);
        if !self.coverage {
            return;
        }
        self.news = self.hears(space);
        if self.novelty.is_some() {
            let marks = space.access_marks();
            let new = marks - std::mem::replace(&mut self.access_marks, marks);
            if new > 0 {
                self.strategy.novel(new);
            }
        }
    }

    /// Tells the strategy of code that was reached since the last call. True if there is some.
    fn hears(&mut self, space: &S) -> bool {
        let new = space.covered(self.told);
        self.told += new.len();
        if !new.is_empty() {
            self.strategy.covered(&new);
        }
        !new.is_empty()
    }

    /// Accounts for work of the space on queries of the state at hand, in addition to its instructions.
    pub(crate) fn has_asked(&mut self, work: u64) {
        self.bound.asked(work);
        self.costs.asked(work);
        if !self.bound.is_at_hand() {
            self.strategy.asked(self.at, work);
        }
    }

    /// Accounts for work on the state at hand that belongs to none of its queries.
    pub(crate) fn has_worked(&mut self, work: u64) {
        self.bound.asked(work);
        self.costs.ran(work, 0);
    }

    /// Counts the paths found where the state at hand ended.
    pub(crate) fn found(&mut self, paths: u64) {
        self.bound.found(paths);
        self.estimate.found(paths);
    }

    /// Removes the state at hand, which has ended.
    pub(crate) fn ended(&mut self) {
        if self.bound.is_at_hand() {
            return self.ended_in_drain();
        }
        self.estimate.ended(self.at.index());
        self.leave(self.at);
    }

    /// Replaces the state at hand by its sides, the false one first; its own test takes `own_side`.
    pub(crate) fn forked(&mut self, space: &S, sides: [Option<Waiting<S>>; 2], own_side: bool) {
        let slot = self.at;
        if sides[usize::from(own_side)].is_none() && !self.bound.is_at_hand() {
            self.pursued.take_if(|pursued| *pursued == slot);
        }
        match sides {
            [None, None] => self.ended(),
            [Some(one), None] | [None, Some(one)] => self.put_back(space, one),
            [Some(on_false), Some(on_true)] => {
                if let Some(drain) = self.bound.at_hand() {
                    return drain.fork(on_false, on_true);
                }
                let before = self.before(slot, true);
                let other = self.slot();
                self.waiters.tree.fork(slot, other);
                self.estimate.fork(slot.index(), other.index());
                if own_side && self.pursued == Some(slot) {
                    self.pursued = Some(other);
                }
                if self.follows(slot)
                    && let Some(following) = &mut self.following
                {
                    // The cuts determine the side that goes on.
                    let goes_true = on_true.is_bound() && !on_false.is_bound();
                    following.slot = if goes_true { other } else { slot };
                    following.hung.push(if goes_true { slot } else { other });
                }
                for (waiting, slot) in [(&on_false, slot), (&on_true, other)] {
                    if waiting.ends(space) {
                        self.ending.push(slot);
                    }
                }
                if self.guards {
                    self.fits = on_true.state().map(|(state, _)| space.fitting(state).into());
                }
                self.enter(space, other, on_true, &before);
                self.put_back_after(space, on_false, &before);
                self.fits = None;
            }
        }
    }

    /// Replaces each state by a region, so that nothing refers to the space.
    pub(crate) fn write_down(&mut self, space: &mut S) {
        self.end_drains(space);
        self.following = None;
        for waiting in self.held.iter_mut().flatten() {
            if waiting.state().is_some() {
                *waiting = Waiting::Written(waiting.export(space));
            }
        }
    }
}

//! The bound on live states. If many states wait, the subtrees of some are explored depth-first (a *drain*), alternating
//! with the strategy's choices. Beyond the bound, states are evicted: regions are kept instead. They return when few states are
//! left. In addition, a search that ends paths much more slowly than depth-first search alternates with it (`pace.rs`).

use cleave_region::{Region, Weight};

use super::drain::{Drain, Long};
use super::pace::{Pace, Yield};
use super::{Chosen, place_of_question};
use crate::space::Space;
use crate::states::entries::Waiting;
use crate::strategies::Ranked;
use crate::strategy::{DECISION, Slot};

/// Maximum number of consecutive steps of drains, or of steps' worth of work: their states and terms are then still in the
/// processor's caches.
const AT_ONCE: usize = 64;

/// Ratio of the work of drains to the work of the strategy's steps.
const DRAINED: u64 = 2;

/// Drains begin if more states wait than this, or than the bound divided by `PART`.
const FEW: usize = 256;
const PART: usize = 32;

/// Start of a drain: the state of least worth to the strategy, or (`FARTHEST`) the state with the most instructions on its path.
const BEGINNINGS: usize = 2;
const FARTHEST: usize = 1;
/// One drain in this many does not begin in the way that has paid best.
const TRIED: u32 = 4;

/// Index of the drain at a state that the strategy can spare.
const SPARED: usize = 0;
/// Index of the drain that continues with the first state of all, as depth-first search would.
const FIRST: usize = 1;
/// Number of first states examined for one where a drain can begin.
const LOOKS: usize = 64;

/// Keeps the number of live states small.
pub(super) struct Bound<S: Space> {
    /// Maximum number of states that the strategy chooses among; 0 for no bound.
    most: usize,
    drains: [Option<Drain<S>>; 2],
    /// The drain that owns the state at hand.
    at_hand: Option<usize>,
    /// Schedules the first state of all.
    pace: Pace,
    /// Steps and work that drains of spared states are behind. `catching_up` is true while they catch up.
    owed: [u64; 2],
    catching_up: bool,
    /// Regions that the strategy is not told of, by depth.
    evicted: Ranked,
    /// The yield of each way to begin a drain, the number of drains begun, and the way in which the current one began.
    yields: [Yield; BEGINNINGS],
    begun: u32,
    beginning: usize,
}

impl<S: Space> Bound<S> {
    /// A bound of `most` states, with depth-first steps in between if at least `paced` states wait; 0 turns either off.
    pub(super) fn new(most: usize, paced: usize) -> Bound<S> {
        Bound {
            most,
            drains: [None, None],
            at_hand: None,
            pace: Pace::new(paced),
            owed: [0; 2],
            catching_up: false,
            evicted: Ranked::default(),
            yields: Default::default(),
            begun: 0,
            beginning: 0,
        }
    }

    /// Chooses the start of the next drain. Each way to begin has its turn; the other turns go to the one that pays best.
    fn next_beginning(&mut self) -> usize {
        self.begun = self.begun.wrapping_add(1);
        let [worst, farthest] = self.yields;
        let best = usize::from(farthest.is_better_than(worst));
        self.beginning = if self.begun.is_multiple_of(TRIED) { 1 - best } else { best };
        self.beginning
    }

    /// Counts the paths in which the state at hand ended.
    pub(super) fn found(&mut self, paths: u64) {
        self.pace.found(paths, self.at_hand == Some(FIRST));
        if self.at_hand == Some(SPARED) {
            self.yields[self.beginning].found(paths);
        }
    }

    /// The drain that owns the state at hand, if one does.
    pub(super) fn at_hand(&mut self) -> Option<&mut Drain<S>> {
        self.at_hand.and_then(|which| self.drains[which].as_mut())
    }

    /// True if there is a bound.
    pub(super) fn is_bounded(&self) -> bool {
        self.most > 0
    }

    /// True if there may be drains.
    fn has_drains(&self) -> bool {
        self.most > 0 || self.pace.is_kept()
    }

    /// Forgets the drain of the state at hand, which has nothing left.
    fn forget_drain(&mut self) {
        if let Some(which) = self.at_hand {
            self.drains[which] = None;
        }
    }

    pub(super) fn is_at_hand(&self) -> bool {
        self.at_hand.is_some()
    }

    /// True if the state at hand belongs to depth-first search.
    pub(super) fn is_first(&self) -> bool {
        self.at_hand == Some(FIRST)
    }

    /// The drain that occupies a slot.
    pub(super) fn drain_of(&self, slot: Slot) -> Option<&Drain<S>> {
        self.drains.iter().flatten().find(|drain| drain.slot == slot)
    }

    /// All that waits in drains.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Waiting<S>> {
        self.drains.iter().flatten().flat_map(Drain::waiting)
    }

    /// The weights of infeasible sides that a drain has passed and that were not counted yet.
    pub(super) fn pass_gap(&mut self) -> Weight {
        let gaps = self.drains.iter_mut().flatten().map(Drain::pass_gap);
        gaps.fold(Weight::ZERO, |sum, gap| sum + gap)
    }

    /// The evicted region with the fewest decisions, and their number.
    pub(super) fn shallowest(&self) -> Option<(u64, Slot)> {
        self.evicted.first()
    }

    /// Forgets an evicted region that is given away.
    pub(super) fn given(&mut self, slot: Slot) {
        self.evicted.remove(slot);
    }

    /// Forgets the content of a slot, which leaves. Returns true if the strategy did not know of it.
    pub(super) fn forgets(&mut self, slot: Slot) -> bool {
        self.evicted.remove(slot) || self.drain_of(slot).is_some()
    }

    /// Takes in an evicted region, of which the strategy is to be told. False if the slot holds none.
    pub(super) fn takes_in(&mut self, slot: Slot) -> bool {
        self.evicted.remove(slot)
    }

    /// True if the content of a slot is hidden from the strategy.
    fn knows(&self, slot: Slot) -> bool {
        self.evicted.contains(slot) || self.drain_of(slot).is_some()
    }

    /// Number of states up to which no drain is needed.
    fn few(&self) -> usize {
        if self.is_bounded() { FEW.min(self.most / PART) } else { self.pace.from() }
    }

    /// Accounts for a step of `instructions`. Drains of spared states do as many steps as the strategy, and twice as much work: a
    /// state that the strategy chooses may be far from its next decision, so one of its steps may cost as much as many of theirs.
    pub(super) fn worked(&mut self, instructions: u64) {
        self.pace.stepped(self.at_hand == Some(FIRST));
        let [steps, _] = &mut self.owed;
        match self.at_hand {
            Some(FIRST) => {}
            Some(_) => *steps = steps.saturating_sub(1),
            None => *steps = steps.saturating_add(1),
        }
        self.asked(instructions.saturating_add(DECISION));
    }

    /// Accounts for work of the space for the state at hand, in addition to its instructions.
    pub(super) fn asked(&mut self, work: u64) {
        self.pace.worked(work, self.at_hand == Some(FIRST));
        let [_, owed] = &mut self.owed;
        match self.at_hand {
            Some(FIRST) => {}
            Some(_) => {
                *owed = owed.saturating_sub(work);
                self.yields[self.beginning].worked(work);
            }
            None => *owed = owed.saturating_add(work.saturating_mul(DRAINED)),
        }
    }

    /// The drain that owns the next step, if one does; `waiting` states wait for the strategy.
    fn due(&mut self, waiting: usize) -> Option<usize> {
        if self.pace.is_due(waiting) {
            return Some(FIRST);
        }
        self.due_without_pace(waiting)
    }

    /// As [`Bound::due`], if the pace has no state to continue.
    fn due_without_pace(&mut self, waiting: usize) -> Option<usize> {
        let [spared, first] = [SPARED, FIRST].map(|which| self.drains[which].is_some());
        if self.most > 0 && self.is_due(waiting) && (spared || waiting > 0) {
            return Some(SPARED);
        }
        (waiting == 0 && first).then_some(FIRST)
    }

    /// Returns true if the next step belongs to the drain of a spared state.
    fn is_due(&mut self, waiting: usize) -> bool {
        if self.drains[SPARED].is_none() && waiting <= self.few() {
            (self.owed, self.catching_up) = ([0; 2], false);
            return false;
        }
        let [steps, work] = self.owed;
        let at_once = AT_ONCE.min(self.most) as u64;
        self.catching_up = if self.catching_up {
            steps > 0 || work > 0
        } else {
            steps >= at_once || work >= at_once * DECISION
        };
        self.catching_up || waiting == 0
    }
}

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

    /// Expected work of the query with which `waiting` begins, if it has to wait; `first`: in depth-first search.
    fn takes_too_much(&self, space: &S, waiting: &Waiting<S>, first: bool) -> Option<u64> {
        place_of_question(space, waiting).and_then(|place| self.costs.too_much(place, first))
    }

    /// Number of states that the strategy chooses among.
    pub(super) fn among(&self) -> usize {
        let others = self.bound.evicted.len() + self.bound.drains.iter().flatten().count();
        self.waiters.count - others - self.costs.postponed()
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

    /// Removes the content of a slot from the strategy.
    fn withdraw(&mut self, slot: Slot) {
        if !self.costs.forgets(slot) {
            self.strategy.remove(slot);
        }
        self.shallow.remove(slot);
        self.farthest.remove(slot);
    }

    /// Removes the content of a slot from the strategy, whether it stays or leaves. Returns true if the strategy knew of it.
    pub(super) fn withdraws(&mut self, slot: Slot) -> bool {
        if self.bound.knows(slot) || self.costs.knows(slot) {
            return false;
        }
        self.strategy.remove(slot);
        self.farthest.remove(slot);
        true
    }

    /// Tells the strategy again of the content of a slot.
    pub(super) fn restore(&mut self, slot: Slot) {
        let view = &self.waiters.views[slot.index()];
        if self.bound.is_bounded() {
            self.farthest.put(slot, view.instructions);
        }
        self.strategy.add(slot, view);
    }

    /// Puts a region into a slot and hides it from the strategy.
    fn evict(&mut self, slot: Slot, region: Option<Region>) {
        self.withdraw(slot);
        self.held[slot.index()] = region.map(Waiting::Written);
        self.bound.evicted.put(slot, u64::from(self.waiters.views[slot.index()].depth));
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

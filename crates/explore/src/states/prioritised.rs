//! The frontier of a search strategy: states in slots, their order by path, and their order by depth. [`crate::states::frontier`] calls
//! it; no state is lost or waits twice.

pub(crate) mod bounded; // The bound on live states.
pub(crate) mod costs; // Costs of queries, and the states that are postponed because theirs are high.
pub(crate) mod drain; // Depth-first exploration of the subtree of one state, used if more states wait than may live.
pub(crate) mod pace; // Schedules depth-first steps beside a strategy, by the rate at which paths end.
pub(crate) mod pursuit; // Follows a test from the waiting state on its way to its end, before all others.

use cleave_region::{Expected, Region, Weight};

use crate::estimate::Broad;
use crate::event::Limits;
use crate::space::Space;
use crate::states::entries::{Given, Rest, Waiting};
use crate::states::node::Node;
use crate::states::novelty::{Novelty, Taken};
use crate::strategies::Ranked;
use crate::strategy::{DECISION, Slot, StateView, Strategy, Waiters};
use bounded::Bound;
use costs::Costs;

/// A state is cold after this many steps without it: the states of these steps have displaced it from the processor's caches.
const COLD: u64 = 32;
/// Extra cost of continuing a cold state, in instructions: its registers, objects and terms come back one cache line after the
/// other.
const WARMING: u64 = 2 * DECISION;

/// The program place of the query with which a state begins, if it begins with one.
fn place_of_question<S: Space>(space: &S, waiting: &Waiting<S>) -> Option<u64> {
    match waiting {
        Waiting::Unasked(unasked) => Some(space.site(&unasked.state)),
        _ => None,
    }
}

/// A suspended state that is being replayed: it goes on until it reaches its old position and no cut binds it.
struct Following {
    slot: Slot,
    /// The region as suspended; `None` once a part of it was set aside or given away.
    region: Option<Region>,
    /// States forked on the way, which wait.
    hung: Vec<Slot>,
    /// The weights of infeasible sides of the way, which lie in `region`.
    refuted: Weight,
}

/// The past of a path, for the strategy.
#[derive(Default)]
struct Before {
    new_at: u64,
    taken: Taken,
    /// True if its last decision has two sides.
    forks: bool,
}

pub(crate) struct Chosen<S: Space> {
    strategy: Box<dyn Strategy>,
    coverage: bool,
    held: Vec<Option<Waiting<S>>>,
    /// By slot: the number of steps when its content began to wait. `steps` is the number so far.
    since: Vec<u64>,
    steps: u64,
    free: Vec<Slot>,
    waiters: Waiters,
    /// All states by depth. A state's depth only grows, so an outdated rank is too small; it is corrected when it is met.
    shallow: Ranked,
    /// The states that the strategy knows, by the instructions of their paths: the last is most likely near an end.
    farthest: Ranked,
    /// States that have only to end, which go before all others.
    ending: Vec<Slot>,
    /// The state at hand.
    at: Slot,
    following: Option<Following>,
    /// The state that follows a test to the end of its path, before all others.
    pursued: Option<Slot>,
    /// The bound on live states.
    bound: Bound<S>,
    /// Postpones hard queries.
    costs: Costs,
    pub(crate) estimate: Broad,
    /// Number of covered places reported to the strategy.
    told: usize,
    /// True if the state at hand reached new code.
    news: bool,
    /// [`Space::access_marks`] as last told to the strategy.
    access_marks: u64,
    /// The marks of novelty that were seen, if the strategy chooses by them.
    novelty: Option<Novelty>,
    /// The weights of infeasible sides since the last call of `take_refuted`.
    refuted: Weight,
}

impl<S: Space> Chosen<S> {
    pub(crate) fn new(space: &mut S, strategy: Box<dyn Strategy>, limits: &Limits) -> Chosen<S> {
        let coverage = strategy.uses_coverage();
        let novelty = strategy.uses_novelty().then(Novelty::default);
        if coverage {
            space.count_visits();
        }
        if novelty.is_some() {
            space.mark_accesses();
        }
        Chosen {
            strategy,
            coverage,
            held: Vec::new(),
            since: Vec::new(),
            steps: 0,
            free: Vec::new(),
            waiters: Waiters::default(),
            shallow: Ranked::default(),
            farthest: Ranked::default(),
            ending: Vec::new(),
            at: Slot(0),
            following: None,
            pursued: None,
            bound: Bound::new(limits.live_states, limits.paced_from),
            costs: Costs::default(),
            estimate: Broad::default(),
            told: 0,
            news: false,
            access_marks: 0,
            novelty,
            refuted: Weight::ZERO,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.waiters.count
    }

    /// Removes the bound on waiting states.
    pub(crate) fn unbounded(&mut self) {
        self.bound = Bound::new(0, 0);
    }

    /// Puts in the first state.
    pub(crate) fn plant(&mut self, space: &S, node: Node<S>) {
        let slot = self.slot();
        self.waiters.tree.plant(slot);
        self.estimate.plant(slot.index());
        self.enter(space, slot, Waiting::Node(node), &Before::default());
    }

    fn slot(&mut self) -> Slot {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        self.held.push(None);
        self.since.push(0);
        self.waiters.views.push(StateView::default());
        Slot(self.held.len() as u32 - 1)
    }

    fn enter(&mut self, space: &S, slot: Slot, waiting: Waiting<S>, before: &Before) {
        let view = self.view(space, &waiting, before);
        self.waiters.count += 1;
        self.shallow.put(slot, u64::from(view.depth));
        if self.bound.is_bounded() {
            self.farthest.put(slot, view.instructions);
        }
        self.strategy.add(slot, &view);
        self.waiters.views[slot.index()] = view;
        self.since[slot.index()] = self.steps;
        self.held[slot.index()] = Some(waiting);
    }

    /// The past of the path of a slot's content, for the view of what comes there next.
    fn before(&self, slot: Slot, forks: bool) -> Before {
        let StateView { new_at, taken, .. } = &self.waiters.views[slot.index()];
        Before { new_at: *new_at, taken: taken.clone(), forks }
    }

    fn view(&mut self, space: &S, waiting: &Waiting<S>, before: &Before) -> StateView {
        let Some((state, side)) = waiting.state() else { return StateView::default() };
        let unasked = side.is_some();
        let depth = space.depth(state) + u32::from(unasked);
        let instructions = space.instructions(state);
        let aside = space.aside(state, side);
        let mut view = StateView { depth, instructions, unasked, aside, ..StateView::default() };
        if self.coverage {
            view.new_at = if self.news { instructions } else { before.new_at };
            view.stack = space.stack(state, side).into();
            view.visits = view.stack.first().map_or(0, |&place| space.visits(place));
        }
        if let Some(novelty) = &mut self.novelty {
            view.taken = if before.forks {
                before.taken.and(view.side(), view.stack.len())
            } else {
                before.taken.clone()
            };
            let marks = if unasked { 0 } else { novelty.firsts(&mut view.taken, depth) };
            if marks > 0 {
                self.strategy.novel(marks);
            }
        }
        view
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

    /// Removes the content of a slot from the order and from the strategy.
    fn leave(&mut self, slot: Slot) -> Option<Waiting<S>> {
        if self.follows(slot) {
            self.following = None;
        }
        self.pursued.take_if(|pursued| *pursued == slot);
        if let Some(following) = &mut self.following
            && following.hung.contains(&slot)
        {
            following.hung.retain(|hung| *hung != slot);
            following.region = None;
        }
        self.waiters.tree.remove(slot);
        self.waiters.count -= 1;
        self.shallow.remove(slot);
        self.farthest.remove(slot);
        self.costs.has_waited(slot);
        if !self.bound.forgets(slot) && !self.costs.forgets(slot) {
            self.strategy.remove(slot);
        }
        self.free.push(slot);
        self.held[slot.index()].take()
    }

    /// Takes the next state.
    pub(crate) fn take(&mut self, space: &mut S) -> Option<Waiting<S>> {
        self.recall(false);
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

    /// Postpones a state whose query is hard if hard queries had their share; the strategy forgets it meanwhile. Returns true if
    /// postponed.
    fn postpones(&mut self, space: &S, slot: Slot) -> bool {
        let place = self.held[slot.index()].as_ref().and_then(|waiting| place_of_question(space, waiting));
        let Some(work) = place.and_then(|place| self.costs.too_much(place, false)) else { return false };
        if self.among() <= 1 || !self.withdraws(slot) {
            return false;
        }
        self.costs.postpone(slot, work);
        true
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

    fn follows(&self, slot: Slot) -> bool {
        self.following.as_ref().is_some_and(|following| following.slot == slot)
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
        let new = space.covered(self.told);
        self.news = !new.is_empty();
        if self.news {
            self.told += new.len();
            self.strategy.covered(&new);
        }
        if self.novelty.is_some() {
            let marks = space.access_marks();
            let new = marks - std::mem::replace(&mut self.access_marks, marks);
            if new > 0 {
                self.strategy.novel(new);
            }
        }
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
                self.enter(space, other, on_true, &before);
                self.put_back_after(space, on_false, &before);
            }
        }
    }

    /// Shows the states that wait.
    pub(crate) fn each_state(&self, see: &mut dyn FnMut(&S::State)) {
        let held = self.held.iter().flatten();
        held.chain(self.bound.waiting()).filter_map(Waiting::state).for_each(|(state, _)| see(state));
    }

    /// Each state as a region of its own, in the order of paths.
    pub(crate) fn remaining(&self, space: &mut S) -> Vec<Region> {
        let slots = self.waiters.tree.in_order();
        let region = |slot: &Slot| match self.bound.drain_of(*slot) {
            Some(drain) => drain.remaining(space),
            None => self.held[slot.index()].as_ref().map(|waiting| waiting.export(space)),
        };
        slots.iter().filter_map(region).collect()
    }

    /// Gives away up to `n` states: the shallowest, and among those of one depth the oldest. They are returned in the order of
    /// their paths, because a worker that replays one after the other then keeps most of the way.
    pub(crate) fn give(&mut self, space: &mut S, n: usize) -> Given {
        let mut given = vec![false; self.held.len()];
        for _ in 0..n {
            let Some(slot) = self.take_shallowest() else { break };
            given[slot.index()] = true;
        }
        let mut slots = self.waiters.tree.in_order();
        slots.retain(|slot| given[slot.index()]);
        self.gone(space, slots)
    }

    /// A lower bound of the depth of the state that is given away first.
    pub(crate) fn shallowest(&self) -> u64 {
        let [evicted, held] =
            [self.bound.shallowest(), self.shallow.first()].map(|first| first.map(|(depth, _)| depth));
        evicted.into_iter().chain(held).min().unwrap_or(0)
    }

    /// Takes out the state with the fewest decisions, to be given away.
    fn take_shallowest(&mut self) -> Option<Slot> {
        let evicted = self.bound.shallowest();
        while let Some((rank, slot)) = self.shallow.first() {
            let depth = u64::from(self.waiters.views[slot.index()].depth);
            if depth <= rank {
                if evicted.is_some_and(|(before, _)| before < depth) {
                    break;
                }
                self.shallow.remove(slot);
                return Some(slot);
            }
            self.shallow.put(slot, depth);
        }
        let (_, slot) = evicted?;
        self.bound.given(slot);
        Some(slot)
    }

    /// Exports the states of `slots`, which leave this exploration.
    fn gone(&mut self, space: &mut S, slots: Vec<Slot>) -> Given {
        let mut expected = Some(Expected::NONE);
        let mut regions = Vec::with_capacity(slots.len());
        for slot in slots {
            let own = self.estimate.give(slot.index());
            expected = expected.zip(own).map(|(sum, own)| sum + own);
            regions.extend(self.leave(slot).map(|waiting| waiting.export(space)));
        }
        (regions, expected)
    }

    /// Gives away up to `n` states, the least promising first: those that are postponed, then those of least worth to the strategy.
    pub(crate) fn spill(&mut self, space: &mut S, n: usize) -> Given {
        let (mut spilled, mut expected) = (Vec::new(), Some(Expected::NONE));
        while spilled.len() < n {
            let evicted = self.bound.shallowest().map(|(_, slot)| slot).or_else(|| self.costs.hardest());
            let Some(slot) = evicted.or_else(|| self.worst()) else { break };
            let (regions, of_these) = self.gone(space, vec![slot]);
            expected = expected.zip(of_these).map(|(sum, own)| sum + own);
            spilled.extend(regions);
        }
        (spilled, expected)
    }

    /// The state of least worth to the strategy.
    fn worst(&mut self) -> Option<Slot> {
        let fits = |slot: &Slot| self.held.get(slot.index()).is_some_and(Option::is_some);
        let worst = self.strategy.worst(&self.waiters).filter(fits);
        worst.or_else(|| self.shallow.last().map(|(_, slot)| slot))
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

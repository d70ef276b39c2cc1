//! The frontier of a search strategy: states in slots, their order by path, and their order by depth. [`crate::states::frontier`] calls
//! it; no state is lost or waits twice.

mod bound; // The bound on live states, and the times of drains.
mod bounded; // Keeps the bound: drains begin and end, regions are evicted and taken in.
pub(crate) mod costs; // Costs of queries, and the states that are postponed because theirs are high.
pub(crate) mod drain; // Depth-first exploration of the subtree of one state, used if more states wait than may live.
pub(crate) mod pace; // Schedules depth-first steps beside a strategy, by the rate at which paths end.
pub(crate) mod pursuit; // Follows a test from the waiting state on its way to its end, before all others.
mod turns; // The state at hand: it is taken, goes on, forks, and is put back or ends.

use std::rc::Rc;

use cleave_region::{Expected, Region, Weight};

use crate::estimate::Broad;
use crate::event::Limits;
use crate::space::Space;
use crate::states::entries::{Given, Waiting};
use crate::states::novelty::{Novelty, Taken};
use crate::strategies::Ranked;
use crate::strategy::{Place, Slot, StateView, Strategy, Waiters};
use bound::Bound;
use costs::Costs;

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
    guards: bool,
    /// The sides that both states of a fork fit, while they are entered.
    fits: Option<Rc<[Place]>>,
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
        let guards = strategy.uses_guards();
        if guards {
            space.watch_guards();
        }
        Chosen {
            strategy,
            coverage,
            guards,
            fits: None,
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
        if self.guards {
            view.fits = self.fits.clone().unwrap_or_else(|| space.fitting(state).into());
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

    fn follows(&self, slot: Slot) -> bool {
        self.following.as_ref().is_some_and(|following| following.slot == slot)
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

    /// Number of states that the strategy chooses among.
    fn among(&self) -> usize {
        let others = self.bound.evicted.len() + self.bound.drains.iter().flatten().count();
        self.waiters.count - others - self.costs.postponed()
    }

    /// Expected work of the query with which `waiting` begins, if it has to wait; `first`: in depth-first search.
    fn takes_too_much(&self, space: &S, waiting: &Waiting<S>, first: bool) -> Option<u64> {
        place_of_question(space, waiting).and_then(|place| self.costs.too_much(place, first))
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
    fn withdraws(&mut self, slot: Slot) -> bool {
        if self.bound.knows(slot) || self.costs.knows(slot) {
            return false;
        }
        self.strategy.remove(slot);
        self.farthest.remove(slot);
        true
    }

    /// Tells the strategy again of the content of a slot.
    fn restore(&mut self, slot: Slot) {
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

    /// The state of least worth to the strategy.
    fn worst(&mut self) -> Option<Slot> {
        let fits = |slot: &Slot| self.held.get(slot.index()).is_some_and(Option::is_some);
        let worst = self.strategy.worst(&self.waiters).filter(fits);
        worst.or_else(|| self.shallow.last().map(|(_, slot)| slot))
    }
}

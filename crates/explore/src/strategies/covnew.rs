//! Towards code that no path of this worker has reached: a random state, with a chance that falls with the square
//! of its distance to such code, and with that of the instructions since its path last reached new code
//! (KLEE's `nurs:covnew`; Cadar, Dunbar, Engler 2008, section 3.4).
//!
//! States at one place, under the same callers, are equally far from new code. So they form a group with one
//! distance: when code was covered, groups are weighed again and not states, of which there may be a million. A group
//! has the chance of one state, however many it holds; otherwise a loop that forks would attract all choices (class-uniform
//! path analysis; Bucur, Kinder, Candea 2014). The chance falls with the number of draws of the place, because that place did
//! not lead to new code. The time since a path reached new code belongs to each state, and does not change while it
//! waits.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::engine::control_flow::Distances;
use crate::strategies::Making;
use crate::strategies::weighted::Weighted;
use crate::strategy::{Place, Random, Slot, StateView, Strategy, Waiters};

/// Number of instructions for which a path counts as new after it reached new code.
const FRESH: u64 = 1000;
/// Minimum number of choices before distances are computed again.
const SELDOM: usize = 64;
/// Number of states of the group farthest from new code that are compared when one has to leave.
const COMPARED: usize = 16;

/// Factor by which an unchecked state is less likely, because it costs a query and may be infeasible; not applied at new code.
const UNASKED: u64 = 16;

/// Place of the states of a group, and true if their last decision is unchecked.
type Stand = (Rc<[Place]>, bool);

/// States at one place under the same callers.
#[derive(Default)]
struct Group {
    stand: Stand,
    /// Weight of its distance.
    weight: u64,
    states: Vec<Slot>,
}

struct Covering {
    random: Random,
    distances: Option<Distances>,
    /// Weights of states that have reached new code.
    fresh: Weighted,
    groups: Vec<Group>,
    free: Vec<u32>,
    by_stand: BTreeMap<Stand, u32>,
    /// Number of draws of a place's states for their distance.
    drawn: BTreeMap<Place, u64>,
    /// By group: the weight of its distance, if it holds a state.
    near: Weighted,
    /// By state: its group, and its index in the group.
    places: Vec<Option<(u32, usize)>>,
    /// Choices since the distances were computed, and the number of choices that pays for computing them again.
    choices: usize,
    price: usize,
    /// Number of groups weighed because distances had changed.
    #[cfg(test)]
    weighed: u64,
}

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(Covering::new(making))
}

impl Covering {
    fn new(making: &Making) -> Covering {
        Covering {
            random: Random::new(making.seed),
            distances: making.flow.clone().map(Distances::new),
            fresh: Weighted::default(),
            groups: Vec::new(),
            free: Vec::new(),
            by_stand: BTreeMap::new(),
            drawn: BTreeMap::new(),
            near: Weighted::default(),
            places: Vec::new(),
            choices: 0,
            price: 0,
            #[cfg(test)]
            weighed: 0,
        }
    }

    /// The group of a state.
    fn group(&mut self, state: &StateView) -> u32 {
        let stand = (state.stack.clone(), state.unasked);
        if let Some(&group) = self.by_stand.get(&stand) {
            return group;
        }
        let group = self.free.pop().unwrap_or_else(|| {
            self.groups.push(Group::default());
            self.groups.len() as u32 - 1
        });
        self.groups[group as usize].stand = stand.clone();
        self.by_stand.insert(stand, group);
        self.weigh(group);
        group
    }

    /// Gives a group the weight of its last computed distance.
    fn weigh(&mut self, group: u32) {
        let Group { stand: (stack, unasked), weight, .. } = &mut self.groups[group as usize];
        let distance = self.distances.as_ref().and_then(|d| d.from(stack));
        let drawn = stack.first().and_then(|place| self.drawn.get(place)).copied().unwrap_or(0);
        let rare = if *unasked && distance != Some(0) { UNASKED } else { 1 };
        *weight = (Weighted::inverse_square(distance.unwrap_or(u64::MAX)) / rare / (1 + drawn)).max(1);
        self.enters(group);
    }

    /// Updates the weight of a group: it takes part if it holds a state.
    fn enters(&mut self, group: u32) {
        let Group { weight, states, .. } = &self.groups[group as usize];
        self.near.set(Slot(group), if states.is_empty() { 0 } else { *weight });
    }

    /// Computes distances again and weighs all groups, if something was covered since the last time and enough
    /// choices were made to pay for it. A choice adds at most a group or two: so the price at the last computation
    /// and the choices since then together are no less than the current price.
    fn refresh(&mut self) {
        self.choices += 1;
        let Some(distances) = &mut self.distances else { return };
        if !distances.is_outdated() || self.choices < self.price {
            return;
        }
        distances.update();
        self.choices = 0;
        self.price = SELDOM.max(distances.work() / 16 + self.by_stand.len());
        for group in 0..self.groups.len() as u32 {
            if !self.groups[group as usize].states.is_empty() {
                self.weigh(group);
                #[cfg(test)]
                {
                    self.weighed += 1;
                }
            }
        }
    }
}

impl Strategy for Covering {
    fn add(&mut self, slot: Slot, state: &StateView) {
        let since = state.instructions.saturating_sub(state.new_at);
        let fresh = if state.new_at == 0 { 0 } else { Weighted::inverse_square(since.saturating_sub(FRESH)) };
        let fresh = fresh >> state.halvings();
        self.fresh.set(slot, if state.unasked { fresh / UNASKED } else { fresh });
        let group = self.group(state);
        if self.places.len() <= slot.index() {
            self.places.resize(slot.index() + 1, None);
        }
        let states = &mut self.groups[group as usize].states;
        self.places[slot.index()] = Some((group, states.len()));
        states.push(slot);
        self.enters(group);
    }

    fn remove(&mut self, slot: Slot) {
        let Some((group, at)) = self.places.get_mut(slot.index()).and_then(Option::take) else { return };
        self.fresh.set(slot, 0);
        let Group { states, stand, .. } = &mut self.groups[group as usize];
        states.swap_remove(at);
        if let Some(moved) = states.get(at) {
            self.places[moved.index()] = Some((group, at));
        }
        if states.is_empty() {
            self.by_stand.remove(stand);
            self.free.push(group);
        }
        self.enters(group);
    }

    fn next(&mut self, _: &Waiters) -> Option<Slot> {
        self.refresh();
        let fresh = self.fresh.total();
        let rest = self.random.below(fresh + self.near.total());
        if rest < fresh {
            return self.fresh.at(rest).map(|(slot, _)| slot);
        }
        let (group, _) = self.near.at(rest - fresh)?;
        let Group { stand, states, .. } = &self.groups[group.index()];
        let slot = states.get(self.random.below(states.len() as u64) as usize).copied();
        if let Some(&place) = stand.0.first() {
            *self.drawn.entry(place).or_default() += 1;
            self.weigh(group.0);
        }
        slot
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        let states = &self.groups[self.near.lightest()?.index()].states;
        let last = states.iter().rev().take(COMPARED);
        last.min_by_key(|slot| self.fresh.weight(**slot)).copied()
    }

    fn covered(&mut self, places: &[Place]) {
        if let Some(distances) = &mut self.distances {
            distances.cover(places);
        }
    }

    fn uses_coverage(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::control_flow::Flow;
    use std::sync::Arc;

    /// Functions of which each calls the next lower one, and their numbers.
    fn chain(n: usize) -> (Arc<Flow>, Vec<u32>) {
        let mut text = String::from(
            "target triple = \"x86_64-unknown-linux-musl\"\n@sink = global i32 0\n\
             define void @f0() noinline { store volatile i32 1, ptr @sink\n ret void }\n",
        );
        for i in 1..n {
            let callee = i - 1;
            text += &format!(
                "define void @f{i}() noinline {{ call void @f{callee}()\n \
                 store volatile i32 {i}, ptr @sink\n ret void }}\n"
            );
        }
        text += &format!("define i32 @main() {{ call void @f{}()\n ret i32 0 }}\n", n - 1);
        let program = cleave_program::load(text.as_bytes()).unwrap();
        let number = |i| program.functions.iter().position(|f| f.name == format!("f{i}")).unwrap() as u32;
        (Arc::new(Flow::new(&program)), (0..n).map(number).collect())
    }

    fn at(func: u32) -> StateView {
        StateView { stack: [Place { func, pc: 0 }].into(), instructions: 1, ..StateView::default() }
    }

    #[test]
    fn new_code_counts_soon_however_many_states_wait_and_however_fast_they_become_more() {
        let (flow, functions) = chain(8);
        let making = Making { seed: 3, flow: Some(flow) };
        let mut covering = Covering::new(&making);
        let waiters = Waiters::default();
        let states = 20_000;
        for i in 0..states {
            covering.add(Slot(i), &at(functions[i as usize % 7]));
        }
        // Each choice adds a state, and something is covered at regular intervals.
        let choices = 20_000;
        for i in 0..choices {
            if i % 1000 == 0 {
                covering.covered(&[Place { func: functions[i as usize / 1000 % 6], pc: 0 }]);
            }
            let slot = covering.next(&waiters).unwrap();
            let again = functions[slot.index() % 7];
            covering.remove(slot);
            covering.add(slot, &at(again));
            covering.add(Slot(states + i), &at(functions[(states + i) as usize % 7]));
        }
        assert!(covering.weighed < 200, "{} groups weighed for {states} states", covering.weighed);
        // States at code that is still new are chosen before those far from any.
        let far = |slot: Slot| slot.index().is_multiple_of(7);
        let chosen = (0..1000).filter_map(|_| covering.next(&waiters)).filter(|slot| far(*slot)).count();
        assert_eq!(chosen, 0, "nothing leads from the innermost function to new code");
    }

    #[test]
    fn a_side_that_nobody_asked_for_is_drawn_less_often_than_a_state_at_the_same_place() {
        let mut covering = Covering::new(&Making { seed: 7, flow: None });
        let waiters = Waiters::default();
        for i in 0..10 {
            // The new code is within reach, so that there are weights to divide.
            covering.add(Slot(i), &StateView { new_at: 1, unasked: i < 5, ..at(1) });
        }
        let unasked = (0..9000).filter_map(|_| covering.next(&waiters)).filter(|s| s.index() < 5).count();
        assert!((400..700).contains(&unasked), "{unasked} of 9000, where one in seventeen is fair");
    }

    #[test]
    fn what_leads_to_new_code_at_once_is_drawn_as_often_unasked_as_asked() {
        let (flow, functions) = chain(3);
        let mut covering = Covering::new(&Making { seed: 2, flow: Some(flow) });
        for i in 0..4 {
            let place = at(functions[i as usize / 2]);
            covering.add(Slot(i), &StateView { unasked: i % 2 == 0, ..place });
        }
        covering.covered(&[Place { func: functions[0], pc: 0 }]);
        covering.choices = SELDOM;
        let mut drawn = [0u32; 4];
        (0..3000)
            .filter_map(|_| covering.next(&Waiters::default()))
            .for_each(|slot| drawn[slot.index()] += 1);
        assert!(drawn[2].abs_diff(drawn[3]) < drawn[3] / 4, "{drawn:?}");
        assert!(
            drawn[0] < 300 && drawn[1] < 300,
            "the innermost function is covered and leads nowhere: {drawn:?}"
        );
    }

    #[test]
    fn a_place_is_drawn_as_often_as_another_however_many_states_stand_there_and_seldom_after_many_times() {
        let (flow, functions) = chain(3);
        let mut covering = Covering::new(&Making { seed: 4, flow: Some(flow) });
        let waiters = Waiters::default();
        for i in 0..1000 {
            covering.add(Slot(i), &at(functions[usize::from(i == 7)]));
        }
        let drawn = |covering: &mut Covering, n: usize| {
            (0..n).filter_map(|_| covering.next(&waiters)).filter(|slot| *slot == Slot(7)).count()
        };
        let alone = drawn(&mut covering, 1000);
        assert!((400..600).contains(&alone), "{alone} of 1000 for one of two places");
        covering.remove(Slot(7));
        drawn(&mut covering, 1000);
        covering.add(Slot(7), &at(functions[1]));
        let alone = drawn(&mut covering, 500);
        assert!(
            (290..400).contains(&alone),
            "{alone} of 500, when the other was drawn three times as often before"
        );
    }

    #[test]
    fn a_state_is_drawn_by_its_distance_and_by_how_recently_its_path_was_at_new_code() {
        let mut covering = Covering::new(&Making { seed: 5, flow: None });
        let waiters = Waiters::default();
        let recent = StateView { new_at: 10, ..at(1) };
        for i in 0..100 {
            let state = if i == 42 { recent.clone() } else { at(i % 3) };
            covering.add(Slot(i), &state);
        }
        let mut drawn = [0; 100];
        (0..1000).filter_map(|_| covering.next(&waiters)).for_each(|slot| drawn[slot.index()] += 1);
        assert!(drawn[42] > 990, "{}", drawn[42]);
        assert_ne!(covering.worst(&waiters), Some(Slot(42)));
        covering.remove(Slot(42));
        let mut drawn = [0; 100];
        (0..10_000).filter_map(|_| covering.next(&waiters)).for_each(|slot| drawn[slot.index()] += 1);
        assert!((0..100).all(|i| (drawn[i] > 0) == (i != 42)), "{drawn:?}");
        for i in (0..100).filter(|i| *i != 42) {
            covering.remove(Slot(i));
        }
        assert_eq!((covering.next(&waiters), covering.worst(&waiters)), (None, None));
        assert!(covering.by_stand.is_empty(), "groups without states are forgotten");
    }
}

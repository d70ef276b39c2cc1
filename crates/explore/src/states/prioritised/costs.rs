//! Costs of queries, and the states that are postponed because theirs are high. Depth-first search may not reach a place with
//! hard queries for hours; a strategy that chooses among all states reaches each such place soon, and then spends all its time
//! there. So hard queries get a fixed part of the work: once they exceed it, states at places with hard queries wait until the
//! rest has caught up. So do states whose ops are hard work themselves, as arithmetic on numbers with thousands of listed values.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::strategies::Ranked;
use crate::strategy::Slot;

/// A query is hard if it takes this many times the work of a usual step ...
const HARD: u64 = 16;
/// ... and at least this much work, in instructions: a millisecond or two.
const LEAST: u64 = 1 << 16;
/// Hard queries may take one part in this many of the work.
const PART: u64 = 3;
/// Expected work of a query that little work did not answer, as a multiple of that work ...
const LONGER: u64 = 16;
/// ... and its minimum, in instructions: a second or two.
const LONG: u64 = 1 << 24;

/// Nothing depends on the order of the map.
#[derive(Default)]
pub(super) struct Costs {
    /// Recent work of a query at a place; the flag is true for depth-first search.
    of_place: FxHashMap<(u64, bool), u64>,
    /// The work of the step at hand, and that of a usual one: the median of the steps.
    step: u64,
    usual: u64,
    /// The work of everything except hard queries.
    easy: u64,
    /// The work of hard queries.
    hard: u64,
    /// The place of the query with which the state at hand begins.
    asking: Option<(u64, bool)>,
    /// Postponed states, which the strategy does not know, by the expected work of their query.
    later: Ranked,
    /// The work of the last query.
    last: u64,
    /// States whose query little work did not answer: the next attempt has no such limit.
    begun: FxHashSet<Slot>,
}

impl Costs {
    /// Notes the place of the query with which the state at hand begins, if any. Place 0 stands for none. Depth-first search
    /// (`first`) has its own costs: its queries at a place may be easy where those of other states are hard.
    pub(super) fn begins(&mut self, place: Option<u64>, first: bool) {
        self.asking = place.filter(|place| *place != 0).map(|place| (place, first));
        let (step, change) = (std::mem::take(&mut self.step), self.usual / 16 + 1);
        self.usual = match step > self.usual {
            true => step.min(self.usual.saturating_add(change)),
            false => step.max(self.usual.saturating_sub(change)),
        };
    }

    /// Accounts for instructions of the state at hand, with `decision` for the rest of a step.
    pub(super) fn ran(&mut self, instructions: u64, decision: u64) {
        let work = instructions.saturating_add(decision);
        self.step = self.step.saturating_add(work);
        self.easy = self.easy.saturating_add(work);
    }

    /// Accounts for work on a query of the state at hand.
    pub(super) fn asked(&mut self, work: u64) {
        self.step = self.step.saturating_add(work);
        self.last = work;
        let sum = if self.is_hard(work) { &mut self.hard } else { &mut self.easy };
        *sum = sum.saturating_add(work);
        if let Some(place) = self.asking.take() {
            let lately = self.of_place.entry(place).or_insert(work);
            // One easy question among hard ones does not make them easy.
            *lately = work.max(*lately / 4 * 3);
        }
    }

    fn is_hard(&self, work: u64) -> bool {
        work >= LEAST && work / HARD >= self.usual
    }

    /// True if hard queries stay within their part with `work` added.
    fn affords(&self, work: u64) -> bool {
        self.hard.saturating_add(work).saturating_mul(PART - 1) <= self.easy
    }

    /// True if hard queries have had their part of the work.
    pub(super) fn is_spent(&self) -> bool {
        !self.affords(0)
    }

    /// Expected work of a query at this place, if it has to wait.
    pub(super) fn too_much(&self, place: u64, first: bool) -> Option<u64> {
        let work = *self.of_place.get(&(place, first))?;
        (self.is_hard(work) && !self.affords(work)).then_some(work)
    }

    /// The work of the step at hand, if that is hard, and hard work had its part.
    pub(super) fn slow(&self) -> Option<u64> {
        (self.is_hard(self.last) && !self.affords(0)).then_some(self.last)
    }

    /// Postpones a state whose query was not answered with the work just spent.
    pub(super) fn put_off(&mut self, slot: Slot) {
        self.later.put(slot, self.last.saturating_mul(LONGER).max(LONG));
        self.begun.insert(slot);
    }

    /// True if the query of the state in a slot had to wait.
    pub(super) fn waits_whole(&self, slot: Slot) -> bool {
        self.begun.contains(&slot)
    }

    /// Returns true if the query of the state in a slot had to wait, and forgets that.
    pub(super) fn has_waited(&mut self, slot: Slot) -> bool {
        self.begun.remove(&slot)
    }

    /// Postpones a state whose query is expected to take `work`.
    pub(super) fn postpone(&mut self, slot: Slot, work: u64) {
        self.later.put(slot, work);
    }

    /// Number of postponed states.
    pub(super) fn postponed(&self) -> usize {
        self.later.len()
    }

    /// The postponed state with the hardest query.
    pub(super) fn hardest(&self) -> Option<Slot> {
        self.later.last().map(|(_, slot)| slot)
    }

    /// True if the state in a slot is postponed, and hidden from the strategy.
    pub(super) fn knows(&self, slot: Slot) -> bool {
        self.later.contains(slot)
    }

    /// Forgets the state in a slot, which leaves. Returns true if it was postponed.
    pub(super) fn forgets(&mut self, slot: Slot) -> bool {
        self.later.remove(slot)
    }

    /// The postponed state to tell the strategy of, if it is time for one: the one with the easiest query. With `all`, in any
    /// case.
    pub(super) fn recall(&mut self, all: bool) -> Option<Slot> {
        let (_, slot) = self.later.first().filter(|(work, _)| all || self.affords(*work))?;
        self.later.remove(slot);
        Some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EASY: u64 = 1000;
    const HARD_WORK: u64 = 10 << 20;

    fn step(costs: &mut Costs, place: u64, work: u64) {
        costs.begins(Some(place), false);
        costs.ran(EASY, EASY);
        costs.asked(work);
    }

    #[test]
    fn hard_questions_get_a_third_of_the_work_and_others_do_not_wait() {
        let mut costs = Costs::default();
        let [mut hard, mut all] = [0; 2];
        for i in 0..200_000 {
            let wants_hard = i % 3 == 0;
            let place = if wants_hard { 7 } else { 8 + i % 100 };
            assert!(wants_hard || costs.too_much(place, false).is_none());
            if wants_hard && costs.too_much(place, false).is_some() {
                continue;
            }
            let work = if wants_hard { HARD_WORK } else { EASY };
            step(&mut costs, place, work);
            all += 2 * EASY + work;
            hard += if wants_hard { work } else { 0 };
        }
        assert!(hard <= all / 3 + HARD_WORK && hard >= all / 3 - HARD_WORK, "{hard} of {all}");
    }

    #[test]
    fn where_all_questions_take_as_long_none_is_hard() {
        let mut costs = Costs::default();
        // The first queries are hard, because the usual step is not known yet; then their cost is the usual step.
        for _ in 0..1000 {
            step(&mut costs, 7, HARD_WORK);
        }
        assert_eq!(costs.too_much(7, false), None);
    }

    #[test]
    fn what_waits_comes_back_when_the_rest_has_caught_up_the_easiest_first() {
        let mut costs = Costs::default();
        step(&mut costs, 7, HARD_WORK);
        let work = costs.too_much(7, false).unwrap();
        costs.postpone(Slot(1), 2 * work);
        costs.postpone(Slot(2), work);
        assert_eq!((costs.recall(false), costs.postponed()), (None, 2));
        while costs.too_much(7, false).is_some() {
            step(&mut costs, 8, EASY);
        }
        assert_eq!(
            (costs.recall(false), costs.recall(true), costs.recall(true)),
            (Some(Slot(2)), Some(Slot(1)), None)
        );
        costs.postpone(Slot(3), work);
        assert!(costs.forgets(Slot(3)) && !costs.forgets(Slot(3)));
    }

    #[test]
    fn hard_questions_of_other_states_tell_nothing_of_those_that_depth_first_search_asks() {
        let mut costs = Costs::default();
        step(&mut costs, 8, EASY);
        step(&mut costs, 7, HARD_WORK);
        assert!(costs.too_much(7, false).is_some() && costs.too_much(7, true).is_none());
        // Hard queries of depth-first search itself postpone its states.
        costs.begins(Some(7), true);
        costs.asked(HARD_WORK);
        assert!(costs.too_much(7, true).is_some());
    }

    #[test]
    fn a_question_that_takes_long_waits_once_until_its_part_can_pay_for_it() {
        let mut costs = Costs::default();
        step(&mut costs, 7, EASY);
        step(&mut costs, 8, LEAST);
        costs.put_off(Slot(1));
        assert!(costs.knows(Slot(1)) && costs.recall(false).is_none());
        let before = costs.easy;
        let mut recalled = None;
        while recalled.is_none() {
            step(&mut costs, 9, EASY);
            recalled = costs.recall(false);
        }
        assert_eq!(recalled, Some(Slot(1)));
        assert!(costs.easy - before >= LONG, "it came back after {}", costs.easy - before);
        assert!(costs.has_waited(Slot(1)) && !costs.has_waited(Slot(1)));
        // If there is nothing else, it returns at once.
        costs.put_off(Slot(2));
        assert_eq!(costs.recall(true), Some(Slot(2)));
    }
}

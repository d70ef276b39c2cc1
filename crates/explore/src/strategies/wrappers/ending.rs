//! A strategy whose choice holds until the path ends: each choice then gives a test soon, while a strategy that chooses
//! anew at each fork moves many states and finishes few. At a fork, the side of the state's own input continues,
//! because it costs no query (as in a concolic run; Godefroid, Klarlund, Sen 2005). An endless path would hold
//! the choice for ever, so it holds for a limited number of instructions and forks: a loop that reads inputs forks in each round.
//! If ended paths have more of them, the limit is theirs: a compressor forks more often before each of
//! its ends than such a loop may.
//!
//! The way to the end may be long, and paths that part from it just before the end are cheap: after the end these paths are
//! next, the last fork first, until they have taken twice as much work as the way. So a path takes at most about one and a
//! half times its depth-first work, and two thirds of the work finish paths instead of leaving states behind.

use crate::strategy::{DECISION, Place, Slot, StateView, Strategy, Waiters};

/// Default number of instructions for which a choice holds.
pub(crate) const INSTRUCTIONS: u64 = 100_000;
/// Number of forks for which a choice holds if ends are not farther away: after most choices a path ends sooner, and a loop
/// leaves few states behind.
const FORKS: u32 = 32;
/// Maximum number of decisions in a call of the C library for a fork to count: beyond it, paths beside the fork are not finished.
/// A conversion of a number makes dozens of decisions, a comparison of short texts few.
const ASIDE: u32 = 4;
/// Work of the paths beside a way, as a multiple of the work of the way.
const BESIDE: u64 = 2;

/// A choice, with its limits.
#[derive(Clone, Copy, Debug)]
struct Held {
    slot: Slot,
    /// The instructions of its path, as last seen.
    at: u64,
    /// The instructions of its path when the choice is over.
    until: u64,
    /// Number of forks left.
    forks: u32,
    /// Decisions of its path, as last seen.
    depth: u32,
    /// True if it has gone on since it was chosen.
    moved: bool,
}

/// Median length of the ended paths; a mean would follow a few very long ones.
#[derive(Debug, Default)]
struct Usual {
    instructions: u64,
    depth: u64,
}

impl Usual {
    /// Counts an ended path. The values converge to the median.
    fn ended(&mut self, instructions: u64, depth: u32) {
        for (usual, one) in [(&mut self.instructions, instructions), (&mut self.depth, depth.into())] {
            let step = *usual / 8 + 1;
            *usual = if one > *usual {
                one.min(usual.saturating_add(step))
            } else {
                one.max(*usual - step.min(*usual))
            };
        }
    }
}

/// History of the current choice.
#[derive(Debug, Default)]
struct Way {
    /// The other sides of its forks, the last fork's last, with the instructions and decisions of their paths.
    beside: Vec<(Slot, u64, u32)>,
    /// The work of the way; after its end, the work left for the paths beside it.
    work: u64,
    /// True if the way has reached its end.
    ended: bool,
}

pub(crate) struct Ending {
    inner: Box<dyn Strategy>,
    instructions: u64,
    /// The choice that holds.
    current: Option<Held>,
    way: Way,
    usual: Usual,
    /// The state that came last: at a fork, the true side.
    came: Option<Slot>,
}

impl Way {
    /// Accounts for instructions and a decision on the way or, after its end, on a path beside it.
    fn ran(&mut self, instructions: u64) {
        self.worked(instructions.saturating_add(DECISION));
    }

    /// Accounts for work there.
    fn worked(&mut self, work: u64) {
        self.work = if self.ended { self.work.saturating_sub(work) } else { self.work.saturating_add(work) };
    }
}

impl Ending {
    pub(crate) fn new(inner: Box<dyn Strategy>, instructions: u64) -> Ending {
        // If nothing has ended, a choice holds for twice the usual length, which is the given limit.
        let usual = Usual { instructions: instructions / 2, depth: u64::from(FORKS) / 2 };
        Ending { inner, instructions, current: None, way: Way::default(), usual, came: None }
    }

    /// Holds a state whose path has `at` instructions and `depth` decisions: long enough to reach twice the usual
    /// length.
    fn hold(&mut self, slot: Slot, at: u64, depth: u32) {
        let until = at.saturating_add(self.instructions).max(self.usual.instructions.saturating_mul(2));
        let forks = (self.usual.depth.saturating_mul(2)).saturating_sub(depth.into()).max(FORKS.into());
        let forks = u32::try_from(forks).unwrap_or(u32::MAX);
        self.current = Some(Held { slot, at, until, forks, depth, moved: false });
    }

    /// Handles the end of the held state: the side that parted last is next, as long as there is work left for it.
    fn ended(&mut self) {
        if let Some(held) = self.current.take()
            && held.moved
        {
            self.usual.ended(held.at, held.depth);
        }
        self.way.ran(0);
        if !self.way.ended {
            self.way.ended = true;
            self.way.work = self.way.work.saturating_mul(BESIDE);
        }
        if self.way.work > 0
            && let Some((slot, at, depth)) = self.way.beside.pop()
        {
            self.hold(slot, at, depth);
        }
    }
}

impl Strategy for Ending {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.came = Some(slot);
        self.inner.add(slot, state);
    }

    /// Handles a fork: the true side was added just before, and the state changes to the false side.
    fn changed(&mut self, slot: Slot, state: &StateView) {
        let came = self.came.take();
        if let Some(held) = &mut self.current
            && held.slot == slot
        {
            self.way.ran(state.instructions.saturating_sub(held.at));
            (held.at, held.depth, held.moved) = (state.instructions, state.depth, true);
            if let Some(came) = came {
                held.forks = held.forks.saturating_sub(1);
                let other = if state.unasked { std::mem::replace(&mut held.slot, came) } else { came };
                if state.aside <= ASIDE {
                    self.way.beside.push((other, state.instructions, state.depth));
                }
            }
        }
        self.inner.changed(slot, state);
    }

    fn asked(&mut self, slot: Slot, work: u64) {
        if self.current.is_some_and(|held| held.slot == slot) {
            self.way.worked(work);
        }
        self.inner.asked(slot, work);
    }

    fn remove(&mut self, slot: Slot) {
        self.way.beside.retain(|(beside, ..)| *beside != slot);
        if self.current.is_some_and(|held| held.slot == slot) {
            self.ended();
        }
        if self.came == Some(slot) {
            self.came = None;
        }
        self.inner.remove(slot);
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        self.came = None;
        if let Some(Held { slot, until, forks, .. }) = self.current
            && forks > 0
            && waiters.state(slot).instructions < until
            && (!self.way.ended || self.way.work > 0)
        {
            return Some(slot);
        }
        let slot = self.inner.next(waiters)?;
        self.way = Way::default();
        let StateView { instructions, depth, .. } = *waiters.state(slot);
        self.hold(slot, instructions, depth);
        Some(slot)
    }

    fn worst(&mut self, waiters: &Waiters) -> Option<Slot> {
        self.inner.worst(waiters)
    }

    fn needs(&self, slot: Slot) -> bool {
        self.inner.needs(slot)
    }

    fn covered(&mut self, places: &[Place]) {
        self.inner.covered(places);
    }

    fn novel(&mut self, marks: u64) {
        self.inner.novel(marks);
    }

    fn uses_guards(&self) -> bool {
        self.inner.uses_guards()
    }

    fn uses_novelty(&self) -> bool {
        self.inner.uses_novelty()
    }

    fn uses_coverage(&self) -> bool {
        self.inner.uses_coverage()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::Making;
    use crate::strategies::dfs_false;

    /// A path with a fork every 1000 instructions, taking the true side; returns the first choice after its end.
    fn way(ending: &mut Ending, waiters: &mut Waiters, forks: u32) {
        waiters.views = vec![StateView::default(); 64];
        ending.add(Slot(0), &StateView::default());
        assert_eq!(ending.next(waiters), Some(Slot(0)));
        for i in 1..=forks {
            let instructions = u64::from(i) * 1000;
            let on_true = StateView { instructions, ..StateView::default() };
            ending.add(Slot(i), &on_true);
            ending.changed(Slot(i - 1), &StateView { unasked: true, ..on_true });
            assert_eq!(ending.next(waiters), Some(Slot(i)), "the side of the state's own input goes on");
        }
    }

    fn ending() -> Ending {
        Ending::new(dfs_false::make(&Making::default()), INSTRUCTIONS)
    }

    #[test]
    fn behind_an_end_the_paths_beside_the_way_are_next_the_last_fork_first() {
        let (mut ending, mut waiters) = (ending(), Waiters::default());
        way(&mut ending, &mut waiters, 10);
        ending.remove(Slot(10));
        for slot in (0..10).rev() {
            assert_eq!(ending.next(&waiters), Some(Slot(slot)));
            ending.remove(Slot(slot));
        }
        assert!(ending.current.is_none());
    }

    #[test]
    fn the_paths_beside_a_way_take_twice_its_work_and_no_more() {
        let (mut ending, mut waiters) = (ending(), Waiters::default());
        way(&mut ending, &mut waiters, 10);
        let work = ending.way.work;
        assert_eq!(work, 10 * (1000 + DECISION));
        ending.remove(Slot(10));
        // Each of them has ten times the instructions of the way before its next fork.
        let mut done = 0;
        while ending.current.is_some_and(|_| ending.way.work > 0) {
            let Held { slot, at, .. } = ending.current.unwrap();
            ending.changed(slot, &StateView { instructions: at + 10_000, ..StateView::default() });
            done += 10_000 + DECISION;
            assert!(done < 2 * work + 20_000, "{done} for a way of {work}");
            ending.remove(slot);
            done += DECISION;
        }
        assert!(done >= 2 * work - DECISION, "{done} for a way of {work}");
    }

    #[test]
    fn a_choice_holds_for_as_many_forks_as_an_end_is_away_and_for_few_where_nothing_ends() {
        // Feeds paths of `length` forks one after the other; returns the number of forks for which the last choice held.
        let holds = |length: u32| {
            let (mut ending, mut waiters) = (ending(), Waiters::default());
            waiters.views = vec![StateView::default(); 2];
            let (mut depth, mut of_entry) = (0, 0);
            for _ in 0..3000 {
                let before = depth;
                ending.way = Way::default();
                ending.hold(Slot(0), 0, depth);
                while depth < length && ending.current.is_some_and(|held| held.forks > 0) {
                    depth += 1;
                    ending.add(Slot(1), &StateView::default());
                    ending.changed(Slot(0), &StateView { depth, ..StateView::default() });
                }
                of_entry = if before == 0 { depth } else { of_entry };
                if depth == length {
                    ending.way.beside.clear();
                    ending.ended();
                    depth = 0;
                }
            }
            of_entry
        };
        assert_eq!([holds(5), holds(200), holds(1000), holds(u32::MAX)], [5, 200, 1000, FORKS]);
    }

    #[test]
    fn what_leaves_meanwhile_is_not_chosen() {
        let (mut ending, mut waiters) = (ending(), Waiters::default());
        way(&mut ending, &mut waiters, 4);
        ending.remove(Slot(3));
        ending.remove(Slot(4));
        assert_eq!(ending.next(&waiters), Some(Slot(2)));
    }
}

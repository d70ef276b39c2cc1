//! A strategy whose choice holds until the path ends: each choice then gives a test soon, where a strategy that chooses
//! anew at each fork moves many states and finishes few. Of a fork's sides the one goes on that the state's own input
//! takes, as it costs no question (as a concolic run does; Godefroid, Klarlund, Sen 2005). A path without end would hold
//! the choice for ever, so it holds for some instructions and some forks at most: a loop that reads inputs forks in each round.
//! Where paths that did end have more of them, it holds for as many as these: a compressor forks more often before each of
//! its ends than such a loop may.
//!
//! The way to the end may be long, and what parts from it just before the end is cheap: behind the end these paths are
//! next, the last fork first, until they have taken as much work as the way, twice. So a path takes at most about one and a
//! half times what it takes depth-first, and two thirds of the work finish paths instead of leaving states behind.

use crate::strategy::{Place, Slot, StateView, Strategy, Waiters};

/// How many instructions, if nothing else is said.
pub(crate) const INSTRUCTIONS: u64 = 100_000;
/// How many forks at most, where ends are not farther away: behind most choices a path ends sooner, and a loop leaves few
/// states behind.
const FORKS: u32 = 32;
/// The work of a decision, in instructions.
const DECISION: u64 = 2048;
/// A call of the C library that has made more decisions is none of those beside whose forks paths are finished: a conversion of a
/// number makes dozens, a comparison of short texts few.
const ASIDE: u32 = 4;
/// The paths beside a way may take so many times the work of the way.
const BESIDE: u64 = 2;

/// A choice, and when it is over.
#[derive(Clone, Copy, Debug)]
struct Held {
    slot: Slot,
    /// The instructions of its path, as far as they were seen.
    at: u64,
    /// The instructions of its path when the choice is over.
    until: u64,
    /// So many forks from now.
    forks: u32,
    /// Decisions of its path, as far as they were seen.
    depth: u32,
    /// It has gone on since it was chosen.
    moved: bool,
}

/// How long the paths are that ended: in the middle, as a few may be very long.
#[derive(Debug, Default)]
struct Usual {
    instructions: u64,
    depth: u64,
}

impl Usual {
    /// A path ended. Half of the paths are longer than what this comes to in the end, and half are shorter.
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

/// What was done since a state was chosen.
#[derive(Debug, Default)]
struct Way {
    /// The other sides of its forks, the last fork's last, with the instructions and decisions of their paths.
    beside: Vec<(Slot, u64, u32)>,
    /// The work of the way; behind its end, what the paths beside it may still take.
    work: u64,
    /// Whether the way has come to its end.
    ended: bool,
}

pub(crate) struct Ending {
    inner: Box<dyn Strategy>,
    instructions: u64,
    /// The choice that holds.
    current: Option<Held>,
    way: Way,
    usual: Usual,
    /// The state that came last: of a fork, the true side.
    came: Option<Slot>,
}

impl Way {
    /// So many instructions and a decision were done on the way or, behind its end, for a path beside it.
    fn ran(&mut self, instructions: u64) {
        self.worked(instructions.saturating_add(DECISION));
    }

    /// So much work was done there.
    fn worked(&mut self, work: u64) {
        self.work = if self.ended { self.work.saturating_sub(work) } else { self.work.saturating_add(work) };
    }
}

impl Ending {
    pub(crate) fn new(inner: Box<dyn Strategy>, instructions: u64) -> Ending {
        // Twice as long is what a choice holds for where nothing has ended.
        let usual = Usual { instructions: instructions / 2, depth: u64::from(FORKS) / 2 };
        Ending { inner, instructions, current: None, way: Way::default(), usual, came: None }
    }

    /// Holds a state whose path has so many instructions and decisions: at least so long that it can become twice as long as
    /// is usual.
    fn hold(&mut self, slot: Slot, at: u64, depth: u32) {
        let until = at.saturating_add(self.instructions).max(self.usual.instructions.saturating_mul(2));
        let forks = (self.usual.depth.saturating_mul(2)).saturating_sub(depth.into()).max(FORKS.into());
        let forks = u32::try_from(forks).unwrap_or(u32::MAX);
        self.current = Some(Held { slot, at, until, forks, depth, moved: false });
    }

    /// The state that is held is no more: what parted last is next, while there is work left for it.
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

    /// At a fork, the true side was added just before, and the false side is what the state changes to.
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

    fn covered(&mut self, places: &[Place]) {
        self.inner.covered(places);
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

    /// A path that goes through a fork each 1000 instructions, taking the true side; what it chose first comes back.
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
        // Of paths of so many forks, one after the other: how many of them the last choice at an entry held for.
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

//! A strategy whose choice holds until the path ends: each choice then gives a test soon, where a strategy that chooses
//! anew at each fork moves many states and finishes few. Of a fork's sides the one goes on that the state's own input
//! takes, as it costs no question (as a concolic run does; Godefroid, Klarlund, Sen 2005). A path without end would hold
//! the choice for ever, so it holds for some instructions and some forks at most: a loop that reads inputs forks in each round.

use crate::strategy::{Place, Slot, StateView, Strategy, Waiters};

/// How many instructions, if nothing else is said.
pub(crate) const INSTRUCTIONS: u64 = 100_000;
/// How many forks at most: behind most choices a path ends sooner, and a loop leaves few states behind.
const FORKS: u32 = 32;

/// A choice, and when it is over.
#[derive(Clone, Copy, Debug)]
struct Held {
    slot: Slot,
    /// The instructions of its path.
    until: u64,
    /// So many forks from now.
    forks: u32,
}

pub(crate) struct Ending {
    inner: Box<dyn Strategy>,
    instructions: u64,
    /// The choice that holds.
    current: Option<Held>,
    /// The state that came last: of a fork, the true side.
    came: Option<Slot>,
}

impl Ending {
    pub(crate) fn new(inner: Box<dyn Strategy>, instructions: u64) -> Ending {
        Ending { inner, instructions, current: None, came: None }
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
        if let (Some(held), Some(came)) = (&mut self.current, came)
            && held.slot == slot
        {
            held.forks = held.forks.saturating_sub(1);
            if state.unasked {
                held.slot = came;
            }
        }
        self.inner.changed(slot, state);
    }

    fn remove(&mut self, slot: Slot) {
        if self.current.is_some_and(|held| held.slot == slot) {
            self.current = None;
        }
        if self.came == Some(slot) {
            self.came = None;
        }
        self.inner.remove(slot);
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        self.came = None;
        if let Some(Held { slot, until, forks }) = self.current
            && forks > 0
            && waiters.state(slot).instructions < until
        {
            return Some(slot);
        }
        let slot = self.inner.next(waiters)?;
        let until = waiters.state(slot).instructions.saturating_add(self.instructions);
        self.current = Some(Held { slot, until, forks: FORKS });
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

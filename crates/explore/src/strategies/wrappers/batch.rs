//! A strategy whose choice holds for some instructions, so that its inner strategy is asked seldom (KLEE's batching search).

use crate::strategy::{Place, Slot, StateView, Strategy, Waiters};

/// Default number of instructions.
pub(crate) const INSTRUCTIONS: u64 = 10_000;

pub(crate) struct Batch {
    inner: Box<dyn Strategy>,
    instructions: u64,
    /// The current choice, and the instruction count of its path at which it is over.
    current: Option<(Slot, u64)>,
}

impl Batch {
    pub(crate) fn new(inner: Box<dyn Strategy>, instructions: u64) -> Batch {
        Batch { inner, instructions, current: None }
    }
}

impl Strategy for Batch {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.inner.add(slot, state);
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.inner.changed(slot, state);
    }

    fn asked(&mut self, slot: Slot, work: u64) {
        self.inner.asked(slot, work);
    }

    fn remove(&mut self, slot: Slot) {
        if self.current.is_some_and(|(current, _)| current == slot) {
            self.current = None;
        }
        self.inner.remove(slot);
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        if let Some((slot, until)) = self.current
            && waiters.state(slot).instructions < until
        {
            return Some(slot);
        }
        let slot = self.inner.next(waiters)?;
        self.current = Some((slot, waiters.state(slot).instructions.saturating_add(self.instructions)));
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

//! A strategy that sees only states up to a depth; when none is left, the depth is doubled. KLEE's iterative
//! deepening counts time, which differs between runs; this one counts decisions.

use crate::strategies::ranked::Ranked;
use crate::strategy::{Place, Slot, StateView, Strategy, Waiters};

/// Default of the first depth, in decisions.
pub(crate) const DEPTH: u64 = 16;

pub(crate) struct Deepening {
    inner: Box<dyn Strategy>,
    depth: u64,
    /// States known to the inner strategy, and states that wait for a greater depth, by their depth.
    seen: Ranked,
    later: Ranked,
}

impl Deepening {
    pub(crate) fn new(inner: Box<dyn Strategy>, depth: u64) -> Deepening {
        Deepening { inner, depth: depth.max(1), seen: Ranked::default(), later: Ranked::default() }
    }
}

impl Strategy for Deepening {
    fn add(&mut self, slot: Slot, state: &StateView) {
        if u64::from(state.depth) <= self.depth {
            self.seen.put(slot, 0);
            self.inner.add(slot, state);
        } else {
            self.later.put(slot, u64::from(state.depth));
        }
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        if self.seen.contains(slot) && u64::from(state.depth) <= self.depth {
            self.inner.changed(slot, state);
        } else {
            self.remove(slot);
            self.add(slot, state);
        }
    }

    fn asked(&mut self, slot: Slot, work: u64) {
        self.inner.asked(slot, work);
    }

    fn remove(&mut self, slot: Slot) {
        if self.seen.remove(slot) {
            self.inner.remove(slot);
        } else {
            self.later.remove(slot);
        }
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        if self.seen.is_empty() {
            let (least, _) = self.later.first()?;
            while self.depth < least {
                self.depth = self.depth.saturating_mul(2);
            }
            while let Some((depth, slot)) = self.later.first()
                && depth <= self.depth
            {
                self.later.remove(slot);
                self.add(slot, waiters.state(slot));
            }
        }
        self.inner.next(waiters)
    }

    fn worst(&mut self, waiters: &Waiters) -> Option<Slot> {
        self.later.last().map(|(_, slot)| slot).or_else(|| self.inner.worst(waiters))
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

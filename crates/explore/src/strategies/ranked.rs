//! States in the order of a rank; those of one rank in the order of their coming.

use std::collections::BTreeSet;

use crate::strategy::Slot;

/// States by rank.
#[derive(Debug, Default)]
pub(crate) struct Ranked {
    order: BTreeSet<(u64, u64, Slot)>,
    /// Rank and number of the coming of each state that is in.
    keys: Vec<Option<(u64, u64)>>,
    came: u64,
}

impl Ranked {
    /// Takes a state in, or gives it another rank: then it comes anew.
    pub(crate) fn put(&mut self, slot: Slot, rank: u64) {
        if self.keys.len() <= slot.index() {
            self.keys.resize(slot.index() + 1, None);
        }
        match self.keys[slot.index()] {
            Some((old, _)) if old == rank => return,
            Some((old, came)) => {
                self.order.remove(&(old, came, slot));
            }
            None => {}
        }
        self.came += 1;
        self.keys[slot.index()] = Some((rank, self.came));
        self.order.insert((rank, self.came, slot));
    }

    /// Whether it was in.
    pub(crate) fn remove(&mut self, slot: Slot) -> bool {
        let key = self.keys.get_mut(slot.index()).and_then(Option::take);
        key.is_some_and(|(rank, came)| self.order.remove(&(rank, came, slot)))
    }

    pub(crate) fn contains(&self, slot: Slot) -> bool {
        self.keys.get(slot.index()).is_some_and(Option::is_some)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    pub(crate) fn first(&self) -> Option<(u64, Slot)> {
        self.order.first().map(|&(rank, _, slot)| (rank, slot))
    }

    pub(crate) fn last(&self) -> Option<(u64, Slot)> {
        self.order.last().map(|&(rank, _, slot)| (rank, slot))
    }
}

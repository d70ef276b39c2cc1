//! States in the order of a rank; those of one rank in the order of arrival.

use std::collections::BTreeSet;

use crate::strategy::{Slot, StateView, Strategy, Waiters};

/// States by rank.
#[derive(Debug, Default)]
pub(crate) struct Ranked {
    order: BTreeSet<(u64, u64, Slot)>,
    /// Rank and arrival number of each state in the order.
    keys: Vec<Option<(u64, u64)>>,
    came: u64,
}

impl Ranked {
    /// Takes a state in, or changes its rank: then it counts as newly arrived.
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

    /// Removes a state. Returns true if it was in.
    pub(crate) fn remove(&mut self, slot: Slot) -> bool {
        let key = self.keys.get_mut(slot.index()).and_then(Option::take);
        key.is_some_and(|(rank, came)| self.order.remove(&(rank, came, slot)))
    }

    pub(crate) fn rank(&self, slot: Slot) -> Option<u64> {
        self.keys.get(slot.index()).copied().flatten().map(|(rank, _)| rank)
    }

    pub(crate) fn contains(&self, slot: Slot) -> bool {
        self.keys.get(slot.index()).is_some_and(Option::is_some)
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
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

/// The end of a ranking that is explored first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    First,
    Last,
}

/// Takes states by a rank computed from their view, from one end.
#[derive(Debug)]
pub(crate) struct ByRank {
    states: Ranked,
    rank: fn(&StateView) -> u64,
    next: End,
}

impl ByRank {
    pub(crate) fn new(rank: fn(&StateView) -> u64, next: End) -> ByRank {
        ByRank { states: Ranked::default(), rank, next }
    }

    fn at(&self, end: End) -> Option<Slot> {
        let found = if end == End::First { self.states.first() } else { self.states.last() };
        found.map(|(_, slot)| slot)
    }
}

impl Strategy for ByRank {
    fn add(&mut self, slot: Slot, state: &StateView) {
        self.states.put(slot, (self.rank)(state));
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.add(slot, state);
    }

    fn remove(&mut self, slot: Slot) {
        self.states.remove(slot);
    }

    fn next(&mut self, _: &Waiters) -> Option<Slot> {
        self.at(self.next)
    }

    fn worst(&mut self, _: &Waiters) -> Option<Slot> {
        self.at(if self.next == End::First { End::Last } else { End::First })
    }
}

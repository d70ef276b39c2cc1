//! The items of a concolic exploration that wait, and which is next.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use cleave_region::Region;

/// Which item is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ItemOrder {
    /// Those whose parent's run came to the most places where no run of this worker had been (the score of Godefroid,
    /// Levin and Molnar 2008); among equals the newest, so that few wait where the order does not matter.
    #[default]
    Generational,
    /// The oldest (Siddiqui and Khurshid 2010, whose monitor has a queue).
    Fifo,
}

/// Names of orders, as users give them.
pub const ITEM_ORDERS: [(&str, ItemOrder); 2] =
    [("generational", ItemOrder::Generational), ("fifo", ItemOrder::Fifo)];

/// A work item. The inputs are the test of its region's cuts.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Where its paths are: the prefix (inputs, position), or any other region.
    pub(crate) region: Region,
    /// The first decision that is negated.
    pub(crate) position: u32,
    /// Places that the run which made it was the first to come to.
    pub(crate) score: u64,
}

/// Which of two items of one rank is next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Age {
    OldestFirst(u64),
    NewestFirst(Reverse<u64>),
}

impl Age {
    fn number(self) -> u64 {
        match self {
            Age::OldestFirst(number) | Age::NewestFirst(Reverse(number)) => number,
        }
    }
}

/// Items by age, by score and by position.
#[derive(Default)]
pub(crate) struct Queue {
    order: ItemOrder,
    items: BTreeMap<u64, Item>,
    next: u64,
    /// By rank, the next first.
    ranked: BTreeSet<(Reverse<u64>, Age)>,
    shallow: BTreeSet<(u32, u64)>,
}

impl Queue {
    pub(crate) fn new(order: ItemOrder) -> Queue {
        Queue { order, ..Queue::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    fn rank(&self, item: &Item, number: u64) -> (Reverse<u64>, Age) {
        match self.order {
            ItemOrder::Fifo => (Reverse(0), Age::OldestFirst(number)),
            ItemOrder::Generational => (Reverse(item.score), Age::NewestFirst(Reverse(number))),
        }
    }

    pub(crate) fn push(&mut self, item: Item) {
        let number = self.next;
        self.next += 1;
        self.ranked.insert(self.rank(&item, number));
        self.shallow.insert((item.position, number));
        self.items.insert(number, item);
    }

    fn remove(&mut self, number: u64) -> Option<Item> {
        let item = self.items.remove(&number)?;
        self.ranked.remove(&self.rank(&item, number));
        self.shallow.remove(&(item.position, number));
        Some(item)
    }

    /// The next one.
    pub(crate) fn pop(&mut self) -> Option<Item> {
        let number = self.ranked.first()?.1.number();
        self.remove(number)
    }

    /// The one with the shortest prefix, of several the oldest.
    pub(crate) fn shallowest(&mut self) -> Option<Item> {
        let &(_, number) = self.shallow.first()?;
        self.remove(number)
    }

    /// The one whose turn comes last.
    pub(crate) fn last(&mut self) -> Option<Item> {
        let number = self.ranked.last()?.1.number();
        self.remove(number)
    }

    /// All, the oldest first.
    pub(crate) fn regions(&self) -> impl Iterator<Item = Region> + '_ {
        self.items.values().map(|item| item.region.clone())
    }
}

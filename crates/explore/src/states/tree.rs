//! The order of the states of a frontier: a binary tree with the states as leaves, true sides first. Prioritised frontiers and
//! strategies read it.
//!
//! Subtrees without waiting states fold away, so that there is one inner node less than there are states.

use crate::random::Random;

const NONE: u32 = u32::MAX;
/// Marks the number of a leaf.
const LEAF: u32 = 1 << 31;

/// Names a state as long as it waits; afterwards the slot may be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub(crate) u32);

impl Slot {
    /// A number below the maximum number of states that waited at any time.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Fork {
    /// The inner node above; [`NONE`] at the top.
    above: u32,
    /// The subtree of the true side, then that of the false side.
    sides: [u32; 2],
}

/// The states of a frontier in the order of their paths.
#[derive(Clone, Debug)]
pub struct PathTree {
    forks: Vec<Fork>,
    free: Vec<u32>,
    /// The inner node above each state.
    leaves: Vec<u32>,
    top: u32,
}

impl Default for PathTree {
    fn default() -> PathTree {
        PathTree { forks: Vec::new(), free: Vec::new(), leaves: Vec::new(), top: NONE }
    }
}

impl PathTree {
    fn above(&mut self, node: u32) -> &mut u32 {
        if node & LEAF != 0 {
            &mut self.leaves[(node & !LEAF) as usize]
        } else {
            &mut self.forks[node as usize].above
        }
    }

    fn make_leaf(&mut self, slot: Slot) {
        if self.leaves.len() <= slot.index() {
            self.leaves.resize(slot.index() + 1, NONE);
        }
        self.leaves[slot.index()] = NONE;
    }

    /// Replaces the child `old` of the inner node `above` by `node`.
    fn relink(&mut self, above: u32, old: u32, node: u32) {
        if above == NONE {
            self.top = node;
        } else {
            let sides = &mut self.forks[above as usize].sides;
            sides[usize::from(sides[1] == old)] = node;
        }
    }

    /// Puts in the first state.
    pub(crate) fn plant(&mut self, slot: Slot) {
        self.make_leaf(slot);
        self.top = LEAF | slot.0;
    }

    /// Forks a state: `slot` becomes the false side and `on_true` the true side.
    pub(crate) fn fork(&mut self, slot: Slot, on_true: Slot) {
        let leaf = LEAF | slot.0;
        let above = self.leaves[slot.index()];
        let fork = Fork { above, sides: [LEAF | on_true.0, leaf] };
        let node = match self.free.pop() {
            Some(node) => {
                self.forks[node as usize] = fork;
                node
            }
            None => {
                self.forks.push(fork);
                self.forks.len() as u32 - 1
            }
        };
        self.relink(above, leaf, node);
        self.make_leaf(on_true);
        for slot in [slot, on_true] {
            self.leaves[slot.index()] = node;
        }
    }

    /// Removes a state.
    pub(crate) fn remove(&mut self, slot: Slot) {
        let leaf = LEAF | slot.0;
        let fork = self.leaves[slot.index()];
        if fork == NONE {
            self.top = NONE;
            return;
        }
        let Fork { above, sides } = self.forks[fork as usize];
        let other = sides[usize::from(sides[0] == leaf)];
        self.relink(above, fork, other);
        self.free.push(fork);
        *self.above(other) = above;
    }

    /// A walk from the top that takes either side with the same chance at each fork.
    pub(crate) fn walk(&self, random: &mut Random) -> Option<Slot> {
        let mut node = self.top;
        while node & LEAF == 0 {
            node = self.forks[node as usize].sides[random.below(2) as usize];
        }
        (node != NONE).then_some(Slot(node & !LEAF))
    }

    /// The first state.
    pub(crate) fn first(&self) -> Option<Slot> {
        self.outermost(0)
    }

    /// The first state that fits, if it is among the first `looks` ones.
    pub(crate) fn first_that(&self, looks: usize, fits: impl Fn(Slot) -> bool) -> Option<Slot> {
        self.walk_in_order().take(looks).find(|slot| fits(*slot))
    }

    /// The last state.
    pub(crate) fn last(&self) -> Option<Slot> {
        self.outermost(1)
    }

    /// The state to which this side of each fork leads.
    fn outermost(&self, side: usize) -> Option<Slot> {
        let mut node = self.top;
        while node & LEAF == 0 {
            node = self.forks[node as usize].sides[side];
        }
        (node != NONE).then_some(Slot(node & !LEAF))
    }

    /// All states in their order.
    pub(crate) fn in_order(&self) -> Vec<Slot> {
        self.walk_in_order().collect()
    }

    fn walk_in_order(&self) -> impl Iterator<Item = Slot> {
        let mut todo = Vec::new();
        if self.top != NONE {
            todo.push(self.top);
        }
        std::iter::from_fn(move || {
            loop {
                let node = todo.pop()?;
                if node & LEAF != 0 {
                    return Some(Slot(node & !LEAF));
                }
                let [on_true, on_false] = self.forks[node as usize].sides;
                todo.extend([on_false, on_true]);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_a_list_of_states() {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let (mut tree, mut list) = (PathTree::default(), vec![Slot(0)]);
            tree.plant(Slot(0));
            let mut next = 1;
            for _ in 0..random.below(40) {
                if list.is_empty() {
                    break;
                }
                let at = random.below(list.len() as u64) as usize;
                if random.below(5) < 3 {
                    tree.fork(list[at], Slot(next));
                    list.insert(at, Slot(next));
                    next += 1;
                } else {
                    tree.remove(list[at]);
                    list.remove(at);
                }
            }
            assert_eq!(tree.in_order(), list);
            assert_eq!(tree.first(), list.first().copied());
            assert_eq!(tree.last(), list.last().copied());
            let even = |slot: &Slot| slot.0.is_multiple_of(2);
            let first_even = list.iter().copied().take(3).find(even);
            assert_eq!(tree.first_that(3, |slot| even(&slot)), first_even);
            assert_eq!(tree.walk(&mut random).is_some(), !list.is_empty());
            let used = tree.forks.len() - tree.free.len();
            assert_eq!(used, list.len().saturating_sub(1), "one inner node less than there are states");
        }
    }
}

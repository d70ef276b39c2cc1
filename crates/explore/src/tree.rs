//! The order of the states of a frontier: a binary tree with the states as leaves, true sides first.
//!
//! Subtrees in which nothing waits fold away, so that there is one inner node less than there are states. Where
//! paths were finished, given away or set aside, the leaves around them remember a *gap*: what lies between two
//! neighbours without a gap is theirs alone, and one region can hold both.

use crate::strategy::{Random, Slot};

const NONE: u32 = u32::MAX;
/// Marks the number of a leaf.
const LEAF: u32 = 1 << 31;

/// How a leaf or inner node hangs in the tree.
#[derive(Clone, Copy, Debug)]
struct Hold {
    /// The inner node above; [`NONE`] at the top.
    above: u32,
    /// There is a gap right before its first leaf, and right behind its last.
    before: bool,
    behind: bool,
}

const LOOSE: Hold = Hold { above: NONE, before: false, behind: false };

#[derive(Clone, Copy, Debug)]
struct Fork {
    hold: Hold,
    /// What begins with the true side, then what begins with the false side.
    sides: [u32; 2],
}

/// The states of a frontier in the order of their paths.
#[derive(Clone, Debug)]
pub struct PathTree {
    forks: Vec<Fork>,
    free: Vec<u32>,
    leaves: Vec<Hold>,
    top: u32,
}

impl Default for PathTree {
    fn default() -> PathTree {
        PathTree { forks: Vec::new(), free: Vec::new(), leaves: Vec::new(), top: NONE }
    }
}

impl PathTree {
    fn hold(&mut self, node: u32) -> &mut Hold {
        if node & LEAF != 0 {
            &mut self.leaves[(node & !LEAF) as usize]
        } else {
            &mut self.forks[node as usize].hold
        }
    }

    fn make_leaf(&mut self, slot: Slot) {
        if self.leaves.len() <= slot.index() {
            self.leaves.resize(slot.index() + 1, LOOSE);
        }
        self.leaves[slot.index()] = LOOSE;
    }

    /// The node that hung from `hold` is `node` now.
    fn relink(&mut self, above: u32, old: u32, node: u32) {
        if above == NONE {
            self.top = node;
        } else {
            let sides = &mut self.forks[above as usize].sides;
            sides[usize::from(sides[1] == old)] = node;
        }
    }

    /// The first state of all.
    pub(crate) fn plant(&mut self, slot: Slot) {
        self.make_leaf(slot);
        self.top = LEAF | slot.0;
    }

    /// A state forks: `slot` is its false side from now on and `on_true` its true side.
    pub(crate) fn fork(&mut self, slot: Slot, on_true: Slot) {
        let leaf = LEAF | slot.0;
        let hold = self.leaves[slot.index()];
        let fork = Fork { hold, sides: [LEAF | on_true.0, leaf] };
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
        self.relink(hold.above, leaf, node);
        self.make_leaf(on_true);
        for slot in [slot, on_true] {
            self.leaves[slot.index()] = Hold { above: node, ..LOOSE };
        }
    }

    /// A state leaves. `gap`: paths were, or are, where it was.
    pub(crate) fn remove(&mut self, slot: Slot, gap: bool) {
        let leaf = LEAF | slot.0;
        let hold = self.leaves[slot.index()];
        if hold.above == NONE {
            self.top = NONE;
            return;
        }
        let gap = gap || hold.before || hold.behind;
        let Fork { hold: up, sides } = self.forks[hold.above as usize];
        let first = sides[0] == leaf;
        let other = sides[usize::from(first)];
        self.relink(up.above, hold.above, other);
        self.free.push(hold.above);
        let rest = self.hold(other);
        rest.above = up.above;
        rest.before |= up.before || (first && gap);
        rest.behind |= up.behind || (!first && gap);
    }

    /// There is a gap right before (behind) a state.
    pub(crate) fn mark(&mut self, slot: Slot, before: bool) {
        let hold = &mut self.leaves[slot.index()];
        hold.before |= before;
        hold.behind |= !before;
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
        let mut node = self.top;
        while node & LEAF == 0 {
            node = self.forks[node as usize].sides[0];
        }
        (node != NONE).then_some(Slot(node & !LEAF))
    }

    /// All states in their order, each with whether there is a gap between it and the one before.
    pub(crate) fn in_order(&self) -> Vec<(Slot, bool)> {
        let mut all = Vec::new();
        // Nodes to visit, and gaps behind those that were.
        let mut todo = Vec::new();
        if self.top != NONE {
            todo.push((self.top, false));
        }
        let mut gap = false;
        while let Some((node, left)) = todo.pop() {
            if node & LEAF != 0 {
                let hold = self.leaves[(node & !LEAF) as usize];
                all.push((Slot(node & !LEAF), gap || hold.before));
                gap = hold.behind;
                continue;
            }
            let Fork { hold, sides } = self.forks[node as usize];
            if left {
                gap |= hold.behind;
                continue;
            }
            gap |= hold.before;
            todo.extend([(node, true), (sides[1], false), (sides[0], false)]);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as a list: states in their order, and gaps between them.
    #[derive(Clone, Copy, PartialEq)]
    enum Item {
        State(Slot),
        Gap,
    }

    #[test]
    fn the_tree_is_a_list_of_states_with_gaps_between_them() {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let (mut tree, mut list) = (PathTree::default(), vec![Item::State(Slot(0))]);
            tree.plant(Slot(0));
            let mut next = 1;
            for _ in 0..random.below(40) {
                let states: Vec<usize> =
                    (0..list.len()).filter(|&i| matches!(list[i], Item::State(_))).collect();
                let Some(&at) = states.get(random.below(states.len() as u64) as usize) else { break };
                let Item::State(slot) = list[at] else { unreachable!() };
                match random.below(5) {
                    0 | 1 => {
                        tree.fork(slot, Slot(next));
                        list.insert(at, Item::State(Slot(next)));
                        next += 1;
                    }
                    2 => {
                        tree.remove(slot, true);
                        list[at] = Item::Gap;
                    }
                    3 => {
                        tree.remove(slot, false);
                        list.remove(at);
                    }
                    _ => {
                        let before = random.below(2) == 0;
                        tree.mark(slot, before);
                        list.insert(if before { at } else { at + 1 }, Item::Gap);
                    }
                }
            }
            let (mut expected, mut gap) = (Vec::new(), false);
            for item in list {
                match item {
                    Item::Gap => gap = true,
                    Item::State(slot) => expected.push((slot, std::mem::take(&mut gap))),
                }
            }
            assert_eq!(tree.in_order(), expected);
            assert_eq!(tree.first(), expected.first().map(|(slot, _)| *slot));
            assert_eq!(tree.walk(&mut random).is_some(), !expected.is_empty());
            let used = tree.forks.len() - tree.free.len();
            assert_eq!(used, expected.len().saturating_sub(1), "one inner node less than there are states");
        }
    }
}

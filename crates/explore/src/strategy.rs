//! Which state is next: what a search strategy is told, and what it has to answer.

use std::rc::Rc;

use crate::tree::PathTree;

pub use crate::random::Random;
pub use crate::tree::Slot;

/// How often a walk is tried again that ends at a state which is not wanted.
const WALKS: usize = 16;

/// The worth of a state halves with each decision that the call of the C library has made which it is in, up to so many: a
/// library has more paths than what the program does with them, and states of the program's own code are few beside them.
const HALVINGS: u32 = 10;

impl StateView {
    /// How many times its worth is halved as it is inside of a call of the C library.
    pub(crate) fn halvings(&self) -> u32 {
        self.aside.min(HALVINGS)
    }
}

/// A place in a program: a function, and an op of its code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The function's number.
    pub func: u32,
    /// The op's number.
    pub pc: u32,
}

/// What strategies know of a state.
#[derive(Clone, Debug, Default)]
pub struct StateView {
    /// Decisions behind it.
    pub depth: u32,
    /// Instructions on its path.
    pub instructions: u64,
    /// Whether its last decision was not asked for: it may turn out that there are no paths.
    pub unasked: bool,
    /// How many decisions were made in the call of the C library that it is in; 0 in the program's own code.
    pub aside: u32,
    /// How many of the instructions when its path last came where none had been. Only where
    /// [`Strategy::uses_coverage`].
    pub new_at: u64,
    /// How often this worker's states were at its place when this was written. Only where
    /// [`Strategy::uses_coverage`].
    pub visits: u64,
    /// Where it stands, or where the side of a branch leads: the innermost function first; the outermost may be left out.
    /// Only where [`Strategy::uses_coverage`].
    pub stack: Rc<[Place]>,
}

/// The states that wait.
#[derive(Clone, Debug, Default)]
pub struct Waiters {
    pub(crate) tree: PathTree,
    pub(crate) views: Vec<StateView>,
    pub(crate) count: usize,
}

impl Waiters {
    /// How many.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What is known of one of them.
    pub fn state(&self, slot: Slot) -> &StateView {
        &self.views[slot.index()]
    }

    /// The first in the order of paths.
    pub fn first(&self) -> Option<Slot> {
        self.tree.first()
    }

    /// The last in the order of paths.
    pub fn last(&self) -> Option<Slot> {
        self.tree.last()
    }

    /// A walk through the tree of forks that takes either side of each with the same chance.
    pub fn walk(&self, random: &mut Random) -> Option<Slot> {
        self.tree.walk(random)
    }

    /// As [`Waiters::walk`], to a state that is wanted: a strategy may have been told to leave states out (as deepening
    /// does). A walk that ends inside of a call of the C library counts with a chance that each decision of the call halves;
    /// where all do, the one with the fewest decisions. `None` where several walks ended at others.
    pub fn walk_to(&self, random: &mut Random, is_wanted: impl Fn(Slot) -> bool) -> Option<Slot> {
        let mut best: Option<(u32, Slot)> = None;
        for _ in 0..WALKS {
            let Some(end) = self.walk(random).filter(|end| is_wanted(*end)) else { continue };
            let halvings = self.state(end).halvings();
            if halvings == 0 || random.below(1 << halvings) == 0 {
                return Some(end);
            }
            if best.is_none_or(|(least, _)| halvings < least) {
                best = Some((halvings, end));
            }
        }
        best.map(|(_, slot)| slot)
    }
}

/// Chooses the next state of a frontier. Whatever it chooses, the paths found are the same.
///
/// A strategy is a container: it is told of each state that comes, changes and leaves. What it is asked should
/// not take time in proportion to the states that wait. It must not depend on hash order, addresses or the clock.
pub trait Strategy {
    /// A state comes.
    fn add(&mut self, slot: Slot, state: &StateView);
    /// A state has gone on.
    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.remove(slot);
        self.add(slot, state);
    }
    /// A state took so much work beside the instructions of its path: of the solver, most of all. A unit takes about as long as
    /// an instruction.
    fn asked(&mut self, slot: Slot, work: u64) {
        let _ = (slot, work);
    }
    /// A state leaves.
    fn remove(&mut self, slot: Slot);
    /// The state that is next. It is asked only where there are some; `None`: any.
    fn next(&mut self, waiters: &Waiters) -> Option<Slot>;
    /// The state that promises least: what leaves memory first. `None`: the deepest.
    fn worst(&mut self, waiters: &Waiters) -> Option<Slot> {
        let _ = waiters;
        None
    }
    /// Places where a state came that no state of this worker had come to before.
    fn covered(&mut self, places: &[Place]) {
        let _ = places;
    }
    /// Whether it needs to know what is covered, and where states stand: that costs a little at each jump.
    fn uses_coverage(&self) -> bool {
        false
    }
    /// Whether it always chooses the first state in the order of paths. The explorer then needs no container
    /// and does not ask it, and what is left is one region at any time.
    fn in_order(&self) -> bool {
        false
    }
}

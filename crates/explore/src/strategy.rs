//! The interface of search strategies: [`Strategy`], and the data that explorers give to it. The prioritised frontier calls it;
//! the strategy's choices never change the set of paths.

use std::rc::Rc;

use crate::states::novelty::Taken;
use crate::states::tree::PathTree;

pub use crate::random::Random;
pub use crate::states::tree::Slot;

/// Work of a decision, in instructions. The work of a step is that of its instructions and of its decision.
pub(crate) const DECISION: u64 = 2048;

/// Number of attempts of a walk that ends at an unwanted state.
const WALKS: usize = 16;

/// Maximum number of halvings. The worth of a state halves with each decision made in its current call of the C library: a
/// library has more paths than the program makes use of, and states of the program's own code are few beside them.
const HALVINGS: u32 = 10;

/// Multiplier of Fibonacci hashing: 2^64 by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A hash with another word in it.
pub(crate) fn mixed(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(GOLDEN).rotate_left(29)
}

impl StateView {
    /// A hash of its place and its callers'.
    pub(crate) fn side(&self) -> u64 {
        let mix = |hash: u64, place: &Place| mixed(hash, (u64::from(place.func) << 32) | u64::from(place.pc));
        mixed(self.stack.iter().fold(0, mix), 0)
    }

    /// Number of halvings of its worth because it is inside a call of the C library.
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

/// A strategy's view of a state.
#[derive(Clone, Debug, Default)]
pub struct StateView {
    /// Decisions behind it.
    pub depth: u32,
    /// Instructions on its path.
    pub instructions: u64,
    /// True if its last decision is unchecked: it may turn out to have no paths.
    pub unasked: bool,
    /// Number of decisions made in its current call of the C library; 0 in the program's own code.
    pub aside: u32,
    /// Value of `instructions` when its path last reached new code. Only set if
    /// [`Strategy::uses_coverage`].
    pub new_at: u64,
    /// Number of visits of this worker's states to its place when this view was made. Only set if
    /// [`Strategy::uses_coverage`].
    pub visits: u64,
    /// Its place, or the target of a branch's side: the innermost function first; the outermost may be omitted.
    /// Only set if [`Strategy::uses_coverage`].
    pub stack: Rc<[Place]>,
    /// Sides of branches that no state has taken, and for which it has a value that was not tried. Only set if
    /// [`Strategy::uses_guards`].
    pub fits: Rc<[Place]>,
    /// The sides that its path has taken. Only set if [`Strategy::uses_novelty`].
    pub(crate) taken: Taken,
}

/// The waiting states.
#[derive(Clone, Debug, Default)]
pub struct Waiters {
    pub(crate) tree: PathTree,
    pub(crate) views: Vec<StateView>,
    pub(crate) count: usize,
}

impl Waiters {
    /// Number of states.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The view of a state.
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

    /// As [`Waiters::walk`], to a wanted state: some states may be hidden from a strategy (deepening hides
    /// some). A walk that ends inside a call of the C library counts with a chance that each decision of the call halves;
    /// if all walks end so, the one with the fewest decisions counts. `None` if several walks ended at unwanted states.
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

/// Chooses the next state of a frontier. The choice does not change the set of paths.
///
/// A strategy is a container: it is told of each state that comes, changes and leaves. Its answers should
/// not take time in proportion to the number of waiting states, and must not depend on hash order, addresses or the clock.
pub trait Strategy {
    /// Adds a state.
    fn add(&mut self, slot: Slot, state: &StateView);
    /// Updates a state that has gone on.
    fn changed(&mut self, slot: Slot, state: &StateView) {
        self.remove(slot);
        self.add(slot, state);
    }
    /// Accounts for work on a state in addition to the instructions of its path: mostly of the solver. A unit takes about as long
    /// as an instruction.
    fn asked(&mut self, slot: Slot, work: u64) {
        let _ = (slot, work);
    }
    /// Removes a state.
    fn remove(&mut self, slot: Slot);
    /// The next state. Called only if there are some; `None` stands for any.
    fn next(&mut self, waiters: &Waiters) -> Option<Slot>;
    /// The state of least worth, which leaves memory first. `None` stands for the deepest.
    fn worst(&mut self, waiters: &Waiters) -> Option<Slot> {
        let _ = waiters;
        None
    }
    /// True if a state should be given up only when no other state can be, whatever other strategies find worst.
    fn needs(&self, slot: Slot) -> bool {
        let _ = slot;
        false
    }
    /// Notes places that no state of this worker had reached before.
    fn covered(&mut self, places: &[Place]) {
        let _ = places;
    }
    /// Notes that the state at hand came to this many marks of novelty, before it changes or leaves.
    fn novel(&mut self, marks: u64) {
        let _ = marks;
    }
    /// True if it needs marks of novelty.
    fn uses_novelty(&self) -> bool {
        false
    }
    /// True if it needs to know which untaken sides states fit.
    fn uses_guards(&self) -> bool {
        false
    }
    /// True if it needs the coverage and the places of states, which costs a little at each jump.
    fn uses_coverage(&self) -> bool {
        false
    }
    /// True if it always chooses the first state in the order of paths. The explorer then needs no container
    /// and does not ask it, and the remaining work is one region at any time.
    fn in_order(&self) -> bool {
        false
    }
}

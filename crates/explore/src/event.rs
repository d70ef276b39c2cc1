//! What bounds an exploration, and what it reports.

use std::sync::Arc;

use cleave_region::{Region, Weight};

use crate::divergence::Divergence;
use crate::space::Space;

/// Bounds of an exploration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// A state with this many decisions behind it is set aside.
    pub max_depth: Option<u32>,
    /// A state with so many instructions behind it is set aside: its path may have no end.
    pub max_instructions: Option<u64>,
    /// So many states are kept when others are given away; at least one is.
    pub keep: usize,
    /// A strategy chooses among so many states at most; beyond that those that it thinks least of are kept as regions. From
    /// a part of this number on, their subtrees are explored depth-first in between. 0 is no bound. Depth-first, and for
    /// speculation, there is none. It changes no path.
    pub live_states: usize,
    /// Where so many states wait for a strategy that ends paths at less than three quarters of depth-first's rate (by
    /// counted work), the first of all goes on depth-first in between. 0 for never, as for speculation. It changes no path.
    pub paced_from: usize,
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::max_depth`].
    Depth,
    /// [`Limits::max_instructions`].
    Instructions,
    /// [`Concrete::bound`](crate::Concrete::bound).
    Bound,
}

/// What an exploration reports.
pub enum Event<S: Space> {
    /// A finished path.
    Path {
        /// What it says.
        end: S::End,
        /// Its state at the end.
        state: S::State,
        /// A witness that takes it.
        witness: S::Witness,
        /// Its weight in the tree of decisions.
        weight: Weight,
    },
    /// A region set aside because nobody knows whether it has paths.
    Unknown {
        /// The region.
        region: Region,
        /// Why.
        reason: String,
    },
    /// A region set aside because of a limit.
    Cut {
        /// The loop that the path of its state is in, if it is in one for long, and how many rounds it has made.
        spins: Option<(String, u64)>,
        /// The region.
        region: Region,
        /// The limit.
        limit: Limit,
    },
    /// A cut's test took other decisions than those it was made with. What was left of its region is not explored.
    Divergence {
        /// What was left.
        region: Region,
        /// The cut, and what was found.
        divergence: Arc<Divergence>,
    },
}

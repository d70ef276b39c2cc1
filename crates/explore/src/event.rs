//! Bounds of an exploration ([`Limits`]) and its reports ([`Event`]). Workers set the bounds and receive the reports.

use std::sync::Arc;

use cleave_region::{Region, Weight};

use crate::paths::divergence::Divergence;
use crate::space::Space;

/// Bounds of an exploration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// A state with this many decisions behind it is set aside.
    pub max_depth: Option<u32>,
    /// A state with this many instructions behind it is set aside: its path may have no end.
    pub max_instructions: Option<u64>,
    /// Minimum number of states kept when others are given away; at least 1.
    pub keep: usize,
    /// Maximum number of states that a strategy chooses among; beyond it, the states of least worth are kept as regions. From
    /// a part of this number on, their subtrees are explored depth-first in between. 0 is no bound. Depth-first search and
    /// speculation have none. It does not change the set of paths.
    pub live_states: usize,
    /// Minimum number of waiting states for depth-first steps in between: the first state of all goes on depth-first if the
    /// strategy ends paths at less than three quarters of depth-first's rate (by counted work). 0 for never, as for speculation.
    /// It does not change the set of paths.
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

/// Report of an exploration.
pub enum Event<S: Space> {
    /// A finished path.
    Path {
        /// Result of the path.
        end: S::End,
        /// Its state at the end.
        state: S::State,
        /// A witness that takes it.
        witness: S::Witness,
        /// Its weight in the tree of decisions.
        weight: Weight,
    },
    /// A region set aside because the solver did not decide if it has paths.
    Unknown {
        /// The region.
        region: Region,
        /// Reason.
        reason: String,
    },
    /// A region set aside because of a limit.
    Cut {
        /// The loop in which its path has been for long, if any, and the number of rounds.
        spins: Option<(String, u64)>,
        /// The region.
        region: Region,
        /// The limit.
        limit: Limit,
    },
    /// A cut's test took other decisions than those with which the cut was made. The rest of its region is not explored.
    Divergence {
        /// The rest.
        region: Region,
        /// The cut, and the decisions found.
        divergence: Arc<Divergence>,
    },
}

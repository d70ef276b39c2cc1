//! The frontier: the waiting states of an exploration, and their order.

pub(crate) mod entries; // The entries of a frontier: states, suspended regions, and unchecked or unknown sides.
pub(crate) mod frontier; // The frontier: the waiting states of an exploration, and the one at hand.
pub(crate) mod gaps; // Accounts for infeasible branches between pending depth-first states.
pub(crate) mod node; // A node of the frontier: a state, a witness of its path, and the cuts that still bind it.
pub(crate) mod novelty; // Marks of novelty: how often a path took a side.
pub(crate) mod prioritised; // The frontier of a search strategy: slots, order by path, order by depth.
pub(crate) mod tree; // The order of the states: a binary tree, true sides first.

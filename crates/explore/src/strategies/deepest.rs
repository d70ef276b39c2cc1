//! The state with the most decisions behind it; among equals one that is known to have paths, and then the one that came
//! last. As a heuristic this is depth-first search (S2PF, section 4.1).

use crate::strategies::Making;
use crate::strategies::ranked::{ByRank, End};
use crate::strategy::{StateView, Strategy};

pub(crate) fn make(_: &Making) -> Box<dyn Strategy> {
    let rank = |state: &StateView| 2 * u64::from(state.depth) + u64::from(!state.unasked);
    Box::new(ByRank::new(rank, End::Last))
}

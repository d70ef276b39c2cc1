//! Breadth-first: the state with the fewest decisions behind it; among equals one that is known to have paths, and then
//! the one that came first.

use crate::strategies::Making;
use crate::strategies::ranked::{ByRank, End};
use crate::strategy::{StateView, Strategy};

pub(crate) fn make(_: &Making) -> Box<dyn Strategy> {
    let rank = |state: &StateView| 2 * u64::from(state.depth) + u64::from(state.unasked);
    Box::new(ByRank::new(rank, End::First))
}

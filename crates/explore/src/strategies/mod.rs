//! The search strategies. A further one is a file here and a line in [`STRATEGIES`].

pub(crate) mod bfs; // Breadth-first: the state with the fewest decisions behind it.
pub(crate) mod covnew; // Towards code that no path of this worker has reached.
pub(crate) mod deepest; // The state with the most decisions behind it.
pub(crate) mod depth; // A random state, with a chance in proportion to its decisions (KLEE's `nurs:depth`).
pub(crate) mod dfs; // Depth-first: the first in the order of paths.
pub(crate) mod dfs_false; // Depth-first from the other end: false sides first.
pub(crate) mod generational; // States beside a path that reached much new code.
pub(crate) mod guards; // States with a value for which a branch has waited.
pub(crate) mod icnt; // A random state, seldom executed blocks more likely (KLEE's `nurs:icnt`).
pub(crate) mod random_path; // A walk from the entry through the tree of forks, either side of each with the same chance.
pub(crate) mod random_state; // Any state, with the same chance for each.
pub(crate) mod ranked; // States in the order of a rank; those of one rank in the order of arrival.
pub(crate) mod search; // The user's description of a search: strategy names with prefixes.
pub(crate) mod weighted; // States with weights; a state is drawn with a chance in proportion to its weight.
pub(crate) mod wrappers; // Strategies that are made of others.

use std::sync::Arc;

use crate::engine::control_flow::Flow;
use crate::strategy::Strategy;

pub(crate) use ranked::Ranked;
pub use search::{Search, SearchError};

/// Parameters for making a strategy.
#[derive(Clone, Debug, Default)]
pub struct Making {
    /// The seed of random choices.
    pub seed: u64,
    /// The program's graph, if there is one.
    pub flow: Option<Arc<Flow>>,
}

/// A strategy under its name.
pub struct StrategyEntry {
    /// The name.
    pub name: &'static str,
    /// The next state, in a few words.
    pub about: &'static str,
    /// Makes the strategy.
    pub make: fn(&Making) -> Box<dyn Strategy>,
}

/// All strategies.
#[rustfmt::skip]
pub const STRATEGIES: &[StrategyEntry] = &[
    StrategyEntry { name: "dfs", about: "the first in the order of paths", make: dfs::make },
    StrategyEntry { name: "dfs-false", about: "the last in the order of paths: of each fork the false side first, as KLEE's dfs", make: dfs_false::make },
    StrategyEntry { name: "bfs", about: "the one with the fewest decisions", make: bfs::make },
    StrategyEntry { name: "random-state", about: "any, with the same chance", make: random_state::make },
    StrategyEntry { name: "random-path", about: "by a walk from the entry, either side of each fork with the same chance", make: random_path::make },
    StrategyEntry { name: "covnew", about: "near code that no path has come to, or just there", make: covnew::make },
    StrategyEntry { name: "generational", about: "beside paths that came to much new code", make: generational::make },
    StrategyEntry { name: "novelty", about: "beside paths that came to new code, or went round a loop more often, or nearer to an object's end, than any before", make: generational::make_novelty },
    StrategyEntry { name: "guards", about: "with a value that a branch has not seen of which nobody has taken a side", make: guards::make },
    StrategyEntry { name: "deepest", about: "the one with the most decisions", make: deepest::make },
    StrategyEntry { name: "depth", about: "at random, with more decisions more likely", make: depth::make },
    StrategyEntry { name: "icnt", about: "at random, at rarely executed instructions more likely", make: icnt::make },
];

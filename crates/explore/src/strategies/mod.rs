//! The search strategies. A further one is a file here and a line in [`STRATEGIES`].

mod batch;
mod bfs;
mod covnew;
mod deepening;
mod deepest;
mod depth;
mod dfs;
mod dfs_false;
mod ending;
mod generational;
mod icnt;
mod interleaved;
mod random_path;
mod random_state;
mod ranked;
mod search;
mod weighted;

use std::sync::Arc;

use crate::flow::Flow;
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
    StrategyEntry { name: "deepest", about: "the one with the most decisions", make: deepest::make },
    StrategyEntry { name: "depth", about: "at random, with more decisions more likely", make: depth::make },
    StrategyEntry { name: "icnt", about: "at random, at rarely executed instructions more likely", make: icnt::make },
];

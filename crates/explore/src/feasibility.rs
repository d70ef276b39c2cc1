//! The feasibility policy: when an exploration checks the sides of a decision. The command line chooses it; explorers obey it.
//! The policy changes the cost of an exploration, not its paths.

use std::fmt;
use std::str::FromStr;

/// Time of the solver query for a side that no witness takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Feasibility {
    /// At once, at the fork.
    #[default]
    Eager,
    /// When the side's turn comes. Until then the unchecked side waits in the frontier, and may leave as a region.
    Lazy,
    /// After several decisions: sides are taken unchecked, and then one query covers the whole path
    /// (Zhang, Chen and Wang, S2PF, 2012).
    Speculative {
        /// Number of unchecked decisions, at least one, before the solver is asked.
        depth: u32,
        /// Search for the last feasible decision if they are infeasible together.
        backtrack: Backtrack,
    },
}

/// Search for the last feasible decision of an infeasible path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Backtrack {
    /// Drops the shortest prefix that contains an unsatisfiable core, queries the rest, and so on
    /// (S2PF, section 2.2.2).
    #[default]
    Core,
    /// Halves the interval of prefixes.
    Binary,
    /// Drops one decision at a time.
    Linear,
}

/// The feasibility policy of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    /// Time of the queries. Default is [`Feasibility::Eager`].
    pub feasibility: Feasibility,
    /// If true, a state's witness proves the side that it takes feasible. Default is true; if false, both sides of each
    /// decision are queried, as in engines without witnesses.
    pub witnesses: bool,
}

impl Default for Asking {
    fn default() -> Asking {
        Asking { feasibility: Feasibility::default(), witnesses: true }
    }
}

impl Asking {
    /// A policy with this feasibility mode and with witnesses.
    pub fn new(feasibility: Feasibility) -> Asking {
        Asking { feasibility, ..Asking::default() }
    }
}

impl FromStr for Backtrack {
    type Err = String;
    fn from_str(s: &str) -> Result<Backtrack, String> {
        match s {
            "core" => Ok(Backtrack::Core),
            "binary" => Ok(Backtrack::Binary),
            "linear" => Ok(Backtrack::Linear),
            _ => Err("give core, binary or linear".into()),
        }
    }
}

impl fmt::Display for Backtrack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Backtrack::Core => "core",
            Backtrack::Binary => "binary",
            Backtrack::Linear => "linear",
        })
    }
}

//! When it is asked whether a side of a decision can be taken.

use std::fmt;
use std::str::FromStr;

/// When the solver is asked about sides that no witness takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Feasibility {
    /// At once, at the fork.
    #[default]
    Eager,
    /// When the side's turn comes. Until then it waits in the frontier, and may leave as a region.
    Lazy,
    /// After several decisions at once: sides are taken without asking, and then the whole path is asked for
    /// (Zhang, Chen and Wang, S2PF, 2012).
    Speculative {
        /// So many unchecked decisions, at least one, are taken before the solver is asked.
        depth: u32,
        /// How the last feasible decision is found where they cannot be taken together.
        backtrack: Backtrack,
    },
}

/// How the last feasible decision of a path that is infeasible is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Backtrack {
    /// The shortest beginning that contains an unsatisfiable core is left out; the rest is asked for, and so on
    /// (S2PF, section 2.2.2).
    #[default]
    Core,
    /// The beginnings are halved.
    Binary,
    /// One decision less each time.
    Linear,
}

/// How an exploration asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    /// When. Default is [`Feasibility::Eager`].
    pub feasibility: Feasibility,
    /// Whether a state's witness shows the side that it takes to be feasible. Default is yes; without it, either
    /// side of each decision is asked for, as engines without witnesses do.
    pub witnesses: bool,
}

impl Default for Asking {
    fn default() -> Asking {
        Asking { feasibility: Feasibility::default(), witnesses: true }
    }
}

impl Asking {
    /// Asking like this, with witnesses.
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

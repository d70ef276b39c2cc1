//! When the solver is asked whether a path is feasible: the options for it, and what of them a run keeps.

use clap::{Args, ValueEnum};
use cleave_explore::{Asking, Feasibility};
use serde::{Deserialize, Serialize};

/// When sides of forks are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// At the fork.
    #[default]
    Eager,
    /// When their turn comes.
    Lazy,
}

/// Options of all that explores.
#[derive(Clone, Debug, Default, Args)]
pub struct AskingOptions {
    /// When the solver is asked whether a side of a fork can be taken: at once (eager), or when its turn comes
    /// (lazy). Which paths there are does not change. Default is eager; to go on with a run, as it began
    #[arg(long, value_enum, value_name = "WHEN", hide_possible_values = true)]
    pub feasibility: Option<When>,
}

/// What a run keeps of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedAsking {
    feasibility: When,
}

impl SavedAsking {
    /// With what the options say.
    pub fn with(self, options: &AskingOptions) -> SavedAsking {
        SavedAsking { feasibility: options.feasibility.unwrap_or(self.feasibility) }
    }

    /// For an explorer.
    pub fn asking(self) -> Asking {
        Asking::new(match self.feasibility {
            When::Eager => Feasibility::Eager,
            When::Lazy => Feasibility::Lazy,
        })
    }
}

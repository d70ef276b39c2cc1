//! Feasibility policy: the options for it, and their values as a run keeps them.

use clap::{Args, ValueEnum};
use cleave_explore::{Asking, Backtrack, Feasibility};
use cleave_solver::{LayerName, SolverOptions};
use serde::{Deserialize, Serialize};

/// Time at which the feasibility of a branch direction is queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// At the fork.
    Eager,
    /// When their turn comes.
    Lazy,
    /// After several were taken without asking.
    Speculative,
}

/// Search for the last feasible decision if several cannot be taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backtracking {
    /// By unsatisfiable cores.
    #[default]
    Core,
    /// By halving.
    Binary,
    /// One by one, from the end.
    Linear,
}

/// The modes of S2PF's evaluation: features that its engine did not have are switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// A question for each side of each decision.
    #[value(name = "s2pf-a")]
    S2pfA,
    /// Speculation, depth-first, with binary search.
    #[value(name = "s2pf-b")]
    S2pfB,
    /// Speculation by heuristic search, the deepest state first, with binary search.
    #[value(name = "s2pf-c")]
    S2pfC,
    /// As s2pf-c, with unsatisfiable cores and incremental feeding.
    #[value(name = "s2pf-d")]
    S2pfD,
}

/// Parses a depth of speculation: a number of decisions, or `max`.
fn depth(text: &str) -> Result<u32, String> {
    match text {
        "max" => Ok(u32::MAX),
        _ => text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "give a number of 1 or more, or max".into()),
    }
}

/// Feasibility options of all commands that explore.
#[derive(Clone, Debug, Default, Args)]
pub struct AskingOptions {
    /// When the solver is asked whether a side of a fork can be taken: at once (eager), when its turn comes (lazy), or for
    /// several decisions at once that were taken without asking (speculative). The set of paths does not change. Default is
    /// eager depth-first, where all turns come soon, and lazy otherwise; to go on with a run, as it began
    #[arg(long, value_enum, value_name = "WHEN", hide_possible_values = true)]
    pub feasibility: Option<When>,
    /// With `speculative`: ask after this many decisions, or with max at the end of a path only. Default is max
    #[arg(long, value_name = "K|max", value_parser = depth)]
    pub speculation_depth: Option<u32>,
    /// With `speculative`: how the last feasible decision is found where a path is infeasible: by unsatisfiable
    /// cores (core), by halving (binary), or one by one (linear). Default is core
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = true)]
    pub backtrack: Option<Backtracking>,
    /// Ask as an engine without witnesses, caches and our solver's layers: a question for each side of each decision
    /// (s2pf-a), or speculation depth-first (s2pf-b), by heuristic search (s2pf-c), and with cores and incremental
    /// feeding (s2pf-d). Default is none; to go on with a run, as it began
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        hide_possible_values = true,
        conflicts_with = "feasibility"
    )]
    pub profile: Option<Profile>,
}

/// The options as a run keeps them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedAsking {
    /// `None` for the policy that suits the search.
    feasibility: Option<When>,
    /// `None` for max.
    speculation_depth: Option<u32>,
    backtrack: Option<Backtracking>,
    profile: Option<Profile>,
}

impl SavedAsking {
    /// A profile at a depth of speculation.
    pub fn of(profile: Profile, depth: u32) -> SavedAsking {
        let options = AskingOptions {
            profile: Some(profile),
            speculation_depth: Some(depth),
            ..AskingOptions::default()
        };
        SavedAsking::default().with(&options)
    }

    /// These values, replaced by those that the options give.
    pub fn with(self, options: &AskingOptions) -> SavedAsking {
        let mut new = self;
        if let Some(when) = options.feasibility {
            (new.feasibility, new.profile) = (Some(when), None);
        }
        if let Some(profile) = options.profile {
            new.profile = Some(profile);
            let when = if profile == Profile::S2pfA { When::Eager } else { When::Speculative };
            new.feasibility = Some(when);
        }
        if let Some(depth) = options.speculation_depth {
            new.speculation_depth = Some(depth).filter(|d| *d < u32::MAX);
        }
        new.backtrack = options.backtrack.or(new.backtrack);
        new
    }

    /// The policy for an explorer; `in_order` is true if it is depth-first. Then the turn of each direction comes mostly at
    /// once, so that lazy queries would save nothing, and unchecked branches without paths would only take memory.
    pub fn asking(self, in_order: bool) -> Asking {
        let halving = matches!(self.profile, Some(Profile::S2pfB | Profile::S2pfC));
        let usual = if halving { Backtracking::Binary } else { Backtracking::Core };
        let best = if in_order { When::Eager } else { When::Lazy };
        let feasibility = match self.feasibility.unwrap_or(best) {
            When::Eager => Feasibility::Eager,
            When::Lazy => Feasibility::Lazy,
            When::Speculative => Feasibility::Speculative {
                depth: self.speculation_depth.unwrap_or(u32::MAX),
                backtrack: match self.backtrack.unwrap_or(usual) {
                    Backtracking::Core => Backtrack::Core,
                    Backtracking::Binary => Backtrack::Binary,
                    Backtracking::Linear => Backtrack::Linear,
                },
            },
        };
        Asking { feasibility, witnesses: self.profile.is_none() }
    }

    /// Returns true if the default search is not the one of plain runs: speculation and the profiles are depth-first, or have
    /// a search of their own.
    pub fn is_depth_first(self) -> bool {
        self.profile.is_some() || self.feasibility == Some(When::Speculative)
    }

    /// The default strategies; none for depth-first.
    pub fn search(self) -> Vec<String> {
        match self.profile {
            Some(Profile::S2pfC | Profile::S2pfD) => vec!["deepest".into()],
            _ => Vec::new(),
        }
    }

    /// Adapts the options of the solver to the profile.
    pub fn restrict(self, options: &mut SolverOptions) {
        if self.profile.is_some() {
            options.disabled.extend(LayerName::ALL.into_iter().filter(|layer| *layer != LayerName::Sat));
        }
        options.feeding = self.profile == Some(Profile::S2pfD);
    }
}

//! When the solver is asked whether a path is feasible: the options for it, and what of them a run keeps.

use clap::{Args, ValueEnum};
use cleave_explore::{Asking, Backtrack, Feasibility};
use cleave_solver::{LayerName, SolverOptions};
use serde::{Deserialize, Serialize};

/// When sides of forks are asked for.
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

/// How the last feasible decision is found where several cannot be taken together.
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

/// The modes of S2PF's evaluation: what its engine had not is switched off.
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

/// How many decisions are taken ahead.
fn depth(text: &str) -> Result<u32, String> {
    match text {
        "max" => Ok(u32::MAX),
        _ => text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "give a number of 1 or more, or max".into()),
    }
}

/// Options of all that explores.
#[derive(Clone, Debug, Default, Args)]
pub struct AskingOptions {
    /// When the solver is asked whether a side of a fork can be taken: at once (eager), when its turn comes (lazy),
    /// or for several decisions at once that were taken without asking (speculative). Which paths there are does
    /// not change. Default is eager depth-first, where all turns come soon, and lazy otherwise; to go on with a
    /// run, as it began
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

/// What a run keeps of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedAsking {
    /// Nothing for what is best.
    feasibility: Option<When>,
    /// Nothing for max.
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

    /// With what the options say.
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

    /// For an explorer, which may be depth-first: each side's turn comes then, mostly at once, so that there is
    /// nothing to save, and sides that wait without paths would only take memory.
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

    /// Whether it is meant for depth-first exploration, where nobody says anything else: speculation and the profiles are.
    pub fn is_depth_first(self) -> bool {
        self.profile.is_some() || self.feasibility == Some(When::Speculative)
    }

    /// The strategies where the user names none.
    pub fn search(self) -> Vec<String> {
        match self.profile {
            Some(Profile::S2pfC | Profile::S2pfD) => vec!["deepest".into()],
            _ => Vec::new(),
        }
    }

    /// For the solver.
    pub fn restrict(self, options: &mut SolverOptions) {
        if self.profile.is_some() {
            options.disabled.extend(LayerName::ALL.into_iter().filter(|layer| *layer != LayerName::Sat));
        }
        options.feeding = self.profile == Some(Profile::S2pfD);
    }
}

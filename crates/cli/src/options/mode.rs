//! Modes of exploration, by states that fork or by concrete runs: options that a run keeps.

use clap::{Args, ValueEnum};
use cleave_explore::{Concrete, ItemOrder};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Mode of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// States fork at decisions.
    Symbolic,
    /// Inputs are run to the end, then each decision is negated.
    Concolic,
}

/// Order in which inputs are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Those whose parent came to the most new code.
    Generational,
    /// The oldest.
    Fifo,
}

/// Maximum number of new inputs from one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DepthBound {
    /// As many as there are.
    Unlimited,
    /// This number.
    At(u32),
}

/// A depth bound: a number, or `unlimited`.
fn depth_bound(text: &str) -> Result<DepthBound, String> {
    match text {
        "unlimited" => Ok(DepthBound::Unlimited),
        _ => text.parse().map(DepthBound::At).map_err(|_| "give a number, or unlimited".into()),
    }
}

/// Options of `cleave run` that it keeps, and of `cleave resume` that replace what was kept.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
pub struct ModeOptions {
    /// Mode of exploration: symbolic (states fork at decisions) or concolic (inputs are run to the end, then each decision is
    /// negated in turn, and each solution is run). May be repeated with --deal. The set of paths does not change. Default is
    /// symbolic; for `resume`, as before
    #[arg(long, value_name = "MODE", hide_possible_values = true)]
    #[serde(default)]
    pub mode: Vec<Mode>,
    /// Order of inputs in concolic mode: generational (those first whose parent came to the most new code) or fifo (in the
    /// order in which they were found). Default is generational
    #[arg(long, value_name = "ORDER", hide_possible_values = true)]
    #[serde(default)]
    pub order: Option<Order>,
    /// In concolic mode, how many new inputs may come of a run (ParSym's depth bound); those found first may lead to one less
    /// each, and so on. Paths left unexplored by it count as cut. Default is unlimited
    #[arg(long, value_name = "N", value_parser = depth_bound)]
    #[serde(default)]
    pub depth_bound: Option<DepthBound>,
}

impl ModeOptions {
    /// The options given here, and otherwise those that a run has kept.
    pub fn or(&self, kept: &ModeOptions) -> ModeOptions {
        let mode = if self.mode.is_empty() { kept.mode.clone() } else { self.mode.clone() };
        let (order, depth_bound) = (self.order.or(kept.order), self.depth_bound.or(kept.depth_bound));
        ModeOptions { mode, order, depth_bound }
    }

    /// Checks that the options fit together.
    pub fn check(&self, deal: bool) -> Result<(), Failure> {
        if self.mode.len() > 1 && !deal {
            return Err(Failure::usage("a worker has one mode: with several, add --deal to deal them out"));
        }
        let bounded = matches!(self.depth_bound, Some(DepthBound::At(_)));
        if bounded && (self.mode.is_empty() || self.mode.contains(&Mode::Symbolic)) {
            return Err(Failure::usage(
                "--depth-bound bounds concrete runs: add --mode concolic, and no other",
            ));
        }
        if self.order.is_some() && !self.mode.contains(&Mode::Concolic) {
            return Err(Failure::usage("--order is an order of inputs: add --mode concolic"));
        }
        Ok(())
    }

    /// Returns true if all workers are concolic.
    pub fn is_concolic(&self) -> bool {
        !self.mode.is_empty() && !self.mode.contains(&Mode::Symbolic)
    }

    /// Number of modes that are dealt out in turn.
    pub fn count(&self) -> usize {
        self.mode.len().max(1)
    }

    /// Options for the concrete runs of this worker; `None` if it is not concolic.
    pub fn of_worker(&self, worker: usize) -> Option<Concrete> {
        let mode = self.mode.get(worker % self.count()).unwrap_or(&Mode::Symbolic);
        let order = match self.order {
            Some(Order::Fifo) => ItemOrder::Fifo,
            Some(Order::Generational) | None => ItemOrder::Generational,
        };
        let bound = match self.depth_bound {
            Some(DepthBound::At(bound)) => Some(bound),
            Some(DepthBound::Unlimited) | None => None,
        };
        (*mode == Mode::Concolic).then_some(Concrete { order, bound })
    }

    /// In words.
    pub fn name(&self) -> String {
        let name = |mode: &Mode| match mode {
            Mode::Symbolic => "symbolic",
            Mode::Concolic => "concolic",
        };
        let names: Vec<&str> = self.mode.iter().map(name).collect();
        if names.is_empty() { name(&Mode::Symbolic).into() } else { names.join("+") }
    }
}

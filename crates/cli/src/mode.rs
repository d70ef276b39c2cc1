//! How paths are explored, by states that fork or by concrete runs: options that a run keeps.

use clap::{Args, ValueEnum};
use cleave_explore::ItemOrder;
use serde::{Deserialize, Serialize};

use crate::Failure;

/// How a worker explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// States fork at decisions.
    Symbolic,
    /// Inputs are run to the end, then each decision is negated.
    Concolic,
}

/// Which inputs are run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Those whose parent came to the most new code.
    Generational,
    /// The oldest.
    Fifo,
}

/// Options of `cleave run` that it keeps, and of `cleave resume` that replace what was kept.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
pub struct ModeOptions {
    /// How to explore: symbolic (states fork at decisions) or concolic (inputs are run to the end, then each decision
    /// is negated in turn, and each solution is run). May be repeated with --deal. Which paths there are does not
    /// change. Default is symbolic; for `resume`, as before
    #[arg(long, value_name = "MODE", hide_possible_values = true)]
    #[serde(default)]
    pub mode: Vec<Mode>,
    /// Which inputs are next in concolic mode: generational (those first whose parent came to the most new code) or
    /// fifo (in the order in which they were found). Default is generational
    #[arg(long, value_name = "ORDER", hide_possible_values = true)]
    #[serde(default)]
    pub order: Option<Order>,
}

impl ModeOptions {
    /// What is said here, and otherwise what a run has kept.
    pub fn or(&self, kept: &ModeOptions) -> ModeOptions {
        let mode = if self.mode.is_empty() { kept.mode.clone() } else { self.mode.clone() };
        ModeOptions { mode, order: self.order.or(kept.order) }
    }

    /// Whether it can be done so.
    pub fn check(&self, deal: bool) -> Result<(), Failure> {
        if self.mode.len() > 1 && !deal {
            return Err(Failure::usage("a worker has one mode: with several, add --deal to deal them out"));
        }
        if self.order.is_some() && !self.mode.contains(&Mode::Concolic) {
            return Err(Failure::usage("--order is an order of inputs: add --mode concolic"));
        }
        Ok(())
    }

    /// How many workers in turn differ.
    pub fn count(&self) -> usize {
        self.mode.len().max(1)
    }

    /// The order in which this worker runs inputs, if it is a concolic one.
    pub fn of_worker(&self, worker: usize) -> Option<ItemOrder> {
        let mode = self.mode.get(worker % self.count()).unwrap_or(&Mode::Symbolic);
        (*mode == Mode::Concolic).then_some(match self.order {
            Some(Order::Fifo) => ItemOrder::Fifo,
            Some(Order::Generational) | None => ItemOrder::Generational,
        })
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

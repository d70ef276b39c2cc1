//! The options of the commands that explore, each declared once: help, checks, defaults and completions come from here.
//! [`run::KeptOptions`] are those that a run keeps for `cleave resume`, [`run::BeginningOptions`] those for its beginning,
//! and [`session::ExplorationOptions`] those of each session.

pub mod feasibility; // Feasibility policy: the options for it, and their values as a run keeps them.
pub mod mode; // Modes of exploration, by states that fork or by concrete runs: options that a run keeps.
pub mod run; // Options of `cleave run`: those that the run keeps.
pub mod session; // Options of one session: `cleave run` and `cleave resume` have them.
pub mod suppressions; // Bugs that a user excuses: the options for it.
pub mod values; // Parsers for values of options: durations, sizes, places, names.

use std::path::PathBuf;

use clap::Args;

/// Options of the commands that look at a run.
#[derive(Clone, Debug, Args)]
pub struct DirectoryOptions {
    /// Print JSON: for `list` one object a line. Default is a table
    #[arg(long)]
    pub json: bool,
    /// The run directory. Default is cleave-last
    #[arg(value_name = "DIR", default_value = "cleave-last", hide_default_value = true)]
    pub directory: PathBuf,
}

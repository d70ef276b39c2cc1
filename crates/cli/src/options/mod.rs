//! The options of the commands that explore, each declared once: help, checks, defaults and completions come from here.
//! [`run::KeptOptions`] are those that a run keeps for `cleave resume`, [`run::BeginningOptions`] those for its beginning,
//! and [`session::ExplorationOptions`] those of each session.

pub mod asking;
pub mod mode;
pub mod run;
pub mod session;
pub mod suppressions;
pub mod values;

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

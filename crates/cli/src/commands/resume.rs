//! `cleave resume`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use cleave_campaign::Campaign;

use crate::cluster::Cluster;
use crate::display::Display;
use crate::failure::Failure;
use crate::options::session::ExplorationOptions;
use crate::run_dir::{self, IMAGE};
use crate::session;
use crate::verdict::EXIT_CODES;

/// Options of `cleave resume`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct ResumeOptions {
    /// How to explore, and when to stop.
    #[command(flatten)]
    pub exploration: ExplorationOptions,
    /// The run directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// Goes on with what a run left open.
pub fn resume(options: &ResumeOptions, cluster: Option<Cluster<'_>>) -> Result<ExitCode, Failure> {
    Display::check(options.exploration.tui)?;
    let mut campaign = Campaign::open(&options.directory)?;
    let meta = campaign.store().meta()?;
    let saved = run_dir::saved_of(&meta)?;
    run_dir::check_image(&options.directory.join(IMAGE), &meta)?;
    session::explore(&mut campaign, &saved, &options.exploration, cluster, session::Begin::Resumed)
}

//! `cleave resume`: another session of a run.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use cleave_campaign::Campaign;

use crate::failure::Failure;
use crate::options::session::ExplorationOptions;
use crate::process::messages::note;
use crate::process::number_words::counted;
use crate::programs::loading::Image;
use crate::serving::metrics::Metrics;
use crate::sessions::cluster::Cluster;
use crate::sessions::run_dir::{self, IMAGE};
use crate::sessions::saved::{self, Saved};
use crate::sessions::session;
use crate::sessions::setup::read_image;
use crate::sessions::verdict::EXIT_CODES;
use crate::terminal::display::Display;

/// Options of `cleave resume`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct ResumeOptions {
    /// Options of the exploration, and its limits.
    #[command(flatten)]
    pub exploration: ExplorationOptions,
    /// Explore the paths again that a machine kept, which is lost for ever: its name, as `cleave gather` says it. Default
    /// is none
    #[arg(long, value_name = "MACHINE")]
    pub lost: Vec<String>,
    /// The run directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// The longest path along which two tests are compared, in instructions.
const LONGEST_PATH: u64 = 1 << 34;

/// Opens the regions that the paths of a lost machine came from.
fn lose(campaign: &mut Campaign, saved: &Saved, host: &str) -> Result<(), Failure> {
    let mut hosts: Vec<String> =
        campaign.store().shards()?.into_iter().filter_map(|shard| shard.host).collect();
    hosts.dedup();
    if !hosts.iter().any(|known| known == host) {
        let hosts = if hosts.is_empty() { "none".to_string() } else { hosts.join(", ") };
        return Err(Failure::new(format!(
            "no machine {host} keeps paths of this run; those that do: {hosts}"
        )));
    }
    let [got, gone] = campaign.store().sources(host)?;
    let image = Image(read_image(&campaign.directory().join(IMAGE)).map_err(Failure::new)?);
    let mut space = saved::space_of(image.program()?, saved)?;
    let regions = cleave_explore::difference(&mut space, &got, &gone, LONGEST_PATH).ok_or_else(|| {
        Failure::new(format!("the places of {host}'s paths cannot be told apart; start a new run"))
    })?;
    campaign.lose(host, &regions)?;
    let regions_in_words = counted(regions.len() as u64, "region");
    note(format_args!("the paths of {host} are open again, as {regions_in_words}"));
    Ok(())
}

/// Goes on with what a run left open.
pub fn resume(options: &ResumeOptions, cluster: Option<Cluster<'_>>) -> Result<ExitCode, Failure> {
    Display::check(options.exploration.tui)?;
    let metrics = Metrics::listen(&options.exploration)?;
    let mut campaign = Campaign::open(&options.directory)?;
    let meta = campaign.store().meta()?;
    let saved = run_dir::saved_of(&meta)?;
    run_dir::check_image(&options.directory.join(IMAGE), &meta)?;
    for host in &options.lost {
        lose(&mut campaign, &saved, host)?;
    }
    session::explore(&mut campaign, &saved, &options.exploration, (cluster, metrics), session::Begin::Resumed)
}

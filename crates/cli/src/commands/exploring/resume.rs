//! `cleave resume`: another session of a run, or a run of another version of its program.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use cleave_campaign::Campaign;
use cleave_coverage::Map;
use cleave_region::Region;

use crate::commands::exploring::run::{create, discard, made_directory};

use crate::failure::Failure;
use crate::findings::race_points;
use crate::options::session::ExplorationOptions;
use crate::process::messages::note;
use crate::process::number_words::counted;
use crate::programs::images;
use crate::programs::loading::Image;
use crate::programs::program_file::check_program;
use crate::serving::metrics::Metrics;
use crate::sessions::cluster::Cluster;
use crate::sessions::run_dir::{self, IMAGE};
use crate::sessions::saved::{self, Saved};
use crate::sessions::session;
use crate::sessions::setup::read_image;
use crate::sessions::since;
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
    /// Begin a new run with this version of the program, in the next free directory: with the options and arguments of the run,
    /// which has to be finished, and with its paths as `cleave run --since` keeps them. Default is to go on with the run
    #[arg(long, value_name = "NEW", conflicts_with = "lost")]
    pub program: Option<PathBuf>,
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

/// Begins a run of another version of a run's program since that run.
fn with_program(
    options: &ResumeOptions,
    program: &Path,
    connections: (Option<Cluster<'_>>, Metrics),
) -> Result<ExitCode, Failure> {
    check_program(program)?;
    let (_, old, _) = run_dir::recorded(&options.directory)?;
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let (before, after) = (absolute(Path::new(&old.program)), absolute(program));
    let mut saved = Saved { program: program.display().to_string(), since: None, ..old };
    // The C of contracts stands behind the source of that version.
    for driver in saved.build.drivers.iter_mut().filter(|driver| Path::new(&driver.source) == before) {
        driver.source = after.display().to_string();
    }
    let image = images::load(program, &saved)?;
    saved.race_points = race_points::found(&image, &saved)?;
    let (note, known) = since::known(&options.directory, &saved, &image)?;
    saved.since = Some(note);
    let directory = made_directory(None)?;
    let whole = [Region::whole()];
    let mut campaign =
        create(&directory, &saved, &image, [&whole, &[]]).inspect_err(|_| discard(&directory))?;
    campaign.keep(Arc::new(Map::new(&image.program()?)), known)?;
    let begin = session::Begin::New { stealing: true };
    session::explore(&mut campaign, &saved, &options.exploration, connections, begin)
}

/// Goes on with what a run left open, or with another version of its program.
pub fn resume(options: &ResumeOptions, cluster: Option<Cluster<'_>>) -> Result<ExitCode, Failure> {
    Display::check(options.exploration.tui)?;
    let metrics = Metrics::listen(&options.exploration)?;
    if let Some(program) = &options.program {
        return with_program(options, program, (cluster, metrics));
    }
    let mut campaign = Campaign::open(&options.directory)?;
    let meta = campaign.store().meta()?;
    let saved = run_dir::saved_of(&meta)?;
    run_dir::check_image(&options.directory.join(IMAGE), &meta)?;
    for host in &options.lost {
        lose(&mut campaign, &saved, host)?;
    }
    session::explore(&mut campaign, &saved, &options.exploration, (cluster, metrics), session::Begin::Resumed)
}

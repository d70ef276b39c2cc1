//! Workers on other machines: the ranks of `mpiexec -n N cleave run ...`, where this process is one of several that were
//! started with the same command line; or those that join by a NATS server, with `cleave run --cluster`.

use std::path::Path;
use std::process::ExitCode;

use cleave_campaign::Transport;
use cleave_mpi::{Launch, launched};
use cleave_replay::sha256;

use crate::failure::Failure;
use crate::options::session::ExplorationOptions;
use crate::process::messages::note;
use crate::serving::metrics::More;
use crate::sessions::run_dir::hex;

/// Workers on other machines, in the place of processes of this one.
pub struct Cluster<'a> {
    /// Number of workers at the start.
    pub workers: u32,
    /// Connection to the workers.
    pub transport: &'a mut dyn Transport,
    /// Command with which other machines join, without its `--program`; `None` if they cannot join.
    pub joining: Option<String>,
    /// Metrics of the members.
    pub metrics: Option<More>,
}

impl Cluster<'_> {
    /// Prints how other machines join. With MPI, prints how to resume the run, because no process is left to say it when the
    /// job ends early. `image` is the program.
    pub fn announce(&self, directory: &Path, image: &[u8]) {
        match &self.joining {
            Some(command) => note(format_args!("join with: {command} --program {}", hex(&sha256(image)))),
            None => note(format_args!(
                "{} workers on MPI ranks; should the job end early, go on with: cleave resume {}",
                self.workers,
                directory.display()
            )),
        }
    }
}

/// Exit code of the other ranks, independent of the session: launchers mix the exit codes of ranks, and some end the job when
/// the first rank has not yet said what is wrong.
const SILENT: ExitCode = ExitCode::SUCCESS;

/// Returns true on each rank but the first, which prints all messages.
pub fn is_silent() -> bool {
    launched().is_some_and(|launch| launch.rank > 0)
}

/// Calls `work`, which explores, on the first of all ranks; the others serve it.
pub fn session(
    options: &ExplorationOptions,
    work: impl FnOnce(Option<Cluster<'_>>) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    if let Some((url, key)) = options.cluster.as_deref().zip(options.cluster_key.as_deref()) {
        return match launched() {
            None => on_members(url, key, work),
            Some(Launch { rank: 0, .. }) => {
                Err(Failure::usage("--cluster does not go with mpiexec; leave one of them out"))
            }
            Some(_) => Ok(SILENT),
        };
    }
    match launched() {
        None => work(None),
        Some(Launch { size: 1, .. }) => {
            note("mpiexec started one rank alone: the workers are processes of this machine");
            work(None)
        }
        Some(launch) => match refusal(launch, options) {
            Some(failure) if launch.rank == 0 => Err(failure),
            Some(_) => Ok(SILENT),
            None => on_ranks(launch, work),
        },
    }
}

/// Error if the ranks of this launch cannot be used, found without a message to another rank: this build has no MPI, or
/// `--workers` does not match.
fn refusal(launch: Launch, options: &ExplorationOptions) -> Option<Failure> {
    let size = launch.size;
    if !cfg!(feature = "mpi") {
        return Some(Failure::new(format!(
            "this Cleave was built without MPI, so the {size} ranks of mpiexec would be {size} runs of their own; build \
             it with `cargo build --release -p cleave --features mpi`, or start it without mpiexec"
        )));
    }
    let ranks = size - 1;
    options.workers.filter(|workers| *workers != ranks).map(|workers| {
        Failure::usage(format!(
            "--workers {workers} does not go with mpiexec, whose {size} ranks are a coordinator and {ranks} workers; leave \
             --workers out, or use mpiexec -n {}",
            workers.saturating_add(1)
        ))
    })
}

#[cfg(not(feature = "mpi"))]
fn on_ranks(
    _: Launch,
    work: impl FnOnce(Option<Cluster<'_>>) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    work(None)
}

#[cfg(feature = "mpi")]
fn on_ranks(
    launch: Launch,
    work: impl FnOnce(Option<Cluster<'_>>) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    if launch.rank > 0 {
        return follow(launch);
    }
    let mut ranks = cleave_mpi::Ranks::new(cleave_mpi::Link::join(launch).map_err(Failure::new)?);
    let workers = ranks.workers();
    let result = work(Some(Cluster { workers, transport: &mut ranks, joining: None, metrics: None }));
    ranks.end();
    result
}

/// Error text for a build without NATS, with the way out.
#[cfg(not(feature = "nats"))]
pub const WITHOUT_NATS: &str =
    "this Cleave was built without NATS; build it with `cargo build --release -p cleave --features nats`";

#[cfg(not(feature = "nats"))]
fn on_members(
    _: &str,
    _: &Path,
    _: impl FnOnce(Option<Cluster<'_>>) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    Err(Failure::new(WITHOUT_NATS))
}

/// Calls `work` as the coordinator of machines that join by NATS.
#[cfg(feature = "nats")]
fn on_members(
    url: &str,
    key: &Path,
    work: impl FnOnce(Option<Cluster<'_>>) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    let file = key.display();
    let key = cleave_nats::Key::read(key).map_err(Failure::usage)?;
    let mut members = cleave_nats::Members::new(url, key, |what| note(what)).map_err(Failure::new)?;
    let joining = Some(format!("cleave join {} --cluster-key {file}", members.server()));
    let board = members.board();
    let metrics: Option<More> =
        Some(Box::new(move || crate::serving::cluster_metrics::text(&board.status())));
    let result = work(Some(Cluster { workers: 0, transport: &mut members, joining, metrics }));
    members.end();
    result
}

/// Serves the first rank. Signals are ignored: the first rank gets them and has the workers report before they end.
#[cfg(feature = "mpi")]
fn follow(launch: Launch) -> Result<ExitCode, Failure> {
    let ignored = std::sync::Arc::default();
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, std::sync::Arc::clone(&ignored))?;
    }
    // The first rank prints the reason.
    let Ok(mut link) = cleave_mpi::Link::join(launch) else { return Ok(SILENT) };
    cleave_mpi::serve(&mut link, || crate::process::executable::command("worker")).map_err(Failure::new)?;
    Ok(SILENT)
}

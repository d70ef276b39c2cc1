//! `mpiexec -n N cleave run ...`: this process is one of several that were started with the same command line.

use std::path::Path;
use std::process::ExitCode;

use cleave_campaign::Transport;
use cleave_mpi::{Launch, launched};

use crate::failure::Failure;
use crate::note::note;
use crate::options::session::ExplorationOptions;

/// Workers on other ranks, in the place of processes of this machine.
pub struct Cluster<'a> {
    /// How many.
    pub workers: u32,
    /// The way to them.
    pub transport: &'a mut dyn Transport,
}

impl Cluster<'_> {
    /// Says beforehand what nobody is left to say when MPI ends the job.
    pub fn announce(&self, directory: &Path) {
        note(format_args!(
            "{} workers on MPI ranks; should the job end early, go on with: cleave resume {}",
            self.workers,
            directory.display()
        ));
    }
}

/// How the other ranks end, whatever becomes of the session: launchers mix the exit codes of ranks, and some end the
/// job when the first rank has not yet said what is wrong.
const SILENT: ExitCode = ExitCode::SUCCESS;

/// Whether another rank than this one says what there is to say.
pub fn is_silent() -> bool {
    launched().is_some_and(|launch| launch.rank > 0)
}

/// Does `work`, which explores, on the first of all ranks; the others serve it.
pub fn session(
    options: &ExplorationOptions,
    work: impl FnOnce(Option<Cluster<'_>>) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
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

/// Why ranks cannot be used, if they cannot: known without asking another one.
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
    let result = work(Some(Cluster { workers, transport: &mut ranks }));
    ranks.end();
    result
}

/// A rank that serves. Signals are for the first rank: it has the workers report before they end.
#[cfg(feature = "mpi")]
fn follow(launch: Launch) -> Result<ExitCode, Failure> {
    let ignored = std::sync::Arc::default();
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, std::sync::Arc::clone(&ignored))?;
    }
    // The first rank says why.
    let Ok(mut link) = cleave_mpi::Link::join(launch) else { return Ok(SILENT) };
    cleave_mpi::serve(&mut link, || crate::own::command("worker")).map_err(Failure::new)?;
    Ok(SILENT)
}

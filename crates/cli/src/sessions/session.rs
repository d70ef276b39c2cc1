//! A session of a run: explores the open regions, and prints the result.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use cleave_campaign::{Campaign, Processes, RealClock, SHARDS, Shards, StopReason, Transport};
use cleave_coverage::Map;
use cleave_explore::NativeProgram;
use cleave_program::code::Program;
use cleave_report::RunFiles;

use crate::emit::{Files, OutputPlace};
use crate::failure::Failure;
use crate::findings::diverged_regions::{self, DIVERGED};
use crate::inputs::seeds;
use crate::options::session::ExplorationOptions;
use crate::process::executable;
use crate::process::interrupt::Interrupt;
use crate::process::start_time::started;
use crate::serving::metrics::Metrics;
use crate::sessions::closing::say;
use crate::sessions::cluster::Cluster;
use crate::sessions::executor;
use crate::sessions::run_dir::{IMAGE, shown};
use crate::sessions::saved::Saved;
use crate::sessions::search::Choice;
use crate::sessions::setup::{ImageAt, Setup, check_foreign, read_image};
use crate::sessions::summary;
use crate::terminal::display::Display;
use crate::terminal::heading::Heading;

/// States of regions set aside that `cleave resume` tries again: with other limits, or a program that was restored.
const RETRIED: [&str; 4] = ["unknown", "cut", "crashed", DIVERGED];

/// Beginning of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// It is the first of its run.
    New {
        /// True if idle workers steal.
        stealing: bool,
    },
    /// It goes on with a run.
    Resumed,
}

/// Explores the open regions of `campaign`, on the workers of a cluster if there is one; `metrics` are served meanwhile.
pub fn explore(
    campaign: &mut Campaign,
    saved: &Saved,
    options: &ExplorationOptions,
    (mut cluster, metrics): (Option<Cluster<'_>>, Metrics),
    begin: Begin,
) -> Result<ExitCode, Failure> {
    check_mode(saved, options)?;
    let resumed = begin == Begin::Resumed;
    let directory = std::path::absolute(campaign.directory())
        .map_err(|e| Failure::new(format!("cannot find the run directory: {e}")))?;
    let workers = cluster.as_ref().map_or(options.worker_count() as u32, |c| c.workers);
    let image = directory.join(IMAGE);
    let bytes = read_image(&image).map_err(Failure::new)?;
    let program = Program::from_bytes(&bytes)?;
    let coverage = Arc::new(Map::new(&program));
    let foreign = cluster.as_ref().is_some_and(|cluster| cluster.joining.is_some());
    if let Some(cluster) = &cluster {
        cluster.announce(&shown(&directory), &bytes);
    }
    let image = if cluster.is_some() { ImageAt::Carried(bytes) } else { ImageAt::File(image) };
    let patience = if resumed { 10 } else { 1 };
    let search = Choice::of(options, saved, coverage.blocks());
    let seeds = seeds::kept(&directory)?;
    let setup = Setup::new(image, saved, options, seeds, &search, workers, patience)?;
    // Sessions without a clock do the same each time. An executor is there once it is compiled, which would change that.
    let is_timed = options.max_time.is_some() && cluster.is_none();
    let plan = || executor::planned(&directory, saved, &program, workers).filter(|_| is_timed);
    let (setup, native) = encoded(setup, plan, foreign)?;
    let display = display(options, saved, &search)?;
    search.tell(&shown(&directory));
    let serving = metrics.serve(&directory, cluster.as_mut().and_then(|cluster| cluster.metrics.take()))?;
    let interrupt = Interrupt::listen()?;
    let mut processes = Processes::new(|| executable::command("worker")).loud(crate::process::log::is_on());
    let Saved { program, arguments, all_errors, .. } = saved;
    let files = RunFiles::create(&directory)?;
    let mut files = Files::new(
        &saved.emit,
        saved.tests,
        &OutputPlace { program, arguments, all_errors: *all_errors, files, suite: options.suite.as_deref() },
        display,
    );
    // Paths come here if some may be given back (`--max-paths`), or if each becomes a file; and with MPI, because its ranks
    // have no folder of their own. All others stay with the workers.
    let stays = (cluster.is_none() || foreign) && options.max_paths.is_none() && !files.wants_all();
    let shards = stays.then(|| Shards { folder: directory.join(SHARDS), prefix: String::new() });
    let transport: &mut dyn Transport = match cluster {
        Some(cluster) => cluster.transport,
        None => &mut processes,
    };
    let run = cleave_campaign::RunOptions {
        workers,
        setup,
        shards,
        max_paths: options.max_paths,
        max_bugs: options.max_bugs,
        until_covered: options.until_covered,
        max_time: options.max_time,
        split_states: options.split_states,
        keep_states: options.keep_states,
        stealing: begin != Begin::New { stealing: false },
        interrupt: interrupt.flag(),
        coverage,
        clock: Arc::new(RealClock::since(started())),
        began: Some(Duration::ZERO),
        retry: if resumed { RETRIED.map(String::from).into() } else { Vec::new() },
        ..cleave_campaign::RunOptions::default()
    };
    if resumed || saved.since.is_some() {
        files.complete(campaign)?;
    }
    let compiling = native.map(|native| executor::Compiling::begin(&native, saved));
    let stop = campaign.run(transport, &run, &mut files);
    drop((serving, compiling));
    let written = files.finish();
    let diverged = diverged_regions::write(campaign, saved, &directory);
    // An error is ignored: if there is no room in the database, its log is as good.
    let _ = campaign.settle();
    let closed = campaign.close_session(started().elapsed());
    let summary = summary::write(campaign.store(), saved, &directory);
    let stop = stop?;
    written.map_err(Failure::new)?;
    closed?;
    summary?;
    let verdict = say(campaign, &directory, stop, files.tests())?;
    doubts(campaign, &directory, diverged?.as_deref())?;
    Ok(match stop {
        StopReason::Interrupted => interrupt.exit_code(),
        _ => verdict.exit_code(),
    })
}

/// Refuses concrete runs of one class: they begin outside of it.
fn check_mode(saved: &Saved, options: &ExplorationOptions) -> Result<(), Failure> {
    if saved.class.is_none() || !options.how.is_concolic() {
        return Ok(());
    }
    Err(Failure::usage("a class is expanded by states, not by concrete runs: leave out --mode"))
}

/// The setup of workers in its sent form, and the native executor that `plan` gives them. With `foreign`, machines of others join.
fn encoded(
    mut setup: Setup,
    plan: impl FnOnce() -> Option<NativeProgram>,
    foreign: bool,
) -> Result<(Vec<u8>, Option<NativeProgram>), Failure> {
    let native = setup.natively(plan);
    let setup = setup.encoded()?;
    if foreign {
        // Every machine that joins would refuse it.
        check_foreign(&setup, None).map_err(Failure::usage)?;
    }
    Ok((setup, native))
}

/// Display of the session's progress.
fn display(options: &ExplorationOptions, saved: &Saved, search: &Choice) -> Result<Display, Failure> {
    if !options.tui {
        return Ok(Display::line());
    }
    let arguments = saved.arguments.iter().map(|argument| String::from_utf8_lossy(argument));
    let command: Vec<_> = std::iter::once(saved.program.as_str().into()).chain(arguments).collect();
    Display::screen(Heading { command: command.join(" "), search: search.to_string() })
}

/// Error for a run with crashed or diverged regions, or with paths found twice: this is no success, however many paths there
/// are.
fn doubts(campaign: &Campaign, directory: &Path, diverged: Option<&Path>) -> Result<(), Failure> {
    let account = campaign.account()?;
    let regions = |state: &str| account.regions.get(state).copied().unwrap_or(0);
    let mut elsewhere = "regions whose tests did not lead where they led before".to_string();
    if let Some(file) = diverged {
        elsewhere.push_str(&format!(" (see {})", shown(file).display()));
    }
    let found = [
        (regions("crashed"), "regions on which workers died, or were killed"),
        (regions(DIVERGED), &elsewhere),
        (account.doubled, "paths that were found twice"),
    ];
    let found: Vec<String> =
        found.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if found.is_empty() {
        return Ok(());
    }
    let (found, directory) = (found.join(", "), directory.display());
    // Workers are killed by people too, and for want of memory.
    let killed = account.doubled == 0 && regions(DIVERGED) == 0;
    let whose =
        if killed { "unless somebody killed the workers, or memory ran out, this is" } else { "this is" };
    Err(Failure::new(format!(
        "the run is not whole: it has {found}; {whose} a bug of Cleave: please report it with {directory}; \
         `cleave resume` tries these regions again"
    )))
}

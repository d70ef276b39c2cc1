//! `cleave simulate`: what a finished run would have taken with other numbers of workers, on other networks.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use cleave_campaign::{Account, Pace};
use cleave_simulate::{
    Costs, Curve, MICROSECOND, Machine, Measured, Network, Policy, Recorder, Row, Simulation, Tree,
    speed_up_plot, table,
};
use serde_json::json;

use crate::Failure;
use crate::output::{Output, note};
use crate::{session, wiring};

/// Options of `cleave simulate`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The coordinator, the workers and the explorer are the campaign's own code; the program is the \
run's recorded tree, and time, network and processors are simulated.\n\n\
Example: cleave simulate cleave-last --workers 1,10,100 --policy ranges,static --svg speed-up.svg"
)]
pub struct SimulateOptions {
    /// Numbers of workers, separated by commas. Default is 1,2,4,10,48,512
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,2,4,10,48,512", hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub workers: Vec<u32>,
    /// How work is dealt out, one or more, separated by commas: `ranges` steals, `static` cuts at random tests,
    /// `test-depth` splits breadth-first and then steals, `parsym` queues single tests. Default is ranges
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "ranges",
        hide_default_value = true
    )]
    pub policy: Vec<PolicyName>,
    /// What a message takes at least, in microseconds. Default is 50
    #[arg(long, value_name = "US", default_value_t = 50.0, hide_default_value = true, value_parser = micros)]
    pub latency_us: f64,
    /// Bytes a second of the coordinator's link, in each direction. Default is 125000000 (1 Gbit/s)
    #[arg(long, value_name = "BYTES", default_value_t = 125_000_000, hide_default_value = true,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub bandwidth: u64,
    /// Time of the coordinator for a message, in microseconds. Default is 15
    #[arg(long, value_name = "US", default_value_t = 15.0, hide_default_value = true, value_parser = micros)]
    pub message_us: f64,
    /// Time of the coordinator for a path in addition, in microseconds. Default is 25
    #[arg(long, value_name = "US", default_value_t = 25.0, hide_default_value = true, value_parser = micros)]
    pub path_us: f64,
    /// Time until a worker that is started is there, in milliseconds. Default is 0
    #[arg(long, value_name = "MS", default_value_t = 0.0, hide_default_value = true, value_parser = micros)]
    pub startup_ms: f64,
    /// Bytes that a worker is told first. Default is 600; on a cluster the program's image comes on top
    #[arg(long, value_name = "BYTES", default_value_t = 600, hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(..=1 << 30))]
    pub setup_bytes: u32,
    /// Time between a worker's reports, in milliseconds. Default is that of real workers
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub report_ms: Option<u64>,
    /// Cores that all workers and the coordinator share. Default is a core for each
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub cores: Option<u64>,
    /// With `static`: ranges a worker; those beyond the first wait in a queue. Default is 1
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub ranges_per_worker: u32,
    /// With `test-depth`: test-depth pairs to split into first. Default is one a worker
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub split_states: Option<u32>,
    /// Chooses the tests of `static`. Default is 0
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub seed: u64,
    /// Draw speed-up against workers, as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print JSON. Default is a table
    #[arg(long)]
    pub json: bool,
    /// The run directory. Default is cleave-last
    #[arg(value_name = "DIR", default_value = "cleave-last", hide_default_value = true)]
    pub directory: PathBuf,
}

/// Policies by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PolicyName {
    /// See [`Policy::Ranges`].
    Ranges,
    /// See [`Policy::Static`].
    Static,
    /// See [`Policy::TestDepth`].
    TestDepth,
    /// See [`Policy::ParSym`].
    Parsym,
}

/// A time that is not negative, and below an hour in microseconds.
fn micros(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if (0.0..3.6e9).contains(&number) { Ok(number) } else { Err("give a number from 0 to an hour".into()) }
}

/// Simulates the run.
pub fn simulate(options: &SimulateOptions) -> Result<ExitCode, Failure> {
    let (store, saved, image) = wiring::recorded(&options.directory)?;
    let account = store.account()?;
    let mut recorder =
        Recorder::new(session::space_of(image.program()?, &saved)?, |state| state.instructions());
    store.each_path::<Failure>(0, |path| Ok(recorder.add(path.record)?))?;
    let tree = recorder.finish()?;
    let costs = Costs::of(&Measured {
        instructions: account.instructions,
        questions: account.questions,
        busy_seconds: account.busy_seconds,
        solver_seconds: account.solver_seconds,
    });
    let simulation = Simulation { tree: Arc::new(tree), costs, machine: machine(options) };
    let mut rows = Vec::new();
    for name in &options.policy {
        for workers in &options.workers {
            rows.push(simulation.run(policy(*name, options), *workers)?);
        }
    }
    if let Some(path) = &options.svg {
        let title = format!(
            "{}: {} paths",
            saved.program.rsplit('/').next().unwrap_or(""),
            simulation.tree.paths().len()
        );
        std::fs::write(path, speed_up_plot(&title, &curves(&rows)))
            .map_err(|e| Failure::new(format!("cannot write {}: {e}; give another --svg", path.display())))?;
        note(format_args!("drawn: {}", path.display()));
    }
    show(options, &account, &simulation, &rows)?;
    Ok(ExitCode::SUCCESS)
}

fn machine(options: &SimulateOptions) -> Machine {
    let micros = |us: f64| (us * MICROSECOND as f64).round() as u64;
    let every = options.report_ms.map_or(Pace::default().every, Duration::from_millis);
    Machine {
        network: Network { latency: micros(options.latency_us), bandwidth: options.bandwidth },
        message: micros(options.message_us),
        path: micros(options.path_us),
        startup: micros(1000.0 * options.startup_ms),
        cores: options.cores.unwrap_or(0),
        setup: options.setup_bytes as usize,
        pace: Pace { every, ..Pace::default() },
    }
}

fn policy(name: PolicyName, options: &SimulateOptions) -> Policy {
    match name {
        PolicyName::Ranges => Policy::Ranges,
        PolicyName::Static => Policy::Static { per_worker: options.ranges_per_worker, seed: options.seed },
        PolicyName::TestDepth => Policy::TestDepth { states: options.split_states },
        PolicyName::Parsym => Policy::ParSym,
    }
}

/// A curve for each policy.
fn curves(rows: &[Row]) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for row in rows {
        let point = (f64::from(row.workers), row.speed_up);
        match curves.iter_mut().find(|c| c.name == row.policy) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { name: row.policy.into(), points: vec![point] }),
        }
    }
    curves
}

/// What the tree leaves out of the program's, if anything.
fn parts_missing(account: &Account) -> Option<String> {
    (account.open_regions > 0).then(|| {
        format!(
            "the run has {} open regions: this is the tree of its finished paths alone, and what is open costs \
             nothing here",
            account.open_regions
        )
    })
}

fn show(
    options: &SimulateOptions,
    account: &Account,
    simulation: &Simulation,
    rows: &[Row],
) -> Result<(), Failure> {
    let (tree, costs): (&Tree, Costs) = (&simulation.tree, simulation.costs);
    let mut policies: Vec<Policy> = Vec::new();
    for name in &options.policy {
        let policy = policy(*name, options);
        if !policies.contains(&policy) {
            policies.push(policy);
        }
    }
    let missing = parts_missing(account);
    let mut out = Output::new();
    if options.json {
        let how: Vec<_> = policies.iter().map(|p| json!({ "policy": p.name(), "how": p.how() })).collect();
        out.line(
            serde_json::to_string_pretty(&json!({
                "program": account.program,
                "paths": tree.paths().len(),
                "decisions": tree.decisions(),
                "instructions": tree.instructions(),
                "questions": tree.questions(),
                "instruction_ns": costs.instruction as f64 / 1e3,
                "question_ns": costs.question as f64 / 1e3,
                "serial_s": simulation.serial_seconds(),
                "recorded_workers": account.workers,
                "recorded_wall_s": account.wall_s,
                "recorded_busy_s": account.busy_seconds,
                "missing": missing,
                "policies": how,
                "rows": rows,
            }))
            .map_err(Failure::new)?,
        )?;
        return out.end();
    }
    out.line(format_args!(
        "{}: {} paths, {} decisions, {} instructions and {} questions, each once",
        account.program,
        tree.paths().len(),
        tree.decisions(),
        tree.instructions(),
        tree.questions()
    ))?;
    out.line(format_args!(
        "measured: {:.1} ns an instruction, {:.2} us a question (the solver's time, shared equally); one worker that \
         talks to nobody takes {:.3} s, the recorded one took {:.3} s",
        costs.instruction as f64 / 1e3,
        costs.question as f64 / 1e6,
        simulation.serial_seconds(),
        account.busy_seconds
    ))?;
    if let Some(missing) = missing {
        out.line(format_args!("note: {missing}"))?;
    }
    for policy in policies {
        out.line(format_args!("{}: {}", policy.name(), policy.how()))?;
    }
    for line in table(rows) {
        out.line(line)?;
    }
    out.end()
}

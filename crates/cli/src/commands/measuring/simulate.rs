//! `cleave simulate`: time that a finished run would have taken with other numbers of workers, on other networks.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use cleave_campaign::{Account, Pace};
use cleave_region::PathKind;
use cleave_simulate::scale::scale_table;
use cleave_simulate::{
    Costs, Curve, MICROSECOND, Machine, Measured, Network, Policy, Recorder, Row, Simulation, speed_up_plot,
    table,
};
use serde_json::json;

use crate::commands::measuring::simulate_grown::{Grown, GrownOptions, shape_line};
use crate::emit::Which;
use crate::failure::Failure;
use crate::process::messages::note;
use crate::process::number_words::counted;
use crate::process::output::Output;
use crate::sessions::run_dir;
use crate::sessions::saved;
use crate::sessions::saved::Saved;

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
    /// Policies that deal out work, one or more, separated by commas: `ranges` steals, `static` cuts at random tests,
    /// `test-depth` splits breadth-first and then steals, `parsym` has concolic workers. Default is ranges
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "ranges",
        hide_default_value = true
    )]
    pub policy: Vec<PolicyName>,
    /// Least time of a message, in microseconds. Default is 50, and 1000 with `--grow`
    #[arg(long, value_name = "US", value_parser = micros)]
    pub latency_us: Option<f64>,
    /// Bytes a second of the coordinator's link, in each direction, at least 10000. Default is 125000000 (1 Gbit/s)
    #[arg(long, value_name = "BYTES", default_value_t = 125_000_000, hide_default_value = true,
          value_parser = clap::value_parser!(u64).range(10_000..))]
    pub bandwidth: u64,
    /// Time of the coordinator for a message, in microseconds. Default is 15, and 50 with `--grow`
    #[arg(long, value_name = "US", value_parser = micros)]
    pub message_us: Option<f64>,
    /// Time of the coordinator for a received message in addition, for each worker, in nanoseconds. Default is 5
    #[arg(long, value_name = "NS", default_value_t = 5.0, hide_default_value = true, value_parser = micros)]
    pub scan_ns: f64,
    /// Let workers send each path to the coordinator, as they do by MPI and with `--tests all`. Default is as in the run: where
    /// its paths lie in shards, they stay with the workers
    #[arg(long)]
    pub sent: bool,
    /// With `--sent`: time of the coordinator for a path in addition, in microseconds. Default is 1.5, and 16 for a
    /// run that writes all tests as files
    #[arg(long, value_name = "US", value_parser = micros)]
    pub path_us: Option<f64>,
    /// Time of a worker for a report, in microseconds: it syncs its shard, where it has one. Default is 500
    #[arg(long, value_name = "US", default_value_t = 500.0, hide_default_value = true, value_parser = micros)]
    pub sync_us: f64,
    /// Time of a worker for a region that it writes down, in microseconds. Default is 15
    #[arg(long, value_name = "US", value_parser = micros)]
    pub region_us: Option<f64>,
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
    /// Cores that all workers and the coordinator share; 1.5 is a core and half of another. Default is a core for
    /// each
    #[arg(long, value_name = "N", value_parser = factor)]
    pub cores: Option<f64>,
    /// With `static`: ranges a worker; those beyond the first wait in a queue. Default is 1
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub ranges_per_worker: u32,
    /// With `test-depth`: test-depth pairs to split into first. Default is one a worker
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub split_states: Option<u32>,
    /// Let instructions and questions take this many times as long as they did in the run: for a program, or a solver, that
    /// is slower on paths like these. Default is 1
    #[arg(long, value_name = "TIMES", default_value_t = 1.0, hide_default_value = true, value_parser = factor)]
    pub slower: f64,
    /// The same, but as much as makes one worker take so many milliseconds for a path on average
    #[arg(long, value_name = "MS", value_parser = factor, conflicts_with = "slower")]
    pub ms_per_path: Option<f64>,
    /// Chooses the tests of `static`, the tree of `--grow`, and which nodes are lost. Default is 0
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub seed: u64,
    /// Draw speed-up against workers, as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print JSON. Default is a table
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub grown: GrownOptions,
    /// Run directories, one or more. Default is cleave-last
    #[arg(value_name = "DIR", default_value = "cleave-last", hide_default_value = true)]
    pub directories: Vec<PathBuf>,
}

/// Policies by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PolicyName {
    /// Idle workers steal from busy ones
    Ranges,
    /// The space is cut at tests drawn at random, and nobody steals
    Static,
    /// The space is split breadth-first into states, then idle workers steal
    TestDepth,
    /// Workers are concolic; idle ones take items of busy ones
    Parsym,
}

/// A time that is not negative, and so short that the sums of a simulation stay far below what its clock can count to
/// (2^64 picoseconds, 213 days).
fn micros(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if (0.0..=1e6).contains(&number) { Ok(number) } else { Err("give a number from 0 to 1000000".into()) }
}

/// A factor for times, from 0.001 to 1000000.
fn factor(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if (1e-3..=1e6).contains(&number) {
        Ok(number)
    } else {
        Err("give a number from 0.001 to 1000000".into())
    }
}

/// A run, and simulations of it with other workers.
struct Foretold {
    account: Account,
    simulation: Simulation,
    rows: Vec<Row>,
    grown: Option<Grown>,
    /// Factor by which instructions and questions take longer than they did in the run.
    slower: f64,
}

impl Foretold {
    /// The program's name.
    fn name(&self) -> &str {
        self.account.program.rsplit('/').next().unwrap_or_default()
    }
}

/// Simulates runs.
pub fn simulate(options: &SimulateOptions) -> Result<ExitCode, Failure> {
    let all = options.directories.iter().map(|directory| foretell(options, directory));
    let all = all.collect::<Result<Vec<Foretold>, Failure>>()?;
    if let Some(path) = &options.svg {
        let names: Vec<String> = all
            .iter()
            .map(|f| format!("{} ({})", f.name(), counted(f.simulation.tree.paths().len() as u64, "path")))
            .collect();
        let title = if names.len() > 5 { format!("{} programs", names.len()) } else { names.join(", ") };
        std::fs::write(path, speed_up_plot(&title, &curves(&all)))
            .map_err(|e| Failure::new(format!("cannot write {}: {e}; give another --svg", path.display())))?;
        note(format_args!("drawn: {}", path.display()));
    }
    let mut out = Output::new();
    if options.json {
        let all: Vec<_> = all.iter().map(|f| as_json(options, f)).collect();
        out.line(serde_json::to_string_pretty(&all).map_err(Failure::new)?)?;
    } else {
        for (i, foretold) in all.iter().enumerate() {
            if i > 0 {
                out.line("")?;
            }
            show(&mut out, options, foretold)?;
        }
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

fn foretell(options: &SimulateOptions, directory: &Path) -> Result<Foretold, Failure> {
    let (store, saved, image) = run_dir::recorded(directory)?;
    let account = store.account()?;
    let mut recorder = Recorder::new(saved::space_of(image.program()?, &saved)?);
    store.each_path::<Failure>(0, |path| match path.record.kind {
        PathKind::AssumedAway => Ok(()),
        _ => Ok(recorder.add(path.record.decoded()?)?),
    })?;
    let tree = Arc::new(recorder.finish()?);
    let costs = Costs::of(&Measured {
        instructions: account.instructions,
        questions: account.questions,
        busy_seconds: account.busy_seconds,
        solver_seconds: account.solver_seconds,
    });
    let measured_ms = costs.serial(&tree) as f64 / 1e9 / tree.paths().len() as f64;
    let slower = options.ms_per_path.map_or(options.slower, |ms| ms / measured_ms);
    let mut costs = costs.slower(slower);
    if let Some(us) = options.region_us {
        costs.region = picos(us);
    }
    let kept = !options.sent && !store.shards()?.is_empty();
    let simulation = Simulation { tree, costs, machine: machine(options, writes_all(&saved), kept) };
    if let Some(paths) = options.grown.grow {
        let every = options.report_ms.map(Duration::from_millis);
        let grown = options.grown.grow(paths, &simulation, (&options.workers, every, options.seed))?;
        return Ok(Foretold { account, simulation, rows: Vec::new(), grown: Some(grown), slower });
    }
    let mut rows = Vec::new();
    for name in &options.policy {
        for workers in &options.workers {
            rows.push(simulation.run(policy(*name, options), *workers)?);
        }
    }
    Ok(Foretold { account, simulation, rows, grown: None, slower })
}

/// Returns true if the run writes a file for each path.
fn writes_all(saved: &Saved) -> bool {
    saved.tests == Which::All && saved.emit.iter().any(|name| name == "ktest")
}

/// The simulated machine. The defaults were measured on a machine with two cores: processor time of the coordinator's process
/// for a path of `cut` (1.2 to 1.8 us without files, 16 us with files in memory); and of its code alone, in a simulation with
/// 4 to 5,000 workers, for a message (5 us and 5 ns a worker), to which a pipe and two switches of threads are added as 10 us.
fn machine(options: &SimulateOptions, write_tests: bool, kept: bool) -> Machine {
    let grown = options.grown.grow.is_some();
    let Pace { every, every_kept, .. } = Pace::default();
    let [every, every_kept] =
        [every, every_kept].map(|usual| options.report_ms.map_or(usual, Duration::from_millis));
    Machine {
        network: Network {
            latency: picos(options.latency_us.unwrap_or(if grown { 1000.0 } else { 50.0 })),
            bandwidth: options.bandwidth,
        },
        message: picos(options.message_us.unwrap_or(if grown { 50.0 } else { 15.0 })),
        each_worker: picos(options.scan_ns / 1000.0),
        path: picos(options.path_us.unwrap_or(if write_tests { 16.0 } else { 1.5 })),
        startup: picos(1000.0 * options.startup_ms),
        cores: options.cores.map_or(0, |n| (n * 1000.0).round() as u64),
        setup: options.setup_bytes as usize,
        pace: Pace { every, every_kept, ..Pace::default() },
        kept,
        sync: picos(options.sync_us),
    }
}

/// Microseconds on the simulated clock.
fn picos(us: f64) -> u64 {
    (us * MICROSECOND as f64).round() as u64
}

fn policy(name: PolicyName, options: &SimulateOptions) -> Policy {
    match name {
        PolicyName::Ranges => Policy::Ranges,
        PolicyName::Static => Policy::Static { per_worker: options.ranges_per_worker, seed: options.seed },
        PolicyName::TestDepth => Policy::TestDepth { states: options.split_states },
        PolicyName::Parsym => Policy::ParSym,
    }
}

/// A curve for each run and policy.
fn curves(all: &[Foretold]) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for foretold in all {
        let program = foretold.name();
        let recorded = foretold.rows.iter().map(|row| (row.policy, row.workers, row.speed_up));
        let grown = foretold.grown.iter().flat_map(|grown| &grown.rows);
        for (policy, workers, speed_up) in
            recorded.chain(grown.map(|row| ("ranges", row.workers, row.speed_up)))
        {
            let name = if all.len() > 1 { format!("{program} {policy}") } else { policy.into() };
            let point = (f64::from(workers), speed_up);
            match curves.iter_mut().find(|c| c.name == name) {
                Some(curve) => curve.points.push(point),
                None => curves.push(Curve { name, points: vec![point] }),
            }
        }
    }
    curves
}

/// Note about the open regions that the recorded tree lacks; `None` if there are none.
fn parts_missing(account: &Account) -> Option<String> {
    (account.open_regions > 0).then(|| {
        format!(
            "the run has {} open regions: this is the tree of its finished paths alone, and what is open costs \
             nothing here",
            account.open_regions
        )
    })
}

/// The policies that were asked for, each once.
fn policies(options: &SimulateOptions) -> Vec<Policy> {
    let mut policies: Vec<Policy> = Vec::new();
    for name in &options.policy {
        let policy = policy(*name, options);
        if !policies.contains(&policy) {
            policies.push(policy);
        }
    }
    policies
}

fn as_json(options: &SimulateOptions, foretold: &Foretold) -> serde_json::Value {
    let Foretold { account, simulation, rows, slower, grown } = foretold;
    let (tree, costs) = (&simulation.tree, simulation.costs);
    let how: Vec<_> =
        policies(options).iter().map(|p| json!({ "policy": p.name(), "how": p.how() })).collect();
    json!({
        "program": account.program,
        "paths": tree.paths().len(),
        "decisions": tree.decisions(),
        "instructions": tree.instructions(),
        "questions": tree.questions(),
        "slower": slower,
        "instruction_ns": costs.instruction as f64 / 1e3,
        "question_ns": costs.question as f64 / 1e3,
        "serial_s": simulation.serial_seconds(),
        "recorded_workers": account.workers,
        // The simulation has no loading and no writing of files.
        "recorded_wall_s": if account.exploring_s > 0.0 { account.exploring_s } else { account.wall_s },
        "recorded_busy_s": account.busy_seconds,
        "missing": parts_missing(account),
        "policies": how,
        "rows": rows,
        "grown": grown.as_ref().map(Grown::as_json),
    })
}

fn show(out: &mut Output, options: &SimulateOptions, foretold: &Foretold) -> Result<(), Failure> {
    let Foretold { account, simulation, rows, slower, grown } = foretold;
    let (tree, costs) = (&simulation.tree, simulation.costs);
    out.line(format_args!(
        "{}: {}, {}, {} and {}, each once",
        account.program,
        counted(tree.paths().len() as u64, "path"),
        counted(tree.decisions(), "decision"),
        counted(tree.instructions(), "instruction"),
        counted(tree.questions(), "question")
    ))?;
    let whose = if *slower == 1.0 { String::new() } else { format!(", {slower:.4} times what was measured") };
    out.line(format_args!(
        "{:.1} ns an instruction, {:.2} us a question (the solver's time, shared equally){whose}; one worker that \
         talks to nobody takes {:.3} s, the recorded run's were busy for {:.3} s",
        costs.instruction as f64 / 1e3,
        costs.question as f64 / 1e6,
        simulation.serial_seconds(),
        account.busy_seconds
    ))?;
    if let Some(missing) = parts_missing(account) {
        out.line(format_args!("note: {missing}"))?;
    }
    if let Some(grown) = grown {
        return show_grown(out, grown);
    }
    for policy in policies(options) {
        out.line(format_args!("{}: {}", policy.name(), policy.how()))?;
    }
    for line in table(rows) {
        out.line(line)?;
    }
    Ok(())
}

fn show_grown(out: &mut Output, grown: &Grown) -> Result<(), Failure> {
    out.line(format_args!("recorded: {}", shape_line(&grown.shapes[0])))?;
    out.line(format_args!("grown:    {}", shape_line(&grown.shapes[1])))?;
    let Grown { scale, rows, .. } = grown;
    out.line(format_args!(
        "A tree of {} paths like it, which one worker that talks to nobody takes {:.1} s for; nodes of {} workers{}",
        scale.tree.root().load.paths,
        scale.serial_seconds(),
        scale.cluster.node,
        if scale.cluster.levels { ", each with a coordinator of its own" } else { ", at one coordinator" }
    ))?;
    scale_table(rows).into_iter().try_for_each(|line| out.line(line))?;
    Ok(())
}

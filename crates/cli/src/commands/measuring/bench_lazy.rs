//! `cleave bench lazy`: the cost of covering the code of a program, asking eagerly and lazily.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use cleave_explore::{Asking, Event, Explorer, Feasibility, Limits, Programs, Search, Space, TERM_MEMORY};
use cleave_program::code::Program;
use cleave_region::{PathDigest, Region};
use cleave_solver::SolverOptions;

use crate::failure::Failure;
use crate::options::values;
use crate::process::output::Output;
use crate::process::processor::processor_time;
use crate::programs::build::Build;
use crate::programs::loading::How;
use crate::programs::program_file;
use crate::sessions::saved::Saved;
use clap::Args;
use std::ffi::OsString;

/// Options of `cleave bench lazy`.
#[derive(Clone, Debug, Args)]
pub struct LazyOptions {
    /// The search strategy. Default is dfs
    #[arg(long, value_name = "NAME", default_value = "dfs", hide_default_value = true, value_parser = values::search)]
    pub search: String,
    /// Stop after this many paths. Default is no limit
    #[arg(long, value_name = "N")]
    pub max_paths: Option<usize>,
    /// Add up this many runs, with random seeds from 0. Default is 1
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seeds: u64,
    /// The program, and its arguments, symbolic ones among them
    #[arg(value_names = ["PROGRAM", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub program_and_arguments: Vec<OsString>,
}

/// Instructions a step.
const FUEL: u64 = 10_000;

/// Work done until some number of blocks was covered.
#[derive(Clone, Copy, Default)]
struct Taken {
    blocks: usize,
    paths: usize,
    instructions: u64,
    questions: u64,
    /// Questions that came to a SAT or SMT solver.
    calls: u64,
    seconds: f64,
}

impl Taken {
    fn add(&mut self, other: Taken) {
        self.blocks += other.blocks;
        self.paths += other.paths;
        self.instructions += other.instructions;
        self.questions += other.questions;
        self.calls += other.calls;
        self.seconds += other.seconds;
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>5} blocks {:>6} paths {:>9} instructions {:>7} questions {:>5} calls {:>7.3} s",
            self.blocks, self.paths, self.instructions, self.questions, self.calls, self.seconds
        )
    }
}

/// An exploration: a point for each time that new code was covered, then the end; and the paths.
struct Explored {
    points: Vec<Taken>,
    paths: Vec<PathDigest>,
}

impl Explored {
    fn end(&self) -> Taken {
        self.points[self.points.len() - 1]
    }

    /// The first point with nine tenths of these blocks covered; the end if there is none.
    fn at(&self, blocks: usize) -> Taken {
        let enough = |t: &&Taken| 10 * t.blocks >= 9 * blocks;
        self.points.iter().find(enough).copied().unwrap_or(self.end())
    }
}

fn explore(
    program: &Arc<Program>,
    saved: &Saved,
    options: &LazyOptions,
    feasibility: Feasibility,
    seed: u64,
) -> Result<Explored, Failure> {
    let engine = saved.engine_options()?;
    let solver = SolverOptions::default();
    let mut space = Programs::new(program.clone(), engine, solver, TERM_MEMORY).map_err(Failure::new)?;
    space.count_visits();
    let search = Search::new(std::slice::from_ref(&options.search), seed).map_err(Failure::new)?;
    let strategy = search.strategy(space.flow());
    let start = processor_time();
    let explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
    let mut explorer = explorer.asking(Asking::new(feasibility));
    let (mut events, mut paths, mut points) = (Vec::new(), Vec::new(), Vec::new());
    let mut blocks = 0;
    loop {
        let over = explorer.is_done() || options.max_paths.is_some_and(|most| paths.len() >= most);
        let new = space.covered(blocks).len();
        if new > 0 || over {
            blocks += new;
            let counted = space.statistics();
            let count = |name: &str| counted.get(name).copied().unwrap_or(0);
            points.push(Taken {
                blocks,
                paths: paths.len(),
                instructions: count("instructions"),
                questions: explorer.counters().questions,
                calls: count("smt_calls"),
                seconds: processor_time().saturating_sub(start).as_secs_f64(),
            });
        }
        if over {
            break;
        }
        explorer.step(&mut space, FUEL, &mut events);
        for event in events.drain(..) {
            if let Event::Path { state, .. } = event {
                paths.push(space.digest(&state));
            }
        }
    }
    if let Some(error) = space.take_error() {
        return Err(Failure::new(error));
    }
    paths.sort();
    Ok(Explored { points, paths })
}

/// `cleave bench lazy`.
pub fn lazy(options: &LazyOptions) -> Result<ExitCode, Failure> {
    let (program, arguments) = options.program_and_arguments.split_first().expect("clap asks for a program");
    let path = Path::new(program);
    let saved = Saved::new(path, arguments);
    saved.environment()?;
    let program = Arc::new(program_file::load(path, &Build::default(), How::default())?.program()?);
    let mut out = Output::new();
    out.line(format_args!(
        "{}, {}: until nine tenths of the blocks are covered | until the end",
        saved.arguments.iter().map(|a| String::from_utf8_lossy(a)).collect::<Vec<_>>().join(" "),
        options.search
    ))?;
    let all = [("eager", Feasibility::Eager), ("lazy", Feasibility::Lazy)];
    let mut sums = [[Taken::default(); 2]; 2];
    let (mut same, mut cut) = (true, false);
    for seed in 0..options.seeds {
        let mut explored = Vec::new();
        for (_, feasibility) in all {
            explored.push(explore(&program, &saved, options, feasibility, seed)?);
        }
        // The same blocks for both.
        let most = explored.iter().map(|e| e.end().blocks).min().unwrap_or(0);
        for (sum, one) in sums.iter_mut().zip(&explored) {
            sum[0].add(one.at(most));
            sum[1].add(one.end());
        }
        same &= explored[0].paths == explored[1].paths;
        cut |= explored.iter().any(|e| options.max_paths.is_some_and(|most| e.paths.len() >= most));
    }
    for ((name, _), [most, end]) in all.iter().zip(&sums) {
        out.line(format_args!("  {name:<6} {most} | {end}"))?;
    }
    out.line(match (same, options.max_paths) {
        (true, _) => "  the same paths".to_string(),
        (false, Some(most)) if cut => format!("  cut at {most} paths: which ones is not comparable"),
        _ => "  OTHER PATHS".to_string(),
    })?;
    out.end()?;
    Ok(if same || cut { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

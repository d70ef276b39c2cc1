//! `cleave bound`: a depth for `--max-depth`, as Singh and Khurshid (2020) find theirs.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cleave_explore::{Event, Explorer, Limits, Search};
use cleave_region::Region;
use serde_json::json;

use crate::failure::Failure;
use crate::options::run::PathOptions;
use crate::options::values;
use crate::process::interrupt::Interrupt;
use crate::process::messages::note;
use crate::process::number_words::{counted, verb_of};
use crate::process::output::Output;
use crate::programs::images;
use crate::sessions::saved::{self, Saved};
use clap::Args;
use std::ffi::OsString;

/// Options of `cleave bound`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The depth that is printed is one that every path has reached, or has ended before. Use it as \
`cleave run --max-depth DEPTH`: all strategies then explore the same bounded space.\n\n\
Example: cleave bound --time 10m ./prog --sym-args 0 2 4"
)]
pub struct BoundOptions {
    /// Stop after this time (seconds, or like 10s, 5m, 1h). Default is 10m
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub time: Option<Duration>,
    /// Print JSON: depth, states, paths, complete. Default is the depth alone, and the rest on standard error
    #[arg(long)]
    pub json: bool,
    /// Options that decide the set of paths.
    #[command(flatten)]
    pub paths: PathOptions,
    /// The program, and its arguments, symbolic ones among them
    #[arg(value_names = ["PROGRAM", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub program_and_arguments: Vec<OsString>,
}

/// Maximum memory for conditions before pending states are written down, in bytes.
const TERMS: usize = 1 << 30;
/// Instructions between two looks at the clock.
const FUEL: u64 = 100_000;

/// Explores breadth-first for a time and prints the depth that all paths have reached.
pub fn bound(options: &BoundOptions) -> Result<ExitCode, Failure> {
    let (program, arguments) = options.program_and_arguments.split_first().expect("clap asks for a program");
    let path = Path::new(program);
    let saved = Saved::with(path, arguments, &options.paths)?;
    saved.environment()?;
    let image = images::load(path, &saved)?;
    let saved = saved.of_program(&image, options.paths.max_len)?;
    // A broad frontier holds many conditions.
    let mut space = saved::space_with(image.program()?, &saved, TERMS)?;
    let interrupt = Interrupt::listen()?;
    let (start, time) = (Instant::now(), options.time.unwrap_or(Duration::from_secs(600)));
    let strategy = Search::breadth_first().strategy(None);
    let mut explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
    let (mut events, mut paths, mut deepest, mut unknown) = (Vec::new(), 0u64, 0, 0u64);
    while !explorer.is_done() && start.elapsed() < time && !interrupt.flag().load(Ordering::Relaxed) {
        explorer.step(&mut space, FUEL, &mut events);
        for event in events.drain(..) {
            match event {
                Event::Path { state, .. } => {
                    paths += 1;
                    deepest = deepest.max(cleave_explore::Space::depth(&space, &state));
                }
                Event::Unknown { .. } | Event::Cut { .. } | Event::Divergence { .. } => unknown += 1,
            }
        }
    }
    if let Some(error) = space.take_error() {
        return Err(Failure::new(error));
    }
    let left = explorer.remaining(&mut space);
    let depth_of = |region: &Region| region.lo.as_ref().and_then(|lo| lo.depth).unwrap_or(0);
    let complete = left.is_empty() && unknown == 0;
    // Every pending state has at least this many decisions behind it.
    let depth = left.iter().map(depth_of).min().unwrap_or(deepest);
    let mut out = Output::new();
    if options.json {
        let states = left.len();
        out.line(json!({ "depth": depth, "states": states, "paths": paths, "complete": complete }))?;
    } else {
        out.line(depth)?;
        let seconds = start.elapsed().as_secs_f64();
        if complete {
            note(format_args!(
                "all paths ({paths}) end within {} ({seconds:.1} s): no bound is needed",
                counted(depth.into(), "decision")
            ));
        } else if left.is_empty() {
            note(format_args!(
                "{} {} within {} ({seconds:.1} s), and the solver gave up on {}: how deep that is nobody knows",
                counted(paths, "path"),
                verb_of(paths, "ends", "end"),
                counted(depth.into(), "decision"),
                counted(unknown, "region")
            ));
        } else {
            let states = left.len() as u64;
            note(format_args!(
                "{} {} at {} or more, {} {} ended ({seconds:.1} s); use --max-depth {depth}",
                counted(states, "state"),
                verb_of(states, "waits", "wait"),
                counted(depth.into(), "decision"),
                counted(paths, "path"),
                verb_of(paths, "has", "have")
            ));
        }
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

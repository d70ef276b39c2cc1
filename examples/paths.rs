//! Explores a bitcode file and prints its paths: `paths FILE.bc [ARGUMENT...]`. In the environment, `SEARCH` may
//! name search strategies, separated by commas, `QUIET` leaves out the paths, `PATHS` ends it after so many, with `JIT` a
//! function is compiled after it was seen so often, and with `MERGE` arms are joined.

use std::sync::Arc;

use cleave_engine::EngineOptions;
use cleave_explore::{Event, Explorer, Limits, Programs, Search, Space, TERM_MEMORY};
use cleave_region::Region;
use cleave_solver::SolverOptions;

#[allow(dead_code)] // A part of it is for workers.
#[path = "../crates/cli/src/process/allocator.rs"]
mod allocator;

/// As `cleave` has it: instructions are counted with its allocator.
#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next().ok_or("usage: paths FILE.bc [ARGUMENT...]")?;
    let names = std::env::var("SEARCH").unwrap_or_else(|_| "dfs".into());
    let names: Vec<String> = names.split(',').map(String::from).collect();
    let quiet = std::env::var_os("QUIET").is_some();

    let program = Arc::new(cleave_program::load(&std::fs::read(&file)?)?);
    let rest: Vec<_> = arguments.collect();
    let env = cleave_linux::env::EnvSpec::parse(&file, &rest).map_err(|e| e.to_string())?;
    let compile_after = std::env::var("JIT").ok().and_then(|n| n.parse().ok());
    let merge = std::env::var_os("MERGE").is_some();
    let mut space = Programs::new(
        program,
        EngineOptions { env, compile_after, merge, ..EngineOptions::default() },
        SolverOptions::default(),
        TERM_MEMORY,
    )?;
    let strategy = Search::new(&names, 0)?.strategy(space.flow());
    let mut explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);

    let (mut events, mut paths) = (Vec::new(), 0);
    let most: usize = std::env::var("PATHS").ok().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    while !explorer.is_done() && paths < most {
        explorer.step(&mut space, if most < usize::MAX { 1 << 12 } else { 1 << 20 }, &mut events);
        for event in events.drain(..) {
            let Event::Path { end, state, witness, .. } = event else {
                println!("a region is set aside");
                continue;
            };
            let Some(record) = space.record(end, &state, &witness) else { continue };
            let news = space.news(&state, &record.test);
            space.show(&news);
            paths += 1;
            if !quiet {
                let bug = record.bug.map_or(String::new(), |b| format!(" {} at {}", b.message, b.place));
                println!("{} {} {}{bug}", record.digest, record.kind.name(), record.test);
            }
        }
    }
    eprintln!("{paths} paths, {:?}, {:?}", explorer.counters(), space.statistics());
    Ok(())
}

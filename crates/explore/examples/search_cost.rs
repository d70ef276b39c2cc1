//! Explores a program to its end in this process, and prints what that cost: `search_cost FILE.bc STRATEGY
//! [ARGUMENT...]`. For profilers, and to compare strategies: the paths, and the sum of their digests, are the same for all.

use std::sync::Arc;

use cleave_engine::EngineOptions;
use cleave_explore::{Asking, Event, Explorer, Feasibility, Limits, Programs, Search};
use cleave_region::Region;
use cleave_solver::SolverOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const USAGE: &str = "usage: search_cost FILE.bc STRATEGY [ARGUMENT...]";
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next().ok_or(USAGE)?;
    let name = arguments.next().and_then(|name| name.into_string().ok()).ok_or(USAGE)?;
    let program = Arc::new(cleave_program::load(&std::fs::read(&file)?)?);
    let rest: Vec<_> = arguments.collect();
    let env = cleave_linux::env::EnvSpec::parse(&file, &rest).map_err(|e| e.to_string())?;
    // As the command line has it: broad searches do not forget conditions, and ask later.
    let strategy = Search::new(&[name], 0)?.strategy(None);
    let (terms, feasibility) = match strategy.in_order() {
        true => (cleave_explore::TERM_MEMORY, Feasibility::Eager),
        false => (usize::MAX, Feasibility::Lazy),
    };
    let mut space = Programs::new(
        program,
        EngineOptions { env, ..EngineOptions::default() },
        SolverOptions::default(),
        terms,
    )?
    .growing(2 * cleave_explore::TERM_MEMORY);
    let mut explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy)
        .asking(Asking::new(feasibility));
    let (mut events, mut paths, mut digests, mut most) = (Vec::new(), 0u64, 0u128, 0);
    while !explorer.is_done() {
        explorer.step(&mut space, 20_000, &mut events);
        most = most.max(explorer.frontier());
        for event in events.drain(..) {
            let Event::Path { end, state, witness, .. } = event else { continue };
            if let Some(record) = space.record(end, &state, &witness) {
                paths += 1;
                digests = digests.wrapping_add(record.digest.0);
            }
        }
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("?").trim();
    println!("{paths} paths, sum of digests {digests:x}; {most} states at most, {peak} of memory");
    for (name, n) in space.statistics() {
        print!("{name} {n}  ");
    }
    println!();
    Ok(())
}

//! Explores a bitcode file and prints its paths: `paths FILE.bc [ARGUMENT...]`.

use std::sync::Arc;

use cleave_engine::EngineOptions;
use cleave_explore::{Event, Explorer, Limits, Programs, TERM_MEMORY};
use cleave_region::Region;
use cleave_solver::SolverOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next().ok_or("usage: paths FILE.bc [ARGUMENT...]")?;
    let program = Arc::new(cleave_program::load(&std::fs::read(&file)?)?);
    let rest: Vec<_> = arguments.collect();
    let env = cleave_linux::env::EnvSpec::parse(&file, &rest).map_err(|e| e.to_string())?;
    let options = EngineOptions { env };
    let mut space = Programs::new(program, options, SolverOptions::default(), TERM_MEMORY)?;
    let mut explorer = Explorer::new(&mut space, Region::whole(), Limits::default());
    let quiet = std::env::var_os("QUIET").is_some();
    let (mut events, mut paths) = (Vec::new(), 0);
    while !explorer.is_done() {
        explorer.step(&mut space, 1 << 20, &mut events);
        for event in events.drain(..) {
            match event {
                Event::Path { end, state, witness } => {
                    let Some(record) = space.record(end, &state, &witness) else { continue };
                    paths += 1;
                    if !quiet {
                        let bug = record.bug.map(|b| format!(" {} {} at {}", b.kind, b.message, b.place));
                        println!(
                            "{} {} {}{}",
                            record.digest,
                            record.kind.name(),
                            record.test,
                            bug.unwrap_or_default()
                        );
                    }
                }
                Event::Unknown { region, reason } => println!("unknown {region}: {reason}"),
                Event::Cut { .. } | Event::Divergence { .. } => println!("set aside"),
            }
        }
    }
    eprintln!("{paths} paths, {:?}, {:?}", explorer.counters(), space.statistics());
    Ok(())
}

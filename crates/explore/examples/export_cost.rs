//! Prints what it costs to write a state down as a region, and what of it the fingerprints of its decisions cost:
//! `export_cost FILE.bc [ARGUMENT...]`. The states are those at the ends of the program's first paths.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use cleave_engine::EngineOptions;
use cleave_explore::{Event, Explorer, Limits, Programs, Space, TERM_MEMORY};
use cleave_region::{Cut, Fingerprints, Region};
use cleave_solver::SolverOptions;

const PATHS: usize = 500;
const TIMES: u32 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next().ok_or("usage: export_cost FILE.bc [ARGUMENT...]")?;
    let program = Arc::new(cleave_program::load(&std::fs::read(&file)?)?);
    let rest: Vec<_> = arguments.collect();
    let env = cleave_linux::env::EnvSpec::parse(&file, &rest).map_err(|e| e.to_string())?;
    let mut space = Programs::new(
        program,
        EngineOptions { env, ..EngineOptions::default() },
        SolverOptions::default(),
        TERM_MEMORY,
    )?;
    let mut explorer = Explorer::new(&mut space, Region::whole(), Limits::default());
    let (mut events, mut ends) = (Vec::new(), Vec::new());
    let start = Instant::now();
    while !explorer.is_done() && ends.len() < PATHS {
        explorer.step(&mut space, 1 << 20, &mut events);
        for event in events.drain(..) {
            if let Event::Path { state, witness, .. } = event {
                ends.push((state, witness));
            }
        }
    }
    let each = |nanos: u128| nanos as f64 / ends.len().max(1) as f64;
    let path = each(start.elapsed().as_nanos());
    let (mut test, mut fingerprints, mut sizes, mut depths) = (0, 0, [0, 0], 0);
    for (state, witness) in &ends {
        let before = Instant::now();
        for _ in 0..TIMES {
            black_box((space.write_down(state, witness), space.digest(state)));
        }
        test += before.elapsed().as_nanos() / u128::from(TIMES);
        let before = Instant::now();
        for _ in 0..TIMES {
            black_box(Fingerprints::of(&space.decisions(state)));
        }
        fingerprints += before.elapsed().as_nanos() / u128::from(TIMES);
        depths += u128::from(space.depth(state));
        let bare = Cut {
            depth: Some(space.depth(state)),
            digest: Some(space.digest(state)),
            ..Cut::before(space.write_down(state, witness))
        };
        let whole = Cut { fingerprints: Fingerprints::of(&space.decisions(state)), ..bare.clone() };
        for (size, cut) in sizes.iter_mut().zip([bare, whole]) {
            *size += postcard::to_stdvec(&Region::subtree(cut))?.len() as u128;
        }
    }
    println!(
        "{} paths of {:.0} decisions, {:.1} us each to explore; to write one down: the test {:.0} ns, the fingerprints {:.0} ns; \
         a region: {:.0} bytes, without fingerprints {:.0}",
        ends.len(),
        each(depths),
        path / 1e3,
        each(test),
        each(fingerprints),
        each(sizes[1]),
        each(sizes[0]),
    );
    Ok(())
}

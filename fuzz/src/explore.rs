//! Runs what was read for a while: a program or a region that is strange must not lead the engine astray.

use std::sync::Arc;
use std::time::Duration;

use cleave_engine::EngineOptions;
use cleave_explore::{Event, Explorer, Limits, Programs, Search, Space, TERM_MEMORY};
use cleave_program::code::Program;
use cleave_region::Region;
use cleave_solver::SolverOptions;

/// Instructions that one input may take.
const BUDGET: u64 = 20_000;

/// How many paths of a region end within the budget, and how; nothing where the program cannot be begun.
pub fn briefly(program: &Arc<Program>, region: Region) -> String {
    let solver = SolverOptions { timeout: Duration::from_millis(50), ..SolverOptions::default() };
    let made = Programs::new(Arc::clone(program), EngineOptions::default(), solver, TERM_MEMORY);
    let Ok(mut space) = made else { return "no space".into() };
    let limits = Limits { max_instructions: Some(BUDGET), ..Limits::default() };
    let strategy = Search::new(&["dfs".into()], 0).expect("a strategy").strategy(space.flow());
    let mut explorer = Explorer::with_strategy(&mut space, region, limits, strategy);
    let (mut events, mut kinds) = (Vec::new(), Vec::new());
    for _ in 0..40 {
        if explorer.is_done() {
            break;
        }
        explorer.step(&mut space, BUDGET / 40, &mut events);
        for event in events.drain(..) {
            if let Event::Path { end, state, witness, .. } = event
                && let Some(record) = space.record(end, &state, &witness)
            {
                kinds.push(record.bug.map_or_else(|| "ended".to_string(), |bug| bug.kind));
            }
        }
    }
    kinds.sort();
    kinds.dedup();
    kinds.join(" ")
}

//! Places where the threads of a program race, for a run that explores their orders. In front of plain accesses no order is
//! explored, which loses nothing while these do not race (docs/decisions/101). So racing places are sought before the run
//! begins, by paths that go on behind races. They become points, behind which others may race, and so on until no more are
//! found. The run keeps the points as it keeps its options: its paths are a function of both. A race elsewhere ends its path,
//! as a bug.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use cleave_engine::{EngineOptions, Family};
use cleave_explore::{Event, Explorer, Limits, Programs, Search, Space, TERM_MEMORY};
use cleave_linux::Schedules;
use cleave_region::Region;
use cleave_solver::SolverOptions;

use crate::failure::Failure;
use crate::process::messages::note;
use crate::programs::loading::Image;
use crate::sessions::saved::Saved;

/// Searches of each round: along one path, and all over the tree.
const SEARCHES: [&str; 2] = ["dfs", "random-path"];
/// Maximum number of paths in a search: a fraction of a second for small programs.
const MOST_PATHS: usize = 400;
/// Instructions between two looks at a search.
const FUEL: u64 = 1 << 12;
/// Maximum number of looks at a search, about 8 million instructions.
const MOST_STEPS: u32 = 1 << 11;
/// Work of the solver and in evaluation, in units of `Space::work`, that a search may take: some seconds.
const MOST_WORK: u64 = 1 << 29;
/// The longest that one question may take. A race behind a question that takes longer is not foreseen, and ends its path.
const LONGEST_QUESTION: Duration = Duration::from_secs(1);
/// Maximum number of instructions of a path; a longer one is left.
const LONGEST: u64 = 1 << 18;
/// Steps that a search still has after it has found a new race.
const STEPS_BEHIND: u32 = 256;
/// Maximum number of rounds, each with more points than the one before it.
const MOST_ROUNDS: u32 = 64;

/// The places that are points; `None` where paths end in their races, or there are none to look for.
///
/// # Errors
/// If the program or its options are not as they should be.
pub fn found(image: &Image, saved: &Saved) -> Result<Option<BTreeSet<u32>>, Failure> {
    if saved.environment()?.schedules == Schedules::Fixed || saved.checks()?.has(Family::Race) {
        return Ok(None);
    }
    let program = Arc::new(image.program()?);
    let usual = saved.engine_options()?;
    let (mut points, mut names) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..MOST_ROUNDS {
        let before = points.len();
        for search in SEARCHES {
            let options = EngineOptions { race_points: Some(points.clone()), ..usual.clone() };
            let solver = SolverOptions { timeout: LONGEST_QUESTION, ..SolverOptions::default() };
            let mut space =
                Programs::new(program.clone(), options, solver, TERM_MEMORY).map_err(Failure::new)?;
            space.seek_races();
            explore(&mut space, search);
            points.extend(space.sought_races());
            names = points.iter().map(|&point| space.name_of_place(point)).collect();
        }
        if points.len() == before {
            break;
        }
    }
    if !names.is_empty() {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        note(format_args!(
            "threads race in {}: the orders of these accesses are explored, too",
            names.join(", ")
        ));
    }
    Ok(Some(points))
}

/// Explores a part of the paths.
fn explore(space: &mut Programs, search: &str) {
    let Ok(search) = Search::new(&[search.into()], 0) else { return };
    let strategy = search.strategy(space.flow());
    let limits = Limits { max_instructions: Some(LONGEST), ..Limits::default() };
    let mut explorer = Explorer::with_strategy(space, Region::whole(), limits, strategy);
    let (mut paths, mut steps, mut events) = (0, MOST_STEPS, Vec::new());
    let mut known = 0;
    while !explorer.is_done() && paths < MOST_PATHS && steps > 0 && space.work() < MOST_WORK {
        explorer.step(space, FUEL, &mut events);
        paths += events.iter().filter(|event| matches!(event, Event::Path { .. })).count();
        events.clear();
        steps -= 1;
        let found = space.sought_races().len();
        if found > known {
            known = found;
            steps = steps.min(STEPS_BEHIND);
        }
    }
}

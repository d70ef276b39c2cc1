//! Under the debugger each test takes the path that the exploration has given it, although variables stay in memory there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cleave_debug::Session;
use cleave_engine::{Engine, EngineOptions};
use cleave_explore::{Event, Explorer, Limits, Programs, Search, Space, TERM_MEMORY};
use cleave_program::code::Program;
use cleave_region::{PathDigest, Region, Test};
use cleave_solver::{Solver, SolverOptions};

/// The programs of the engine's own tests.
fn programs() -> Vec<(PathBuf, String)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests");
    let prelude = std::fs::read_to_string(tests.join("prelude.ll")).unwrap();
    let mut files = Vec::new();
    for folder in ["pass", "fail"] {
        files.extend(std::fs::read_dir(tests.join(folder)).unwrap().map(|e| e.unwrap().path()));
    }
    files.retain(|f| f.extension().is_some_and(|e| e == "ll"));
    files.sort();
    let text = |f: &PathBuf| format!("{prelude}{}", std::fs::read_to_string(f).unwrap());
    files.into_iter().map(|f| (f.clone(), text(&f))).collect()
}

/// The tests of a program's paths, with the digests of their decisions.
fn explored(program: Program) -> Vec<(Test, PathDigest)> {
    let (options, solver) = (EngineOptions::default(), SolverOptions::default());
    let mut space = Programs::new(Arc::new(program), options, solver, TERM_MEMORY).unwrap();
    let strategy = Search::new(&["dfs".into()], 0).unwrap().strategy(space.flow());
    let mut explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
    let (mut paths, mut events) = (Vec::new(), Vec::new());
    while !explorer.is_done() {
        explorer.step(&mut space, 1 << 20, &mut events);
        for event in events.drain(..) {
            let Event::Path { state, witness, .. } = event else { panic!("a region is set aside") };
            paths.push((space.write_down(&state, &witness), space.digest(&state)));
        }
    }
    paths
}

#[test]
fn a_test_takes_the_same_decisions_under_the_debugger() {
    let mut paths = 0;
    for (file, text) in programs() {
        let name = file.display();
        for (test, digest) in explored(cleave_program::load(text.as_bytes()).unwrap()) {
            let program =
                cleave_program::load_debuggable(text.as_bytes(), false, Default::default()).unwrap();
            let solver = Solver::new(SolverOptions::default()).unwrap();
            let engine = Engine::new(program.program.clone(), EngineOptions::default(), solver);
            let mut session = Session::new(program, engine, &test, Box::new(|_, _| Ok(())));
            let (found, end) = session.foretold().unwrap_or_else(|| panic!("{name}: no end"));
            assert_eq!(found, digest, "{name}: {test}: {end}");
            session.symbols(true).unwrap_or_else(|e| panic!("{name}: {e}"));
            paths += 1;
        }
    }
    assert!(paths > 140, "{paths}");
}

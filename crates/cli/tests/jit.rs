//! Compiled code: programs have the same paths with it and without, with the same ends, counts of instructions and marks of coverage,
//! where everything is compiled at once and where functions are compiled while they run.
//!
//! CLEAVE_JIT_PROGRAMS says which part of the programs is judged: one in so many. Usual are 24; 9 take three minutes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cleave_engine::EngineOptions;
use cleave_explore::{Event, Explorer, Limits, Programs, TERM_MEMORY};
use cleave_linux::env::EnvSpec;
use cleave_program::code::Program;
use cleave_region::Region;
use cleave_solver::SolverOptions;

/// Instructions between two looks at what was found.
const FUEL: u64 = 1 << 20;
/// Paths of a program that are compared.
const MOST_PATHS: usize = 200;
/// Instructions after which a program is left.
const MOST_INSTRUCTIONS: u64 = 40_000_000;

/// All that is to be the same: of each path everything but its test, and the marks that it shows; and the count of instructions.
fn explored(
    program: &Arc<Program>,
    arguments: &[OsString],
    compile_after: Option<u32>,
) -> (Vec<String>, u64) {
    let env = EnvSpec::parse(OsStr::new("program"), arguments).unwrap();
    let options = EngineOptions { env, compile_after, ..EngineOptions::default() };
    let mut space = Programs::new(program.clone(), options, SolverOptions::default(), TERM_MEMORY).unwrap();
    let mut explorer = Explorer::new(&mut space, Region::whole(), Limits::default());
    let (mut events, mut found) = (Vec::new(), Vec::new());
    while !explorer.is_done()
        && found.len() < MOST_PATHS
        && space.statistics()["instructions"] < MOST_INSTRUCTIONS
    {
        explorer.step(&mut space, FUEL, &mut events);
        for event in events.drain(..) {
            let Event::Path { end, state, witness, .. } = event else { continue };
            let Some(record) = space.record(end, &state, &witness) else { continue };
            let news = space.news(&state, &record.test);
            space.show(&news);
            found.push(format!("{:?} {news:?}", record.with_test(|_| ())));
        }
    }
    (found, space.statistics()["instructions"])
}

fn sources() -> Vec<PathBuf> {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    let part: usize = std::env::var("CLEAVE_JIT_PROGRAMS").map_or(24, |v| v.parse().unwrap());
    let mut files: Vec<PathBuf> = ["oracles", "answers", "bugs", "features", "floats", "sanitizers"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(programs.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let files: Vec<PathBuf> = files.into_iter().step_by(part).collect();
    assert!(files.len() > 100 / part, "few programs: {}", files.len());
    files
}

#[test]
fn compiled_code_changes_no_path() {
    let folder = tempfile::tempdir().unwrap();
    let (mut judged, mut long) = (0, 0);
    for source in sources() {
        let text = String::from_utf8_lossy(&std::fs::read(&source).unwrap()).into_owned();
        let words = |mark: &str| {
            let line = text.lines().find_map(|line| line.trim().strip_prefix(mark));
            line.unwrap_or("").split_whitespace().map(OsString::from).collect::<Vec<_>>()
        };
        let arguments = words("// cleave: args ");
        let defines =
            words("// cleave: expect ").into_iter().filter(|w| w.as_encoded_bytes().starts_with(b"-D"));
        for level in ["-O0", "-O1"] {
            let bitcode = folder.path().join("program.bc");
            let flags: Vec<OsString> =
                [level, "-g", "-w"].map(OsString::from).into_iter().chain(defines.clone()).collect();
            if cleave_toolchain::link_bitcode(std::slice::from_ref(&source), &flags, &bitcode).is_err() {
                continue;
            }
            let program = Arc::new(cleave_program::load(&std::fs::read(&bitcode).unwrap()).unwrap());
            let plain = explored(&program, &arguments, None);
            for after in [0, 3] {
                let compiled = explored(&program, &arguments, Some(after));
                assert_eq!(plain, compiled, "{} {level}, compiled after {after}", source.display());
            }
            judged += 1;
            long += u64::from(plain.1 > 100_000);
        }
    }
    assert!(judged > 10 && long > 0, "{judged} programs, {long} with loops that run often");
}

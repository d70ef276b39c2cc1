//! Compiled code: programs have the same paths with it and without, with the same ends, counts of instructions and marks of coverage,
//! where everything is compiled at once and where functions are compiled while they run. The programs in jit_programs/ have
//! floating-point numbers, copies, calls that end in the middle, and interpreters.
//!
//! CLEAVE_JIT_PROGRAMS says which part of the programs is judged: one in so many. Usual are 24; 9 take three minutes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cleave_engine::EngineOptions;
use cleave_explore::{Event, Explorer, Limits, Programs, Search, Space, TERM_MEMORY};
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

/// A program that is always judged: its loops run often.
const LONG: &str = "features/world_files.c";

/// All that is to be the same: of each path everything but its test, and the marks that it shows; where visits are counted the places in
/// the order of their first visits, with their counts, and the number of marks of accesses; and the count of instructions.
fn explored(
    program: &Arc<Program>,
    arguments: &[OsString],
    compile_after: Option<u32>,
    search: &str,
) -> (Vec<String>, u64) {
    let env = EnvSpec::parse(OsStr::new("program"), arguments).unwrap();
    let options = EngineOptions { env, compile_after, ..EngineOptions::default() };
    let mut space = Programs::new(program.clone(), options, SolverOptions::default(), TERM_MEMORY).unwrap();
    let strategy = Search::new(&[search.into()], 0).unwrap().strategy(space.flow());
    let counts = strategy.uses_coverage();
    if counts {
        space.count_visits();
        space.mark_accesses();
    }
    let (whole, limits) = (Region::whole(), Limits::default());
    let mut explorer = Explorer::with_strategy(&mut space, whole, limits, strategy);
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
    if counts {
        let places = space.covered(0);
        assert!(places.len() > 10 && space.access_marks() > 0, "{} places", places.len());
        let visits: Vec<u64> = places.iter().map(|&place| space.visits(place)).collect();
        found.push(format!("{places:?} {visits:?} {}", space.access_marks()));
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
    let mut files: Vec<PathBuf> = files.into_iter().step_by(part).collect();
    assert!(files.len() > 100 / part, "few programs: {}", files.len());
    let long = programs.join(LONG);
    if !files.contains(&long) {
        files.push(long);
    }
    files
}

/// A program at a level of optimisation; `None` if it is not built.
fn built(source: &Path, flags: &[OsString], folder: &Path) -> Option<Arc<Program>> {
    let bitcode = folder.join("program.bc");
    cleave_toolchain::link_bitcode(&[source.to_path_buf()], flags, &bitcode).ok()?;
    Some(Arc::new(cleave_program::load(&std::fs::read(&bitcode).unwrap()).unwrap()))
}

/// Compares a program with compiled code and without. Returns what was found without.
fn judged(program: &Arc<Program>, arguments: &[OsString], name: &str) -> (Vec<String>, u64) {
    // One that counts nothing, and one that counts visits.
    let [plain, _] = ["dfs", "covnew"].map(|search| {
        let plain = explored(program, arguments, None, search);
        for after in [0, 3] {
            let compiled = explored(program, arguments, Some(after), search);
            assert!(
                plain == compiled,
                "{name}, {search}, compiled after {after}: {}",
                difference(&plain, &compiled)
            );
        }
        plain
    });
    plain
}

/// The first that differs, up to some characters behind the difference.
fn difference(plain: &(Vec<String>, u64), compiled: &(Vec<String>, u64)) -> String {
    let first = plain.0.iter().zip(&compiled.0).find(|(a, b)| a != b);
    let Some((a, b)) = first else {
        return format!("{} {}, {} {}", plain.0.len(), plain.1, compiled.0.len(), compiled.1);
    };
    let at = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(100);
    let part = |text: &str| text.chars().skip(at).take(400).collect::<String>();
    format!("{}\n{}", part(a), part(b))
}

#[test]
fn compiled_code_changes_no_path() {
    let folder = tempfile::tempdir().unwrap();
    let (mut programs, mut long) = (0, 0);
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
            let flags: Vec<OsString> =
                [level, "-g", "-w"].map(OsString::from).into_iter().chain(defines.clone()).collect();
            let Some(program) = built(&source, &flags, folder.path()) else { continue };
            let plain = judged(&program, &arguments, &format!("{} {level}", source.display()));
            programs += 1;
            long += u64::from(plain.1 > 100_000);
        }
    }
    assert!(programs > 10 && long > 0, "{programs} programs, {long} with loops that run often");
}

/// Registers that the engine has written in front of a call are not those of the function that is called.
#[test]
fn a_call_begins_with_registers_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jit_programs/printed_choice.c");
    let flags = ["-O0", "-g", "-w"].map(OsString::from);
    let program = built(&source, &flags, folder.path()).unwrap();
    let (found, _) = judged(&program, &[], "printed_choice.c");
    assert!(found.len() >= 4, "{found:?}");
}

/// Programs of jit_programs/, each of which shows the hash of what it has computed as the offset of a bug, and has other bugs, too.
#[test]
fn compiled_code_computes_what_the_loop_computes() {
    let folder = tempfile::tempdir().unwrap();
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jit_programs");
    for (name, paths, bugs) in [
        ("floats", 1, &["at offset"][..]),
        ("copies", 3, &["at offset", "never written", "overlap"]),
        ("calls", 3, &["jit_programs/", "the stack of 8 MiB is full", "which has returned"]),
        ("interpreter", 1, &["jit_programs/"]),
    ] {
        for level in ["-O0", "-O1"] {
            let flags = [level, "-g", "-w"].map(OsString::from);
            let program = built(&programs.join(name).with_extension("c"), &flags, folder.path()).unwrap();
            let (found, _) = judged(&program, &[], &format!("{name} {level}"));
            assert!(found.len() >= paths, "{name} {level}: {found:#?}");
            for bug in bugs {
                assert!(found.iter().any(|path| path.contains(bug)), "{name} {level}: {bug}: {found:#?}");
            }
        }
    }
}

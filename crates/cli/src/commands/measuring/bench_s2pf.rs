//! `cleave bench s2pf`: Table 1 of S2PF (Zhang, Chen and Wang 2012), for our versions of its programs.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use cleave_explore::{
    Asking, Backtrack, Event, Explorer, Feasibility, Limits, Programs, Search, Space, TERM_MEMORY,
};
use cleave_program::code::Program;
use cleave_region::{PathDigest, Region};
use cleave_solver::SolverOptions;

use crate::failure::Failure;
use crate::options::feasibility::{Profile, SavedAsking};
use crate::process::output::Output;
use crate::process::processor::processor_time;
use crate::programs::loading::{self, How};
use crate::sessions::saved::Saved;
use clap::Args;
use std::path::PathBuf;

/// Options of `cleave bench s2pf`.
#[derive(Clone, Debug, Args)]
pub struct S2pfOptions {
    /// Shorter sequences, and every depth of speculation. Default is the paper's lengths
    #[arg(long)]
    pub quick: bool,
    /// Every depth of speculation. Default is some of them, as those of B and C take hours at the paper's lengths
    #[arg(long)]
    pub every_depth: bool,
    /// Folder of the programs. Default is programs/s2pf
    #[arg(long, value_name = "DIR", default_value = "programs/s2pf", hide_default_value = true)]
    pub programs: PathBuf,
    /// Programs by name. Default is all
    #[arg(value_name = "PROGRAM")]
    pub only: Vec<String>,
}

/// Instructions a step.
const FUEL: u64 = 100_000;

/// A row of the paper's table: depth; sat, unsat and all questions; seconds.
type Row = (u32, [u32; 3], f64);

/// A program, and the paper's rows for modes A to D.
struct Subject {
    name: &'static str,
    /// Its size in the paper, and in the quick version.
    n: [u32; 2],
    paper: [Row; 4],
}

/// The paper's Table 1.
#[rustfmt::skip]
const SUBJECTS: [Subject; 6] = [
    Subject { name: "wbs", n: [3, 2], paper: [(0, [27646, 0, 27646], 62.0), (10, [14174, 0, 14174], 37.3), (10, [14174, 0, 14174], 35.0), (10, [14174, 0, 14174], 35.0)] },
    Subject { name: "treemap", n: [5, 4], paper: [(0, [27005, 17261, 44266], 75.0), (2, [11527, 23561, 35088], 61.0), (2, [11527, 23561, 35088], 57.0), (7, [10380, 17262, 27642], 52.0)] },
    Subject { name: "bintree", n: [5, 4], paper: [(0, [22381, 15589, 37970], 73.0), (2, [9191, 20086, 29277], 57.7), (2, [9191, 20086, 29277], 54.0), (9, [7809, 15629, 23438], 50.0)] },
    Subject { name: "binheap", n: [6, 4], paper: [(0, [164116, 23576, 187692], 380.0), (10, [96600, 38202, 134802], 300.0), (10, [96600, 38202, 134802], 272.0), (10, [95756, 23576, 119332], 262.0)] },
    Subject { name: "fibheap", n: [6, 4], paper: [(0, [58014, 9142, 67156], 137.0), (2, [37694, 11906, 49600], 113.0), (2, [37694, 11906, 49600], 105.0), (10, [33456, 9142, 42598], 92.0)] },
    Subject { name: "list", n: [6, 4], paper: [(0, [128076, 94380, 222456], 502.0), (2, [33488, 116635, 150123], 325.0), (2, [33488, 116635, 150123], 310.0), (7, [30112, 94380, 124492], 298.0)] },
];

/// Measurements of one exploration.
#[derive(Clone)]
struct Measured {
    sat: u64,
    unsat: u64,
    all: u64,
    /// Questions that came to a SAT or SMT solver.
    calls: u64,
    seconds: f64,
    depth: u32,
    paths: Vec<PathDigest>,
}

/// Explores a program once, on one worker.
fn measure(
    program: &Arc<Program>,
    saved: &Saved,
    asking: Asking,
    solver: SolverOptions,
    search: &str,
) -> Result<Measured, Failure> {
    let engine = saved.engine_options()?;
    let mut space = Programs::new(program.clone(), engine, solver, TERM_MEMORY).map_err(Failure::new)?;
    let strategy = Search::new(&[search.to_string()], 0).map_err(Failure::new)?.strategy(None);
    let start = processor_time();
    let mut explorer =
        Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy).asking(asking);
    let (mut events, mut paths, mut depth) = (Vec::new(), Vec::new(), 0);
    while !explorer.is_done() {
        explorer.step(&mut space, FUEL, &mut events);
        for event in events.drain(..) {
            let Event::Path { state, .. } = event else {
                return Err(Failure::new(
                    "the solver gave up on a question; run the bench on a quieter machine",
                ));
            };
            depth = depth.max(state.depth());
            paths.push(space.digest(&state));
        }
    }
    let seconds = processor_time().saturating_sub(start).as_secs_f64();
    if let Some(error) = space.take_error() {
        return Err(Failure::new(error));
    }
    paths.sort();
    let asked = explorer.counters();
    let calls = space.statistics().get("smt_calls").copied().unwrap_or(0);
    Ok(Measured {
        sat: asked.feasible,
        unsat: asked.infeasible,
        all: asked.questions,
        calls,
        seconds,
        depth,
        paths,
    })
}

/// Feasibility policy, solver options and search of a profile at a depth of speculation.
fn profiled(profile: Profile, depth: u32) -> (Asking, SolverOptions, &'static str) {
    let saved = SavedAsking::of(profile, depth);
    let mut solver = SolverOptions::default();
    saved.restrict(&mut solver);
    let deepest = matches!(profile, Profile::S2pfC | Profile::S2pfD);
    (saved.asking(!deepest), solver, if deepest { "deepest" } else { "dfs" })
}

/// The table of one program, line by line.
struct Table<'a> {
    out: &'a mut Output,
    a: Measured,
    wrong: Vec<String>,
}

impl Table<'_> {
    fn row(&mut self, mode: &str, m: &Measured, paper: Option<&(Row, Row)>) -> Result<(), Failure> {
        let saved = |part: f64, whole: f64| format!("{:.1}%", 100.0 * (1.0 - part / whole));
        let ours = format!("{}/{}/{}", m.sat, m.unsat, m.all);
        let savings = saved(m.all as f64, self.a.all as f64);
        let time = saved(m.seconds, self.a.seconds.max(1e-9));
        let theirs = paper.map_or_else(String::new, |((depth, [sat, unsat, all], seconds), a)| {
            let (savings, time) = (saved(f64::from(*all), f64::from(a.1[2])), saved(*seconds, a.2));
            format!("  | ({depth}) {sat}/{unsat}/{all} ({savings}) {seconds} s ({time})")
        });
        self.out.line(format_args!(
            "  {mode:<22} {ours:<22} {savings:>7}  {:>8.2} s {time:>7}  {:>7}{theirs}",
            m.seconds, m.calls
        ))?;
        self.out.flush()?;
        if m.paths != self.a.paths {
            self.wrong.push(format!("{mode} found other paths than mode A"));
        }
        if m.all > self.a.all {
            self.wrong.push(format!("{mode} asked more questions than mode A"));
        }
        Ok(())
    }
}

/// Depths of speculation up to that of the program: all of them, or fewer. Binary search costs long runs.
fn depths(most: u32, all: bool, profile: Profile) -> Vec<u32> {
    let halving = profile != Profile::S2pfD;
    let mut depths: Vec<u32> = Vec::new();
    let mut depth = 2;
    while depth < most && (all || !halving || depth <= 4) {
        depths.push(depth);
        depth += match (all, halving) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => (depth / 2).max(1),
        };
    }
    depths.push(most.max(2));
    depths
}

fn subject(options: &S2pfOptions, subject: &Subject, out: &mut Output) -> Result<Vec<String>, Failure> {
    let n = subject.n[usize::from(options.quick)];
    let source = options.programs.join(format!("{}.c", subject.name));
    if !source.is_file() {
        return Err(Failure::new(format!(
            "there is no {}; run this in the source folder of Cleave, or say with --programs where its programs/s2pf is",
            source.display()
        )));
    }
    let program = Arc::new(compiled(&source, n)?);
    let saved = Saved::new(&source, &[]);
    let of = |profile, depth| {
        let (asking, solver, search) = profiled(profile, depth);
        measure(&program, &saved, asking, solver, search)
    };
    let a = of(Profile::S2pfA, u32::MAX)?;
    let most = a.depth;
    out.line(format_args!(
        "{} ({n}): {} paths, {most} decisions on the longest",
        subject.name,
        a.paths.len()
    ))?;
    let mut table = Table { out, a: a.clone(), wrong: Vec::new() };
    let paper = |i: usize| (!options.quick).then_some((subject.paper[i], subject.paper[0]));
    table.row("A", &a, paper(0).as_ref())?;
    let mut counts: Vec<(char, Vec<(u32, u64)>)> = Vec::new();
    for (i, (name, profile)) in
        [('B', Profile::S2pfB), ('C', Profile::S2pfC), ('D', Profile::S2pfD)].into_iter().enumerate()
    {
        let mut best: Option<(u32, Measured)> = None;
        let mut by_depth = Vec::new();
        let mut last = None;
        for depth in depths(most, options.quick || options.every_depth, profile) {
            let m = of(profile, depth)?;
            if m.paths != a.paths || m.all > a.all {
                table.wrong.push(format!("{name}({depth}) has other paths, or more questions, than mode A"));
            }
            if 2 * m.all <= a.all {
                table.wrong.push(format!("{name}({depth}) is below the bound of the paper's proposition 1"));
            }
            by_depth.push((depth, m.all));
            if best.as_ref().is_none_or(|(_, b)| m.all < b.all) {
                best = Some((depth, m.clone()));
            }
            last = Some((depth, m));
        }
        if let Some((depth, m)) = &best {
            table.row(&format!("{name}({depth}), its best"), m, paper(i + 1).as_ref())?;
        }
        if let (Some((depth, m)), Some((of_best, _))) = (&last, &best)
            && depth != of_best
        {
            table.row(&format!("{name}({depth})"), m, None)?;
        }
        counts.push((name, by_depth));
    }
    for (mode, feasibility) in [("ours, eager", Feasibility::Eager), ("ours, lazy", Feasibility::Lazy)] {
        let m = measure(&program, &saved, Asking::new(feasibility), SolverOptions::default(), "dfs")?;
        table.row(mode, &m, None)?;
    }
    let ahead = Feasibility::Speculative { depth: u32::MAX, backtrack: Backtrack::Core };
    let m = measure(&program, &saved, Asking::new(ahead), SolverOptions::default(), "dfs")?;
    table.row("ours, speculative", &m, None)?;
    for (name, by_depth) in &counts {
        let list: Vec<String> = by_depth.iter().map(|(depth, all)| format!("{depth}: {all}")).collect();
        table.out.line(format_args!("  {name} by depth  {}", list.join(", ")))?;
    }
    let mut wrong = table.wrong;
    if counts[0].1 != counts[1].1 {
        wrong.push("B and C differ".into());
    }
    if counts[2].1.windows(2).any(|pair| pair[1].1 > pair[0].1) {
        wrong.push("a greater depth costs more in D".into());
    }
    Ok(wrong.into_iter().map(|w| format!("{}: {w}", subject.name)).collect())
}

fn compiled(source: &Path, n: u32) -> Result<Program, Failure> {
    let folder =
        tempfile::tempdir().map_err(|e| Failure::new(format!("cannot make a temporary folder: {e}")))?;
    let output = folder.path().join("program.bc");
    let flags = ["-O0".into(), "-g".into(), format!("-DN={n}").into()];
    cleave_toolchain::link_bitcode(&[source.to_path_buf()], &flags, &output)?;
    let bytes =
        std::fs::read(&output).map_err(|e| Failure::new(format!("cannot read {}: {e}", output.display())))?;
    loading::load(source, &bytes, How::default())?.program()
}

/// `cleave bench s2pf`.
pub fn s2pf(options: &S2pfOptions) -> Result<ExitCode, Failure> {
    if let Some(name) = options.only.iter().find(|only| SUBJECTS.iter().all(|s| s.name != **only)) {
        let all: Vec<&str> = SUBJECTS.iter().map(|s| s.name).collect();
        return Err(Failure::new(format!("there is no program `{name}`; there are {}", all.join(", "))));
    }
    let mut out = Output::new();
    out.line(
        "Questions (sat/unsat/all) and processor time, with what is saved of mode A's; calls of a solver; | what the paper has.",
    )?;
    let mut wrong = Vec::new();
    for one in SUBJECTS.iter().filter(|s| options.only.is_empty() || options.only.iter().any(|o| o == s.name))
    {
        wrong.extend(subject(options, one, &mut out)?);
        out.flush()?;
    }
    for line in &wrong {
        out.line(format_args!("NOT AS EXPECTED: {line}"))?;
    }
    out.end()?;
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

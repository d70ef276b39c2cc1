//! A session of a run: what workers are told, what is written as paths come in, and what is said at the end.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use cleave_campaign::{
    Campaign, Exploration, Exploring, Pace, Processes, RealClock, RecordedPath, Sink, Snapshot, StopReason,
    Transport, serve_stdio,
};
use cleave_engine::{Checks, EngineOptions, Family};
use cleave_explore::{Concrete, ITEM_ORDERS, Limits, Programs, Search, TERM_MEMORY};
use cleave_linux::env::EnvSpec;
use cleave_program::code::Program;
use cleave_region::{BugKind, BugRecord, PathKind, SUPPRESSED_BY, Test};
use cleave_report::{ErrorReport, Frame, KTest, RunFiles};
use cleave_solver::{LayerName, SolverOptions, Tiers};
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::asking::SavedAsking;
use crate::closing::say;
use crate::cluster::Cluster;
use crate::diverged::{self, DIVERGED};
use crate::interrupt::Interrupt;
use crate::mode::ModeOptions;
use crate::options::ExplorationOptions;
use crate::output::note;
use crate::own;
use crate::progress::Progress;
use crate::seeds;
use crate::started::started;
use crate::summary;
use crate::suppressions;
use crate::writers::Writers;

/// The file with the program's register code, in the run directory.
pub const IMAGE: &str = "program.image";

/// What was set aside and is tried again by `cleave resume`: with other limits, or a program that was restored.
const RETRIED: [&str; 4] = ["unknown", "cut", "crashed", DIVERGED];

/// What a run keeps of its options, to go on later.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The program as it was named.
    pub program: String,
    /// The command line of the program, its name first, symbolic options among the rest. As text where it is
    /// text, so that people can read it.
    #[serde(with = "texts")]
    pub arguments: Vec<Vec<u8>>,
    /// Where it begins, if not with `main`.
    #[serde(default)]
    pub entry: Option<cleave_program::Entry>,
    /// Whether each failing path gets an error file.
    pub all_errors: bool,
    /// Whether tests are written as files.
    pub write_tests: bool,
    /// When the solver is asked.
    #[serde(default)]
    pub asking: SavedAsking,
    /// How its paths are explored.
    #[serde(default)]
    pub how: ModeOptions,
    /// The families of checks that are on, in the words of `--check`; see [`Checks`].
    #[serde(default)]
    pub checks: String,
    /// How many allocations may fail on a path.
    #[serde(default)]
    pub fail_malloc: u32,
    /// How many functions may be running at once, if the stack is not to be the limit.
    #[serde(default)]
    pub max_stack_frames: Option<u32>,
    /// What is excused: those of the user first, then those that ship with Cleave.
    #[serde(default)]
    pub suppressions: Vec<String>,
}

/// Byte strings as JSON: text, or numbers where they are not UTF-8.
mod texts {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Argument {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub fn serialize<S: Serializer>(all: &[Vec<u8>], out: S) -> Result<S::Ok, S::Error> {
        let argument = |a: &Vec<u8>| match String::from_utf8(a.clone()) {
            Ok(text) => Argument::Text(text),
            Err(_) => Argument::Bytes(a.clone()),
        };
        out.collect_seq(all.iter().map(argument))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Vec<u8>>, D::Error> {
        let all = Vec::<Argument>::deserialize(input)?;
        let bytes = |a| match a {
            Argument::Text(text) => text.into_bytes(),
            Argument::Bytes(bytes) => bytes,
        };
        Ok(all.into_iter().map(bytes).collect())
    }
}

impl Saved {
    /// The environment of the program.
    pub fn environment(&self) -> Result<EnvSpec, Failure> {
        let mut arguments: Vec<OsString> = self.arguments.iter().cloned().map(OsString::from_vec).collect();
        if arguments.is_empty() {
            return Err(Failure::new(
                "the run directory does not say how the program was started; start a new run",
            ));
        }
        let rest = arguments.split_off(1);
        EnvSpec::parse(&arguments[0], &rest).map_err(Failure::usage)
    }

    /// What is looked for.
    pub fn checks(&self) -> Result<Checks, Failure> {
        self.checks.parse().map_err(Failure::usage)
    }

    /// Whether the program is loaded so that accesses to members of structures are checked.
    pub fn members(&self) -> Result<bool, Failure> {
        Ok(self.checks()?.has(Family::Subobject))
    }

    /// What the engine needs to know.
    pub fn engine_options(&self) -> Result<EngineOptions, Failure> {
        let (env, checks) = (self.environment()?, self.checks()?);
        let suppressions = suppressions::parsed(&self.suppressions)?;
        let Saved { fail_malloc, max_stack_frames, .. } = *self;
        Ok(EngineOptions { env, checks, suppressions, fail_malloc, max_stack_frames })
    }

    /// Of a program and its arguments; its own name is that of its file.
    pub fn new(program: &Path, arguments: &[OsString], all_errors: bool, write_tests: bool) -> Saved {
        let name = program.file_name().unwrap_or(program.as_os_str());
        let all = std::iter::once(name).chain(arguments.iter().map(OsString::as_os_str));
        let arguments = all.map(|a| a.as_bytes().to_vec()).collect();
        let program = std::path::absolute(program).unwrap_or_else(|_| program.to_path_buf());
        let (program, asking, how) =
            (program.display().to_string(), SavedAsking::default(), ModeOptions::default());
        Saved {
            program,
            arguments,
            entry: None,
            all_errors,
            write_tests,
            asking,
            how,
            checks: String::new(),
            fail_malloc: 0,
            max_stack_frames: None,
            suppressions: suppressions::shipped(),
        }
    }
}

/// What a worker is told.
#[derive(Serialize, Deserialize)]
struct Setup {
    image: PathBuf,
    saved: Saved,
    asking: SavedAsking,
    max_depth: Option<u32>,
    max_path_instructions: Option<u64>,
    /// What concrete runs begin with.
    seeds: Vec<seeds::Objects>,
    /// Bytes that states and conditions may take.
    memory: u64,
    solver_timeout_ms: u64,
    disabled_layers: Vec<String>,
    /// Names of the solvers; `None` for the usual ones.
    solver: Option<String>,
    cross_check: bool,
    self_check: bool,
}

/// How a worker searches: what its set-up begins with, as workers may differ in it.
#[derive(Serialize, Deserialize)]
struct Searching {
    names: Vec<String>,
    seed: u64,
    /// By concrete runs, in this of the [`ITEM_ORDERS`] and with this bound.
    concolic: Option<(usize, Option<u32>)>,
}

/// What the workers' set-ups begin with: one for all, or one for each in turn.
fn searches(
    options: &ExplorationOptions,
    how: &ModeOptions,
    asking: SavedAsking,
) -> Result<Vec<Vec<u8>>, Failure> {
    // Modes that a run has kept were dealt.
    let deal = options.deal || (options.how.mode.is_empty() && how.count() > 1);
    how.check(deal)?;
    let all = if options.search.is_empty() { asking.search() } else { options.search.clone() };
    let search = |i: usize| {
        let names = if deal { all.iter().cycle().skip(i).take(1).cloned().collect() } else { all.clone() };
        let seed = options.random_seed.wrapping_add(i as u64);
        let order = |c: Concrete| ITEM_ORDERS.iter().position(|(_, o)| *o == c.order);
        let concolic = how.of_worker(i).and_then(|c| Some((order(c)?, c.bound)));
        let mut bytes = serde_json::to_vec(&Searching { names, seed, concolic }).map_err(Failure::new)?;
        bytes.push(END_OF_SETUP);
        Ok(bytes)
    };
    // Each combination of the two lists, whatever their lengths.
    let workers = if deal { all.len().max(1) * how.count() } else { 1 };
    (0..workers).map(search).collect()
}

/// The options of the solver.
fn solver_options(setup: &Setup) -> Result<SolverOptions, String> {
    let layers: Result<BTreeSet<LayerName>, _> =
        setup.disabled_layers.iter().map(|name| name.parse::<LayerName>()).collect();
    let tiers = setup.solver.as_deref().map(str::parse::<Tiers>).transpose().map_err(|e| e.to_string())?;
    let mut options = SolverOptions {
        timeout: Duration::from_millis(setup.solver_timeout_ms),
        disabled: layers.map_err(|e| e.to_string())?,
        tiers: tiers.unwrap_or_default(),
        cross_check: setup.cross_check,
        self_check: setup.self_check,
        ..SolverOptions::default()
    };
    setup.asking.restrict(&mut options);
    Ok(options)
}

fn space(setup: &Setup, program: Program, little_is_lost: bool) -> Result<Programs, String> {
    let solver = solver_options(setup)?;
    // Conditions are forgotten before they take more than half; depth-first and between concrete runs sooner, as
    // little is lost with them.
    let most = if little_is_lost { TERM_MEMORY as u64 } else { u64::MAX };
    let terms = usize::try_from((setup.memory / 2).min(most)).unwrap_or(usize::MAX);
    let engine = setup.saved.engine_options().map_err(|e| e.sentence().to_string())?;
    Programs::new(Arc::new(program), engine, solver, terms).map_err(|e| e.to_string())
}

/// Stands behind the search and, for workers of other machines, between the setup and the program's image; the
/// search and the setup are JSON.
const END_OF_SETUP: u8 = 0;

fn read_image(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path)
        .map_err(|e| format!("cannot read {}: {e}; was the run directory moved?", path.display()))
}

fn make(bytes: &[u8]) -> Result<Box<dyn Exploration>, String> {
    let damaged = |e| format!("the coordinator's setup is damaged: {e}");
    let end = bytes.iter().position(|byte| *byte == END_OF_SETUP).unwrap_or(bytes.len());
    let (search, bytes) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let search: Searching = serde_json::from_slice(search).map_err(damaged)?;
    let concrete = |(i, bound): (usize, _)| Some(Concrete { order: ITEM_ORDERS.get(i)?.1, bound });
    let concolic = search.concolic.and_then(concrete);
    let search = Search::new(&search.names, search.seed).map_err(|e| e.to_string())?;
    let (setup, carried) = match bytes.iter().position(|byte| *byte == END_OF_SETUP) {
        Some(end) => (&bytes[..end], Some(&bytes[end + 1..])),
        None => (bytes, None),
    };
    let setup: Setup = serde_json::from_slice(setup).map_err(damaged)?;
    let image = carried.map_or_else(|| read_image(&setup.image).map(Cow::Owned), |image| Ok(image.into()))?;
    let program = Program::from_bytes(&image).map_err(|e| e.to_string())?;
    let little_is_lost = concolic.is_some() || search.strategy(None).in_order();
    let space = space(&setup, program, little_is_lost)?;
    let limits = Limits {
        max_depth: setup.max_depth,
        max_instructions: setup.max_path_instructions,
        ..Limits::default()
    };
    let exploring = Exploring::new(space, limits).within(setup.memory, crate::allocator::held);
    let asking = setup.asking.asking(search.strategy(None).in_order());
    let mut exploring = exploring.searching(search).asking(asking);
    if let Some(how) = concolic {
        let seed = |objects| from_ktest(&KTest { objects, ..KTest::default() });
        exploring = exploring.concolic(how).seeded(setup.seeds.into_iter().map(seed).collect());
    }
    Ok(Box::new(exploring.self_checking(setup.self_check)))
}

/// `cleave worker`.
pub fn worker() -> Result<ExitCode, Failure> {
    serve_stdio(&make, Pace::default());
    Ok(ExitCode::SUCCESS)
}

/// A space to follow tests in, with an open solver.
pub fn space_of(program: Program, saved: &Saved) -> Result<Programs, Failure> {
    space_with(program, saved, TERM_MEMORY)
}

/// As [`space_of`], with so many bytes for conditions.
pub fn space_with(program: Program, saved: &Saved, terms: usize) -> Result<Programs, Failure> {
    let options = SolverOptions::default();
    Programs::new(Arc::new(program), saved.engine_options()?, options, terms).map_err(Failure::new)
}

/// A test as a .ktest file has it.
pub fn to_ktest(saved: &Saved, test: &Test) -> KTest {
    KTest {
        args: saved.arguments.clone(),
        sym_argvs: 0,
        sym_argv_len: 0,
        objects: test.objects.iter().map(|o| (o.name.clone(), o.bytes.clone())).collect(),
    }
}

/// A .ktest file's test.
pub fn from_ktest(ktest: &KTest) -> Test {
    let object = |(name, bytes): &(String, Vec<u8>)| cleave_region::Object {
        name: name.clone(),
        bytes: bytes.clone(),
    };
    Test { objects: ktest.objects.iter().map(object).collect() }
}

/// The report's kind of a recorded bug.
pub fn error_kind(bug: &BugRecord) -> BugKind {
    BugKind::from_name(&bug.kind).unwrap_or(BugKind::Reported)
}

fn error_report(bug: &BugRecord) -> ErrorReport {
    let frame = |f: &cleave_region::FrameRecord| Frame {
        function: f.function.clone(),
        file: (!f.file.is_empty()).then(|| f.file.clone()),
        line: f.line,
    };
    ErrorReport {
        kind: error_kind(bug),
        message: bug.message.clone(),
        stack: bug.trace.iter().map(frame).collect(),
        at: bug.trace.iter().position(|f| format!("{}:{}", f.file, f.line) == bug.place).unwrap_or(0),
        info: Vec::new(),
    }
}

/// Writes files as paths come in, and shows where the run stands.
struct Files<'a> {
    saved: &'a Saved,
    files: RunFiles,
    writers: Writers,
    progress: Progress,
    /// Where the run stood when it was last shown.
    last: Snapshot,
}

impl Files<'_> {
    fn write(&mut self, id: u64, test: &Test, bug: Option<&BugRecord>, first: bool) -> Result<(), String> {
        if self.saved.write_tests {
            self.writers.write(id, to_ktest(self.saved, test))?;
        }
        if let Some(bug) = bug.filter(|bug| !bug.kind.starts_with(SUPPRESSED_BY))
            && (first || self.saved.all_errors)
        {
            let report = error_report(bug);
            self.files.write_error(id, &self.saved.program, &report).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Files that a session before this one could not write, or not to their end.
    fn complete(&mut self, campaign: &Campaign) -> Result<(), Failure> {
        campaign.store().each_path::<Failure>(0, |path| {
            if path.record.kind == PathKind::AssumedAway {
                return Ok(());
            }
            let test = &path.record.test;
            let whole = !self.saved.write_tests || self.files.has_test(path.id, &to_ktest(self.saved, test));
            // Reports are few: they are written anew.
            let bug = path.record.bug.as_ref();
            if whole && bug.is_none() {
                return Ok(());
            }
            while self.writers.is_full() {
                std::thread::sleep(Duration::from_millis(1));
            }
            self.write(path.id, test, bug, path.first_of_bug).map_err(Failure::new)
        })
    }

    /// Waits until all is written.
    fn finish(&mut self) -> Result<(), String> {
        let (progress, now) = (&mut self.progress, Snapshot { stopping: true, busy: 0, ..self.last });
        let written = self.writers.finish(&mut |waiting| progress.show(&now, waiting));
        self.progress.clear();
        written
    }
}

impl Sink for Files<'_> {
    fn paths(&mut self, paths: &[RecordedPath<'_>]) -> Result<(), String> {
        for p in paths.iter().filter(|p| p.record.kind != PathKind::AssumedAway) {
            self.write(p.id, &p.record.test, p.record.bug.as_ref(), p.new_bug)?;
        }
        self.writers.flush()
    }

    fn is_full(&mut self) -> bool {
        self.writers.is_full()
    }

    fn behind(&self) -> Duration {
        self.writers.behind()
    }

    fn progress(&mut self, now: &Snapshot) {
        self.last = *now;
        self.progress.show(now, self.writers.waiting());
    }

    fn message(&mut self, text: &str) {
        self.progress.clear();
        note(format_args!("{text}"));
    }
}

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// It is the first of its run.
    New {
        /// Whether idle workers steal.
        stealing: bool,
    },
    /// It goes on with a run.
    Resumed,
}

/// Explores what is open in `campaign`.
pub fn explore(
    campaign: &mut Campaign,
    saved: &Saved,
    options: &ExplorationOptions,
    cluster: Option<Cluster<'_>>,
    begin: Begin,
) -> Result<ExitCode, Failure> {
    let resumed = begin == Begin::Resumed;
    let directory = std::path::absolute(campaign.directory())
        .map_err(|e| Failure::new(format!("cannot find the run directory: {e}")))?;
    let workers = cluster.as_ref().map_or(options.worker_count() as u32, |c| c.workers);
    let setup = Setup {
        image: directory.join(IMAGE),
        saved: saved.clone(),
        asking: saved.asking.with(&options.asking),
        max_depth: options.max_depth,
        max_path_instructions: options.max_path_instructions,
        seeds: seeds::kept(&directory)?,
        memory: options.memory_of_each(workers),
        // What was given up on is asked again with ten times the time.
        solver_timeout_ms: options.solver_timeout.saturating_mul(if resumed { 10 } else { 1 }),
        disabled_layers: options.disable_layer.clone(),
        solver: options.solver.clone(),
        cross_check: options.cross_check,
        self_check: options.self_check,
    };
    solver_options(&setup).map_err(Failure::usage)?;
    let interrupt = Interrupt::listen()?;
    let mut message = serde_json::to_vec(&setup).map_err(Failure::new)?;
    let mut processes = Processes::new(|| own::command("worker"));
    let transport: &mut dyn Transport = match cluster {
        Some(cluster) => {
            // Other machines may see another file system.
            message.push(END_OF_SETUP);
            message.extend(read_image(&setup.image).map_err(Failure::new)?);
            cluster.announce(&shown(&directory));
            cluster.transport
        }
        None => &mut processes,
    };
    let run = cleave_campaign::RunOptions {
        workers,
        dealt: searches(options, &options.how.or(&saved.how), setup.asking)?,
        setup: message,
        max_paths: options.max_paths,
        max_time: options.max_time,
        split_states: options.split_states,
        keep_states: options.keep_states,
        stealing: begin != Begin::New { stealing: false },
        interrupt: interrupt.flag(),
        clock: Arc::new(RealClock::since(started())),
        began: Some(Duration::ZERO),
        retry: if resumed { RETRIED.map(String::from).into() } else { Vec::new() },
        ..cleave_campaign::RunOptions::default()
    };
    let files = RunFiles::create(&directory)?;
    let (writers, progress) = (Writers::new(&files), Progress::new());
    let mut files = Files { saved, files, writers, progress, last: Snapshot::default() };
    if resumed {
        files.complete(campaign)?;
    }
    let stop = campaign.run(transport, &run, &mut files);
    let written = files.finish();
    let diverged = diverged::write(campaign, saved, &directory);
    // Where there is no room for it the log is as good.
    let _ = campaign.settle();
    let closed = campaign.close_session(started().elapsed());
    let summary = summary::write(campaign.store(), saved, &directory);
    let stop = stop?;
    written.map_err(Failure::new)?;
    closed?;
    summary?;
    let verdict = say(campaign, &directory, stop)?;
    doubts(campaign, &directory, diverged?.as_deref())?;
    Ok(match stop {
        StopReason::Interrupted => interrupt.exit_code(),
        _ => verdict.exit_code(),
    })
}

/// What must not happen, and did: it is no success then, however many paths there are.
fn doubts(campaign: &Campaign, directory: &Path, diverged: Option<&Path>) -> Result<(), Failure> {
    let account = campaign.account()?;
    let regions = |state: &str| account.regions.get(state).copied().unwrap_or(0);
    let mut elsewhere = "regions whose tests did not lead where they led before".to_string();
    if let Some(file) = diverged {
        elsewhere.push_str(&format!(" (see {})", shown(file).display()));
    }
    let found = [
        (regions("crashed"), "regions on which workers died, or were killed"),
        (regions(DIVERGED), &elsewhere),
        (account.doubled, "paths that were found twice"),
    ];
    let found: Vec<String> =
        found.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if found.is_empty() {
        return Ok(());
    }
    let (found, directory) = (found.join(", "), directory.display());
    // Workers are killed by people too, and for want of memory.
    let killed = account.doubled == 0 && regions(DIVERGED) == 0;
    let whose =
        if killed { "unless somebody killed the workers, or memory ran out, this is" } else { "this is" };
    Err(Failure::new(format!(
        "the run is not whole: it has {found}; {whose} a bug of Cleave: please report it with {directory}; \
         `cleave resume` tries these regions again"
    )))
}

/// A directory as people call it.
pub fn shown(directory: &Path) -> PathBuf {
    let here =
        std::env::current_dir().ok().and_then(|d| directory.strip_prefix(d).ok().map(Path::to_path_buf));
    here.unwrap_or_else(|| directory.to_path_buf())
}

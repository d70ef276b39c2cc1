//! Setup of workers: one structure, encoded once for all workers of a session.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use cleave_campaign::{Exploration, Exploring, Pace, SetUp, serve_stdio};
use cleave_explore::{
    Concrete, ITEM_ORDERS, Limits, MutatedShare, NativeProgram, Programs, Search, TERM_MEMORY,
};
use cleave_program::code::Program;
use cleave_replay::sha256;
use cleave_report::KTest;
use cleave_solver::{LayerName, SolverOptions, Tiers};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::inputs::ktests::{Objects, from_ktest};
use crate::options::feasibility::SavedAsking;
use crate::options::session::ExplorationOptions;
use crate::sessions::run_dir::hex;
use crate::sessions::saved::Saved;
use crate::sessions::search::Choice;

/// Place of the program for workers.
#[derive(Serialize, Deserialize)]
pub enum ImageAt {
    /// In the run directory.
    File(PathBuf),
    /// Here, as workers on other machines may see another file system.
    Carried(Vec<u8>),
}

/// Setup of the workers of a session.
#[derive(Serialize, Deserialize)]
pub struct Setup {
    image: ImageAt,
    saved: Saved,
    asking: SavedAsking,
    max_depth: Option<u32>,
    max_path_instructions: Option<u64>,
    /// Inputs that concrete runs begin with.
    seeds: Vec<Objects>,
    /// Bytes that states and conditions may take.
    memory: u64,
    solver_timeout_ms: u64,
    disabled_layers: Vec<String>,
    /// Names of the solvers; `None` for the usual ones.
    solver: Option<String>,
    cross_check: bool,
    self_check: bool,
    /// Folders to record questions in, and to write them as SMT-LIB 2.
    recording: [Option<PathBuf>; 2],
    /// Searches of the workers, dealt out in turn.
    searches: Vec<Searching>,
    /// The part of the work for mutated inputs.
    mutate: Option<MutatedShare>,
    /// The native executor for these, if there will be one.
    native: Option<NativeProgram>,
}

/// Search of a worker.
#[derive(Serialize, Deserialize)]
struct Searching {
    names: Vec<String>,
    seed: u64,
    /// By concrete runs, in this of the [`ITEM_ORDERS`] and with this bound.
    concolic: Option<(usize, Option<u32>)>,
}

impl Setup {
    /// Setup for the options of a session and those that the run has kept. `patience` multiplies the time for a query, so
    /// that queries that the solver gave up on are tried again with more time.
    ///
    /// # Errors
    /// If the options make no sense together.
    pub fn new(
        image: ImageAt,
        saved: &Saved,
        options: &ExplorationOptions,
        seeds: Vec<Objects>,
        search: &Choice,
        workers: u32,
        patience: u64,
    ) -> Result<Setup, Failure> {
        let mutate = search.mutated(options, saved)?;
        let setup = Setup {
            image,
            saved: saved.clone(),
            asking: saved.asking.with(&options.asking),
            max_depth: options.max_depth,
            max_path_instructions: options.max_path_instructions,
            seeds,
            memory: options.memory_of_each(workers),
            solver_timeout_ms: options.question_ms().saturating_mul(patience),
            disabled_layers: options.disable_layer.clone(),
            solver: options.solver.clone(),
            cross_check: options.cross_check,
            self_check: options.self_check,
            recording: [folder(&options.record_questions)?, folder(&options.dump_questions)?],
            searches: searches(options, saved, search)?,
            mutate,
            native: None,
        };
        solver_options(&setup).map_err(Failure::usage)?;
        crate::inputs::folders::load(&mut saved.environment()?)?;
        Ok(setup)
    }

    /// Lets workers execute mutated inputs natively, if they mutate any: the executor that `plan` gives is returned.
    pub fn natively(&mut self, plan: impl FnOnce() -> Option<NativeProgram>) -> Option<NativeProgram> {
        self.native = self.mutate.and_then(|_| plan());
        self.native.clone()
    }

    /// Encodes it for workers.
    pub fn encoded(&self) -> Result<Vec<u8>, Failure> {
        postcard::to_stdvec(self).map_err(Failure::new)
    }
}

/// Absolute path of a folder, for workers in any directory of this machine.
fn folder(named: &Option<PathBuf>) -> Result<Option<PathBuf>, Failure> {
    let absolute = named.as_ref().map(std::path::absolute).transpose();
    absolute.map_err(|e| Failure::usage(format!("a folder for questions has no place: {e}")))
}

/// Searches of the workers: one for all, or one for each in turn.
fn searches(options: &ExplorationOptions, saved: &Saved, search: &Choice) -> Result<Vec<Searching>, Failure> {
    let how = options.how.or(&saved.how);
    // Modes that a run has kept were dealt.
    let deal = options.deal || (options.how.mode.is_empty() && how.count() > 1);
    how.check(deal)?;
    let all = &search.names;
    let search = |i: usize| {
        let names = if deal { all.iter().cycle().skip(i).take(1).cloned().collect() } else { all.clone() };
        let seed = options.random_seed.wrapping_add(i as u64);
        let order = |c: Concrete| ITEM_ORDERS.iter().position(|(_, o)| *o == c.order);
        let concolic = how.of_worker(i).and_then(|c| Some((order(c)?, c.bound)));
        Searching { names, seed, concolic }
    };
    // Each combination of the two lists, whatever their lengths.
    let ways = if deal { all.len().max(1) * how.count() } else { 1 };
    Ok((0..ways).map(search).collect())
}

/// The part of a worker's memory that value vectors and cached lists of models may take.
const TABLES: u64 = 8;

/// The options of the solver.
fn solver_options(setup: &Setup) -> Result<SolverOptions, String> {
    let layers: Result<BTreeSet<LayerName>, _> =
        setup.disabled_layers.iter().map(|name| name.parse::<LayerName>()).collect();
    let tiers = setup.solver.as_deref().map(str::parse::<Tiers>).transpose().map_err(|e| e.to_string())?;
    let usual = SolverOptions::default();
    let timeout = Duration::from_millis(setup.solver_timeout_ms);
    // Terms take up to half, states what is left; see `space`.
    let table_memory = usize::try_from(setup.memory / TABLES).unwrap_or(usize::MAX);
    let mut options = SolverOptions {
        timeout,
        table_memory,
        first_limit: usual.first_limit.min(timeout / 2),
        disabled: layers.map_err(|e| e.to_string())?,
        tiers: tiers.unwrap_or_default(),
        cross_check: setup.cross_check,
        self_check: setup.self_check,
        record: setup.recording[0].clone(),
        dump: setup.recording[1].clone(),
        ..usual
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
    let half = usize::try_from(setup.memory / 2).unwrap_or(usize::MAX);
    let programs = Programs::new(Arc::new(program), engine, solver, terms);
    programs.map(|programs| programs.growing(half)).map_err(|e| e.to_string())
}

/// Checks that this machine may explore the setup of somebody else's coordinator: `program` alone, if one is named, and
/// nothing that reads or writes files here.
///
/// # Errors
/// The reason for the refusal.
pub fn check_foreign(bytes: &[u8], program: Option<[u8; 32]>) -> Result<(), String> {
    let setup: Setup =
        postcard::from_bytes(bytes).map_err(|e| format!("the coordinator's setup is damaged: {e}"))?;
    let ImageAt::Carried(image) = &setup.image else {
        return Err("the run has its program in a file, and machines that join read no files".into());
    };
    let own = sha256(image);
    if program.is_some_and(|allowed| allowed != own) {
        return Err(format!(
            "the run explores the program {}, which --program does not allow here",
            hex(&own)
        ));
    }
    if !setup.saved.environment().map_err(|e| e.sentence().to_string())?.folders.is_empty() {
        return Err(
            "the program has folders of --fs, which machines that join do not read; leave --fs out".into()
        );
    }
    if setup.native.is_some() {
        return Err(
            "the run executes inputs natively, which machines that join do not; give --mutate 0".into()
        );
    }
    if setup.recording.iter().any(Option::is_some) {
        return Err(
            "--record-questions and --dump-questions write files on machines that join, which these do not \
                    allow; leave them out"
                .into(),
        );
    }
    Ok(())
}

/// The program's image, from the run directory.
pub fn read_image(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path)
        .map_err(|e| format!("cannot read {}: {e}; was the run directory moved?", path.display()))
}

/// Maximum number of states among which a strategy chooses: enough to choose from, and some 150 MB of them.
const LIVE_STATES: usize = 8192;
/// Number of states from which paths have to end nearly as soon as depth-first.
const PACED_FROM: usize = 256;

fn make(set_up: SetUp<'_>) -> Result<Box<dyn Exploration>, String> {
    let damaged = |e| format!("the coordinator's setup is damaged: {e}");
    let setup: Setup = postcard::from_bytes(set_up.bytes).map_err(damaged)?;
    let turn = usize::try_from(set_up.worker).unwrap_or(0).checked_rem(setup.searches.len());
    let searching =
        turn.map(|turn| &setup.searches[turn]).ok_or("the coordinator's setup names no search")?;
    let concrete = |(i, bound): (usize, _)| Some(Concrete { order: ITEM_ORDERS.get(i)?.1, bound });
    let concolic = searching.concolic.and_then(concrete);
    let search = Search::new(&searching.names, searching.seed).map_err(|e| e.to_string())?;
    let image = match &setup.image {
        ImageAt::File(path) => Cow::Owned(read_image(path)?),
        ImageAt::Carried(image) => Cow::Borrowed(image.as_slice()),
    };
    let program = Program::from_bytes(&image).map_err(|e| e.to_string())?;
    drop(image);
    let little_is_lost = concolic.is_some() || search.strategy(None).in_order();
    let space = space(&setup, program, little_is_lost)?;
    // A strategy that keeps to a state until its path ends needs no depth-first quanta. They end more paths, which are alike
    // (bench/results/2026-12-01-pace.txt).
    let ends_paths = searching.names.iter().any(|name| name.starts_with("ending:"));
    let (live_states, paced_from) = if ends_paths { (0, 0) } else { (LIVE_STATES, PACED_FROM) };
    let limits = Limits {
        max_depth: setup.max_depth,
        max_instructions: setup.max_path_instructions,
        live_states,
        paced_from,
        ..Limits::default()
    };
    let exploring = Exploring::new(space, limits).within(setup.memory, crate::process::allocator::held);
    let asking = setup.asking.asking(search.strategy(None).in_order());
    // Workers of one seed would all execute the same.
    let seed = searching.seed.wrapping_add(set_up.worker << 32);
    let mut exploring =
        exploring.searching(search).asking(asking).mutating(setup.mutate, seed).natively(setup.native);
    if let Some(how) = concolic {
        let seed = |objects| from_ktest(&KTest { objects, ..KTest::default() });
        exploring = exploring.concolic(how).seeded(setup.seeds.into_iter().map(seed).collect());
    }
    Ok(Box::new(exploring.self_checking(setup.self_check)))
}

/// `cleave worker`: serves a coordinator on the standard streams.
pub fn worker() -> ExitCode {
    serve_stdio(&make, Pace::default());
    ExitCode::SUCCESS
}

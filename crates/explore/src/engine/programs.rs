//! Real programs as a space: the engine behind the trait [`Space`]. Commands and workers of a campaign make one; it is renewed as
//! its terms fill the memory.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cleave_coverage::{MarkId, Marks};
use cleave_engine::{Decided, End, Engine, EngineOptions, HeardBranch, State, TraceLine, Turn, Visits};
use cleave_expr::{ByteId, ByteSet, Names, Support, Term, Witness};
use cleave_program::code::Program;
use cleave_region::{
    BugKind, BugRecord, FingerprintLog, Fingerprints, FrameRecord, Message, Object, PathDigest, PathKind,
    PathRecord, SUPPRESSED_BY, Test,
};
use cleave_solver::{History, LayerName, Solver, SolverError, SolverOptions};
use sha2::{Digest, Sha256};

use crate::engine::bug_places::{place, place_name};
use crate::engine::compared::Compared;
use crate::engine::control_flow::Flow;
use crate::engine::executing::Executions;
use crate::engine::words;
use crate::space::{Answer, Execution, Outcome, Space, Together};
use crate::strategy::{Place, mixed};

/// Default memory of terms before the space is renewed, in bytes, approximately.
pub const TERM_MEMORY: usize = 48 << 20;
/// If fewer paths were recorded between two renewals, each was run again from its start nearly alone, and twice as many bytes are taken
/// from then on, as far as [`Programs::growing`] allows.
const FEW_PATHS: u32 = 32;

/// Maximum number of terms, in all conditions on one byte together, up to which its values are enumerated.
const MOST_TERMS: usize = 1 << 17;

/// Maximum memory of terms, in bytes, while a test is followed: only an endless path is expected to exceed it.
const MOST_FOLLOWED: usize = 1 << 30;

/// Maximum length of the path of a class, in instructions. A class was recorded, so its path has an end.
const LONGEST_OF_CLASS: u64 = 1 << 36;

/// The work of making a term that is there already, in instructions, with the call that asks for it: bench/results/2026-11-28-planted.txt.
const TERM_AGAIN: u64 = 32;

/// Number of innermost frames that make a decision's place.
const SITE: usize = 3;

/// Maximum number of frames shown to strategies.
const FRAMES: usize = 32;

/// The paths of a program.
pub struct Programs {
    program: Arc<Program>,
    engine_options: EngineOptions,
    solver_options: SolverOptions,
    engine: Engine,
    term_memory: usize,
    /// Upper limit of the terms' memory, in bytes.
    most_term_memory: usize,
    /// Number of paths recorded since the space was renewed.
    recorded: u32,
    /// Counters of engines and solvers that renewals have dropped.
    before: BTreeMap<String, u64>,
    /// Time of long queries by the line from which they come.
    slow: BTreeMap<String, Duration>,
    steps: u32,
    flow: Option<Arc<Flow>>,
    /// If true, contradictions of byte sets are seen without a query.
    sees_contradictions: bool,
    /// Decisions whose fingerprints were last computed. States that are exported one after the other share most of theirs.
    told: RefCell<Told>,
    /// Executions of a mutator.
    executions: Option<Box<Executions>>,
    /// Words with which states compare inputs, for a mutator.
    compared: Option<Box<Compared>>,
    /// Conditions of the class that bounds the exploration, as terms of the current engine; see [`EngineOptions::class`].
    class: Option<Rc<[Term]>>,
}

/// The fingerprints of a path.
#[derive(Default)]
struct Told {
    of: History,
    log: FingerprintLog,
}

/// Minimum time of a query that is noted with the line from which it comes.
const SLOW: Duration = Duration::from_micros(200);

/// Feasibility of a side, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// The side is feasible.
    Possible,
    /// The solver did not decide.
    Unknown,
    /// The side is infeasible because of these conditions of the path; none if they are not known.
    Never(Vec<Term>),
}

/// End of a path of a program, with its place.
pub struct ProgramEnd {
    /// Kind of the end.
    pub end: End,
    /// The stack, the innermost function first, for bugs, unsupported operations, and assumptions.
    pub trace: Vec<TraceLine>,
}

impl Programs {
    /// The paths of `program` under these options.
    ///
    /// # Errors
    /// If the solver cannot be set up with these options.
    pub fn new(
        program: Arc<Program>,
        engine_options: EngineOptions,
        solver_options: SolverOptions,
        term_memory: usize,
    ) -> Result<Programs, SolverError> {
        let solver = Solver::new(solver_options.clone())?;
        let engine = Engine::new(program.clone(), engine_options.clone(), solver);
        let before = BTreeMap::new();
        let sees_contradictions = !solver_options.disabled.contains(&LayerName::ByteSets);
        Ok(Programs {
            program,
            engine_options,
            solver_options,
            engine,
            term_memory,
            most_term_memory: term_memory,
            recorded: 0,
            before,
            slow: BTreeMap::new(),
            steps: 0,
            flow: None,
            sees_contradictions,
            told: RefCell::default(),
            executions: None,
            compared: None,
            class: None,
        })
    }

    /// Lets terms take up to `most` bytes if the space would otherwise be renewed after a few paths, which would have to be run
    /// again from their start.
    #[must_use]
    pub fn growing(mut self, most: usize) -> Programs {
        self.most_term_memory = most.max(self.term_memory);
        self
    }

    /// The digest of the path that `test` takes where arms are joined; `None` if no end of it is found.
    pub fn class_of(&mut self, test: &Test) -> Option<PathDigest> {
        self.engine.class_of(test, LONGEST_OF_CLASS).map(|(digest, _)| digest)
    }

    /// The conditions of the class that bounds the exploration; none if nothing bounds it.
    fn class(&mut self) -> Rc<[Term]> {
        if let Some(class) = &self.class {
            return class.clone();
        }
        let test = self.engine_options.class.as_ref();
        let found = test.and_then(|test| self.engine.class_of(test, LONGEST_OF_CLASS));
        let class: Rc<[Term]> = found.map(|(_, conditions)| conditions.into()).unwrap_or_default();
        self.class = Some(class.clone());
        class
    }

    /// An answer that holds in the class, too: `ask` gives one that may not.
    fn in_class(
        &mut self,
        state: &State,
        sides: &[(Term, bool)],
        near: &Witness,
        found: Together<Witness>,
    ) -> Together<Witness> {
        let class = self.class();
        let Together::Feasible(witness) = found else { return found };
        if class.iter().all(|&cond| self.engine.terms.holds(cond, &witness)) {
            return Together::Feasible(witness);
        }
        let all: Vec<_> = class.iter().map(|&cond| (cond, true)).chain(sides.iter().copied()).collect();
        match self.asked_together(state, &all, near) {
            Together::Infeasible { within } => {
                Together::Infeasible { within: within.saturating_sub(class.len()).max(1) }
            }
            found => found,
        }
    }

    fn asked_together(&mut self, state: &State, sides: &[(Term, bool)], near: &Witness) -> Together<Witness> {
        match self.noting(state, |engine| engine.ask_together(state, sides, near)) {
            cleave_solver::Together::Sat(w) => Together::Feasible(w),
            cleave_solver::Together::Unsat { within } => Together::Infeasible { within },
            cleave_solver::Together::Unknown(why) => Together::Unknown(why),
        }
    }

    /// An answer about one side that holds in the class, too.
    fn side_in_class(
        &mut self,
        state: &State,
        side: (Term, bool),
        near: &Witness,
        found: Answer<Witness>,
    ) -> Answer<Witness> {
        let Answer::Feasible(witness) = found else { return found };
        match self.in_class(state, &[side], near, Together::Feasible(witness)) {
            Together::Feasible(witness) => Answer::Feasible(witness),
            Together::Infeasible { .. } => Answer::Infeasible,
            Together::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// The flag that stops the solver: while it is true, every query ends without an answer. Another thread may set it.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.solver_options.stop.clone()
    }

    /// Counters since the start, by name: `instructions`, `questions`, `smt_calls`, `smt_nanos`,
    /// `solver_work` and `answered_by.LAYER`.
    pub fn statistics(&self) -> BTreeMap<String, u64> {
        let mut all = self.before.clone();
        let mut add = |name: &str, n: u64| *all.entry(name.to_string()).or_insert(0) += n;
        add("instructions", self.engine.instructions);
        if let Some(executions) = &self.executions {
            add("executions", executions.count);
            add("execution_instructions", executions.instructions);
        }
        let s = self.engine.solver.stats();
        add("questions", s.questions);
        add("smt_calls", s.smt_calls);
        add("smt_nanos", s.smt_time.as_nanos() as u64);
        add("solver_work", self.engine.solver.work() + self.engine.terms.work());
        for (suppression, &n) in self.engine_options.suppressions.0.iter().zip(self.engine.excused()) {
            if n > 0 {
                add(&format!("excused.{suppression}"), n);
            }
        }
        let mut peaks = Vec::new();
        for (limit, line, cleave_engine::ByValue { values, most }) in self.engine.by_value() {
            add(&format!("by_value.{line}: {}", limit.name()), values);
            peaks.push((format!("peak_by_value.{line}: {}", limit.name()), most));
        }
        for (layer, n) in &s.answered_by {
            add(&format!("answered_by.{layer}"), *n);
        }
        for (solver, n) in &s.calls_of {
            add(&format!("smt_calls_of.{solver}"), *n);
        }
        for (place, took) in &self.slow {
            add(&format!("solver_us_at.{place}"), took.as_micros() as u64);
        }
        for (name, most) in peaks {
            let so_far = all.entry(name).or_insert(0);
            *so_far = most.max(*so_far);
        }
        all
    }

    /// Makes a query, and notes the line of the program from which it comes if it takes long.
    fn noting<T>(&mut self, state: &State, ask: impl FnOnce(&mut Engine) -> T) -> T {
        let start = Instant::now();
        let answer = ask(&mut self.engine);
        let took = start.elapsed();
        if took >= SLOW {
            let trace = self.engine.trace(state);
            let at = place(&trace).map(TraceLine::short);
            *self.slow.entry(at.unwrap_or_else(|| "unknown".into())).or_default() += took;
        }
        answer
    }

    /// Messages of `klee_warning` and `klee_print_expr` since the last call.
    pub fn take_messages(&mut self) -> Vec<Message> {
        self.engine.take_messages()
    }

    /// Notes the choices of orders of threads from now on; see [`Engine::note_turns`].
    pub fn note_turns(&mut self) {
        self.engine.note_turns();
    }

    /// The noted choices.
    pub fn take_turns(&mut self) -> Vec<Turn> {
        self.engine.take_turns()
    }

    /// Lets paths continue behind all races, and notes the places of races; see [`Engine::seek_races`].
    pub fn seek_races(&mut self) {
        self.engine.seek_races(BTreeSet::new());
    }

    /// The numbers of the racing places that are no points of choice.
    pub fn sought_races(&self) -> BTreeSet<u32> {
        self.engine.sought_races().cloned().unwrap_or_default()
    }

    /// The name of such a place, for users.
    pub fn name_of_place(&self, number: u32) -> String {
        self.engine.name_of_place(number)
    }

    /// Restarts the count of visits, beginning with `visits`.
    pub fn start_visits(&mut self, visits: Visits) {
        self.engine.count_visits(visits);
    }

    /// A condition or its negation in C syntax, with at most `most` operators; see [`cleave_expr::Terms::c_text`].
    pub fn c_text(&mut self, cond: Term, side: bool, names: &dyn Names, most: usize) -> String {
        let holds = if side { cond } else { self.engine.terms.not(cond) };
        self.engine.terms.c_text(holds, names, most)
    }

    /// For each byte in the conditions of a state, by object and offset: the values that satisfy all conditions while
    /// the other bytes are as in `witness`. `None` if computing them would take too much work. The values of all other bytes
    /// do not change the path.
    pub fn values_kept(&mut self, state: &State, witness: &Witness) -> BTreeMap<(u32, u32), Option<ByteSet>> {
        let terms = &mut self.engine.terms;
        let mut alone: BTreeMap<ByteId, ByteSet> = BTreeMap::new();
        let mut linked: BTreeMap<ByteId, Vec<Term>> = BTreeMap::new();
        for cond in state.path_condition().conditions() {
            match (terms.support(cond), terms.byte_set(cond)) {
                (Support::One(id), Some(set)) => {
                    let known = alone.entry(id).or_insert(ByteSet::FULL);
                    *known = known.intersect(&set);
                }
                _ => terms.bytes_of(cond).iter().for_each(|&id| linked.entry(id).or_default().push(cond)),
            }
        }
        let ids: BTreeSet<ByteId> = alone.keys().chain(linked.keys()).copied().collect();
        let values = |id: ByteId| {
            let known = alone.get(&id).copied().unwrap_or(ByteSet::FULL);
            let conds = linked.get(&id).map_or(&[][..], Vec::as_slice);
            let set = if conds.is_empty() {
                Some(known)
            } else {
                terms.values_with(conds, id, witness, MOST_TERMS).map(|set| set.intersect(&known))
            };
            (terms.byte_position(id), set)
        };
        ids.into_iter().map(values).collect()
    }

    /// See [`Engine::hear_branches`].
    pub fn hear_branches(&mut self) {
        self.engine.hear_branches();
    }

    /// See [`Engine::heard_branches`].
    pub fn heard_branches(&mut self) -> Vec<HeardBranch> {
        self.engine.heard_branches()
    }

    /// The reason why a side of a condition is infeasible on a state's path; `near` satisfies its path condition.
    pub fn why_not(&mut self, state: &State, cond: Term, side: bool, near: &Witness) -> WhyNot {
        match self.engine.ask_why(state, cond, side, near) {
            cleave_solver::Answer::Sat(_) => WhyNot::Possible,
            cleave_solver::Answer::Unsat(core) => WhyNot::Never(core.conditions.unwrap_or_default()),
            cleave_solver::Answer::Unknown(_) => WhyNot::Unknown,
        }
    }

    /// Standard output of the program on a path, under a witness of the path.
    pub fn stdout(&mut self, state: &State, witness: &Witness) -> Vec<u8> {
        self.engine.finished(state, &End::Silent, witness).stdout
    }

    /// Checks all further information given to states against `witness`; see [`Engine::watch`].
    pub fn watch(&mut self, witness: &Witness) {
        self.engine.watch(witness);
    }

    /// Ends [`Programs::watch`]: returns the information that does not hold.
    pub fn unwatch(&mut self) -> Vec<String> {
        self.engine.unwatch()
    }

    /// See [`Engine::made_up`].
    pub fn made_up(&self, state: &State) -> Vec<String> {
        self.engine.made_up(state).map(String::from).collect()
    }

    /// See [`Engine::news`].
    pub fn news(&mut self, state: &State, test: &Test) -> Vec<MarkId> {
        let witness = if self.engine_options.merge {
            self.engine.prepare(test)
        } else {
            self.engine.terms.witness(&[])
        };
        self.engine.news(state, &witness)
    }

    /// See [`Engine::has_passed`].
    pub fn has_passed(&self, state: &State, marks: &Marks) -> bool {
        self.engine.has_passed(state, marks)
    }

    /// See [`Engine::show`].
    pub fn show(&mut self, news: &[MarkId]) {
        self.engine.show(news);
    }

    /// Coverage of the recorded paths.
    pub fn shown(&self) -> &Marks {
        self.engine.coverage().shown()
    }

    /// See [`Engine::forget_assumptions`].
    #[doc(hidden)]
    pub fn forget_assumptions(&mut self) {
        self.engine.forget_assumptions();
    }

    /// An error of the solver that makes all further answers doubtful.
    pub fn take_error(&mut self) -> Option<SolverError> {
        self.engine.solver.take_error()
    }

    /// The record of a finished path, with a test that people can read; `None` for an end without a result (`klee_silent_exit`).
    pub fn record(&mut self, ended: ProgramEnd, state: &State, witness: &Witness) -> Option<PathRecord> {
        // A test of the class need not be one any more when it is changed.
        if self.engine_options.class.is_some() {
            return self.record_with(ended, state, witness);
        }
        let preferred = self.engine.preferred(state, witness);
        self.record_with(ended, state, &preferred)
    }

    /// Like [`Programs::record`], with the inputs of this witness as they are.
    pub fn record_with(&mut self, ended: ProgramEnd, state: &State, witness: &Witness) -> Option<PathRecord> {
        self.recorded = self.recorded.saturating_add(1);
        let finished = self.engine.finished(state, &ended.end, witness);
        let bug = |kind: &str, message: String| {
            let trace: Vec<FrameRecord> = ended
                .trace
                .iter()
                .map(|l| FrameRecord {
                    function: l.function.clone(),
                    file: l.file.clone().unwrap_or_default(),
                    line: l.line,
                    arguments: l.arguments.clone(),
                })
                .collect();
            let place = place_name(&ended.trace);
            BugRecord { kind: kind.to_string(), message, place, trace }
        };
        let (kind, exit_status, signal, bug) = match &ended.end {
            End::Silent => return None,
            End::Exit(_) => (PathKind::Completed, finished.status.map(i32::from), None, None),
            End::Signal(signal) => (PathKind::Completed, None, Some(*signal), None),
            End::Bug(b) => (PathKind::Failed, None, None, Some(bug(b.kind.name(), b.message.clone()))),
            End::Suppressed { bug: b, by } => {
                let by =
                    self.engine_options.suppressions.0.get(*by).map(ToString::to_string).unwrap_or_default();
                (
                    PathKind::Suppressed,
                    None,
                    None,
                    Some(bug(&format!("{SUPPRESSED_BY}{by}"), b.message.clone())),
                )
            }
            End::Unsupported(what) => {
                (PathKind::Unsupported, None, None, Some(bug(BugKind::Unsupported.name(), what.clone())))
            }
            End::Rejected => (PathKind::AssumedAway, None, None, None),
            End::AssumedAway => {
                let what = "no input that comes here satisfies the assumption".to_string();
                (PathKind::AssumedAway, None, None, Some(bug("assumed-away", what)))
            }
        };
        Some(PathRecord {
            digest: state.digest(),
            depth: state.depth(),
            kind,
            exit_status,
            signal,
            stdout_sha256: Sha256::digest(&finished.stdout).into(),
            stdout_len: finished.stdout.len() as u64,
            test: finished.test,
            instructions: state.instructions(),
            bug,
            addresses: self.engine.address_places(state),
            passed: self.engine.all_passed(state).map(Marks::to_bytes).unwrap_or_default(),
        })
    }
}

fn outcome(of_engine: cleave_engine::Outcome) -> Outcome<Term, ProgramEnd> {
    match of_engine {
        cleave_engine::Outcome::Decision { cond, assume } => Outcome::Decision { cond, assume },
        cleave_engine::Outcome::Ended { end, trace } => Outcome::Ended(ProgramEnd { end, trace }),
        cleave_engine::Outcome::OutOfFuel => Outcome::OutOfFuel,
    }
}

fn answer(of_solver: cleave_solver::Answer) -> Answer<Witness> {
    match of_solver {
        cleave_solver::Answer::Sat(w) => Answer::Feasible(w),
        cleave_solver::Answer::Unsat(_) => Answer::Infeasible,
        cleave_solver::Answer::Unknown(why) => Answer::Unknown(why),
    }
}

impl Space for Programs {
    type State = State;
    type Cond = Term;
    type Witness = Witness;
    type End = ProgramEnd;

    fn root(&mut self) -> State {
        self.engine.root()
    }

    fn prepare(&mut self, test: &Test) -> Witness {
        self.engine.prepare(test)
    }

    fn first_witness(&mut self) -> Witness {
        let test = self.engine_options.class.clone().unwrap_or_default();
        self.engine.prepare(&test)
    }

    fn write_down(&mut self, state: &State, witness: &Witness) -> Test {
        let mut test = self.engine.write_down(state, witness);
        // The inputs to come decide, too, if a test is one of the class.
        for (k, object) in self
            .engine_options
            .class
            .iter()
            .flat_map(|t| t.objects.iter().enumerate())
            .skip(test.objects.len())
        {
            let byte = |i: usize| witness.get(self.engine.terms.byte_id(k as u32, i as u32));
            let bytes = (0..object.bytes.len()).map(byte).collect();
            test.objects.push(Object { name: object.name.clone(), bytes });
        }
        test
    }

    fn run(&mut self, state: &mut State, witness: &Witness, fuel: u64) -> Outcome<Term, ProgramEnd> {
        self.steps = self.steps.wrapping_add(1);
        outcome(self.engine.run(state, witness, fuel))
    }

    fn run_ahead(&mut self, state: &mut State, fuel: u64) -> Option<Outcome<Term, ProgramEnd>> {
        self.steps = self.steps.wrapping_add(1);
        self.engine.run_ahead(state, fuel).map(outcome)
    }

    fn contradicts(&self, state: &State) -> bool {
        self.sees_contradictions && state.path_condition().is_contradictory()
    }

    fn assumed_away(&self, state: &State) -> Option<ProgramEnd> {
        let (end, trace) = self.engine.excluded(state);
        Some(ProgramEnd { end, trace })
    }

    fn ask_together(&mut self, state: &State, sides: &[(Term, bool)], near: &Witness) -> Together<Witness> {
        let found = self.asked_together(state, sides, near);
        self.in_class(state, sides, near, found)
    }

    fn decides(&mut self, cond: &Term, witness: &Witness) -> bool {
        self.engine.terms.holds(*cond, witness)
    }

    fn ask(&mut self, state: &State, cond: &Term, side: bool, near: &Witness) -> Answer<Witness> {
        let found = answer(self.noting(state, |engine| engine.ask_side(state, *cond, side, near)));
        self.side_in_class(state, (*cond, side), near, found)
    }

    fn ask_first(
        &mut self,
        state: &State,
        (cond, side): (&Term, bool),
        near: &Witness,
        hurry: bool,
    ) -> Option<Answer<Witness>> {
        let ask = |engine: &mut Engine| engine.ask_first(state, (*cond, side), near, hurry);
        let found = self.noting(state, ask).map(answer)?;
        Some(self.side_in_class(state, (*cond, side), near, found))
    }

    fn leads(&mut self, witness: &Witness, state: &State) -> bool {
        let terms = &mut self.engine.terms;
        state.path_condition().conditions().into_iter().all(|cond| terms.holds(cond, witness))
    }

    fn take(&mut self, state: &mut State, cond: &Term, side: bool) {
        self.engine.take(state, *cond, side);
    }

    fn pass(&mut self, state: &mut State, cond: &Term, side: bool) {
        self.engine.list(state, *cond, side);
    }

    fn share(&self, state: &mut State) {
        state.share();
    }

    fn point(&self, state: &State) -> State {
        self.engine.point(state)
    }

    fn depth(&self, state: &State) -> u32 {
        state.depth()
    }

    fn digest(&self, state: &State) -> PathDigest {
        state.digest()
    }

    fn decisions(&self, state: &State) -> Vec<u8> {
        let terms = &self.engine.terms;
        let one = |d: &Decided<'_>| Fingerprints::one(terms.hash_of(d.holds), d.side);
        self.engine.decisions(state).iter().map(one).collect()
    }

    fn fingerprints(&self, state: &State) -> Fingerprints {
        let mut told = self.told.borrow_mut();
        let history = state.path_condition().history();
        let shared = told.of.shared(&history);
        told.log.truncate(shared);
        for (holds, mark) in history.behind(told.log.len()) {
            told.log.push(Fingerprints::one(self.engine.terms.hash_of(holds), Engine::side_of(mark)));
        }
        told.of = history;
        told.log.fingerprints()
    }

    fn describe(&self, state: &State, decisions: Range<usize>) -> Vec<String> {
        self.engine.describe(state, decisions)
    }

    fn site(&self, state: &State) -> u64 {
        let mix = |hash: u64, (func, pc): (u32, u32)| mixed(hash, u64::from(func) << 32 | u64::from(pc));
        // A comparison in a function of its own is a different place for each of its callers.
        state.stack().take(SITE).fold(0, mix)
    }

    fn aside(&self, state: &State, side: Option<bool>) -> u32 {
        self.engine.aside(state) + u32::from(side.is_some() && self.engine.is_aside(state))
    }

    fn instructions(&self, state: &State) -> u64 {
        state.instructions()
    }

    fn ends_at(&self, state: &State, side: Option<bool>) -> bool {
        self.engine.ends_at(state, side)
    }

    fn spinning(&self, state: &State) -> Option<(String, u64)> {
        let (line, rounds) = self.engine.spinning(state)?;
        let text = match &line.file {
            Some(file) if line.line > 0 => format!("the loop at {file}:{}", line.line),
            _ => format!("a loop in {}", line.function),
        };
        Some((text, rounds))
    }

    fn work(&self) -> u64 {
        // A unit of solver work or of evaluation takes as long as some four instructions.
        4 * (self.engine.solver.work() + self.engine.terms.work()) + TERM_AGAIN * self.engine.terms.reused()
    }

    fn flow(&mut self) -> Option<Arc<Flow>> {
        Some(self.flow.get_or_insert_with(|| Arc::new(Flow::new(&self.program))).clone())
    }

    fn count_visits(&mut self) {
        if self.engine.visits().is_none() {
            self.engine.count_visits(Visits::new(&self.program));
        }
    }

    fn covered(&self, known: usize) -> Vec<Place> {
        let order = self.engine.visits().and_then(|v| v.order().get(known..)).unwrap_or_default();
        order.iter().map(|&(func, pc)| Place { func, pc }).collect()
    }

    fn mark_accesses(&mut self) {
        if let Some(mut visits) = self.engine.take_visits() {
            visits.mark_accesses();
            self.engine.count_visits(visits);
        }
    }

    fn access_marks(&self) -> u64 {
        self.engine.visits().map_or(0, Visits::access_marks)
    }

    fn watch_guards(&mut self) {
        if let Some(mut visits) = self.engine.take_visits() {
            visits.watch_guards();
            self.engine.count_visits(visits);
        }
    }

    fn fitting(&self, state: &State) -> Vec<Place> {
        self.engine.fitting(state).into_iter().map(|(func, pc)| Place { func, pc }).collect()
    }

    fn visits(&self, place: Place) -> u64 {
        let start = self.flow.as_ref().map_or(place, |flow| flow.start(place));
        self.engine.visits().map_or(0, |v| u64::from(v.count(start.func, start.pc)))
    }

    fn stack(&self, state: &State, side: Option<bool>) -> Vec<Place> {
        let mut stack: Vec<Place> = state.stack().take(FRAMES).map(|(func, pc)| Place { func, pc }).collect();
        if let (Some(place), Some(pc)) = (stack.first_mut(), self.engine.target(state, side)) {
            place.pc = pc;
        }
        stack
    }

    fn look_for_words(&mut self) {
        self.compared.get_or_insert_default();
    }

    fn note_words(&mut self, state: &State, witness: &Witness, is_new: bool) {
        if let Some(compared) = &mut self.compared
            && let Some(found) = compared.places.of(state, &self.program, &self.engine.terms)
            && compared.is_worth(&found, is_new)
        {
            compared.suggest(&found, self.engine.write_down(state, witness), is_new);
        }
    }

    fn take_suggested(&mut self) -> Option<Test> {
        self.compared.as_mut()?.next()
    }

    fn execute(&mut self, test: &Test, fuel: u64) -> Option<Execution> {
        if self.engine_options.class.is_some() {
            return None;
        }
        let executions = self.executions.get_or_insert_with(|| Box::new(Executions::new(&self.program)));
        executions.execute(&mut self.engine, test, fuel)
    }

    fn words(&self) -> Vec<Vec<u8>> {
        words::words(&self.program)
    }

    fn is_full(&self) -> bool {
        self.steps.is_multiple_of(64) && self.engine.memory() > self.term_memory
    }

    fn is_exhausted(&self) -> bool {
        self.steps.is_multiple_of(64) && self.engine.memory() > self.most_term_memory.max(MOST_FOLLOWED)
    }

    fn renew(&mut self) {
        self.steps = 1;
        if std::mem::take(&mut self.recorded) < FEW_PATHS {
            self.term_memory = self.term_memory.saturating_mul(2).min(self.most_term_memory);
        }
        let mut executions = self.executions.take();
        self.before = self.statistics();
        executions.iter_mut().for_each(|executions| executions.forget_engine());
        self.executions = executions;
        self.class = None;
        self.slow.clear();
        // The first solver accepted the options; if a second cannot be set up, the old one stays.
        if let Ok(solver) = Solver::new(self.solver_options.clone()) {
            let (visits, coverage) = (self.engine.take_visits(), self.engine.coverage().clone());
            let sought = self.engine.sought_races().cloned();
            // The fingerprint cache names terms of the old engine.
            self.told.take();
            self.engine = Engine::new(self.program.clone(), self.engine_options.clone(), solver);
            self.engine.cover_on(coverage);
            if let Some(visits) = visits {
                self.engine.count_visits(visits);
            }
            if let Some(sought) = sought {
                self.engine.seek_races(sought);
            }
        }
    }
}

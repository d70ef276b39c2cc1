//! The engine and its public operations, for searches: a root state, a run of a state, a side of a decision.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use cleave_diagram::{Diagram, Diagrams};
use cleave_expr::{Term, Terms, Witness};
use cleave_float::Rounding;
use cleave_linux::env::EnvSpec;
use cleave_linux::{Kernel, KernelSpec};
use cleave_memory::{AddressSpace, Byte};
use cleave_never::never;
use cleave_program::code::{Image, Position, Program};
use cleave_region::{BugKind, Message, Object, PathDigest, Test};
use cleave_solver::{Answer, PathCondition, Solver, Together};
use rustc_hash::FxHashSet;

use crate::checking::checks::{Checks, Family};
use crate::checking::rounds::Recurrence;
use crate::checking::suppress::Suppressions;
use crate::compiled::{Compiled, compiler};
use crate::limits::{Counted, Limits};
use crate::merging::guards::Guards;
use crate::merging::shapes::Shapes;
use crate::ops::operators::Operators;
use crate::states::coverage::{Coverage, Passed};
use crate::states::places::Places;
use crate::states::state::{Aside, Caller, Failing, Frame, Input, Reply, State};
use crate::states::visits::Visits;
use crate::states::watch::{HeardBranch, Watch};
use crate::stop::{Bug, End, Outcome, Stop, TraceLine};
use crate::threads::noted::Noted;
use crate::threads::racing::Racing;
use crate::undefined::shades::Shades;

/// Work for the soft constraints of a path (`preferences`), in tenths of a microsecond.
const WISHES: u64 = 1 << 11;

/// The usual [`EngineOptions::max_symbolic_size`], in bytes.
pub const MAX_SYMBOLIC_SIZE: u64 = 4096;

/// The usual [`EngineOptions::compile_after`] where functions are compiled. A question is asked at each call, or after 1,024
/// instructions: a function that runs for a hundred thousand instructions repays the milliseconds that its compilation takes.
pub const COMPILE_AFTER: u32 = 100;

/// Options of the engine, beside the program.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Arguments, environment, standard input and files.
    pub env: EnvSpec,
    /// The checks that are on.
    pub checks: Checks,
    /// The bugs and reads that are excused.
    pub suppressions: Suppressions,
    /// Maximum number of allocations that fail on a path.
    pub fail_malloc: u32,
    /// Maximum number of functions that run at once; `None` if only the size of the stack limits them.
    pub max_stack_frames: Option<u32>,
    /// Maximum size in bytes of an object that stays one object while its size depends on the input.
    pub max_symbolic_size: u64,
    /// More limits on the work that stays on one path.
    pub limits: Limits,
    /// Numbers of the places in front of whose accesses a thread may be interrupted: a path goes on behind a race of two of
    /// them. Data races are looked for then. With `None`, each race that is looked for ends its path.
    pub race_points: Option<BTreeSet<u32>>,
    /// Branches split a path into arms that are joined where they meet, instead of forking it: see `merge.rs`.
    pub merge: bool,
    /// Only paths with inputs of this test's class are taken, without arms: see `merging/class.rs`.
    pub class: Option<Test>,
    /// Times that a function is seen before it is compiled: see `compiled_runs.rs`. `None` if none is compiled.
    pub compile_after: Option<u32>,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            env: EnvSpec::default(),
            checks: Checks::default(),
            suppressions: Suppressions::default(),
            fail_malloc: 0,
            max_stack_frames: None,
            max_symbolic_size: MAX_SYMBOLIC_SIZE,
            limits: Limits::default(),
            race_points: None,
            merge: false,
            class: None,
            compile_after: None,
        }
    }
}

/// Results of a finished path, under one witness.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The test of the path.
    pub test: Test,
    /// The bytes that the program wrote to standard output.
    pub stdout: Vec<u8>,
    /// The exit status (0 to 255), of a path that ends in one.
    pub status: Option<u8>,
}

/// A decision that lies behind a state.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// The condition that holds since then: the branch condition, or its negation on the false side.
    pub holds: Term,
    /// The side.
    pub side: bool,
    /// Position in the source, if that is known.
    pub position: Option<&'a Position>,
}

/// Steps states of one program. It holds no states of the exploration: only terms, a solver and counters.
pub struct Engine {
    pub(crate) program: Arc<Program>,
    /// [`Target::slot_bits`] of the program.
    pub(crate) slot_bits: u32,
    pub(crate) options: EngineOptions,
    /// The terms of this exploration.
    pub terms: Terms,
    /// The solver.
    pub solver: Solver,
    /// LLVM instructions executed since the start, by all states.
    pub instructions: u64,
    /// Number of replies that the op at hand has used: those of the state, then the fresh ones.
    pub(crate) cursor: usize,
    /// Replies to the op at hand that the state does not have yet.
    pub(crate) fresh: Vec<Reply>,
    /// Terms that the op at hand has made concrete, with their values.
    pub(crate) learned: Vec<(Term, u64)>,
    /// [`State::settled`] of the state that runs.
    pub(crate) settled: Option<Rc<PathCondition>>,
    pub(crate) places: Places,
    /// Undefined bits, and where they come from.
    pub(crate) shades: Shades,
    pub(crate) messages: Vec<Message>,
    /// Messages that are said once, and were said.
    told: FxHashSet<String>,
    /// Reads that were excused, for each suppression of the options; those of replays too.
    pub(crate) excused: Vec<u64>,
    /// Frames that have ended: their memory is for calls to come.
    pub(crate) spare: Vec<Rc<Caller>>,
    pub(crate) root: Option<State>,
    pub(crate) visits: Option<Visits>,
    /// The choices of orders of threads, where they are noted.
    pub(crate) noted: Option<Noted>,
    pub(crate) coverage: Coverage,
    /// The functions of C++ that allocate and free.
    pub(crate) operators: Operators,
    /// The path of the state that runs is not known to be feasible.
    pub(crate) ahead: bool,
    pub(crate) watch: Option<Watch>,
    /// Log of the branches that states come to, if it is on; see `hearing.rs`.
    pub(crate) heard: Option<Vec<HeardBranch>>,
    pub(crate) forgets_assumptions: bool,
    /// The bytes of the inputs, by object, while a test is executed; see `snapshot.rs`.
    pub(crate) given: Option<Vec<Rc<[u8]>>>,
    /// Addresses of functions that the program's own code takes, and of all that are taken, each rising; found at the first
    /// use.
    pub(crate) taken: Option<[Rc<[u64]>; 2]>,
    /// Data of the search for races, if that is on and the program makes threads.
    pub(crate) racing: Option<Racing>,
    /// Values that limits had decided one by one.
    pub(crate) counted: Counted,
    /// The shapes of functions in which arms ran.
    pub(crate) shapes: Shapes,
    /// Conditions of paths and guards of arms, where arms are joined.
    pub(crate) diagrams: Diagrams,
    pub(crate) guards: Guards,
    /// Cost of the joins since the running arm's cost was added up.
    pub(crate) cost_of_joins: u64,
    /// Compiled functions, if functions are compiled.
    pub(crate) compiled: Option<Box<Compiled>>,
    /// An arm runs: what it is told need not hold for the test that is followed.
    pub(crate) in_arm: bool,
}

impl Engine {
    /// An engine for `program`.
    pub fn new(program: Arc<Program>, options: EngineOptions, solver: Solver) -> Engine {
        let excused = vec![0; options.suppressions.0.len()];
        let compiled = compiler(program.functions.len(), options.compile_after);
        let racing = Racing::new(&program, options.checks, options.race_points.as_ref());
        Engine {
            places: Places::new(&program),
            coverage: Coverage::new(&program, options.merge),
            operators: Operators::of(&program),
            slot_bits: program.target.slot_bits(),
            program,
            options,
            terms: Terms::new(),
            solver,
            instructions: 0,
            cursor: 0,
            fresh: Vec::new(),
            learned: Vec::new(),
            settled: None,
            shades: Shades::default(),
            messages: Vec::new(),
            told: FxHashSet::default(),
            excused,
            spare: Vec::new(),
            root: None,
            visits: None,
            noted: None,
            ahead: false,
            watch: None,
            heard: None,
            forgets_assumptions: false,
            given: None,
            taken: None,
            racing,
            counted: Counted::default(),
            shapes: Shapes::default(),
            diagrams: Diagrams::default(),
            guards: Guards::default(),
            cost_of_joins: 0,
            compiled,
            in_arm: false,
        }
    }

    /// The state at the entry of the program.
    pub fn root(&mut self) -> State {
        if self.root.is_none() {
            self.root = Some(self.entry());
        }
        self.root.clone().unwrap_or_else(|| self.entry())
    }

    fn entry(&mut self) -> State {
        let program = &self.program;
        State {
            frame: Frame::first(program, program.main.entry),
            waiting: None,
            callers: None,
            next_frame: 1,
            stack_bytes: 0,
            memory: AddressSpace::new(program, &program.main),
            kernel: Kernel::new(&KernelSpec::of(&self.options.env)),
            parked: None,
            path: PathCondition::default(),
            settled: None,
            depth: 0,
            digest: PathDigest::default(),
            aside: Aside::default(),
            answers: Vec::new(),
            inputs: Rc::new(Vec::new()),
            preferences: Rc::new(Vec::new()),
            jumps: Rc::new(Vec::new()),
            thread_pointer: 0,
            rounding: Rounding::default(),
            failing: Failing::at_most(self.options.fail_malloc),
            failing_calls: Failing::at_most(self.options.env.max_fail),
            short_calls: Failing::at_most(self.options.env.short_io),
            preemptions: Failing::at_most(self.options.env.schedules.preemptions()),
            closed: Rc::new(Vec::new()),
            clocks: None,
            of_library: Rc::default(),
            start: None,
            instructions: 0,
            addresses: Rc::default(),
            recurrence: Recurrence::new(),
            passed: Passed::default(),
            inputs_of_path: Diagram::TRUE,
            care: Diagram::TRUE,
            cost: 0,
            merging: None,
            leaving: None,
            ending: None,
        }
    }

    /// Runs `state` until a decision, the end of its path, or about `fuel` LLVM instructions. `witness` satisfies
    /// its path condition.
    pub fn run(&mut self, state: &mut State, witness: &Witness, fuel: u64) -> Outcome {
        // Only a run ahead of the known paths gives `None`.
        self.run_until(state, witness, fuel).unwrap_or(Outcome::OutOfFuel)
    }

    fn run_until(&mut self, state: &mut State, witness: &Witness, fuel: u64) -> Option<Outcome> {
        let before = state.instructions;
        state.run_alone(&mut self.spare);
        self.coverage.begin_run(&mut state.passed);
        self.begins_compiled_run();
        self.cursor = 0;
        self.fresh.clear();
        self.learned.clear();
        self.settled.clone_from(&state.settled);
        self.racing.iter_mut().for_each(|racing| racing.accessed.clear());
        let limit = before.saturating_add(fuel);
        let ran = self.steps(state, witness, limit);
        self.coverage.end_run();
        let outcome = match ran {
            Ok(()) => Some(Outcome::OutOfFuel),
            Err(Stop::Decide { cond, assume }) => {
                self.suspended(state);
                Some(Outcome::Decision { cond, assume })
            }
            Err(Stop::Unchecked) => {
                self.suspended(state);
                None
            }
            Err(
                Stop::Uncertain { .. } | Stop::AtPoint(_) | Stop::Branch(_) | Stop::Arrives | Stop::Leaves,
            ) => {
                never!("an access or a branch that nobody has decided");
                None
            }
            Err(Stop::End(end)) => {
                let end = in_process(state, self.told_of_streams(state, end));
                let trace = match &end {
                    End::Bug(bug) if !bug.trace.is_empty() => bug.trace.clone(),
                    End::Bug(_) | End::Unsupported(_) | End::AssumedAway => self.trace(state),
                    _ => Vec::new(),
                };
                Some(Outcome::Ended { end: self.judged(end, &trace), trace })
            }
        };
        self.instructions += state.instructions - before;
        outcome
    }

    /// The end of a path, unless it is a bug that is suppressed.
    fn judged(&self, end: End, trace: &[TraceLine]) -> End {
        let End::Bug(bug) = end else { return end };
        match self.options.suppressions.find(bug.kind.name(), trace) {
            Some(by) => End::Suppressed { bug, by },
            None => End::Bug(bug),
        }
    }

    /// The end of a path on which no input satisfies an assumption, and where that is.
    pub fn excluded(&self, state: &State) -> (End, Vec<TraceLine>) {
        let trace = self.trace(state);
        (self.judged(self.assumed_away(), &trace), trace)
    }

    /// The end of a path on which no input satisfies an assumption: a bug, if that check is on.
    pub(crate) fn assumed_away(&self) -> End {
        // Other inputs may satisfy the assumption.
        if self.given.is_some() {
            return End::Rejected;
        }
        if !self.options.checks.has(Family::Assumption) {
            return End::AssumedAway;
        }
        let message = "no input that comes here satisfies the assumption: klee_assume is provably false";
        End::Bug(Bug { kind: BugKind::User, message: message.into(), trace: Vec::new() })
    }

    /// The image that a state's running function belongs to.
    pub(crate) fn image(&self, state: &State) -> &Image {
        self.program.image_of(state.frame.func)
    }

    /// Number of reads that each suppression has excused.
    pub fn excused(&self) -> &[u64] {
        &self.excused
    }

    /// As [`Engine::run`], for a state whose path is not known to be feasible. `None` if the next step is seen from outside of
    /// the path, or needs a witness: the caller checks the path, and runs the state again with its witness.
    pub fn run_ahead(&mut self, state: &mut State, fuel: u64) -> Option<Outcome> {
        let nothing = self.terms.witness(&[]);
        self.ahead = true;
        let outcome = self.run_until(state, &nothing, fuel);
        self.ahead = false;
        outcome
    }

    /// Lets `state` go on with one side of the decision that stopped it.
    pub fn take(&mut self, state: &mut State, cond: Term, side: bool) {
        let (taken, mark) = self.took(state, cond, side);
        self.solver.assume_marked(&mut self.terms, &mut state.path, taken, mark);
        self.keeps_care(state, taken);
        match state.leaving.take() {
            None => state.answers.push(Reply::Side(side)),
            Some(leaving) => self.take_arm(state, leaving, side),
        }
    }

    /// Whether a state is at its end once it is told a side.
    pub fn ends_at(&self, state: &State, side: Option<bool>) -> bool {
        let leaves = state.leaving.as_ref().is_some_and(|leaving| leaving.end.is_some());
        state.ending.is_some() || (leaves && side == Some(false))
    }

    /// As [`Engine::take`], for a state of which only the depth, the digest and the decisions will be looked at.
    pub fn list(&mut self, state: &mut State, cond: Term, side: bool) {
        let (taken, mark) = self.took(state, cond, side);
        state.path.list(taken, mark);
    }

    /// Counts a side of a decision. Returns the condition that holds from now on, and its mark.
    fn took(&mut self, state: &mut State, cond: Term, side: bool) -> (Term, u32) {
        state.depth += 1;
        self.decides_aside(state);
        state.digest = state.digest.extend(self.terms.hash_of(cond), side);
        (self.side(cond, side), self.mark(&state.frame, side))
    }

    /// The condition that holds on a side of a decision.
    fn side(&mut self, cond: Term, side: bool) -> Term {
        if side { cond } else { self.terms.not(cond) }
    }

    /// The decisions behind a state without the rest of it. The copy answers the same queries and takes the same sides, but
    /// must not be run; it shares no memory or registers, so those of the state can change in place.
    pub fn point(&self, state: &State) -> State {
        let root = self.root.as_ref().unwrap_or(state);
        State {
            frame: Frame { func: state.frame.func, pc: state.frame.pc, ..Frame::default() },
            waiting: None,
            callers: None,
            memory: AddressSpace::default(),
            kernel: root.kernel.clone(),
            parked: None,
            path: state.path.clone(),
            settled: None,
            recurrence: Recurrence::default(),
            answers: Vec::new(),
            inputs: state.inputs.clone(),
            preferences: root.preferences.clone(),
            jumps: root.jumps.clone(),
            closed: root.closed.clone(),
            clocks: None,
            of_library: root.of_library.clone(),
            start: None,
            addresses: Rc::default(),
            passed: Passed::default(),
            merging: None,
            leaving: None,
            ending: None,
            ..*state
        }
    }

    /// Checks if one side of a decision can hold on the state's path; `near` satisfies the path condition.
    pub fn ask(&mut self, state: &State, cond: Term, side: bool, near: &Witness) -> Answer {
        let wanted = self.side(cond, side);
        match self.answer_of_guards(state, wanted, near) {
            Some(answer) => answer,
            None => self.solver.ask(&mut self.terms, &state.path, wanted, near),
        }
    }

    /// As [`Engine::ask`]; where the side cannot hold, the conditions that exclude it are named.
    pub fn ask_why(&mut self, state: &State, cond: Term, side: bool, near: &Witness) -> Answer {
        let wanted = self.side(cond, side);
        self.solver.ask_why(&mut self.terms, &state.path, wanted, near)
    }

    /// As [`Engine::ask`], with little work, and less with `hurry`; `None` if that is not enough.
    pub fn ask_first(
        &mut self,
        state: &State,
        (cond, side): (Term, bool),
        near: &Witness,
        hurry: bool,
    ) -> Option<Answer> {
        let wanted = self.side(cond, side);
        match self.answer_of_guards(state, wanted, near) {
            Some(answer) => Some(answer),
            None => self.solver.ask_first(&mut self.terms, &state.path, (wanted, hurry), near),
        }
    }

    /// Checks if the path can take all these sides of successive decisions from the state on; `near` satisfies its path
    /// condition.
    pub fn ask_together(&mut self, state: &State, sides: &[(Term, bool)], near: &Witness) -> Together {
        let mut wanted = Vec::with_capacity(sides.len());
        for &(cond, side) in sides {
            wanted.push(self.side(cond, side));
        }
        self.solver.ask_together(&mut self.terms, &state.path, &wanted, near)
    }

    /// A test as a witness.
    pub fn prepare(&mut self, test: &Test) -> Witness {
        let mut patch = Vec::new();
        for (k, object) in test.objects.iter().enumerate() {
            for (i, &v) in object.bytes.iter().enumerate() {
                if v != 0 {
                    patch.push((self.terms.byte_id(k as u32, i as u32), v));
                }
            }
        }
        let nothing = self.terms.witness(&[]);
        self.terms.patched(&nothing, patch)
    }

    /// The witness as a test of the state's inputs.
    pub fn write_down(&mut self, state: &State, witness: &Witness) -> Test {
        let inputs = state.inputs.iter().enumerate();
        let objects = inputs.map(|(k, input)| Object {
            name: input.name.to_string(),
            bytes: (0..input.len).map(|i| witness.get(self.terms.byte_id(k as u32, i))).collect(),
        });
        Test { objects: objects.collect() }
    }

    /// The witness of a finished path, changed to satisfy the soft constraints of `klee_prefer_cex` as far as little work
    /// allows: they are not worth more than the path took.
    pub fn preferred(&mut self, state: &State, witness: &Witness) -> Witness {
        let mut witness = witness.clone();
        let mut path = state.path.clone();
        let before = self.terms.work();
        for &wish in state.preferences.iter() {
            if !self.terms.holds(wish, &witness) {
                if self.terms.work().wrapping_sub(before) > WISHES {
                    continue;
                }
                match self.solver.ask_cheaply(&mut self.terms, &path, wish, &witness) {
                    Some(better) => witness = better,
                    None => continue,
                }
            }
            self.solver.assume(&mut self.terms, &mut path, wish);
        }
        witness
    }

    /// The results of a finished path.
    pub fn finished(&mut self, state: &State, end: &End, witness: &Witness) -> Finished {
        let mut seen = |b| match b {
            Byte::Known(v) => v,
            Byte::Symbolic(t) => self.terms.eval(t, witness) as u8,
        };
        let stdout = state.kernel.stdout(&mut seen);
        let status = if let End::Exit(status) = *end { Some(seen(status)) } else { None };
        Finished { test: self.write_down(state, witness), stdout, status }
    }

    /// Answers on the state's path that are the model's own: refusals of calls that Linux would grant.
    pub fn made_up<'a>(&self, state: &'a State) -> impl Iterator<Item = &'a str> {
        state.kernel.made_up().iter().map(|what| &**what)
    }

    /// Approximate memory of terms and what is kept of them, in bytes.
    pub fn memory(&self) -> usize {
        self.terms.memory() + self.diagrams.memory()
    }

    /// Adds a message, unless it was said before. Executions say nothing.
    pub(crate) fn say_once(&mut self, text: String) {
        if self.given.is_none() && self.told.insert(text.clone()) {
            self.messages.push(Message::once(text));
        }
    }

    /// Takes the messages since the last call: those of `klee_warning` and `klee_print_expr`, and the engine's own.
    pub fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }

    pub(crate) fn new_input(&mut self, inputs: &mut Rc<Vec<Input>>, name: &str, len: u32) -> Vec<Byte> {
        let object = inputs.len() as u32;
        Rc::make_mut(inputs).push(Input { name: name.into(), len });
        if let Some(given) = &self.given {
            let bytes = given.get(object as usize).map_or(&[][..], |bytes| bytes);
            return (0..len as usize).map(|i| Byte::Known(bytes.get(i).copied().unwrap_or(0))).collect();
        }
        (0..len).map(|i| Byte::Symbolic(self.terms.byte(object, i))).collect()
    }
}

/// A bug names its process and its thread, where there are several.
fn in_process(state: &State, end: End) -> End {
    match end {
        End::Bug(mut bug) if state.kernel.has_several() => {
            let (processes, threads) = state.kernel.has_made();
            if threads {
                bug.message = format!("in thread {}: {}", state.kernel.running_thread(), bug.message);
            }
            if processes {
                bug.message = format!("in process {}: {}", state.kernel.running(), bug.message);
            }
            End::Bug(bug)
        }
        end => end,
    }
}

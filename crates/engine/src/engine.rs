//! The engine: its options, and what it holds for the states that it steps. `running.rs` has its operations.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use cleave_diagram::Diagrams;
use cleave_expr::{Term, Terms};
use cleave_linux::env::EnvSpec;
use cleave_memory::Byte;
use cleave_program::code::{Image, Position, Program};
use cleave_region::{BugKind, Message, Test};
use cleave_solver::{PathCondition, Solver};
use rustc_hash::FxHashSet;

use crate::checking::checks::{Checks, Family};
use crate::checking::suppress::Suppressions;
use crate::compiled::{Compiled, compiler};
use crate::limits::{Counted, Limits};
use crate::merging::guards::Guards;
use crate::merging::shapes::Shapes;
use crate::ops::operators::Operators;
use crate::states::coverage::Coverage;
use crate::states::places::Places;
use crate::states::state::{Caller, Input, Reply, State};
use crate::states::visits::Visits;
use crate::states::watch::{HeardBranch, Watch};
use crate::stop::{Bug, End};
use crate::threads::noted::Noted;
use crate::threads::racing::Racing;
use crate::undefined::shades::Shades;

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

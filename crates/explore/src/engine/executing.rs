//! Executions of a program for a mutator, with their novelty: [`Executions`]. [`crate::Programs`] has one from its first
//! execution on, and keeps it when it is renewed.

use cleave_coverage::Marks;
use cleave_engine::{Bug, End, Engine, Executed, State, Visits};
use cleave_program::code::Program;
use cleave_region::{PathKind, Test};

use crate::engine::bug_places::place_name;
use crate::space::{Ending, Execution};
use crate::strategy::mixed;

/// The executions of a program so far.
pub(crate) struct Executions {
    /// The state before the first input of the current engine; the inner `None` if there is no input.
    snapshot: Option<Option<State>>,
    /// Counts of one execution, and marks of the accesses of all.
    visits: Visits,
    /// By op: a bit for each power of two of visits in one execution.
    seen: Vec<u32>,
    /// The coverage marks that executions have passed.
    passed: Marks,
    /// [`Visits::access_marks`] after the last execution.
    accesses: u64,
    /// Number of executions, and of their instructions.
    pub(crate) count: u64,
    pub(crate) instructions: u64,
}

impl Executions {
    pub(crate) fn new(program: &Program) -> Executions {
        let mut visits = Visits::new(program);
        visits.mark_accesses();
        let seen = vec![0; visits.ops()];
        let (passed, accesses) = (Marks::default(), visits.access_marks());
        Executions { snapshot: None, visits, seen, passed, accesses, count: 0, instructions: 0 }
    }

    /// To be called before the engine is replaced: states belong to it.
    pub(crate) fn forget_engine(&mut self) {
        self.snapshot = None;
    }

    /// Executes a test. `None` if the program has no input.
    pub(crate) fn execute(&mut self, engine: &mut Engine, test: &Test, fuel: u64) -> Option<Execution> {
        let snapshot = self.snapshot.get_or_insert_with(|| engine.snapshot()).as_ref()?;
        let before = snapshot.instructions();
        let (executed, state) = engine.execute_test(snapshot, test, fuel, &mut self.visits);
        let instructions = state.instructions() - before;
        self.count += 1;
        self.instructions += instructions;
        let (mut new, mut places, mut hash) = (0, 0, 0u64);
        let ending = ending(executed);
        // An input that is refused is no test, and a cut path no result: their marks are left to others.
        let counts = !matches!(ending, Ending::Excluded | Ending::TooLong);
        let seen = &mut self.seen;
        self.visits.drain(|op, count| {
            let level = count.ilog2();
            places += 1;
            hash = mixed(hash, u64::from(op) << 8 ^ u64::from(level));
            if counts && seen[op as usize] & 1 << level == 0 {
                seen[op as usize] |= 1 << level;
                new += 1;
            }
        });
        let accesses = self.visits.access_marks();
        let of_accesses = accesses - std::mem::replace(&mut self.accesses, accesses);
        if counts {
            let nothing = engine.terms.witness(&[]);
            let news = engine.news(&state, &nothing);
            new += news.into_iter().filter(|&mark| self.passed.insert(mark)).count() as u64 + of_accesses;
        }
        let test = if counts { engine.objects_of(&state, test) } else { test.clone() };
        Some(Execution { test, ending, instructions, new, places, hash })
    }
}

fn ending(executed: Executed) -> Ending {
    let (end, trace) = match executed {
        Executed::Ended { end, trace } => (end, trace),
        Executed::Excluded => return Ending::Excluded,
        Executed::OutOfFuel => return Ending::TooLong,
    };
    let place = || place_name(&trace);
    match end {
        End::Exit(_) | End::Signal(_) => Ending::Path { kind: PathKind::Completed, bug: None },
        End::Bug(Bug { kind, .. }) => {
            Ending::Path { kind: PathKind::Failed, bug: Some((kind.name().to_string(), place())) }
        }
        End::Suppressed { .. } => Ending::Path { kind: PathKind::Suppressed, bug: None },
        End::Unsupported(_) => Ending::Path { kind: PathKind::Unsupported, bug: None },
        End::Silent | End::Rejected | End::AssumedAway => Ending::Excluded,
    }
}

//! The engine's public operations, for searches: a root state, a run of a state, a side of a decision, questions about it, and the results
//! of a finished path.

use std::rc::Rc;

use cleave_diagram::Diagram;
use cleave_expr::{Term, Witness};
use cleave_float::Rounding;
use cleave_linux::{Kernel, KernelSpec};
use cleave_memory::{AddressSpace, Byte};
use cleave_never::never;
use cleave_region::{Object, PathDigest, Test};
use cleave_solver::{Answer, PathCondition, Together};

use crate::checking::rounds::Recurrence;
use crate::engine::Engine;
use crate::states::coverage::Passed;
use crate::states::state::{Aside, Failing, Frame, Reply, State};
use crate::stop::{End, Outcome, Stop, TraceLine};

/// Work for the soft constraints of a path (`preferences`), in tenths of a microsecond.
const WISHES: u64 = 1 << 11;

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

impl Engine {
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
    pub fn ask_side(&mut self, state: &State, cond: Term, side: bool, near: &Witness) -> Answer {
        let wanted = self.side(cond, side);
        match self.answer_of_guards(state, wanted, near) {
            Some(answer) => answer,
            None => self.solver.ask(&mut self.terms, &state.path, wanted, near),
        }
    }

    /// As [`Engine::ask_side`]; where the side cannot hold, the conditions that exclude it are named.
    pub fn ask_why(&mut self, state: &State, cond: Term, side: bool, near: &Witness) -> Answer {
        let wanted = self.side(cond, side);
        self.solver.ask_why(&mut self.terms, &state.path, wanted, near)
    }

    /// As [`Engine::ask_side`], with little work, and less with `hurry`; `None` if that is not enough.
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

//! The transition system under exploration: trait [`Space`]. Explorers call it; the engine ([`crate::Programs`]) and the toy
//! trees of tests and simulations implement it.

use std::ops::Range;
use std::sync::Arc;

use cleave_region::{Fingerprints, PathDigest, PathKind, Test};

use crate::engine::control_flow::Flow;
use crate::strategy::Place;

/// Result of running a state.
#[derive(Clone, Debug)]
pub enum Outcome<C, E> {
    /// A decision on a condition.
    Decision {
        /// The condition.
        cond: C,
        /// Only the true side is a path (an assumption).
        assume: bool,
    },
    /// The path is at its end.
    Ended(E),
    /// The fuel is used up.
    OutOfFuel,
}

/// Feasibility of a side.
#[derive(Clone, Debug)]
pub enum Answer<W> {
    /// The side is feasible, and this witness takes it.
    Feasible(W),
    /// The side is infeasible.
    Infeasible,
    /// The solver did not decide, for this reason.
    Unknown(String),
}

impl<W> Answer<W> {
    /// True if feasible, false if infeasible; `None` if unknown.
    pub(crate) fn is_feasible(&self) -> Option<bool> {
        match self {
            Answer::Feasible(_) => Some(true),
            Answer::Infeasible => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    /// The answer in words.
    pub(crate) fn word(&self) -> &str {
        match self {
            Answer::Feasible(_) => "feasible",
            Answer::Infeasible => "infeasible",
            Answer::Unknown(reason) => reason,
        }
    }
}

/// Feasibility of several consecutive sides together.
#[derive(Clone, Debug)]
pub enum Together<W> {
    /// They are feasible together, and this witness takes them.
    Feasible(W),
    /// They are infeasible, and so are already the first `within` of them, at least one.
    Infeasible {
        /// Number of sides.
        within: usize,
    },
    /// The solver did not decide, for this reason.
    Unknown(String),
}

/// Result of executing a test with known bytes.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The test: the objects that the execution made.
    pub test: Test,
    /// Its end.
    pub ending: Ending,
    /// Number of its instructions.
    pub instructions: u64,
    /// Number of marks that no execution before it has passed.
    pub new: u64,
    /// Number of places that it visited.
    pub places: u64,
    /// A hash of these and of the powers of two of their visits.
    pub hash: u64,
}

/// End of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The end of a path.
    Path {
        /// Its kind.
        kind: PathKind,
        /// Kind and place of its bug.
        bug: Option<(String, String)>,
    },
    /// The test is refused, or the end is no result.
    Excluded,
    /// The fuel is used up.
    TooLong,
}

/// A space of paths: states that run from decision to decision.
pub trait Space {
    /// A point of the exploration, cheap to clone.
    type State: Clone;
    /// The condition of a decision.
    type Cond: Clone;
    /// A test prepared for evaluation, cheap to clone.
    type Witness: Clone;
    /// Result of a finished path.
    type End;

    /// The state at the entry.
    fn root(&mut self) -> Self::State;
    /// A test as a witness.
    fn prepare(&mut self, test: &Test) -> Self::Witness;
    /// A witness of the path that the exploration of the whole space begins with.
    fn first_witness(&mut self) -> Self::Witness {
        self.prepare(&Test::default())
    }
    /// A witness as a test of the inputs that the state has seen.
    fn write_down(&mut self, state: &Self::State, witness: &Self::Witness) -> Test;
    /// Runs until the next decision, the end of the path, or about `fuel` instructions.
    fn run(
        &mut self,
        state: &mut Self::State,
        witness: &Self::Witness,
        fuel: u64,
    ) -> Outcome<Self::Cond, Self::End>;
    /// As [`Space::run`], for a state whose path is unchecked; it need not be feasible. `None` without any change if the next
    /// operation is visible from outside, or needs a witness.
    fn run_ahead(&mut self, state: &mut Self::State, fuel: u64) -> Option<Outcome<Self::Cond, Self::End>> {
        let witness = self.prepare(&Test::default());
        Some(self.run(state, &witness, fuel))
    }
    /// True if the state's path is seen to be infeasible without a query.
    fn contradicts(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }
    /// The reported end of a path at an assumption that no input of it satisfies; `None` if such paths are only
    /// counted.
    fn assumed_away(&self, state: &Self::State) -> Option<Self::End> {
        let _ = state;
        None
    }
    /// The side that the witness takes, without a solver.
    fn decides(&mut self, cond: &Self::Cond, witness: &Self::Witness) -> bool;
    /// Asks if `side` is feasible; `near` satisfies the path condition of the state.
    fn ask(
        &mut self,
        state: &Self::State,
        cond: &Self::Cond,
        side: bool,
        near: &Self::Witness,
    ) -> Answer<Self::Witness>;
    /// As [`Space::ask`], with little work, the same each time, and less with `hurry`: hard questions have had their part of the work.
    /// `None` if that is not enough.
    fn ask_first(
        &mut self,
        state: &Self::State,
        (cond, side): (&Self::Cond, bool),
        near: &Self::Witness,
        _hurry: bool,
    ) -> Option<Answer<Self::Witness>> {
        Some(self.ask(state, cond, side, near))
    }
    /// Asks if all of `sides`, one or more consecutive decisions from the state on, are feasible together; `near`
    /// satisfies the path condition of the state. One query.
    fn ask_together(
        &mut self,
        state: &Self::State,
        sides: &[(Self::Cond, bool)],
        near: &Self::Witness,
    ) -> Together<Self::Witness> {
        let (mut state, mut near) = (state.clone(), near.clone());
        for (i, (cond, side)) in sides.iter().enumerate() {
            if self.decides(cond, &near) != *side {
                match self.ask(&state, cond, *side, &near) {
                    Answer::Feasible(witness) => near = witness,
                    Answer::Infeasible => return Together::Infeasible { within: i + 1 },
                    Answer::Unknown(reason) => return Together::Unknown(reason),
                }
            }
            self.take(&mut state, cond, *side);
        }
        Together::Feasible(near)
    }
    /// Returns true if the path of `witness` comes through the state, without a solver; `false` if unknown.
    fn leads(&mut self, witness: &Self::Witness, state: &Self::State) -> bool {
        let _ = (witness, state);
        false
    }
    /// Continues the state with a side.
    fn take(&mut self, state: &mut Self::State, cond: &Self::Cond, side: bool);
    /// As [`Space::take`], for a state of which only the depth, the digest and the decisions will be read: it will not be queried
    /// or run.
    fn pass(&mut self, state: &mut Self::State, cond: &Self::Cond, side: bool) {
        self.take(state, cond, side);
    }
    /// The decisions behind the state without the rest of it, if that is smaller: good for queries and for taking sides, not
    /// for running.
    fn point(&self, state: &Self::State) -> Self::State {
        state.clone()
    }
    /// To be called before a state at a decision is cloned: the clones then share data until they run. It does not
    /// change the meaning of the state.
    fn share(&self, state: &mut Self::State) {
        let _ = state;
    }
    /// Decisions behind the state.
    fn depth(&self, state: &Self::State) -> u32;
    /// The digest of the decisions behind the state.
    fn digest(&self, state: &Self::State) -> PathDigest;
    /// The decisions behind the state, each in the form of [`Fingerprints::one`]; cuts keep them. Empty
    /// if the space does not support it.
    ///
    /// [`Fingerprints::one`]: cleave_region::Fingerprints::one
    fn decisions(&self, state: &Self::State) -> Vec<u8> {
        let _ = state;
        Vec::new()
    }
    /// The same, folded for a cut.
    fn fingerprints(&self, state: &Self::State) -> Fingerprints {
        Fingerprints::of(&self.decisions(state))
    }
    /// Some of the decisions behind the state in words, one per line, with their places.
    fn describe(&self, state: &Self::State, decisions: Range<usize>) -> Vec<String> {
        let _ = (state, decisions);
        Vec::new()
    }
    /// The place of the decision at which the state stands, as a number that is spread over 64 bits: forks of one place are
    /// alike. 0 if the space does not support it.
    fn site(&self, state: &Self::State) -> u64 {
        let _ = state;
        0
    }
    /// Number of decisions made in the library call that the state is in, including that of `side` at a branch;
    /// 0 in the program's own code, or if the space does not support it.
    fn aside(&self, state: &Self::State, side: Option<bool>) -> u32 {
        let _ = (state, side);
        0
    }
    /// Instructions on the state's path.
    fn instructions(&self, state: &Self::State) -> u64 {
        let _ = state;
        0
    }
    /// Whether the state's path is at its end, once it has taken `side` of the decision at hand: then it is run before all others.
    fn ends_at(&self, state: &Self::State, side: Option<bool>) -> bool {
        let _ = (state, side);
        false
    }
    /// The loop in which the state's path has been for long, in words, and its approximate number of rounds. `None` if no such
    /// loop is known.
    fn spinning(&self, state: &Self::State) -> Option<(String, u64)> {
        let _ = state;
        None
    }
    /// Work since the space was new, in addition to the instructions of states: of its solver, and in evaluation. A unit takes
    /// about as long as an instruction, and the same work has the same sum each time. 0 if the space does not count it.
    fn work(&self) -> u64 {
        0
    }
    /// The graph of the program, for strategies that measure distances in its code.
    fn flow(&mut self) -> Option<Arc<Flow>> {
        None
    }
    /// Counts the visits of states from now on.
    fn count_visits(&mut self) {}
    /// The visited places, in the order of first visits, without the first `known`.
    fn covered(&self, known: usize) -> Vec<Place> {
        let _ = known;
        Vec::new()
    }
    /// Looks for marks of accesses from now on. Visits are counted.
    fn mark_accesses(&mut self) {}
    /// Number of marks of accesses so far: an access that came nearer to the end of its object than any before, a value that was not
    /// stored before.
    fn access_marks(&self) -> u64 {
        0
    }
    /// Looks from now on at branches that known values decide.
    fn watch_guards(&mut self) {}
    /// The sides that no state has taken of branches that known values decide, where the state has a value with which no state came
    /// there.
    fn fitting(&self, state: &Self::State) -> Vec<Place> {
        let _ = state;
        Vec::new()
    }
    /// Number of visits of states to the block of a place.
    fn visits(&self, place: Place) -> u64 {
        let _ = place;
        0
    }
    /// Place of the state; for a state at a branch with `side`, the place after that side. The innermost function
    /// comes first; the outermost of many may be omitted.
    fn stack(&self, state: &Self::State, side: Option<bool>) -> Vec<Place> {
        let _ = (state, side);
        Vec::new()
    }
    /// From now on looks at each decision for a word with which the program compares its input: see [`Space::take_suggested`].
    fn look_for_words(&mut self) {}
    /// Looks at the state's decision, under a witness. `is_new`: it is on the way of a test that came to something new.
    fn note_words(&mut self, state: &Self::State, witness: &Self::Witness, is_new: bool) {
        let _ = (state, witness, is_new);
    }
    /// The next test that has such a word where it is compared.
    fn take_suggested(&mut self) -> Option<Test> {
        None
    }
    /// Executes a test with known bytes, for about `fuel` instructions at most; it is no path of the exploration. `None` if the
    /// space cannot, or has no inputs.
    fn execute(&mut self, test: &Test, fuel: u64) -> Option<Execution> {
        let _ = (test, fuel);
        None
    }
    /// Words that inputs of the program may contain, for mutators.
    fn words(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }
    /// True if the space should be renewed because its memory has grown large.
    fn is_full(&self) -> bool {
        false
    }
    /// True if the memory of the space leaves no room to continue a path that depends on it.
    fn is_exhausted(&self) -> bool {
        false
    }
    /// Forgets everything but the program. All states, conditions and witnesses are void afterwards.
    fn renew(&mut self) {}
}

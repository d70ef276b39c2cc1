//! What is explored.

use std::ops::Range;
use std::sync::Arc;

use cleave_region::{Fingerprints, PathDigest, Test};

use crate::flow::Flow;
use crate::strategy::Place;

/// What running a state came to.
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

/// Whether a side can be taken.
#[derive(Clone, Debug)]
pub enum Answer<W> {
    /// It can, and this takes it.
    Feasible(W),
    /// It cannot.
    Infeasible,
    /// Nobody knows, and why.
    Unknown(String),
}

impl<W> Answer<W> {
    /// Whether it can, if that is known.
    pub(crate) fn is_feasible(&self) -> Option<bool> {
        match self {
            Answer::Feasible(_) => Some(true),
            Answer::Infeasible => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    /// In a word, or a few.
    pub(crate) fn word(&self) -> &str {
        match self {
            Answer::Feasible(_) => "feasible",
            Answer::Infeasible => "infeasible",
            Answer::Unknown(reason) => reason,
        }
    }
}

/// Whether several sides, one after the other, can be taken.
#[derive(Clone, Debug)]
pub enum Together<W> {
    /// They can, and this takes them.
    Feasible(W),
    /// They cannot, and already the first `within` of them, at least one, cannot.
    Infeasible {
        /// How many.
        within: usize,
    },
    /// Nobody knows, and why.
    Unknown(String),
}

/// A space of paths: states that run from decision to decision.
pub trait Space {
    /// A point of the exploration, cheap to clone.
    type State: Clone;
    /// The condition of a decision.
    type Cond: Clone;
    /// A test prepared for evaluation, cheap to clone.
    type Witness: Clone;
    /// What a finished path says.
    type End;

    /// The state at the entry.
    fn root(&mut self) -> Self::State;
    /// A test as a witness.
    fn prepare(&mut self, test: &Test) -> Self::Witness;
    /// A witness as a test of the inputs that the state has seen.
    fn write_down(&mut self, state: &Self::State, witness: &Self::Witness) -> Test;
    /// Runs until the next decision, the end of the path, or about `fuel` instructions.
    fn run(
        &mut self,
        state: &mut Self::State,
        witness: &Self::Witness,
        fuel: u64,
    ) -> Outcome<Self::Cond, Self::End>;
    /// As [`Space::run`], for a state whose path nobody has asked for; it need not be feasible. `None`: what comes next
    /// is seen from outside, or needs a witness; it was not done.
    fn run_ahead(&mut self, state: &mut Self::State, fuel: u64) -> Option<Outcome<Self::Cond, Self::End>> {
        let witness = self.prepare(&Test::default());
        Some(self.run(state, &witness, fuel))
    }
    /// Whether the state's path is seen to be infeasible without a question.
    fn contradicts(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }
    /// What is said of a path that stands before an assumption which no input of it satisfies; `None` where such
    /// paths are only counted.
    fn assumed_away(&self, state: &Self::State) -> Option<Self::End> {
        let _ = state;
        None
    }
    /// The side that the witness takes; no solver.
    fn decides(&mut self, cond: &Self::Cond, witness: &Self::Witness) -> bool;
    /// Whether `side` can be taken; `near` satisfies what holds on the state's path.
    fn ask(
        &mut self,
        state: &Self::State,
        cond: &Self::Cond,
        side: bool,
        near: &Self::Witness,
    ) -> Answer<Self::Witness>;
    /// As [`Space::ask`], with little work, the same each time. `None` if that is not enough.
    fn ask_first(
        &mut self,
        state: &Self::State,
        cond: &Self::Cond,
        side: bool,
        near: &Self::Witness,
    ) -> Option<Answer<Self::Witness>> {
        Some(self.ask(state, cond, side, near))
    }
    /// Whether all of `sides`, one or more decisions that follow one another, can be taken from the state on; `near`
    /// satisfies what holds on the state's path. One question.
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
    /// Whether the path of `witness` comes through the state; no solver. `false` where nobody knows.
    fn leads(&mut self, witness: &Self::Witness, state: &Self::State) -> bool {
        let _ = (witness, state);
        false
    }
    /// Lets the state go on with a side.
    fn take(&mut self, state: &mut Self::State, cond: &Self::Cond, side: bool);
    /// As [`Space::take`], for a state of which only the depth, the digest and the decisions will be looked at: nothing will be
    /// asked of it, and it will not be run.
    fn pass(&mut self, state: &mut Self::State, cond: &Self::Cond, side: bool) {
        self.take(state, cond, side);
    }
    /// The decisions behind a state and nothing else of it, where that is less: to ask and to take sides, not to be
    /// run.
    fn point(&self, state: &Self::State) -> Self::State {
        state.clone()
    }
    /// To be called before a state at a decision is cloned: the clones then share what they can until they run. It
    /// changes nothing of what the state is.
    fn share(&self, state: &mut Self::State) {
        let _ = state;
    }
    /// Decisions behind the state.
    fn depth(&self, state: &Self::State) -> u32;
    /// The digest of the decisions behind the state.
    fn digest(&self, state: &Self::State) -> PathDigest;
    /// The decisions behind the state, each as [`Fingerprints::one`] has it: what a cut remembers of them. Nothing
    /// where the space does not tell.
    ///
    /// [`Fingerprints::one`]: cleave_region::Fingerprints::one
    fn decisions(&self, state: &Self::State) -> Vec<u8> {
        let _ = state;
        Vec::new()
    }
    /// The same folded, as a cut keeps it.
    fn fingerprints(&self, state: &Self::State) -> Fingerprints {
        Fingerprints::of(&self.decisions(state))
    }
    /// Some of the decisions behind the state in words, a line each: what was decided, and where.
    fn describe(&self, state: &Self::State, decisions: Range<usize>) -> Vec<String> {
        let _ = (state, decisions);
        Vec::new()
    }
    /// The place of the decision at which the state stands, as a number that is spread over 64 bits: forks of one place are
    /// alike. 0 where the space does not tell.
    fn site(&self, state: &Self::State) -> u64 {
        let _ = state;
        0
    }
    /// How many decisions were made in the call of a library that the state is in, that of the side of a branch among them;
    /// 0 where the program's own code runs, or the space does not tell.
    fn aside(&self, state: &Self::State, side: Option<bool>) -> u32 {
        let _ = (state, side);
        0
    }
    /// Instructions on the state's path.
    fn instructions(&self, state: &Self::State) -> u64 {
        let _ = state;
        0
    }
    /// The loop that the state's path has been in for long, in words, and about how many rounds of it were made. `None` where none
    /// is known.
    fn spinning(&self, state: &Self::State) -> Option<(String, u64)> {
        let _ = state;
        None
    }
    /// Work since the space was new, beside the instructions of states: of its solver, and in evaluation. A unit takes about as long as
    /// an instruction, and the same work has the same sum each time. 0 where the space does not count it.
    fn work(&self) -> u64 {
        0
    }
    /// The graph of the program, for strategies that ask where its code leads.
    fn flow(&mut self) -> Option<Arc<Flow>> {
        None
    }
    /// From now on, what states come to is counted.
    fn count_visits(&mut self) {}
    /// The places that states came to, in the order of the first time, without the first `known`.
    fn covered(&self, known: usize) -> Vec<Place> {
        let _ = known;
        Vec::new()
    }
    /// How often states came to the block of a place.
    fn visits(&self, place: Place) -> u64 {
        let _ = place;
        0
    }
    /// Where the state stands, or goes on if it stands at a branch whose side is taken or is `side`: the innermost function
    /// first; the outermost of many may be left out.
    fn stack(&self, state: &Self::State, side: Option<bool>) -> Vec<Place> {
        let _ = (state, side);
        Vec::new()
    }
    /// Whether the space should be renewed: what it remembers has grown large.
    fn is_full(&self) -> bool {
        false
    }
    /// Whether what the space remembers leaves no room to go on with a path that it has to be remembered for.
    fn is_exhausted(&self) -> bool {
        false
    }
    /// Forgets everything but the program. All states, conditions and witnesses are void afterwards.
    fn renew(&mut self) {}
}

//! What is explored.

use cleave_region::{PathDigest, Test};

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
    /// Lets the state go on with a side.
    fn take(&mut self, state: &mut Self::State, cond: &Self::Cond, side: bool);
    /// Decisions behind the state.
    fn depth(&self, state: &Self::State) -> u32;
    /// The digest of the decisions behind the state.
    fn digest(&self, state: &Self::State) -> PathDigest;
    /// Whether the space should be renewed: what it remembers has grown large.
    fn is_full(&self) -> bool {
        false
    }
    /// Forgets everything but the program. All states, conditions and witnesses are void afterwards.
    fn renew(&mut self) {}
}

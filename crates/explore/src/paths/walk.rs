//! Following a test without a solver, from decision to decision, to the end of its path. Cuts, seeds, and the commands that show
//! a path call it.

use std::ops::ControlFlow;
use std::time::Instant;

use cleave_region::{Cut, Test, Weight};

use crate::paths::checkpoints::Trail;
use crate::space::{Outcome, Space};
use crate::states::node::Bound;

/// Instructions between two checks of the reach.
const FUEL: u64 = 1 << 20;

/// Limit for following a test: its path may have no end.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Instructions. A decision counts as one at least.
    pub instructions: u64,
    /// Decisions.
    pub decisions: u64,
    /// Deadline; the first slice of instructions is run in any case.
    pub until: Option<Instant>,
}

impl From<u64> for Reach {
    /// A reach of about this number of instructions.
    fn from(instructions: u64) -> Reach {
        Reach { instructions, decisions: u64::MAX, until: None }
    }
}

/// The rest of a [`Reach`].
struct Left {
    reach: Reach,
    /// The state's instructions at the start of the walk.
    start: u64,
    decisions: u64,
}

impl Left {
    fn of<S: Space>(space: &S, state: &S::State, reach: Reach) -> Left {
        Left { reach, start: space.instructions(state), decisions: 0 }
    }

    fn is_over<S: Space>(&self, space: &S, state: &S::State, decides: bool) -> bool {
        let ran = space.instructions(state).saturating_sub(self.start).max(self.decisions);
        ran >= self.reach.instructions
            || decides && self.decisions >= self.reach.decisions
            || space.is_exhausted()
            || self.reach.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// A decision on the way of a test.
pub struct Passing<'a, S: Space> {
    /// The state at the decision. A visitor may [share](Space::share) it.
    pub state: &'a mut S::State,
    /// The condition.
    pub cond: &'a S::Cond,
    /// True for an assumption: only the true side is a path.
    pub assume: bool,
    /// The side that the test takes.
    pub side: bool,
}

impl<S: Space> Passing<'_, S> {
    /// True if the test's way ends here, at an assumption that it violates.
    pub fn is_excluded(&self) -> bool {
        self.assume && !self.side
    }
}

/// End of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walked<E, B> {
    /// The end of the path.
    Ended(E),
    /// A violated assumption.
    Excluded,
    /// The limit of the reach.
    Endless,
    /// The place where the visitor stopped it.
    Left(B),
}

/// An event of a walk.
pub enum Met<'a, S: Space> {
    /// The end of a slice of instructions, with the current state.
    Place(&'a S::State),
    /// A decision, before its side is taken.
    Decision(Passing<'a, S>),
}

/// Follows a witness from `state` on as far as `reach` says, or a little farther. `visit` sees each
/// decision before its side is taken, also the one at which the way ends. The state is left at the end of the way.
pub fn walk<S: Space, B>(
    space: &mut S,
    state: &mut S::State,
    witness: &S::Witness,
    reach: impl Into<Reach>,
    mut visit: impl FnMut(&mut S, Passing<'_, S>) -> ControlFlow<B>,
) -> Walked<S::End, B> {
    let left = Left::of(space, state, reach.into());
    let slices = (FUEL, u64::MAX);
    walk_within(space, state, witness, slices, left, |space, met| match met {
        Met::Place(_) => ControlFlow::Continue(()),
        Met::Decision(passing) => visit(space, passing),
    })
}

/// As [`walk`], for at most a number of slices of about equal numbers of instructions; a decision ends a slice. `visit` also sees
/// the state between slices. With slices of one instruction that is after each jump, call and return.
pub fn walk_closely<S: Space, B>(
    space: &mut S,
    state: &mut S::State,
    witness: &S::Witness,
    slices: (u64, u64),
    visit: impl FnMut(&mut S, Met<'_, S>) -> ControlFlow<B>,
) -> Walked<S::End, B> {
    let left = Left::of(space, state, Reach::from(u64::MAX));
    walk_within(space, state, witness, slices, left, visit)
}

fn walk_within<S: Space, B>(
    space: &mut S,
    state: &mut S::State,
    witness: &S::Witness,
    (slice, mut slices): (u64, u64),
    mut left: Left,
    mut visit: impl FnMut(&mut S, Met<'_, S>) -> ControlFlow<B>,
) -> Walked<S::End, B> {
    loop {
        let met = match space.run(state, witness, slice) {
            Outcome::Ended(end) => return Walked::Ended(end),
            Outcome::OutOfFuel if slices == 0 || left.is_over(space, state, false) => return Walked::Endless,
            Outcome::Decision { .. } if slices == 0 || left.is_over(space, state, true) => {
                return Walked::Endless;
            }
            Outcome::OutOfFuel => visit(space, Met::Place(state)),
            Outcome::Decision { cond, assume } => {
                left.decisions += 1;
                let side = space.decides(&cond, witness);
                let passing = Passing { state: &mut *state, cond: &cond, assume, side };
                let excluded = passing.is_excluded();
                let met = visit(space, Met::Decision(passing));
                if met.is_continue() {
                    if excluded {
                        return Walked::Excluded;
                    }
                    space.take(state, &cond, side);
                }
                met
            }
        };
        slices = slices.saturating_sub(1);
        if let ControlFlow::Break(left) = met {
            return Walked::Left(left);
        }
    }
}

/// Follows a test from the entry. Returns the end of the walk, with the state there.
pub fn walk_test<S: Space, B>(
    space: &mut S,
    test: &Test,
    reach: impl Into<Reach>,
    visit: impl FnMut(&mut S, Passing<'_, S>) -> ControlFlow<B>,
) -> (Walked<S::End, B>, S::State) {
    let (witness, mut state) = (space.prepare(test), space.root());
    let walked = walk(space, &mut state, &witness, reach, visit);
    (walked, state)
}

/// Follows tests one after the other; each begins where it parts from the one before, as far as states are kept.
/// The states belong to one space: after [`Space::renew`] a new `Walks` is needed.
pub struct Walks<S: Space> {
    trail: Trail<S>,
}

impl<S: Space> Default for Walks<S> {
    fn default() -> Walks<S> {
        Walks { trail: Trail::default() }
    }
}

impl<S: Space> Walks<S> {
    /// As [`walk_test`], but `visit` may see only the last decisions of the test: those before them are the first ones of
    /// the test that was followed before, as many as the depth of the first state that it sees.
    pub fn walk_test<B>(
        &mut self,
        space: &mut S,
        test: &Test,
        fuel: u64,
        mut visit: impl FnMut(&mut S, Passing<'_, S>) -> ControlFlow<B>,
    ) -> (Walked<S::End, B>, S::State) {
        let bound = Bound { witness: space.prepare(test), cut: Cut::before(test.clone()) };
        let mut state = self.trail.on_path_of(space, &bound).unwrap_or_else(|| space.root());
        let walked = walk(space, &mut state, &bound.witness, fuel, |space, passing| {
            space.share(passing.state);
            self.trail.keep(space, passing.state, Weight::ONE);
            visit(space, passing)
        });
        (walked, state)
    }
}

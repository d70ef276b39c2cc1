//! Tests followed together from the entry, parted by the decisions that tell them apart. `cleave run --since` calls [`part`] with the
//! tests of an older version of the program: it finds the places at which their paths come to something new, and all paths that
//! never do.

use std::ops::ControlFlow;

use cleave_region::{Region, Side, Test, Weight};

use crate::paths::walk::{Walked, walk};
use crate::space::{Outcome, Space};
use crate::states::node::own_cut;

/// Instructions between two looks at a state.
const FUEL: u64 = 1 << 16;

/// The end of a path that several tests, or one, take.
pub struct Leaf<'a, S: Space> {
    /// The end.
    pub end: S::End,
    /// The state there.
    pub state: &'a S::State,
    /// The first test, prepared.
    pub witness: &'a S::Witness,
    /// The tests, as indices.
    pub tests: &'a [u32],
}

/// A place at which the tests that come there stop, and all paths through it.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The paths through it: those with the same decisions.
    pub region: Region,
    /// The tests that come there, as indices.
    pub tests: Vec<u32>,
    /// Its weight.
    pub weight: Weight,
}

/// Tests that wait at a decision.
struct Waiting<S: Space> {
    /// Nothing if the space was renewed since.
    state: Option<S::State>,
    depth: u64,
    weight: Weight,
    tests: Vec<u32>,
}

/// The tests of a [`part`], prepared as they are needed.
struct Tests<'t, S: Space> {
    tests: &'t [Test],
    prepared: Vec<Option<S::Witness>>,
}

impl<S: Space> Tests<'_, S> {
    fn witness(&mut self, space: &mut S, test: u32) -> S::Witness {
        let witness = &mut self.prepared[test as usize];
        witness.get_or_insert_with(|| space.prepare(&self.tests[test as usize])).clone()
    }

    /// The tests on each side of a condition, the false one first.
    fn sides(&mut self, space: &mut S, cond: &S::Cond, tests: &[u32]) -> [Vec<u32>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for &test in tests {
            let witness = self.witness(space, test);
            sides[usize::from(space.decides(cond, &witness))].push(test);
        }
        sides
    }

    /// The state of a test behind its first decisions; nothing if its path has fewer.
    fn state_of(&mut self, space: &mut S, test: u32, depth: u64) -> Option<S::State> {
        let (witness, mut state) = (self.witness(space, test), space.root());
        let mut left = depth;
        if depth > 0 {
            let walked = walk(space, &mut state, &witness, u64::MAX, |space, passing| {
                left -= 1;
                if left > 0 {
                    return ControlFlow::Continue(());
                }
                let (cond, side) = (passing.cond.clone(), passing.side);
                space.take(passing.state, &cond, side);
                ControlFlow::Break(())
            });
            if !matches!(walked, Walked::Left(())) {
                return None;
            }
        }
        Some(state)
    }
}

/// Follows tests to the ends of their paths, without a solver, or to where `stops` says so: each part of a path that several have in
/// common is run once. A path is followed for `most` instructions. Returns the places at which tests stopped; `None` if a test violates an
/// assumption or its path is longer, or if `ended` says so.
pub fn part<S: Space>(
    space: &mut S,
    tests: &[Test],
    most: u64,
    mut stops: impl FnMut(&S, &S::State) -> bool,
    mut ended: impl FnMut(&mut S, Leaf<'_, S>) -> ControlFlow<()>,
) -> Option<Vec<Stop>> {
    let mut all = Tests { tests, prepared: vec![None; tests.len()] };
    let (mut found, mut stack) = (Vec::new(), Vec::new());
    if !tests.is_empty() {
        let tests = (0..tests.len() as u32).collect();
        stack.push(Waiting::<S> { state: None, depth: 0, weight: Weight::ONE, tests });
    }
    while let Some(mut at) = stack.pop() {
        if space.is_full() {
            space.renew();
            all.prepared.iter_mut().for_each(|witness| *witness = None);
            stack.iter_mut().chain([&mut at]).for_each(|waiting| waiting.state = None);
        }
        let first = at.tests[0];
        let mut state = match at.state.take() {
            Some(state) => state,
            None => all.state_of(space, first, at.depth)?,
        };
        let witness = all.witness(space, first);
        // Another test leads on in its own turn.
        while at.tests.first() == Some(&first) {
            let outcome = space.run(&mut state, &witness, FUEL);
            if stops(space, &state) {
                let cut = own_cut(space, &state, &witness, Side::Before);
                let tests = std::mem::take(&mut at.tests);
                found.push(Stop { region: Region::subtree(cut), tests, weight: at.weight });
                break;
            }
            let end = match outcome {
                Outcome::OutOfFuel if space.instructions(&state) > most || space.is_exhausted() => {
                    return None;
                }
                Outcome::OutOfFuel => continue,
                Outcome::Ended(end) => end,
                Outcome::Decision { cond, assume } => {
                    let [others, holding] = all.sides(space, &cond, &at.tests);
                    if !assume || others.is_empty() {
                        stack.extend(decided(space, &mut state, (&cond, assume), &mut at, [others, holding]));
                        continue;
                    }
                    // A path on which no input satisfies the assumption, and its test.
                    space.assumed_away(&state).filter(|_| holding.is_empty())?
                }
            };
            let leaf = Leaf { end, state: &state, witness: &witness, tests: &at.tests };
            if ended(space, leaf).is_break() {
                return None;
            }
            at.tests.clear();
        }
        if !at.tests.is_empty() {
            stack.push(Waiting { state: Some(state), ..at });
        }
    }
    Some(found)
}

/// Continues a state with a side of a decision that some of its tests take. Returns the tests that wait on the other one.
fn decided<S: Space>(
    space: &mut S,
    state: &mut S::State,
    (cond, assume): (&S::Cond, bool),
    at: &mut Waiting<S>,
    [others, holding]: [Vec<u32>; 2],
) -> Option<Waiting<S>> {
    let position = space.digest(state);
    let [of_others, of_holding] = [false, true].map(|side| at.weight.behind(position, side, assume));
    at.depth += 1;
    let side = !holding.is_empty();
    let mut waiting = None;
    if side && !others.is_empty() {
        space.share(state);
        let mut other = state.clone();
        space.take(&mut other, cond, false);
        waiting = Some(Waiting { state: Some(other), depth: at.depth, weight: of_others, tests: others });
        (at.weight, at.tests) = (of_holding, holding);
    } else {
        (at.weight, at.tests) = if side { (of_holding, holding) } else { (of_others, others) };
    }
    space.take(state, cond, side);
    waiting
}

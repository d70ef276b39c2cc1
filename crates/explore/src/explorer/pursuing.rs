//! Tests that a mutator found, followed by the exploration: [`Explorer::pursue`].

use std::ops::ControlFlow;

use cleave_region::{PathDigest, Test, Weight};

use super::Explorer;
use crate::feasibility::Feasibility;
use crate::paths::walk::{Reach, Walked, walk};
use crate::space::Space;
use crate::states::node::Node;
use crate::states::prioritised::pursuit::{Point, TestWay};
use crate::strategy::DECISION;

/// Result of [`Explorer::pursue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pursuit {
    /// A state follows the test.
    Begun,
    /// No waiting state is on the test's way: its path was explored, or lies elsewhere.
    Elsewhere,
}

impl<S: Space> Explorer<S> {
    /// True if a test can be followed now.
    pub fn can_pursue(&self) -> bool {
        let speculates = matches!(self.asking.feasibility, Feasibility::Speculative { .. });
        !speculates && self.frontier.can_pursue()
    }

    /// True if a state follows a test to the end of its path.
    pub fn is_pursuing(&self) -> bool {
        self.frontier.is_pursuing()
    }

    /// Counted work since the last call, in instructions.
    pub fn take_work(&mut self) -> u64 {
        self.worked - std::mem::replace(&mut self.taken, self.worked)
    }

    /// Lets the waiting state that is on the way of `test` follow it to the end of its path, before all others. The test is walked as
    /// far as `reach` says, and no deeper than a state waits. Also returns the work of that, in instructions.
    pub fn pursue(&mut self, space: &mut S, test: &Test, reach: impl Into<Reach>) -> (Pursuit, u64) {
        let reach = reach.into();
        if !self.can_pursue() {
            return (Pursuit::Elsewhere, 0);
        }
        let witness = space.prepare(test);
        let mut way = TestWay::default();
        let mut state = space.root();
        let before = space.instructions(&state);
        let (deepest, mut decisions) = (self.frontier.deepest(space), 0);
        let walked = walk(space, &mut state, &witness, reach, |space, passing| {
            if !passing.is_excluded() {
                way.decides(space.digest(passing.state), passing.side);
            }
            decisions += 1;
            space.note_words(passing.state, &witness, true);
            match space.depth(passing.state) > deepest {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if let Walked::Ended(_) = walked {
            way.ends(space.digest(&state));
        }
        let work = space.instructions(&state).saturating_sub(before) + DECISION * decisions;
        let Some(found) = self.frontier.on_way(space, &way) else { return (Pursuit::Elsewhere, work) };
        if let (Some(test), (digest, Some(side))) = (&found.if_beside, found.point)
            && !takes(space, test, reach, (digest, !side))
        {
            return (Pursuit::Elsewhere, work);
        }
        let node = if found.suspended { node_at(space, &witness, reach, found.point) } else { None };
        match self.frontier.pursue(space, found.slot, witness, node) {
            true => (Pursuit::Begun, work),
            false => (Pursuit::Elsewhere, work),
        }
    }

    /// The state that follows a test waits among all others again, and takes its sides in their order.
    pub fn end_pursuit(&mut self) {
        self.frontier.end_pursuit();
    }
}

/// True if a test takes this side of the decision behind `digest`.
fn takes<S: Space>(space: &mut S, test: &Test, reach: Reach, (digest, side): (PathDigest, bool)) -> bool {
    let (witness, mut state) = (space.prepare(test), space.root());
    let walked = walk(space, &mut state, &witness, reach, |space, passing| {
        match space.digest(passing.state) == digest {
            true => ControlFlow::Break(passing.side),
            false => ControlFlow::Continue(()),
        }
    });
    matches!(walked, Walked::Left(taken) if taken == side)
}

/// The node at a point on the way of a witness, walked from the entry.
fn node_at<S: Space>(
    space: &mut S,
    witness: &S::Witness,
    reach: Reach,
    (digest, side): Point,
) -> Option<Node<S>> {
    let (mut state, mut weight) = (space.root(), Weight::ONE);
    let walked = walk(space, &mut state, witness, reach, |space, passing| {
        let here = space.digest(passing.state);
        if here == digest && side.is_none() {
            return ControlFlow::Break(());
        }
        weight = weight.behind(here, passing.side, passing.assume);
        if here == digest {
            space.take(passing.state, passing.cond, passing.side);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    // A path may end without another decision.
    let is_there = matches!(walked, Walked::Left(()));
    is_there.then(|| Node::free(state, witness.clone(), weight))
}

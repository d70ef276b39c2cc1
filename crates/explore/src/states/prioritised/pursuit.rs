//! Pursuit: the waiting state on the way of a test follows it to the end of its path before all others, as a state that is
//! replayed does. So a test from outside becomes a path of the exploration, recorded once, and the paths beside it wait.

use std::sync::Arc;

use cleave_region::{Cut, PathDigest, Side, Test};
use rustc_hash::FxHashSet;

use super::Chosen;
use super::drain::Drain;
use crate::space::Space;
use crate::states::entries::Waiting;
use crate::states::node::Node;
use crate::strategy::Slot;

/// A point on the way of a test: the digest of the decisions behind it, and the side of the next decision that it takes.
pub(crate) type Point = (PathDigest, Option<bool>);

/// The points on the way of a test: before each decision, with its side, and the end. The digests of decisions tell states apart
/// as those of paths tell paths apart.
#[derive(Default)]
pub(crate) struct TestWay(FxHashSet<Point>);

impl TestWay {
    pub(crate) fn decides(&mut self, digest: PathDigest, side: bool) {
        self.0.extend([(digest, None), (digest, Some(side))]);
    }

    pub(crate) fn ends(&mut self, digest: PathDigest) {
        self.0.insert((digest, None));
    }
}

/// A waiting state on the way of a test.
#[derive(Clone, Debug)]
pub(crate) struct OnWay {
    pub(crate) slot: Slot,
    pub(crate) point: Point,
    /// It is suspended as a region: a walk along the test has to make it again.
    pub(crate) suspended: bool,
    /// The region is that side of the decision only if this test takes the other one there. Else it is what is left of several
    /// states, which has cuts of the same form.
    pub(crate) if_beside: Option<Arc<Test>>,
}

/// The point at which all paths of an entry begin, if they are all that go on from there.
fn point<S: Space>(space: &S, waiting: &Waiting<S>) -> Option<Point> {
    match waiting {
        Waiting::Node(node) => (!waiting.is_bound()).then(|| (space.digest(&node.state), None)),
        Waiting::Unasked(unasked) => Some((space.digest(&unasked.state), Some(unasked.side))),
        Waiting::Unknown { .. } => None,
        Waiting::Written(region) => {
            let (lo, hi) = (region.lo.as_ref()?, region.hi.as_ref()?);
            let (of_lo, of_hi) = (lo.depth?, hi.depth?);
            let at = |cut: &Cut, side| Some((cut.digest?, side));
            // A state that was written down lies between two cuts of its own depth, and an unchecked side between a cut of the decision
            // and one of the other side.
            match (lo.side, hi.side) {
                (Side::Before, Side::After) if of_lo == of_hi && lo.digest == hi.digest => at(lo, None),
                (Side::Before, Side::Before) if of_lo + 1 == of_hi => at(lo, Some(true)),
                (Side::After, Side::After) if of_hi + 1 == of_lo => at(hi, Some(false)),
                _ => None,
            }
        }
    }
}

/// The test of a written region's cut that is to take the other side of the decision at this point, if the point is a side.
fn beside<S: Space>(waiting: &Waiting<S>, (_, side): Point) -> Option<Arc<Test>> {
    let Waiting::Written(region) = waiting else { return None };
    let cut = if side? { region.hi.as_ref() } else { region.lo.as_ref() };
    cut.map(|cut| Arc::clone(&cut.test))
}

impl<S: Space> Chosen<S> {
    /// True if a waiting state may go before all others.
    pub(crate) fn can_pursue(&self) -> bool {
        self.following.is_none() && self.pursued.is_none()
    }

    /// True if a state follows a test.
    pub(crate) fn is_pursuing(&self) -> bool {
        self.pursued.is_some()
    }

    /// No state goes before all others any more.
    pub(crate) fn end_pursuit(&mut self) {
        self.pursued = None;
    }

    /// The depth of the deepest waiting state.
    pub(crate) fn deepest(&self, space: &S) -> u32 {
        let waiting = self.held.iter().zip(&self.waiters.views).filter(|(held, _)| held.is_some());
        let of_drains =
            self.bound.drains.iter().flatten().flat_map(Drain::waiting).filter_map(Waiting::state);
        let depths = of_drains.map(|(state, _)| space.depth(state));
        waiting.map(|(_, view)| view.depth).chain(depths).max().unwrap_or(0)
    }

    /// The waiting state on the way of a test. A drain that has it ends. States of the region with which the exploration began are not
    /// found while its cuts bind them, nor are those in the rest of a drain that has ended.
    pub(crate) fn on_way(&mut self, space: &S, TestWay(way): &TestWay) -> Option<OnWay> {
        let is_on_way =
            |waiting: &Waiting<S>| point(space, waiting).is_some_and(|point| way.contains(&point));
        self.dissolve_drains(space, is_on_way);
        self.held.iter().enumerate().find_map(|(i, waiting)| {
            let waiting = waiting.as_ref()?;
            let point = point(space, waiting).filter(|point| way.contains(point))?;
            let suspended = waiting.state().is_none();
            Some(OnWay { slot: Slot(i as u32), point, suspended, if_beside: beside(waiting, point) })
        })
    }

    /// Lets the state in `slot`, or the one that was `walked` instead of it, go on with `witness`, before all others.
    pub(crate) fn pursue(
        &mut self,
        space: &mut S,
        slot: Slot,
        witness: S::Witness,
        walked: Option<Node<S>>,
    ) -> bool {
        let Some(waiting) = self.held.get_mut(slot.index()).and_then(Option::take) else { return false };
        let node = match (waiting, walked) {
            (Waiting::Node(node), _) => Node { witness, ..node },
            (Waiting::Unasked(unasked), _) => {
                let weight = unasked.weight_of_side(space);
                let mut state = unasked.state;
                space.take(&mut state, &unasked.cond, unasked.side);
                Node::free(state, witness, weight)
            }
            (Waiting::Written(_), Some(walked)) => walked,
            (waiting @ (Waiting::Written(_) | Waiting::Unknown { .. }), _) => {
                self.held[slot.index()] = Some(waiting);
                return false;
            }
        };
        // The strategy is told of a state that it does not know: it will see the state move.
        let was_evicted = self.bound.takes_in(slot);
        if was_evicted {
            self.shallow.put(slot, u64::from(self.waiters.views[slot.index()].depth));
        }
        if self.costs.forgets(slot) || was_evicted {
            self.restore(slot);
        }
        self.held[slot.index()] = Some(Waiting::Node(node));
        self.pursued = Some(slot);
        true
    }
}

//! Crossing a decision between a region's two cuts. The forks of states, the runs of items, and the rest of speculation all
//! go through here, so that cuts are handled in one place.

use cleave_region::{Cut, Side};

use crate::paths::checkpoints::Trail;
use crate::paths::divergence::Divergence;
use crate::space::Space;
use crate::states::node::{Bound, Diverged, Node, own_cut};
use crate::trace;

/// The decision at which a node stands, and the sides that the tests of its cuts take.
pub(crate) struct Crossing<C> {
    pub(crate) cond: C,
    /// True for an assumption: only the true side is a path.
    pub(crate) assume: bool,
    lo: Option<bool>,
    hi: Option<bool>,
}

impl<C: Clone> Crossing<C> {
    /// The decision of `node`. The trail keeps the state if all paths of the region come through it.
    pub(crate) fn of<S: Space<Cond = C>>(
        space: &mut S,
        node: &Node<S>,
        cond: C,
        assume: bool,
        trail: &mut Trail<S>,
    ) -> Crossing<C> {
        if (node.lo.is_some() && node.hi.is_some()) || space.depth(&node.state) == 0 {
            trail.pass(space, node);
        }
        let lo = node.lo.as_ref().map(|b| space.decides(&cond, &b.witness));
        let hi = node.hi.as_ref().map(|b| space.decides(&cond, &b.witness));
        Crossing { cond, assume, lo, hi }
    }

    /// Returns true if the cuts leave a side open and it can be a path. True sides come first: the lower cut closes all
    /// before the side that its test takes, the upper cut all behind it.
    pub(crate) fn is_open(&self, side: bool) -> bool {
        if side { self.lo != Some(false) } else { self.hi != Some(true) && !self.assume }
    }

    /// The lower cut of the node, if it lies in the side.
    pub(crate) fn lower<'a, S: Space<Cond = C>>(
        &self,
        node: &'a Node<S>,
        side: bool,
    ) -> Option<&'a Bound<S::Witness>> {
        node.lo.as_deref().filter(|_| self.lo == Some(side))
    }

    /// The upper cut of the node, if it lies in the side.
    pub(crate) fn upper<'a, S: Space<Cond = C>>(
        &self,
        node: &'a Node<S>,
        side: bool,
    ) -> Option<&'a Bound<S::Witness>> {
        node.hi.as_deref().filter(|_| self.hi == Some(side))
    }

    /// Checks the cuts of a path that violates an assumption and therefore ends, as do the cuts whose tests take that side.
    /// Returns a divergence if one of the cuts was made with other decisions.
    pub(crate) fn excluded<S: Space<Cond = C>>(&self, space: &mut S, node: &Node<S>) -> Option<Divergence> {
        if !self.assume {
            return None;
        }
        [self.lower(node, false), self.upper(node, false)].into_iter().flatten().find_map(|bound| {
            let mut ended = node.state.clone();
            space.take(&mut ended, &self.cond, false);
            let checked = bound.check(space, &ended);
            checked.err().map(|Diverged(cut)| Divergence::new(space, &ended, cut))
        })
    }

    /// Takes a side. A cut follows the side that its test takes; no cut binds the other side. Returns true if the node
    /// is still in the region.
    ///
    /// # Errors
    /// If a cut was made with other decisions. The node then stands at the place of the difference.
    pub(crate) fn cross<S: Space<Cond = C>>(
        &self,
        space: &mut S,
        node: &mut Node<S>,
        side: bool,
    ) -> Result<bool, Diverged> {
        node.weight = node.weight.behind(space.digest(&node.state), side, self.assume);
        space.take(&mut node.state, &self.cond, side);
        trace::decided(space, &node.state, side);
        if self.lo != Some(side) {
            node.lo = None;
        }
        if self.hi != Some(side) {
            node.hi = None;
        }
        node.settle(space, false)
    }
}

/// The cut between a side of the decision at `point` and the other side, which `witness` takes. It serves for a side without
/// a model.
pub(crate) fn cut_beside<S: Space>(
    space: &mut S,
    point: &S::State,
    cond: &S::Cond,
    side: bool,
    witness: &S::Witness,
) -> Cut {
    let mut taken = point.clone();
    space.pass(&mut taken, cond, !side);
    own_cut(space, &taken, witness, if side { Side::Before } else { Side::After })
}

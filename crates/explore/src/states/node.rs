//! A node of the frontier: a state, a witness of its path, and the cuts that still bind it.

use std::rc::Rc;
use std::sync::Arc;

use cleave_region::{Cut, Region, Side, Test, Weight};

use crate::event::Limits;
use crate::space::{Outcome, Space};

/// A cut whose test is prepared for evaluation.
pub(crate) struct Bound<W> {
    pub(crate) cut: Cut,
    pub(crate) witness: W,
}

impl<W> Bound<W> {
    /// Checks a state on the test's path, at the cut's depth or at the end of the path: its decisions must be those with which
    /// the cut was made. A path that ends before the cut's depth has another digest than one that reaches it.
    pub(crate) fn check<S: Space<Witness = W>>(&self, space: &S, state: &S::State) -> Result<(), Diverged> {
        let here = self.cut.depth.is_some_and(|d| space.depth(state) <= d);
        if here && self.cut.digest.is_some_and(|d| d != space.digest(state)) {
            return Err(Diverged(self.cut.clone()));
        }
        Ok(())
    }
}

pub(crate) struct Node<S: Space> {
    pub(crate) state: S::State,
    pub(crate) witness: S::Witness,
    pub(crate) lo: Option<Rc<Bound<S::Witness>>>,
    pub(crate) hi: Option<Rc<Bound<S::Witness>>>,
    /// Weight of the state's place, whatever the cuts are.
    pub(crate) weight: Weight,
}

/// Result of running a node.
pub(crate) enum Ran<S: Space> {
    /// A decision on a condition; at an assumption only the true side is a path.
    Decision(S::Cond, bool),
    /// The path is at its end.
    Ended(S::End),
    /// The fuel is used up.
    Paused,
    /// The path has the maximum number of instructions.
    TooLong,
}

/// A cut was followed to its depth, and its decisions were not those with which it was made.
pub(crate) struct Diverged(pub(crate) Cut);

impl<S: Space> Node<S> {
    /// A state that no cut binds.
    pub(crate) fn free(state: S::State, witness: S::Witness, weight: Weight) -> Node<S> {
        Node { state, witness, lo: None, hi: None, weight }
    }

    /// Drops cuts that no longer bind; returns `false` if the whole subtree lies outside of the region. To be called as
    /// soon as a depth is reached, not at the next decision.
    pub(crate) fn settle(&mut self, space: &S, ended: bool) -> Result<bool, Diverged> {
        if self.lo.is_none() && self.hi.is_none() {
            return Ok(true);
        }
        let depth = space.depth(&self.state);
        for (bound, outside) in [(&mut self.lo, Side::After), (&mut self.hi, Side::Before)] {
            let Some(b) = bound else { continue };
            let reached = b.cut.depth.is_some_and(|d| depth >= d);
            if !reached && !ended {
                continue;
            }
            b.check(space, &self.state)?;
            if b.cut.side == outside {
                return Ok(false);
            }
            *bound = None;
        }
        Ok(true)
    }

    /// True if limits apply to it: it is not on the way to its region.
    pub(crate) fn is_free(&self, space: &S) -> bool {
        let depth = space.depth(&self.state);
        let behind = |b: &Option<Rc<Bound<S::Witness>>>| {
            b.as_ref().is_none_or(|b| b.cut.depth.is_none_or(|d| d <= depth))
        };
        behind(&self.lo) && behind(&self.hi)
    }

    /// True if it has the maximum number of decisions.
    pub(crate) fn is_too_deep(&self, space: &S, limits: &Limits) -> bool {
        limits.max_depth.is_some_and(|d| space.depth(&self.state) >= d) && self.is_free(space)
    }

    /// Continues for about `fuel` instructions, and exactly up to the limit, so that the limit is reached at the same place
    /// with any fuel.
    pub(crate) fn run(&mut self, space: &mut S, fuel: u64, limits: &Limits) -> Ran<S> {
        let limit = limits.max_instructions.filter(|_| self.is_free(space));
        let left = limit.map(|limit| limit.saturating_sub(space.instructions(&self.state)));
        if left != Some(0) {
            match space.run(&mut self.state, &self.witness, left.unwrap_or(fuel).min(fuel)) {
                Outcome::Decision { cond, assume } => return Ran::Decision(cond, assume),
                Outcome::Ended(end) => return Ran::Ended(end),
                Outcome::OutOfFuel => {}
            }
        }
        let over = limit.is_some_and(|n| space.instructions(&self.state) >= n);
        if over { Ran::TooLong } else { Ran::Paused }
    }

    /// The node's share of the region, as a region of its own.
    pub(crate) fn export(&self, space: &mut S) -> Region {
        if self.lo.is_none() && self.hi.is_none() {
            return Region::subtree(own_cut(space, &self.state, &self.witness, Side::Before));
        }
        Region::of(Some(self.start(space)), Some(self.end(space)))
    }

    /// Start of its share.
    pub(crate) fn start(&self, space: &mut S) -> Cut {
        match &self.lo {
            Some(b) => b.cut.clone(),
            None => own_cut(space, &self.state, &self.witness, Side::Before),
        }
    }

    /// End of its share.
    pub(crate) fn end(&self, space: &mut S) -> Cut {
        match &self.hi {
            Some(b) => b.cut.clone(),
            None => own_cut(space, &self.state, &self.witness, Side::After),
        }
    }
}

impl<S: Space> Clone for Node<S> {
    fn clone(&self) -> Self {
        Node {
            state: self.state.clone(),
            witness: self.witness.clone(),
            lo: self.lo.clone(),
            hi: self.hi.clone(),
            weight: self.weight,
        }
    }
}

/// A cut at a state, with its witness as the test.
pub(crate) fn own_cut<S: Space>(space: &mut S, state: &S::State, witness: &S::Witness, side: Side) -> Cut {
    let test = space.write_down(state, witness);
    cut_of(space, state, &test.into(), side)
}

/// A cut at a state on the path of `test`.
pub(crate) fn cut_of<S: Space>(space: &S, state: &S::State, test: &Arc<Test>, side: Side) -> Cut {
    let (depth, digest) = (Some(space.depth(state)), Some(space.digest(state)));
    let fingerprints = space.fingerprints(state);
    Cut { test: test.clone(), depth, side, digest, fingerprints }
}

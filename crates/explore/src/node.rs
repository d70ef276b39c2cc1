//! A node of the frontier: a state, a witness of its path, and the cuts that still bind it.

use std::rc::Rc;

use cleave_region::{Cut, Region, Side};

use crate::space::Space;

/// A cut whose test is prepared for evaluation.
pub(crate) struct Bound<W> {
    pub(crate) cut: Cut,
    pub(crate) witness: W,
}

pub(crate) struct Node<S: Space> {
    pub(crate) state: S::State,
    pub(crate) witness: S::Witness,
    pub(crate) lo: Option<Rc<Bound<S::Witness>>>,
    pub(crate) hi: Option<Rc<Bound<S::Witness>>>,
}

/// A cut was followed to its depth, and the decisions were not those it was made with.
pub(crate) struct Diverged(pub(crate) Cut);

impl<S: Space> Node<S> {
    /// Drops cuts that no longer bind; `false` if the whole subtree lies outside of the region. To be called as
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
            // A path that ends before the depth of a cut has another digest than one that reaches it.
            let here = b.cut.depth.is_some_and(|d| depth <= d);
            if here && b.cut.digest.is_some_and(|d| d != space.digest(&self.state)) {
                return Err(Diverged(b.cut.clone()));
            }
            if b.cut.side == outside {
                return Ok(false);
            }
            *bound = None;
        }
        Ok(true)
    }

    /// The node's share of the region, as a region of its own.
    pub(crate) fn export(&self, space: &mut S) -> Region {
        Region { lo: Some(self.start(space)), hi: Some(self.end(space)) }
    }

    /// Where its share begins.
    pub(crate) fn start(&self, space: &mut S) -> Cut {
        match &self.lo {
            Some(b) => b.cut.clone(),
            None => own_cut(space, &self.state, &self.witness, Side::Before),
        }
    }

    /// Where its share ends.
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
        }
    }
}

/// A cut at a state that its witness stands for.
pub(crate) fn own_cut<S: Space>(space: &mut S, state: &S::State, witness: &S::Witness, side: Side) -> Cut {
    let test = space.write_down(state, witness);
    let digest = Some(space.digest(state));
    Cut { test: test.into(), depth: Some(space.depth(state)), side, digest }
}

//! What waits in a frontier.

use cleave_region::{Cut, Expected, Region, Side, Weight};

use crate::crossing::cut_beside;
use crate::node::{Node, own_cut};
use crate::space::Space;

/// Regions that were given away, and what is expected of them together.
pub(crate) type Given = (Vec<Region>, Option<Expected>);

/// A side of a decision that nobody has asked for, next to the one that the witness takes. No cut binds it.
pub(crate) struct Unasked<S: Space> {
    /// The state at the decision.
    pub(crate) state: S::State,
    /// Takes the other side.
    pub(crate) witness: S::Witness,
    pub(crate) cond: S::Cond,
    pub(crate) side: bool,
    /// Only this side is a path.
    pub(crate) assume: bool,
    /// Of the state's place.
    pub(crate) weight: Weight,
}

impl<S: Space> Clone for Unasked<S> {
    fn clone(&self) -> Self {
        Unasked {
            state: self.state.clone(),
            witness: self.witness.clone(),
            cond: self.cond.clone(),
            side: self.side,
            assume: self.assume,
            weight: self.weight,
        }
    }
}

impl<S: Space> Unasked<S> {
    /// The weight of the side.
    pub(crate) fn weight_of_side(&self, space: &S) -> Weight {
        self.weight.behind(space.digest(&self.state), self.side, self.assume)
    }

    fn start(&self, space: &mut S) -> Cut {
        match self.side {
            true => own_cut(space, &self.state, &self.witness, Side::Before),
            false => self.cut_beside(space),
        }
    }

    fn end(&self, space: &mut S) -> Cut {
        match self.side {
            true => self.cut_beside(space),
            false => own_cut(space, &self.state, &self.witness, Side::After),
        }
    }

    fn cut_beside(&self, space: &mut S) -> Cut {
        cut_beside(space, &self.state, &self.cond, self.side, &self.witness)
    }

    /// As a region: as it has no witness, between a cut of its sibling and one of the decision. It may have no
    /// paths.
    pub(crate) fn export(&self, space: &mut S) -> Region {
        Region::of(Some(self.start(space)), Some(self.end(space)))
    }
}

/// What waits.
pub(crate) enum Waiting<S: Space> {
    /// A state.
    Node(Node<S>),
    /// A state that was written down to save memory; followed again when its turn comes.
    Written(Region),
    /// A side that is asked for when its turn comes.
    Unasked(Unasked<S>),
    /// A side that nobody knows of. It is set aside when its turn comes and not before: what is left of a
    /// depth-first exploration is one region, and this is a part of it.
    Unknown {
        /// The side.
        region: Region,
        /// Why nobody knows.
        reason: String,
    },
}

impl<S: Space> Waiting<S> {
    /// Where it begins.
    pub(crate) fn start(&self, space: &mut S) -> Option<Cut> {
        match self {
            Waiting::Unknown { region, .. } | Waiting::Written(region) => region.lo.clone(),
            Waiting::Unasked(unasked) => Some(unasked.start(space)),
            Waiting::Node(node) => Some(node.start(space)),
        }
    }

    /// Where it ends.
    pub(crate) fn end(&self, space: &mut S) -> Option<Cut> {
        match self {
            Waiting::Unknown { region, .. } | Waiting::Written(region) => region.hi.clone(),
            Waiting::Unasked(unasked) => Some(unasked.end(space)),
            Waiting::Node(node) => Some(node.end(space)),
        }
    }

    /// What it is, as a region of its own.
    pub(crate) fn export(&self, space: &mut S) -> Region {
        match self {
            Waiting::Unknown { region, .. } | Waiting::Written(region) => region.clone(),
            Waiting::Unasked(unasked) => unasked.export(space),
            Waiting::Node(node) => node.export(space),
        }
    }

    /// Whether it is a state that cuts bind.
    pub(crate) fn is_bound(&self) -> bool {
        matches!(self, Waiting::Node(node) if node.lo.is_some() || node.hi.is_some())
    }

    /// Whether it is on its way to where it was written down: that is not behind it yet.
    pub(crate) fn is_on_way(&self) -> bool {
        match self {
            Waiting::Node(node) => node.lo.is_some(),
            Waiting::Written(region) => region.lo.is_some(),
            Waiting::Unasked(_) | Waiting::Unknown { .. } => false,
        }
    }

    /// The state, and the side of the decision at which it stands that is not asked for; nothing where it was written
    /// down.
    pub(crate) fn state(&self) -> Option<(&S::State, Option<bool>)> {
        match self {
            Waiting::Node(node) => Some((&node.state, None)),
            Waiting::Unasked(unasked) => Some((&unasked.state, Some(unasked.side))),
            Waiting::Written(_) | Waiting::Unknown { .. } => None,
        }
    }
}

/// What takes the place of a segment that ran ahead.
pub(crate) struct Rest<S: Space> {
    /// Sides that wait, the first decision first; `true` for true sides. All else is on the other side.
    pub(crate) sides: Vec<(bool, Waiting<S>)>,
    /// Where the feasible part ends.
    pub(crate) last: Option<Waiting<S>>,
    /// A path was found at the end.
    pub(crate) found: bool,
}

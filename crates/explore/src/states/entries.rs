//! The entries of a frontier: states, suspended regions, and unchecked or unknown sides.

use cleave_region::{Cut, Expected, Region, Side, Weight};

use crate::paths::crossing::cut_beside;
use crate::space::Space;
use crate::states::node::{Node, own_cut};

/// Regions that were given away, and the number of paths expected of them together.
pub(crate) type Given = (Vec<Region>, Option<Expected>);

/// An unchecked side of a decision, opposite to the one that the witness takes. No cut binds it.
pub(crate) struct Unasked<S: Space> {
    /// The state at the decision.
    pub(crate) state: S::State,
    /// Takes the other side.
    pub(crate) witness: S::Witness,
    pub(crate) cond: S::Cond,
    pub(crate) side: bool,
    /// True for an assumption: only this side is a path.
    pub(crate) assume: bool,
    /// Weight of the state's place.
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

    /// The side as a region: it has no witness, so it lies between a cut of its sibling and one of the decision. It may have no
    /// paths.
    pub(crate) fn export(&self, space: &mut S) -> Region {
        Region::of(Some(self.start(space)), Some(self.end(space)))
    }
}

/// An entry of a frontier.
pub(crate) enum Waiting<S: Space> {
    /// A state.
    Node(Node<S>),
    /// A state suspended to save memory; replayed when its turn comes.
    Written(Region),
    /// A side that is queried when its turn comes.
    Unasked(Unasked<S>),
    /// A side that the solver did not decide. It is set aside when its turn comes and not before, because the rest of a
    /// depth-first exploration is one region, which includes it.
    Unknown {
        /// The side.
        region: Region,
        /// Reason of the missing answer.
        reason: String,
    },
}

impl<S: Space> Waiting<S> {
    /// Whether it is a state that has only to end.
    pub(crate) fn ends(&self, space: &S) -> bool {
        match self {
            Waiting::Node(node) => space.ends_at(&node.state, None),
            Waiting::Unasked(unasked) => space.ends_at(&unasked.state, Some(unasked.side)),
            Waiting::Written(_) | Waiting::Unknown { .. } => false,
        }
    }

    /// Start of its region.
    pub(crate) fn start(&self, space: &mut S) -> Option<Cut> {
        match self {
            Waiting::Unknown { region, .. } | Waiting::Written(region) => region.lo.clone(),
            Waiting::Unasked(unasked) => Some(unasked.start(space)),
            Waiting::Node(node) => Some(node.start(space)),
        }
    }

    /// End of its region.
    pub(crate) fn end(&self, space: &mut S) -> Option<Cut> {
        match self {
            Waiting::Unknown { region, .. } | Waiting::Written(region) => region.hi.clone(),
            Waiting::Unasked(unasked) => Some(unasked.end(space)),
            Waiting::Node(node) => Some(node.end(space)),
        }
    }

    /// The entry as a region of its own.
    pub(crate) fn export(&self, space: &mut S) -> Region {
        match self {
            Waiting::Unknown { region, .. } | Waiting::Written(region) => region.clone(),
            Waiting::Unasked(unasked) => unasked.export(space),
            Waiting::Node(node) => node.export(space),
        }
    }

    /// True if it is a state that cuts bind.
    pub(crate) fn is_bound(&self) -> bool {
        matches!(self, Waiting::Node(node) if node.lo.is_some() || node.hi.is_some())
    }

    /// True if it is replaying the way to its old position, which it has not passed yet.
    pub(crate) fn is_on_way(&self) -> bool {
        match self {
            Waiting::Node(node) => node.lo.is_some(),
            Waiting::Written(region) => region.lo.is_some(),
            Waiting::Unasked(_) | Waiting::Unknown { .. } => false,
        }
    }

    /// The state, and its side that is unchecked, if it is such a side; `None` if it is suspended as a
    /// region.
    pub(crate) fn state(&self) -> Option<(&S::State, Option<bool>)> {
        match self {
            Waiting::Node(node) => Some((&node.state, None)),
            Waiting::Unasked(unasked) => Some((&unasked.state, Some(unasked.side))),
            Waiting::Written(_) | Waiting::Unknown { .. } => None,
        }
    }
}

/// The replacement of a segment that ran ahead.
pub(crate) struct Rest<S: Space> {
    /// Waiting sides, the first decision first; `true` for true sides. Everything else is on the other side.
    pub(crate) sides: Vec<(bool, Waiting<S>)>,
    /// End of the feasible part.
    pub(crate) last: Option<Waiting<S>>,
    /// True if a path was found at the end.
    pub(crate) found: bool,
}

//! What waits in a frontier.

use cleave_region::{Cut, Region};

use crate::node::Node;
use crate::space::Space;

/// What waits.
pub(crate) enum Waiting<S: Space> {
    /// A state.
    Node(Node<S>),
    /// A state that was written down to save memory; followed again when its turn comes.
    Written(Region),
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
            Waiting::Node(node) => Some(node.start(space)),
        }
    }

    /// Where it ends.
    pub(crate) fn end(&self, space: &mut S) -> Option<Cut> {
        match self {
            Waiting::Unknown { region, .. } | Waiting::Written(region) => region.hi.clone(),
            Waiting::Node(node) => Some(node.end(space)),
        }
    }

    /// What it is, as a region of its own.
    pub(crate) fn export(&self, space: &mut S) -> Region {
        match self {
            Waiting::Unknown { region, .. } | Waiting::Written(region) => region.clone(),
            Waiting::Node(node) => node.export(space),
        }
    }
}

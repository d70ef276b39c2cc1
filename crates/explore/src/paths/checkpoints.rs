//! Checkpoints: states kept on the way to regions, so that a later region on the same path begins there and not at the entry
//! (the suspended states of Singh and Khurshid 2020). Explorers begin their regions with a trail and hand it on to the next one.

use std::rc::Rc;

use cleave_region::{Region, Weight};

use crate::space::Space;
use crate::states::node::{Bound, Node};
use crate::trace;

/// Maximum number of states kept; on longer ways only those after each 2, 4, 8 ... decisions.
const MOST: usize = 64;

/// States at decisions on the way to the last region, each on the way to the next one. Regions that come in the order of
/// their paths each begin at the place where they part from the one before.
pub struct Trail<S: Space> {
    /// The states, each with the weight of its place.
    states: Vec<(S::State, Weight)>,
    /// Number of decisions between two kept states: initially, and on the current way.
    first: u32,
    stride: u32,
}

impl<S: Space> Default for Trail<S> {
    fn default() -> Trail<S> {
        Trail::every(1)
    }
}

impl<S: Space> Trail<S> {
    /// Keeps a state every `stride` decisions, one or more.
    pub fn every(stride: u32) -> Trail<S> {
        Trail { states: Vec::new(), first: stride.max(1), stride: stride.max(1) }
    }

    /// A state that follows the cuts of a region, from the entry or a state that is on the way; `None` if the region
    /// is empty.
    pub(crate) fn begin(&mut self, space: &mut S, region: Region) -> Option<Node<S>> {
        let (lo, hi) = (region.lo.clone(), region.hi.clone());
        let lo = lo.map(|cut| Rc::new(Bound { witness: space.prepare(&cut.test), cut }));
        let hi = hi.map(|cut| {
            // Most regions are subtrees: then the evaluation for one end also serves the other.
            let same = lo.as_ref().filter(|lo| lo.cut.test == cut.test).map(|lo| lo.witness.clone());
            Rc::new(Bound { witness: same.unwrap_or_else(|| space.prepare(&cut.test)), cut })
        });
        let witness = match (&lo, &hi) {
            (Some(b), _) | (None, Some(b)) => b.witness.clone(),
            (None, None) => space.first_witness(),
        };
        let kept = self.towards(space, lo.as_deref(), hi.as_deref());
        let (state, weight) = kept.unwrap_or_else(|| (space.root(), Weight::ONE));
        trace::begun(space, &region, &state);
        let mut first = Node { state, witness, lo, hi, weight };
        // A cut at depth 0 binds before the first decision; at the entry no digest can differ.
        first.settle(space, false).unwrap_or(true).then_some(first)
    }

    /// Keeps a state at a decision that all paths of a region take. It descends from the state that
    /// [`Trail::towards`] returned, or from the entry if that returned none.
    pub(crate) fn pass(&mut self, space: &S, node: &Node<S>) {
        self.keep(space, &node.state, node.weight);
    }

    /// As [`Trail::pass`], for a state at a decision and the weight of its place.
    pub(crate) fn keep(&mut self, space: &S, state: &S::State, weight: Weight) {
        let depth = space.depth(state);
        let known = self.states.last().is_some_and(|(last, _)| space.depth(last) >= depth);
        if known || !depth.is_multiple_of(self.stride) {
            return;
        }
        if self.states.len() >= MOST {
            self.stride *= 2;
            let stride = self.stride;
            self.states.retain(|(state, _)| space.depth(state).is_multiple_of(stride));
            return self.keep(space, state, weight);
        }
        self.states.push((state.clone(), weight));
    }

    /// The deepest state that lies on all paths between two cuts. States that are not on their way are forgotten.
    pub(crate) fn towards(
        &mut self,
        space: &mut S,
        lo: Option<&Bound<S::Witness>>,
        hi: Option<&Bound<S::Witness>>,
    ) -> Option<(S::State, Weight)> {
        for bound in [lo, hi] {
            let on_way = self.on_way(space, bound);
            self.states.truncate(on_way);
        }
        if self.states.len() < MOST / 2 {
            self.stride = self.first;
        }
        self.states.last().cloned()
    }

    /// The deepest state on the path of a test. States beside that path are forgotten.
    pub(crate) fn on_path_of(&mut self, space: &mut S, test: &Bound<S::Witness>) -> Option<S::State> {
        self.towards(space, Some(test), Some(test)).map(|(state, _)| state)
    }

    /// Number of states on the way to a cut.
    fn on_way(&self, space: &mut S, bound: Option<&Bound<S::Witness>>) -> usize {
        // Each state is on the way to the next: those that are on the cut's way are the first ones.
        let (mut on, mut off) = (0, self.states.len());
        while on < off {
            let middle = on + (off - on) / 2;
            let (state, _) = &self.states[middle];
            let depth = space.depth(state);
            // Not at the cut's own depth: the digest is compared when that is reached. Without a cut only the first
            // decision is sure to be on the way.
            let reached = |bound: &Bound<S::Witness>| {
                bound.cut.depth.is_none_or(|d| depth < d) && space.leads(&bound.witness, state)
            };
            if depth == 0 || bound.is_some_and(reached) {
                on = middle + 1;
            } else {
                off = middle;
            }
        }
        on
    }

    /// Forgets all states.
    pub(crate) fn clear(&mut self) {
        self.states.clear();
        self.stride = self.first;
    }
}

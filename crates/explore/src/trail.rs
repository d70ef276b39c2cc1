//! States kept on the way to regions, so that a later region on the same path is begun there and not at the entry
//! (the suspended states of Singh and Khurshid 2020).

use cleave_region::Cut;

use crate::node::Bound;
use crate::space::Space;

/// So many states are kept; then the one goes that was of no use for the longest time.
const MOST: usize = 32;
/// A state is kept after so many decisions, and then again, if nothing else is said.
const STRIDE: u32 = 8;

/// States at decisions, each on the way to a region.
pub struct Trail<S: Space> {
    /// With when each was last of use.
    states: Vec<(u64, S::State)>,
    now: u64,
    stride: u32,
}

impl<S: Space> Default for Trail<S> {
    fn default() -> Trail<S> {
        Trail::every(STRIDE)
    }
}

impl<S: Space> Trail<S> {
    /// Keeps a state every `stride` decisions, one or more.
    pub fn every(stride: u32) -> Trail<S> {
        Trail { states: Vec::new(), now: 0, stride: stride.max(1) }
    }

    /// Looks at a state at a decision which all paths of a region take, and keeps it if it is worth it.
    pub(crate) fn pass(&mut self, space: &S, state: &S::State) {
        let depth = space.depth(state);
        if !depth.is_multiple_of(self.stride) {
            return;
        }
        let digest = space.digest(state);
        if self.states.iter().any(|(_, s)| space.depth(s) == depth && space.digest(s) == digest) {
            return;
        }
        self.now += 1;
        if self.states.len() >= MOST
            && let Some(oldest) = (0..self.states.len()).min_by_key(|&i| self.states[i].0)
        {
            self.states.swap_remove(oldest);
        }
        self.states.push((self.now, state.clone()));
    }

    /// The deepest state that all paths between two cuts come through.
    pub(crate) fn towards(
        &mut self,
        space: &mut S,
        lo: Option<&Bound<S::Witness>>,
        hi: Option<&Bound<S::Witness>>,
    ) -> Option<S::State> {
        let (lo, hi) = match (lo, hi) {
            (Some(lo), Some(hi)) => (lo, hi),
            // Only the first decision is sure to be on the way.
            _ => {
                let i = self.states.iter().position(|(_, state)| space.depth(state) == 0)?;
                return Some(self.use_of(i));
            }
        };
        // Not at a cut's own depth: the digest is compared where that is reached.
        let reaches = |cut: &Cut, depth| cut.depth.is_none_or(|d| depth < d);
        let on_way = |space: &mut S, bound: &Bound<S::Witness>, state: &S::State| {
            let depth = space.depth(state);
            depth == 0 || (reaches(&bound.cut, depth) && space.leads(&bound.witness, state))
        };
        // One witness after the other: evaluation remembers values under the last one.
        let mut on_both: Vec<usize> =
            (0..self.states.len()).filter(|&i| on_way(space, lo, &self.states[i].1)).collect();
        on_both.sort_by_key(|&i| std::cmp::Reverse(space.depth(&self.states[i].1)));
        let i = on_both.into_iter().find(|&i| on_way(space, hi, &self.states[i].1))?;
        Some(self.use_of(i))
    }

    fn use_of(&mut self, i: usize) -> S::State {
        self.now += 1;
        self.states[i].0 = self.now;
        self.states[i].1.clone()
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.states.clear();
    }
}

//! Depth-first exploration of the subtree of one state, used if more states wait than may live. It finishes paths, while a
//! strategy that chooses anew at each fork only moves states, and it needs few states at a time. The remaining work of a subtree
//! is one region at any moment.

use cleave_region::{Cut, Region, Weight};

use crate::space::Space;
use crate::states::entries::Waiting;
use crate::states::gaps::Gaps;
use crate::strategy::Slot;

/// Maximum number of steps in a subtree before another one has its turn...
const LONGEST: u32 = 4096;
/// ... and maximum number of steps without an end of a path: there may be none.
const LONGEST_DRY: u32 = 256;
/// The same maximum for a drain that lasts.
const LASTING_DRY: u32 = 4096;

/// The reason why a drain has taken long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Long {
    /// It used up its steps.
    Steps,
    /// No path has ended for long.
    Dry,
}

/// The depth-first exploration of the content of a slot.
pub(crate) struct Drain<S: Space> {
    pub(crate) slot: Slot,
    /// In falling order of paths, each with its part of the paths expected of the slot.
    stack: Vec<(Waiting<S>, f64)>,
    /// The part of the state taken last.
    part: f64,
    /// Infeasible sides between the states on the stack.
    gaps: Gaps,
    /// End of the drain's region; `None` for the end of the first entry of the stack.
    hi: Option<Cut>,
    /// Steps that are left before the subtree is left.
    left: u32,
    /// Steps since something ended.
    dry: u32,
    /// If true, it goes on as long as paths end, unless hardly anything else waits.
    lasts: bool,
}

impl<S: Space> Drain<S> {
    /// A drain of `waiting`; `part` is the slot's share in the estimate. A drain that `lasts` goes on as long as paths end.
    pub(crate) fn new(slot: Slot, waiting: Waiting<S>, part: f64, lasts: bool) -> Drain<S> {
        let hi = match &waiting {
            Waiting::Written(region) => region.hi.clone(),
            _ => None,
        };
        let mut gaps = Gaps::default();
        gaps.push();
        Drain { slot, stack: vec![(waiting, part)], part, gaps, hi, left: LONGEST, dry: 0, lasts }
    }

    /// All that waits in it.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Waiting<S>> {
        self.stack.iter().map(|(waiting, _)| waiting)
    }

    /// Takes the next state, with the weights of the infeasible sides before it. It comes back by [`Drain::push`] or
    /// [`Drain::fork`], or has ended.
    pub(crate) fn take(&mut self) -> Option<(Waiting<S>, Weight)> {
        let (waiting, part) = self.stack.pop()?;
        // The replay to a region may have more decisions than a drain may have steps, and would then be in vain.
        if !waiting.is_on_way() {
            self.left = self.left.saturating_sub(1);
            self.dry += 1;
        }
        self.part = part;
        Some((waiting, self.gaps.take()))
    }

    /// The entry that is taken next.
    pub(crate) fn next(&self) -> Option<&Waiting<S>> {
        self.stack.last().map(|(waiting, _)| waiting)
    }

    /// Puts the taken state back.
    pub(crate) fn push(&mut self, waiting: Waiting<S>) {
        self.stack.push((waiting, self.part));
        self.gaps.push();
    }

    /// Replaces the taken state by both sides of its decision.
    pub(crate) fn fork(&mut self, on_false: Waiting<S>, on_true: Waiting<S>) {
        self.part /= 2.0;
        self.push(on_false);
        self.push(on_true);
    }

    /// The part of the taken state.
    pub(crate) fn part(&self) -> f64 {
        self.part
    }

    /// Notes that the taken state has ended. Returns its part.
    pub(crate) fn ended(&mut self) -> f64 {
        self.dry = 0;
        self.part
    }

    /// Notes that the false side of the decision of the state at hand is infeasible. Returns its weight if the side lies outside
    /// [`Drain::remaining`]: behind the last state, if that ends the drain's region.
    pub(crate) fn refuted_behind(&mut self, weight: Weight) -> Weight {
        if self.stack.is_empty() && self.hi.is_none() {
            return weight;
        }
        self.gaps.add(weight);
        Weight::ZERO
    }

    /// See [`Gaps::pass`].
    pub(crate) fn pass_gap(&mut self) -> Weight {
        self.gaps.pass()
    }

    /// True if nothing is left of the subtree.
    pub(crate) fn is_done(&self) -> bool {
        self.stack.is_empty()
    }

    /// The reason to turn to another subtree, if there is one. `few`: few others wait, and another worker may ask for states.
    pub(crate) fn is_long(&self, few: bool) -> Option<Long> {
        if self.dry >= if self.lasts { LASTING_DRY } else { LONGEST_DRY } {
            return Some(Long::Dry);
        }
        (self.left == 0 && (few || !self.lasts)).then_some(Long::Steps)
    }

    /// The remaining work: from the start of the next state on. As in any depth-first exploration, all before that is finished.
    pub(crate) fn remaining(&self, space: &mut S) -> Option<Region> {
        let (first, last) = (self.stack.first()?, self.stack.last()?);
        let (first, last) = (&first.0, &last.0);
        if self.stack.len() == 1 && self.hi.is_none() {
            return Some(last.export(space));
        }
        let hi = if self.hi.is_some() { self.hi.clone() } else { first.end(space) };
        Some(Region::of(last.start(space), hi))
    }
}

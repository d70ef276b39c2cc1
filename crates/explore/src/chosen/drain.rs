//! Where more states wait than may live, the subtree of one of them is explored depth-first. That finishes paths, where a
//! strategy that chooses anew at each fork only moves states, and it needs few states at a time. What is left of a subtree
//! is one region at any moment.

use cleave_region::{Cut, Region, Weight};

use crate::gaps::Gaps;
use crate::space::Space;
use crate::strategy::Slot;
use crate::waiting::Waiting;

/// A subtree is left for another one after so many steps in it...
const LONGEST: u32 = 4096;
/// ... or so many without an end of a path: there may be none.
const LONGEST_DRY: u32 = 256;
/// One that lasts is left after so many.
const LASTING_DRY: u32 = 4096;

/// Why a drain has taken long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Long {
    /// It was worked on for long.
    Steps,
    /// Nothing has ended for long.
    Dry,
}

/// The depth-first exploration of what waited in a slot.
pub(crate) struct Drain<S: Space> {
    pub(crate) slot: Slot,
    /// In falling order of paths, each with its part of what was expected of the slot.
    stack: Vec<(Waiting<S>, f64)>,
    /// The part of what was taken last.
    part: f64,
    /// Refuted sides between what is on the stack.
    gaps: Gaps,
    /// Where all ends; `None` for the end of the first of the stack.
    hi: Option<Cut>,
    /// Steps that are left before the subtree is left.
    left: u32,
    /// Steps since something ended.
    dry: u32,
    /// It goes on as long as paths end, unless hardly anything else waits.
    lasts: bool,
}

impl<S: Space> Drain<S> {
    /// Begins with what waited in a slot; `part` is the slot's share in the estimate. One that `lasts` goes on as long as paths end.
    pub(crate) fn new(slot: Slot, waiting: Waiting<S>, part: f64, lasts: bool) -> Drain<S> {
        let hi = match &waiting {
            Waiting::Written(region) => region.hi.clone(),
            _ => None,
        };
        let mut gaps = Gaps::default();
        gaps.push();
        Drain { slot, stack: vec![(waiting, part)], part, gaps, hi, left: LONGEST, dry: 0, lasts }
    }

    /// What waits in it.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Waiting<S>> {
        self.stack.iter().map(|(waiting, _)| waiting)
    }

    /// Takes the next state, with the weights of the refuted sides before it. It comes back by [`Drain::push`] or
    /// [`Drain::fork`], or has ended.
    pub(crate) fn take(&mut self) -> Option<(Waiting<S>, Weight)> {
        let (waiting, part) = self.stack.pop()?;
        // The way back to a region may be of more decisions than its drain may have steps, and would then be in vain.
        if !waiting.is_on_way() {
            self.left = self.left.saturating_sub(1);
            self.dry += 1;
        }
        self.part = part;
        Some((waiting, self.gaps.take()))
    }

    /// What is taken next.
    pub(crate) fn next(&self) -> Option<&Waiting<S>> {
        self.stack.last().map(|(waiting, _)| waiting)
    }

    /// What was taken waits again.
    pub(crate) fn push(&mut self, waiting: Waiting<S>) {
        self.stack.push((waiting, self.part));
        self.gaps.push();
    }

    /// What was taken becomes both sides of a decision.
    pub(crate) fn fork(&mut self, on_false: Waiting<S>, on_true: Waiting<S>) {
        self.part /= 2.0;
        self.push(on_false);
        self.push(on_true);
    }

    /// The part of what was taken.
    pub(crate) fn part(&self) -> f64 {
        self.part
    }

    /// What was taken has ended. Returns its part.
    pub(crate) fn ended(&mut self) -> f64 {
        self.dry = 0;
        self.part
    }

    /// The false side of the decision at which the state at hand stands is refuted. Returns its weight if it is not in what
    /// [`Drain::remaining`] says: behind the last state, where that is the end of all.
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

    /// Whether nothing is left of the subtree.
    pub(crate) fn is_done(&self) -> bool {
        self.stack.is_empty()
    }

    /// Whether it is another subtree's turn, and why. `few`: few others wait, and someone may ask for states.
    pub(crate) fn is_long(&self, few: bool) -> Option<Long> {
        if self.dry >= if self.lasts { LASTING_DRY } else { LONGEST_DRY } {
            return Some(Long::Dry);
        }
        (self.left == 0 && (few || !self.lasts)).then_some(Long::Steps)
    }

    /// What is left: from the start of the next state on. As in any depth-first exploration all before that is finished.
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

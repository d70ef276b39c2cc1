//! The bound on live states: its drains, its evicted regions, and whose step is next.

use cleave_region::Weight;

use super::drain::Drain;
use super::pace::{Pace, Yield};
use crate::space::Space;
use crate::states::entries::Waiting;
use crate::strategies::Ranked;
use crate::strategy::{DECISION, Slot};

/// Maximum number of consecutive steps of drains, or of steps' worth of work: their states and terms are then still in the
/// processor's caches.
const AT_ONCE: usize = 64;

/// Ratio of the work of drains to the work of the strategy's steps.
const DRAINED: u64 = 2;

/// Drains begin if more states wait than this, or than the bound divided by `PART`.
const FEW: usize = 256;
const PART: usize = 32;

/// Start of a drain: the state of least worth to the strategy, or (`FARTHEST`) the state with the most instructions on its path.
const BEGINNINGS: usize = 2;
pub(super) const FARTHEST: usize = 1;
/// One drain in this many does not begin in the way that has paid best.
const TRIED: u32 = 4;

/// Index of the drain at a state that the strategy can spare.
pub(super) const SPARED: usize = 0;
/// Index of the drain that continues with the first state of all, as depth-first search would.
pub(super) const FIRST: usize = 1;

/// Keeps the number of live states small.
pub(super) struct Bound<S: Space> {
    /// Maximum number of states that the strategy chooses among; 0 for no bound.
    pub(super) most: usize,
    pub(super) drains: [Option<Drain<S>>; 2],
    /// The drain that owns the state at hand.
    pub(super) at_hand: Option<usize>,
    /// Schedules the first state of all.
    pub(super) pace: Pace,
    /// Steps and work that drains of spared states are behind. `catching_up` is true while they catch up.
    owed: [u64; 2],
    catching_up: bool,
    /// Regions that the strategy is not told of, by depth.
    pub(super) evicted: Ranked,
    /// The yield of each way to begin a drain, the number of drains begun, and the way in which the current one began.
    yields: [Yield; BEGINNINGS],
    begun: u32,
    beginning: usize,
}

impl<S: Space> Bound<S> {
    /// A bound of `most` states, with depth-first steps in between if at least `paced` states wait; 0 turns either off.
    pub(super) fn new(most: usize, paced: usize) -> Bound<S> {
        Bound {
            most,
            drains: [None, None],
            at_hand: None,
            pace: Pace::new(paced),
            owed: [0; 2],
            catching_up: false,
            evicted: Ranked::default(),
            yields: Default::default(),
            begun: 0,
            beginning: 0,
        }
    }

    /// Chooses the start of the next drain. Each way to begin has its turn; the other turns go to the one that pays best.
    pub(super) fn next_beginning(&mut self) -> usize {
        self.begun = self.begun.wrapping_add(1);
        let [worst, farthest] = self.yields;
        let best = usize::from(farthest.is_better_than(worst));
        self.beginning = if self.begun.is_multiple_of(TRIED) { 1 - best } else { best };
        self.beginning
    }

    /// Counts the paths in which the state at hand ended.
    pub(super) fn found(&mut self, paths: u64) {
        self.pace.found(paths, self.at_hand == Some(FIRST));
        if self.at_hand == Some(SPARED) {
            self.yields[self.beginning].found(paths);
        }
    }

    /// The drain that owns the state at hand, if one does.
    pub(super) fn at_hand(&mut self) -> Option<&mut Drain<S>> {
        self.at_hand.and_then(|which| self.drains[which].as_mut())
    }

    /// True if there is a bound.
    pub(super) fn is_bounded(&self) -> bool {
        self.most > 0
    }

    /// True if there may be drains.
    pub(super) fn has_drains(&self) -> bool {
        self.most > 0 || self.pace.is_kept()
    }

    /// Forgets the drain of the state at hand, which has nothing left.
    pub(super) fn forget_drain(&mut self) {
        if let Some(which) = self.at_hand {
            self.drains[which] = None;
        }
    }

    pub(super) fn is_at_hand(&self) -> bool {
        self.at_hand.is_some()
    }

    /// True if the state at hand belongs to depth-first search.
    pub(super) fn is_first(&self) -> bool {
        self.at_hand == Some(FIRST)
    }

    /// The drain that occupies a slot.
    pub(super) fn drain_of(&self, slot: Slot) -> Option<&Drain<S>> {
        self.drains.iter().flatten().find(|drain| drain.slot == slot)
    }

    /// All that waits in drains.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Waiting<S>> {
        self.drains.iter().flatten().flat_map(Drain::waiting)
    }

    /// The weights of infeasible sides that a drain has passed and that were not counted yet.
    pub(super) fn pass_gap(&mut self) -> Weight {
        let gaps = self.drains.iter_mut().flatten().map(Drain::pass_gap);
        gaps.fold(Weight::ZERO, |sum, gap| sum + gap)
    }

    /// The evicted region with the fewest decisions, and their number.
    pub(super) fn shallowest(&self) -> Option<(u64, Slot)> {
        self.evicted.first()
    }

    /// Forgets an evicted region that is given away.
    pub(super) fn given(&mut self, slot: Slot) {
        self.evicted.remove(slot);
    }

    /// Forgets the content of a slot, which leaves. Returns true if the strategy did not know of it.
    pub(super) fn forgets(&mut self, slot: Slot) -> bool {
        self.evicted.remove(slot) || self.drain_of(slot).is_some()
    }

    /// Takes in an evicted region, of which the strategy is to be told. False if the slot holds none.
    pub(super) fn takes_in(&mut self, slot: Slot) -> bool {
        self.evicted.remove(slot)
    }

    /// True if the content of a slot is hidden from the strategy.
    pub(super) fn knows(&self, slot: Slot) -> bool {
        self.evicted.contains(slot) || self.drain_of(slot).is_some()
    }

    /// Number of states up to which no drain is needed.
    pub(super) fn few(&self) -> usize {
        if self.is_bounded() { FEW.min(self.most / PART) } else { self.pace.from() }
    }

    /// Accounts for a step of `instructions`. Drains of spared states do as many steps as the strategy, and twice as much work: a
    /// state that the strategy chooses may be far from its next decision, so one of its steps may cost as much as many of theirs.
    pub(super) fn worked(&mut self, instructions: u64) {
        self.pace.stepped(self.at_hand == Some(FIRST));
        let [steps, _] = &mut self.owed;
        match self.at_hand {
            Some(FIRST) => {}
            Some(_) => *steps = steps.saturating_sub(1),
            None => *steps = steps.saturating_add(1),
        }
        self.asked(instructions.saturating_add(DECISION));
    }

    /// Accounts for work of the space for the state at hand, in addition to its instructions.
    pub(super) fn asked(&mut self, work: u64) {
        self.pace.worked(work, self.at_hand == Some(FIRST));
        let [_, owed] = &mut self.owed;
        match self.at_hand {
            Some(FIRST) => {}
            Some(_) => {
                *owed = owed.saturating_sub(work);
                self.yields[self.beginning].worked(work);
            }
            None => *owed = owed.saturating_add(work.saturating_mul(DRAINED)),
        }
    }

    /// The drain that owns the next step, if one does; `waiting` states wait for the strategy.
    pub(super) fn due(&mut self, waiting: usize) -> Option<usize> {
        if self.pace.is_due(waiting) {
            return Some(FIRST);
        }
        self.due_without_pace(waiting)
    }

    /// As [`Bound::due`], if the pace has no state to continue.
    pub(super) fn due_without_pace(&mut self, waiting: usize) -> Option<usize> {
        let [spared, first] = [SPARED, FIRST].map(|which| self.drains[which].is_some());
        if self.most > 0 && self.is_due(waiting) && (spared || waiting > 0) {
            return Some(SPARED);
        }
        (waiting == 0 && first).then_some(FIRST)
    }

    /// Returns true if the next step belongs to the drain of a spared state.
    fn is_due(&mut self, waiting: usize) -> bool {
        if self.drains[SPARED].is_none() && waiting <= self.few() {
            (self.owed, self.catching_up) = ([0; 2], false);
            return false;
        }
        let [steps, work] = self.owed;
        let at_once = AT_ONCE.min(self.most) as u64;
        self.catching_up = if self.catching_up {
            steps > 0 || work > 0
        } else {
            steps >= at_once || work >= at_once * DECISION
        };
        self.catching_up || waiting == 0
    }
}

//! Symbolic and concolic exploration behind one type, [`AnyExplorer`]. Campaign workers call it; every call is passed on to the
//! exploration inside.

use cleave_region::{Expected, Region, Weight};

use crate::clock::WayTimes;
use crate::concolic::Concolic;
use crate::estimate::Experience;
use crate::event::Event;
use crate::explorer::Explorer;
use crate::meter::Counters;
use crate::paths::checkpoints::Trail;
use crate::space::Space;

/// A symbolic or a concolic exploration of one region.
pub enum AnyExplorer<S: Space> {
    /// Forks states.
    Symbolic(Explorer<S>),
    /// Runs inputs.
    Concolic(Concolic<S>),
}

/// Calls the same method of either variant.
macro_rules! either {
    ($self:expr, $e:ident => $call:expr) => {
        match $self {
            AnyExplorer::Symbolic($e) => $call,
            AnyExplorer::Concolic($e) => $call,
        }
    };
}

impl<S: Space> AnyExplorer<S> {
    /// The states kept on the way to this region and those before it.
    pub fn into_trail(self) -> Trail<S> {
        either!(self, e => e.into_trail())
    }

    /// Takes the learned ratios for the next region. To be called after the last step.
    pub fn take_experience(&mut self) -> Experience {
        match self {
            AnyExplorer::Symbolic(e) => e.take_experience(),
            AnyExplorer::Concolic(_) => Experience::default(),
        }
    }

    /// Expected number of paths in the remaining work; `None` if unknown, as for concrete runs.
    pub fn expected(&self) -> Option<Expected> {
        match self {
            AnyExplorer::Symbolic(e) => e.expected(),
            AnyExplorer::Concolic(e) => (e.frontier() == 0).then_some(Expected::NONE),
        }
    }

    /// Expected number of paths in all work given away since the last call; `None` if unknown.
    pub fn take_given(&mut self) -> Option<Expected> {
        match self {
            AnyExplorer::Symbolic(e) => e.take_given(),
            AnyExplorer::Concolic(_) => None,
        }
    }

    /// True if the region is explored.
    pub fn is_done(&self) -> bool {
        either!(self, e => e.is_done())
    }

    /// Number of waiting states or items.
    pub fn frontier(&self) -> usize {
        either!(self, e => e.frontier())
    }

    /// True if a strategy chooses among states, so that no single state is worth as much as all others.
    pub fn is_broad(&self) -> bool {
        matches!(self, AnyExplorer::Symbolic(explorer) if explorer.is_broad())
    }

    /// The counters so far.
    pub fn counters(&self) -> Counters {
        either!(self, e => e.counters())
    }

    /// The weights of all that ended since the last call and is not part of the remaining work, except those of paths; see
    /// [`Explorer::take_ended`].
    pub fn take_ended(&mut self) -> Weight {
        either!(self, e => e.take_ended())
    }

    /// Time spent on the way to regions since the last call.
    pub fn take_way_times(&mut self) -> WayTimes {
        either!(self, e => e.take_way_times())
    }

    /// Continues for about `fuel` instructions, or until it finds something.
    pub fn step(&mut self, space: &mut S, fuel: u64, events: &mut Vec<Event<S>>) {
        either!(self, e => e.step(space, fuel, events));
    }

    /// Notes that a path of the last step was recorded; see [`Explorer::recorded`].
    pub fn recorded(&mut self, space: &S) {
        if let AnyExplorer::Symbolic(explorer) = self {
            explorer.recorded(space);
        }
    }

    /// Shows each waiting or running state to `see`.
    pub fn each_state(&self, see: &mut dyn FnMut(&S::State)) {
        either!(self, e => e.each_state(see));
    }

    /// The remaining work as regions.
    pub fn remaining(&self, space: &mut S) -> Vec<Region> {
        either!(self, e => e.remaining(space))
    }

    /// False if other work has to be done before states are given away; see [`Explorer::pays_to_give`].
    pub fn pays_to_give(&self, space: &S) -> bool {
        match self {
            AnyExplorer::Symbolic(e) => e.pays_to_give(space),
            AnyExplorer::Concolic(_) => true,
        }
    }

    /// Gives away up to `n` states or items; see [`Explorer::give`] and [`Concolic::give`].
    pub fn give(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        match self {
            AnyExplorer::Symbolic(e) => e.give(space, n),
            AnyExplorer::Concolic(e) => e.give(space, n),
        }
    }

    /// Gives away up to `n` states or items, but never all, to make room.
    pub fn spill(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        match self {
            AnyExplorer::Symbolic(e) => e.spill(space, n),
            AnyExplorer::Concolic(e) => e.spill(space, n),
        }
    }
}

//! An exploration of either kind.

use cleave_region::{Expected, Region, Weight};

use crate::clock::WayTimes;
use crate::concolic::Concolic;
use crate::estimate::Experience;
use crate::event::Event;
use crate::explorer::Explorer;
use crate::meter::Counters;
use crate::space::Space;
use crate::trail::Trail;

/// A symbolic or a concolic exploration of one region.
pub enum AnyExplorer<S: Space> {
    /// States that fork.
    Symbolic(Explorer<S>),
    /// Inputs that are run.
    Concolic(Concolic<S>),
}

/// Calls the method of whichever it is.
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

    /// What was learned, for the next region. To be called after the last step.
    pub fn take_experience(&mut self) -> Experience {
        match self {
            AnyExplorer::Symbolic(e) => e.take_experience(),
            AnyExplorer::Concolic(_) => Experience::default(),
        }
    }

    /// How many paths are expected of what is left; `None` where nobody knows, as of concrete runs.
    pub fn expected(&self) -> Option<Expected> {
        match self {
            AnyExplorer::Symbolic(e) => e.expected(),
            AnyExplorer::Concolic(e) => (e.frontier() == 0).then_some(Expected::NONE),
        }
    }

    /// What is expected of all that was given away since the last call; `None` where nobody knows.
    pub fn take_given(&mut self) -> Option<Expected> {
        match self {
            AnyExplorer::Symbolic(e) => e.take_given(),
            AnyExplorer::Concolic(_) => None,
        }
    }

    /// Whether the region is explored.
    pub fn is_done(&self) -> bool {
        either!(self, e => e.is_done())
    }

    /// How many states or items wait.
    pub fn frontier(&self) -> usize {
        either!(self, e => e.frontier())
    }

    /// Whether a strategy chooses among states, of which none is worth as much as all others.
    pub fn is_broad(&self) -> bool {
        matches!(self, AnyExplorer::Symbolic(explorer) if explorer.is_broad())
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        either!(self, e => e.counters())
    }

    /// The weights of all that has ended since the last call and is in nothing of what is left, but for those of paths; see
    /// [`Explorer::take_ended`].
    pub fn take_ended(&mut self) -> Weight {
        either!(self, e => e.take_ended())
    }

    /// What the ways to regions took since the last call.
    pub fn take_way_times(&mut self) -> WayTimes {
        either!(self, e => e.take_way_times())
    }

    /// Goes on for about `fuel` instructions, or until something is found.
    pub fn step(&mut self, space: &mut S, fuel: u64, events: &mut Vec<Event<S>>) {
        either!(self, e => e.step(space, fuel, events));
    }

    /// A path of the last step was recorded; see [`Explorer::recorded`].
    pub fn recorded(&mut self, space: &S) {
        if let AnyExplorer::Symbolic(explorer) = self {
            explorer.recorded(space);
        }
    }

    /// Shows the states that wait, or run.
    pub fn each_state(&self, see: &mut dyn FnMut(&S::State)) {
        either!(self, e => e.each_state(see));
    }

    /// What is left, as regions.
    pub fn remaining(&self, space: &mut S) -> Vec<Region> {
        either!(self, e => e.remaining(space))
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

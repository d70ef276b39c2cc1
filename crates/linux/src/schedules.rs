//! Which orders of threads are explored (`--explore-schedules`).

/// The orders of threads that a run explores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedules {
    /// One: a thread runs until it waits.
    #[default]
    Fixed,
    /// Those in which a thread that could go on has to let another one go on at most so often.
    Preempted(u32),
    /// All, but of those that differ in the order of independent steps alone one.
    All,
    /// All.
    Every,
}

impl Schedules {
    /// How many preemptions a path may have.
    pub fn preemptions(self) -> u32 {
        match self {
            Schedules::Fixed => 0,
            Schedules::Preempted(most) => most,
            Schedules::All | Schedules::Every => u32::MAX,
        }
    }
}

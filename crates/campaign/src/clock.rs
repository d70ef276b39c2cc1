//! The time of coordinator and workers: that of this machine, or a simulated one.

use std::time::{Duration, Instant};

/// Tells the time. The campaign depends on nothing else around it, so with another clock (and another
/// [`Transport`](crate::Transport)) its own code runs in a simulation.
pub trait Clock: std::fmt::Debug + Send + Sync {
    /// The time since some fixed moment. It never runs backwards.
    fn now(&self) -> Duration;
}

/// The time of this machine, since the clock was made.
#[derive(Clone, Copy, Debug)]
pub struct RealClock(Instant);

impl RealClock {
    /// The time since `start`.
    pub fn since(start: Instant) -> RealClock {
        RealClock(start)
    }
}

impl Default for RealClock {
    fn default() -> RealClock {
        RealClock(Instant::now())
    }
}

impl Clock for RealClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

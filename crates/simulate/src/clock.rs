//! Virtual time: the clocks of simulated processes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cleave_campaign::Clock;

/// Picoseconds: whole numbers add up exactly, and 2^64 of them are 213 days.
pub type Picos = u64;

/// Picoseconds of a microsecond.
pub const MICROSECOND: Picos = 1_000_000;

/// The clock of one simulated process. Only the simulation moves it. (Atomic, as a clock can be seen by threads.)
#[derive(Debug, Default)]
pub struct VirtualClock {
    now: AtomicU64,
    /// Work done, not stretched by sharing.
    worked: AtomicU64,
    /// Number of processes that share `cores` thousandths of a core: work is stretched by the ratio.
    sharing: AtomicU64,
    cores: AtomicU64,
}

impl VirtualClock {
    /// The time.
    pub fn picos(&self) -> Picos {
        self.now.load(Ordering::Relaxed)
    }

    /// The work done, as time on a core of its own.
    pub fn worked(&self) -> Picos {
        self.worked.load(Ordering::Relaxed)
    }

    /// Sets the time.
    pub fn set(&self, now: Picos) {
        self.now.store(now, Ordering::Relaxed);
    }

    /// Lets `sharing` processes share `cores` thousandths of a core from now on; 0: each has its own.
    pub fn share(&self, sharing: u64, cores: u64) {
        self.sharing.store(sharing, Ordering::Relaxed);
        self.cores.store(cores, Ordering::Relaxed);
    }

    /// Advances the time by that of this much work.
    pub fn work(&self, cost: Picos) {
        self.worked.fetch_add(cost, Ordering::Relaxed);
        let (sharing, cores) = (self.sharing.load(Ordering::Relaxed), self.cores.load(Ordering::Relaxed));
        self.set(self.picos() + stretched(cost, sharing, cores));
    }
}

/// Time of `cost` if `sharing` processes share `cores` thousandths of a core.
pub(crate) fn stretched(cost: Picos, sharing: u64, cores: u64) -> Picos {
    if cores == 0 || sharing * 1000 <= cores {
        return cost;
    }
    (u128::from(cost) * u128::from(sharing) * 1000 / u128::from(cores)) as Picos
}

impl Clock for VirtualClock {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.picos() / 1000)
    }
}

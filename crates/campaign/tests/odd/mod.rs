//! An exploration with little memory, to which writing things down takes long.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cleave_campaign::{Clock, Exploration, Found, Stats};
use cleave_region::{Region, Weight};

/// A clock that moves when it is told to.
#[derive(Debug, Default)]
pub struct HandClock(AtomicU64);

impl Clock for HandClock {
    fn now(&self) -> Duration {
        // Every look takes a microsecond.
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

pub struct Odd {
    pub inner: Box<dyn Exploration>,
    /// States that fit into memory.
    pub room: Option<u64>,
    /// Microseconds that writing down a state takes.
    pub writing: u64,
    pub clock: Arc<HandClock>,
}

impl Exploration for Odd {
    fn start(&mut self, region: Region) {
        self.inner.start(region);
    }
    fn start_broad(&mut self, region: Region) {
        self.inner.start_broad(region);
    }
    fn step(&mut self, fuel: u64, found: &mut Found) {
        self.inner.step(fuel, found);
    }
    fn is_done(&self) -> bool {
        self.inner.is_done()
    }
    fn waiting(&self) -> usize {
        self.inner.waiting()
    }
    fn give(&mut self, n: usize) -> Vec<Region> {
        self.inner.give(n)
    }
    fn spill(&mut self, n: usize) -> Vec<Region> {
        self.inner.spill(n)
    }
    fn memory_limit(&self) -> Option<u64> {
        self.room
    }
    fn memory_in_use(&self) -> u64 {
        self.inner.waiting() as u64
    }
    fn remaining(&mut self) -> Vec<Region> {
        self.clock.0.fetch_add(self.writing * self.inner.waiting() as u64, Ordering::Relaxed);
        self.inner.remaining()
    }
    fn take_measure(&mut self) -> Option<Weight> {
        self.inner.take_measure()
    }
    fn take_stats(&mut self) -> Stats {
        self.inner.take_stats()
    }
}

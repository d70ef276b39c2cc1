//! The status of a run on members, which its coordinator sends to every holder of the key that asks.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Time over which a rate is measured; `SAMPLE` is the time between two of its samples.
const WINDOW: Duration = Duration::from_secs(10);
const SAMPLE: Duration = Duration::from_secs(1);

/// Traffic of a connection: packets with their codes, without the server's own messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Packets received.
    pub packets_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Packets sent.
    pub packets_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
}

impl Traffic {
    pub(crate) fn came(&mut self, bytes: usize) {
        self.packets_in += 1;
        self.bytes_in += bytes as u64;
    }

    pub(crate) fn went(&mut self, bytes: usize) {
        self.packets_out += 1;
        self.bytes_out += bytes as u64;
    }
}

/// A machine that has joined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemberStatus {
    /// Its name for itself.
    pub name: String,
    /// Its address as the NATS server sees it; empty if the server does not send it.
    pub address: String,
    /// Number of workers that it has been told to run; `places` is the number that it can run.
    pub workers: u32,
    /// See [`MemberStatus::workers`]. None when it leaves.
    pub places: u32,
    /// Seconds since it joined.
    pub joined_s: f64,
    /// Seconds since it was last heard.
    pub heard_s: f64,
    /// Paths that it has reported.
    pub paths: u64,
    /// Paths per second, over the last ten seconds.
    pub paths_per_s: f64,
    /// Traffic of the coordinator with it.
    pub traffic: Traffic,
}

/// A run as its coordinator sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The coordinator's version of Cleave.
    pub version: String,
    /// Seconds since its session called for members.
    pub session_s: f64,
    /// Paths of the run, including earlier sessions.
    pub paths: u64,
    /// Paths per second, over the last ten seconds.
    pub paths_per_s: f64,
    /// Expected total number of paths, if known.
    pub expected_paths: Option<f64>,
    /// Regions that wait for a worker.
    pub open_regions: u64,
    /// Regions that workers explore.
    pub leased_regions: u64,
    /// Bugs, each kind and place once.
    pub bugs: u64,
    /// Source lines that a test executes.
    pub lines_covered: u64,
    /// Source lines with code.
    pub lines: u64,
    /// Sides of branches that a test takes.
    pub branches_covered: u64,
    /// Sides of branches.
    pub branches: u64,
    /// True if the session is ending.
    pub stopping: bool,
    /// All traffic of the coordinator with the NATS server, in this session.
    pub traffic: Traffic,
    /// The members, by name.
    pub members: Vec<MemberStatus>,
}

/// The last status, for other parts of the coordinator's process.
#[derive(Clone, Debug, Default)]
pub struct Board(Arc<Mutex<Status>>);

impl Board {
    /// The last status; while the run goes on it is at most a second old.
    pub fn status(&self) -> Status {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn show(&self, status: Status) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }
}

/// Growth rate of a count.
#[derive(Debug, Default)]
pub(crate) struct Speed {
    samples: VecDeque<(Instant, u64)>,
}

impl Speed {
    /// Notes the count at this time. Called often; most values are not kept.
    pub(crate) fn note(&mut self, now: Instant, count: u64) {
        if self.samples.back().is_some_and(|(at, _)| now.saturating_duration_since(*at) < SAMPLE) {
            return;
        }
        self.samples.push_back((now, count));
        while self.samples.len() > 2
            && self.samples.front().is_some_and(|(at, _)| now.saturating_duration_since(*at) > WINDOW)
        {
            self.samples.pop_front();
        }
    }

    /// Growth per second over the last seconds, if the count is `count` now.
    pub(crate) fn a_second(&self, now: Instant, count: u64) -> f64 {
        let Some((at, before)) = self.samples.front() else { return 0.0 };
        let seconds = now.saturating_duration_since(*at).as_secs_f64();
        if seconds > 0.0 { count.saturating_sub(*before) as f64 / seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_that_of_the_last_seconds() {
        let (mut speed, start) = (Speed::default(), Instant::now());
        assert_eq!(speed.a_second(start, 5), 0.0);
        let at = |tenths: u64| start + Duration::from_millis(100 * tenths);
        // Ten a second for a minute, then a hundred.
        let count = |tenths: u64| if tenths < 600 { tenths } else { 600 + 10 * (tenths - 600) };
        (0..600).for_each(|tenths| speed.note(at(tenths), count(tenths)));
        assert!((speed.a_second(at(600), 600) - 10.0).abs() < 0.5);
        assert!(speed.samples.len() < 15, "{} samples", speed.samples.len());
        (600..800).for_each(|tenths| speed.note(at(tenths), count(tenths)));
        assert!((speed.a_second(at(800), count(800)) - 100.0).abs() < 0.5);
        (800..1_000).for_each(|tenths| speed.note(at(tenths), count(800)));
        assert_eq!(speed.a_second(at(1_000), count(800)), 0.0);
    }
}

//! The coordinator, the threads' transport and the workers' loop on threads whose every switch a scheduler chooses:
//! at random, and by priorities that change in a few places (PCT: Burckhardt, Kothari, Musuvathi and Nagarakatti
//! 2010). The two files are compiled here once more, with [shuttle](https://docs.rs/shuttle)'s channels and threads.
//! Nothing ever times out here: whoever waits for ever makes a deadlock, which fails the test.

#![allow(dead_code)] // Of what is compiled here a part is used.

mod common;
mod odd;

mod clock {
    pub use cleave_campaign::{Clock, RealClock};
}
mod accounting {
    pub mod counters {
        pub use cleave_campaign::counters::*;
    }
    pub mod stats {
        pub use cleave_campaign::Stats;
    }
}
mod shards {
    pub mod shard {
        use std::path::Path;

        use cleave_region::EncodedPath;

        use crate::transports::protocol::Kept;

        /// Paths wait in memory here: files have no schedule.
        pub enum ShardWriter {}

        impl ShardWriter {
            pub fn create(_: &Path, _: bool) -> Result<ShardWriter, String> {
                Err("there are no shards in this test".into())
            }

            pub fn push(&mut self, _: &EncodedPath, _: bool) -> Result<bool, String> {
                match *self {}
            }

            pub fn uncounted(&self) -> u64 {
                match *self {}
            }

            pub fn settle(&mut self) -> Result<Option<Kept>, String> {
                match *self {}
            }
        }
    }
}
#[path = "../src/transports"]
mod transports {
    pub mod threads;

    pub mod protocol {
        pub use cleave_campaign::{Expectations, FromWorker, Kept, Report, Shows, ToWorker};
    }
    pub mod sync {
        pub use shuttle::sync::mpsc;
        pub use shuttle::thread;
    }
    pub mod transport {
        pub use cleave_campaign::{Incoming, Transport, WorkerId};
    }
}
#[path = "../src/workers"]
mod workers {
    pub mod finished_paths;
    pub mod memory;
    pub mod worker;

    pub mod exploration {
        pub use cleave_campaign::{Exploration, Found};
    }
}

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use cleave_campaign::{
    Campaign, Clock, Exploration, Meta, RecordedPath, RunOptions, Sink, Snapshot, StopReason, ToWorker,
    Transport, WorkerId,
};
use common::Tree;
use odd::{HandClock, Odd};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, Runner};
use transports::threads::Threads;
use workers::worker::{Pace, SetUp};

/// A clock that stands: the schedule alone decides.
#[derive(Debug)]
struct Standing;

impl Clock for Standing {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Below `n`, from what the scheduler chooses too.
fn below(n: u64) -> u64 {
    use shuttle::rand::Rng;
    shuttle::rand::thread_rng().gen_range(0..n)
}

/// Interrupts the run at a random look.
struct Impatient {
    looks: Option<u64>,
    interrupt: Arc<AtomicBool>,
}

impl Sink for Impatient {
    fn paths(&mut self, _: &[RecordedPath<'_>]) -> Result<(), String> {
        Ok(())
    }
    fn progress(&mut self, _: &Snapshot) {
        self.looks = self.looks.map(|n| n.saturating_sub(1));
        if self.looks == Some(0) {
            self.interrupt.store(true, Ordering::Relaxed);
        }
    }
}

/// The threads' transport; workers die between two messages.
struct Dying {
    inner: Threads,
    deaths: u64,
}

impl Transport for Dying {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        self.inner.start(worker)
    }
    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        self.inner.send(worker, message);
        // Its end of the channel closes: it ends where it is, and says that it is gone.
        if self.deaths > 0 && below(6) == 0 && matches!(message, ToWorker::Lease { .. }) {
            self.deaths -= 1;
            self.inner.kill(worker);
        }
    }
    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, cleave_campaign::Incoming)>, String> {
        self.inner.receive(wait)
    }
    fn kill(&mut self, worker: WorkerId) {
        self.inner.kill(worker);
    }
}

static SESSIONS: AtomicU64 = AtomicU64::new(0);
static STEALS: AtomicU64 = AtomicU64::new(0);
static SPILLS: AtomicU64 = AtomicU64::new(0);
static DEATHS: AtomicU64 = AtomicU64::new(0);

/// A run of one to three sessions with options at random, to its end.
fn run(tree: &Tree) {
    let mut campaign = Campaign::in_memory(&Meta::default(), &tree.ranges(1 + below(3) as usize)).unwrap();
    loop {
        SESSIONS.fetch_add(1, Ordering::Relaxed);
        let pace = Pace {
            fuel: 10,
            every: Duration::from_secs(3600),
            paths: 1 + below(4) as usize,
            bytes: usize::MAX,
            patience: Duration::ZERO,
            ..Pace::default()
        };
        let (broad, room) = (below(2) == 0, (below(2) == 0).then_some(3));
        let steady = tree.clone();
        let make = move |_: SetUp<'_>| -> Result<Box<dyn Exploration>, String> {
            let clock = Arc::<HandClock>::default();
            Ok(Box::new(Odd { inner: steady.steady(broad), room, writing: 0, clock }))
        };
        let inner = Threads::new(Arc::new(make), pace);
        let mut transport = Dying { inner, deaths: below(3) };
        let mut sink = Impatient { looks: (below(2) == 0).then(|| 1 + below(20)), interrupt: Arc::default() };
        let options = RunOptions {
            workers: 1 + below(3) as u32,
            split_states: (below(3) == 0).then_some(4),
            prefetch: below(2) == 0,
            max_paths: (below(4) == 0).then(|| 1 + below(20)),
            interrupt: sink.interrupt.clone(),
            retry: vec!["crashed".into()],
            clock: Arc::new(Standing),
            ..RunOptions::default()
        };
        let reason = campaign.run(&mut transport, &options, &mut sink).unwrap();
        drop(transport);
        let account = campaign.account().unwrap();
        assert!(!account.regions.contains_key("leased"), "{reason}: all is given back: {account:?}");
        tree.check_store(campaign.store(), true, &reason.to_string());
        if reason == StopReason::Exhausted && account.open_regions == 0 {
            assert_eq!(account.paths.ended(), tree.paths().len() as u64);
            STEALS.fetch_add(account.stolen_regions, Ordering::Relaxed);
            DEATHS.fetch_add(account.worker_deaths, Ordering::Relaxed);
            SPILLS.fetch_add(account.other.get("spilled_regions").copied().unwrap_or(0), Ordering::Relaxed);
            return;
        }
    }
}

/// Under so many schedules; `CLEAVE_SCHEDULES=100` follows a hundred times as many.
fn under(scheduler: impl Scheduler + 'static) -> usize {
    let mut config = Config::new();
    config.stack_size = 1 << 20;
    config.failure_persistence = FailurePersistence::Print;
    let tree = Tree::exactly(24, 3, 8);
    Runner::new(scheduler, config).run(move || run(&tree))
}

fn schedules(n: usize) -> usize {
    n * std::env::var("CLEAVE_SCHEDULES").map_or(1, |n| n.parse().unwrap())
}

#[track_caller]
fn all_happened(schedules: usize) {
    let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
    let (sessions, steals, spills, deaths) =
        (count(&SESSIONS), count(&STEALS), count(&SPILLS), count(&DEATHS));
    println!("{schedules} schedules: {sessions} sessions, {steals} steals, {spills} spills, {deaths} deaths");
    assert!(sessions > schedules as u64 && steals > 0 && spills > 0 && deaths > 0);
}

#[test]
fn under_random_schedules_nothing_waits_for_ever_and_each_path_is_there_once() {
    all_happened(under(RandomScheduler::new_from_seed(1, schedules(1000))));
}

#[test]
fn under_schedules_by_priorities_nothing_waits_for_ever_and_each_path_is_there_once() {
    all_happened(under(PctScheduler::new_from_seed(2, 4, schedules(1000))));
}

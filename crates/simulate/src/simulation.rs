//! Simulation of a run with many workers, with a check that no path was lost.

use std::sync::Arc;

use cleave_campaign::{Campaign, Meta, RecordedPath, RunOptions, Shards, Sink};
use cleave_explore::{Concrete, ItemOrder};
use cleave_region::Region;
use serde::Serialize;

use crate::clock::{Picos, VirtualClock};
use crate::costs::Costs;
use crate::error::SimulateError;
use crate::scale::sums::check_set;
use crate::splits;
use crate::tree::Tree;
use crate::world::{AWAY, Counts, Machine, World};

/// Distribution of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// One range, and idle workers steal from busy ones: the campaign as it is.
    Ranges,
    /// As many ranges, cut at random tests, as `per_worker` for each worker; nobody steals. The campaign's code.
    Static {
        /// Ranges a worker; those beyond one wait in a queue.
        per_worker: u32,
        /// Chooses the tests.
        seed: u64,
    },
    /// One worker explores breadth-first to `states` test-depth pairs, then all share them and steal. The campaign's
    /// code.
    TestDepth {
        /// Number of pairs; `None`: one a worker.
        states: Option<u32>,
    },
    /// ParSym: concolic workers that steal items (tests with positions), the oldest first. The campaign's code.
    ParSym,
}

impl Policy {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Ranges => "ranges",
            Policy::Static { .. } => "static",
            Policy::TestDepth { .. } => "test-depth",
            Policy::ParSym => "parsym",
        }
    }

    /// The parts that run the campaign's own code, and those that are models.
    pub fn how(self) -> &'static str {
        match self {
            Policy::Ranges => "the campaign's own coordinator, workers and explorer",
            Policy::Static { .. } => "the campaign's own coordinator, workers and explorer, without stealing",
            Policy::TestDepth { .. } => "the same, after one worker has split breadth-first",
            Policy::ParSym => "the campaign's own coordinator, with concolic workers",
        }
    }
}

/// Result of a simulated run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Workers.
    pub workers: u32,
    /// The policy's name.
    pub policy: &'static str,
    /// Seconds until the coordinator has everything.
    pub wall_s: f64,
    /// Seconds of one worker's exploration that talks to nobody, divided by this.
    pub speed_up: f64,
    /// The speed-up a worker.
    pub efficiency: f64,
    /// Messages, to workers and from them.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Regions that changed hands; for ParSym, items.
    pub steals: u64,
    /// The share of all workers' time in which they had nothing to do.
    pub idle: f64,
    /// Work of all workers, as a multiple of one worker's: the part above 1 is replays.
    pub work: f64,
    /// The share of the time in which the coordinator was busy.
    pub coordinator: f64,
    /// Paths found, each once.
    pub paths: u64,
}

/// A simulation of a recorded run.
pub struct Simulation {
    /// The recorded run.
    pub tree: Arc<Tree>,
    /// Costs of its work.
    pub costs: Costs,
    /// Costs of everything else.
    pub machine: Machine,
}

const SECOND: f64 = 1e12;

/// The monitor's queue.
const FIFO: Concrete = Concrete { order: ItemOrder::Fifo, bound: None };

impl Simulation {
    /// Seconds of one worker without messages.
    pub fn serial_seconds(&self) -> f64 {
        self.costs.serial(&self.tree) as f64 / SECOND
    }

    /// Simulates a run.
    ///
    /// # Errors
    /// Those of the coordinator, and if a path was lost or doubled.
    pub fn run(&self, policy: Policy, workers: u32) -> Result<Row, SimulateError> {
        let workers = workers.max(1);
        let (wall, counts) = match policy {
            Policy::Ranges => self.campaign(workers, &[Region::whole()], &RunOptions::default(), None)?,
            Policy::Static { per_worker, seed } => {
                let n = u64::from(workers) * u64::from(per_worker.max(1));
                let regions = splits::random_ranges(&self.tree, n, seed);
                // A region that waits behind another cannot be returned without stealing.
                let options = RunOptions { stealing: false, prefetch: false, ..RunOptions::default() };
                self.campaign(workers, &regions, &options, None)?
            }
            Policy::TestDepth { states } => {
                let split_states = Some(states.unwrap_or(workers).max(1));
                let options = RunOptions { split_states, ..RunOptions::default() };
                self.campaign(workers, &[Region::whole()], &options, None)?
            }
            Policy::ParSym => {
                self.campaign(workers, &[Region::whole()], &RunOptions::default(), Some(FIFO))?
            }
        };
        Ok(self.row(policy, workers, wall, &counts))
    }

    fn row(&self, policy: Policy, workers: u32, wall: Picos, counts: &Counts) -> Row {
        let serial = self.costs.serial(&self.tree) as f64;
        let wall = wall.max(1) as f64;
        let speed_up = serial / wall;
        Row {
            workers,
            policy: policy.name(),
            wall_s: wall / SECOND,
            speed_up,
            efficiency: speed_up / f64::from(workers),
            messages: counts.messages,
            bytes: counts.bytes,
            steals: counts.steals,
            idle: (1.0 - counts.busy as f64 / wall / f64::from(workers)).max(0.0),
            work: counts.work as f64 / serial.max(1.0),
            coordinator: counts.coordinator as f64 / wall,
            paths: self.tree.paths().len() as u64,
        }
    }

    /// Runs the campaign's own code in memory; returns the time of its end. Each path has to be found once.
    fn campaign(
        &self,
        workers: u32,
        regions: &[Region],
        options: &RunOptions,
        concolic: Option<Concrete>,
    ) -> Result<(Picos, Counts), SimulateError> {
        let clock: Arc<VirtualClock> = Arc::default();
        let mut world = World::new(self.tree.clone(), self.costs, self.machine, clock.clone(), concolic);
        let mut sink = PathCounter { tree: &self.tree, found: vec![0; self.tree.paths().len()] };
        let setup = vec![0; self.machine.setup];
        // The folder is never read.
        let shards =
            self.machine.kept.then(|| Shards { folder: "shards".into(), prefix: format!("{AWAY}-") });
        let options = RunOptions { workers, setup, shards, clock: clock.clone(), ..options.clone() };
        let mut campaign = Campaign::in_memory(&Meta::default(), regions)?;
        if self.machine.kept {
            campaign.run(&mut world, &options, &mut ())?;
            check_set(&campaign.store().shards()?, self.tree.paths().len() as u64, self.tree.set())?;
        } else {
            campaign.run(&mut world, &options, &mut sink)?;
            let once = sink.found.iter().filter(|n| **n == 1).count() as u64;
            let paths = self.tree.paths().len() as u64;
            if once < paths {
                return Err(SimulateError::Lost { once, paths });
            }
        }
        Ok((clock.picos(), world.counts))
    }
}

/// Counts paths as they are recorded.
struct PathCounter<'a> {
    tree: &'a Tree,
    found: Vec<u32>,
}

impl Sink for PathCounter<'_> {
    fn paths(&mut self, paths: &[RecordedPath<'_>]) -> Result<(), String> {
        for path in paths {
            let leaf = self.tree.path_with(path.record.digest).ok_or("a path that the tree does not have")?;
            self.found[leaf as usize] += 1;
        }
        Ok(())
    }

    fn message(&mut self, text: &str) {
        // A path that arrives twice is reported here, and no other way.
        if text.contains("found twice") {
            self.found.fill(2);
        }
    }
}

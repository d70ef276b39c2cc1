//! Simulation of a run on a cluster, with a check that no path was lost.

use std::sync::Arc;

use cleave_campaign::{Campaign, Meta, RunOptions, Shards};
use cleave_region::Region;
use serde::Serialize;

use super::cluster::Cluster;
use super::core::Core;
use super::hub::Counts;
use super::process::Program;
use super::sums;
use super::world::World;
use crate::clock::VirtualClock;
use crate::costs::Costs;
use crate::error::SimulateError;
use crate::grown::GrownTree;

const SECOND: f64 = 1e12;
/// Maximum work for each worker, in seconds: a quarter of a clock's range.
const LONGEST: f64 = 4e6;
/// Maximum time of a run as a multiple of its work; beyond it nodes are lost before they have done anything.
const PATIENCE: f64 = 1000.0;

/// A simulation on a cluster.
pub struct Scale {
    /// The tree.
    pub tree: Arc<GrownTree>,
    /// Costs of its work.
    pub costs: Costs,
    /// Costs of everything else.
    pub cluster: Cluster,
}

/// Result of a simulated run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScaleRow {
    /// Paths found, each once.
    pub paths: u64,
    /// Workers.
    pub workers: u32,
    /// Seconds until the coordinator has everything.
    pub wall_s: f64,
    /// Seconds of one worker that talks to nobody, divided by this.
    pub speed_up: f64,
    /// The speed-up a worker.
    pub efficiency: f64,
    /// The share of all workers' time in which they were idle or absent.
    pub idle: f64,
    /// The share in which they were absent, because their nodes were lost.
    pub gone: f64,
    /// Work of all workers, as a multiple of one worker's: it includes replays, and lost work that was repeated.
    pub work: f64,
    /// Messages a second at the coordinator, to members and from them.
    pub messages_s: f64,
    /// Bytes a second from the coordinator, and to it.
    pub bytes_s: [f64; 2],
    /// Bytes at the coordinator a path.
    pub bytes_a_path: f64,
    /// Microseconds of the coordinator a path.
    pub coordinator_us_a_path: f64,
    /// The share of the time in which the coordinator was busy.
    pub coordinator: f64,
    /// The same of the coordinators of nodes, on average.
    pub node: f64,
    /// Regions that members gave away: at the coordinator, and within nodes.
    pub steals: [u64; 2],
    /// Nodes that were lost.
    pub lost: u64,
}

impl Scale {
    /// Seconds of one worker without messages.
    pub fn serial_seconds(&self) -> f64 {
        let load = self.tree.root().load;
        let work = |n: u64, each: u64| n as f64 * each as f64;
        (work(load.instructions, self.costs.instruction) + work(load.questions(), self.costs.question))
            / SECOND
    }

    /// Simulates a run with `workers` workers.
    ///
    /// # Errors
    /// Those of the coordinator, if a path was lost or doubled, and if it would last too long.
    pub fn run(&self, workers: u32) -> Result<ScaleRow, SimulateError> {
        let workers = workers.max(1);
        if self.serial_seconds() / f64::from(workers) > LONGEST {
            return Err(SimulateError::TooLong { workers, seconds: LONGEST });
        }
        let clock: Arc<VirtualClock> = Arc::default();
        let program = Program { tree: self.tree.clone(), costs: self.costs };
        let core = Core::new(program, self.cluster.clone(), workers, clock.clone());
        let members = core.capacity();
        let longest = self.serial_seconds() / f64::from(workers) * PATIENCE + 1e4;
        let mut world = World::new(core, (longest.min(LONGEST * 4.0) * SECOND) as u64);
        let setup = vec![0; self.cluster.setup];
        // Leases are dealt out as in runs whose paths stay with workers. The folder is never read.
        let shards = Some(Shards { folder: "shards".into(), prefix: String::new() });
        let options =
            RunOptions { workers: members, setup, shards, clock: clock.clone(), ..RunOptions::default() };
        let mut campaign = Campaign::in_memory(&Meta::default(), &[Region::whole()])?;
        campaign.run(&mut world, &options, &mut ())?;
        sums::check(&campaign.store().shards()?, self.tree.root().load.paths)?;
        let row = self.row(workers, clock.picos() as f64 / SECOND, &world.core.borrow());
        Ok(row)
    }

    fn row(&self, workers: u32, wall_s: f64, core: &Core) -> ScaleRow {
        let (serial, paths) = (self.serial_seconds(), self.tree.root().load.paths);
        let wall_s = wall_s.max(1e-12);
        let (speed_up, worked) = (serial / wall_s, core.worked() as f64 / SECOND);
        let (counts, nodes): (Counts, Counts) = core.counts();
        let coordinator = counts.busy as f64 / SECOND;
        ScaleRow {
            paths,
            workers,
            wall_s,
            speed_up,
            efficiency: speed_up / f64::from(workers),
            idle: (1.0 - worked / wall_s / f64::from(workers)).max(0.0),
            gone: core.gone((wall_s * SECOND) as u64) as f64 / SECOND / wall_s / f64::from(workers),
            work: worked / serial.max(1e-12),
            messages_s: counts.messages as f64 / wall_s,
            bytes_s: counts.bytes.map(|bytes| bytes as f64 / wall_s),
            bytes_a_path: (counts.bytes[0] + counts.bytes[1]) as f64 / paths as f64,
            coordinator_us_a_path: coordinator * 1e6 / paths as f64,
            coordinator: coordinator / wall_s,
            node: nodes.busy as f64 / SECOND / wall_s / f64::from(workers.div_ceil(self.cluster.node.max(1))),
            steals: [counts.steals, nodes.steals],
            lost: core.lost,
        }
    }
}

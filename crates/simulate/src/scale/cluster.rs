//! The machines of a simulated cluster.

use cleave_campaign::{NodePace, Pace};

use crate::clock::{MICROSECOND, Picos};
use crate::queue::Network;

/// A cluster of nodes, each with many workers.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Workers of a node.
    pub node: u32,
    /// If true, nodes are members of the coordinator, and have workers of their own. Otherwise the coordinator leases to workers
    /// itself.
    pub levels: bool,
    /// Between nodes; the bandwidth is that of the coordinator's link.
    pub network: Network,
    /// Within a node.
    pub inner: Network,
    /// Time of a coordinator for a message, received or sent; also that of a node's coordinator.
    pub message: Picos,
    /// Additional time for a received message, for each member.
    pub each_member: Picos,
    /// Additional time for each region in a message: it is a row of the database.
    pub each_region: Picos,
    /// Time of a worker for a report, in which it syncs its shard.
    pub report: Picos,
    /// Time until a busy worker looks at a message.
    pub look: Picos,
    /// Time until a started worker takes messages.
    pub startup: Picos,
    /// Size of the set-up message, in bytes.
    pub setup: usize,
    /// Reporting times of workers.
    pub pace: Pace,
    /// Reporting times of nodes.
    pub node_pace: NodePace,
    /// Nodes that are lost.
    pub failures: Option<Failures>,
}

/// Nodes that vanish with all their workers, and others that take their places.
#[derive(Clone, Copy, Debug)]
pub struct Failures {
    /// Average time between two losses of a node.
    pub every: Picos,
    /// Time until a loss is noticed.
    pub silence: Picos,
    /// Time from a loss until the replacement joins.
    pub replaced: Picos,
    /// Seed for the times and the nodes.
    pub seed: u64,
}

impl Failures {
    /// One loss each `seconds` on average. A node that is silent for 8 s is given up (as by NATS); its replacement joins after a
    /// minute.
    pub fn each(seconds: f64, seed: u64) -> Failures {
        const SECOND: Picos = 1_000_000 * MICROSECOND;
        let every = (seconds * SECOND as f64) as Picos;
        Failures { every: every.max(1), silence: 8 * SECOND, replaced: 60 * SECOND, seed }
    }
}

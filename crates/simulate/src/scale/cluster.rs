//! What the machines are like.

use cleave_campaign::{NodePace, Pace};

use crate::clock::{MICROSECOND, Picos};
use crate::queue::Network;

/// A cluster of nodes, each with many workers.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Workers of a node.
    pub node: u32,
    /// Nodes are members of the coordinator, and have workers of their own. Otherwise the coordinator leases to workers itself.
    pub levels: bool,
    /// Between nodes; the bandwidth is that of the coordinator's link.
    pub network: Network,
    /// Within a node.
    pub inner: Network,
    /// What a coordinator takes for a message, received or sent; that of a node too.
    pub message: Picos,
    /// What a received message takes in addition for each member that there is.
    pub each_member: Picos,
    /// What a region takes in a message, in addition: it is a row of the database.
    pub each_region: Picos,
    /// What a worker takes for a report: its shard is made safe.
    pub report: Picos,
    /// How long a message waits until a busy worker looks at it.
    pub look: Picos,
    /// Until a worker that is started takes messages.
    pub startup: Picos,
    /// What a member is told first, in bytes.
    pub setup: usize,
    /// When workers report.
    pub pace: Pace,
    /// When nodes do.
    pub node_pace: NodePace,
    /// Nodes that are lost.
    pub failures: Option<Failures>,
}

/// Nodes that vanish with all their workers, and others that take their places.
#[derive(Clone, Copy, Debug)]
pub struct Failures {
    /// A node is lost so often, on average.
    pub every: Picos,
    /// So long after that it is known.
    pub silence: Picos,
    /// So long after the loss another node is there.
    pub replaced: Picos,
    /// Chooses when, and which.
    pub seed: u64,
}

impl Failures {
    /// One each so many seconds. A node that is silent for 8 s is given up (as by NATS); another is there after a minute.
    pub fn each(seconds: f64, seed: u64) -> Failures {
        const SECOND: Picos = 1_000_000 * MICROSECOND;
        let every = (seconds * SECOND as f64) as Picos;
        Failures { every: every.max(1), silence: 8 * SECOND, replaced: 60 * SECOND, seed }
    }
}

//! A coordinator's place in the cluster: the run's, or that of a node.

use std::collections::VecDeque;
use std::sync::Arc;

use cleave_campaign::{Incoming, WorkerId};

use crate::clock::{Picos, VirtualClock};
use crate::queue::{Link, Network};

/// The counts of a coordinator.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Messages to members and from them.
    pub(super) messages: u64,
    /// Their bytes: to members, and from them.
    pub(super) bytes: [u64; 2],
    /// Regions that members gave away.
    pub(super) steals: u64,
    /// Time that it was busy.
    pub(super) busy: Picos,
}

/// A coordinator's clock, links and mail.
pub(super) struct Hub {
    pub(super) clock: Arc<VirtualClock>,
    network: Network,
    /// The links to members, and from them.
    links: [Link; 2],
    pub(super) arrived: VecDeque<(WorkerId, Incoming)>,
    pub(super) members: u64,
    pub(super) counts: Counts,
}

impl Hub {
    pub(super) fn new(clock: Arc<VirtualClock>, network: Network) -> Hub {
        let (links, arrived) = Default::default();
        Hub { clock, network, links, arrived, members: 0, counts: Counts::default() }
    }

    /// Accounts for work of the coordinator.
    pub(super) fn charge(&mut self, cost: Picos) {
        self.counts.busy += cost;
        self.clock.set(self.clock.picos() + cost);
    }

    /// Advances its clock to at least this time.
    pub(super) fn wait_until(&self, now: Picos) {
        self.clock.set(self.clock.picos().max(now));
    }

    /// The arrival time of a message that is sent now: to a member (0), or from one (1).
    pub(super) fn carry(&mut self, direction: usize, now: Picos, bytes: u64) -> Picos {
        self.counts.messages += 1;
        self.counts.bytes[direction] += bytes;
        self.links[direction].carry(&self.network, now, bytes)
    }
}

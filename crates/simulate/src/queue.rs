//! The event queue of a simulation, and the network between the processes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::Picos;

/// Events in the order of their times; those of one time in the order in which they were put in.
pub(crate) struct Queue<E> {
    heap: BinaryHeap<QueuedEvent<E>>,
    next: u64,
}

struct QueuedEvent<E> {
    key: Reverse<(Picos, u64)>,
    event: E,
}

impl<E> PartialEq for QueuedEvent<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
impl<E> Eq for QueuedEvent<E> {}
impl<E> PartialOrd for QueuedEvent<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<E> Ord for QueuedEvent<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl<E> Default for Queue<E> {
    fn default() -> Queue<E> {
        Queue { heap: BinaryHeap::new(), next: 0 }
    }
}

impl<E> Queue<E> {
    pub(crate) fn push(&mut self, time: Picos, event: E) {
        self.heap.push(QueuedEvent { key: Reverse((time, self.next)), event });
        self.next += 1;
    }

    /// The time of the next event.
    pub(crate) fn time(&self) -> Option<Picos> {
        self.heap.peek().map(|entry| entry.key.0.0)
    }

    pub(crate) fn pop(&mut self) -> Option<(Picos, E)> {
        self.heap.pop().map(|entry| (entry.key.0.0, entry.event))
    }
}

/// The network.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    /// Minimum time of each message.
    pub latency: Picos,
    /// Bytes a second of the coordinator's link, in each direction; 0: without limit.
    pub bandwidth: u64,
}

/// One direction of the coordinator's link: one message after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Link {
    free: Picos,
}

impl Link {
    /// The arrival time of a message that is sent now.
    pub(crate) fn carry(&mut self, network: &Network, now: Picos, bytes: u64) -> Picos {
        let transfer = match network.bandwidth {
            0 => 0,
            rate => {
                let picos = u128::from(bytes) * 1_000_000_000_000 / u128::from(rate);
                Picos::try_from(picos).unwrap_or(Picos::MAX)
            }
        };
        self.free = self.free.max(now).saturating_add(transfer);
        self.free.saturating_add(network.latency)
    }
}

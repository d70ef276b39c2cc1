//! Bytes from rank to rank, without MPI's own waiting: that spins, which is ruinous with more ranks than cores.

use std::collections::VecDeque;
use std::time::Duration;

use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::request;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::{Threading, datatype::Equivalence};

/// The first and the longest pause between two looks for messages.
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);

/// How long to sleep when there was nothing: longer each time, until something comes.
pub(crate) struct Pauses(Duration);

impl Pauses {
    pub(crate) fn new() -> Pauses {
        Pauses(SHORTEST)
    }

    /// Something came.
    pub(crate) fn reset(&mut self) {
        self.0 = SHORTEST;
    }

    /// Nothing came: how long to sleep now.
    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(LONGEST);
        pause
    }
}

/// This process as a rank. It is to be used by the thread that made it, and ends MPI when it is dropped, which
/// waits for the other ranks to do the same.
pub struct Link {
    world: SimpleCommunicator,
    /// What came while something was being sent.
    received: VecDeque<(i32, Vec<u8>)>,
    /// Dropped last: ends MPI.
    _universe: Universe,
}

impl Link {
    /// Starts MPI; all ranks have to.
    ///
    /// # Errors
    /// If MPI was started before in this process. What else goes wrong makes MPI end the job with words of its own.
    pub fn join() -> Result<Link, String> {
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| "MPI cannot be started a second time".to_string())?;
        Ok(Link { world: universe.world(), received: VecDeque::new(), _universe: universe })
    }

    /// The number of this rank.
    pub fn rank(&self) -> i32 {
        self.world.rank()
    }

    /// How many ranks there are.
    pub fn size(&self) -> i32 {
        self.world.size()
    }

    /// Sends a message. Whatever comes meanwhile is taken in, so that two who send to each other do not wait for
    /// ever.
    pub(crate) fn send(&mut self, to: i32, bytes: &[u8]) {
        let Link { world, received, .. } = self;
        request::scope(|scope| {
            let mut sending = world.process_at_rank(to).immediate_send(scope, bytes);
            let mut pauses = Pauses::new();
            while let Err(unfinished) = sending.test() {
                sending = unfinished;
                match take(world) {
                    Some(message) => received.push_back(message),
                    None => std::thread::sleep(pauses.next()),
                }
            }
        });
    }

    /// The next message and its sender, if there is one.
    pub(crate) fn receive(&mut self) -> Option<(i32, Vec<u8>)> {
        self.received.pop_front().or_else(|| take(&self.world))
    }
}

fn take(world: &SimpleCommunicator) -> Option<(i32, Vec<u8>)> {
    let (message, status) = world.any_process().immediate_matched_probe()?;
    let length = usize::try_from(status.count(u8::equivalent_datatype())).unwrap_or(0);
    let mut bytes = vec![0_u8; length];
    message.matched_receive_into(&mut bytes[..]);
    Some((status.source_rank(), bytes))
}

//! Bytes from rank to rank, without MPI's own waiting: that spins, which is ruinous with more ranks than cores.

use std::collections::VecDeque;
use std::mem::ManuallyDrop;
use std::time::Duration;

use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::request;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::{Threading, datatype::Equivalence};

use crate::launch::Launch;
use crate::leave::Launcher;

/// The shortest and longest pause between two checks for messages.
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);
/// Number of shortest pauses before they grow: an answer comes soon, or not for a while. If they grew at once, two ranks that
/// answer each other would wait for each other's pauses, longer each time.
const SHORT_ONES: u32 = 40;

/// Number of probes for a message: one that has arrived is not always seen at once, because each probe moves MPI only a step
/// forward.
const PROBES: u32 = 4;

/// Pauses without messages: they grow until a message comes.
pub(crate) struct Pauses(u32);

impl Pauses {
    pub(crate) fn new() -> Pauses {
        Pauses(0)
    }

    /// Resets the pauses after a message.
    pub(crate) fn reset(&mut self) {
        self.0 = 0;
    }

    /// The length of the next pause, after no message came.
    pub(crate) fn next(&mut self) -> Duration {
        let doublings = self.0.saturating_sub(SHORT_ONES).min(16);
        self.0 = self.0.saturating_add(1);
        (SHORTEST * (1 << doublings)).min(LONGEST)
    }
}

/// This process as a rank. It is to be used by the thread that made it, and ends MPI when it is dropped, which
/// waits for the other ranks to do the same.
pub struct Link {
    world: SimpleCommunicator,
    /// Messages received during a send.
    received: VecDeque<(i32, Vec<u8>)>,
    /// Dropped last: ends MPI, if it was not ended before.
    universe: Option<Universe>,
}

impl Link {
    /// Starts MPI in a process that was started as given by `launch`; all ranks have to call it.
    ///
    /// # Errors
    /// If MPI was started before in this process, or knows nothing of `launch`: then the mpiexec was another MPI's.
    /// Other errors make MPI end the job with messages of its own.
    pub fn join(launch: Launch) -> Result<Link, String> {
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| "MPI cannot be started a second time".to_string())?;
        let link = Link { world: universe.world(), received: VecDeque::new(), universe: Some(universe) };
        let place = (u32::try_from(link.world.rank()), u32::try_from(link.world.size()));
        if place == (Ok(launch.rank), Ok(launch.size)) {
            return Ok(link);
        }
        let version = mpi::environment::library_version().unwrap_or_default();
        let version: String = version.lines().next().unwrap_or_default().chars().take(60).collect();
        Err(format!(
            "the mpiexec is not of the MPI that this Cleave is linked with ({version}); use that one's mpiexec"
        ))
    }

    /// Number of ranks.
    pub fn size(&self) -> i32 {
        self.world.size()
    }

    /// Sends a message. Messages are received meanwhile, so that two ranks that send to each other do not wait for
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

    /// Moves MPI's own messages forward, and sleeps for `pause` if there is none for this rank.
    fn look(&mut self, pause: Duration) {
        match take(&self.world) {
            Some(message) => self.received.push_back(message),
            None => std::thread::sleep(pause),
        }
    }

    /// The next message and its sender, if there is one.
    pub(crate) fn receive(&mut self) -> Option<(i32, Vec<u8>)> {
        self.received.pop_front().or_else(|| take(&self.world))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let version = mpi::environment::library_version().unwrap_or_default();
        let left = Launcher::of(&version, |name| std::env::var(name).ok()).is_some_and(|launcher| {
            // Not closed: MPI uses it, too.
            let mut launcher = ManuallyDrop::new(launcher);
            let mut pauses = Pauses::new();
            launcher.leave(|| self.look(pauses.next())).is_ok()
        });
        if left {
            std::mem::forget(self.universe.take());
        }
    }
}

fn take(world: &SimpleCommunicator) -> Option<(i32, Vec<u8>)> {
    let probe = |_| world.any_process().immediate_matched_probe();
    let (message, status) = (0..PROBES).find_map(probe)?;
    let length = usize::try_from(status.count(u8::equivalent_datatype())).unwrap_or(0);
    let mut bytes = vec![0_u8; length];
    message.matched_receive_into(&mut bytes[..]);
    Some((status.source_rank(), bytes))
}

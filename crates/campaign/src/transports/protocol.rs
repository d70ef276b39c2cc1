//! The messages between the coordinator and a worker, and their form on a byte stream: frames of a
//! four-byte length (little-endian) and that many bytes of postcard. Both sides and all transports use them.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use cleave_coverage::MarkId;
use cleave_region::{Encoded, EncodedPath, Expected, Message, Region, Weight};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::accounting::stats::Stats;
use crate::shards::names::is_name;

/// A message to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// The set-up of the exploration. The first message.
    Setup {
        /// The number of the worker in its session, from 0.
        worker: u64,
        /// Bytes that only the maker of explorations understands, the same for all workers of a session.
        bytes: Vec<u8>,
        /// The file of the worker's shard, on its machine, which keeps the paths. `None`: reports hold all of them.
        shard: Option<PathBuf>,
    },
    /// Explore regions: now, or after the current lease. At most one lease may wait.
    Lease {
        /// Names the lease in reports; no two of a run are the same.
        lease: u64,
        /// The regions, to be explored one after the other.
        regions: Vec<Encoded<Region>>,
        /// Report each path by itself: workers have died on this.
        careful: bool,
        /// Report after this number of paths, and wait for [`ToWorker::More`].
        at_most: Option<u64>,
        /// Explore breadth-first until this number of states wait, and return these.
        split: Option<u32>,
        /// Expected number of paths of the regions together; `None` if unknown.
        expected: Option<Expected>,
    },
    /// Find more paths than the lease allowed until now.
    More {
        /// The lease.
        lease: u64,
        /// Number of further paths.
        paths: u64,
    },
    /// Give a part away: answered by a report with [`Report::given`] as soon as there is something to give, or
    /// by the end of the lease.
    Steal {
        /// The lease.
        lease: u64,
        /// Number of regions requested.
        regions: u32,
        /// Number of states of each.
        states: u32,
        /// A frontier of this number of states is not shared, unless a thief would have to wait.
        keep: u32,
    },
    /// Report the remaining work and end.
    Stop,
}

/// A message from a worker.
#[expect(clippy::large_enum_variant, reason = "nearly all messages are reports")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// It is set up and takes leases.
    Ready,
    /// The work since the last report.
    Report(Report),
    /// It waits for its solver: no report can come yet.
    Pulse {
        /// Nanoseconds in the solver since the last report.
        solver_nanos: u64,
        /// Nanoseconds of all work since then.
        busy_nanos: u64,
    },
    /// It was told to stop and makes its last report, which takes a while because much work remains.
    Ending,
    /// It cannot continue on this machine: on another one it could.
    Unable {
        /// Reason and advice.
        message: String,
    },
    /// It cannot work, and another one could not either.
    Failed {
        /// Reason and advice.
        message: String,
    },
}

/// The work under a lease since the last report. Results, regions given away and remaining regions are in one message,
/// so that they are recorded in one transaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The lease.
    pub lease: u64,
    /// Finished paths. If shards keep them, only those that show something new: that cover code which no earlier path of the
    /// worker covers, or are its first into a bug.
    pub paths: Vec<EncodedPath>,
    /// The shards' parts of finished paths, which count with this report.
    pub kept: Vec<Kept>,
    /// If shards keep paths: for each of [`Report::paths`] the index of the [`Report::kept`] that counts it, and its index among
    /// the paths of that, from 0. Otherwise empty.
    pub places: Vec<(u32, u64)>,
    /// Coverage of these that no earlier path of the worker has.
    pub shows: Vec<Shows>,
    /// Regions that are not explored further, with reasons.
    pub set_aside: Vec<SetAside>,
    /// Regions given away, in answer to [`ToWorker::Steal`].
    pub given: Option<Vec<Encoded<Region>>>,
    /// Regions to be explored later: they do not fit into memory, or the solver was answering about them when the session
    /// stopped.
    pub spilled: Vec<Encoded<Region>>,
    /// The remaining work of the leased region. `None` if exporting a large frontier would cost more than it is
    /// worth: then the last remaining work reported stands for it, and holds more than is left.
    pub remaining: Option<Vec<Encoded<Region>>>,
    /// True if the lease is over: nothing remains, or the rest is returned.
    pub over: bool,
    /// Number of states that wait in the worker's frontier.
    pub waiting: u32,
    /// Expected numbers of paths of these regions.
    pub expected: Box<Expectations>,
    /// Messages for the user.
    pub messages: Vec<Message>,
    /// Counters of work.
    pub stats: Stats,
    /// The weights of all that ended since the last report; `None` if nothing was weighed. Regions that remain, are given away
    /// or are set aside are not included. Boxed, because messages are moved often.
    pub measure: Option<Box<Weight>>,
}

impl Report {
    /// True if its results stay in a region that the database keeps unchanged: they may be found again from there.
    pub fn is_inexact(&self) -> bool {
        let moves = self.given.is_some() || !self.spilled.is_empty() || !self.set_aside.is_empty();
        self.remaining.is_none() && (self.found() > 0 || moves)
    }

    /// Number of paths in shards that it counts, by kind, as in [`PathKind::ALL`].
    pub(crate) fn kinds(&self) -> [u64; 5] {
        let mut sums = [0u64; 5];
        for kept in &self.kept {
            sums.iter_mut().zip(kept.kinds).for_each(|(sum, n)| *sum = sum.saturating_add(n));
        }
        sums
    }

    /// Number of paths that it brings.
    pub fn found(&self) -> u64 {
        if self.kept.is_empty() { self.paths.len() as u64 } else { self.kept.iter().map(Kept::paths).sum() }
    }

    /// Validates the report of a worker on a foreign machine, whose content will be stored and passed on to others.
    ///
    /// # Errors
    /// A description of invalid content.
    pub fn check(&self) -> Result<(), String> {
        let regions = self.given.iter().flatten().chain(self.remaining.iter().flatten()).chain(&self.spilled);
        for region in regions.chain(self.set_aside.iter().map(|aside| &aside.region)) {
            region.decode().map_err(|e| format!("a region cannot be read ({e})"))?;
        }
        for path in &self.paths {
            path.test.decode().map_err(|e| format!("a test cannot be read ({e})"))?;
        }
        self.kept.iter().try_for_each(Kept::check)?;
        let is_there = |&(kept, n): &(u32, u64)| self.kept.get(kept as usize).is_some_and(|k| n < k.paths());
        let placed = if self.kept.is_empty() { 0 } else { self.paths.len() };
        if self.places.len() != placed || !self.places.iter().all(is_there) {
            return Err("it has paths that no shard of it keeps".into());
        }
        if self.shows.iter().any(|shows| shows.path as usize >= self.paths.len()) {
            return Err("it says what a path covers that it does not have".into());
        }
        if self.over && self.remaining.is_none() {
            return Err("it ends a lease and does not say what remains of it".into());
        }
        let Expectations { remaining, given, spilled } = *self.expected;
        let all = [remaining, given, spilled].into_iter().flatten();
        if all.into_iter().any(|e| !e.paths.is_finite() || !e.variance.is_finite() || e.paths < 0.0) {
            return Err("what it expects is no number of paths".into());
        }
        Ok(())
    }
}

/// Paths that a shard keeps, and that count from now on: their range of bytes, and their totals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The shard's name; no two of a run are the same.
    pub shard: String,
    /// Start of their range, in bytes.
    pub start: u64,
    /// End of their range, in bytes.
    pub end: u64,
    /// Number of paths by kind, as in [`PathKind::ALL`].
    pub kinds: [u64; 5],
    /// Number of paths that end in the bug of this kind and place, without those that the report holds itself.
    pub bugs: Vec<(String, String, u64)>,
    /// The sum of their digests, modulo 2^128: it distinguishes their set from others.
    pub set: u128,
}

impl Kept {
    fn check(&self) -> Result<(), String> {
        let sum = self.kinds.iter().try_fold(0u64, |sum, n| sum.checked_add(*n));
        let bugs = self.bugs.iter().try_fold(0u64, |sum, (_, _, n)| sum.checked_add(*n));
        let sane = sum.is_some_and(|all| all < 1 << 62 && bugs.is_some_and(|bugs| bugs <= all));
        if !is_name(&self.shard) || self.start > self.end || self.end >= 1 << 62 || !sane {
            return Err("it counts what no shard keeps".into());
        }
        Ok(())
    }
}

/// Coverage that a finished path is the first to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shows {
    /// The path, as an index into [`Report::paths`].
    pub path: u32,
    /// Marks, rising.
    pub marks: Vec<MarkId>,
}

/// Expected numbers of paths of the regions of a report; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expectations {
    /// Paths of all that remains of the lease.
    pub remaining: Option<Expected>,
    /// Paths of all that is given away.
    pub given: Option<Expected>,
    /// Paths of all that is to be explored later.
    pub spilled: Option<Expected>,
}

/// The reason why a region is set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Aside {
    /// The solver gave up: the region may have paths or not.
    Unknown,
    /// A limit on paths (depth, instructions) was reached.
    Cut,
    /// The replay to it left its path.
    Diverged,
    /// Workers died on it.
    Crashed,
}

/// A region set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// The region.
    pub region: Encoded<Region>,
    /// The kind of reason.
    pub aside: Aside,
    /// The reason in words.
    pub reason: String,
}

/// Maximum length of a frame, in bytes; a longer one is invalid.
const LONGEST: u32 = 1 << 30;

/// Writes one message as a frame and flushes.
///
/// # Errors
/// Those of the stream, and `InvalidData` for a message of a GiB or more.
pub fn write_frame<M: Serialize>(out: &mut impl Write, message: &M) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).ok().filter(|n| *n <= LONGEST);
    let length = length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a message is too long"))?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&bytes)?;
    out.flush()
}

/// Reads one frame; returns `None` if the stream ends between two frames.
///
/// # Errors
/// Those of the stream; `InvalidData` if the bytes are no frame of an `M`.
pub fn read_frame<M: DeserializeOwned>(input: &mut impl Read) -> io::Result<Option<M>> {
    let mut length = [0; 4];
    loop {
        match input.read(&mut length[..1]) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    input.read_exact(&mut length[1..])?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "no frame: something else wrote to the stream",
        ));
    }
    // Read in pieces: a wrong length must not reserve a GiB.
    let mut bytes = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() != length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&bytes).map(Some).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
}

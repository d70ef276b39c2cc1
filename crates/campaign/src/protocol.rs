//! What the coordinator and a worker say to each other, and how it looks on a byte stream: frames of a
//! four-byte length (little-endian) and that many bytes of postcard.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use cleave_coverage::MarkId;
use cleave_region::{Encoded, EncodedPath, Expected, Message, Region, Weight};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::shard_names::is_name;
use crate::stats::Stats;

/// To a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// What to explore. The first message.
    Setup {
        /// The number of the worker in its session, from 0.
        worker: u64,
        /// Bytes that only the maker of explorations understands, the same for all workers of a session.
        bytes: Vec<u8>,
        /// The file of the worker's shard, on its machine: paths stay there. `None`: reports hold all of them.
        shard: Option<PathBuf>,
    },
    /// Explore regions: now, or after the lease at hand. At most one may wait.
    Lease {
        /// Names the lease in reports; no two of a run are the same.
        lease: u64,
        /// What to explore, one after the other.
        regions: Vec<Encoded<Region>>,
        /// Report each path by itself: workers have died on this.
        careful: bool,
        /// Report after so many paths, and wait for [`ToWorker::More`].
        at_most: Option<u64>,
        /// Explore breadth-first until so many states wait, and give these back.
        split: Option<u32>,
        /// How many paths the regions are expected to have together; `None` where nobody knows.
        expected: Option<Expected>,
    },
    /// Find more paths than the lease allowed until now.
    More {
        /// The lease it is about.
        lease: u64,
        /// How many more.
        paths: u64,
    },
    /// Give a part away: answered by a report with [`Report::given`] as soon as there is something to give, or
    /// by the end of the lease.
    Steal {
        /// The lease it is about.
        lease: u64,
        /// How many regions are wanted.
        regions: u32,
        /// How many states each should hold.
        states: u32,
        /// A frontier of so many states is not shared, unless that would keep a thief waiting.
        keep: u32,
    },
    /// Report what is left and end.
    Stop,
}

/// From a worker.
#[expect(clippy::large_enum_variant, reason = "nearly all messages are reports")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// It is set up and takes leases.
    Ready,
    /// What was done since the last report.
    Report(Report),
    /// It waits for its solver: no report can come yet.
    Pulse {
        /// Nanoseconds in the solver since the last report.
        solver_nanos: u64,
        /// Nanoseconds of work at all since then.
        busy_nanos: u64,
    },
    /// It was told to stop and makes its last report, which takes a while: what is left is much.
    Ending,
    /// It cannot go on where it is: on another machine it could.
    Unable {
        /// Why, and what to do.
        message: String,
    },
    /// It cannot work, and another one could not either.
    Failed {
        /// Why, and what to do.
        message: String,
    },
}

/// What was done under a lease since the last report. What was found, what was given away and what remains
/// stand in one message, so that they are recorded in one transaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The lease.
    pub lease: u64,
    /// Finished paths. Where shards keep them, only those that show something: that cover what no earlier path of the worker
    /// does, or are its first into a bug.
    pub paths: Vec<EncodedPath>,
    /// What shards have of finished paths, and counts with this report.
    pub kept: Vec<Kept>,
    /// Where shards keep paths: for each of [`Report::paths`] which of [`Report::kept`] counts it, and the how many-th it is
    /// there, from 0. Otherwise empty.
    pub places: Vec<(u32, u64)>,
    /// What these cover that no earlier path of the worker does.
    pub shows: Vec<Shows>,
    /// Regions that are not explored further, and why.
    pub set_aside: Vec<SetAside>,
    /// Regions given away, in answer to [`ToWorker::Steal`].
    pub given: Option<Vec<Encoded<Region>>>,
    /// Regions to be explored later: they do not fit into memory, or the solver was asked about them when the session
    /// stopped.
    pub spilled: Vec<Encoded<Region>>,
    /// What is left of the leased region. `None` where writing down a large frontier would cost more than it is
    /// worth: what was left when it was last said then stands for it, and holds more than is left.
    pub remaining: Option<Vec<Encoded<Region>>>,
    /// The lease is over: nothing remains, or the rest is given back.
    pub over: bool,
    /// States that wait in the worker's frontier.
    pub waiting: u32,
    /// How many paths are expected of these regions.
    pub expected: Box<Expectations>,
    /// What is to be shown to the user.
    pub messages: Vec<Message>,
    /// Counts of work.
    pub stats: Stats,
    /// The weights of all that ended since the last report; `None` where nothing was weighed. What remains, is given away or
    /// set aside is not in it. In a box, as messages are moved often.
    pub measure: Option<Box<Weight>>,
}

impl Report {
    /// Whether what it brings stays in a region that stands in the database as it was: it may be found again from there.
    pub fn is_inexact(&self) -> bool {
        let moves = self.given.is_some() || !self.spilled.is_empty() || !self.set_aside.is_empty();
        self.remaining.is_none() && (self.found() > 0 || moves)
    }

    /// How many paths shards keep that it counts, by kind, as [`PathKind::ALL`] has them.
    pub(crate) fn kinds(&self) -> [u64; 5] {
        let mut sums = [0u64; 5];
        for kept in &self.kept {
            sums.iter_mut().zip(kept.kinds).for_each(|(sum, n)| *sum = sum.saturating_add(n));
        }
        sums
    }

    /// How many paths it brings.
    pub fn found(&self) -> u64 {
        if self.kept.is_empty() { self.paths.len() as u64 } else { self.kept.iter().map(Kept::paths).sum() }
    }

    /// Looks into what a worker on somebody else's machine reports, as it will be kept and given to others.
    ///
    /// # Errors
    /// What makes no sense.
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

/// Paths that a shard keeps, and that count from now on: their bytes, and what is known of them together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The shard's name; no two of a run are the same.
    pub shard: String,
    /// Where they begin in it, in bytes.
    pub start: u64,
    /// Where they end.
    pub end: u64,
    /// How many there are, by kind, as [`PathKind::ALL`] has them.
    pub kinds: [u64; 5],
    /// How many of them end in a bug of this kind and place, beside those that the report holds itself.
    pub bugs: Vec<(String, String, u64)>,
    /// The sum of their digests, modulo 2^128: it tells their set from others.
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

/// What a finished path is the first to cover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shows {
    /// The path, as an index into [`Report::paths`].
    pub path: u32,
    /// Marks, rising.
    pub marks: Vec<MarkId>,
}

/// How many paths are expected of the regions of a report; `None` where nobody knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expectations {
    /// Of all that remains of the lease.
    pub remaining: Option<Expected>,
    /// Of all that is given away.
    pub given: Option<Expected>,
    /// Of all that is to be explored later.
    pub spilled: Option<Expected>,
}

/// Why a region is set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Aside {
    /// The solver gave up: nobody knows whether it has paths.
    Unknown,
    /// A limit on paths (depth, instructions) was reached.
    Cut,
    /// Replaying to it led elsewhere.
    Diverged,
    /// Workers died on it.
    Crashed,
}

/// A region set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// The region.
    pub region: Encoded<Region>,
    /// Under which name.
    pub aside: Aside,
    /// Why, in words.
    pub reason: String,
}

/// A frame longer than this is no frame of ours.
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

/// Reads one frame; `None` where the stream ends between two.
///
/// # Errors
/// Those of the stream; `InvalidData` where the bytes are no frame of an `M`.
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
    // Read as it comes: a wrong length must not reserve a GiB.
    let mut bytes = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() != length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&bytes).map(Some).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
}

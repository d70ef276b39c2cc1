//! Options of a session. Commands fill them; the coordinator obeys them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cleave_coverage::Map;

use crate::clock::{Clock, RealClock};

/// Place of the paths that workers keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shards {
    /// The folder, on the machine of the workers.
    pub folder: PathBuf,
    /// Prefix of the names of the shards: letters, digits and dashes.
    pub prefix: String,
}

/// Options of a session of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Number of workers; if workers come and go, the initial number. Default is 1.
    pub workers: u32,
    /// Data from which workers make their exploration.
    pub setup: Vec<u8>,
    /// Place where workers keep paths; the paths stay there, and reports count them. Default is that reports hold all paths. Not
    /// together with `max_paths`, which has some returned.
    pub shards: Option<Shards>,
    /// Stop when the run has this number of paths, including earlier sessions; it never has more. Default is none.
    pub max_paths: Option<u64>,
    /// Stop when the run has this number of bugs, each kind and place once, including earlier sessions. Results of workers up to
    /// then are kept, so it may have more. Default is none.
    pub max_bugs: Option<u64>,
    /// Stop when tests take every side of every branch of the program. Default is no.
    pub until_covered: bool,
    /// Stop this session after this time: earlier by the expected time to export the remaining work. Default is none.
    pub max_time: Option<Duration>,
    /// Start of the session, by its clock. Default is the time when it is run.
    pub began: Option<Duration>,
    /// Stop when this becomes true.
    pub interrupt: Arc<AtomicBool>,
    /// Maximum time without a report or a sign from a worker that was told to stop; then it is given up. Default is 5 s.
    pub grace: Duration,
    /// Explore also what earlier sessions set aside under these names: `unknown`, `cut`, `diverged`, `crashed`.
    /// Default is none.
    pub retry: Vec<String>,
    /// Split the open regions breadth-first into this number of regions before workers share them. Default is none.
    pub split_states: Option<u32>,
    /// States that a worker keeps when others steal from it. Default is 4.
    pub keep_states: u32,
    /// Give a busy worker its next region in advance, if regions wait, so that it need not wait for it. Default
    /// is yes.
    pub prefetch: bool,
    /// True if idle workers steal from busy ones. Otherwise a region is explored by the worker that leased it: static
    /// splits. Default is true.
    pub stealing: bool,
    /// Map of the program's coverable code. Default is nothing.
    pub coverage: Arc<Map>,
    /// The time. Default is this machine's.
    pub clock: Arc<dyn Clock>,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            workers: 1,
            setup: Vec::new(),
            shards: None,
            max_paths: None,
            max_bugs: None,
            until_covered: false,
            max_time: None,
            began: None,
            interrupt: Arc::default(),
            grace: Duration::from_secs(5),
            retry: Vec::new(),
            split_states: None,
            keep_states: crate::workers::worker::ENOUGH,
            prefetch: true,
            stealing: true,
            coverage: Arc::default(),
            clock: Arc::new(RealClock::default()),
        }
    }
}

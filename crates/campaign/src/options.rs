//! What a session of a run is told.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cleave_coverage::Map;

use crate::clock::{Clock, RealClock};

/// Where workers keep the paths that they find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shards {
    /// The folder, on the machine of the workers.
    pub folder: PathBuf,
    /// What the names of the shards begin with: letters, digits and dashes.
    pub prefix: String,
}

/// How a run is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How many workers; where they come and go, how many there are at first. Default is 1.
    pub workers: u32,
    /// What workers make their exploration of.
    pub setup: Vec<u8>,
    /// Where workers keep paths; they stay there, and reports count them. Default is that reports hold all paths. Not together
    /// with `max_paths`, which has some given back.
    pub shards: Option<Shards>,
    /// Stop when the run has so many paths, those of earlier sessions too; it never has more. Default is none.
    pub max_paths: Option<u64>,
    /// Stop when the run has so many bugs, each kind and place once, those of earlier sessions too. What workers have found by
    /// then is kept, so it may have more. Default is none.
    pub max_bugs: Option<u64>,
    /// Stop this session after so long: earlier by what writing down what is left is expected to take. Default is none.
    pub max_time: Option<Duration>,
    /// When the session began, by its clock. Default is when it is run.
    pub began: Option<Duration>,
    /// Stop when this becomes true.
    pub interrupt: Arc<AtomicBool>,
    /// A worker that was told to stop, and makes no report and gives no sign for so long, is given up on. Default is 5 s.
    pub grace: Duration,
    /// Explore also what earlier sessions set aside under these names: `unknown`, `cut`, `diverged`, `crashed`.
    /// Default is none.
    pub retry: Vec<String>,
    /// Split what is open breadth-first into so many regions before workers share it. Default is none.
    pub split_states: Option<u32>,
    /// States that a worker keeps when others steal from it. Default is 4.
    pub keep_states: u32,
    /// Give a busy worker its next region already, where regions wait, so that it need not wait for it. Default
    /// is yes.
    pub prefetch: bool,
    /// Whether idle workers take from busy ones. Without it a region is explored by whoever has it: static
    /// splits. Default is yes.
    pub stealing: bool,
    /// What of the program can be covered. Default is nothing.
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
            max_time: None,
            began: None,
            interrupt: Arc::default(),
            grace: Duration::from_secs(5),
            retry: Vec::new(),
            split_states: None,
            keep_states: crate::worker::ENOUGH,
            prefetch: true,
            stealing: true,
            coverage: Arc::default(),
            clock: Arc::new(RealClock::default()),
        }
    }
}

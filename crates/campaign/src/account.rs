//! The account of a run, and where it stands while it goes on.

use std::collections::BTreeMap;
use std::fmt;

use cleave_region::PathKind;
use serde::{Deserialize, Serialize};

use crate::stats::{INTERNAL, MADE_UP, Stats};
use crate::store::Meta;

/// What stopped a run. Whatever it is, what is open stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Nothing is left but what was set aside.
    Exhausted,
    /// The run has as many paths as were asked for.
    MaxPaths,
    /// The time is over.
    MaxTime,
    /// The user stopped it.
    Interrupted,
}

impl StopReason {
    /// Its name in the account.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Exhausted => "exhausted",
            StopReason::MaxPaths => "max_paths",
            StopReason::MaxTime => "max_time",
            StopReason::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Paths by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathCounts {
    /// The program ended by itself.
    pub completed: u64,
    /// In a bug.
    pub failed: u64,
    /// Regions cut off by a limit; each holds one path or more.
    pub cut: u64,
    /// Regions that the solver gave up on; each may hold paths.
    pub unknown: u64,
    /// At something that is not modelled.
    pub unsupported: u64,
    /// In a bug that the user excuses.
    pub suppressed: u64,
    /// At an assumption that no input of the path satisfies.
    pub assumed_away: u64,
}

impl PathCounts {
    /// Counts `n` paths that ended as `kind`.
    pub(crate) fn add(&mut self, kind: PathKind, n: u64) {
        match kind {
            PathKind::Completed => self.completed += n,
            PathKind::Failed => self.failed += n,
            PathKind::Unsupported => self.unsupported += n,
            PathKind::Suppressed => self.suppressed += n,
            PathKind::AssumedAway => self.assumed_away += n,
        }
    }

    /// Paths that were followed to their end.
    pub fn ended(&self) -> u64 {
        self.completed + self.failed + self.unsupported + self.suppressed + self.assumed_away
    }
}

/// The account of a run, over all its sessions: `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Account {
    /// The program's file.
    pub program: String,
    /// A digest of the program's code.
    pub program_hash: String,
    /// The version of Cleave that made the run.
    pub version: String,
    /// The options.
    pub options: serde_json::Value,
    /// Workers of the last session.
    pub workers: u32,
    /// What stopped the last session; nothing where it was killed, or still runs.
    pub stop_reason: Option<String>,
    /// Sessions: the first, and one for each time that the run was resumed.
    pub sessions: u64,
    /// Seconds from the start of the command to its end, of all sessions.
    pub wall_s: f64,
    /// Of these: until the first worker had the program.
    pub loading_s: f64,
    /// While paths were explored; files are written meanwhile.
    pub exploring_s: f64,
    /// After that: for what remained to be explored to be written down, and files to be written.
    pub writing_s: f64,
    /// Paths by how they ended.
    pub paths: PathCounts,
    /// Regions that are not explored: those that wait, and those set aside.
    pub open_regions: u64,
    /// The same by state: `open`, `leased`, `unknown`, `cut`, `diverged`, `crashed`.
    pub regions: BTreeMap<String, u64>,
    /// Bugs, each place once.
    pub bugs: u64,
    /// Paths that ended in a bug that is suppressed, by the suppression.
    pub suppressed: BTreeMap<String, u64>,
    /// Reads of a word beyond its object that were excused, by the suppression; those of replays too.
    pub excused_reads: BTreeMap<String, u64>,
    /// LLVM instructions, those of replays too.
    pub instructions: u64,
    /// Decisions.
    pub decisions: u64,
    /// Questions asked of the solver's layers.
    pub questions: u64,
    /// Calls of an SMT or SAT solver.
    pub smt_calls: u64,
    /// The same by the solver's name, as `--solver` has it.
    pub smt_calls_of: BTreeMap<String, u64>,
    /// Seconds in these calls, of all workers together.
    pub smt_seconds: f64,
    /// Seconds in the whole chain of layers, of all workers together.
    pub solver_seconds: f64,
    /// Seconds in which workers had a region, of all workers together.
    pub busy_seconds: f64,
    /// The largest resident size of a worker, in bytes.
    pub peak_memory_bytes: u64,
    /// Questions by the layer that answered them.
    pub answered_by: BTreeMap<String, u64>,
    /// Workers that died.
    pub worker_deaths: u64,
    /// Regions that changed hands.
    pub stolen_regions: u64,
    /// Paths that arrived twice: 0, or an internal error.
    pub doubled: u64,
    /// Paths on which the model answered what Linux would not, by what it answered.
    pub made_up: BTreeMap<String, u64>,
    /// States that cannot be unless Cleave is wrong, with how often they were met: the place in its source, and what.
    pub internal_errors: BTreeMap<String, u64>,
    /// All other counts.
    pub other: BTreeMap<String, u64>,
}

impl Account {
    pub(crate) fn new(meta: Meta, stats: &Stats) -> Account {
        let seconds = |name: &str| stats.get(name) as f64 / 1e9;
        let named = |name: &str| NAMED.contains(&name);
        let under = |prefix: &str| -> BTreeMap<String, u64> {
            stats.iter().filter_map(|(n, v)| Some((n.strip_prefix(prefix)?.to_string(), v))).collect()
        };
        let grouped = |n: &str| {
            ["answered_by.", "smt_calls_of.", "excused.", MADE_UP, INTERNAL]
                .iter()
                .any(|group| n.starts_with(group))
        };
        let other = stats.iter().filter(|(n, _)| !named(n) && !grouped(n));
        Account {
            program: meta.program,
            program_hash: meta.program_hash,
            version: meta.version,
            options: meta.options,
            workers: 0,
            stop_reason: None,
            sessions: 0,
            wall_s: 0.0,
            loading_s: seconds("loading_nanos"),
            exploring_s: seconds("exploring_nanos"),
            writing_s: seconds("writing_nanos"),
            paths: PathCounts::default(),
            open_regions: 0,
            regions: BTreeMap::new(),
            bugs: 0,
            suppressed: BTreeMap::new(),
            excused_reads: under("excused."),
            instructions: stats.get("instructions"),
            decisions: stats.get("decisions"),
            questions: stats.get("questions"),
            smt_calls: stats.get("smt_calls"),
            smt_calls_of: under("smt_calls_of."),
            smt_seconds: seconds("smt_nanos"),
            solver_seconds: seconds("solver_nanos"),
            busy_seconds: seconds("busy_nanos"),
            peak_memory_bytes: stats.get("peak_memory_bytes"),
            answered_by: under("answered_by."),
            worker_deaths: stats.get("worker_deaths"),
            stolen_regions: stats.get("stolen_regions"),
            doubled: stats.get("doubled"),
            made_up: under(MADE_UP),
            internal_errors: under(INTERNAL),
            other: other.map(|(n, v)| (n.to_string(), v)).collect(),
        }
    }
}

/// Counts that have a field of their own.
const NAMED: &[&str] = &[
    "loading_nanos",
    "exploring_nanos",
    "writing_nanos",
    "instructions",
    "decisions",
    "questions",
    "smt_calls",
    "smt_nanos",
    "solver_nanos",
    "busy_nanos",
    "peak_memory_bytes",
    "worker_deaths",
    "stolen_regions",
    "doubled",
];

/// Where a run stands, for the live line. Counts of this and earlier sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Paths ended, in whichever way.
    pub paths: u64,
    /// Regions that nobody has finished: leased ones and those that wait.
    pub open_regions: u64,
    /// Bugs, each place once.
    pub bugs: u64,
    /// Workers that have a region.
    pub busy: u32,
    /// Workers.
    pub workers: u32,
    /// The session is over but for what workers still report.
    pub stopping: bool,
    /// Seconds in the solver's layers, of all workers together.
    pub solver_seconds: f64,
    /// Seconds in which workers had a region, of all workers together.
    pub busy_seconds: f64,
}

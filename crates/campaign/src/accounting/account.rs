//! The account of a run ([`Account`], `summary.json`) and its state for the live line ([`Snapshot`]). The coordinator fills both;
//! every field has a unit and a meaning.

use std::collections::BTreeMap;
use std::fmt;

use cleave_coverage::Counts;
use cleave_region::{Expected, PathKind};
use serde::{Deserialize, Serialize};

use crate::accounting::counters::{self, Field};
use crate::accounting::stats::Stats;
use crate::database::store::Meta;

/// The word behind the unit of a field that may become less: see [`Field::varies`].
macro_rules! varies {
    () => {
        false
    };
    (varies) => {
        true
    };
}

/// A structure whose fields have a unit and a meaning, for readers of the account.
macro_rules! counted {
    ($(#[$doc:meta])* pub struct $struct:ident {
        $($name:ident: $type:ty, $unit:literal $($varies:ident)?, $meaning:literal;)*
    }) => {
        $(#[$doc])*
        pub struct $struct { $(#[doc = $meaning] pub $name: $type,)* }

        impl $struct {
            /// Its fields, with what they mean.
            pub const FIELDS: &'static [Field] =
                &[$(Field { name: stringify!($name), unit: $unit, varies: varies!($($varies)?), meaning: $meaning }),*];
        }
    };
}

/// The reason why a run stopped. Open regions stay open in all cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Nothing is left except regions set aside.
    Exhausted,
    /// The run has the requested number of paths.
    MaxPaths,
    /// The run has the requested number of bugs.
    MaxBugs,
    /// Tests take every side of every branch.
    Covered,
    /// The time limit is reached.
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
            StopReason::MaxBugs => "max_bugs",
            StopReason::Covered => "covered",
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

counted! {
    /// Paths by kind of end.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct PathCounts {
        completed: u64, "paths", "Those on which the program ended by itself, by a signal too.";
        failed: u64, "paths", "Those that end in a bug.";
        cut: u64, "regions" varies, "Regions that a limit cut off; each holds one path or more.";
        unknown: u64, "regions" varies, "Regions that the solver gave up on; each may hold paths.";
        unsupported: u64, "paths", "Those that end at something that is not modelled.";
        suppressed: u64, "paths", "Those that end in a bug which a suppression excuses.";
        assumed_away: u64, "paths", "Those that an assumption of the program ended.";
    }
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

    /// Number of paths that were followed to their end.
    pub fn ended(&self) -> u64 {
        self.completed + self.failed + self.unsupported + self.suppressed + self.assumed_away
    }
}

counted! {
    /// The coverage of the program by the tests of a run, without its C library.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Coverage {
        lines_covered: u64, "lines", "Source lines that a test executes.";
        lines: u64, "lines" varies, "Source lines with code, as the debug information has them; 0 without it.";
        branches_covered: u64, "sides", "Sides of branches and cases of switches that a test takes.";
        branches: u64, "sides" varies, "Sides of branches and cases of switches.";
        functions_covered: u64, "functions", "Functions that a test calls.";
        functions: u64, "functions" varies, "Functions that the program is linked with; nothing leads to others.";
        blocks_covered: u64, "blocks", "Basic blocks that a test enters.";
        blocks: u64, "blocks" varies, "Basic blocks.";
    }
}

impl From<Counts> for Coverage {
    fn from(counts: Counts) -> Coverage {
        let Counts { lines, branches, functions, blocks } = counts;
        Coverage {
            lines_covered: lines.covered,
            lines: lines.total,
            branches_covered: branches.covered,
            branches: branches.total,
            functions_covered: functions.covered,
            functions: functions.total,
            blocks_covered: blocks.covered,
            blocks: blocks.total,
        }
    }
}

counted! {
    /// The account of a run, over all its sessions: `summary.json`.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct Account {
        program: String, "text" varies, "The program's file.";
        program_hash: String, "SHA-256" varies, "A digest of the program's code.";
        version: String, "text" varies, "The version of Cleave that began the run.";
        options: serde_json::Value, "object" varies, "The options that the run keeps.";
        workers: u32, "workers" varies, "Workers of the last session; where machines join, the most at once.";
        stop_reason: Option<String>, "name" varies,
            "What stopped the last session: `exhausted`, `max_paths`, `max_bugs`, `covered`, `max_time`, `interrupted`; nothing if it was killed, or runs.";
        sessions: u64, "sessions", "The first, and one for each time that the run was resumed.";
        wall_s: f64, "seconds", "From the start of the command to its end, of all sessions.";
        loading_s: f64, "seconds", "Of these: until the first worker had the program.";
        exploring_s: f64, "seconds", "Of these: while paths were explored; files are written meanwhile.";
        writing_s: f64, "seconds", "Of these: after that, until what remains is written down, and the files.";
        paths: PathCounts, "group" varies, "Paths by how they ended.";
        coverage: Coverage, "group" varies, "What the tests cover of the program.";
        expected_paths: Option<u64>, "paths" varies,
            "How many paths there will be in all when nothing waits: an estimate, and the exact number where nothing waits. Regions set aside are left out. Nothing where nobody knows, as where the estimate grows with each path found.";
        expected_paths_low: Option<u64>, "paths" varies, "The lower end of that: about two of three estimates are between it and the upper end.";
        expected_paths_high: Option<u64>, "paths" varies, "The upper end.";
        expected_s: Option<f64>, "seconds" varies,
            "How long exploring the rest is expected to take, if it goes on as fast as until now. Nothing where nobody knows.";
        open_regions: u64, "regions" varies, "Regions that are not explored: those that wait, and those set aside.";
        regions: BTreeMap<String, u64>, "regions by state" varies,
            "The same by state: `open`, `leased`, `unknown`, `cut`, `diverged`, `crashed`.";
        bugs: u64, "bugs",
            "Bugs, each kind and place once; the place is the innermost frame of the program, not of its C library.";
        suppressed: BTreeMap<String, u64>, "paths by suppression", "Paths that end in a bug which it excuses.";
        excused_reads: BTreeMap<String, u64>, "reads by suppression",
            "Reads of words beyond their object that went on with zeros; those of replays too.";
        instructions: u64, "instructions", "LLVM instructions, those of replays too.";
        decisions: u64, "decisions", "Decisions met, those of replays too.";
        questions: u64, "queries", "Queries to the solver's layers.";
        smt_calls: u64, "queries", "Queries that came to a SAT or SMT solver.";
        smt_calls_of: BTreeMap<String, u64>, "queries by solver", "The same by the solver's name, as `--solver` has it.";
        smt_seconds: f64, "seconds", "In these solvers, of all workers together.";
        solver_seconds: f64, "seconds", "In all layers of the solver, of all workers together.";
        solver_us_at: BTreeMap<String, u64>, "microseconds by line",
            "Of these: in questions of 0.2 ms and more, by the line of the program where they come from.";
        decided_by_value: BTreeMap<String, u64>, "values by line and limit",
            "Indices, sizes, lengths and pointers that had to be decided value by value, by the line of the program and the limit that they were above; those of replays too.";
        decided_among: BTreeMap<String, u64>, "places by line and limit" varies,
            "The most values, places, bytes or objects that one of these was decided among.";
        busy_seconds: f64, "seconds", "With a region to explore, of all workers together.";
        peak_memory_bytes: u64, "bytes" varies, "The largest resident size of a worker.";
        answered_by: BTreeMap<String, u64>, "queries by layer", "Queries by the layer of the solver that answered.";
        worker_deaths: u64, "workers", "Workers that died.";
        stolen_regions: u64, "regions", "Regions that changed hands.";
        doubled: u64, "paths", "Paths that arrived twice: 0, or a bug of Cleave.";
        each_once: Option<bool>, "true or false" varies,
            "Whether the weights of all that ended say that each path was found once: always true, or a bug of Cleave. Nothing as long as regions are open, and where that cannot be told: paths were put back, or regions explored again.";
        path_set: String, "digest" varies,
            "The sum of the digests of all paths, modulo 2^128: runs of as many paths with the same sum have the same paths, wherever they lie.";
        made_up: BTreeMap<String, u64>, "paths by answer",
            "Paths on which the model answered what Linux would not, by what it answered.";
        addresses: BTreeMap<String, u64>, "paths by line",
            "Paths whose outcome depends on the addresses of objects, which are others natively, by the line where it does.";
        internal_errors: BTreeMap<String, u64>, "times by place",
            "States that cannot be, unless Cleave is wrong: the place in its source and what was met. Nothing else in the file can be trusted then.";
        other: BTreeMap<String, u64>, "group" varies, "All other counts.";
    }
}

impl Account {
    pub(crate) fn new(meta: Meta, stats: &Stats) -> Account {
        let seconds = |name: &str| stats.get(name) as f64 / 1e9;
        let under = |prefix: &str| -> BTreeMap<String, u64> {
            stats.iter().filter_map(|(n, v)| Some((n.strip_prefix(prefix)?.to_string(), v))).collect()
        };
        let other = stats.iter().filter(|(name, _)| !counters::is_named(name));
        Account {
            program: meta.program,
            program_hash: meta.program_hash,
            version: meta.version,
            options: meta.options,
            workers: 0,
            stop_reason: None,
            sessions: 0,
            wall_s: 0.0,
            loading_s: seconds(counters::LOADING_NANOS),
            exploring_s: seconds(counters::EXPLORING_NANOS),
            writing_s: seconds(counters::WRITING_NANOS),
            paths: PathCounts::default(),
            coverage: Coverage::default(),
            expected_paths: None,
            expected_paths_low: None,
            expected_paths_high: None,
            expected_s: None,
            open_regions: 0,
            regions: BTreeMap::new(),
            bugs: 0,
            suppressed: BTreeMap::new(),
            excused_reads: under(counters::EXCUSED),
            instructions: stats.get(counters::INSTRUCTIONS),
            decisions: stats.get(counters::DECISIONS),
            questions: stats.get(counters::QUESTIONS),
            smt_calls: stats.get(counters::SMT_CALLS),
            smt_calls_of: under(counters::SMT_CALLS_OF),
            smt_seconds: seconds(counters::SMT_NANOS),
            solver_seconds: seconds(counters::SOLVER_NANOS),
            solver_us_at: under(counters::SOLVER_US_AT),
            decided_by_value: under(counters::BY_VALUE),
            decided_among: under(counters::PEAK_BY_VALUE),
            busy_seconds: seconds(counters::BUSY_NANOS),
            peak_memory_bytes: stats.get(counters::PEAK_MEMORY_BYTES),
            answered_by: under(counters::ANSWERED_BY),
            worker_deaths: stats.get(counters::WORKER_DEATHS),
            stolen_regions: stats.get(counters::STOLEN_REGIONS),
            doubled: stats.get(counters::DOUBLED),
            each_once: None,
            path_set: String::new(),
            made_up: under(counters::MADE_UP),
            addresses: under(counters::ADDRESSES),
            internal_errors: under(counters::INTERNAL),
            other: other.map(|(n, v)| (n.to_string(), v)).collect(),
        }
    }
}

impl Account {
    /// Notes the number of paths expected of all that waits; `None` if unknown.
    pub(crate) fn expect(&mut self, left: Option<Expected>) {
        let ended = self.paths.ended();
        let Some(left) = left else { return };
        let all = |paths: f64| ended.saturating_add(paths.round() as u64);
        let (low, high) = left.range();
        self.expected_paths = Some(all(left.paths));
        (self.expected_paths_low, self.expected_paths_high) = (Some(all(low)), Some(all(high)));
        self.expected_s = match (left == Expected::NONE, ended) {
            (true, _) => Some(0.0),
            (false, 0) => None,
            (false, ended) => Some(self.exploring_s * left.paths / ended as f64).filter(|s| s.is_finite()),
        };
    }
}

/// State of a run, for the live line. Counts of this and earlier sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Paths ended, of all kinds.
    pub paths: u64,
    /// Unfinished regions: leased and waiting ones.
    pub open_regions: u64,
    /// Bugs, each place once.
    pub bugs: u64,
    /// Expected number of further paths; `None` if unknown.
    pub expected: Option<Expected>,
    /// Workers that have a region.
    pub busy: u32,
    /// Workers.
    pub workers: u32,
    /// True if the session is over and only the last reports of workers are awaited.
    pub stopping: bool,
    /// Seconds in the solver's layers, of all workers together.
    pub solver_seconds: f64,
    /// Seconds in which workers had a region, of all workers together.
    pub busy_seconds: f64,
    /// The coverage.
    pub coverage: Coverage,
}

//! Options of one session: `cleave run` and `cleave resume` have them, and the next session may have others.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::feasibility::AskingOptions;
use super::mode::ModeOptions;
use super::values;

/// Options of the exploration, and its limits. A run keeps the values of `how` and `asking` that it began with, and `resume`
/// may replace them; all others hold for one session.
#[derive(Clone, Debug, Args)]
pub struct ExplorationOptions {
    /// Worker processes. Default is the number of processor cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub workers: Option<u32>,
    /// Explore on machines that join by this NATS server, like nats://host or tls://user:password@host:4222; they may come and
    /// go at any time: see `cleave join --help`. Default is worker processes of this machine
    #[arg(long, value_name = "URL", requires = "cluster_key", conflicts_with = "workers")]
    pub cluster: Option<String>,
    /// The file with the key of the campaign, which all who take part must have: 16 bytes at least that nobody guesses. Default is
    /// none: --cluster needs one
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub cluster_key: Option<PathBuf>,
    /// Answer Prometheus at this address while the session goes on, like 127.0.0.1:9464 (port 0 for any), at /metrics: the figures
    /// of `cleave report --to prometheus`, and of those who take part. Default is not to
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub metrics: Option<SocketAddr>,
    /// Stop after exactly this many paths, and keep the rest open. Default is no limit
    #[arg(long, value_name = "N")]
    pub max_paths: Option<u64>,
    /// Stop when the run has this many bugs, each kind and place once, and keep the rest open; workers may have found more by
    /// then. Default is no limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_bugs: Option<u64>,
    /// Stop when tests take every side of every branch of the program, its C library apart, and keep the rest open. Default is
    /// not to
    #[arg(long)]
    pub until_covered: bool,
    /// Stop so that the command ends after this time (seconds, or like 10s, 5m, 1h), loading the program and writing files
    /// counted, and keep the rest open. Default is no limit
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub max_time: Option<Duration>,
    /// Cut paths off at this many decisions; they count as cut. Default is no limit
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Cut paths off at this many instructions, as they may have no end; they count as cut. Default is no limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_path_instructions: Option<u64>,
    /// Memory that states and conditions may take in each worker, beyond the loaded program (MiB, or like 500M, 2G; at least
    /// 2M). States that do not fit are kept as regions and explored later. Default is 208M, or a fair share of three quarters
    /// of the free memory where that is less
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub max_memory: Option<u64>,
    /// Mode of exploration: by states that fork, or by concrete runs.
    #[command(flatten)]
    pub how: ModeOptions,
    /// In which order paths are explored: dfs, dfs-false (of each fork the false side first, as KLEE's dfs), bfs,
    /// random-state, random-path, covnew (towards new code), generational (beside paths that came to much new code), novelty (there, or where a loop went round more often), guards (with a setting that an untaken branch waits for), deepest
    /// (most decisions first), depth (deep ones more likely) or icnt (at rarely executed code more likely). May be repeated:
    /// then they share the choices of each worker, and one that finds more new code has more. `batch:NAME` or `batch=N:NAME` keeps to a state for N instructions (10000),
    /// `ending:NAME` or `ending=N:NAME` until its path ends (or for 100000), `deepening:NAME` or `deepening=N:NAME` takes
    /// states of at most N decisions first (16), then of twice as many, and so on. The set of paths does not change. Default
    /// is dfs, which finishes soonest; with --max-time or --max-bugs, and for large programs, ending:random-path,
    /// ending:covnew, ending:generational, ending:novelty and ending:guards, which cover most in a limited time
    #[arg(long, value_name = "NAME", value_parser = values::search)]
    pub search: Vec<String>,
    /// Give this part of each worker's work, in percent, to executions of mutated inputs, which fork nothing; what is new in them
    /// is followed, and its paths are found sooner. Workers by states with a search other than dfs can follow them. Default is 5
    /// where --search would be several, and up to 75 where no new code is reached; else 0
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=95))]
    pub mutate: Option<u32>,
    /// Feasibility policy.
    #[command(flatten)]
    pub asking: AskingOptions,
    /// Explore breadth-first until there are this many states, and give these to the workers (test-depth
    /// partitioning). Default is to begin with one worker and steal from it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub split_states: Option<u32>,
    /// States that a worker keeps when idle ones steal from it. Default is 4
    #[arg(long, value_name = "N", default_value_t = 4, hide_default_value = true)]
    pub keep_states: u32,
    /// Deal the strategies of --search and the modes of --mode out, one to each worker, in turn. Default is that each
    /// worker has all strategies
    #[arg(long)]
    pub deal: bool,
    /// Folder for the files of --emit testcomp, in the place of the run's own: `cleave testcomp` names it.
    #[arg(long, value_name = "DIR", hide = true)]
    pub suite: Option<PathBuf>,
    /// Show a status screen while the run goes on: coverage over time, speed, newest bugs. Default is one line
    #[arg(long)]
    pub tui: bool,
    /// Seed of whatever chooses at random; it never changes which paths there are. Default is 0
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub random_seed: u64,
    /// Time for one question to the solver, in milliseconds; where it is not enough, the region stays open.
    /// Default is 10000, or a twentieth of --max-time where that is less
    #[arg(long, value_name = "MS")]
    pub solver_timeout: Option<u64>,
    /// The solvers behind the layers, in the order in which they are asked: each but the last gets a second for a query
    /// (at most half of --solver-timeout), the last one the rest. The names are listed below. Default is all of them, in their order
    #[arg(long, value_name = "NAME[,NAME]", value_parser = values::solvers)]
    pub solver: Option<String>,
    /// Record all questions to the solver in this folder, with all that led to them; docs/performance.md says how they are
    /// asked again. Default is not to
    #[arg(long, value_name = "DIR")]
    pub record_questions: Option<PathBuf>,
    /// Write each question that no layer answers into this folder, a file of SMT-LIB 2 each, for other solvers. Default is
    /// not to
    #[arg(long, value_name = "DIR")]
    pub dump_questions: Option<PathBuf>,
    /// Do without a layer of the solver, by its name in `cleave stats`; may be repeated. Default is all layers
    #[arg(long, value_name = "NAME")]
    pub disable_layer: Vec<String>,
    /// Ask all solvers, two at least, each question and stop if they disagree. Default is no
    #[arg(long)]
    pub cross_check: bool,
    /// Check each test by following it once more, each model by evaluating it, and each refusal of a path by
    /// asking the solver. Default is no
    #[arg(long)]
    pub self_check: bool,
}

impl ExplorationOptions {
    /// Time for one question to the solver, in milliseconds. A few hard questions must not take all the time of a run that
    /// has little.
    pub fn question_ms(&self) -> u64 {
        const USUAL: u64 = 10_000;
        let share = |limit: Duration| u64::try_from(limit.as_millis() / 20).unwrap_or(USUAL).max(1);
        self.solver_timeout.unwrap_or_else(|| self.max_time.map_or(USUAL, share).min(USUAL))
    }

    /// Bytes that states and conditions may take in each of `workers` workers.
    pub fn memory_of_each(&self, workers: u32) -> u64 {
        const LEAST: u64 = 2 << 20;
        // Counted memory takes up to twice as much in pages of the process, and the loaded program has its own: 500 MB in
        // all.
        const USUAL: u64 = 208 << 20;
        let free = || {
            let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
            let kib = line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
            kib.map_or(2 << 30, |kib| kib * 1024)
        };
        let share = || free() / 4 * 3 / u64::from(workers.max(1));
        self.max_memory.unwrap_or_else(|| share().min(USUAL)).max(LEAST)
    }

    /// Number of workers.
    pub fn worker_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.workers.map_or_else(cores, |n| n as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        options: ExplorationOptions,
    }

    #[test]
    fn a_question_gets_a_twentieth_of_a_short_run() {
        let of = |words: &[&str]| {
            Words::try_parse_from([&["x"], words].concat()).map(|w| w.options.question_ms()).unwrap()
        };
        assert_eq!(of(&[]), 10_000);
        assert_eq!(of(&["--max-time", "10s"]), 500);
        assert_eq!(of(&["--max-time", "1h"]), 10_000);
        assert_eq!(of(&["--max-time", "0s"]), 1);
        assert_eq!(of(&["--max-time", "10s", "--solver-timeout", "700"]), 700);
    }
}

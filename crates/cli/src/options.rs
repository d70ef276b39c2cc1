//! Every option, declared once: the help, the checks and the defaults all come from here.

use crate::Failure;
use crate::asking::AskingOptions;
use crate::mode::ModeOptions;
use crate::suppressions::SuppressingOptions;
use crate::values;
use crate::verdict::EXIT_CODES;
use clap::{Args, Parser, Subcommand, ValueEnum};
use cleave_engine::{Checks, Family};
use cleave_solver::{BACK_ENDS, BackEnd};
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Explores the paths of a C program exhaustively: a test for every path, a report for every bug, and an exact
/// account of what is done and what is left.
#[derive(Debug, Parser)]
#[command(name = "cleave", version, max_term_width = 100, disable_help_subcommand = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What `cleave toolchain` writes for.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum BuildSystem {
    /// For `cmake --toolchain FILE`.
    Cmake,
    /// For `meson setup --cross-file FILE`.
    Meson,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile C: clang for programs that Cleave explores; the executables have their bitcode inside
    #[command(disable_help_flag = true)]
    Cc {
        /// The arguments of clang.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// LLVM's `ar`, which indexes the objects of `cleave cc`
    #[command(disable_help_flag = true)]
    Ar {
        /// The arguments of ar.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// LLVM's `ranlib`
    #[command(disable_help_flag = true)]
    Ranlib {
        /// The arguments of ranlib.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// LLVM's `nm`
    #[command(disable_help_flag = true)]
    Nm {
        /// The arguments of nm.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Print a toolchain file for CMake, or a cross file for meson
    Toolchain {
        /// For which build system.
        build_system: BuildSystem,
    },
    /// Explore a program
    Run(Box<RunOptions>),
    /// Go on with what a run left open
    Resume(ResumeOptions),
    /// Show the tests, bugs and open regions of a run
    List(DirectoryOptions),
    /// Run the native executable on tests, safely, and compare with what was foretold
    Replay(ReplayOptions),
    /// Compare tests by the paths they take
    Tests {
        /// What to do with them.
        #[command(subcommand)]
        command: TestsCommand,
    },
    /// Show the account of a run
    Stats(DirectoryOptions),
    /// Find a bound for --max-depth: how deep breadth-first exploration comes in a given time
    Bound(BoundOptions),
    /// Show the register code of a program, as the engine executes it
    Dump(crate::dump::DumpOptions),
    /// Foretell from a finished run what more workers would have made of it
    Simulate(Box<crate::simulate::SimulateOptions>),
    /// Measure Cleave against published figures
    Bench {
        /// Which.
        #[command(subcommand)]
        command: BenchCommand,
    },
    /// Reads bitcode for another process, which is there to say so if LLVM ends this one.
    #[command(hide = true)]
    Load {
        /// The module may have to be linked yet.
        #[arg(long)]
        module: bool,
        /// Accesses to arrays inside of structures look at their bounds.
        #[arg(long)]
        members: bool,
        /// Only put a `main` in front of this function; the output is bitcode.
        #[arg(long, requires = "pointer_size")]
        entry: Option<String>,
        /// Bytes that its pointers point to.
        #[arg(long)]
        pointer_size: Option<u64>,
    },
    /// A worker process of a run; started by the coordinator.
    #[command(hide = true)]
    Worker {
        /// What the coordinator says.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

/// What stands below the options of `cleave run`.
fn run_help() -> String {
    let check = |f: &Family| {
        let off = if f.on() { "" } else { " (off)" };
        format!("  {:<14}{}{off}\n", f.name(), f.doc())
    };
    let checks: String = Family::ALL.iter().map(check).collect();
    let solver = |s: &&BackEnd| format!("  {:<14}{}\n", s.name, s.about);
    let solvers: String = BACK_ENDS.iter().map(solver).collect();
    format!(
        "Among the program's arguments may stand --sym-arg LEN, --sym-args MIN MAX LEN, --sym-stdin LEN, \
         --sym-files N LEN and --sym-stdout, as KLEE knows them.\n\n\
         Families of checks for --check:\n{checks}\n\
         Solvers for --solver:\n{solvers}\n\
         Example: cleave run --workers 2 ./echo --sym-args 0 2 4\n\n{EXIT_CODES}"
    )
}

/// Options of `cleave run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = run_help())]
pub struct RunOptions {
    /// Options that `cleave resume` has as well.
    #[command(flatten)]
    pub exploration: ExplorationOptions,
    /// The run directory to make. Default is cleave-out-N in the working directory, with the first N that is
    /// free, and a link cleave-last to it
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
    /// Split the paths at these tests into static ranges before starting; several tests follow one another or
    /// are separated by commas. Default is one range with all paths
    #[arg(long, value_name = "TEST", value_delimiter = ',', conflicts_with = "seed")]
    pub split_at: Vec<PathBuf>,
    /// Begin with these inputs: tests (.ktest), files for the program's symbolic standard input (or, without one, its
    /// first symbolic file), or folders of them, like a fuzzer's. May be repeated. In concolic mode they are run first,
    /// in symbolic mode their paths are explored first and then what is near them. Default is to begin with zeros
    #[arg(long, value_name = "FILE|DIR")]
    pub seed: Vec<PathBuf>,
    /// Explore the paths of the --seed inputs and no others, and keep the rest as regions that `cleave resume` explores.
    /// Default is to explore all paths
    #[arg(long, requires = "seed")]
    pub only_seeds: bool,
    /// Give the objects of --seed tests to the program's objects of the same names, in whatever order it makes them; then
    /// tests of another command line fit too. Default is by their order
    #[arg(long, requires = "seed")]
    pub seed_by_name: bool,
    /// Split only into so many ranges, at tests drawn at random (by --random-seed) from those of --split-at. Default
    /// is to split at all of them
    #[arg(long, value_name = "N", requires = "split_at", value_parser = clap::value_parser!(u32).range(1..))]
    pub ranges: Option<u32>,
    /// Do not let idle workers steal from busy ones: static ranges, one after the other from a queue. Default is to
    /// steal
    #[arg(long = "static")]
    pub no_stealing: bool,
    /// Switch families of checks on or off, in this order, beginning with the defaults: NAME on, -NAME or no-NAME off,
    /// `all`, `none`. May be repeated; the names are listed below. Default is what is always a bug
    #[arg(long = "check", value_name = "NAME", value_delimiter = ',', allow_hyphen_values = true,
        value_parser = values::check)]
    pub check: Vec<String>,
    /// Let calls of malloc, calloc, realloc and what calls them (strdup, fopen, ...) fail, at most N times on a path (1 where
    /// no N is given). Each such call is then a decision, up to the last one that fails. Default is that they fail only
    /// where no memory is left
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub fail_malloc: Option<u32>,
    /// Report a bug where more than N functions are running at once. Default is what fits the 8 MiB of stack that Linux gives
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_stack_frames: Option<u32>,
    /// Begin with this function instead of main: its integers and structures are symbolic, each pointer is null or
    /// points to one symbolic object. Default is main
    #[arg(long, value_name = "FUNCTION", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub entry_point: Option<String>,
    /// Bytes of the objects that pointers of --entry-point's arguments point to. Default is 64
    #[arg(long, value_name = "BYTES", default_value_t = 64, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=1 << 24))]
    pub pointer_size: u64,
    /// Report an error for each path that ends in it, not once a place. Default is once a place
    #[arg(long)]
    pub all_errors: bool,
    /// What is excused.
    #[command(flatten)]
    pub suppressing: SuppressingOptions,
    /// Write a .ktest file for each path. Default is yes
    #[arg(
        long,
        value_name = "YES|NO",
        default_value = "yes",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub write_tests: YesNo,
    /// The program (an executable from `cleave cc`, a .bc, a .ll, or a single .c file), and its arguments,
    /// symbolic ones among them. Everything after the program is the program's
    // One list, because only in one list do all options after the program go to it.
    #[arg(value_names = ["PROGRAM", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub program_and_arguments: Vec<OsString>,
}

impl RunOptions {
    /// What is looked for.
    pub fn checks(&self) -> Result<Checks, Failure> {
        self.check.join(",").parse().map_err(Failure::usage)
    }

    /// The program to explore.
    pub fn program(&self) -> &Path {
        Path::new(self.program_and_arguments.first().map_or(OsStr::new(""), |p| p))
    }

    /// What it is started with, its own name not counted.
    pub fn arguments(&self) -> &[OsString] {
        self.program_and_arguments.get(1..).unwrap_or_default()
    }
}

/// Options of `cleave bound`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The depth that is printed is one that every path has reached, or has ended before. Use it as \
`cleave run --max-depth DEPTH`: all strategies then explore the same bounded space.\n\n\
Example: cleave bound --time 10m ./prog --sym-args 0 2 4"
)]
pub struct BoundOptions {
    /// Stop after this time (seconds, or like 10s, 5m, 1h). Default is 10m
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub time: Option<Duration>,
    /// Print JSON: depth, states, paths, complete. Default is the depth alone, and the rest on standard error
    #[arg(long)]
    pub json: bool,
    /// The program, and its arguments, symbolic ones among them
    #[arg(value_names = ["PROGRAM", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub program_and_arguments: Vec<OsString>,
}

/// How to explore, and when to stop.
#[derive(Clone, Debug, Args)]
pub struct ExplorationOptions {
    /// Worker processes. Default is the number of processor cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub workers: Option<u32>,
    /// Stop after exactly this many paths, and keep the rest open. Default is no limit
    #[arg(long, value_name = "N")]
    pub max_paths: Option<u64>,
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
    /// Memory that states and conditions may take in each worker, beyond the loaded program (MiB, or like 500M, 2G;
    /// at least 2M). What does not fit is kept as regions and explored later. Default is a fair share of three
    /// quarters of the free memory
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub max_memory: Option<u64>,
    /// By states that fork, or by concrete runs.
    #[command(flatten)]
    pub how: ModeOptions,
    /// In which order paths are explored: dfs, dfs-false (of each fork the false side first, as KLEE's dfs), bfs,
    /// random-state, random-path, covnew (towards new code), deepest (most decisions first), depth (deep ones more likely)
    /// or icnt (at rarely executed code more likely). May be repeated: then they take turns in each worker. `batch:NAME` or `batch=N:NAME` keeps to a state for N instructions (10000),
    /// `deepening:NAME` or `deepening=N:NAME` takes states of at most N decisions first (16), then of twice as
    /// many, and so on. Which paths there are does not change. Default is dfs
    #[arg(long, value_name = "NAME", value_parser = values::search)]
    pub search: Vec<String>,
    /// When to ask whether paths are feasible.
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
    /// Seed of whatever chooses at random; it never changes which paths there are. Default is 0
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub random_seed: u64,
    /// Time for one question to the solver, in milliseconds; where it is not enough, the region stays open.
    /// Default is 10000
    #[arg(long, value_name = "MS", default_value_t = 10_000, hide_default_value = true)]
    pub solver_timeout: u64,
    /// The solvers behind the layers, in the order in which they are asked: each but the last gets a second for a query,
    /// the last one the rest of --solver-timeout. The names are listed below. Default is all of them, in their order
    #[arg(long, value_name = "NAME[,NAME]", value_parser = values::solvers)]
    pub solver: Option<String>,
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
    /// Bytes that states and conditions may take in each of `workers` workers.
    pub fn memory_of_each(&self, workers: u32) -> u64 {
        const LEAST: u64 = 2 << 20;
        let free = || {
            let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
            let kib = line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
            kib.map_or(2 << 30, |kib| kib * 1024)
        };
        let share = || free() / 4 * 3 / u64::from(workers.max(1));
        self.max_memory.unwrap_or_else(share).max(LEAST)
    }

    /// How many workers there will be.
    pub fn worker_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.workers.map_or_else(cores, |n| n as usize)
    }
}

/// Options of `cleave resume`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct ResumeOptions {
    /// How to explore, and when to stop.
    #[command(flatten)]
    pub exploration: ExplorationOptions,
    /// The run directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// Options of the commands that look at a run.
#[derive(Clone, Debug, Args)]
pub struct DirectoryOptions {
    /// Print JSON: for `list` one object a line. Default is a table
    #[arg(long)]
    pub json: bool,
    /// The run directory. Default is cleave-last
    #[arg(value_name = "DIR", default_value = "cleave-last", hide_default_value = true)]
    pub directory: PathBuf,
}

/// Options of `cleave replay`.
#[derive(Clone, Debug, Args)]
pub struct ReplayOptions {
    /// Runs at once. Default is the number of processor cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub workers: Option<u32>,
    /// Time for one run (seconds, or like 500ms, 2s). Default is 10s
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub max_time: Option<Duration>,
    /// Memory of one process of a run (MiB, or like 64M, 1G). Default is 256M
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub max_memory: Option<u64>,
    /// How the program is kept away from this machine: full (namespaces; refuses where there are none), auto (namespaces,
    /// or the model of the kernel answers its system calls), none (it may do whatever you may). Default is auto
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub isolation: Isolation,
    /// The same as --isolation none. Default is to isolate the program
    #[arg(long, conflicts_with = "isolation")]
    pub no_sandbox: bool,
    /// Print one JSON object a line for each test. Default is text
    #[arg(long)]
    pub json: bool,
    /// The native executable that `cleave cc` made
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// Tests (.ktest), or directories with tests
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
}

/// How a replayed program is kept away from the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Isolation {
    /// By namespaces, or not at all.
    Full,
    /// By namespaces, or by the model of the kernel.
    #[default]
    Auto,
    /// Not at all.
    None,
}

/// What `cleave bench` measures.
#[derive(Clone, Debug, Subcommand)]
pub enum BenchCommand {
    /// Table 1 of S2PF: questions and time with and without speculation. Exit code 1 where the counts are not as expected
    S2pf(S2pfOptions),
    /// What it takes to cover nine tenths of the code that is covered at the end, asking eagerly and lazily
    Lazy(LazyOptions),
}

/// Options of `cleave bench lazy`.
#[derive(Clone, Debug, Args)]
pub struct LazyOptions {
    /// The search strategy. Default is dfs
    #[arg(long, value_name = "NAME", default_value = "dfs", hide_default_value = true, value_parser = values::search)]
    pub search: String,
    /// Stop after so many paths. Default is no limit
    #[arg(long, value_name = "N")]
    pub max_paths: Option<usize>,
    /// Add up as many runs, with random seeds from 0. Default is 1
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    pub seeds: u64,
    /// The program, and its arguments, symbolic ones among them
    #[arg(value_names = ["PROGRAM", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub program_and_arguments: Vec<OsString>,
}

/// Options of `cleave bench s2pf`.
#[derive(Clone, Debug, Args)]
pub struct S2pfOptions {
    /// Shorter sequences, and every depth of speculation. Default is the paper's lengths
    #[arg(long)]
    pub quick: bool,
    /// Every depth of speculation. Default is some of them, as those of B and C take hours at the paper's lengths
    #[arg(long)]
    pub every_depth: bool,
    /// Where the programs are. Default is programs/s2pf
    #[arg(long, value_name = "DIR", default_value = "programs/s2pf", hide_default_value = true)]
    pub programs: PathBuf,
    /// Programs by name. Default is all
    #[arg(value_name = "PROGRAM")]
    pub only: Vec<String>,
}

/// What `cleave tests` does.
#[derive(Clone, Debug, Subcommand)]
pub enum TestsCommand {
    /// Say of two or more tests which come first, and which take the same path
    Compare(TestsOptions),
    /// Print the tests in the order of their paths, those of one path on one line
    Sort(TestsOptions),
    /// Write arguments, input and files of your own as a test: for --split-at, replay and compare
    Make(MakeOptions),
    /// Copy those files of a folder that take all paths that its files take, for each path the shortest
    Minimize(MinimizeOptions),
}

/// Options of `cleave tests minimize`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example: cleave tests minimize corpus --output smaller ./parse --sym-stdin 64")]
pub struct MinimizeOptions {
    /// The folder to make
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    /// The folder with inputs: files for the program's symbolic standard input or file, or tests (.ktest)
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The program, and the symbolic arguments that the inputs are for, as `cleave run` takes them
    #[arg(value_names = ["PROGRAM", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub program_and_arguments: Vec<OsString>,
}

/// Options of `cleave tests make`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Example: cleave tests make --output hello.ktest --arg -n --arg hi ./echo --sym-args 0 2 4"
)]
pub struct MakeOptions {
    /// The test to write
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// An argument of the program; repeat it for each. Default is none
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    pub arg: Vec<OsString>,
    /// A file to take standard input from; what it lacks of the symbolic length becomes zeros. Default is none
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Contents of a symbolic file, like A=notes.txt; may be repeated. Default is zeros
    #[arg(long, value_name = "NAME=FILE")]
    pub file: Vec<String>,
    /// The program, and the symbolic arguments that the test is for, as `cleave run` takes them
    #[arg(value_names = ["PROGRAM", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub program_and_arguments: Vec<OsString>,
}

/// Options of both.
#[derive(Clone, Debug, Args)]
pub struct TestsOptions {
    /// The program that the tests are for
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// Tests (.ktest), or directories with tests
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
}

/// A switch that says which way it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
pub enum YesNo {
    /// On.
    Yes,
    /// Off.
    No,
}

/// Lets several tests follow one `--split-at`: each test after the first gets the option's name before it.
pub fn spread_split_at(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_test = |a: &OsString| a.as_encoded_bytes().ends_with(b".ktest");
    let mut spread: Vec<OsString> = Vec::with_capacity(arguments.len());
    let mut in_list = false;
    let mut over = arguments.get(1).is_none_or(|a| a != "run");
    for argument in arguments {
        over |= argument == "--";
        if !over && in_list && is_test(&argument) && spread.last().is_some_and(is_test) {
            spread.push("--split-at".into());
        }
        in_list = argument == "--split-at" || (in_list && is_test(&argument));
        spread.push(argument);
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_options(line: &str) -> RunOptions {
        let arguments = line.split_whitespace().map(OsString::from).collect();
        match Cli::try_parse_from(spread_split_at(arguments)).unwrap().command {
            Command::Run(options) => *options,
            other => panic!("not run but {other:?}"),
        }
    }

    #[test]
    fn several_tests_may_follow_split_at_and_the_program_comes_after_them() {
        let tests = |options: RunOptions| options.split_at.len();
        for line in [
            "cleave run --split-at a.ktest b.ktest --workers 2 prog x",
            "cleave run --workers 2 --split-at a.ktest,b.ktest prog x",
            "cleave run --split-at a.ktest --split-at b.ktest --workers 2 prog x",
        ] {
            let options = run_options(line);
            assert_eq!(
                (options.program().to_str(), options.exploration.workers),
                (Some("prog"), Some(2)),
                "{line}"
            );
            assert_eq!(options.arguments(), ["x"]);
            assert_eq!(tests(options), 2);
        }
        assert_eq!(tests(run_options("cleave run prog --split-at a.ktest")), 0, "the program's own");
    }

    #[test]
    fn the_help_names_every_search_strategy() {
        let options =
            run_options("cleave run --search covnew --search batch=5:bfs --random-seed 7 prog").exploration;
        assert_eq!((options.search, options.random_seed), (vec!["covnew".into(), "batch=5:bfs".into()], 7));
        let help = <Cli as clap::CommandFactory>::command()
            .find_subcommand_mut("run")
            .unwrap()
            .render_long_help()
            .to_string();
        let words: Vec<&str> = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
        for entry in cleave_explore::STRATEGIES {
            assert!(words.contains(&entry.name), "{}", entry.name);
        }
    }

    #[test]
    fn everything_after_the_program_is_the_programs() {
        let options = run_options("cleave run --max-paths 3 prog --workers 9 --sym-args 0 2 4 -- --help -h");
        assert_eq!(options.exploration.workers, None);
        let expected = ["--workers", "9", "--sym-args", "0", "2", "4", "--", "--help", "-h"];
        assert_eq!(options.arguments(), expected);
    }
}

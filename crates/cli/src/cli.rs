//! The commands. Help, checks and completions come from here, and from the options of each command.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use cleave_program::code::Place;

use crate::commands::exploring::bound::BoundOptions;
use crate::commands::exploring::callers::CallersOptions;
use crate::commands::exploring::cluster_status::StatusOptions;
use crate::commands::exploring::expand::ExpandOptions;
use crate::commands::exploring::gather::GatherOptions;
use crate::commands::exploring::join::JoinOptions;
use crate::commands::exploring::resume::ResumeOptions;
use crate::commands::measuring::bench_lazy::LazyOptions;
use crate::commands::measuring::bench_s2pf::S2pfOptions;
use crate::commands::measuring::simulate::SimulateOptions;
use crate::commands::results::coverage::CoverageOptions;
use crate::commands::results::explain::ExplainOptions;
use crate::commands::results::report::ReportOptions;
use crate::commands::testing::compare::CompareOptions;
use crate::commands::testing::debug::DebugOptions;
use crate::commands::testing::harness::HarnessOptions;
use crate::commands::testing::proofs::ProofsOptions;
use crate::commands::testing::replay::ReplayOptions;
use crate::commands::testing::tests::TestsCommand;
use crate::commands::tools::completions::CompletionOptions;
use crate::commands::tools::dump::DumpOptions;
use crate::commands::tools::man::ManOptions;
use crate::commands::tools::toolchain::BuildSystem;
use crate::competition::options::TaskOptions;
use crate::options::DirectoryOptions;
use crate::options::run::RunOptions;
use crate::options::values;
use crate::sessions::verdict::EXIT_CODES;

/// The version, and the optional parts that this build has.
const BUILT: &str = match (cfg!(feature = "bitwuzla"), cfg!(feature = "mpi"), cfg!(feature = "nats")) {
    (true, true, true) => concat!(env!("CARGO_PKG_VERSION"), "\nwith Bitwuzla, with MPI, with NATS"),
    (true, true, false) => concat!(env!("CARGO_PKG_VERSION"), "\nwith Bitwuzla, with MPI, without NATS"),
    (true, false, true) => concat!(env!("CARGO_PKG_VERSION"), "\nwith Bitwuzla, without MPI, with NATS"),
    (true, false, false) => concat!(env!("CARGO_PKG_VERSION"), "\nwith Bitwuzla, without MPI, without NATS"),
    (false, true, true) => concat!(env!("CARGO_PKG_VERSION"), "\nwithout Bitwuzla, with MPI, with NATS"),
    (false, true, false) => concat!(env!("CARGO_PKG_VERSION"), "\nwithout Bitwuzla, with MPI, without NATS"),
    (false, false, true) => concat!(env!("CARGO_PKG_VERSION"), "\nwithout Bitwuzla, without MPI, with NATS"),
    (false, false, false) => {
        concat!(env!("CARGO_PKG_VERSION"), "\nwithout Bitwuzla, without MPI, without NATS")
    }
};

/// Explores the paths of a C program exhaustively: a test for every path, a report for every bug, and an exact
/// account of what is done and what is left.
#[derive(Debug, Parser)]
#[command(name = "cleave", version, long_version = BUILT, max_term_width = 100, disable_help_subcommand = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
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
    /// Compile C++: clang with libc++, as `cleave cc` for C
    #[command(name = "c++", disable_help_flag = true)]
    Cxx {
        /// The arguments of clang.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Compile Rust: rustc 1.85 for programs that Cleave explores, with their bitcode inside; the crate `cleave` makes inputs
    #[command(disable_help_flag = true)]
    Rustc {
        /// The arguments of rustc.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Build Rust packages: cargo with `cleave rustc`; `cleave cargo run` explores the program that it builds, `cleave cargo test` its proofs
    #[command(disable_help_flag = true)]
    Cargo {
        /// The arguments of cargo.
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
    /// Explore a program, asked in the words of KLEE: `cleave klee --help` lists its options
    #[command(disable_help_flag = true)]
    Klee {
        /// KLEE's options, the program and its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Write a test suite for a task of Test-Comp, within the competition's limits; the last line is DONE
    Testcomp(TaskOptions),
    /// Judge a task of SV-COMP, within the competition's limits; the last line is TRUE, FALSE(PROPERTY) or UNKNOWN
    Svcomp(TaskOptions),
    /// Go on with what a run left open
    Resume(Box<ResumeOptions>),
    /// Explore the paths of one class of a run with --merge on, one by one, as a run of their own
    Expand(Box<ExpandOptions>),
    /// Lend this machine's processors to a run that another one began with --cluster, until it ends
    Join(JoinOptions),
    /// Bring the paths of a run home that are kept on the machines that found them
    Gather(GatherOptions),
    /// Look at the run of several machines
    Cluster {
        /// The command.
        #[command(subcommand)]
        command: ClusterCommand,
    },
    /// Show the tests, bugs and open regions of a run
    List(DirectoryOptions),
    /// Run the tests of a Rust program natively, and explore each function that `#[cleave::proof]` marks; `cleave cargo test` does so
    Proofs(ProofsOptions),
    /// Compare two versions of a function or of a program on all inputs: do they return, write, print and end alike?
    Compare(Box<CompareOptions>),
    /// Print a harness in C or C++, or a proof in Rust, for a function, to be edited: inputs by its contract, or by guesses from its types and names
    Harness(HarnessOptions),
    /// Explore the callers of the function that a run began with, up to main, and say which of them reach its bugs
    Callers(CallersOptions),
    /// Run the native executable on tests, safely, and compare with what was foretold
    Replay(ReplayOptions),
    /// Show the path of a test as source lines, the conditions on its inputs, and which bytes its end depends on
    Explain(ExplainOptions),
    /// Write what a run found and covers: as one HTML file, or for another tool (lcov, SARIF, JUnit, ...)
    Report(ReportOptions),
    /// Follow a test with gdb, forwards and backwards
    Debug(DebugOptions),
    /// Compare tests by the paths they take
    Tests {
        /// The command.
        #[command(subcommand)]
        command: TestsCommand,
    },
    /// Show the account of a run
    Stats(DirectoryOptions),
    /// Say what holds a run back (paths, the solver, loops, calls that are not modelled), the most important first, with the option that helps
    Doctor(DirectoryOptions),
    /// Show which lines, branches and functions of the program the tests of a run cover
    Coverage(CoverageOptions),
    /// Find a bound for --max-depth: how deep breadth-first exploration comes in a given time
    Bound(BoundOptions),
    /// Show the register code of a program, as the engine executes it
    Dump(DumpOptions),
    /// Foretell from a finished run what more workers would have made of it
    Simulate(Box<SimulateOptions>),
    /// Measure Cleave against published figures
    Bench {
        /// The benchmark.
        #[command(subcommand)]
        command: BenchCommand,
    },
    /// Print a script that completes commands and options in a shell
    Completions(CompletionOptions),
    /// Print the manual page, or write one of each command
    Man(ManOptions),
    /// Prints all commands and options, for tests.
    #[command(hide = true)]
    Options,
    /// Reads bitcode for another process, which is there to say so if LLVM ends this one.
    #[command(hide = true)]
    Load {
        /// The module may have to be linked yet.
        #[arg(long)]
        module: bool,
        /// Accesses to arrays inside of structures look at their bounds.
        #[arg(long)]
        members: bool,
        /// Place where its addresses begin: the number of its first function, and the slot of its first global.
        #[arg(long, value_parser = values::place, default_value = "0,16")]
        place: Place,
        /// The output is for debuggers.
        #[arg(long)]
        debug: bool,
        /// Only put a `main` in front of this function; the output is bitcode.
        #[arg(long, requires = "pointer_size")]
        entry: Option<String>,
        /// Bytes that its pointers point to.
        #[arg(long)]
        pointer_size: Option<u64>,
        /// Only replace these functions, each `NAME:REPLACEMENT`; the output is bitcode.
        #[arg(long, allow_hyphen_values = true)]
        alias: Vec<String>,
    },
    /// Becomes a native program on a test; started by gdb for `replay --gdb`.
    #[command(hide = true)]
    Native {
        /// File with the arguments, variables and files of the program.
        told: PathBuf,
        /// The program.
        program: PathBuf,
        /// Arguments that gdb adds.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// A worker process of a run; started by the coordinator.
    #[command(hide = true)]
    Worker {
        /// Arguments that the coordinator gives.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

/// Commands of `cleave cluster`.
#[derive(Clone, Debug, Subcommand)]
pub enum ClusterCommand {
    /// Show who takes part, and how far and how fast the run goes. Exit code 1 where no run with this key is there
    Status(StatusOptions),
}

/// Commands of `cleave bench`.
#[derive(Clone, Debug, Subcommand)]
pub enum BenchCommand {
    /// Table 1 of S2PF: questions and time with and without speculation. Exit code 1 where the counts are not as expected
    S2pf(S2pfOptions),
    /// Cost of covering nine tenths of the code that is covered at the end, asking eagerly and lazily
    Lazy(LazyOptions),
}

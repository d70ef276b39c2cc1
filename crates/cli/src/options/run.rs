//! Options of `cleave run`: those that the run keeps, those for its beginning, and those of a session.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cleave_engine::{Checks, Family, Limits, MAX_SYMBOLIC_SIZE};
use cleave_linux::env::MAX_FILE_LEN;
use cleave_solver::{BACK_ENDS, BackEnd};

use super::session::ExplorationOptions;
use super::suppressions::SuppressingOptions;
use super::values;
use crate::emit::{self, OUTPUTS, Output, Which};
use crate::entries::drivers::Against;
use crate::failure::Failure;
use crate::programs::build::{Build, anchored};
use crate::sessions::verdict::EXIT_CODES;

/// Text below the options in the help of `cleave run`.
fn run_help() -> String {
    let check = |f: &Family| {
        let off = if f.on() { "" } else { " (off by default)" };
        format!("  {:<14}{}{off}\n", f.name(), f.doc())
    };
    let checks: String = Family::ALL.iter().map(check).collect();
    let solver = |s: &&BackEnd| format!("  {:<14}{}\n", s.name, s.about);
    let solvers: String = BACK_ENDS.iter().map(solver).collect();
    let output = |o: &&Output| {
        format!("  {:<14}{}{}\n", o.name, o.about, if o.usual { "" } else { " (off by default)" })
    };
    let outputs: String = OUTPUTS.iter().map(output).collect();
    format!(
        "Among the program's arguments may stand --sym-arg LEN, --sym-args MIN MAX LEN, --sym-stdin LEN, \
         --sym-files N LEN, --sym-stdout, --max-fail N and --fd-fail (system calls fail), as KLEE knows them, and \
         --sym-permissions or --sym-read-only (the files of --sym-files may refuse to be opened, or written). \
         --sym-stat makes the metadata of these files inputs; --sym-tree N LEN makes N entries that are files, directories, \
         links or nothing. --set-env NAME=VALUE and --sym-env NAME LEN (set or not, with a value of up to LEN bytes) give environment \
         variables. --fs DIR[:AT] puts a folder of the host into the program's file system. \
         --fail-calls N lets at most N system calls of a path fail, each with each error that its manual page names; \
         --short-io N lets at most N reads and writes move one byte only. \
         --sym-connection LEN and --sym-connections N LEN let peers connect that send up to LEN bytes; with --sym-segments \
         it is an input how many bytes each read from them gives. \
         --sym-terminal makes it an input which of standard input, output and error are a terminal. \
         --explore-schedules all explores every order of threads \
         that may matter, --explore-schedules every all of them, --explore-schedules N those of at most N preemptions.\n\n\
         Families of checks for --check:\n{checks}\n\
         Solvers for --solver:\n{solvers}\n\
         Files for --emit:\n{outputs}\n\
         Example: cleave run --workers 2 ./echo --sym-args 0 2 4\n\n{EXIT_CODES}"
    )
}

/// Options of `cleave run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = run_help())]
pub struct RunOptions {
    /// Options that the run keeps.
    #[command(flatten, next_help_heading = "What to explore (the run keeps it for `cleave resume`)")]
    pub kept: KeptOptions,
    /// Options for its beginning.
    #[command(flatten, next_help_heading = "How the run begins")]
    pub beginning: BeginningOptions,
    /// Options that `cleave resume` has as well.
    #[command(flatten, next_help_heading = "How to explore, and when to stop (of each session)")]
    pub exploration: ExplorationOptions,
    /// The program (an executable from `cleave cc`, a .bc, a .ll, or .c files, flags of the compiler in front of them), and
    /// its arguments, symbolic ones among them. Words after the program are the program's
    // One list, because only in one list do all options after the program go to it.
    #[arg(value_names = ["PROGRAM", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub program_and_arguments: Vec<OsString>,
}

/// Options that decide the set of paths. A test is a path of the program with these options and with no others.
#[derive(Clone, Debug, Args)]
pub struct PathOptions {
    /// Switch families of checks on or off, in this order, beginning with the defaults: NAME on, -NAME or no-NAME off,
    /// `all`, `none`. May be repeated; the names are listed below. Default is what is always a bug
    #[arg(long = "check", value_name = "NAME", value_delimiter = ',', allow_hyphen_values = true,
        value_parser = values::check)]
    pub check: Vec<String>,
    /// Report data races between threads, as C11 has them, and end each path in its first one: the same as --check race. Default is to
    /// look for them where orders are explored (--explore-schedules), and to explore the orders behind them
    #[arg(long)]
    pub races: bool,
    /// Let calls of malloc, calloc, realloc and what calls them (strdup, fopen, ...) fail, at most N times on a path (1 where
    /// no N is given). Each such call is then a decision, up to the last one that fails. Default is that they fail only
    /// where no memory is left
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub fail_malloc: Option<u32>,
    /// Report a bug where more than N functions are running at once. Default is what fits the 8 MiB of stack that Linux gives
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_stack_frames: Option<u32>,
    /// An object whose size depends on the input (malloc, calloc, realloc, arrays of variable length) is one object on one path
    /// up to this size, and another one above it; of arrays, in 32 bits, and with less than 4096, larger sizes are a path each.
    /// A copy or fill of such a length (memcpy, memmove, memset), or the write of a byte at such an index, is one operation on
    /// up to so many bytes (above 4096: an eighth of it, at least 4096). 0 makes each size and length a path. Default is 4096
    #[arg(long, value_name = "BYTES", default_value_t = MAX_SYMBOLIC_SIZE, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=1 << 20))]
    pub max_symbolic_size: u64,
    /// A read of known values at an index that depends on the input is one read of a table of at most N entries; above it the
    /// index is a path for each value. Default is 4194304
    #[arg(long, value_name = "N", default_value_t = Limits::default().table_entries, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(256..=1 << 28))]
    pub max_table_entries: u64,
    /// A read of other values at such an index is a choice among at most N places of different contents, and a write of more
    /// than a byte changes at most N bytes; above it the index is a path for each value. Default is 256
    #[arg(long, value_name = "N", default_value_t = Limits::default().choices, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub max_choices: u64,
    /// An index may come out of a read at an index that depends on the input, and that one out of another: up to N reads, one
    /// within the other (one less of at most 16 places), stay one path if the program branches on them; above it the innermost
    /// index is a path for each value. Default is 1
    #[arg(long, value_name = "N", default_value_t = Limits::default().nested_reads, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=1 << 16))]
    pub max_nested_reads: u64,
    /// Join what inputs do differently where it meets again, instead of exploring a path for each way there: a path then stands
    /// for a class of inputs, and a test of it is one of them. off: each way is a path. Default is off
    #[arg(long, value_name = "on|off", value_enum, default_value_t = OnOff::Off, hide_default_value = true, hide_possible_values = true)]
    pub merge: OnOff,
    /// Execute functions that run often as machine code while what they compute with is known. The paths, their counts of
    /// instructions, coverage and bugs are the same. Not in programs with threads, nor with --merge on. Default is off
    #[arg(long, value_name = "on|off", value_enum, default_value_t = OnOff::Off, hide_default_value = true, hide_possible_values = true)]
    pub jit: OnOff,
    /// Where Cleave compiles C itself (a .c file as the program), leave out the checks of UndefinedBehaviorSanitizer (signed
    /// overflow, bounds of arrays in structures, shifts, alignment, ...), as `cleave cc` does without --checked. Default is
    /// to have them
    #[arg(long)]
    pub unchecked: bool,
    /// A flag of the compiler, for a .c file; flags like -O1, -I., -DX become these.
    #[arg(long, hide = true, allow_hyphen_values = true)]
    pub c_flag: Vec<String>,
    /// A further source; .c files behind the first become these.
    #[arg(long, hide = true)]
    pub c_source: Vec<PathBuf>,
    /// The longest input of a fuzz target, in bytes: a program with LLVMFuzzerTestOneInput and without main is given one of 0 to
    /// N symbolic bytes. Default is 64
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_FILE_LEN)))]
    pub max_len: Option<u32>,
    /// Begin with this function instead of main: its integers and structures are symbolic, each pointer is null or
    /// points to one symbolic object. A contract says more, for a function in C: 'parse(data[n], n <= 64, out, name: string <= 8)'; one
    /// in a comment above the function (//@ requires n <= 64) counts as well. Default is main
    #[arg(long, value_name = "FUNCTION", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub entry_point: Option<String>,
    /// Explore each public function of the sources in C as a run of its own, with the contract in its comment or a guess, and print a
    /// table; --max-time is for each of them. Default is one run
    #[arg(long, conflicts_with = "entry_point")]
    pub each_function: bool,
    /// Check the contracts in comments (//@ requires ..., ensures ...) of all functions around each call inside of the program.
    /// Default is to use only that of --entry-point
    #[arg(long)]
    pub check_contracts: bool,
    /// Let the contract in the comment above a function stand in the place of its code: a call checks what is required, and gives any
    /// result that is promised. May be repeated. Default is to execute the code
    #[arg(long, value_name = "FUNCTION")]
    pub use_contract: Vec<String>,
    /// The version that `cleave compare` compares the function with.
    #[arg(skip)]
    pub against: Option<Against>,
    /// Bytes of the objects that pointers of --entry-point's arguments point to. Default is 64
    #[arg(long, value_name = "BYTES", default_value_t = 64, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=1 << 24))]
    pub pointer_size: u64,
    /// Replace the function NAME by the function REPLACEMENT of the same type, in the program's own code; NAME may be a
    /// regular expression for whole names. The replacement itself and the C library still call the original. Where they
    /// take different arguments, give the call: 'pool_alloc(pool, n):malloc(n)'. malloc, calloc, realloc, aligned_alloc and
    /// free are there in every program. May be repeated. Default is to replace none
    #[arg(long, value_name = "NAME:REPLACEMENT", allow_hyphen_values = true)]
    pub function_alias: Vec<String>,
    /// Put an executable file NAME into the model's file system: who executes it runs the program FILE (an executable from
    /// `cleave cc`, a .bc, a .ll, or a .c file). NAME is a path; without a slash it means /bin/NAME and /usr/bin/NAME. FILE
    /// alone is put there under its own name. May be repeated. Default is that no program can be executed
    #[arg(long = "program", value_name = "NAME=FILE", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub executables: Vec<String>,
}

/// Options that decide the set of paths and the output about them: a run keeps them, because other values make another run.
#[derive(Clone, Debug, Args)]
pub struct KeptOptions {
    /// Checks, and the start of the program.
    #[command(flatten)]
    pub paths: PathOptions,
    /// Report an error for each path that ends in it, not once a place. Default is once a place
    #[arg(long)]
    pub all_errors: bool,
    /// Suppressions.
    #[command(flatten)]
    pub suppressing: SuppressingOptions,
    /// The files to write for a test, or none; the names are listed below. `summary.json` and `info` are always there.
    /// Default is ktest,err
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', value_parser = emit::known)]
    pub emit: Vec<String>,
    /// The tests that get these files: those that are the first to cover something or to show a bug (covering), all, those
    /// that show a bug (errors), none. The database has all tests whatever is written, and all commands work on them;
    /// `cleave tests export` writes others later. Default is covering
    #[arg(
        long,
        value_name = "WHICH",
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub tests: Which,
    /// The old way to say --emit err: no. Default is yes
    #[arg(long, value_name = "YES|NO", hide_possible_values = true, conflicts_with = "emit")]
    pub write_tests: Option<YesNo>,
}

/// Directory of a new run, and the regions that it begins with.
#[derive(Clone, Debug, Args)]
pub struct BeginningOptions {
    /// The run directory to make. Default is cleave-out-N in the working directory, with the first N that is
    /// free, and a link cleave-last to it
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
    /// Split the paths at these tests, or those of a run, into static ranges before starting; several follow one another
    /// or are separated by commas. Default is one range with all paths
    #[arg(long, value_name = "TEST", value_delimiter = ',', conflicts_with = "seed")]
    pub split_at: Vec<PathBuf>,
    /// Begin with these inputs: tests (.ktest), files for the program's symbolic standard input (or, without one, its first
    /// symbolic file), folders of them, like a fuzzer's, or runs, for all their tests. May be repeated. In concolic mode they
    /// are run first, in symbolic mode their paths are explored first and then what is near them. Default is to begin with
    /// zeros
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
    /// Keep the paths of this finished run of an older version of the program that execute nothing which differs, and explore
    /// the others. The options have to be the same. Default is to explore all paths
    #[arg(long, value_name = "RUN", conflicts_with_all = ["seed", "split_at", "no_stealing", "each_function"])]
    pub since: Option<PathBuf>,
    /// Split only into this many ranges, at tests drawn at random (by --random-seed) from those of --split-at. Default is to
    /// split at all of them
    #[arg(long, value_name = "N", requires = "split_at", value_parser = clap::value_parser!(u32).range(1..))]
    pub ranges: Option<u32>,
    /// Do not let idle workers steal from busy ones: static ranges, one after the other from a queue. Default is to
    /// steal
    #[arg(long = "static")]
    pub no_stealing: bool,
}

impl RunOptions {
    /// The program to explore.
    pub fn program(&self) -> &Path {
        Path::new(self.program_and_arguments.first().map_or(OsStr::new(""), |p| p))
    }

    /// Its arguments, without its own name.
    pub fn arguments(&self) -> &[OsString] {
        self.program_and_arguments.get(1..).unwrap_or_default()
    }
}

impl PathOptions {
    /// The checks that are on.
    pub fn checks(&self) -> Result<Checks, Failure> {
        let checks: Checks = self.check.join(",").parse().map_err(Failure::usage)?;
        Ok(if self.races { checks.with(Family::Race, true) } else { checks })
    }

    /// Sources and flags with which the program is compiled, if it is a source.
    pub fn build(&self, program: &Path) -> Result<Build, Failure> {
        let is_source = cleave_toolchain::source_language(program).is_some();
        if let Some(flag) = self.c_flag.first().filter(|_| !is_source) {
            return Err(Failure::usage(format!(
                "{flag} is a flag of the compiler, and {} is compiled already; give it to `cleave cc`, or the source to `cleave run`",
                program.display()
            )));
        }
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let more = self.c_source.iter().map(|path| absolute(path).display().to_string()).collect();
        Ok(Build { more, flags: anchored(&self.c_flag), checked: !self.unchecked, ..Build::default() })
    }
}

impl KeptOptions {
    /// The kinds of files that are written.
    pub fn outputs(&self) -> Result<Vec<String>, Failure> {
        if !self.emit.is_empty() {
            return emit::chosen(&self.emit);
        }
        let mut usual = emit::usual();
        usual.retain(|name| name != "ktest" || self.write_tests != Some(YesNo::No));
        Ok(usual)
    }
}

/// A switch with an explicit value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    /// On.
    Yes,
    /// Off.
    No,
}

/// A switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    /// It is on.
    On,
    /// It is off.
    Off,
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
pub mod tests {
    use super::*;
    use clap::Parser;

    /// The command as [`crate::cli::Cli`] has it.
    #[derive(Debug, Parser)]
    enum Own {
        Run(Box<RunOptions>),
    }

    /// The options of a command line without quotes.
    pub fn run_options(line: &str) -> RunOptions {
        let arguments = line.split_whitespace().map(OsString::from).collect();
        let Own::Run(options) = Own::try_parse_from(spread_split_at(arguments)).unwrap();
        *options
    }

    #[test]
    fn several_tests_may_follow_split_at_and_the_program_comes_after_them() {
        let tests = |options: RunOptions| options.beginning.split_at.len();
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
        let help = <Own as clap::CommandFactory>::command()
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

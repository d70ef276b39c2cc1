//! `cleave tests`: the order of tests, and which of them take the same path (Siddiqui and Khurshid, "Scaling
//! symbolic execution using ranged analysis", OOPSLA 2012, Algorithm 1).

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cleave_linux::env::Inputs;
use cleave_report::KTest;

use crate::commands::results::suites;
use crate::commands::results::suites::SuiteOptions;
use crate::commands::testing::follow::FollowOptions;
use crate::commands::testing::minimize::MinimizeOptions;
use crate::commands::testing::{follow, minimize};
use crate::export::{self, ExportOptions};
use crate::failure::Failure;
use crate::inputs::ktests::{
    LONGEST_PATH, command_line, from_ktest, same_environment, warn_of_other_program,
};
use crate::inputs::named_tests::{GivenTest, given_tests};
use crate::options::run::PathOptions;
use crate::process::output::Output;
use crate::programs::images;
use crate::programs::program_file;
use crate::sessions::saved;
use crate::sessions::saved::Saved;
use clap::{Args, Subcommand};
use cleave_explore::{Order, compare};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// Commands of `cleave tests`.
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
    /// Show what the tests of a run do, as the engine sees it: their ends, their output, the lines that they execute
    Follow(FollowOptions),
    /// Write a test for each region that a run has not explored: one that leads into it, or next to it
    Open(SuiteOptions),
    /// The same as `cleave tests export RUN DIR --to testcomp`
    Xml(SuiteOptions),
    /// Write tests of a run in the form that another tool takes
    Export(ExportOptions),
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

/// Options of `cleave tests compare` and `cleave tests sort`.
#[derive(Clone, Debug, Args)]
pub struct TestsOptions {
    /// Options that decide the set of paths.
    #[command(flatten)]
    pub paths: PathOptions,
    /// The program that the tests are for
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// Tests (.ktest), run directories, or folders with tests
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
}

/// Compares, sorts or makes tests.
pub fn tests(command: &TestsCommand) -> Result<ExitCode, Failure> {
    let mut out = Output::new();
    match command {
        TestsCommand::Compare(options) => {
            let groups = groups(options)?;
            let mut line = String::new();
            for (i, group) in groups.iter().enumerate() {
                if i > 0 {
                    line.push_str(" < ");
                }
                line.push_str(&names(group, " = "));
            }
            out.line(line)?;
        }
        TestsCommand::Sort(options) => {
            for group in groups(options)? {
                out.line(names(&group, " "))?;
            }
        }
        TestsCommand::Make(options) => make(options)?,
        TestsCommand::Minimize(options) => minimize::minimize(options)?,
        TestsCommand::Follow(options) => follow::follow(options)?,
        TestsCommand::Open(options) => suites::open(options)?,
        TestsCommand::Xml(options) => suites::xml(options)?,
        TestsCommand::Export(options) => export::export(options)?,
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

/// Writes concrete inputs as a test.
fn make(options: &MakeOptions) -> Result<(), Failure> {
    let read = |path: &Path| {
        std::fs::read(path).map_err(|e| Failure::new(format!("cannot read {}: {e}", path.display())))
    };
    let file = |given: &String| {
        let (name, path) = given
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--file {given}: give NAME=FILE, like A=notes.txt")))?;
        Ok((name.to_string(), read(Path::new(path))?))
    };
    let inputs = Inputs {
        args: options.arg.iter().map(|a| a.as_bytes().to_vec()).collect(),
        stdin: options.stdin.as_deref().map(read).transpose()?,
        files: options.file.iter().map(file).collect::<Result<_, Failure>>()?,
        data: None,
    };
    let (program, arguments) = options.program_and_arguments.split_first().expect("clap asks for a program");
    let saved = Saved::new(Path::new(program), arguments);
    let objects = saved.environment()?.objects_of(&inputs).map_err(Failure::usage)?;
    let test = KTest { args: saved.arguments, sym_argvs: 0, sym_argv_len: 0, objects };
    let bytes = test.to_bytes().map_err(Failure::new)?;
    std::fs::write(&options.output, bytes)
        .map_err(|e| Failure::new(format!("cannot write {}: {e}", options.output.display())))
}

/// The tests in the order of their paths, those of one path together.
fn groups(options: &TestsOptions) -> Result<Vec<Vec<PathBuf>>, Failure> {
    sort_tests(&options.program, given_tests(&options.tests)?, &options.paths)
}

fn names(group: &[PathBuf], between: &str) -> String {
    let names: Vec<String> = group.iter().map(|p| p.display().to_string()).collect();
    names.join(between)
}

/// The tests in the order of their paths, those of one path together.
fn sort_tests(
    program: &Path,
    tests: Vec<GivenTest>,
    paths: &PathOptions,
) -> Result<Vec<Vec<PathBuf>>, Failure> {
    program_file::check_program(program)?;
    let mut read = Vec::new();
    for test in tests {
        let ktest = test.read()?;
        let path = test.file().to_path_buf();
        warn_of_other_program(program, &path, &ktest);
        read.push((path, ktest));
    }
    // The environment is that of the first test: tests of one run share it.
    if let Some((other, ktest)) = read.iter().find(|(_, t)| !same_environment(&t.args, &read[0].1.args)) {
        return Err(Failure::new(format!(
            "the test {} is for another command line ({}) than {} ({}); give tests of one run",
            other.display(),
            command_line(ktest),
            read[0].0.display(),
            command_line(&read[0].1)
        )));
    }
    let arguments = read.first().map(|(_, t)| t.args.clone()).unwrap_or_default();
    let rest: Vec<OsString> = arguments.into_iter().skip(1).map(OsString::from_vec).collect();
    let saved = Saved::with(program, &rest, paths)?;
    let mut space = saved::space_of(images::load(program, &saved)?.program()?, &saved)?;
    let mut groups: Vec<(cleave_region::Test, Vec<PathBuf>)> = Vec::new();
    for (path, ktest) in read {
        let test = from_ktest(&ktest);
        let (mut lo, mut hi) = (0, groups.len());
        let mut same = None;
        while lo < hi && same.is_none() {
            let middle = (lo + hi) / 2;
            match compare(&mut space, &test, &groups[middle].0, LONGEST_PATH) {
                Some(Order::Smaller) => hi = middle,
                Some(Order::Bigger) => lo = middle + 1,
                Some(Order::Equivalent) => same = Some(middle),
                None => {
                    let path = path.display();
                    return Err(Failure::new(format!(
                        "the path of {path} is too long to be compared; leave it out"
                    )));
                }
            }
        }
        match same {
            Some(i) => groups[i].1.push(path),
            None => groups.insert(lo, (test, vec![path])),
        }
    }
    Ok(groups.into_iter().map(|(_, paths)| paths).collect())
}

//! `cleave tests`: the order of tests, and which of them take the same path (Siddiqui and Khurshid, "Scaling
//! symbolic execution using ranged analysis", OOPSLA 2012, Algorithm 1).

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cleave_linux::env::Inputs;
use cleave_report::KTest;

use crate::Failure;
use crate::options::{MakeOptions, TestsCommand, TestsOptions};
use crate::output::Output;
use crate::session::Saved;
use crate::{replay, seeds, wiring};

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
        TestsCommand::Minimize(options) => seeds::minimize(options)?,
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
    };
    let (program, arguments) = options.program_and_arguments.split_first().expect("clap asks for a program");
    let saved = Saved::new(Path::new(program), arguments, false, false);
    let objects = saved.environment()?.objects_of(&inputs).map_err(Failure::usage)?;
    let test = KTest { args: saved.arguments, sym_argvs: 0, sym_argv_len: 0, objects };
    let bytes = test.to_bytes().map_err(Failure::new)?;
    std::fs::write(&options.output, bytes)
        .map_err(|e| Failure::new(format!("cannot write {}: {e}", options.output.display())))
}

/// The tests in the order of their paths, those of one path together.
fn groups(options: &TestsOptions) -> Result<Vec<Vec<PathBuf>>, Failure> {
    wiring::sort_tests(&options.program, replay::test_files(&options.tests)?)
}

fn names(group: &[PathBuf], between: &str) -> String {
    let names: Vec<String> = group.iter().map(|p| p.display().to_string()).collect();
    names.join(between)
}

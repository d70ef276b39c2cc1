//! `cleave tests`: the order of tests, and which of them take the same path (Siddiqui and Khurshid, "Scaling
//! symbolic execution using ranged analysis", OOPSLA 2012, Algorithm 1).

use crate::Failure;
use crate::options::{TestsCommand, TestsOptions};
use crate::output::Output;
use crate::{replay, wiring};
use std::path::PathBuf;
use std::process::ExitCode;

/// Compares or sorts tests.
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
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

/// The tests in the order of their paths, those of one path together.
fn groups(options: &TestsOptions) -> Result<Vec<Vec<PathBuf>>, Failure> {
    wiring::sort_tests(&options.program, replay::test_files(&options.tests)?)
}

fn names(group: &[PathBuf], between: &str) -> String {
    let names: Vec<String> = group.iter().map(|p| p.display().to_string()).collect();
    names.join(between)
}

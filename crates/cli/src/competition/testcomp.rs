//! `cleave testcomp`: a suite of tests, written while the task is explored.

use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use cleave_region::BugKind;
use cleave_report::{SuiteMetadata, suite_metadata};

use super::options::TaskOptions;
use super::property::Property;
use super::task::{TaskRun, answer, stop_at};
use crate::failure::Failure;

/// The folder of the suite, as the competition has it.
const SUITE: &str = "test-suite";

/// Writes a suite for a task. The last line is `DONE`, or `ERROR` behind a sentence.
///
/// # Errors
/// If the property is none of Test-Comp, or the folder cannot be made.
pub fn testcomp(options: &TaskOptions) -> Result<ExitCode, Failure> {
    let asked = options.asked()?;
    let mut words = match asked.property {
        Property::CoverError => {
            let mut words = stop_at(&[BugKind::Reported]);
            words.push("--tests=errors".into());
            words
        }
        Property::CoverBranches => vec!["--tests=covering".into(), "--until-covered".into()],
        _ => {
            return Err(Failure::usage(format!(
                "{} asks for no tests; give a property of Test-Comp, or use `cleave svcomp`",
                options.property.display()
            )));
        }
    };
    let hash = TaskOptions::hash(options.source())?;
    let suite = options.output.join(SUITE);
    options.make_output(&suite)?;
    let metadata = SuiteMetadata {
        program: &options.source().display().to_string(),
        hash: &hash,
        specification: &asked.text,
        bits: options.bits(),
        made: SystemTime::now(),
    };
    put(&suite.join("metadata.xml"), &suite_metadata(&metadata))?;
    words.extend(["--emit=testcomp".into(), format!("--suite={}", suite.display())]);
    // A path into anything undefined goes on, as it does natively; endless ones end.
    words.extend(["--check=none", "--check=termination", "--check=deadlock"].map(String::from));
    match TaskRun::explore(options, &words, &[], &[]) {
        Ok(_) => {
            answer("DONE")?;
            Ok(ExitCode::SUCCESS)
        }
        Err(failure) => {
            let code = failure.report();
            answer("ERROR")?;
            Ok(code)
        }
    }
}

fn put(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text)
        .map_err(|e| Failure::new(format!("cannot write {}: {e}; give another --output", file.display())))
}

//! `cleave explain`: the path of a test as source lines, the conditions on its inputs, and which bytes its end depends on.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cleave_campaign::Store;
use cleave_region::Test;
use serde_json::json;

use crate::explain::{Explainer, Shown, json as as_json, text};
use crate::failure::Failure;
use crate::inputs::ktests::{check_command_line, from_ktest};
use crate::inputs::named_tests::given_test;
use crate::process::output::Output;
use crate::programs::sources::Sources;
use crate::sessions::run_dir::{recorded, test_of};
use crate::sessions::saved::Saved;

/// Maximum number of other tests with the same bug that are read: the search for the smallest input begins with them.
const MOST_OTHERS: usize = 1000;

/// Options of `cleave explain`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: cleave explain cleave-last 2")]
pub struct ExplainOptions {
    /// A folder with sources of the program, for files that are not where they were compiled. May be repeated. Default is
    /// where debug information says, the program's folder and those above it
    #[arg(long, value_name = "DIR")]
    pub source: Vec<PathBuf>,
    /// Show all lines and conditions of a long path. Default is its start and its end
    #[arg(long)]
    pub all: bool,
    /// Print JSON, a line for each test. Default is text
    #[arg(long)]
    pub json: bool,
    /// Instructions of changed tests that are followed to see which bytes matter (like 500000000). Bytes for which that does
    /// not suffice are said to be unknown. Default is 1000000000
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000, hide_default_value = true)]
    pub max_instructions: u64,
    /// The run directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Tests: their numbers, as `cleave list` has them, or files (.ktest)
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
}

/// A test that was asked for, and others that end in its bug.
struct Asked {
    name: String,
    test: Test,
    others: Vec<Test>,
}

/// Prints the explanations.
pub fn explain(options: &ExplainOptions) -> Result<ExitCode, Failure> {
    let (store, saved, image) = recorded(&options.directory)?;
    let sources = Sources::new(&options.source, Path::new(&store.meta()?.program));
    let mut explainer = Explainer::new(&image, &saved, options.max_instructions)?;
    let mut out = Output::new();
    for (i, test) in options.tests.iter().enumerate() {
        let asked = asked_for(test, &store, &saved)?;
        let explanation = explainer.explain(&asked.test, &asked.others);
        if options.json {
            let mut value = as_json(&explanation, Some(&sources));
            value["test"] = json!(asked.name);
            out.line(value)?;
            continue;
        }
        if i > 0 {
            out.line("")?;
        }
        out.line(format_args!("test {}", asked.name))?;
        for line in text(&explanation, &Shown { sources: &sources, all: options.all }) {
            out.line(line)?;
        }
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

fn asked_for(given: &Path, store: &Store, saved: &Saved) -> Result<Asked, Failure> {
    let name = given.display().to_string();
    let Some(id) = given.to_str().and_then(|text| text.parse::<u64>().ok()) else {
        let ktest = given_test(given)?.read()?;
        check_command_line(given, &ktest, &saved.arguments)?;
        return Ok(Asked { name, test: from_ktest(&ktest), others: Vec::new() });
    };
    let missing = || Failure::new(format!("there is no test {id} in the run; cleave list names its tests"));
    let path = store.path(id)?.ok_or_else(missing)?;
    let (test, bug) = (test_of(id, &path.record)?, path.bug);
    let mut others = Vec::new();
    if bug.is_some() {
        store.each_path::<Failure>(0, |path| {
            if path.bug == bug && path.id != id && others.len() < MOST_OTHERS {
                others.push(test_of(path.id, &path.record)?);
            }
            Ok(())
        })?;
    }
    Ok(Asked { name, test, others })
}

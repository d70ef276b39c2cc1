//! `cleave coverage`: lines, branches and functions of the program that the tests of a run cover.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use cleave_campaign::{Coverage, Store};
use cleave_coverage::{Count, Map, Marks, Tally};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::findings::test_coverage::Follower;
use crate::process::output::Output;
use crate::programs::loading::Image;
use crate::sessions::run_dir::{recorded, test_of};
use crate::sessions::saved::Saved;

/// Options of `cleave coverage`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: cleave coverage cleave-last")]
pub struct CoverageOptions {
    /// Only what these tests cover, by number. Default is all tests
    #[arg(long, value_name = "TEST", value_delimiter = ',')]
    pub tests: Vec<u64>,
    /// Only print the numbers of few tests that cover what all tests cover. Default is to print what is covered
    #[arg(long, conflicts_with_all = ["tests", "json"])]
    pub minimal: bool,
    /// Print JSON: each line, function and branch. Default is a table of files
    #[arg(long)]
    pub json: bool,
    /// The run directory. Default is cleave-last
    #[arg(value_name = "DIR", default_value = "cleave-last", hide_default_value = true)]
    pub directory: PathBuf,
}

/// Prints the coverage.
pub fn coverage(options: &CoverageOptions) -> Result<ExitCode, Failure> {
    let (store, saved, image) = recorded(&options.directory)?;
    if options.minimal {
        let mut out = Output::new();
        for id in Follower::new(&image, &saved)?.minimal(&store, None)? {
            out.line(id)?;
        }
        out.end()?;
        return Ok(ExitCode::SUCCESS);
    }
    let map = Arc::new(Map::new(&image.program()?));
    let marks = if options.tests.is_empty() {
        store.marks()?
    } else {
        of_tests(&options.tests, &store, &saved, &image)?
    };
    let mut tally = Tally::new(map.clone());
    for mark in marks.iter() {
        tally.add(mark);
    }
    let mut out = Output::new();
    if options.json {
        let counts = Coverage::from(tally.counts());
        out.line(serde_json::to_string_pretty(&as_json(&map, &marks, &counts)).map_err(Failure::new)?)?;
    } else {
        for line in table(&map, &marks) {
            out.line(line)?;
        }
        let counts = tally.counts();
        let all =
            [("lines", counts.lines), ("branch sides", counts.branches), ("functions", counts.functions)];
        for (what, Count { covered, total }) in all {
            out.line(format_args!("{covered} of {total} {what} are covered"))?;
        }
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

/// Marks that some tests of a run cover.
fn of_tests(tests: &[u64], store: &Store, saved: &Saved, image: &Image) -> Result<Marks, Failure> {
    let mut follower = Follower::new(image, saved)?;
    let mut all = Marks::default();
    for id in tests {
        let missing = || Failure::new(format!("the run has no test {id}; see `cleave list`"));
        let path = store.path(*id)?.ok_or_else(missing)?;
        let marks = follower.marks(&test_of(*id, &path.record)?).ok_or_else(|| {
            Failure::new(format!("the path of test {id} is too long to be followed; leave it out"))
        })?;
        all.extend(marks.iter());
    }
    Ok(all)
}

fn as_json(map: &Map, marks: &Marks, counts: &Coverage) -> Value {
    let functions: Vec<Value> = map
        .functions(marks)
        .into_iter()
        .map(|f| {
            let (file, line) = f.defined.clone().unwrap_or_default();
            json!({"function": f.name, "file": file, "line": line, "covered": f.covered,
                   "lines": f.lines.len(), "lines_covered": f.lines_covered()})
        })
        .collect();
    let branches: Vec<Value> = map
        .branches(marks)
        .into_iter()
        .map(|b| {
            let (file, line) = b.place.unwrap_or_default();
            json!({"file": file, "line": line, "function": b.function, "taken": b.taken})
        })
        .collect();
    let mut all =
        json!({"counts": counts, "files": map.lines(marks), "functions": functions, "branches": branches});
    if !map.programs().is_empty() {
        all["programs"] = json!(map.programs());
    }
    all
}

fn table(map: &Map, marks: &Marks) -> Vec<String> {
    let mut branches: BTreeMap<String, Count> = BTreeMap::new();
    for branch in map.branches(marks) {
        let (file, _) = branch.place.unwrap_or_default();
        let count = branches.entry(file).or_default();
        count.total += branch.taken.len() as u64;
        count.covered += branch.taken.iter().filter(|taken| **taken).count() as u64;
    }
    let mut rows = vec![["lines".to_string(), "branch sides".into(), "file".into()]];
    for (file, lines) in map.lines(marks) {
        let covered = lines.values().filter(|covered| **covered).count();
        let Count { covered: taken, total } = branches.get(&file).copied().unwrap_or_default();
        let programs = map.programs().get(&file).into_iter().flatten().cloned().collect::<Vec<_>>();
        let whose = if programs.is_empty() { String::new() } else { format!("  ({})", programs.join(", ")) };
        rows.push([format!("{covered}/{}", lines.len()), format!("{taken}/{total}"), file + &whose]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    rows.iter().map(|[lines, sides, file]| format!("{lines:>first$}  {sides:>second$}  {file}")).collect()
}

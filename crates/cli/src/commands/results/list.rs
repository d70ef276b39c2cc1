//! `cleave list`: tests, bugs and open regions of a run.

use crate::failure::Failure;
use crate::options::DirectoryOptions;
use crate::process::number_words::counted;
use crate::process::output::Output;
use crate::sessions::run_dir::{hex, opened};
use cleave_region::PathKind;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// One line of the listing; in JSON, `record` names its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "record", rename_all = "lowercase")]
pub enum Record {
    /// A path that has ended, with its test.
    Test(TestRecord),
    /// A place where paths end in an error.
    Bug(BugRecord),
    /// Paths that are not explored yet.
    Region(RegionRecord),
}

/// A path that has ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestRecord {
    /// Number of the test in its run, from 1; also in its file's name.
    pub id: u64,
    /// A stable digest of the path's decisions, in hexadecimal.
    pub path: String,
    /// Number of decisions.
    pub depth: u32,
    /// Kind of its end: `completed`, `failed`, `cut`, `unknown` or `unsupported`.
    pub kind: String,
    /// The foretold exit status, if the program ended by itself.
    pub exit_status: Option<i32>,
    /// SHA-256 of the foretold standard output, in hexadecimal.
    pub stdout_sha256: Option<String>,
    /// The kind of error, by name.
    pub bug: Option<String>,
    /// The message of its error, if there is one.
    pub message: Option<String>,
    /// Places where the outcome depends on the addresses of objects; with one of them, the forecast is not certain.
    pub addresses: Vec<String>,
}

/// An error, once a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BugRecord {
    /// The kind, by name.
    pub kind: String,
    /// The message of the error.
    pub message: String,
    /// File and line, where known.
    pub place: String,
    /// Number of a test that triggers it.
    pub test: u64,
    /// Paths that end in it.
    pub paths: u64,
    /// Kind of these paths: `failed` for a bug; else `unsupported` or `suppressed`.
    pub counts_as: String,
}

/// Paths that are not explored yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegionRecord {
    /// Number of the region in its run.
    pub id: u64,
    /// Its start and its end, in words.
    pub range: String,
    /// `open` or `leased`; set aside: `unknown`, `cut`, `diverged`, `crashed`.
    pub state: String,
    /// Reason why it is set aside; for a diverged region, with the decisions around the difference.
    pub reason: Option<String>,
}

/// Prints the listing.
pub fn list(options: &DirectoryOptions) -> Result<ExitCode, Failure> {
    let mut out = Output::new();
    if options.json {
        records(&options.directory, &mut |record| {
            let line = serde_json::to_string(record).map_err(Failure::new)?;
            out.line(line)
        })?;
    } else {
        let mut last_heading = "";
        records(&options.directory, &mut |record| {
            let heading = heading(record);
            if heading != last_heading {
                out.line(heading)?;
                last_heading = heading;
            }
            out.line(row(record))
        })?;
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

/// Gives tests, then bugs, then open regions of a run to `each`.
fn records(directory: &Path, each: &mut dyn FnMut(&Record) -> Result<(), Failure>) -> Result<(), Failure> {
    let store = opened(directory)?;
    store.each_path::<Failure>(0, |path| {
        let r = &path.record;
        // Such a path has no test file.
        if r.kind == PathKind::AssumedAway {
            return Ok(());
        }
        each(&Record::Test(TestRecord {
            id: path.id,
            path: r.digest.to_string(),
            depth: r.depth,
            kind: r.kind.name().into(),
            exit_status: r.exit_status,
            stdout_sha256: Some(hex(&r.stdout_sha256)),
            bug: r.bug.as_ref().map(|b| b.kind.clone()),
            message: r.bug.as_ref().map(|b| b.message.clone()),
            addresses: r.addresses.clone(),
        }))
    })?;
    let mut bugs = store.bugs()?;
    bugs.sort_by_key(|bug| bug.path_kind);
    for bug in bugs {
        each(&Record::Bug(BugRecord {
            kind: bug.record.kind,
            message: bug.record.message,
            place: bug.record.place,
            test: bug.first_path,
            paths: bug.paths,
            counts_as: bug.path_kind.name().into(),
        }))?;
    }
    store.each_region::<Failure>(|region| {
        let range = region.region.to_string();
        each(&Record::Region(RegionRecord {
            id: region.id,
            range,
            state: region.state,
            reason: region.reason,
        }))
    })
}

fn heading(record: &Record) -> &'static str {
    match record {
        Record::Test(_) => "   test  depth  kind         status  path              what",
        Record::Bug(b) if b.counts_as == "unsupported" => "not modelled",
        Record::Bug(b) if b.counts_as == "suppressed" => "suppressed",
        Record::Bug(_) => "bugs",
        Record::Region(_) => "open regions",
    }
}

fn row(record: &Record) -> String {
    match record {
        Record::Test(t) => {
            let status = t.exit_status.map_or_else(|| "-".into(), |s| s.to_string());
            let path: String = t.path.chars().take(16).collect();
            let mut what = t.message.as_deref().or(t.bug.as_deref()).unwrap_or("").to_owned();
            if !t.addresses.is_empty() {
                let and = if what.is_empty() { "" } else { "; " };
                what.push_str(&format!("{and}depends on addresses at {}", t.addresses.join(", ")));
            }
            format!("{:>7}  {:>5}  {:<11}  {status:>6}  {path:<16}  {what}", t.id, t.depth, t.kind)
                .trim_end()
                .to_owned()
        }
        Record::Bug(b) => {
            format!("{:>7}  {}: {} at {} ({})", b.test, b.kind, b.message, b.place, counted(b.paths, "path"))
        }
        Record::Region(r) => {
            let first = r.reason.as_deref().and_then(|reason| reason.lines().next());
            let reason = first.map_or_else(String::new, |reason| format!("\n{:9}{reason}", ""));
            format!("{:>7}  {}: {}{reason}", r.id, r.state, r.range)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_one_json_object_with_the_names_that_tools_expect() {
        let test = TestRecord {
            id: 7,
            path: "00ff00ff00ff00ff00ff".into(),
            depth: 12,
            kind: "completed".into(),
            exit_status: Some(1),
            stdout_sha256: Some("ab".into()),
            bug: None,
            message: None,
            addresses: Vec::new(),
        };
        let record = Record::Test(test);
        let json: serde_json::Value = serde_json::to_value(&record).unwrap();
        for name in ["record", "id", "path", "depth", "kind", "exit_status", "stdout_sha256", "bug"] {
            assert!(json.get(name).is_some(), "{name}");
        }
        assert_eq!(row(&record), "      7     12  completed         1  00ff00ff00ff00ff");
    }
}

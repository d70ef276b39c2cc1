//! Bugs as SARIF 2.1.0, which GitHub and other viewers of findings show: each with its stack, the decisions on the way of a test
//! that shows it, and that test.

use std::collections::BTreeMap;
use std::path::Path;

use cleave_campaign::{Account, Store};
use cleave_program::code::Program;
use cleave_region::{BugKind, FrameRecord, Test};
use serde_json::{Value, json};

use super::bugs::{Found, found};
use super::source_names::{Places, uri};
use super::{Format, Wanted};
use crate::failure::Failure;
use crate::findings::gaps::gaps;
use crate::findings::test_coverage::{Follower, Line, own_line};
use crate::programs::sources::Sources;
use crate::sessions::run_dir::recorded;
use crate::sessions::saved::OldBug;
use crate::sessions::since_account::bug_changes;
use crate::sessions::verdict::Verdict;

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "sarif",
    about: "SARIF 2.1.0: the bugs with stacks and the decisions on the way, for GitHub and other viewers",
    file: "report.sarif",
    make,
};

/// The working directory, from which sources are named.
const SOURCES: &str = "SRCROOT";
/// The run directory.
const RUN: &str = "RUN";
/// Maximum number of places that are shown on the way to a bug; of a longer way, the last ones.
const MOST_STEPS: usize = 500;

fn make(wanted: &Wanted<'_>) -> Result<Vec<u8>, Failure> {
    let (store, saved, image) = recorded(wanted.directory)?;
    let (account, program) = (store.account()?, image.program()?);
    let places = Places::new(Sources::new(wanted.sources, Path::new(&account.program)))?;
    let run = std::path::absolute(wanted.directory)
        .map_err(|e| Failure::new(format!("cannot find the run directory: {e}")))?;
    let mut follower = Follower::new(&image, &saved)?;
    let (mut results, mut known) = (Vec::new(), BTreeMap::new());
    let changes = saved.since.as_ref().map(|since| bug_changes(since, &store)).transpose()?;
    for found in found(&store)? {
        let steps = steps(&mut follower, &program, &found.test);
        let mut result = result(&found, &steps, &places, &run);
        // The fingerprint is the bug's number among those of its kind in its function. Lines and messages are no part of it:
        // other changes of the source move them.
        let function = found.frame().map_or("", |frame| &frame.function);
        let kind = format!("{}:{function}", found.kind.name());
        let same: &mut u64 = known.entry(kind.clone()).or_default();
        *same += 1;
        result["partialFingerprints"] = json!({"cleaveBug/v1": format!("{kind}:{same}")});
        if let Some(changes) = &changes {
            let state = if changes.new.contains(&found.bug.id) { "new" } else { "unchanged" };
            result["baselineState"] = json!(state);
        }
        results.push(result);
    }
    results.extend(changes.iter().flat_map(|changes| &changes.fixed).map(|bug| absent(bug, &places)));
    let base = |folder: &Path| json!({"uri": format!("file://{}/", uri(&folder.display().to_string()))});
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "Cleave",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": BugKind::ALL.iter().map(|kind| rule(*kind)).collect::<Vec<_>>(),
            }},
            "invocations": [invocation(&store, &account)?],
            "originalUriBaseIds": {SOURCES: base(places.here()), RUN: base(&run)},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut text = serde_json::to_vec_pretty(&log).map_err(Failure::new)?;
    text.push(b'\n');
    Ok(text)
}

fn rule(kind: BugKind) -> Value {
    let headline = kind.headline();
    json!({
        "id": kind.name(),
        "shortDescription": {"text": headline},
        "fullDescription": {"text": format!("{headline}: a path of the program ends in it, and a test shows it.")},
        "help": {"text": kind.advice()},
        "defaultConfiguration": {"level": kind.level().name()},
    })
}

/// The verdict of the run, with notes about unexplored paths.
fn invocation(store: &Store, account: &Account) -> Result<Value, Failure> {
    let notes: Vec<Value> = gaps(store, account)?
        .iter()
        .map(|gap| json!({"level": "warning", "message": {"text": format!("not explored: {}", gap.line())}}))
        .collect();
    Ok(json!({
        "executionSuccessful": account.internal_errors.is_empty(),
        "exitCodeDescription": Verdict::of(account).name(),
        "toolExecutionNotifications": notes,
    }))
}

fn result(found: &Found, steps: &[(Line, u64)], places: &Places, run: &Path) -> Value {
    let (bug, kind) = (&found.bug, found.kind);
    let index = BugKind::ALL.iter().position(|known| *known == kind);
    let frame = found.frame();
    let here = frame.map_or_else(|| json!({}), |frame| location(frame, places));
    let paths = if bug.paths == 1 { "path ends" } else { "paths end" };
    let text = format!(
        "{}. An input that shows it: {} (test {}; {} {paths} here). {}",
        found.message(),
        found.input(),
        bug.first_path,
        bug.paths,
        kind.advice()
    );
    let frames: Vec<Value> =
        bug.record.trace.iter().map(|frame| json!({"location": location(frame, places)})).collect();
    let mut flow: Vec<Value> = steps.iter().map(|(line, n)| step(line, *n, places)).collect();
    let mut end = here.clone();
    end["message"] = json!({"text": found.message()});
    flow.push(json!({"location": end, "importance": "essential"}));
    let mut result = json!({
        "ruleId": kind.name(),
        "ruleIndex": index,
        "level": kind.level().name(),
        "kind": "fail",
        "message": {"text": text},
        "locations": [here],
        "stacks": [{"message": {"text": "the calls that lead to it"}, "frames": frames}],
        "codeFlows": [{
            "message": {"text": format!("the decisions that depend on the input, on the way of test {}", bug.first_path)},
            "threadFlows": [{"locations": flow}],
        }],
        "occurrenceCount": bug.paths.max(1),
        "properties": {"test": bug.first_path, "paths": bug.paths},
    });
    let file = format!("tests/test{:06}.ktest", bug.first_path);
    if run.join(&file).is_file() {
        let at = json!({"uri": file, "uriBaseId": RUN});
        result["attachments"] =
            json!([{"description": {"text": "the input, as KLEE's test file"}, "artifactLocation": at}]);
    }
    result
}

/// A bug of the run that this one began with, which is gone.
fn absent(bug: &OldBug, places: &Places) -> Value {
    let OldBug { kind, place, function, message, .. } = bug;
    let mut location = json!({"logicalLocations": [{"name": function, "kind": "function"}]});
    if let Some((file, line)) = place.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        location["physicalLocation"] = physical(file, line, places);
    }
    json!({
        "ruleId": kind,
        "kind": "fail",
        "baselineState": "absent",
        "message": {"text": message},
        "locations": [location],
    })
}

/// A place at which the input decides, `n` times one after the other.
fn step((file, line): &Line, n: u64, places: &Places) -> Value {
    let text =
        if n == 1 { "the input decides here".into() } else { format!("the input decides here, {n} times") };
    json!({
        "location": {"physicalLocation": physical(file, *line, places), "message": {"text": text}},
        "kinds": ["branch"],
        "importance": "important",
    })
}

fn location(frame: &FrameRecord, places: &Places) -> Value {
    let mut location = json!({"logicalLocations": [{"name": frame.function, "kind": "function"}]});
    if !frame.file.is_empty() {
        location["physicalLocation"] = physical(&frame.file, frame.line, places);
    }
    location
}

fn physical(file: &str, line: u32, places: &Places) -> Value {
    let whole = places.whole(file);
    let artifact = match places.below(file) {
        Some(below) => json!({"uri": uri(&below), "uriBaseId": SOURCES}),
        None if whole.starts_with('/') => json!({"uri": format!("file://{}", uri(&whole))}),
        // The file was not found.
        None => json!({"uri": uri(&whole)}),
    };
    if line == 0 {
        return json!({"artifactLocation": artifact});
    }
    json!({"artifactLocation": artifact, "region": {"startLine": line}})
}

/// The lines at which the input decides, on the way of a test, each with the number of decisions there in a row.
fn steps(follower: &mut Follower, program: &Program, test: &Test) -> Vec<(Line, u64)> {
    let mut steps: Vec<(Line, u64)> = Vec::new();
    follower.follow(
        test,
        |passing| {
            let line = own_line(program, passing.state);
            match steps.last_mut() {
                Some((last, n)) if *last == line => *n += 1,
                _ if line.1 > 0 => steps.push((line, 1)),
                _ => {}
            }
        },
        |_, _| (),
    );
    let from = steps.len().saturating_sub(MOST_STEPS);
    steps.split_off(from)
}

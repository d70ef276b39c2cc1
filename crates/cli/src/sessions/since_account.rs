//! The account and the last lines of a run, as far as they are about the one that it began with: paths that it kept, bugs that are new,
//! fixed or unchanged.

use cleave_campaign::{Store, StoredBug};
use cleave_region::{BugRecord, PathKind};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::process::number_words::counted;
use crate::sessions::saved::{OldBug, Since};

/// The bugs in which paths of a run end.
///
/// # Errors
/// Those of the database.
pub fn bugs_of_paths(store: &Store) -> Result<Vec<StoredBug>, Failure> {
    Ok(store.bugs()?.into_iter().filter(|bug| bug.path_kind == PathKind::Failed).collect())
}

/// A bug of the old run.
pub fn old_bug(bug: StoredBug) -> OldBug {
    let function = function_of(&bug.record);
    let BugRecord { kind, message, place, .. } = bug.record;
    OldBug { kind, place, function, message, now: None }
}

/// The function that a bug is in: that of its place.
fn function_of(bug: &BugRecord) -> String {
    let here = |f: &&cleave_region::FrameRecord| {
        format!("{}:{}", f.file, f.line) == bug.place || f.function == bug.place
    };
    let frame = bug.trace.iter().find(here).or(bug.trace.first());
    frame.map_or_else(String::new, |frame| frame.function.clone())
}

/// The bugs of a run beside those of the run it began with.
#[derive(Default)]
pub struct BugChanges {
    /// The numbers of bugs that were not there before.
    pub new: Vec<u64>,
    /// The numbers of bugs that were.
    pub unchanged: Vec<u64>,
    /// The bugs of the old run that are gone.
    pub fixed: Vec<OldBug>,
}

/// Compares the bugs of two versions: those that end the same kept paths, then those of the same kind and message in the same function.
///
/// # Errors
/// Those of the database.
pub fn bug_changes(since: &Since, store: &Store) -> Result<BugChanges, Failure> {
    let (mut changes, mut left) = (BugChanges::default(), since.bugs.clone());
    let is_kept =
        |old: &OldBug, bug: &BugRecord| old.kind == bug.kind && old.now.as_ref() == Some(&bug.place);
    let is_alike = |old: &OldBug, bug: &BugRecord| {
        old.now.is_none()
            && old.kind == bug.kind
            && old.function == function_of(bug)
            && old.message == bug.message
    };
    let mut others = Vec::new();
    for bug in bugs_of_paths(store)? {
        match left.iter().position(|old| is_kept(old, &bug.record)) {
            Some(i) => {
                left.remove(i);
                changes.unchanged.push(bug.id);
            }
            None => others.push(bug),
        }
    }
    for bug in others {
        match left.iter().position(|old| is_alike(old, &bug.record)) {
            Some(i) => {
                left.remove(i);
                changes.unchanged.push(bug.id);
            }
            None => changes.new.push(bug.id),
        }
    }
    changes.unchanged.sort_unstable();
    changes.fixed = left;
    Ok(changes)
}

/// The part of a run's account about the one it began with; `ended` is the number of its paths.
///
/// # Errors
/// Those of the database.
pub fn account_of(since: &Since, store: &Store, ended: u64) -> Result<Value, Failure> {
    let bugs = bug_changes(since, store)?;
    Ok(json!({
        "run": since.run,
        "changed": since.changed,
        "of": since.of,
        "kept": since.kept,
        "explored": ended.saturating_sub(since.kept),
        "reason": since.reason,
        "new_bugs": bugs.new.len(),
        "fixed_bugs": bugs.fixed.len(),
        "unchanged_bugs": bugs.unchanged.len(),
    }))
}

/// The last lines of a run about the one it began with; `ended` is the number of its paths.
///
/// # Errors
/// Those of the database.
pub fn lines(since: &Since, store: &Store, ended: u64) -> Result<Vec<String>, Failure> {
    const NAMES: usize = 5;
    let changes = bug_changes(since, store)?;
    let n = since.changed.len();
    let mut names = since.changed.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    if n > NAMES {
        names.push_str(&format!(" and {} more", n - NAMES));
    }
    let differ = match n {
        0 => "no function differs".to_string(),
        1 => format!("1 function differs ({names})"),
        n => format!("{n} functions differ ({names})"),
    };
    let kept = match &since.reason {
        Some(reason) => format!("no path is kept, because {reason}"),
        None => format!(
            "{} of its {} kept, {} explored",
            since.kept,
            counted(since.of, "path"),
            ended.saturating_sub(since.kept)
        ),
    };
    let bugs = format!(
        "bugs: {} new, {} fixed, {} unchanged",
        changes.new.len(),
        changes.fixed.len(),
        changes.unchanged.len()
    );
    let mut lines = vec![format!("since {}: {differ}; {kept}; {bugs}", since.run)];
    lines.extend(
        changes.fixed.iter().map(|bug| format!("  fixed: {}: {} ({})", bug.place, bug.message, bug.kind)),
    );
    Ok(lines)
}

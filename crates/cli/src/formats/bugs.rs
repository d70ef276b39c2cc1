//! The bugs of a run, each with its place and a test that shows it.

use std::collections::BTreeMap;
use std::fmt::Write;

use cleave_campaign::{Store, StoredBug};
use cleave_region::{BugKind, FrameRecord, PathKind, Test};

use crate::failure::Failure;
use crate::sessions::run_dir::test_of;

/// A bug.
pub(super) struct Found {
    pub(super) bug: StoredBug,
    pub(super) kind: BugKind,
    /// The first test into it.
    pub(super) test: Test,
}

/// All that count as bugs, by number.
pub(super) fn found(store: &Store) -> Result<Vec<Found>, Failure> {
    let mut bugs: BTreeMap<u64, StoredBug> = BTreeMap::new();
    let failed = store.bugs()?.into_iter().filter(|bug| bug.path_kind == PathKind::Failed);
    bugs.extend(failed.map(|bug| (bug.first_path, bug)));
    let mut found = Vec::new();
    store.each_path::<Failure>(0, |path| {
        if let Some(bug) = bugs.remove(&path.id) {
            let kind = BugKind::from_name(&bug.record.kind).unwrap_or(BugKind::Reported);
            found.push(Found { bug, kind, test: test_of(path.id, &path.record)? });
        }
        Ok(())
    })?;
    found.sort_by_key(|found| found.bug.id);
    Ok(found)
}

impl Found {
    /// The frame that the bug is known by: the innermost of the program, not of its C library.
    pub(super) fn frame(&self) -> Option<&FrameRecord> {
        let record = &self.bug.record;
        let here =
            |f: &&FrameRecord| format!("{}:{}", f.file, f.line) == record.place || f.function == record.place;
        record.trace.iter().find(here).or(record.trace.first())
    }

    /// The bug's message, or the headline of its kind.
    pub(super) fn message(&self) -> &str {
        if self.bug.record.message.is_empty() { self.kind.headline() } else { &self.bug.record.message }
    }

    /// The input that shows it, in words.
    pub(super) fn input(&self) -> String {
        let object = |o: &cleave_region::Object| format!("{} = \"{}\"", o.name, o.bytes.escape_ascii());
        let objects: Vec<String> = self.test.objects.iter().map(object).collect();
        if objects.is_empty() { "any".into() } else { objects.join(", ") }
    }

    /// The stack, a line each, the innermost function first.
    pub(super) fn stack(&self) -> String {
        let mut text = String::new();
        for (i, frame) in self.bug.record.trace.iter().enumerate() {
            let _ = write!(text, "#{i} {}({})", frame.function, frame.arguments);
            if !frame.file.is_empty() {
                let _ = write!(text, " at {}:{}", frame.file, frame.line);
            }
            text.push('\n');
        }
        text
    }
}

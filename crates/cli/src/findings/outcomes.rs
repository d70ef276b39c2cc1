//! Ends and outputs of tests in two versions of a program.

use std::collections::BTreeMap;
use std::path::Path;

use cleave_campaign::Store;
use cleave_program::demangled;
use cleave_region::{PathKind, PathRecord, Test};

use crate::failure::Failure;
use crate::findings::test_coverage::{Follower, MOST_TESTS};
use crate::programs::loading::Image;
use crate::sessions::run_dir::{opened, test_of};
use crate::sessions::saved::Saved;

/// The end of a path, in words that a change of lines leaves alone.
pub fn end_of<T>(record: &PathRecord<T>) -> String {
    match (&record.bug, record.exit_status, record.signal) {
        (Some(bug), ..) => match bug.trace.first() {
            Some(frame) => format!("{} in {}", bug.kind, demangled(&frame.function)),
            None => bug.kind.clone(),
        },
        (None, Some(status), _) => format!("exit {status}"),
        (None, None, Some(signal)) => format!("signal {signal}"),
        (None, None, None) => record.kind.name().to_string(),
    }
}

/// A test that ends otherwise than in an older version, or prints something else.
pub struct ChangedOutcome {
    /// The test of the older version.
    pub test: Test,
    /// Its end before and now, in words.
    pub ends: [String; 2],
}

/// The tests of an older version's run in the program of this one.
#[derive(Default)]
pub struct Outcomes {
    /// Number of tests that were followed, or are known to do the same.
    pub compared: u64,
    /// Those with another outcome.
    pub changed: Vec<ChangedOutcome>,
}

/// Compares the outcome of each test of an older version's run, as it is recorded there, with that in this program. Tests that both runs
/// have recorded alike are not followed, and of the others at most [`MOST_TESTS`].
///
/// # Errors
/// Those of the databases and the image.
pub fn changed_outcomes(
    old: &Path,
    store: &Store,
    saved: &Saved,
    image: &Image,
) -> Result<Outcomes, Failure> {
    let mut recorded = BTreeMap::new();
    store.each_path::<Failure>(0, |path| {
        recorded.insert(path.record.digest, (end_of(&path.record), path.record.stdout_sha256));
        Ok(())
    })?;
    let mut follower = Follower::new(image, saved)?;
    let (mut outcomes, mut followed) = (Outcomes::default(), 0);
    opened(old)?.each_path::<Failure>(0, |path| {
        let before = (end_of(&path.record), path.record.stdout_sha256);
        if path.record.kind == PathKind::AssumedAway {
            return Ok(());
        }
        if recorded.get(&path.record.digest) == Some(&before) {
            outcomes.compared += 1;
            return Ok(());
        }
        if followed == MOST_TESTS {
            return Ok(());
        }
        followed += 1;
        let test = test_of(path.id, &path.record)?;
        let Some((now, _)) = follower.record(&test) else { return Ok(()) };
        outcomes.compared += 1;
        let is_same = (end_of(&now), now.stdout_sha256) == before;
        if !is_same && now.kind != PathKind::AssumedAway {
            outcomes.changed.push(ChangedOutcome { test, ends: [before.0, end_of(&now)] });
        }
        Ok(())
    })?;
    Ok(outcomes)
}

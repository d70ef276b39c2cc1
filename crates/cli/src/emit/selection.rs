//! Selection of the tests that get files; the database has all tests.

use cleave_campaign::RecordedPath;
use cleave_region::PathKind;
use serde::{Deserialize, Serialize};

/// The words of `--tests`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
pub enum Which {
    /// Those that cover what no test before them does, and those that show a new bug or a new kind of what is not modelled.
    #[default]
    Covering,
    /// All.
    All,
    /// Those that show a new bug.
    Errors,
    /// None.
    None,
}

impl Which {
    /// Selection of runs that have not recorded one: versions before there was a choice wrote all tests.
    pub fn of_old_runs() -> Which {
        Which::All
    }

    /// Returns true if a path has files. A path that an assumption ended has none. With `all_errors`, each bug counts as new.
    pub fn has(self, path: &RecordedPath<'_>, all_errors: bool) -> bool {
        let shows_bug = path.record.kind == PathKind::Failed && (path.new_bug || all_errors);
        let shows_gap = path.record.kind == PathKind::Unsupported && path.new_bug;
        let wanted = match self {
            Which::Covering => path.covers || shows_bug || shows_gap,
            Which::All => true,
            Which::Errors => shows_bug,
            Which::None => false,
        };
        wanted && path.record.kind != PathKind::AssumedAway
    }
}

//! The database of a run with its totals, which are kept in memory so that no query of the database is needed for them.

use std::time::Duration;

use crate::accounting::account::{PathCounts, StopReason};
use crate::accounting::stats::Stats;
use crate::database::store::Store;

/// Sums over the sessions of a run.
#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) paths: PathCounts,
    pub(crate) bugs: u64,
    pub(crate) stats: Stats,
}

/// A run's database and totals, which the coordinator keeps in step.
pub(crate) struct Ledger {
    pub(crate) store: Store,
    pub(crate) totals: Totals,
    /// The session that was run: its number, the time from its start to the end of exploring, and the reason of the stop.
    pub(crate) session: Option<(i64, Duration, StopReason)>,
}

impl Ledger {
    /// The ledger of a run with these totals.
    pub(crate) fn new(store: Store, totals: Totals) -> Ledger {
        Ledger { store, totals, session: None }
    }
}

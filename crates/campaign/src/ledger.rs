//! What a run has so far: its database, and the totals that nobody needs to ask the database for.

use std::time::Duration;

use crate::account::{PathCounts, StopReason};
use crate::stats::Stats;
use crate::store::Store;

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
    /// The session that was run: its number, when it stopped exploring, since its start, and why.
    pub(crate) session: Option<(i64, Duration, StopReason)>,
}

impl Ledger {
    /// The ledger of a run that has these totals.
    pub(crate) fn new(store: Store, totals: Totals) -> Ledger {
        Ledger { store, totals, session: None }
    }
}

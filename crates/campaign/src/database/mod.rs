//! The run's database: finished and open work.

pub(crate) mod batch; // Storage of paths in the database: the paths of a report together, in one row.
pub(crate) mod ledger; // The database with its totals in memory.
pub(crate) mod open_regions; // The regions that wait for workers: leased, given back, reopened.
pub(crate) mod path_set; // The digest of the set of a run's paths: the sum of their digests, modulo 2^128.
pub(crate) mod recording; // Writing of reports: paths, bugs, marks, remaining regions, counters.
pub(crate) mod rows; // Helpers of the files that write the database's rows.
pub(crate) mod store; // The run's database: its tables, its opening, its transactions and sessions.
pub(crate) mod view; // Reading a run's database: tests, bugs, regions, counts.
pub(crate) mod weights; // Check that each path was found once, without the paths: by the sum of weights.

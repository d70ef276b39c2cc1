//! A run, and the coordinator that leases its regions to workers.

pub(crate) mod campaign; // A resumable run: its directory, its database, and the exclusive right to write there.
pub(crate) mod coordinator; // The coordinator: leases, stealing, reports.
pub(crate) mod crew; // The worker pool: workers, their leases, and thefts.
pub(crate) mod directory; // The directory of a run, named as KLEE names its own.
pub(crate) mod options; // Options of a session.
pub(crate) mod owned_or_borrowed; // A value that is owned or borrowed.
pub(crate) mod sink; // The observer of a run: it makes files of paths and shows progress.

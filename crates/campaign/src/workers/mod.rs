//! Workers: they explore leased regions, keep the paths, and report.

pub(crate) mod exploration; // The interface to explorers, and its implementation for every recordable space.
pub(crate) mod finished_paths; // Finished paths of a worker until they are reported: in memory, or in the worker's shard.
pub(crate) mod memory; // The memory of this process.
pub(crate) mod program_paths; // Recording of program paths: `Recorded` for the engine's space.
pub(crate) mod worker; // A worker: explores leased regions, reports, and gives regions away on request.

//! A session of a run, from its options to its last lines.

pub(crate) mod closing; // The last lines of a session: counts, bugs, unexplored paths, and advice.
pub(crate) mod cluster; // Workers on other machines: ranks of `mpiexec`, members that join.
pub(crate) mod executor; // The native executor of a session with mutated inputs.
pub(crate) mod forecast; // Forecasts of a run for its tests, and the native run of each test.
pub(crate) mod run_dir; // A run directory: the program's image, and the records of the run in its database.
pub(crate) mod saved; // Options that a run keeps, so that `cleave resume` goes on with the same paths.
pub(crate) mod search; // Strategies of a session's search, with the reason for them.
pub(crate) mod session; // A session of a run: explores the open regions, and prints the result.
pub(crate) mod setup; // Setup of workers: one structure, encoded once for all workers of a session.
pub(crate) mod since; // Paths that a run keeps from the run of an older version of its program.
pub(crate) mod since_account; // Its account and last lines about them.
pub(crate) mod summary; // The account as people and tools see it: `summary.json`, `info`, docs/summary.md.
pub(crate) mod verdict; // Verdict of a run, and its exit code.

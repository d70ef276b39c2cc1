//! Findings from the paths of a run: coverage, gaps, orders of threads, and reasons.

pub(crate) mod diverged_regions; // Reports on regions whose tests took another way than before.
pub(crate) mod gaps; // Unexplored paths and regions of a run, with reasons and the way out.
pub(crate) mod orders; // The orders of threads that tests foretell.
pub(crate) mod outcomes; // Ends and outputs of tests in two versions of a program.
pub(crate) mod race_points; // Places where the threads of a program race, for a run that explores their orders.
pub(crate) mod test_coverage; // Coverage of single tests, found by following them.
pub(crate) mod untaken_branches; // Reasons why branch directions were never taken, for the report.

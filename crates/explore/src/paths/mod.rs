//! Paths of tests: followed to their cuts and ends, compared, and regions around them.

pub(crate) mod checkpoints; // States kept on the way to regions, so that later regions begin there.
pub(crate) mod crossing; // Crossing a decision between a region's two cuts.
pub(crate) mod difference; // The difference of two lists of regions, by the order of their cuts and without a solver.
pub(crate) mod divergence; // Reports of replays that left the path of their cut.
pub(crate) mod order; // The order of tests (Siddiqui and Khurshid 2012, algorithm 1).
pub(crate) mod parting; // Tests followed together from the entry, parted by the decisions that tell them apart.
pub(crate) mod seeds; // Regions around the paths of seed tests.
pub(crate) mod walk; // Following a test without a solver, from decision to decision, to the end of its path.

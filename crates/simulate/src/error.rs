//! Errors of a simulation, with advice to the user.

use cleave_campaign::CampaignError;
use cleave_region::PathDigest;

/// The reason why a run cannot be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// A test does not take its path any more.
    #[error(
        "the test of the path {digest} ({depth} decisions) takes another path now; the run was made by another \
         version of Cleave: run the program again"
    )]
    OtherPath {
        /// The path.
        digest: PathDigest,
        /// Number of its decisions.
        depth: u32,
    },
    /// There is nothing to simulate.
    #[error("the run has no finished paths to simulate; let it go on with `cleave resume`")]
    NoPaths,
    /// An error of the coordinator.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// A path was not found, or twice: the simulator is wrong.
    #[error(
        "the simulated workers found {once} of {paths} paths once; this is a bug of Cleave: please report it with \
         the run directory"
    )]
    Lost {
        /// Paths found exactly once.
        once: u64,
        /// Paths of the tree.
        paths: u64,
    },
    /// The sums of what was found are not those of the tree: the simulator is wrong.
    #[error(
        "the simulated workers found {found} paths of {paths}, or some twice and others not; this is a bug of Cleave: \
         please report it with the run directory and the options"
    )]
    Sums {
        /// Paths found.
        found: u64,
        /// Paths of the tree.
        paths: u64,
    },
    /// The clock cannot count so far.
    #[error(
        "{workers} workers would take more than {seconds:.0} s of simulated time; give more workers, a smaller --grow or a \
         smaller --ms-per-path"
    )]
    TooLong {
        /// Workers.
        workers: u32,
        /// Maximum number of seconds.
        seconds: f64,
    },
}

//! Simulation of a run with many workers, on the tree of a finished one.
//!
//! The coordinator, its database (in memory), the workers, their explorer and its regions are real: the code
//! of `campaign` and `explore`, on virtual clocks and a simulated network. The program is simulated: its
//! segments and queries take their average time in the recorded run.
//!
//! * [`Recorder`] makes a [`Tree`] of a run's tests.
//! * [`Simulation::run`] deals it out to workers under a [`Policy`] and gives a [`Row`] of results.
//! * [`table`] and [`speed_up_plot`] show rows.
//! * [`grown`] has trees of any size that take after a recorded one, and [`scale`] runs on clusters of many nodes.
//!
//! Left out: contention for memory and caches between workers; a solver whose answers become faster or slower
//! with what it has seen; the machine's own noise; workers that die
//! (but for [`scale`]'s nodes); and questions that differ in cost, as each
//! takes the average.

mod clock;
mod costs;
mod error;
pub mod grown;
mod plot;
mod queue;
mod report;
pub mod scale;
mod simulation;
mod space;
mod splits;
mod tree;
mod world;

pub use clock::{MICROSECOND, Picos, VirtualClock};
pub use costs::{Costs, Measured};
pub use error::SimulateError;
pub use plot::{Curve, speed_up_plot};
pub use queue::Network;
pub use report::table;
pub use simulation::{Policy, Row, Simulation};
pub use tree::{NodeId, Recorder, Tree, TreeNode};
pub use world::Machine;

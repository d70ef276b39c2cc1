//! Runs at the scale of a cluster: trees that are made on demand, workers that go through them in leaps, nodes of many workers, and
//! nodes that are lost.

mod cluster;
mod core;
mod hub;
mod process;
mod run;
pub(crate) mod sums;
mod table;
mod world;

pub use cluster::{Cluster, Failures};
pub use run::{Scale, ScaleRow};
pub use table::scale_table;

//! Campaigns: a coordinator that owns a run's database, workers that explore leased regions, and the
//! protocol between them. Commands call it.
//!
//! Its law: completed + failed + unsupported + set aside + still open is everything.
//! A worker reports finished paths and what remains of its region in one message, the coordinator records both
//! in one transaction, and a part that is given away goes through the same message. So any process may be killed
//! at any time: each path is recorded once or lies in one open region.
//!
//! * [`Campaign`] is a run on disk: [`Campaign::create`], [`Campaign::open`] to resume, [`Campaign::run`].
//! * [`Exploration`] is what workers run; [`Exploring`] makes one of every space with [`Recorded`] paths.
//! * [`Threads`] and [`Processes`] are the transports; a worker process calls [`serve_stdio`].
//! * [`Store`] reads a run's database, also while the run goes on.

mod accounting; // The account of a run: counts, counters of work, history.
mod clock; // The time of coordinator and workers: that of this machine, or a simulated one.
mod database; // The run's database.
mod error; // Errors that end a campaign early, each with advice to the user.
mod run; // A run and its coordinator.
mod shards; // Paths on the machine that found them.
mod transports; // The ways between coordinator and workers.
mod workers; // Workers: they explore leased regions.

pub use accounting::account::{Account, Coverage, PathCounts, Snapshot, StopReason};
pub use accounting::counters;
pub use accounting::history::{Done, Moment};
pub use accounting::stats::Stats;
pub use clock::{Clock, RealClock};
pub use database::recording::KnownPaths;
pub use database::store::{DATABASE, Meta, Store};
pub use database::view::{StoredBug, StoredPath, StoredRegion};
pub use error::CampaignError;
pub use run::campaign::{Campaign, is_run_directory};
pub use run::directory::{make_directory, next_directory, numbered_directory};
pub use run::options::{RunOptions, Shards};
pub use run::sink::{RecordedPath, Sink};
pub use shards::counted_rows::Shard;
pub use shards::names::{SHARDS, file_of as shard_file, is_name as is_shard_name};
pub use transports::node::{Node, NodePace};
pub use transports::nodes::{MakeLocal, Nodes};
pub use transports::processes::{Processes, serve_stdio, serve_streams};
pub use transports::protocol::{
    Aside, Expectations, FromWorker, Kept, Report, SetAside, Shows, ToWorker, read_frame, write_frame,
};
pub use transports::threads::Threads;
pub use transports::transport::{Incoming, Transport, WorkerId};
pub use transports::version::{refusal, version};
pub use workers::exploration::{Exploration, Exploring, Found, Recorded};
pub use workers::worker::{ENOUGH, MakeExploration, Pace, SetUp, Worker, serve};

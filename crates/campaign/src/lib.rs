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

mod account;
mod batch;
mod campaign;
mod clock;
mod coordinator;
pub mod counters;
mod crew;
mod directory;
mod each_once;
mod error;
mod exploration;
mod held;
mod history;
mod keeping;
mod kept_rows;
mod ledger;
mod measure;
mod memory;
mod node;
mod nodes;
mod options;
mod path_set;
mod processes;
mod programs;
mod protocol;
mod rows;
mod shard;
mod shard_names;
mod shelf;
mod sink;
mod stats;
mod store;
mod sync;
mod threads;
mod transport;
mod up;
mod view;
mod worker;

pub use account::{Account, Coverage, PathCounts, Snapshot, StopReason};
pub use campaign::{Campaign, is_run_directory};
pub use clock::{Clock, RealClock};
pub use directory::{make_directory, next_directory, numbered_directory};
pub use error::CampaignError;
pub use exploration::{Exploration, Exploring, Found, Recorded};
pub use history::{Done, Moment};
pub use node::{Node, NodePace};
pub use nodes::{MakeLocal, Nodes};
pub use options::{RunOptions, Shards};
pub use processes::{Processes, serve_stdio, serve_streams};
pub use protocol::{
    Aside, Expectations, FromWorker, Kept, Report, SetAside, Shows, ToWorker, read_frame, write_frame,
};
pub use shard_names::{SHARDS, file_of as shard_file, is_name as is_shard_name};
pub use shelf::Shard;
pub use sink::{RecordedPath, Sink};
pub use stats::Stats;
pub use store::{DATABASE, Meta, Store};
pub use threads::Threads;
pub use transport::{Incoming, Transport, WorkerId};
pub use view::{StoredBug, StoredPath, StoredRegion};
pub use worker::{ENOUGH, MakeExploration, Pace, SetUp, Worker, serve};

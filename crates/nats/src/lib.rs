//! Workers on machines that join and leave while a run goes on, by way of a NATS server: `cleave run --cluster` and
//! `cleave join`. The only crate that knows NATS.
//!
//! Nothing relies on the server. It may lose, double or delay packets, and may be restarted; the truth is in the
//! coordinator's database. The layers, from below:
//!
//! * `connection`: a connection to the server, which comes back by itself.
//! * `key`, `packet`: the published packets, with a code that only the campaign's key makes.
//! * `channel`: messages in order and each once, between the coordinator and one node.
//! * [`Members`]: the coordinator's transport. The workers that it starts are those of nodes that have joined.
//! * [`Status`], [`ask`]: the status of the run, for every holder of the key.
//! * [`join`]: the body of a node: to the coordinator it is one worker, over worker processes of its own.
//! * `shards`: the paths that nodes keep, and how they are gathered.
//!
//! A node that leaves has its workers report first. One that vanishes is silent, and is given up: its workers' regions
//! are open again, and its later packets are ignored, because it is no member any more.

mod ask;
mod channel;
mod connection;
mod key;
mod members;
mod node;
mod packet;
mod shards;
mod status;

use std::time::Duration;

pub use ask::ask;
pub use key::Key;
pub use members::Members;
pub use node::{Joining, join};
pub use shards::WritePiece;
pub use status::{Board, MemberStatus, Status, Traffic};

/// Maximum silence of one side while the server is connected; then the other side gives up on it.
const SILENCE: Duration = Duration::from_secs(8);

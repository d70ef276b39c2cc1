//! Workers on machines that join and leave while a run goes on, by way of a NATS server: `cleave run --cluster` and
//! `cleave join`. The only crate that knows NATS.
//!
//! Nothing relies on the server. It may lose, double or delay what it carries, and may be restarted; the truth is in the
//! coordinator's database. The layers, from below:
//!
//! * `connection`: a connection to the server, which comes back by itself.
//! * `key`, `packet`: what is published, with a code that only the campaign's key makes.
//! * `channel`: messages in order and each once, between the coordinator and one node.
//! * [`Members`]: the coordinator's transport. The workers that it starts are those of nodes that have joined.
//! * [`Status`], [`ask`]: how the run goes, for whoever has the key and asks.
//! * [`join`]: the body of a node: to the coordinator it is one worker, over worker processes of its own.
//! * `shards`: the paths that nodes keep, and how they are gathered.
//!
//! A node that leaves has its workers report first. One that vanishes is silent, and is given up on: what its workers had
//! is open again, and what it says later is ignored, as it is no member any more.

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

/// Where there is a connection to the server, and one of two was silent for so long, the other gives up on it.
const SILENCE: Duration = Duration::from_secs(8);

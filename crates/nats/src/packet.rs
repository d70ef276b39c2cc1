//! The packets on the wire: any may be lost, doubled, late, or sent by a stranger.

use std::fmt;
use std::sync::Arc;

use cleave_campaign::{FromWorker, ToWorker, WorkerId};
use serde::{Deserialize, Serialize};

/// A random number that cannot be guessed and is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Id(pub(crate) [u8; 16]);

impl Id {
    /// A new one.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub(crate) fn random() -> Result<Id, String> {
        let mut bytes = [0; 16];
        let filled = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes);
        filled.map_err(|_| "the system gives no random numbers".to_string())?;
        Ok(Id(bytes))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// All published packets. Each kind goes one way only, so a packet that is sent back to its sender is invalid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Packet {
    /// The coordinator to all, once a second: it is there. Nodes find a run by this.
    Beat {
        /// The session of the coordinator.
        run: Id,
        /// One more each time: a replayed old beat is no sign of life.
        number: u64,
        /// The session is over.
        over: bool,
        /// Its version of Cleave.
        version: String,
    },
    /// A node to the coordinator: a request to join.
    Hello {
        /// The session.
        run: Id,
        /// The node as a member of this session; another number each time that it joins.
        node: Id,
        /// The subject to which the node listens.
        address: Id,
        /// Its name, for display.
        name: String,
        /// Its address as the server sees it, for display.
        host: String,
        /// Number of workers that it can run.
        places: u32,
        /// Its version of Cleave.
        version: String,
    },
    /// The coordinator to a node.
    ToNode {
        /// The session.
        run: Id,
        /// The member.
        node: Id,
        /// The frame.
        frame: Frame,
    },
    /// A node to the coordinator.
    FromNode {
        /// The session.
        run: Id,
        /// The member.
        node: Id,
        /// The frame.
        frame: Frame,
    },
    /// The coordinator to all: this node is no member any more, and may join anew.
    Stranger {
        /// The session.
        run: Id,
        /// The member that was.
        node: Id,
    },
    /// A holder of the key to the coordinator: a query for the status of the run.
    Ask {
        /// The subject to which the sender listens.
        address: Id,
        /// Named in the answer: a recorded answer matches no other query.
        question: Id,
    },
    /// The coordinator to the sender of a query.
    Status {
        /// The question.
        question: Id,
        /// The coordinator's version of Cleave.
        version: String,
        /// The number of this part of the answer, from 0; `parts` is the number of parts.
        part: u32,
        /// See `part`.
        parts: u32,
        /// The part of a [`crate::Status`].
        bytes: Vec<u8>,
    },
}

/// One of the packets that together make a channel: see [`crate::channel::Channel`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frame {
    /// One more for each frame of this direction. A number that does not rise marks a repetition.
    pub(crate) number: u64,
    /// The place of the first piece that its sender has not received.
    pub(crate) expects: u64,
    /// A part of a message.
    pub(crate) piece: Option<Piece>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// Its place, counted over all messages.
    pub(crate) place: u64,
    /// It is the last of its message.
    pub(crate) last: bool,
    /// The part.
    #[serde(with = "bytes")]
    pub(crate) bytes: Arc<[u8]>,
}

/// Serialises bytes at once; serde's default would write them one by one.
mod bytes {
    use super::Arc;
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &Arc<[u8]>, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_bytes(bytes)
    }

    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Arc<[u8]>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Arc<[u8]>, E> {
            Ok(bytes.into())
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Arc<[u8]>, D::Error> {
        input.deserialize_bytes(Bytes)
    }
}

/// A message of the coordinator to a node.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToNode {
    /// The set-up of workers: the program, and options. Sent once to a node, for all its workers.
    Setup {
        /// The SHA-256 digest of the bytes.
        digest: [u8; 32],
        /// The bytes of [`ToWorker::Setup`].
        bytes: Vec<u8>,
    },
    /// Start a worker.
    Start(WorkerId),
    /// Set the worker up with the last set-up sent.
    SetUp {
        /// The worker.
        worker: WorkerId,
        /// Its number in the session.
        number: u64,
        /// True if the paths that it finds stay on the node.
        keeps: bool,
    },
    /// Pass this on to the worker.
    Tell(WorkerId, ToWorker),
    /// End the worker at once.
    Kill(WorkerId),
    /// List the shards.
    List,
    /// Send a piece of a shard.
    Read {
        /// Its name.
        shard: String,
        /// Offset of the first byte.
        from: u64,
        /// Maximum number of bytes.
        length: u32,
    },
    /// The node is of no use, for this reason: it is to end.
    Dismissed(String),
    /// The session is over.
    End,
}

/// A message of a node to the coordinator.
#[expect(clippy::large_enum_variant, reason = "nearly all messages are reports")]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromNode {
    /// A message of the worker.
    Message(WorkerId, FromWorker),
    /// The worker is gone, for this reason.
    Gone(WorkerId, String),
    /// The list of shards, with their lengths in bytes.
    Shards(Vec<(String, u64)>),
    /// A piece of a shard; empty at its end, or if it cannot be read.
    Piece {
        /// The shard.
        shard: String,
        /// Its first byte.
        from: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The node ends its workers, and takes no new ones.
    Leaving,
    /// The node does not run the received set-up, for this reason.
    Refuses(String),
    /// The node sends no more.
    Bye,
}

/// A message as bytes.
pub(crate) fn encoded(message: &impl Serialize) -> Arc<[u8]> {
    postcard::to_stdvec(message).expect("messages have no types that postcard refuses").into()
}

//! What goes over the wire: packets, of which any may be lost, doubled, late, or sent by somebody else.

use std::fmt;
use std::sync::Arc;

use cleave_campaign::{FromWorker, ToWorker, WorkerId};
use cleave_region::PATH_FORMAT;
use serde::{Deserialize, Serialize};

/// The version of Cleave and the format of its paths: machines that differ in one of them cannot explore a run together.
pub(crate) fn version() -> String {
    format!("{} (paths of format {PATH_FORMAT})", env!("CARGO_PKG_VERSION"))
}

/// A number that nobody guesses and that is never used again.
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

/// All that is ever published. Each kind goes one way only, so a packet that is sent back to its sender is no packet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Packet {
    /// The coordinator to all, once a second: it is there. Whoever looks for a run hears of it by this.
    Beat {
        /// The session of the coordinator.
        run: Id,
        /// One more each time: an old beat that somebody repeats is no sign of life.
        number: u64,
        /// The session is over.
        over: bool,
        /// Its version of Cleave.
        version: String,
    },
    /// A node to the coordinator: it would join.
    Hello {
        /// Which session.
        run: Id,
        /// The node as a member of this session; another number each time that it joins.
        node: Id,
        /// Where the node hears.
        address: Id,
        /// For people.
        name: String,
        /// Its address as the server sees it, for people.
        host: String,
        /// How many workers it can run.
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
        /// What is said.
        frame: Frame,
    },
    /// A node to the coordinator.
    FromNode {
        /// The session.
        run: Id,
        /// The member.
        node: Id,
        /// What is said.
        frame: Frame,
    },
    /// The coordinator to all: this node is no member any more, and may join anew.
    Stranger {
        /// The session.
        run: Id,
        /// The member that was.
        node: Id,
    },
    /// Anybody with the key to the coordinator: how does the run go?
    Ask {
        /// Where who asks hears.
        address: Id,
        /// Named in the answer: one that was recorded answers no other question.
        question: Id,
    },
    /// The coordinator to who asked.
    Status {
        /// The question.
        question: Id,
        /// The coordinator's version of Cleave.
        version: String,
        /// Which part of the answer, from 0, and how many there are.
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
    /// One more for each frame of this direction. One that does not rise is a repetition.
    pub(crate) number: u64,
    /// The place of the first piece that its sender has not heard.
    pub(crate) expects: u64,
    /// A part of a message.
    pub(crate) piece: Option<Piece>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// Which, counted over all messages.
    pub(crate) place: u64,
    /// It is the last of its message.
    pub(crate) last: bool,
    /// The part.
    #[serde(with = "bytes")]
    pub(crate) bytes: Arc<[u8]>,
}

/// Bytes at once; serde would have them one by one.
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
    /// What workers are to explore: the program, and how. Sent once to a node, however many workers it runs.
    Setup {
        /// The SHA-256 digest of the bytes.
        digest: [u8; 32],
        /// What [`ToWorker::Setup`] has.
        bytes: Vec<u8>,
    },
    /// Start a worker.
    Start(WorkerId),
    /// Set the worker up with what came before.
    SetUp {
        /// The worker.
        worker: WorkerId,
        /// Its number in the session.
        number: u64,
        /// Whether the paths that it finds stay where the node is.
        keeps: bool,
    },
    /// Pass this on to the worker.
    Tell(WorkerId, ToWorker),
    /// End the worker at once.
    Kill(WorkerId),
    /// Say which shards are there.
    List,
    /// Send a piece of a shard.
    Read {
        /// Its name.
        shard: String,
        /// From this byte on.
        from: u64,
        /// So many bytes at most.
        length: u32,
    },
    /// The node is of no use, and why: it is to end.
    Dismissed(String),
    /// The session is over.
    End,
}

/// A message of a node to the coordinator.
#[expect(clippy::large_enum_variant, reason = "nearly all messages are reports")]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromNode {
    /// The worker says this.
    Message(WorkerId, FromWorker),
    /// The worker is gone, and why.
    Gone(WorkerId, String),
    /// The shards that are there, with their lengths in bytes.
    Shards(Vec<(String, u64)>),
    /// A piece of a shard; of no length where it is at its end, or cannot be read.
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
    /// The node does not run what it was sent, and why.
    Refuses(String),
    /// The node says no more.
    Bye,
}

/// A message as bytes.
pub(crate) fn encoded(message: &impl Serialize) -> Arc<[u8]> {
    postcard::to_stdvec(message).expect("messages have no types that postcard refuses").into()
}

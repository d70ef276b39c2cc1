//! What there is of a network beside the sockets: ports that are not free yet, and who comes from outside.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use cleave_memory::Byte;

use crate::ino::Ino;
use crate::output::Output;

/// A connection of TCP whose socket is closed, and whose port is not free yet.
#[derive(Clone, Debug)]
pub(crate) struct Remnant {
    pub(crate) ip: IpAddr,
    pub(crate) port: u16,
    pub(crate) reuses: bool,
    /// The other end, while that is open; afterwards until when it stays.
    pub(crate) until: Result<u64, Ino>,
}

/// What comes in over a connection from outside of the program.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    pub(crate) bytes: Vec<Byte>,
    /// How many of them there are, as a word of four bytes; whatever is above all means all.
    pub(crate) length: Vec<Byte>,
    /// For each read that gives some, how many: 0, and whatever is above what there is, means all.
    pub(crate) segments: Option<Vec<Byte>>,
}

/// What the system knows beside the sockets themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Network {
    /// How many ports, and names of `AF_UNIX`, were given away.
    pub(crate) ports: u16,
    pub(crate) names: u32,
    pub(crate) remnants: Vec<Remnant>,
    /// Connections from outside, each once.
    pub(crate) incoming: Rc<Vec<Incoming>>,
    /// How many of them came in.
    pub(crate) arrived: usize,
    /// What the program sent to each.
    pub(crate) sent: BTreeMap<usize, Output>,
    /// When one of them last came, sent something or was sent something.
    pub(crate) busy: u64,
    /// Nobody comes any more, and the program was told to end.
    pub(crate) told_to_end: bool,
}

//! State of the network beside the sockets: ports that are not free yet, and peers from outside.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use cleave_memory::Byte;

use crate::files::inode_numbers::Ino;
use crate::streams::output::Output;

/// A connection of TCP whose socket is closed, and whose port is not free yet.
#[derive(Clone, Debug)]
pub(crate) struct Remnant {
    pub(crate) ip: IpAddr,
    pub(crate) port: u16,
    pub(crate) reuses: bool,
    /// The other end, while that is open; afterwards until when it stays.
    pub(crate) until: Result<u64, Ino>,
}

/// Data that comes in over a connection from outside of the program.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    pub(crate) bytes: Vec<Byte>,
    /// Number of them, as a word of four bytes; a greater value than there are means all.
    pub(crate) length: Vec<Byte>,
    /// For each read that gives some, the number of bytes: 0, or more than there are, means all.
    pub(crate) segments: Option<Vec<Byte>>,
}

/// State of the network beside the sockets themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Network {
    /// Number of ports, and of names of `AF_UNIX`, that were given away.
    pub(crate) ports: u16,
    pub(crate) names: u32,
    pub(crate) remnants: Vec<Remnant>,
    /// Connections from outside, each once.
    pub(crate) incoming: Rc<Vec<Incoming>>,
    /// Number of them that came in.
    pub(crate) arrived: usize,
    /// The program's messages to each.
    pub(crate) sent: BTreeMap<usize, Output>,
    /// Time when one of them last came, sent something or was sent something.
    pub(crate) busy: u64,
    /// No further peer comes, and the program was told to end.
    pub(crate) told_to_end: bool,
}

//! Sockets: their state, the messages in them, and their readiness.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use cleave_memory::Byte;

use crate::files::inode_numbers::{Ino, Name};
use crate::kernel::errno::Errno;

/// The bytes of messages that a socket of `AF_UNIX` takes before a writer waits, as Linux counts them.
pub(crate) const SEND_BUFFER: u32 = 212_992;
/// The bytes that a connection of TCP holds on its way, as Linux has it for an unused connection over loopback.
const STREAM_BUFFER: usize = 2_626_560;

/// The family of a socket's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Unix,
    Inet,
    Inet6,
}

/// Kind of data that a socket carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    Stream,
    Datagrams,
    /// `SOCK_SEQPACKET`: messages over a connection.
    Packets,
}

/// The name of a socket.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Address {
    /// In a directory: as it was given, and the inode that it named.
    Path(Name, Ino),
    /// A name in Linux's abstract space of names.
    Abstract(Name),
    /// An address of a machine, and a port.
    Internet(IpAddr, u16),
}

/// Connection state of a socket.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    /// Neither listens nor is connected.
    Fresh,
    /// Connections come in.
    Listening {
        /// One more than this many wait at most.
        backlog: u32,
        /// Those that are not accepted yet.
        waiting: VecDeque<Ino>,
    },
    /// It has a peer; of datagrams, a destination.
    Connected,
    /// A connection of TCP that was reset.
    Reset,
}

/// A message that was sent and is not read yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Message {
    pub(crate) bytes: VecDeque<Byte>,
    /// The socket that sent it.
    pub(crate) from: Option<Ino>,
    /// That socket's name when it did.
    pub(crate) name: Option<Address>,
    /// Its size in the sender's buffer.
    pub(crate) weight: usize,
    /// The keys of open file descriptions that come with it, which it holds.
    pub(crate) rights: Vec<u32>,
}

/// A connection to a peer outside of the program, whose bytes are inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outside {
    /// Number of the program's input that it is.
    pub(crate) number: usize,
    /// Bytes of it that were read.
    pub(crate) position: usize,
    /// Reads that gave some.
    pub(crate) reads: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Socket {
    pub(crate) domain: Domain,
    pub(crate) carries: Carries,
    pub(crate) state: State,
    pub(crate) name: Option<Address>,
    /// The program chose the address of the internet that the name has.
    pub(crate) fixed: bool,
    /// Others may have the name's port: it is only shown.
    pub(crate) freed: bool,
    /// The name is its own, and not that of the socket which accepted it.
    pub(crate) bound: bool,
    /// The socket at the other end. It may be gone.
    pub(crate) peer: Option<Ino>,
    /// The name of the other end, if it is kept: of the internet, and of a peer that is gone.
    pub(crate) peer_name: Option<Address>,
    pub(crate) outside: Option<Outside>,
    pub(crate) queue: VecDeque<Message>,
    /// Nothing is read any more once the queue is empty.
    pub(crate) no_reading: bool,
    pub(crate) no_writing: bool,
    /// Of TCP: the other end has said that nothing comes any more.
    pub(crate) ended: bool,
    /// Of TCP: a `connect` that did not wait has not given its result yet.
    pub(crate) connecting: bool,
    /// Of TCP over IPv6: it has asked for a connection to an address of IPv4.
    pub(crate) asked_four: bool,
    /// The next call fails so.
    pub(crate) error: Option<Errno>,
    /// Options that are kept as they were set, by level and number.
    pub(crate) options: BTreeMap<(u32, u32), u32>,
    pub(crate) send_buffer: u32,
    pub(crate) receive_buffer: u32,
    /// Longest time that a call waits to receive, and to send, in nanoseconds.
    pub(crate) receive_patience: Option<u64>,
    pub(crate) send_patience: Option<u64>,
    /// The process, user and group that the other end is told of.
    pub(crate) owner: u64,
}

impl Socket {
    pub(crate) fn new(domain: Domain, carries: Carries, owner: u64) -> Socket {
        Socket {
            domain,
            carries,
            state: State::Fresh,
            name: None,
            fixed: false,
            freed: false,
            bound: false,
            peer: None,
            peer_name: None,
            outside: None,
            queue: VecDeque::new(),
            no_reading: false,
            no_writing: false,
            ended: false,
            connecting: false,
            asked_four: false,
            error: None,
            options: BTreeMap::new(),
            send_buffer: SEND_BUFFER,
            receive_buffer: SEND_BUFFER,
            receive_patience: None,
            send_patience: None,
            owner,
        }
    }

    /// Another end of the same kind, for a connection that is accepted.
    pub(crate) fn accepted(&self, owner: u64) -> Socket {
        let options = self.options.clone();
        let (name, state) = (self.name.clone(), State::Connected);
        Socket { options, name, state, ..Socket::new(self.domain, self.carries, owner) }
    }

    pub(crate) fn is_unix(&self) -> bool {
        self.domain == Domain::Unix
    }

    /// The address that no other socket of the internet may have.
    pub(crate) fn address(&self) -> Option<(IpAddr, u16)> {
        match self.name {
            Some(Address::Internet(ip, port)) if !self.freed => Some((ip, port)),
            _ => None,
        }
    }

    /// Forgets the address of its name; the port remains.
    pub(crate) fn forget_address(&mut self) {
        let six = self.domain == Domain::Inet6;
        if let Some(Address::Internet(ip, _)) = &mut self.name {
            *ip = if six { Ipv6Addr::UNSPECIFIED.into() } else { Ipv4Addr::UNSPECIFIED.into() };
        }
    }

    /// Returns true if it is a stream of the internet.
    pub(crate) fn is_tcp(&self) -> bool {
        !self.is_unix() && self.carries == Carries::Stream
    }

    pub(crate) fn is_udp(&self) -> bool {
        !self.is_unix() && self.carries == Carries::Datagrams
    }

    pub(crate) fn is_connected(&self) -> bool {
        matches!(self.state, State::Connected)
    }

    pub(crate) fn is_listening(&self) -> bool {
        matches!(self.state, State::Listening { .. })
    }

    /// Takes the error that the next call fails with.
    pub(crate) fn take_error(&mut self) -> Option<Errno> {
        self.error.take()
    }

    /// The value of an option that is kept as it was set; 0 before.
    pub(crate) fn option(&self, level: u32, number: u32) -> u32 {
        self.options.get(&(level, number)).copied().unwrap_or(0)
    }

    /// Weight of the messages in it that came from a socket.
    pub(crate) fn weight_from(&self, from: Ino) -> usize {
        self.queue.iter().filter(|m| m.from == Some(from)).map(|m| m.weight).sum()
    }

    /// Weight of all messages in it.
    pub(crate) fn weight(&self) -> usize {
        self.queue.iter().map(|m| m.weight).sum()
    }

    /// Bytes in it that can be read, all messages together.
    pub(crate) fn bytes(&self) -> usize {
        self.queue.iter().map(|m| m.bytes.len()).sum()
    }

    /// The number that `FIONREAD` tells; none if connections come in.
    pub(crate) fn waiting_bytes(&self) -> Option<usize> {
        match self.state {
            State::Listening { .. } => None,
            _ if self.carries == Carries::Datagrams => Some(self.queue.front().map_or(0, |m| m.bytes.len())),
            _ => Some(self.bytes()),
        }
    }

    /// Number of bytes sent over TCP that it takes at once.
    pub(crate) fn room(&self) -> usize {
        STREAM_BUFFER.saturating_sub(self.bytes())
    }

    /// Takes at most `n` bytes of a stream out, and the descriptors that come with them; without `takes` they stay, too.
    pub(crate) fn read_stream(&mut self, n: usize, takes: bool) -> (Vec<Byte>, Vec<u32>) {
        let mut rights = Vec::new();
        if !takes {
            return (self.queue.iter().flat_map(|m| m.bytes.iter().copied()).take(n).collect(), rights);
        }
        let mut taken = Vec::new();
        while let Some(first) = self.queue.front_mut().filter(|_| taken.len() < n) {
            let part = first.bytes.len().min(n - taken.len());
            taken.extend(first.bytes.drain(..part));
            rights = std::mem::take(&mut first.rights);
            if first.bytes.is_empty() {
                self.queue.pop_front();
            }
            // A read stops at a message with descriptors: they come with its bytes alone.
            if !rights.is_empty() {
                break;
            }
        }
        (taken, rights)
    }
}

const PAGE: usize = 4096;
/// Bytes that Linux keeps behind a message, and for the message itself.
const TRAILER: usize = 320;
const HEADER: usize = 256;
/// The most bytes that a message of a stream has beside whole pages, and in them.
const MOST_HEAD: usize = PAGE - TRAILER;
const MOST_PAGES: usize = 32_768;

fn weight_of(head: usize, pages: usize) -> usize {
    (head + TRAILER).next_power_of_two() + HEADER + pages
}

/// The length of the first message of `AF_UNIX` that carries a stream of `n` bytes, and its weight.
pub(crate) fn first_of_stream(n: usize, send_buffer: u32) -> (usize, usize) {
    let len = n.min((send_buffer as usize >> 1).saturating_sub(64)).clamp(1, MOST_HEAD + MOST_PAGES);
    let pages = len.saturating_sub(MOST_HEAD).next_multiple_of(PAGE).min(len);
    (len, weight_of(len - pages, pages))
}

/// The weight of a message of `n` bytes that is kept whole.
pub(crate) fn weight_of_message(n: usize) -> usize {
    const MOST_IN_ONE: usize = 4 * PAGE - TRAILER;
    let pages = n.saturating_sub(MOST_IN_ONE).next_multiple_of(PAGE);
    weight_of(n.saturating_sub(pages), pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts from Linux 6: the number of writes of this many bytes until one would wait.
    #[test]
    fn so_many_messages_fit_as_linux_takes() {
        let fit = |weight: usize| (SEND_BUFFER as usize).div_ceil(weight);
        for (n, streams, messages) in [(1, 278, 278), (400, 167, 167), (2000, 49, 49), (5000, 34, 26)] {
            assert_eq!(fit(first_of_stream(n, SEND_BUFFER).1), streams, "{n}");
            assert_eq!(fit(weight_of_message(n)), messages, "{n}");
        }
        assert_eq!(first_of_stream(40_000, SEND_BUFFER).0, 36_544);
        assert_eq!(fit(weight_of_message(40_000)), 6);
    }
}

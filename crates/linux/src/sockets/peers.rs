//! Peers outside of the program (`--sym-connection`): their messages are inputs, the program's messages to them are output.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::rc::Rc;

use cleave_memory::Byte;

use crate::env::world::PID;
use crate::files::inode::Ino;
use crate::kernel::errno::CallResult;
use crate::kernel::state::{Call, Kernel};
use crate::signals::info::Info;
use crate::signals::state::{SIGTERM, bit};
use crate::sockets::ports::Incoming;
use crate::sockets::socket::{Address, Carries, Domain, Message, Outside, Socket};

/// The port of the first of them; no socket of the program gets one of these by itself.
pub(crate) const FIRST_PORT: u16 = 61_000;

/// Time for which a program that only looks at its clock goes on after its peers have been served, in nanoseconds: longer than
/// servers wait for a silent peer.
const PATIENCE: u64 = 600_000_000_000;

impl Kernel {
    /// Returns true if a peer outside of the program has not come yet.
    fn someone_comes(&self) -> bool {
        self.network.arrived < self.network.incoming.len()
    }

    /// Returns true if peers come from outside, and the program has not been told to end since.
    pub(crate) fn someone_was_served(&self) -> bool {
        !self.network.incoming.is_empty() && !self.network.told_to_end
    }

    /// Returns true if only time passes until a moment, and peers from outside have been served for the last time.
    pub(crate) fn is_idle_until(&self, moment: u64) -> bool {
        self.someone_was_served() && moment > self.network.busy.saturating_add(PATIENCE)
    }

    /// Ends a program whose processes all wait for ever, or for time to pass, if peers came from outside: once, by SIGTERM to its
    /// first process, as a user would. Returns true if that happened.
    pub(crate) fn end_service(&mut self) -> bool {
        if !self.someone_was_served() {
            return false;
        }
        self.network_mut().told_to_end = true;
        let Some(process) = self.process_of_mut(PID).filter(|process| process.lives()) else { return false };
        process.signals.sent.by_timers |= bit(SIGTERM);
        self.send_told(PID, SIGTERM, Info::of_kernel(SIGTERM), None);
        true
    }

    /// Something happens between the program and a peer.
    fn note_peer(&mut self) {
        self.network_mut().busy = self.clock;
    }
}

impl Call<'_> {
    /// Returns true if a socket that listens would get a connection from outside.
    pub(crate) fn outside_may_connect(&self, _: Ino) -> bool {
        self.kernel.someone_comes()
    }

    /// The same of a datagram: the socket must have a name, and its peer, if it has one, must be outside.
    pub(crate) fn outside_may_send(&self, socket: &Socket) -> bool {
        let here = match (&socket.peer_name, &socket.name) {
            (Some(Address::Internet(ip, port)), Some(Address::Internet(own, at))) => {
                self.kernel.receiver((*ip, *port), (*own, *at)).is_some()
            }
            _ => socket.peer.is_some(),
        };
        self.kernel.someone_comes()
            && socket.carries == Carries::Datagrams
            && socket.name.is_some()
            && !here
            && !socket.no_reading
    }

    /// The name of the next peer, as a socket of this family sees it.
    fn outsider(&self, domain: Domain) -> Option<Address> {
        let port = FIRST_PORT + u16::try_from(self.kernel.network.arrived).unwrap_or(0);
        let ip = match domain {
            Domain::Unix => return None,
            Domain::Inet => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Domain::Inet6 => IpAddr::V6(Ipv6Addr::LOCALHOST),
        };
        Some(Address::Internet(ip, port))
    }

    /// The next connection from outside, of a socket that listens.
    pub(crate) fn connection_from_outside(&mut self, listening: Ino) -> CallResult<Option<Ino>> {
        if !self.outside_may_connect(listening) {
            return Ok(None);
        }
        let owner = self.process().pid;
        let mut socket = self.socket(listening)?.accepted(owner);
        socket.peer_name = self.outsider(socket.domain);
        // A connection has an address of its own if the socket takes those to all.
        if let (Some(Address::Internet(own, _)), Some(Address::Internet(ip, _))) =
            (&mut socket.name, &socket.peer_name)
            && own.is_unspecified()
        {
            *own = *ip;
        }
        self.kernel.note_peer();
        let network = self.kernel.network_mut();
        socket.outside = Some(Outside { number: network.arrived, position: 0, reads: 0 });
        network.arrived += 1;
        Ok(Some(self.kernel.make_socket(socket)))
    }

    /// Puts the next datagram from outside into a socket, if there is one.
    pub(crate) fn datagram_from_outside(&mut self, ino: Ino) -> CallResult<()> {
        let socket = self.socket(ino)?;
        if !self.outside_may_send(socket) {
            return Ok(());
        }
        let name = socket.peer_name.clone().or_else(|| self.outsider(socket.domain));
        let number = self.kernel.network.arrived;
        let incoming = self.kernel.network.incoming.clone();
        let Some(incoming) = incoming.get(number) else { return Ok(()) };
        let len = self.length_within(incoming, 0, incoming.bytes.len())?;
        self.kernel.note_peer();
        self.kernel.network_mut().arrived += 1;
        let bytes = incoming.bytes[..len].iter().copied().collect();
        self.socket_mut(ino)?.queue.push_back(Message {
            bytes,
            from: None,
            name,
            weight: len,
            rights: Vec::new(),
        });
        Ok(())
    }

    /// Number of bytes that a peer sends behind a position, at most `most`: decided by halves.
    fn length_within(&mut self, incoming: &Incoming, position: usize, most: usize) -> CallResult<usize> {
        let terms = self.guest.terms();
        let length = Byte::word(terms, &incoming.length);
        let (mut low, mut high) = (position, position + most);
        while low < high {
            let middle = low + (high - low) / 2;
            let terms = self.guest.terms();
            let bound = terms.constant_of(32, middle as u128);
            let shorter = terms.ule(length, bound);
            let shorter = self.decided(shorter)?;
            (low, high) = if shorter { (low, middle) } else { (middle + 1, high) };
        }
        Ok(low - position)
    }

    /// Reads data of a peer: at most `n` bytes, and nothing at its end.
    pub(crate) fn read_outside(
        &mut self,
        ino: Ino,
        outside: Outside,
        n: usize,
        takes: bool,
    ) -> CallResult<Vec<Byte>> {
        let incoming = self.kernel.network.incoming.clone();
        let Some(incoming) = incoming.get(outside.number) else { return Ok(Vec::new()) };
        let position = outside.position;
        let mut len = self.length_within(incoming, position, n.min(incoming.bytes.len() - position))?;
        let segment = incoming.segments.as_ref().and_then(|segments| segments.get(outside.reads)).copied();
        if let Some(segment) = segment.filter(|_| len > 1) {
            len = self.segment(segment, len)?;
        }
        if takes && len > 0 {
            let outside = Outside { position: position + len, reads: outside.reads + 1, ..outside };
            self.socket_mut(ino)?.outside = Some(outside);
            self.kernel.note_peer();
        }
        Ok(incoming.bytes[position..position + len].to_vec())
    }

    /// Number of bytes, of `most`, that a read gives: the input's value, or all if that is 0, or `most` or more.
    fn segment(&mut self, segment: Byte, most: usize) -> CallResult<usize> {
        let terms = self.guest.terms();
        let (segment, one) = (segment.term(terms), terms.constant_of(8, 1));
        let before = terms.sub(segment, one);
        let last = (most - 1).min(255);
        let bound = terms.constant_of(8, last as u128);
        let all = terms.ule(bound, before);
        if self.decided(all)? {
            return Ok(most);
        }
        for n in 1..last {
            let terms = self.guest.terms();
            let value = terms.constant_of(8, n as u128);
            let same = terms.eq(segment, value);
            if self.decided(same)? {
                return Ok(n);
            }
        }
        Ok(last)
    }

    /// The program sends something to a peer outside.
    pub(crate) fn tell_outside(&mut self, number: usize, bytes: &[Byte]) -> CallResult {
        self.kernel.note_peer();
        self.kernel.network_mut().sent.entry(number).or_default().append(bytes);
        Ok(bytes.len() as u64)
    }
}

impl Kernel {
    /// Gives the program its peers.
    pub(crate) fn put_incoming(&mut self, incoming: Vec<Incoming>) {
        self.network_mut().incoming = Rc::new(incoming);
    }
}

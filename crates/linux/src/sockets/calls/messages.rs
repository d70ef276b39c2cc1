//! Messages of sockets: sending and receiving, and readiness.

use std::net::IpAddr;

use cleave_memory::Byte;

use crate::files::descriptions::O_NONBLOCK;
use crate::files::inode::Ino;
use crate::kernel::errno::*;
use crate::kernel::state::Call;
use crate::kernel::user_memory::MAX_TRANSFER;
use crate::signals::state::SIGPIPE;
use crate::sockets::addresses::{AF_INET, AF_INET6, AF_UNSPEC};
use crate::sockets::socket::{
    Address, Carries, Domain, Message, Socket, State, first_of_stream, weight_of_message,
};

const OOB: u32 = 1;
const PEEK: u32 = 2;
const TRUNC: u32 = 0x20;
pub(crate) const DONTWAIT: u32 = 0x40;
const WAITALL: u32 = 0x100;
const ERRQUEUE: u32 = 0x2000;
const NOSIGNAL: u32 = 0x4000;
/// The longest datagram of the internet.
const MOST_OF_UDP: usize = 65_507;
/// Messages that wait in a socket of `AF_UNIX` for which it is not connected: one more than this.
const MOST_MESSAGES: usize = 10;
const SOCKET_IS_FULL: &str = "the socket at the other end is full and nobody reads from it";
const NOTHING_COMES: &str = "nobody sends anything to the socket";

/// One message, or a part of a stream.
struct Received {
    bytes: Vec<Byte>,
    /// The length of the whole message.
    len: usize,
    name: Option<Address>,
    flags: u32,
    /// Open file descriptions that came with it.
    rights: Vec<u32>,
}

impl Received {
    fn nothing() -> Received {
        Received::of_stream(Vec::new(), None)
    }

    fn of_stream(bytes: Vec<Byte>, name: Option<Address>) -> Received {
        Received { len: bytes.len(), bytes, name, flags: 0, rights: Vec::new() }
    }
}

/// A `struct msghdr`.
pub(crate) struct Header {
    name: u64,
    name_len: u64,
    pub(crate) buffers: Vec<(u64, u64)>,
    control: u64,
    control_len: u64,
}

/// A peer outside of the program cannot get descriptors.
fn no_rights(rights: &[u32]) -> CallResult<()> {
    if rights.is_empty() { Ok(()) } else { unsupported("descriptors for a peer outside of the program") }
}

impl Call<'_> {
    /// Returns true if calls on a descriptor wait.
    fn waits(&self, fd: u64, flags: u32) -> CallResult<bool> {
        Ok(flags & DONTWAIT == 0 && self.file(fd as i32)?.flags & O_NONBLOCK == 0)
    }

    /// `write` to a socket.
    pub(crate) fn write_socket(&mut self, ino: Ino, nonblocking: bool, bytes: &[Byte]) -> CallResult {
        self.send(ino, !nonblocking, bytes, 0, None)
    }

    /// `read` from a socket.
    pub(crate) fn read_socket(&mut self, ino: Ino, nonblocking: bool, len: u64) -> CallResult<Vec<Byte>> {
        if len == 0 {
            return Ok(Vec::new());
        }
        let received = self.receive(ino, !nonblocking, len as usize, 0)?;
        self.refuse_rights(received.rights);
        Ok(received.bytes)
    }

    /// Fails with EPIPE, and with the signal that goes with it.
    fn broken(&mut self, flags: u32) -> CallResult {
        let written = self.progress().written;
        if written > 0 {
            return Ok(written as u64);
        }
        if flags & NOSIGNAL == 0 {
            self.raise(SIGPIPE);
        }
        fail(EPIPE)
    }

    /// Sends as much as fits, or all of a message; `to` is the address that the program gives, empty for none.
    fn send(&mut self, ino: Ino, waits: bool, bytes: &[Byte], flags: u32, to: Option<&[Byte]>) -> CallResult {
        self.send_with(ino, waits, bytes, (flags, &[]), to)
    }

    /// Drops the descriptors that came with a message.
    fn refuse_rights(&mut self, rights: Vec<u32>) {
        rights.into_iter().for_each(|key| self.kernel.release(key));
    }

    /// As [`Call::send`], with these open file descriptions.
    fn send_with(
        &mut self,
        ino: Ino,
        waits: bool,
        bytes: &[Byte],
        (flags, rights): (u32, &[u32]),
        to: Option<&[Byte]>,
    ) -> CallResult {
        let socket = self.socket(ino)?;
        if flags & OOB != 0 {
            return if socket.carries == Carries::Stream { unsupported("MSG_OOB") } else { fail(EOPNOTSUPP) };
        }
        let (given, to) = (to, to.unwrap_or_default());
        match (socket.is_unix(), socket.carries) {
            (true, Carries::Stream) if !to.is_empty() => {
                fail(if socket.is_connected() { EISCONN } else { EOPNOTSUPP })
            }
            (true, Carries::Stream) => self.send_unix_stream(ino, waits, bytes, (flags, rights)),
            (true, _) => self.send_message(ino, waits, (bytes, rights), to),
            (false, Carries::Stream) => self.send_tcp(ino, waits, bytes, flags),
            (false, _) => self.send_udp(ino, bytes, given),
        }
    }

    /// Puts a message into the queue of another socket.
    fn deliver_message(
        &mut self,
        (from, to): (Ino, Ino),
        bytes: &[Byte],
        weight: usize,
        rights: &[u32],
    ) -> CallResult<()> {
        rights.iter().for_each(|&key| self.files_mut().hold(key));
        let rights = rights.to_vec();
        let name = self.socket(from)?.name.clone();
        let bytes = bytes.iter().copied().collect();
        self.socket_mut(to)?.queue.push_back(Message { bytes, from: Some(from), name, weight, rights });
        Ok(())
    }

    /// A call that has sent a part waits on, or is content with that.
    fn send_later(&mut self, ino: Ino, waits: bool, sent: usize, now: bool) -> CallResult {
        let mut progress = self.progress();
        if !waits && sent > 0 {
            return Ok(sent as u64);
        }
        progress.written = sent;
        let patience = self.socket(ino)?.send_patience;
        if now {
            self.kernel.note_return();
        }
        if waits {
            self.keep(progress);
        }
        match self.wait_in_socket(waits, patience, SOCKET_IS_FULL) {
            Err(Fail::Errno(_)) if sent > 0 => Ok(sent as u64),
            waiting => waiting,
        }
    }

    fn send_unix_stream(
        &mut self,
        ino: Ino,
        waits: bool,
        bytes: &[Byte],
        (flags, rights): (u32, &[u32]),
    ) -> CallResult {
        let socket = self.socket(ino)?;
        let outside = socket.outside.map(|outside| outside.number);
        let peer = match socket.peer.filter(|_| socket.is_connected()) {
            Some(peer) => peer,
            None if outside.is_some() => ino,
            None => return fail(ENOTCONN),
        };
        if socket.no_writing {
            return self.broken(flags);
        }
        if let Some(number) = outside {
            no_rights(rights)?;
            return self.tell_outside(number, bytes);
        }
        let send_buffer = socket.send_buffer;
        let (mut sent, before) = (self.progress().written, self.progress().written);
        if self.progress().cut {
            return Ok(sent as u64);
        }
        while sent < bytes.len() {
            match self.fail_as_told(ino) {
                Err(Fail::Errno(_)) if sent > 0 => return Ok(sent as u64),
                told => told?,
            }
            let Some(other) = self.kernel.socket(peer).filter(|other| !other.no_reading) else {
                return if sent > 0 { Ok(sent as u64) } else { self.broken(flags) };
            };
            if other.weight_from(ino) >= send_buffer as usize {
                return self.send_later(ino, waits, sent, sent > before);
            }
            let (len, weight) = first_of_stream(bytes.len() - sent, send_buffer);
            let rights = if sent == 0 { rights } else { &[] };
            self.deliver_message((ino, peer), &bytes[sent..sent + len], weight, rights)?;
            sent += len;
        }
        Ok(sent as u64)
    }

    /// A message of `AF_UNIX`, with or without a connection.
    fn send_message(
        &mut self,
        ino: Ino,
        waits: bool,
        (bytes, rights): (&[Byte], &[u32]),
        to: &[Byte],
    ) -> CallResult {
        let socket = self.socket(ino)?;
        let (carries, send_buffer) = (socket.carries, socket.send_buffer as usize);
        let (patience, connected) = (socket.send_patience, socket.is_connected());
        let packets = carries == Carries::Packets;
        if packets {
            self.fail_as_told(ino)?;
            if !connected {
                return fail(ENOTCONN);
            }
        }
        if let Some(outside) = self.socket(ino)?.outside {
            no_rights(rights)?;
            return if self.socket(ino)?.no_writing {
                fail(EPIPE)
            } else {
                self.tell_outside(outside.number, bytes)
            };
        }
        let name = match to.is_empty() || packets {
            true => None,
            false => Some(self.unix_name(to)?),
        };
        let peer = self.socket(ino)?.peer;
        if bytes.len() > send_buffer.saturating_sub(32) {
            return fail(EMSGSIZE);
        }
        self.fail_as_told(ino)?;
        if self.socket(ino)?.no_writing {
            return fail(EPIPE);
        }
        let held: usize = self.fs().endpoints().map(|(_, socket)| socket.weight_from(ino)).sum();
        if held >= send_buffer {
            return self.wait_in_socket(waits, patience, SOCKET_IS_FULL);
        }
        let other = match (&name, peer) {
            (Some(name), _) => self.find_unix(name, carries)?,
            (None, Some(peer)) => peer,
            (None, None) => return fail(ENOTCONN),
        };
        let Some(target) = self.kernel.socket(other) else {
            if packets {
                return fail(EPIPE);
            }
            self.kernel.part_from(ino, None);
            let socket = self.socket_mut(ino)?;
            (socket.peer, socket.state) = (None, State::Fresh);
            return fail(ECONNREFUSED);
        };
        if target.peer.is_some_and(|peer| peer != ino) {
            return fail(EPERM);
        }
        if target.no_reading {
            return fail(EPIPE);
        }
        if other != ino && target.peer != Some(ino) && target.queue.len() > MOST_MESSAGES {
            return self.wait_in_socket(waits, patience, SOCKET_IS_FULL);
        }
        self.deliver_message((ino, other), bytes, weight_of_message(bytes.len()), rights)?;
        Ok(bytes.len() as u64)
    }

    fn send_tcp(&mut self, ino: Ino, waits: bool, bytes: &[Byte], flags: u32) -> CallResult {
        let socket = self.socket(ino)?;
        let outside = socket.outside.map(|outside| outside.number);
        let before = self.progress().written;
        if self.progress().cut {
            return Ok(before as u64);
        }
        if !socket.is_connected() || socket.error.is_some() || socket.no_writing {
            return match self.socket_mut(ino)?.take_error() {
                _ if before > 0 => Ok(before as u64),
                Some(errno) if errno != EPIPE => fail(errno),
                _ => self.broken(flags),
            };
        }
        let rest = bytes.get(before..).unwrap_or_default();
        if let Some(number) = outside {
            return self.tell_outside(number, bytes);
        }
        let Some(peer) = socket.peer else { return self.broken(flags) };
        let Some(other) = self.kernel.socket(peer) else {
            if !rest.is_empty() {
                self.kernel.reset(ino);
            }
            return Ok(bytes.len() as u64);
        };
        if other.no_reading && other.no_writing && !rest.is_empty() {
            self.kernel.reset(ino);
            self.kernel.reset(peer);
            return Ok(bytes.len() as u64);
        }
        let n = rest.len().min(other.room());
        if n > 0 {
            self.deliver_message((ino, peer), &rest[..n], n, &[])?;
        }
        if n < rest.len() { self.send_later(ino, waits, before + n, n > 0) } else { Ok(bytes.len() as u64) }
    }

    fn send_udp(&mut self, ino: Ino, bytes: &[Byte], given: Option<&[Byte]>) -> CallResult {
        self.kernel.bind_somewhere(ino)?;
        if bytes.len() > 0xffff {
            return fail(EMSGSIZE);
        }
        let socket = self.socket(ino)?;
        let (domain, connected) = (socket.domain, socket.is_connected());
        let peer = match socket.peer_name {
            Some(Address::Internet(ip, port)) => Some((ip, port)),
            _ => None,
        };
        let six = domain == Domain::Inet6;
        let to = given.unwrap_or_default();
        if given.is_some() && to.len() < 2 {
            return fail(EINVAL);
        }
        let family = if given.is_none() { AF_UNSPEC } else { self.family(to)? };
        let (ip, port) = match family {
            // For IPv4 a missing family means IPv4, for IPv6 no address at all.
            AF_UNSPEC if given.is_none() || six => match peer {
                Some(peer) => peer,
                None => return fail(EDESTADDRREQ),
            },
            AF_UNSPEC => self.internet_name(domain, to, true)?,
            AF_INET | AF_INET6 if six => match self.datagram_name(ino, to) {
                Err(Fail::Errno(EAFNOSUPPORT)) => return fail(ENETUNREACH),
                name => name?,
            },
            _ if six => return fail(EINVAL),
            _ => self.internet_name(domain, to, true)?,
        };
        if six && ip.is_ipv4() && self.socket(ino)?.only_six() {
            return fail(ENETUNREACH);
        }
        if port == 0 && given.is_some() {
            return fail(EINVAL);
        }
        if port == 0 && six {
            return unsupported("a datagram of IPv6 to port 0");
        }
        let (ip, from, at) = self.route_from(ino, ip, ENETUNREACH)?;
        if bytes.len() > MOST_OF_UDP {
            return fail(EMSGSIZE);
        }
        self.fail_as_told(ino)?;
        if self.socket(ino)?.no_writing {
            return fail(EPIPE);
        }
        match self.kernel.receiver((ip, port), (from, at)) {
            None if self.is_outside(ip, port).is_some() => {
                let number = self.is_outside(ip, port).unwrap_or(0);
                self.tell_outside(number, bytes)?;
            }
            None if connected && peer.is_some_and(|(there, at)| there == ip && [0, port].contains(&at)) => {
                self.socket_mut(ino)?.error = Some(ECONNREFUSED);
            }
            None => {}
            Some(target) => {
                let weight = weight_of_message(bytes.len() + 64);
                let there = self.socket(target)?;
                // A message that does not fit is lost.
                if there.weight() + weight <= there.receive_buffer as usize {
                    let message = Message {
                        bytes: bytes.iter().copied().collect(),
                        from: Some(ino),
                        name: Some(Address::Internet(from, at)),
                        weight,
                        rights: Vec::new(),
                    };
                    self.socket_mut(target)?.queue.push_back(message);
                }
            }
        }
        Ok(bytes.len() as u64)
    }

    /// Takes at most `len` bytes, or one message, out.
    fn receive(&mut self, ino: Ino, waits: bool, len: usize, flags: u32) -> CallResult<Received> {
        let socket = self.socket(ino)?;
        if flags & ERRQUEUE != 0 {
            return unsupported("MSG_ERRQUEUE");
        }
        if flags & OOB != 0 {
            return match socket.carries {
                Carries::Stream => unsupported("MSG_OOB"),
                _ => fail(EOPNOTSUPP),
            };
        }
        let patience = socket.receive_patience;
        if socket.carries != Carries::Stream {
            return self.receive_message(ino, waits, len, flags);
        }
        let unix = socket.is_unix();
        if !unix && socket.is_listening() {
            return fail(ENOTCONN);
        }
        if unix && !socket.is_connected() {
            return fail(EINVAL);
        }
        if let Some(outside) = socket.outside {
            if socket.no_reading {
                return Ok(Received::nothing());
            }
            let bytes = self.read_outside(ino, outside, len, flags & PEEK == 0)?;
            return Ok(Received::of_stream(bytes, None));
        }
        let there = socket.bytes();
        let over = socket.no_reading || socket.error.is_some();
        let all = flags & WAITALL != 0 && flags & PEEK == 0 && waits && there < len && !over;
        if there > 0 && !all {
            let name = socket.queue.front().and_then(|first| self.sender(first)).filter(|_| unix);
            self.no_peeking(ino, flags)?;
            let socket = self.socket_mut(ino)?;
            let (bytes, rights) = socket.read_stream(len, flags & PEEK == 0);
            // On AF_UNIX, a call with `MSG_WAITALL` that gets fewer bytes takes the pending error away.
            if unix && flags & (WAITALL | PEEK) == WAITALL && bytes.len() < len {
                socket.error = None;
            }
            return Ok(Received { rights, ..Received::of_stream(bytes, name) });
        }
        if all && len > crate::sockets::socket::SEND_BUFFER as usize / 2 {
            return unsupported("MSG_WAITALL for more bytes than a socket holds");
        }
        if !unix && socket.ended {
            return Ok(Received::nothing());
        }
        self.fail_as_told(ino)?;
        let socket = self.socket(ino)?;
        if socket.no_reading {
            return Ok(Received::nothing());
        }
        if !socket.is_connected() {
            return fail(ENOTCONN);
        }
        self.wait_in_socket(waits, patience, NOTHING_COMES)
    }

    fn receive_message(&mut self, ino: Ino, waits: bool, len: usize, flags: u32) -> CallResult<Received> {
        let socket = self.socket(ino)?;
        let packets = socket.carries == Carries::Packets;
        if packets && !socket.is_connected() {
            return fail(ENOTCONN);
        }
        self.fail_as_told(ino)?;
        if self.socket(ino)?.queue.is_empty() {
            self.datagram_from_outside(ino)?;
        }
        let socket = self.socket(ino)?;
        let Some(first) = socket.queue.front() else {
            if socket.no_reading && (waits || packets) {
                return Ok(Received::nothing());
            }
            let patience = socket.receive_patience;
            return self.wait_in_socket(waits, patience, NOTHING_COMES);
        };
        let whole = first.bytes.len();
        let bytes: Vec<Byte> = first.bytes.iter().take(len).copied().collect();
        let name = if socket.is_unix() { self.sender(first) } else { first.name.clone() };
        let told = if whole > len { TRUNC } else { 0 };
        self.no_peeking(ino, flags)?;
        let mut rights = Vec::new();
        if flags & PEEK == 0 {
            let taken = self.socket_mut(ino)?.queue.pop_front();
            rights = taken.map(|message| message.rights).unwrap_or_default();
        }
        Ok(Received { bytes, len: whole, name, flags: told, rights })
    }

    /// A peek at descriptors would give them twice.
    fn no_peeking(&self, ino: Ino, flags: u32) -> CallResult<()> {
        let comes = self.socket(ino)?.queue.iter().any(|message| !message.rights.is_empty());
        if flags & PEEK != 0 && comes { unsupported("MSG_PEEK where descriptors come") } else { Ok(()) }
    }

    /// The name of the socket of `AF_UNIX` that sent a message: the one that it has now.
    fn sender(&self, message: &Message) -> Option<Address> {
        let there = message.from.and_then(|from| self.kernel.socket(from));
        there.map_or(message.name.clone(), |sender| sender.name.clone())
    }

    fn is_outside(&self, ip: IpAddr, port: u16) -> Option<usize> {
        let number = usize::from(port).checked_sub(usize::from(crate::sockets::peers::FIRST_PORT))?;
        (ip.is_loopback() && number < self.kernel.network.arrived).then_some(number)
    }

    /// A `struct msghdr`; with the most bytes that a call moves.
    pub(crate) fn header(&mut self, at: u64) -> CallResult<Header> {
        let name = self.long(at)?;
        // A length without a name is not looked at.
        let name_len = if name == 0 { 0 } else { self.word(at.wrapping_add(8), 4)? };
        let (vector, count) = (self.long(at.wrapping_add(16))?, self.long(at.wrapping_add(24))?);
        let (control, control_len) = (self.long(at.wrapping_add(32))?, self.long(at.wrapping_add(40))?);
        if (name_len as u32 as i32) < 0 {
            return fail(EINVAL);
        }
        if count > 1024 {
            return fail(EMSGSIZE);
        }
        let buffers = self.vector(vector, count, None)?;
        Ok(Header { name, name_len: name_len.min(128), buffers, control, control_len })
    }
}

pub(crate) fn sendto(call: &mut Call<'_>, [fd, buffer, len, flags, to, to_len]: [u64; 6]) -> CallResult {
    let (ino, _) = call.socket_of(fd)?;
    let given = if to == 0 { None } else { Some(call.given_address(to, to_len)?) };
    let len = len.min(MAX_TRANSFER);
    let bytes = if len == 0 { Vec::new() } else { call.guest.read(buffer, len)? };
    let waits = call.waits(fd, flags as u32)?;
    call.send(ino, waits, &bytes, flags as u32, given.as_deref())
}

pub(crate) fn sendmsg(call: &mut Call<'_>, [fd, message, flags, ..]: [u64; 6]) -> CallResult {
    let (ino, _) = call.socket_of(fd)?;
    let header = call.header(message)?;
    let given = call.given_address(header.name, header.name_len)?;
    let unix = call.socket(ino)?.is_unix();
    let rights = call.given_rights(header.control, header.control_len, unix)?;
    let mut bytes = Vec::new();
    for (address, len) in header.buffers {
        if len > 0 {
            bytes.append(&mut call.guest.read(address, len)?);
        }
    }
    let waits = call.waits(fd, flags as u32)?;
    let given = (!given.is_empty()).then_some(&given[..]);
    call.send_with(ino, waits, &bytes, (flags as u32, &rights), given)
}

pub(crate) fn recvfrom(
    call: &mut Call<'_>,
    [fd, buffer, len, flags, from, from_len]: [u64; 6],
) -> CallResult {
    let (ino, socket) = call.socket_of(fd)?;
    let (domain, flags) = (socket.domain, flags as u32);
    let discards = flags & TRUNC != 0 && socket.is_tcp();
    let len = len.min(MAX_TRANSFER) as usize;
    let waits = call.waits(fd, flags)?;
    let mut received = call.receive(ino, waits, len, flags)?;
    call.refuse_rights(std::mem::take(&mut received.rights));
    if !received.bytes.is_empty() && !discards {
        call.guest.write(buffer, &received.bytes)?;
    }
    if from != 0 {
        let shown = received.name.as_ref().map(|name| domain.show(Some(name)));
        call.put_address(from, from_len, &shown.unwrap_or_default())?;
    }
    Ok(call.told_length(&received, flags))
}

pub(crate) fn recvmsg(call: &mut Call<'_>, [fd, message, flags, ..]: [u64; 6]) -> CallResult {
    const CLOSE_ON_EXEC: u32 = 0x4000_0000;
    let (ino, socket) = call.socket_of(fd)?;
    let (domain, flags) = (socket.domain, flags as u32);
    let discards = flags & TRUNC != 0 && socket.is_tcp();
    let header = call.header(message)?;
    let len = header.buffers.iter().map(|b| b.1).sum::<u64>();
    let waits = call.waits(fd, flags)?;
    let mut received = call.receive(ino, waits, len as usize, flags)?;
    let mut rest = &received.bytes[..];
    for (address, len) in header.buffers.into_iter().filter(|_| !discards) {
        let (now, later) = rest.split_at(rest.len().min(len as usize));
        if !now.is_empty() {
            call.guest.write(address, now)?;
        }
        rest = later;
    }
    if header.name != 0 {
        let shown = received.name.as_ref().map(|name| domain.show(Some(name))).unwrap_or_default();
        call.put_address(header.name, message.wrapping_add(8), &shown)?;
    }
    let rights = std::mem::take(&mut received.rights);
    let control = (header.control, header.control_len);
    let (cut, control_len) = call.take_rights(rights, control, flags & CLOSE_ON_EXEC != 0)?;
    call.put(message.wrapping_add(40), &control_len.to_le_bytes())?;
    let told = received.flags | cut | flags & CLOSE_ON_EXEC;
    call.put(message.wrapping_add(48), &told.to_le_bytes())?;
    Ok(call.told_length(&received, flags))
}

impl Call<'_> {
    /// The result of a call that has received: with MSG_TRUNC, how long the message was.
    fn told_length(&self, received: &Received, flags: u32) -> u64 {
        (if flags & TRUNC != 0 { received.len } else { received.bytes.len() }) as u64
    }

    /// Events that `poll` reports for a socket.
    pub(crate) fn socket_readiness(&self, ino: Ino, socket: &Socket) -> u16 {
        const IN: u16 = 0x41;
        const OUT: u16 = 0x104;
        const OUT_BAND: u16 = 0x200;
        const ERR: u16 = 8;
        const HUP: u16 = 16;
        const READ_HUP: u16 = 0x2000;
        let when = |holds: bool, events: u16| if holds { events } else { 0 };
        let unix = socket.is_unix();
        if let State::Listening { waiting, .. } = &socket.state {
            let comes = !waiting.is_empty() || self.outside_may_connect(ino);
            return when(comes, IN)
                | when(unix && socket.no_reading, READ_HUP | IN)
                | when(unix && socket.no_reading && socket.no_writing, HUP);
        }
        let connected = socket.is_connected();
        let shut = socket.no_reading && socket.no_writing;
        let connection = socket.carries != Carries::Datagrams;
        let comes = !socket.queue.is_empty() || socket.outside.is_some() || self.outside_may_send(socket);
        let band = if socket.is_tcp() { 0 } else { OUT_BAND };
        when(socket.error.is_some(), ERR)
            | when(shut || connection && !connected, HUP)
            | when(socket.no_reading, READ_HUP | IN)
            | when(comes, IN)
            | when(self.has_room(ino, socket), OUT | band)
    }

    /// Returns true if `poll` reports that a socket can be written to.
    fn has_room(&self, ino: Ino, socket: &Socket) -> bool {
        let other = socket.peer.and_then(|peer| self.kernel.socket(peer));
        if socket.is_tcp() {
            return socket.no_writing || other.is_none_or(|other| other.room() > 0);
        }
        if socket.is_udp() {
            return true;
        }
        let held: usize = self.fs().endpoints().map(|(_, s)| s.weight_from(ino)).sum();
        let fits = 4 * (held + 1) <= socket.send_buffer as usize;
        let crowded = socket.carries != Carries::Stream
            && other.is_some_and(|other| other.peer != Some(ino) && other.queue.len() > MOST_MESSAGES);
        fits && !crowded
    }
}

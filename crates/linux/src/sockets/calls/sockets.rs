//! Handlers that make, name, connect and shut down sockets.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};

use crate::files::descriptions::{O_CLOEXEC, O_NONBLOCK, O_RDWR, OpenFile};
use crate::files::inode::{FileNode, Ino, Name, S_IFSOCK};
use crate::files::path::{AT_FDCWD, LookupMode};
use crate::kernel::errno::*;
use crate::kernel::state::Call;
use crate::sockets::addresses::{AF_INET, AF_INET6, AF_UNIX, AF_UNSPEC, UnixName};
use crate::sockets::network::{is_local, route};
use crate::sockets::socket::{Address, Carries, Domain, Socket, State};

/// The lowest port that an ordinary user may have.
const FIRST_OWN_PORT: u16 = 1024;
/// The most connections that wait to be accepted, even if `listen` is told a greater number.
const MOST_WAITING: u32 = 4096;
/// Time after which `connect` of TCP gives up if there is no answer, in nanoseconds.
const CONNECT_PATIENCE: u64 = 130_000_000_000;
const NOBODY_CONNECTS: &str = "nobody connects to the socket";
const NOBODY_ACCEPTS: &str = "as many connections wait as there may be, and nobody accepts one";

/// Family and kind of a new socket.
fn kind(family: u64, kind: u64, protocol: u64) -> CallResult<(Domain, Carries)> {
    const FAMILIES: u32 = 46;
    const KINDS: u32 = 11;
    const ICMP: u32 = 1;
    let (family, kind, protocol) = (family as u32, kind as u32 & 0xf, protocol as u32);
    if family >= FAMILIES {
        return fail(EAFNOSUPPORT);
    }
    if kind >= KINDS {
        return fail(EINVAL);
    }
    let domain = match u64::from(family) {
        AF_UNIX => Domain::Unix,
        AF_INET => Domain::Inet,
        AF_INET6 => Domain::Inet6,
        // The sandbox has no others.
        _ => return fail(EPERM),
    };
    let carries = match kind {
        1 => Carries::Stream,
        2 => Carries::Datagrams,
        3 if domain == Domain::Unix => Carries::Datagrams,
        5 if domain == Domain::Unix => Carries::Packets,
        3 => return fail(EPERM),
        _ => return fail(ESOCKTNOSUPPORT),
    };
    let known: &[u32] = match (domain, carries) {
        (Domain::Unix, _) => &[0, 1],
        (_, Carries::Stream) => &[0, 6],
        _ => &[0, 17],
    };
    match known.contains(&protocol) {
        true => Ok((domain, carries)),
        false if domain == Domain::Inet && carries == Carries::Datagrams && protocol == ICMP => fail(EACCES),
        false if domain != Domain::Unix && protocol >= 263 => fail(EINVAL),
        false => fail(EPROTONOSUPPORT),
    }
}

impl Call<'_> {
    /// A descriptor of a socket; without one the socket ends.
    fn open_socket(&mut self, ino: Ino, flags: u32) -> CallResult {
        let file = OpenFile::new(ino, O_RDWR | flags & O_NONBLOCK);
        let opened = self.install(file, 0, flags & O_CLOEXEC != 0);
        if opened.is_err() {
            self.kernel.close_socket(ino);
        }
        opened
    }

    fn new_socket(&mut self, domain: Domain, carries: Carries) -> Ino {
        let owner = self.process().pid;
        self.kernel.make_socket(Socket::new(domain, carries, owner))
    }
}

fn check_flags(flags: u64) -> CallResult<u32> {
    let flags = flags as u32 & !0xf;
    if flags & !(O_CLOEXEC | O_NONBLOCK) != 0 { fail(EINVAL) } else { Ok(flags) }
}

pub(crate) fn socket(call: &mut Call<'_>, [family, what, protocol, ..]: [u64; 6]) -> CallResult {
    let flags = check_flags(what)?;
    let (domain, carries) = kind(family, what, protocol)?;
    let ino = call.new_socket(domain, carries);
    call.open_socket(ino, flags)
}

pub(crate) fn socketpair(call: &mut Call<'_>, [family, what, protocol, fds, ..]: [u64; 6]) -> CallResult {
    let flags = check_flags(what)?;
    let (domain, carries) = kind(family, what, protocol)?;
    if domain != Domain::Unix {
        return fail(EOPNOTSUPP);
    }
    let (a, b) = (call.new_socket(domain, carries), call.new_socket(domain, carries));
    for (one, other) in [(a, b), (b, a)] {
        let socket = call.socket_mut(one)?;
        (socket.peer, socket.state) = (Some(other), State::Connected);
    }
    let first = match call.open_socket(a, flags) {
        Ok(first) => first,
        Err(error) => {
            call.kernel.close_socket(b);
            return Err(error);
        }
    };
    let second = match call.open_socket(b, flags) {
        Ok(second) => second,
        Err(error) => {
            call.close(first as i32)?;
            return Err(error);
        }
    };
    call.put(fds, &[(first as u32).to_le_bytes(), (second as u32).to_le_bytes()].concat())?;
    Ok(0)
}

pub(crate) fn bind(call: &mut Call<'_>, [fd, address, len, ..]: [u64; 6]) -> CallResult {
    let (ino, socket) = call.socket_of(fd)?;
    let (domain, carries) = (socket.domain, socket.carries);
    let given = call.given_address(address, len)?;
    if domain != Domain::Unix {
        return call.bind_internet(ino, domain, &given);
    }
    if given.len() == 2 && call.family(&given)? == AF_UNIX {
        return call.bind_unix_somewhere(ino).map(|()| 0);
    }
    let named = call.socket(ino)?.name.is_some();
    let name = match call.unix_name(&given)? {
        UnixName::Path(path) => {
            let place = match call.new_place(AT_FDCWD, &path, false) {
                Err(Fail::Errno(EEXIST)) => return fail(EADDRINUSE),
                place => place?,
            };
            if named {
                return fail(EINVAL);
            }
            let at = call.create_file(place, FileNode::Socket, 0o777)?;
            Address::Path(path, at)
        }
        UnixName::Abstract(_) if named => return fail(EINVAL),
        UnixName::Abstract(name) => {
            if call.find_abstract(&name, carries)?.is_some() {
                return fail(EADDRINUSE);
            }
            Address::Abstract(name)
        }
    };
    let socket = call.socket_mut(ino)?;
    (socket.name, socket.bound) = (Some(name), true);
    Ok(0)
}

impl Call<'_> {
    fn bind_internet(&mut self, ino: Ino, domain: Domain, given: &[cleave_memory::Byte]) -> CallResult {
        let (ip, port) = self.internet_name(domain, given, domain == Domain::Inet)?;
        if self.family(given)? == AF_UNSPEC && !ip.is_unspecified() {
            return fail(EAFNOSUPPORT);
        }
        let elsewhere = !is_local(ip) && !ip.is_unspecified();
        if elsewhere && domain == Domain::Inet {
            return fail(EADDRNOTAVAIL);
        }
        if (1..FIRST_OWN_PORT).contains(&port) {
            return fail(EACCES);
        }
        let socket = self.socket(ino)?;
        if socket.address().is_some() || !matches!(socket.state, State::Fresh | State::Reset) {
            return fail(EINVAL);
        }
        let plain = domain == Domain::Inet6 && ip.is_ipv4();
        if plain && socket.only_six() {
            return fail(EINVAL);
        }
        if elsewhere {
            return fail(EADDRNOTAVAIL);
        }
        let chosen = port != 0;
        let port = if chosen { port } else { self.kernel.free_port(ino, ip)? };
        if let Err(error) = self.kernel.check_port(ino, ip, port) {
            self.socket_mut(ino)?.forget_address();
            return Err(error);
        }
        let socket = self.socket_mut(ino)?;
        if domain == Domain::Inet6 && !plain && !ip.is_unspecified() {
            socket.keep_to_six();
        }
        // A port that was chosen by the system is given back when a connection ends.
        (socket.bound, socket.freed, socket.fixed) = (chosen, false, !ip.is_unspecified());
        socket.name = Some(Address::Internet(ip, port));
        Ok(0)
    }

    /// A name of Linux's own choice: five digits.
    fn bind_unix_somewhere(&mut self, ino: Ino) -> CallResult<()> {
        let socket = self.socket(ino)?;
        let carries = socket.carries;
        if socket.name.is_some() {
            return Ok(());
        }
        loop {
            let network = self.kernel.network_mut();
            network.names += 1;
            let name = format!("{:05x}", network.names & 0xf_ffff);
            let name: Name = name.bytes().map(cleave_memory::Byte::Known).collect();
            if self.find_abstract(&name, carries)?.is_none() {
                let socket = self.socket_mut(ino)?;
                (socket.name, socket.bound) = (Some(Address::Abstract(name)), true);
                return Ok(());
            }
        }
    }

    /// The socket with an abstract name; sockets of each kind of data have names of their own.
    fn find_abstract(&mut self, name: &Name, carries: Carries) -> CallResult<Option<Ino>> {
        let named: Vec<(Ino, Name)> = self
            .fs()
            .endpoints()
            .filter_map(|(ino, socket)| match &socket.name {
                Some(Address::Abstract(name)) if socket.bound && socket.carries == carries => {
                    Some((ino, name.clone()))
                }
                _ => None,
            })
            .collect();
        for (ino, other) in named {
            if self.same(name, &other)? {
                return Ok(Some(ino));
            }
        }
        Ok(None)
    }

    /// The socket of `AF_UNIX` with a name, which must carry the same.
    pub(crate) fn find_unix(&mut self, name: &UnixName, carries: Carries) -> CallResult<Ino> {
        let found = match name {
            UnixName::Abstract(name) => self.find_abstract(name, carries)?,
            UnixName::Path(path) => {
                let at = self.lookup(AT_FDCWD, path, LookupMode::Follow)?;
                if !self.may(at, 2)? {
                    return fail(EACCES);
                }
                if self.inode(at)?.kind() != S_IFSOCK {
                    return fail(ECONNREFUSED);
                }
                let mut bound = self.fs().endpoints().filter(|(_, socket)| socket.bound);
                bound
                    .find(|(_, s)| matches!(s.name, Some(Address::Path(_, named)) if named == at))
                    .map(|(ino, _)| ino)
            }
        };
        match found {
            None => fail(ECONNREFUSED),
            Some(ino) if self.socket(ino)?.carries != carries => fail(EPROTOTYPE),
            Some(ino) => Ok(ino),
        }
    }
}

pub(crate) fn listen(call: &mut Call<'_>, [fd, backlog, ..]: [u64; 6]) -> CallResult {
    let (ino, socket) = call.socket_of(fd)?;
    if socket.carries == Carries::Datagrams {
        return fail(EOPNOTSUPP);
    }
    let most = (backlog as u32).min(MOST_WAITING);
    if let State::Listening { backlog, .. } = &mut call.socket_mut(ino)?.state {
        *backlog = most;
        return Ok(0);
    }
    let socket = call.socket(ino)?;
    let unnamed = socket.name.is_none();
    if !matches!(socket.state, State::Fresh) || socket.is_unix() && unnamed {
        return fail(EINVAL);
    }
    let internet = !socket.is_unix();
    if internet {
        call.kernel.bind_somewhere(ino)?;
    }
    let before = call.socket(ino)?.state.clone();
    let owner = call.process().pid;
    let socket = call.socket_mut(ino)?;
    (socket.state, socket.owner) = (State::Listening { backlog: most, waiting: VecDeque::new() }, owner);
    if internet
        && let Some(Address::Internet(ip, port)) = call.socket(ino)?.name
        && let Err(error) = call.kernel.check_port(ino, ip, port)
    {
        call.socket_mut(ino)?.state = before;
        return Err(error);
    }
    Ok(0)
}

pub(crate) fn connect(call: &mut Call<'_>, [fd, address, len, ..]: [u64; 6]) -> CallResult {
    let waits = call.file(fd as i32)?.flags & O_NONBLOCK == 0;
    let given = call.given_address(address, len)?;
    let (ino, socket) = call.socket_of(fd)?;
    let (domain, carries) = (socket.domain, socket.carries);
    if given.len() < 2 {
        return fail(EINVAL);
    }
    let unspecified = call.family(&given)? == AF_UNSPEC;
    match (domain, carries) {
        (Domain::Unix, Carries::Datagrams) if unspecified => call.befriend(ino, None),
        (Domain::Unix, Carries::Datagrams) => {
            let name = call.unix_name(&given)?;
            let other = call.find_unix(&name, carries)?;
            if call.socket(other)?.peer.is_some_and(|peer| peer != ino) {
                return fail(EPERM);
            }
            call.befriend(ino, Some(other))
        }
        (Domain::Unix, _) => call.connect_unix(ino, &given, waits),
        (_, Carries::Datagrams) if unspecified => {
            let socket = call.socket_mut(ino)?;
            (socket.peer_name, socket.state) = (None, State::Fresh);
            if !socket.bound {
                socket.name = None;
            }
            Ok(0)
        }
        (_, Carries::Datagrams) => call.connect_datagrams(ino, domain, &given),
        _ if unspecified => unsupported("connect that ends a connection (AF_UNSPEC)"),
        _ => call.connect_stream(ino, domain, &given, waits),
    }
}

impl Call<'_> {
    /// Gives a socket of datagrams of `AF_UNIX` a peer, or takes it away.
    fn befriend(&mut self, ino: Ino, other: Option<Ino>) -> CallResult {
        let before = self.socket(ino)?.peer;
        if before.is_some() && before != other {
            self.kernel.part_from(ino, before);
        }
        let socket = self.socket_mut(ino)?;
        socket.peer = other;
        socket.state = if other.is_some() { State::Connected } else { State::Fresh };
        Ok(0)
    }

    fn connect_unix(&mut self, ino: Ino, given: &[cleave_memory::Byte], waits: bool) -> CallResult {
        let socket = self.socket(ino)?;
        let (carries, patience) = (socket.carries, socket.send_patience);
        let name = self.unix_name(given)?;
        let other = self.find_unix(&name, carries)?;
        let listening = self.socket(other)?;
        let full = match &listening.state {
            State::Listening { backlog, waiting } if !listening.no_reading => {
                waiting.len() > *backlog as usize
            }
            _ => return fail(ECONNREFUSED),
        };
        let check = |socket: &Socket| match socket.state {
            State::Fresh | State::Reset => Ok(()),
            State::Connected => fail(EISCONN),
            State::Listening { .. } => fail(EINVAL),
        };
        if full {
            return self.wait_in_socket(waits, patience, NOBODY_ACCEPTS);
        }
        check(self.socket(ino)?)?;
        self.meet(ino, other)?;
        Ok(0)
    }

    /// Makes the other end of a connection, which waits to be accepted.
    fn meet(&mut self, ino: Ino, listening: Ino) -> CallResult<Ino> {
        let listener = self.socket(listening)?;
        let owner = listener.owner;
        let mut embryo = listener.accepted(owner);
        embryo.peer = Some(ino);
        let caller = self.socket(ino)?;
        if !caller.is_unix() {
            embryo.peer_name.clone_from(&caller.name);
            embryo.name.clone_from(&caller.peer_name);
        }
        let embryo = self.kernel.make_socket(embryo);
        let owner = self.process().pid;
        let caller = self.socket_mut(ino)?;
        (caller.peer, caller.state, caller.owner) = (Some(embryo), State::Connected, owner);
        if let State::Listening { waiting, .. } = &mut self.socket_mut(listening)?.state {
            waiting.push_back(embryo);
        }
        Ok(embryo)
    }

    /// Destination of a message that a socket of the internet sends to an address, and the address and port that it comes from.
    /// `mixed` is the error of a socket that has an address of IPv6 for one of IPv4.
    pub(crate) fn route_from(&self, ino: Ino, to: IpAddr, mixed: Errno) -> CallResult<(IpAddr, IpAddr, u16)> {
        let socket = self.socket(ino)?;
        let Some((own, at)) = socket.address() else { return fail(EINVAL) };
        let (own, to) = match (own, to) {
            (IpAddr::V6(own), IpAddr::V4(_)) if !own.is_unspecified() && socket.fixed => return fail(mixed),
            (IpAddr::V6(own), IpAddr::V4(_)) if !own.is_unspecified() => {
                return unsupported("an address of IPv4 for a socket that was connected to one of IPv6");
            }
            (IpAddr::V6(_), IpAddr::V4(_)) => (Ipv4Addr::UNSPECIFIED.into(), to),
            (IpAddr::V4(_), IpAddr::V6(to)) if to.is_unspecified() => (own, Ipv4Addr::UNSPECIFIED.into()),
            (IpAddr::V4(_), IpAddr::V6(_)) => return fail(EAFNOSUPPORT),
            same => same,
        };
        match route(to, own) {
            Some((to, from)) => Ok((to, from, at)),
            None => fail(ENETUNREACH),
        }
    }

    /// The address of a socket's other end, and its own from there.
    fn way(&mut self, ino: Ino, domain: Domain, given: &[cleave_memory::Byte]) -> CallResult<[Address; 2]> {
        let datagrams = self.socket(ino)?.carries == Carries::Datagrams;
        let (ip, port) = match datagrams {
            true => self.datagram_name(ino, given)?,
            false => self.internet_name(domain, given, false)?,
        };
        if domain == Domain::Inet6 && ip.is_ipv4() && self.socket(ino)?.only_six() {
            return fail(ENETUNREACH);
        }
        self.kernel.bind_somewhere(ino)?;
        let plain = self.family(given)? == AF_INET;
        let (to, from, at) = self.route_from(ino, ip, if plain { EAFNOSUPPORT } else { ENETUNREACH })?;
        Ok([Address::Internet(to, port), Address::Internet(from, at)])
    }

    fn connect_datagrams(&mut self, ino: Ino, domain: Domain, given: &[cleave_memory::Byte]) -> CallResult {
        // It keeps the port if this fails.
        self.kernel.bind_somewhere(ino)?;
        let way = self.way(ino, domain, given);
        if matches!(way, Err(Fail::Errno(ENETUNREACH))) && self.socket(ino)?.is_connected() {
            // Natively, a message that was sent to the peer before is then refused once, and later ones are lost.
            return unsupported("connect of connected datagrams to an address that cannot be reached");
        }
        let [to, from] = way?;
        let socket = self.socket_mut(ino)?;
        (socket.name, socket.peer_name, socket.state) = (Some(from), Some(to), State::Connected);
        Ok(0)
    }

    fn connect_stream(
        &mut self,
        ino: Ino,
        domain: Domain,
        given: &[cleave_memory::Byte],
        waits: bool,
    ) -> CallResult {
        let socket = self.socket(ino)?;
        let patience = socket.send_patience;
        if socket.connecting {
            return self.connected_meanwhile(ino);
        }
        if !matches!(socket.state, State::Fresh) {
            return fail(EISCONN);
        }
        if socket.no_reading || socket.no_writing {
            return unsupported("connect of a socket that was shut down");
        }
        let before = (socket.name.clone(), socket.freed);
        let undone = |call: &mut Self| -> CallResult<()> {
            let socket = call.socket_mut(ino)?;
            (socket.name, socket.freed) = before.clone();
            Ok(())
        };
        let [to, from] = match self.way(ino, domain, given) {
            Ok(way) => way,
            Err(error) => {
                undone(self)?;
                return Err(error);
            }
        };
        let Address::Internet(ip, port) = to else { return fail(EINVAL) };
        if ip.is_ipv6() && self.socket(ino)?.asked_four {
            return unsupported("connect to an address of IPv6 after one of IPv4 from the same socket");
        }
        self.socket_mut(ino)?.asked_four = domain == Domain::Inet6 && ip.is_ipv4();
        let listener = self.kernel.listener(ip, port);
        let full = match listener.map(|ino| self.socket(ino)).transpose()?.map(|s| &s.state) {
            Some(State::Listening { backlog, waiting }) => waiting.len() > *backlog as usize,
            _ => false,
        };
        let itself = matches!(from, Address::Internet(own, at) if (own, at) == (ip, port));
        let Some(listener) = listener else {
            if itself {
                // Both ends open the connection at once, as TCP has it.
                let socket = self.socket_mut(ino)?;
                (socket.name, socket.peer_name, socket.peer) = (Some(from), Some(to), Some(ino));
                (socket.state, socket.connecting) = (State::Connected, !waits);
                return if waits { Ok(0) } else { fail(EINPROGRESS) };
            }
            let socket = self.socket_mut(ino)?;
            socket.freed = !socket.bound;
            if waits {
                return fail(ECONNREFUSED);
            }
            if !socket.bound {
                socket.name = Some(from);
            }
            (socket.connecting, socket.error, socket.state) = (true, Some(ECONNREFUSED), State::Reset);
            (socket.no_reading, socket.no_writing) = (true, true);
            self.kernel.give_way();
            return fail(EINPROGRESS);
        };
        if full {
            undone(self)?;
            if !waits {
                return unsupported("connect that does not wait, to a socket where too many wait already");
            }
            let patience = patience.unwrap_or(CONNECT_PATIENCE);
            self.wait_at_most(Some(patience), NOBODY_ACCEPTS)?;
            return fail(ETIMEDOUT);
        }
        let socket = self.socket_mut(ino)?;
        (socket.name, socket.peer_name) = (Some(from), Some(to));
        socket.connecting = !waits;
        (socket.no_reading, socket.no_writing, socket.ended) = (false, false, false);
        self.meet(ino, listener)?;
        if waits {
            return Ok(0);
        }
        self.kernel.give_way();
        fail(EINPROGRESS)
    }

    /// Result of a `connect` that did not wait.
    fn connected_meanwhile(&mut self, ino: Ino) -> CallResult {
        let socket = self.socket_mut(ino)?;
        socket.connecting = false;
        if socket.is_connected() {
            return Ok(0);
        }
        (socket.no_reading, socket.no_writing, socket.state) = (false, false, State::Fresh);
        if !socket.bound && !socket.fixed {
            socket.forget_address();
        }
        match socket.take_error() {
            Some(errno) => fail(errno),
            None => fail(ECONNABORTED),
        }
    }
}

pub(crate) fn accept(call: &mut Call<'_>, [fd, address, len, ..]: [u64; 6]) -> CallResult {
    accept4(call, [fd, address, len, 0, 0, 0])
}

pub(crate) fn accept4(call: &mut Call<'_>, [fd, address, len, flags, ..]: [u64; 6]) -> CallResult {
    if flags as u32 & !(O_CLOEXEC | O_NONBLOCK) != 0 {
        return fail(EINVAL);
    }
    let flags = check_flags(flags)?;
    let (ino, socket) = call.socket_of(fd)?;
    call.process().free_descriptor(0)?;
    if socket.carries == Carries::Datagrams {
        return fail(EOPNOTSUPP);
    }
    let (domain, unix) = (socket.domain, socket.is_unix());
    let (patience, shut) = (socket.receive_patience, socket.no_reading);
    let State::Listening { waiting, .. } = &socket.state else { return fail(EINVAL) };
    let waits = call.file(fd as i32)?.flags & O_NONBLOCK == 0;
    let new = match waiting.front().copied() {
        Some(first) => {
            if let State::Listening { waiting, .. } = &mut call.socket_mut(ino)?.state {
                waiting.pop_front();
            }
            first
        }
        None if shut && unix && waits => return fail(EINVAL),
        None => match call.connection_from_outside(ino)? {
            Some(new) => new,
            None => return call.wait_in_socket(waits, patience, NOBODY_CONNECTS),
        },
    };
    let name = call.peer_name(new)?;
    let opened = call.open_socket(new, flags)?;
    call.tell_address(address, len, domain, name.as_ref())?;
    Ok(opened)
}

impl Call<'_> {
    /// The name of a socket's other end, if it has one.
    fn peer_name(&self, ino: Ino) -> CallResult<Option<Address>> {
        let socket = self.socket(ino)?;
        let peer = socket.peer.filter(|_| socket.is_unix()).and_then(|peer| self.kernel.socket(peer));
        Ok(peer.map_or(socket.peer_name.clone(), |peer| peer.name.clone()))
    }
}

pub(crate) fn getsockname(call: &mut Call<'_>, [fd, address, len, ..]: [u64; 6]) -> CallResult {
    let (_, socket) = call.socket_of(fd)?;
    let shown = socket.domain.show(socket.name.as_ref());
    call.put_address(address, len, &shown)?;
    Ok(0)
}

pub(crate) fn getpeername(call: &mut Call<'_>, [fd, address, len, ..]: [u64; 6]) -> CallResult {
    let (ino, socket) = call.socket_of(fd)?;
    if !socket.is_connected() || matches!(socket.peer_name, Some(Address::Internet(_, 0))) {
        return fail(ENOTCONN);
    }
    let domain = socket.domain;
    let name = call.peer_name(ino)?;
    let shown = domain.show(name.as_ref());
    call.put_address(address, len, &shown)?;
    Ok(0)
}

pub(crate) fn shutdown(call: &mut Call<'_>, [fd, how, ..]: [u64; 6]) -> CallResult {
    let (ino, socket) = call.socket_of(fd)?;
    let how = how as u32;
    if how > 2 {
        return fail(EINVAL);
    }
    let (reading, writing) = (how != 1, how != 0);
    let (unix, carries, listening) = (socket.is_unix(), socket.carries, socket.is_listening());
    let (peer, connected, refused) =
        (socket.peer, socket.is_connected(), socket.connecting && !socket.is_connected());
    if refused {
        return unsupported("shutdown of a socket whose connection was refused");
    }
    if !unix && listening {
        if reading {
            call.stop_listening(ino)?;
        }
        return Ok(0);
    }
    let socket = call.socket_mut(ino)?;
    let first = writing && !socket.no_writing;
    socket.connecting = false;
    socket.no_reading |= reading;
    socket.no_writing |= writing;
    if unix {
        let other = peer.filter(|_| carries != Carries::Datagrams && connected);
        if let Some(other) = other.and_then(|peer| call.kernel.socket_mut(peer)) {
            other.no_writing |= reading;
            other.no_reading |= writing;
        }
        return Ok(0);
    }
    if !connected {
        return fail(ENOTCONN);
    }
    if carries == Carries::Stream && first {
        call.kernel.finish(ino);
    }
    Ok(0)
}

impl Call<'_> {
    /// A socket of TCP stops listening; connections that wait to be accepted are reset.
    fn stop_listening(&mut self, ino: Ino) -> CallResult<()> {
        let socket = self.socket_mut(ino)?;
        let State::Listening { waiting, .. } = std::mem::replace(&mut socket.state, State::Fresh) else {
            return Ok(());
        };
        // A port that was chosen by the system is given back, and still shown.
        socket.freed = !socket.bound;
        for embryo in waiting {
            self.kernel.refuse(embryo);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_can_be_reached() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(route(ip("0.0.0.0"), ip("0.0.0.0")), Some((ip("127.0.0.1"), ip("127.0.0.1"))));
        assert_eq!(route(ip("127.0.0.5"), ip("127.0.0.9")), Some((ip("127.0.0.5"), ip("127.0.0.9"))));
        assert_eq!(route(ip("::1"), ip("::")), Some((ip("::1"), ip("::1"))));
        assert_eq!(route(ip("10.0.0.1"), ip("0.0.0.0")), None);
    }
}

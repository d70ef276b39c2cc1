//! The network, which is this machine alone: the names of sockets, and the effects of closing a socket on its other end.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::rc::Rc;

use crate::files::inode::{FileNode, Ino};
use crate::kernel::errno::{CallResult, EADDRINUSE, EBADF, ECONNRESET, ENOTSOCK, EPIPE, fail};
use crate::kernel::state::{Call, Kernel};
use crate::sockets::ports::{Network, Remnant};
use crate::sockets::socket::{Address, Carries, Socket, State};

/// The ports that sockets get which ask for none in particular.
const PORTS: std::ops::RangeInclusive<u16> = 32_768..=60_999;
/// Time for which the port of a connection stays taken that this end closed first, in nanoseconds.
const LINGERS: u64 = 60_000_000_000;
pub(crate) const SOL_SOCKET: u32 = 1;
pub(crate) const SO_REUSEADDR: u32 = 2;
pub(crate) const SO_REUSEPORT: u32 = 15;
const IPPROTO_IPV6: u32 = 41;
const IPV6_V6ONLY: u32 = 26;

impl Socket {
    fn reuses(&self) -> bool {
        self.option(SOL_SOCKET, SO_REUSEADDR) != 0
    }

    pub(crate) fn only_six(&self) -> bool {
        self.option(IPPROTO_IPV6, IPV6_V6ONLY) != 0
    }

    /// It has an address of IPv6 and gets nothing of IPv4 any more, as if the program had said so.
    pub(crate) fn keep_to_six(&mut self) {
        self.options.insert((IPPROTO_IPV6, IPV6_V6ONLY), 1);
    }

    /// Quality of the match of its name with a destination address: none, by all addresses, by this one.
    fn fits(&self, ip: IpAddr, port: u16) -> Option<u32> {
        match self.address() {
            Some((own, at)) if at == port => match own {
                own if own == ip => Some(2),
                IpAddr::V4(Ipv4Addr::UNSPECIFIED) if ip.is_ipv4() => Some(1),
                IpAddr::V6(Ipv6Addr::UNSPECIFIED) if ip.is_ipv6() || !self.only_six() => Some(1),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns true if two sockets with these addresses would get some of the same messages.
fn meet(a: (IpAddr, bool), b: (IpAddr, bool)) -> bool {
    let all = |(own, only_six): (IpAddr, bool), other: IpAddr| {
        own.is_unspecified() && (own.is_ipv4() == other.is_ipv4() || own.is_ipv6() && !only_six)
    };
    a.0 == b.0 || all(a, b.0) || all(b, a.0)
}

impl Kernel {
    pub(crate) fn network_mut(&mut self) -> &mut Network {
        Rc::make_mut(&mut self.network)
    }

    pub(crate) fn socket(&self, ino: Ino) -> Option<&Socket> {
        match &self.fs.inode(ino).ok()?.node {
            FileNode::Endpoint(socket) => Some(socket),
            _ => None,
        }
    }

    pub(crate) fn socket_mut(&mut self, ino: Ino) -> Option<&mut Socket> {
        match &mut Rc::make_mut(&mut self.fs).inode_mut(ino).ok()?.node {
            FileNode::Endpoint(socket) => Some(socket),
            _ => None,
        }
    }

    /// Makes a socket that has no descriptor yet.
    pub(crate) fn make_socket(&mut self, socket: Socket) -> Ino {
        let now = self.now();
        Rc::make_mut(&mut self.fs).endpoint(socket, now)
    }

    /// Keeps the last name of a closed socket for the messages that it has sent.
    pub(crate) fn keep_name(&mut self, ino: Ino, socket: &Socket) {
        let sent = |other: &Socket| other.queue.iter().any(|message| message.from == Some(ino));
        let holders: Vec<Ino> = self.sockets(sent).map(|(other, _)| other).collect();
        for holder in holders {
            let Some(other) = self.socket_mut(holder) else { continue };
            for message in other.queue.iter_mut().filter(|message| message.from == Some(ino)) {
                message.name.clone_from(&socket.name);
            }
        }
    }

    /// A connection that was not accepted ends with the socket that listened.
    pub(crate) fn refuse(&mut self, embryo: Ino) {
        let Some(socket) = self.socket(embryo) else { return };
        let (peer, name) = (socket.peer, socket.name.clone());
        if let Some(peer) = peer {
            if self.socket(peer).is_some_and(Socket::is_tcp) {
                self.reset(peer);
            } else if let Some(peer) = self.socket_mut(peer) {
                (peer.no_reading, peer.no_writing, peer.error) = (true, true, Some(ECONNRESET));
                peer.peer_name = name;
            }
        }
        Rc::make_mut(&mut self.fs).forget(embryo);
    }

    /// Ends the connection of a socket that is closed.
    pub(crate) fn part(&mut self, ino: Ino, socket: &Socket, peer: Ino, unread: bool) {
        if socket.carries == Carries::Datagrams {
            return;
        }
        if socket.is_unix() {
            let name = socket.name.clone();
            if let Some(peer) = self.socket_mut(peer) {
                (peer.no_reading, peer.no_writing, peer.peer_name) = (true, true, name);
                if unread {
                    peer.error = Some(ECONNRESET);
                }
            }
            return;
        }
        if unread {
            // The other end hears that, even if its program has closed it.
            self.network_mut().remnants.retain(|r| r.until != Err(ino));
            return self.reset(peer);
        }
        if !socket.no_writing {
            self.finish(ino);
        }
        // The end that closed first, and does not hear the other end, keeps the port.
        if let Some((ip, port)) = socket.address()
            && !socket.ended
        {
            let reuses = socket.reuses();
            self.network_mut().remnants.push(Remnant { ip, port, reuses, until: Err(peer) });
        }
    }

    /// Says on a connection of TCP that nothing comes any more from this end. If that is true of both ends, the connection is
    /// over.
    pub(crate) fn finish(&mut self, ino: Ino) {
        let Some(socket) = self.socket(ino) else { return };
        // A socket that is connected to itself hears itself.
        let (over, peer) = (socket.ended || socket.peer == Some(ino), socket.peer);
        if let Some(peer) = peer.and_then(|peer| self.socket_mut(peer)) {
            (peer.ended, peer.no_reading) = (true, true);
        }
        if !over {
            return;
        }
        let until = Ok(self.clock.saturating_add(LINGERS));
        for remnant in self.network_mut().remnants.iter_mut().filter(|r| r.until == Err(ino)) {
            remnant.until = until;
        }
        if let Some(first) = peer.and_then(|peer| self.socket(peer))
            && let Some((ip, port)) = first.address()
        {
            let reuses = first.reuses();
            self.network_mut().remnants.push(Remnant { ip, port, reuses, until });
        }
        for end in peer.into_iter().chain([ino]) {
            if let Some(socket) = self.socket_mut(end) {
                (socket.state, socket.freed) = (State::Reset, !socket.bound);
            }
        }
    }

    /// A connection of TCP is reset at this end.
    pub(crate) fn reset(&mut self, ino: Ino) {
        let Some(socket) = self.socket_mut(ino) else { return };
        socket.error = Some(if socket.ended { EPIPE } else { ECONNRESET });
        (socket.no_reading, socket.no_writing, socket.state) = (true, true, State::Reset);
        socket.freed = !socket.bound;
        self.network_mut().remnants.retain(|r| r.until != Err(ino));
    }

    /// The sockets that `which` picks, oldest first.
    pub(crate) fn sockets(&self, which: impl Fn(&Socket) -> bool) -> impl Iterator<Item = (Ino, &Socket)> {
        self.fs.endpoints().filter(move |(_, socket)| which(socket))
    }

    /// The socket of TCP that takes connections to an address.
    pub(crate) fn listener(&self, ip: IpAddr, port: u16) -> Option<Ino> {
        let listening = self.sockets(|s| s.is_tcp() && s.is_listening());
        let fitting = listening.filter_map(|(ino, socket)| Some((socket.fits(ip, port)?, ino)));
        fitting.max_by_key(|&(how, _)| how).map(|(_, ino)| ino)
    }

    /// The socket of UDP that gets messages from one address to another.
    pub(crate) fn receiver(&self, to: (IpAddr, u16), from: (IpAddr, u16)) -> Option<Ino> {
        let fitting = self.sockets(Socket::is_udp).filter_map(|(ino, socket)| {
            let how = socket.fits(to.0, to.1)?;
            match socket.peer_name {
                None => Some((how, ino)),
                Some(Address::Internet(ip, port)) if (ip, port) == from => Some((how + 8, ino)),
                // Connected to port 0 means to all ports.
                Some(Address::Internet(ip, 0)) if ip == from.0 => Some((how + 4, ino)),
                Some(_) => None,
            }
        });
        fitting.max_by_key(|&(how, _)| how).map(|(_, ino)| ino)
    }

    /// Checks if a socket of the internet may have this address.
    pub(crate) fn check_port(&self, ino: Ino, ip: IpAddr, port: u16) -> CallResult<()> {
        let Some(own) = self.socket(ino) else { return fail(EBADF) };
        let both = |number: u32, other: &Socket| {
            own.option(SOL_SOCKET, number) != 0 && other.option(SOL_SOCKET, number) != 0
        };
        let shares = |other: &Socket| {
            both(SO_REUSEPORT, other)
                || both(SO_REUSEADDR, other) && !(other.is_listening() || own.is_listening())
        };
        let taken = self.sockets(|s| !s.is_unix() && s.carries == own.carries).any(|(other, socket)| {
            matches!(socket.address(), Some((at, there))
                if other != ino && there == port && meet((ip, own.only_six()), (at, socket.only_six())))
                && !shares(socket)
        });
        let lingers = self.network.remnants.iter().any(|r| {
            let still = r.until.map_or(true, |until| until > self.clock);
            still
                && r.port == port
                && meet((ip, own.only_six()), (r.ip, false))
                && !(r.reuses && own.reuses())
        });
        if taken || lingers && own.is_tcp() { fail(EADDRINUSE) } else { Ok(()) }
    }

    /// A free port.
    pub(crate) fn free_port(&mut self, ino: Ino, ip: IpAddr) -> CallResult<u16> {
        let span = PORTS.end() - PORTS.start();
        for _ in 0..=span {
            let network = self.network_mut();
            let port = PORTS.start() + network.ports % (span + 1);
            network.ports = (network.ports + 1) % (span + 1);
            if self.check_port(ino, ip, port).is_ok() {
                return Ok(port);
            }
        }
        fail(EADDRINUSE)
    }

    /// Gives a socket of the internet that has no port yet a free one.
    pub(crate) fn bind_somewhere(&mut self, ino: Ino) -> CallResult<()> {
        let Some(socket) = self.socket(ino) else { return fail(EBADF) };
        if socket.address().is_some() {
            return Ok(());
        }
        let ip = match socket.domain {
            // The address that the program chose stays where the port was given back.
            _ if socket.fixed
                && let Some(Address::Internet(ip, _)) = socket.name =>
            {
                ip
            }
            crate::sockets::socket::Domain::Inet6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
            _ => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        };
        let port = self.free_port(ino, ip)?;
        if let Some(socket) = self.socket_mut(ino) {
            (socket.name, socket.freed) = (Some(Address::Internet(ip, port)), false);
        }
        Ok(())
    }
}

/// Returns true if an address is one of this machine's own.
pub(crate) fn is_local(ip: IpAddr) -> bool {
    ip.is_loopback()
}

/// Destination and source of a message to an address: to all addresses means to the sender's own.
pub(crate) fn route(to: IpAddr, bound: IpAddr) -> Option<(IpAddr, IpAddr)> {
    let to = if to.is_unspecified() { bound } else { to };
    let (to, home): (IpAddr, IpAddr) = match to {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()),
        IpAddr::V4(_) => (to, Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(_) => (to, Ipv6Addr::LOCALHOST.into()),
    };
    let from = if bound.is_unspecified() { home } else { bound };
    (is_local(to) && to.is_ipv4() == from.is_ipv4()).then_some((to, from))
}

impl Call<'_> {
    /// The socket that a descriptor stands for.
    pub(crate) fn socket_of(&self, fd: u64) -> CallResult<(Ino, &Socket)> {
        let ino = self.file(fd as i32)?.ino;
        match self.kernel.socket(ino) {
            Some(socket) => Ok((ino, socket)),
            None => fail(ENOTSOCK),
        }
    }

    pub(crate) fn socket(&self, ino: Ino) -> CallResult<&Socket> {
        match self.kernel.socket(ino) {
            Some(socket) => Ok(socket),
            None => fail(EBADF),
        }
    }

    pub(crate) fn socket_mut(&mut self, ino: Ino) -> CallResult<&mut Socket> {
        match self.kernel.socket_mut(ino) {
            Some(socket) => Ok(socket),
            None => fail(EBADF),
        }
    }

    /// Fails with the error that waits in a socket.
    pub(crate) fn fail_as_told(&mut self, ino: Ino) -> CallResult<()> {
        if self.socket(ino)?.error.is_none() {
            return Ok(());
        }
        match self.socket_mut(ino)?.take_error() {
            Some(errno) => fail(errno),
            None => Ok(()),
        }
    }

    /// Waits as long as the socket's calls wait; fails at once if they do not.
    pub(crate) fn wait_in_socket<T>(
        &mut self,
        waits: bool,
        patience: Option<u64>,
        why: &'static str,
    ) -> CallResult<T> {
        use crate::kernel::errno::EAGAIN;
        if !waits {
            self.kernel.give_way();
            return fail(EAGAIN);
        }
        if patience.is_none() {
            return self.wait(why);
        }
        self.wait_at_most(patience, why)?;
        fail(EAGAIN)
    }
}

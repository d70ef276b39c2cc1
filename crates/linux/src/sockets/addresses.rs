//! Addresses of sockets as programs write and read them: `struct sockaddr_un`, `sockaddr_in`, `sockaddr_in6`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use cleave_memory::Byte;

use crate::files::inode::{Ino, Name};
use crate::kernel::errno::{CallResult, EAFNOSUPPORT, EINVAL, fail};
use crate::kernel::state::Call;
use crate::sockets::socket::{Address, Domain};

pub(crate) const AF_UNSPEC: u64 = 0;
pub(crate) const AF_UNIX: u64 = 1;
pub(crate) const AF_INET: u64 = 2;
pub(crate) const AF_INET6: u64 = 10;

/// The longest address that a call takes.
const MOST: u64 = 128;
const UNIX_SIZE: usize = 110;
const INET_SIZE: usize = 16;
/// Without the scope, which old programs do not have.
const INET6_LEAST: usize = 24;

/// A name of `AF_UNIX` as a program gives it.
pub(crate) enum UnixName {
    Path(Name),
    Abstract(Name),
}

fn known(bytes: &[u8]) -> Vec<Byte> {
    bytes.iter().map(|&b| Byte::Known(b)).collect()
}

impl Domain {
    pub(crate) fn number(self) -> u64 {
        match self {
            Domain::Unix => AF_UNIX,
            Domain::Inet => AF_INET,
            Domain::Inet6 => AF_INET6,
        }
    }

    /// An address as programs read it; without one, that of a socket without a name.
    pub(crate) fn show(self, address: Option<&Address>) -> Vec<Byte> {
        let mut bytes = known(&(self.number() as u16).to_le_bytes());
        let (ip, port) = match address {
            Some(Address::Path(name, _)) => {
                bytes.extend(name);
                bytes.push(Byte::Known(0));
                return bytes;
            }
            Some(Address::Abstract(name)) => {
                bytes.push(Byte::Known(0));
                bytes.extend(name);
                return bytes;
            }
            _ if self == Domain::Unix => return bytes,
            Some(Address::Internet(ip, port)) => (*ip, *port),
            None if self == Domain::Inet => (IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0),
            None => (IpAddr::V6(Ipv6Addr::UNSPECIFIED), 0),
        };
        bytes.extend(known(&port.to_be_bytes()));
        match (self, ip) {
            (Domain::Inet6, ip) => {
                let ip = match ip {
                    // An IPv6 socket shows an address of IPv4 in its mapped form.
                    IpAddr::V4(ip) => ip.to_ipv6_mapped(),
                    IpAddr::V6(ip) => ip,
                };
                bytes.extend(known(&[0; 4]));
                bytes.extend(known(&ip.octets()));
                bytes.extend(known(&[0; 4]));
            }
            (_, IpAddr::V4(ip)) => {
                bytes.extend(known(&ip.octets()));
                bytes.extend(known(&[0; 8]));
            }
            (_, IpAddr::V6(_)) => bytes.extend(known(&[0; 12])),
        }
        bytes
    }
}

/// The bytes of an address that the kernel looks at: not the zeros of `sockaddr_in`, the flow of `sockaddr_in6`, nor what follows
/// the end of a path.
fn looked_at(given: &[Byte]) -> [Range<usize>; 2] {
    let all = given.len();
    let family = match given {
        [Byte::Known(low), Byte::Known(high), ..] => u64::from(u16::from_le_bytes([*low, *high])),
        _ => AF_UNSPEC,
    };
    let path = given.get(2..).unwrap_or_default();
    let used = match family {
        AF_INET => [0..8, 0..0],
        AF_INET6 => [0..4, 8..INET6_LEAST],
        // A name that begins with a zero has all its bytes.
        AF_UNIX if path.first() != Some(&Byte::Known(0)) => {
            let end = path.iter().position(|byte| *byte == Byte::Known(0));
            [0..end.map_or(all, |end| 2 + end + 1), 0..0]
        }
        _ => [0..all, 0..0],
    };
    used.map(|part| part.start.min(all)..part.end.min(all))
}

impl Call<'_> {
    /// The bytes of an address that the program gives. Those that its family does not use need not be set.
    pub(crate) fn given_address(&mut self, address: u64, len: u64) -> CallResult<Vec<Byte>> {
        let len = len as u32 as i32;
        if len < 0 || len as u64 > MOST {
            return fail(EINVAL);
        }
        if len == 0 {
            return Ok(Vec::new());
        }
        let given = self.guest.carry(address, len as u64)?;
        for part in looked_at(&given).into_iter().filter(|part| !part.is_empty()) {
            self.guest.read(address.wrapping_add(part.start as u64), part.len() as u64)?;
        }
        Ok(given)
    }

    /// The family that an address says, which has room for it.
    pub(crate) fn family(&mut self, given: &[Byte]) -> CallResult {
        self.word_of(given.get(..2).unwrap_or_default())
    }

    /// A name of `AF_UNIX`.
    pub(crate) fn unix_name(&mut self, given: &[Byte]) -> CallResult<UnixName> {
        if given.len() <= 2 || given.len() > UNIX_SIZE || self.family(given)? != AF_UNIX {
            return fail(EINVAL);
        }
        let path = &given[2..];
        if self.is(path[0], 0)? {
            return Ok(UnixName::Abstract(path[1..].to_vec()));
        }
        let mut name = Name::new();
        for &byte in path {
            if self.is(byte, 0)? {
                break;
            }
            name.push(byte);
        }
        Ok(UnixName::Path(name))
    }

    /// An address and a port of the internet. `unspecified` says that the family may be missing, too.
    pub(crate) fn internet_name(
        &mut self,
        domain: Domain,
        given: &[Byte],
        unspecified: bool,
    ) -> CallResult<(IpAddr, u16)> {
        let least = if domain == Domain::Inet { INET_SIZE } else { INET6_LEAST };
        if given.len() < least {
            return fail(EINVAL);
        }
        let family = self.family(given)?;
        if family != domain.number() && !(unspecified && family == AF_UNSPEC) {
            return fail(EAFNOSUPPORT);
        }
        let port = (self.word_of(&given[2..4])? as u16).swap_bytes();
        if domain == Domain::Inet {
            let ip = self.word_of(&given[4..8])? as u32;
            return Ok((IpAddr::V4(Ipv4Addr::from(ip.to_le_bytes())), port));
        }
        let (high, low) = (self.word_of(&given[8..16])?, self.word_of(&given[16..24])?);
        let mut ip = [0; 16];
        ip[..8].copy_from_slice(&high.to_le_bytes());
        ip[8..].copy_from_slice(&low.to_le_bytes());
        Ok((Ipv6Addr::from(ip).to_canonical(), port))
    }

    /// As [`Call::internet_name`], for datagrams: a socket of IPv6 takes addresses of IPv4, too.
    pub(crate) fn datagram_name(&mut self, ino: Ino, given: &[Byte]) -> CallResult<(IpAddr, u16)> {
        let socket = self.socket(ino)?;
        let (domain, only_six) = (socket.domain, socket.only_six());
        if domain != Domain::Inet6 || given.len() < 2 || self.family(given)? != AF_INET {
            return self.internet_name(domain, given, false);
        }
        if only_six {
            return fail(EAFNOSUPPORT);
        }
        self.internet_name(Domain::Inet, given, false)
    }

    /// Writes the part of an address that there is room for, and its whole length.
    pub(crate) fn put_address(&mut self, to: u64, len_at: u64, address: &[Byte]) -> CallResult<()> {
        let room = self.word(len_at, 4)? as u32 as i32;
        if room < 0 {
            return fail(EINVAL);
        }
        let n = address.len().min(room as usize);
        if n > 0 {
            self.guest.write(to, &address[..n])?;
        }
        self.put(len_at, &(address.len() as u32).to_le_bytes())
    }

    /// As [`Call::put_address`] for the names of `AF_INET6`, `AF_INET` or `AF_UNIX`, into a place that may be missing.
    pub(crate) fn tell_address(
        &mut self,
        to: u64,
        len_at: u64,
        domain: Domain,
        address: Option<&Address>,
    ) -> CallResult<()> {
        if to == 0 {
            return Ok(());
        }
        self.put_address(to, len_at, &domain.show(address))
    }
}

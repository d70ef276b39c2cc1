//! Options of sockets. Few of them change the model's behaviour; the others are kept as they were set.

use crate::env::world::{GID, UID};
use crate::kernel::errno::{CallResult, EDOM, EINVAL, ENOPROTOOPT, EPERM, fail, unsupported};
use crate::kernel::state::Call;
use crate::kernel::user_memory::Record;
use crate::sockets::network::SOL_SOCKET;
use crate::sockets::socket::{Carries, Domain, Socket};

const IPPROTO_IP: u32 = 0;
const IPPROTO_TCP: u32 = 6;
const IPPROTO_IPV6: u32 = 41;
const TYPE: u32 = 3;
const ERROR: u32 = 4;
const SEND_BUFFER: u32 = 7;
const RECEIVE_BUFFER: u32 = 8;
const LINGER: u32 = 13;
const PEER_CREDENTIALS: u32 = 17;
const RECEIVE_LEAST: u32 = 18;
const RECEIVE_TIMEOUT: u32 = 20;
const SEND_TIMEOUT: u32 = 21;
const ACCEPTS: u32 = 30;
const SEND_BUFFER_BY_FORCE: u32 = 32;
const RECEIVE_BUFFER_BY_FORCE: u32 = 33;
const PROTOCOL: u32 = 38;
const DOMAIN: u32 = 39;
/// The most that a buffer can be asked to have.
const MOST_BUFFER: u32 = 212_992;
const LEAST_SEND_BUFFER: u32 = 4608;
const LEAST_RECEIVE_BUFFER: u32 = 2304;

/// The value of an option that is only kept: SO_DEBUG, SO_REUSEADDR, SO_DONTROUTE, SO_BROADCAST, SO_KEEPALIVE, SO_OOBINLINE,
/// SO_PRIORITY, SO_REUSEPORT, SO_RCVLOWAT; of TCP those about pace and patience; of IP those about service and life.
fn kept(socket: &Socket, level: u32, number: u32) -> Option<u32> {
    let first = match (level, number) {
        (SOL_SOCKET, 2 | 5 | 6 | 9 | 10 | 15) => 0,
        (SOL_SOCKET, 12) => 0,
        (SOL_SOCKET, RECEIVE_LEAST) => 1,
        (IPPROTO_TCP, 1 | 3 | 9) if socket.is_tcp() => 0,
        (IPPROTO_TCP, 4) if socket.is_tcp() => 7200,
        (IPPROTO_TCP, 5) if socket.is_tcp() => 75,
        (IPPROTO_TCP, 6) if socket.is_tcp() => 9,
        (IPPROTO_TCP, 12) if socket.is_tcp() => 1,
        (IPPROTO_TCP, 18) if socket.is_tcp() => 0,
        (IPPROTO_IP, 1) if !socket.is_unix() => 0,
        (IPPROTO_IP, 2) if !socket.is_unix() => 64,
        (IPPROTO_IPV6, 26) if socket.domain == Domain::Inet6 => 0,
        _ => return None,
    };
    Some(socket.options.get(&(level, number)).copied().unwrap_or(first))
}

/// Returns true if an option is a switch: anything but 0 is 1.
fn is_switch(level: u32, number: u32) -> bool {
    matches!(
        (level, number),
        (SOL_SOCKET, 2 | 5 | 6 | 9 | 10 | 15) | (IPPROTO_TCP, 1 | 3) | (IPPROTO_IPV6, 26)
    )
}

fn known_level(socket: &Socket, level: u32) -> bool {
    match level {
        SOL_SOCKET => true,
        IPPROTO_TCP => socket.is_tcp(),
        IPPROTO_IP => !socket.is_unix(),
        IPPROTO_IPV6 => socket.domain == Domain::Inet6,
        _ => false,
    }
}

fn name_of(level: u32, number: u32) -> String {
    format!("option {number} of level {level}")
}

/// The number of a socket's protocol.
fn protocol(socket: &Socket) -> u32 {
    match socket.carries {
        _ if socket.is_unix() => 0,
        Carries::Stream => 6,
        _ => 17,
    }
}

pub(crate) fn getsockopt(call: &mut Call<'_>, [fd, level, number, value, len, _]: [u64; 6]) -> CallResult {
    let (ino, socket) = call.socket_of(fd)?;
    let socket = socket.clone();
    let (level, number) = (level as u32, number as u32);
    let room = call.word(len, 4)? as u32 as i32;
    if room < 0 {
        return fail(EINVAL);
    }
    let time = |patience: Option<u64>| {
        let nanoseconds = patience.unwrap_or(0);
        Record::default().u64(nanoseconds / 1_000_000_000).u64(nanoseconds % 1_000_000_000 / 1000)
    };
    let word = |value: u32| Record::default().u32(value);
    let record = match (level, number) {
        (SOL_SOCKET, TYPE) => word(match socket.carries {
            Carries::Stream => 1,
            Carries::Datagrams => 2,
            Carries::Packets => 5,
        }),
        (SOL_SOCKET, ERROR) => {
            let error = call.socket_mut(ino)?.take_error();
            word(error.map_or(0, |errno| errno.0 as u32))
        }
        (SOL_SOCKET, SEND_BUFFER) => word(socket.send_buffer),
        (SOL_SOCKET, RECEIVE_BUFFER) => word(socket.receive_buffer),
        (SOL_SOCKET, LINGER) => {
            let kept = socket.option(level, number);
            word((kept != 0).into()).u32(kept.saturating_sub(1))
        }
        (SOL_SOCKET, RECEIVE_TIMEOUT) => time(socket.receive_patience),
        (SOL_SOCKET, SEND_TIMEOUT) => time(socket.send_patience),
        (SOL_SOCKET, ACCEPTS) => word(socket.is_listening().into()),
        (SOL_SOCKET, DOMAIN) => word(socket.domain.number() as u32),
        (SOL_SOCKET, PROTOCOL) => word(protocol(&socket)),
        (SOL_SOCKET, PEER_CREDENTIALS) if socket.is_unix() => {
            let peer = socket.peer.and_then(|peer| call.kernel.socket(peer));
            match peer.filter(|_| socket.is_connected()) {
                Some(peer) => word(peer.owner as u32).u32(UID).u32(GID),
                None => word(0).u32(u32::MAX).u32(u32::MAX),
            }
        }
        _ if !known_level(&socket, level) => return refused(&socket),
        _ => match kept(&socket, level, number) {
            Some(value) => word(value),
            None => return unsupported(name_of(level, number)),
        },
    };
    let mut bytes = record.into_bytes();
    bytes.truncate(room as usize);
    if !bytes.is_empty() {
        call.put(value, &bytes)?;
    }
    call.put(len, &(bytes.len() as u32).to_le_bytes())?;
    Ok(0)
}

/// The error for a level that a socket does not have.
fn refused(socket: &Socket) -> CallResult {
    use crate::kernel::errno::EOPNOTSUPP;
    fail(if socket.is_unix() { EOPNOTSUPP } else { ENOPROTOOPT })
}

pub(crate) fn setsockopt(call: &mut Call<'_>, [fd, level, number, value, len, _]: [u64; 6]) -> CallResult {
    let (ino, socket) = call.socket_of(fd)?;
    let socket = socket.clone();
    let (level, number, len) = (level as u32, number as u32, len as u32 as i32);
    if len < 0 {
        return fail(EINVAL);
    }
    if !known_level(&socket, level) {
        return refused(&socket);
    }
    // One byte is enough for options of IP.
    let short = level == IPPROTO_IP && (1..4).contains(&len);
    if len < 4 && !short {
        return fail(EINVAL);
    }
    let given = call.word(value, if short { 1 } else { 4 })? as u32;
    match (level, number) {
        (SOL_SOCKET, TYPE | ERROR | ACCEPTS | PROTOCOL | DOMAIN) => return fail(ENOPROTOOPT),
        (SOL_SOCKET, SEND_BUFFER_BY_FORCE | RECEIVE_BUFFER_BY_FORCE) => return fail(EPERM),
        (SOL_SOCKET, SEND_BUFFER) => {
            call.socket_mut(ino)?.send_buffer = (given.min(MOST_BUFFER) * 2).max(LEAST_SEND_BUFFER);
        }
        (SOL_SOCKET, RECEIVE_BUFFER) => {
            call.socket_mut(ino)?.receive_buffer = (given.min(MOST_BUFFER) * 2).max(LEAST_RECEIVE_BUFFER);
        }
        (SOL_SOCKET, LINGER) => {
            if len < 8 {
                return fail(EINVAL);
            }
            let seconds = call.word(value.wrapping_add(4), 4)? as u32;
            if given != 0 && seconds == 0 && socket.is_tcp() {
                return unsupported("SO_LINGER of no time, which resets the connection");
            }
            let kept = if given == 0 { 0 } else { seconds.saturating_add(1) };
            call.socket_mut(ino)?.options.insert((level, number), kept);
        }
        (SOL_SOCKET, RECEIVE_TIMEOUT | SEND_TIMEOUT) => {
            if len < 16 {
                return fail(EINVAL);
            }
            let (seconds, microseconds) = call.pair(value)?;
            if !(0..1_000_000).contains(&microseconds) {
                return fail(EDOM);
            }
            let nanoseconds =
                (seconds.max(0) as u64).saturating_mul(1_000_000_000) + microseconds as u64 * 1000;
            // No time at all means without a limit.
            let patience = (nanoseconds > 0).then_some(if seconds < 0 { 1 } else { nanoseconds });
            let socket = call.socket_mut(ino)?;
            match number {
                RECEIVE_TIMEOUT => socket.receive_patience = patience,
                _ => socket.send_patience = patience,
            }
        }
        (IPPROTO_IPV6, 26) if socket.address().is_some() => return fail(EINVAL),
        _ => match kept(&socket, level, number) {
            None => return unsupported(name_of(level, number)),
            Some(_) => {
                let switch = is_switch(level, number);
                let kept = if switch { (given != 0).into() } else { given };
                call.socket_mut(ino)?.options.insert((level, number), kept);
            }
        },
    }
    Ok(0)
}

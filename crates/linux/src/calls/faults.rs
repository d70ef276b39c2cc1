//! System calls that fail at will, or move less than they are asked to. A call that fails so has no effect.

use crate::calls::errors::Failures;
use crate::calls::row::{Of, Traits};
use crate::calls::table::{call, nr};
use crate::files::descriptions::{O_ACCMODE, O_CREAT, OpenFile};
use crate::files::fs::{STDERR, STDOUT};
use crate::files::inode::S_IFIFO;
use crate::kernel::errno::{
    EADDRINUSE, EAGAIN, EBADF, ECONNREFUSED, ECONNRESET, EDQUOT, EFAULT, EINTR, EIO, EMFILE, ENETUNREACH,
    ENOLCK, ENOSPC, EROFS, ETIMEDOUT, Errno, Fail,
};
use crate::kernel::guest::{Guest, Stop};
use crate::kernel::state::{Call, Kernel};
use crate::sockets::socket::Carries;

/// Value of `rax` for a call on a file descriptor that is not open for it.
pub const BAD_DESCRIPTOR: u64 = EBADF.result();

/// The same for a call that is given a bad pointer.
pub const FAULTED_CALL: u64 = EFAULT.result();

impl Errno {
    /// Value of `rax` for a call that fails with this error.
    pub const fn result(self) -> u64 {
        i64::wrapping_neg(self.0 as i64) as u64
    }
}

/// Returns true if the value of `rax` is no error.
pub fn succeeded(result: u64) -> bool {
    !(-4095..0).contains(&(result as i64))
}

impl Kernel {
    /// The errors with which a call can fail at will, rising; none if it does not. For [`Failures::Named`] the caller makes sure
    /// that it would succeed.
    pub fn failures(&self, how: Failures, nr: u64, args: [u64; 6]) -> Vec<Errno> {
        match how {
            Failures::Klee if self.may_fail(nr, args) => vec![EIO],
            Failures::Klee => Vec::new(),
            Failures::Named => self.errors(nr, args),
        }
    }

    fn opened(&self, fd: u64) -> Result<&OpenFile, Fail> {
        self.files.get(self.process.key(fd as i32)?)
    }

    /// Returns true if KLEE lets this call fail: it reads, writes, closes, resizes, flushes or changes the mode of something that
    /// exists. Output to the standard streams never fails.
    fn may_fail(&self, nr: u64, args: [u64; 6]) -> bool {
        let Some(call) = call(nr) else { return false };
        call.traits.has(Traits::KLEE)
            || call.traits.has(Traits::KLEE_OPEN)
                && self.opened(args[0]).is_ok_and(|file| file.ino != STDOUT && file.ino != STDERR)
    }

    /// The errors of the table that this call can have. Output to standard error never fails.
    fn errors(&self, nr: u64, args: [u64; 6]) -> Vec<Errno> {
        let Some((of, errors)) = call(nr).and_then(|call| call.failures) else { return Vec::new() };
        let can = |errno: Errno| match of {
            _ if errno == EINTR && !self.is_interrupted() => false,
            Of::Paths => true,
            Of::Opened { flags } => {
                let flags = args[flags] as u32;
                match errno {
                    ENOSPC | EDQUOT => flags & O_CREAT != 0,
                    EROFS => flags & O_CREAT != 0 || flags & O_ACCMODE != 0,
                    _ => true,
                }
            }
            Of::Descriptor => self.can_befall(args[0], errno),
            Of::Socket => self.can_befall_socket(args[0], errno),
            Of::Command => command_can(args[1], errno),
            // The remaining time is not written: so its place must be null, or that of the time asked for.
            Of::Time { left } => args[left] == 0 || args[left] == args[left - 1],
        };
        errors.iter().copied().filter(|&errno| can(errno)).collect()
    }

    /// Returns true if a signal can interrupt a call: it has a handler without `SA_RESTART`.
    fn is_interrupted(&self) -> bool {
        const SA_RESTART: u64 = 0x1000_0000;
        self.process
            .signals
            .actions
            .values()
            .any(|action| action.handler > 1 && action.flags & SA_RESTART == 0)
    }

    /// Returns true if a socket can have this error. The other end of a connection can reset it; only sockets of the internet
    /// find a network unreachable, and only those of TCP time out; a socket of `AF_UNIX` that has its name cannot find it in use.
    fn can_befall_socket(&self, fd: u64, errno: Errno) -> bool {
        let Some(socket) = self.opened(fd).ok().and_then(|file| self.socket(file.ino)) else { return false };
        match errno {
            ECONNRESET => socket.is_connected() && socket.carries != Carries::Datagrams,
            EADDRINUSE => !socket.is_unix() || socket.name.is_none(),
            ENETUNREACH => !socket.is_unix(),
            ETIMEDOUT => socket.is_tcp(),
            ECONNREFUSED => !socket.is_udp(),
            _ => true,
        }
    }

    fn can_befall(&self, fd: u64, errno: Errno) -> bool {
        let Ok(file) = self.opened(fd) else { return false };
        if file.ino == STDERR {
            return false;
        }
        // Standard output may be a file on a disk.
        let pipe = file.ino != STDOUT && self.fs.inode(file.ino).is_ok_and(|inode| inode.kind() == S_IFIFO);
        match errno {
            EIO | EROFS => !pipe,
            ENOSPC | EDQUOT => !pipe && file.writable(),
            _ => true,
        }
    }

    /// For a call that moves more than one byte: the call that moves the first of them alone. None for other calls, and for
    /// output to standard error.
    ///
    /// # Errors
    /// As from any call.
    pub fn shortened(
        &self,
        nr: u64,
        args: [u64; 6],
        guest: &mut dyn Guest,
    ) -> Result<Option<(u64, [u64; 6])>, Stop> {
        let one = |nr: u64, base: u64, offset: u64| Some((nr, [args[0], base, 1, offset, 0, 0]));
        if self.opened(args[0]).is_ok_and(|file| file.ino == STDERR) {
            return Ok(None);
        }
        let (single, offset) = match nr {
            nr::READ | nr::WRITE | nr::PREAD64 | nr::PWRITE64 => return Ok(one(nr, args[1], args[3])),
            nr::READV => (nr::READ, 0),
            nr::WRITEV => (nr::WRITE, 0),
            nr::PREADV => (nr::PREAD64, args[3]),
            nr::PWRITEV => (nr::PWRITE64, args[3]),
            _ => return Ok(None),
        };
        let mut copy = self.clone();
        match (Call { kernel: &mut copy, guest }).vector(args[1], args[2], None) {
            Ok(buffers) => {
                let first = buffers.iter().find(|(_, len)| *len > 0);
                Ok(first.and_then(|&(base, _)| one(single, base, offset)))
            }
            Err(Fail::Stop(stop)) => Err(stop),
            Err(Fail::Errno(_)) => Ok(None),
        }
    }
}

/// Returns true if a command of `fcntl` can have an error: duplicates need a descriptor, locks a lock.
fn command_can(command: u64, errno: Errno) -> bool {
    const DUPLICATES: [u64; 2] = [0, 1030];
    const SET_LOCK: [u64; 2] = [6, 37];
    const WAIT_FOR_LOCK: [u64; 2] = [7, 38];
    match errno {
        EMFILE => DUPLICATES.contains(&command),
        EAGAIN => SET_LOCK.contains(&command),
        EINTR => WAIT_FOR_LOCK.contains(&command),
        ENOLCK => SET_LOCK.contains(&command) || WAIT_FOR_LOCK.contains(&command),
        _ => false,
    }
}

//! Descriptors that count, tell the time, or take signals: `eventfd`, `timerfd`, `signalfd`.

use cleave_memory::Byte;

use crate::env::world::{START_SECONDS, UPTIME_SECONDS};
use crate::events::objects::{Special, Timer};
use crate::files::descriptions::{O_CLOEXEC, O_NONBLOCK, O_RDWR, OpenFile};
use crate::files::inode::{FileNode, Ino};
use crate::kernel::errno::{CallResult, EAGAIN, EINVAL, EPERM, Fail, fail};
use crate::kernel::state::Call;
use crate::kernel::user_memory::Record;
use crate::signals::info::{INFO_SIZE, Info};
use crate::signals::state::{SIGCHLD, UNBLOCKABLE};
use crate::time::posix_timers::SI_TIMER;

const SECOND: u64 = 1_000_000_000;
/// The most that an event counter holds.
pub(crate) const MOST_EVENTS: u64 = u64::MAX - 1;

impl Call<'_> {
    /// A descriptor of a new file of its own kind.
    pub(crate) fn open_special(&mut self, special: Special, flags: u32) -> CallResult {
        self.open_with(special, flags, O_RDWR)
    }

    /// As [`Call::open_special`], of a file that is read only.
    pub(crate) fn open_read_only(&mut self, special: Special, flags: u32) -> CallResult {
        self.open_with(special, flags, 0)
    }

    fn open_with(&mut self, special: Special, flags: u32, access: u32) -> CallResult {
        let now = self.now();
        let ino = self.fs_mut().anonymous(FileNode::Special(special), now);
        let file = OpenFile::new(ino, access | flags & O_NONBLOCK);
        let opened = self.install(file, 0, flags & O_CLOEXEC != 0);
        if opened.is_err() {
            self.fs_mut().forget(ino);
        }
        opened
    }

    pub(crate) fn special(&self, ino: Ino) -> CallResult<&Special> {
        match &self.inode(ino)?.node {
            FileNode::Special(special) => Ok(special),
            _ => fail(EINVAL),
        }
    }

    pub(crate) fn special_mut(&mut self, ino: Ino) -> CallResult<&mut Special> {
        match &mut self.fs_mut().inode_mut(ino)?.node {
            FileNode::Special(special) => Ok(special),
            _ => fail(EINVAL),
        }
    }

    /// Reads from a file of its own kind.
    pub(crate) fn read_special(&mut self, file: &OpenFile, len: u64) -> CallResult<Vec<Byte>> {
        let waits = file.flags & O_NONBLOCK == 0;
        match *self.special(file.ino)? {
            Special::Event { .. } | Special::Timer(_) if len < 8 => fail(EINVAL),
            Special::Signals(_) if len < INFO_SIZE as u64 => fail(EINVAL),
            Special::Event { count: 0, .. } if waits => {
                self.wait("the counter is zero and only this process can add to it")
            }
            Special::Event { count: 0, .. } => fail(EAGAIN),
            Special::Event { count, semaphore } => {
                let taken = if semaphore { 1 } else { count };
                *self.special_mut(file.ino)? = Special::Event { count: count - taken, semaphore };
                Ok(known(taken))
            }
            Special::Timer(mut timer) => {
                let expirations = timer.expirations(self.kernel.clock);
                if expirations == 0 {
                    return if waits { self.wait_until(timer.due, "the timer is off") } else { fail(EAGAIN) };
                }
                timer.read(self.kernel.clock);
                *self.special_mut(file.ino)? = Special::Timer(timer);
                Ok(known(expirations))
            }
            Special::Signals(set) => self.read_signals(set, len, waits),
            Special::Epoll(_) => fail(EINVAL),
            Special::Inotify(ref inotify) if inotify.is_quiet() => match waits {
                true => self.wait("nothing happens to the files that it watches"),
                false => fail(EAGAIN),
            },
            Special::Inotify(_) => match self.special_mut(file.ino)? {
                Special::Inotify(inotify) => inotify.take(len).ok_or(Fail::Errno(EINVAL)),
                _ => fail(EINVAL),
            },
        }
    }

    fn read_signals(&mut self, set: u64, len: u64, waits: bool) -> CallResult<Vec<Byte>> {
        let now = self.kernel.clock;
        let mut told = Vec::new();
        while told.len() + INFO_SIZE <= len as usize {
            let Some((signal, info)) = self.process_mut().signals.take(set, now) else { break };
            told.extend(told_by_descriptor(signal, &info));
        }
        match (told.is_empty(), waits) {
            (false, _) => Ok(told),
            (true, true) => self.wait("there is nobody who would send a signal"),
            (true, false) => fail(EAGAIN),
        }
    }

    /// Writes to a file of its own kind: only counters take something.
    pub(crate) fn write_special(&mut self, file: &OpenFile, bytes: &[Byte]) -> CallResult {
        let Special::Event { count, semaphore } = *self.special(file.ino)? else { return fail(EINVAL) };
        let Some(bytes) = bytes.get(..8) else { return fail(EINVAL) };
        let added = self.word_of(bytes)?;
        if added == u64::MAX {
            return fail(EINVAL);
        }
        match count.checked_add(added).filter(|&count| count <= MOST_EVENTS) {
            Some(count) => *self.special_mut(file.ino)? = Special::Event { count, semaphore },
            None if file.flags & O_NONBLOCK != 0 => return fail(EAGAIN),
            None => return self.wait("the counter is full and only this process can read it"),
        }
        Ok(8)
    }
}

/// The record that a `signalfd` gives for a signal: a `struct signalfd_siginfo`.
fn told_by_descriptor(signal: u32, info: &Info) -> Vec<Byte> {
    let mut told = vec![Byte::Known(0); INFO_SIZE];
    told[..4].copy_from_slice(&signal.to_le_bytes().map(Byte::Known));
    let mut copy = |to: usize, from: usize, len: usize| {
        told[to..to + len].copy_from_slice(&info.bytes[from..from + len]);
    };
    // errno, code
    copy(4, 4, 8);
    match info.code() {
        // Its number and its overrun.
        Some(SI_TIMER) => {
            copy(24, 16, 4);
            copy(32, 20, 4);
        }
        _ => copy(12, 16, 8), // pid and uid
    }
    match info.code() {
        Some(1..=6) if signal == SIGCHLD => copy(40, 24, 4), // status
        _ => {
            // int and ptr, both of the value
            copy(44, 24, 4);
            copy(48, 24, 8);
        }
    }
    told
}

fn known(value: u64) -> Vec<Byte> {
    value.to_le_bytes().map(Byte::Known).to_vec()
}

pub(crate) fn eventfd(call: &mut Call<'_>, [count, ..]: [u64; 6]) -> CallResult {
    eventfd2(call, [count, 0, 0, 0, 0, 0])
}

pub(crate) fn eventfd2(call: &mut Call<'_>, [count, flags, ..]: [u64; 6]) -> CallResult {
    const SEMAPHORE: u32 = 1;
    let flags = flags as u32;
    if flags & !(SEMAPHORE | O_NONBLOCK | O_CLOEXEC) != 0 {
        return fail(EINVAL);
    }
    let semaphore = flags & SEMAPHORE != 0;
    call.open_special(Special::Event { count: u64::from(count as u32), semaphore }, flags)
}

pub(crate) fn timerfd_create(call: &mut Call<'_>, [clock, flags, ..]: [u64; 6]) -> CallResult {
    let (clock, flags) = (clock as u32, flags as u32);
    if flags & !(O_NONBLOCK | O_CLOEXEC) != 0 || !matches!(clock, 0 | 1 | 7 | 8 | 9) {
        return fail(EINVAL);
    }
    // Clocks that wake the machine need a privilege.
    if matches!(clock, 8 | 9) {
        return fail(EPERM);
    }
    call.open_special(Special::Timer(Timer { clock, due: None, interval: 0 }), flags)
}

/// The timer behind a descriptor.
fn timer(call: &Call<'_>, fd: u64) -> CallResult<(Ino, Timer)> {
    let ino = call.file(fd as i32)?.ino;
    match call.special(ino)? {
        Special::Timer(timer) => Ok((ino, *timer)),
        _ => fail(EINVAL),
    }
}

fn put_timer(call: &mut Call<'_>, address: u64, timer: &Timer) -> CallResult<()> {
    let now = call.kernel.clock;
    let mut ahead = *timer;
    ahead.read(now);
    let left = ahead.due.map_or(0, |due| due.saturating_sub(now));
    let record = [timer.interval, left]
        .into_iter()
        .fold(Record::default(), |record, length| record.u64(length / SECOND).u64(length % SECOND));
    call.put_record(address, record)
}

pub(crate) fn timerfd_settime(call: &mut Call<'_>, [fd, flags, new, old, ..]: [u64; 6]) -> CallResult {
    const ABSOLUTE: u32 = 1;
    const CANCEL_ON_SET: u32 = 2;
    let (interval, value) = (call.duration(new)?, call.duration(new.wrapping_add(16))?);
    let flags = flags as u32;
    if flags & !(ABSOLUTE | CANCEL_ON_SET) != 0 {
        return fail(EINVAL);
    }
    let (ino, before) = timer(call, fd)?;
    let base = if before.clock == 0 { START_SECONDS as u64 } else { UPTIME_SECONDS };
    let due = match flags & ABSOLUTE != 0 {
        _ if value == 0 => None,
        true => Some(value.saturating_sub(base.saturating_mul(SECOND))),
        false => Some(call.kernel.later(value)),
    };
    *call.special_mut(ino)? = Special::Timer(Timer { due, interval, ..before });
    if old != 0 {
        put_timer(call, old, &before)?;
    }
    Ok(0)
}

pub(crate) fn timerfd_gettime(call: &mut Call<'_>, [fd, value, ..]: [u64; 6]) -> CallResult {
    let (_, timer) = timer(call, fd)?;
    put_timer(call, value, &timer)?;
    Ok(0)
}

pub(crate) fn signalfd(call: &mut Call<'_>, [fd, set, size, ..]: [u64; 6]) -> CallResult {
    signalfd4(call, [fd, set, size, 0, 0, 0])
}

pub(crate) fn signalfd4(call: &mut Call<'_>, [fd, set, size, flags, ..]: [u64; 6]) -> CallResult {
    let flags = flags as u32;
    if size != 8 {
        return fail(EINVAL);
    }
    let set = call.long(set)? & !UNBLOCKABLE;
    if flags & !(O_NONBLOCK | O_CLOEXEC) != 0 {
        return fail(EINVAL);
    }
    if fd as i32 == -1 {
        return call.open_special(Special::Signals(set), flags);
    }
    let ino = call.file(fd as i32)?.ino;
    match call.special_mut(ino) {
        Ok(Special::Signals(taken)) => *taken = set,
        Ok(_) | Err(Fail::Errno(_)) => return fail(EINVAL),
        Err(stop) => return Err(stop),
    }
    Ok(fd)
}

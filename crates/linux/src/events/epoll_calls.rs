//! `epoll`: sets of descriptors that are watched. Descriptors are reported in the order in which they become ready: each call of
//! the program that returns looks for them ([`Kernel::watch`]).

use crate::events::objects::{EDGE, Epoll, ONE_SHOT, Special, Watched};
use crate::events::readiness::{EXCLUSIVE, FLAGS};
use crate::files::descriptions::O_CLOEXEC;
use crate::files::inode::Ino;
use crate::kernel::errno::{CallResult, EEXIST, EINVAL, ENOENT, EPERM, fail, unsupported};
use crate::kernel::guest::Guest;
use crate::kernel::state::{Call, Kernel};
use crate::kernel::user_memory::Record;

/// Errors and hang-ups are always told of.
const ALWAYS: u32 = 8 | 16;
const NOTHING_HAPPENS: &str = "nothing of what it waits for can happen";

impl Kernel {
    /// Notes which watched descriptors have become ready during the call that returns. Costs nothing where none is watched.
    #[inline]
    pub(crate) fn watch(&mut self, guest: &mut dyn Guest) {
        if self.fs.epolls().next().is_some() {
            Call { kernel: self, guest }.note_ready();
        }
    }
}

impl Call<'_> {
    /// Called when the readiness of a descriptor is asked for. If it is a set that is watched, Linux forgets its members that
    /// were ready and no longer are, up to the first that still is.
    pub(crate) fn asked_if_ready(&mut self, fd: i32) -> CallResult<()> {
        let Ok(Ok(Special::Epoll(_))) = self.file(fd).map(|file| self.special(file.ino)) else {
            return Ok(());
        };
        self.note_ready();
        let (ino, mut epoll) = self.epoll(fd as u64)?;
        let mut order: Vec<usize> = (0..epoll.watched.len()).collect();
        order.retain(|&i| epoll.watched[i].ready_since.is_some());
        order.sort_by_key(|&i| epoll.watched[i].ready_since);
        for i in order {
            if self.told(&epoll.watched[i]) != 0 {
                break;
            }
            epoll.watched[i].ready_since = None;
        }
        *self.special_mut(ino)? = Special::Epoll(epoll);
        Ok(())
    }

    fn note_ready(&mut self) {
        let sets: Vec<Ino> = self.fs().epolls().collect();
        for ino in sets {
            let Ok(Special::Epoll(epoll)) = self.special(ino) else { continue };
            let gone = |w: &Watched| self.files().get(w.key).is_err();
            let news = |w: &Watched| w.ready_since.is_none() && self.told(w) != 0;
            if !epoll.watched.iter().any(|w| gone(w) || news(w)) {
                continue;
            }
            let mut watched = epoll.watched.clone();
            watched.retain(|w| !gone(w));
            let first = watched.iter().filter_map(|w| w.ready_since).max().map_or(0, |last| last + 1);
            // If one call makes several ready, the last one entered comes first: Linux calls the newest waiter first.
            for (w, turn) in watched.iter_mut().rev().filter(|w| news(w)).zip(first..) {
                w.ready_since = Some(turn);
            }
            if let Ok(Special::Epoll(epoll)) = self.special_mut(ino) {
                epoll.watched = watched;
            }
        }
    }

    fn epoll(&self, fd: u64) -> CallResult<(Ino, Epoll)> {
        let ino = self.file(fd as i32)?.ino;
        match self.special(ino)? {
            Special::Epoll(epoll) => Ok((ino, epoll.clone())),
            _ => fail(EINVAL),
        }
    }
}

pub(crate) fn epoll_create(call: &mut Call<'_>, [size, ..]: [u64; 6]) -> CallResult {
    if size as i32 <= 0 {
        return fail(EINVAL);
    }
    epoll_create1(call, [0; 6])
}

pub(crate) fn epoll_create1(call: &mut Call<'_>, [flags, ..]: [u64; 6]) -> CallResult {
    let flags = flags as u32;
    if flags & !O_CLOEXEC != 0 {
        return fail(EINVAL);
    }
    call.open_special(Special::Epoll(Epoll::default()), flags)
}

pub(crate) fn epoll_ctl(call: &mut Call<'_>, [set, operation, fd, event, ..]: [u64; 6]) -> CallResult {
    const ADD: u32 = 1;
    const DELETE: u32 = 2;
    const MODIFY: u32 = 3;
    let operation = operation as u32;
    let (events, data) = match operation {
        DELETE => (0, 0),
        _ => {
            let events = call.word(event, 4)? as u32;
            // A union, of which the program may have set a part.
            let data = call.guest.carry(event.wrapping_add(4), 8)?;
            (events, call.word_of(&data)?)
        }
    };
    call.file(set as i32)?;
    let target = call.file(fd as i32)?.ino;
    // Files with positions are always ready.
    if call.inode(target)?.has_positions() {
        return fail(EPERM);
    }
    let (ino, mut epoll) = call.epoll(set)?;
    if ino == target {
        return fail(EINVAL);
    }
    if matches!(call.special(target), Ok(Special::Epoll(_))) {
        return unsupported("an epoll that watches another");
    }
    if events & EDGE != 0 {
        return unsupported("EPOLLET");
    }
    if events & EXCLUSIVE != 0 {
        return unsupported("EPOLLEXCLUSIVE");
    }
    let (fd, key) = (fd as i32, call.process().key(fd as i32)?);
    let at = epoll.watched.iter().position(|w| (w.fd, w.key) == (fd, key));
    match (operation, at) {
        (ADD, Some(_)) => return fail(EEXIST),
        (ADD, None) => {
            let watched = Watched { fd, key, events: events | ALWAYS, data, ready_since: None };
            epoll.watched.push(watched);
        }
        (DELETE, Some(at)) => drop(epoll.watched.remove(at)),
        (MODIFY, Some(at)) => (epoll.watched[at].events, epoll.watched[at].data) = (events | ALWAYS, data),
        (DELETE | MODIFY, None) => return fail(ENOENT),
        _ => return fail(EINVAL),
    }
    *call.special_mut(ino)? = Special::Epoll(epoll);
    Ok(0)
}

pub(crate) fn epoll_wait(call: &mut Call<'_>, [set, events, most, timeout, ..]: [u64; 6]) -> CallResult {
    let patience = timeout as i32;
    let patience = (patience >= 0).then(|| patience as u64 * 1_000_000);
    call.epoll_wait(set, events, most, patience)
}

pub(crate) fn epoll_pwait(
    call: &mut Call<'_>,
    [set, events, most, timeout, mask, size]: [u64; 6],
) -> CallResult {
    call.block_by(mask, size)?;
    epoll_wait(call, [set, events, most, timeout, 0, 0])
}

pub(crate) fn epoll_pwait2(
    call: &mut Call<'_>,
    [set, events, most, timeout, mask, size]: [u64; 6],
) -> CallResult {
    let patience = if timeout == 0 { None } else { Some(call.duration(timeout)?) };
    call.block_by(mask, size)?;
    call.epoll_wait(set, events, most, patience)
}

impl Call<'_> {
    fn epoll_wait(&mut self, set: u64, events: u64, most: u64, patience: Option<u64>) -> CallResult {
        const EVENT: u64 = 12;
        self.file(set as i32)?;
        let most = most as i32;
        if most <= 0 || most > i32::MAX / EVENT as i32 {
            return fail(EINVAL);
        }
        self.note_ready();
        let (ino, mut epoll) = self.epoll(set)?;
        let mut order: Vec<usize> = (0..epoll.watched.len()).collect();
        order.retain(|&i| epoll.watched[i].ready_since.is_some());
        order.sort_by_key(|&i| epoll.watched[i].ready_since);
        let mut turn = order.last().and_then(|&i| epoll.watched[i].ready_since).unwrap_or(0);
        let mut count = 0;
        for i in order {
            if count == most as u64 {
                break;
            }
            let told = self.told(&epoll.watched[i]);
            let watched = &mut epoll.watched[i];
            watched.ready_since = None;
            if told == 0 {
                continue;
            }
            let record = Record::default().u32(told).u64(watched.data);
            if watched.events & ONE_SHOT != 0 {
                watched.events &= FLAGS;
            } else {
                turn += 1;
                watched.ready_since = Some(turn);
            }
            self.put_record(events.wrapping_add(EVENT * count), record)?;
            count += 1;
        }
        *self.special_mut(ino)? = Special::Epoll(epoll);
        if count == 0 && patience != Some(0) {
            self.wait_at_most(patience, NOTHING_HAPPENS)?;
        }
        Ok(count)
    }
}

//! Handlers of `inotify`: they set and remove watches of files and directories.

use crate::events::objects::Special;
use crate::events::watches::{ALL_EVENTS, Inotify};
use crate::files::descriptions::{O_CLOEXEC, O_NONBLOCK};
use crate::files::inode::Ino;
use crate::files::path::{AT_FDCWD, LookupMode};
use crate::kernel::errno::{CallResult, EACCES, EBADF, EEXIST, EINVAL, ENOTDIR, fail};
use crate::kernel::state::Call;

pub(crate) fn inotify_init(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    inotify_init1(call, [0; 6])
}

pub(crate) fn inotify_init1(call: &mut Call<'_>, [flags, ..]: [u64; 6]) -> CallResult {
    let flags = flags as u32;
    if flags & !(O_CLOEXEC | O_NONBLOCK) != 0 {
        return fail(EINVAL);
    }
    let fd = call.open_read_only(Special::Inotify(Inotify::default()), flags)?;
    let ino = call.file(fd as i32)?.ino;
    call.fs_mut().inotifies.push(ino);
    Ok(fd)
}

/// The inode of an `inotify`.
fn inotify(call: &Call<'_>, fd: u64) -> CallResult<Ino> {
    let ino = call.file(fd as i32)?.ino;
    match call.special(ino) {
        Ok(Special::Inotify(_)) => Ok(ino),
        _ => fail(EINVAL),
    }
}

pub(crate) fn inotify_add_watch(call: &mut Call<'_>, [fd, path, mask, ..]: [u64; 6]) -> CallResult {
    const UNMOUNT_TO_IGNORED: u32 = 0xe000;
    const ONLY_DIRECTORIES: u32 = 0x0100_0000;
    const DO_NOT_FOLLOW: u32 = 0x0200_0000;
    const NOT_REMOVED: u32 = 0x0400_0000;
    const CREATES: u32 = 0x1000_0000;
    const ADDS: u32 = 0x2000_0000;
    const DIRECTORY: u32 = 0x4000_0000;
    const ONCE: u32 = 0x8000_0000;
    const FLAGS: u32 = ONLY_DIRECTORIES | DO_NOT_FOLLOW | NOT_REMOVED | CREATES | ADDS | DIRECTORY | ONCE;
    let mask = mask as u32;
    if mask & !(ALL_EVENTS | UNMOUNT_TO_IGNORED | FLAGS) != 0 || mask == 0 {
        return fail(EINVAL);
    }
    call.file(fd as i32).map_err(|_| EBADF)?;
    if mask & ADDS != 0 && mask & CREATES != 0 {
        return fail(EINVAL);
    }
    let instance = inotify(call, fd)?;
    let mode = if mask & DO_NOT_FOLLOW != 0 { LookupMode::Keep } else { LookupMode::Follow };
    let ino = call.lookup_at(AT_FDCWD as u64, path, mode)?;
    if mask & ONLY_DIRECTORIES != 0 && !call.inode(ino)?.is_directory() {
        return fail(ENOTDIR);
    }
    if !call.may(ino, 4)? {
        return fail(EACCES);
    }
    let Special::Inotify(inotify) = call.special_mut(instance)? else { return fail(EINVAL) };
    let (events, not_removed, once) = (mask & ALL_EVENTS, mask & NOT_REMOVED != 0, mask & ONCE != 0);
    let Some(watch) = inotify.watches.iter_mut().find(|w| w.ino == ino) else {
        return Ok(inotify.watch(ino, events, not_removed, once) as u64);
    };
    if mask & CREATES != 0 {
        return fail(EEXIST);
    }
    if mask & ADDS == 0 {
        (watch.mask, watch.not_removed, watch.once) = (0, false, false);
    }
    watch.mask |= events;
    watch.not_removed |= not_removed;
    watch.once |= once;
    Ok(watch.number as u64)
}

pub(crate) fn inotify_rm_watch(call: &mut Call<'_>, [fd, number, ..]: [u64; 6]) -> CallResult {
    let instance = inotify(call, fd)?;
    let Special::Inotify(inotify) = call.special_mut(instance)? else { return fail(EINVAL) };
    match inotify.watches.iter().position(|w| w.number == number as i32) {
        Some(at) => inotify.forget(at),
        None => return fail(EINVAL),
    }
    Ok(0)
}

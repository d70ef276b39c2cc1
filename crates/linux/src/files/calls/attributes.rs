//! Changes of files' metadata: mode, owner, times, size.

use cleave_memory::Byte;

use crate::env::world::{GID, UID};
use crate::events::watches::{ACCESS, ATTRIB, MODIFY};
use crate::files::inode::{FileNode, Ino, S_ISGID, S_ISUID, Time};
use crate::files::path::{AT_FDCWD, LookupMode};
use crate::files::stat_object::{ACCESSED, CHANGED, MODIFIED};
use crate::kernel::errno::{CallResult, EACCES, EINVAL, EISDIR, EOPNOTSUPP, EPERM, fail, unsupported};
use crate::kernel::state::Call;

const AT_SYMLINK_NOFOLLOW: u32 = 0x100;
const AT_EMPTY_PATH: u32 = 0x1000;

impl Call<'_> {
    fn set_mode(&mut self, ino: Ino, mode: u64) -> CallResult {
        let now = self.now();
        let inode = self.inode(ino)?;
        if inode.is_link() || matches!(inode.node, FileNode::Special(_)) {
            return fail(EOPNOTSUPP);
        }
        if !self.uid_is(ino, UID)? {
            return fail(EPERM);
        }
        let mut mode = crate::files::calls::stat::permission_bits(mode);
        if mode & S_ISGID != 0 && !self.gid_is(ino, GID)? {
            mode &= !S_ISGID;
        }
        let inode = self.fs_mut().inode_mut(ino)?;
        inode.set_mode(mode);
        inode.refused = Byte::Known(0);
        inode.set_time(CHANGED, now);
        self.kernel.notify(ino, ATTRIB);
        Ok(0)
    }

    fn set_owner(&mut self, ino: Ino, uid: u64, gid: u64) -> CallResult {
        let now = self.now();
        if matches!(self.inode(ino)?.node, FileNode::Special(_)) {
            return fail(EOPNOTSUPP);
        }
        let unchanged = |id: u64| id as u32 == u32::MAX;
        // The kernel checks the owner only where something is to be set.
        let to_set = !unchanged(uid) || !unchanged(gid);
        if to_set && !self.uid_is(ino, UID)? {
            return fail(EPERM);
        }
        if !unchanged(uid) && uid as u32 != UID
            || !unchanged(gid) && gid as u32 != GID && !self.gid_is(ino, gid as u32)?
        {
            return fail(EPERM);
        }
        let inode = self.fs_mut().inode_mut(ino)?;
        if !unchanged(gid) {
            inode.set_gid(gid as u32);
        }
        if to_set {
            inode.set_time(CHANGED, now);
        }
        if self.drop_set_id(ino)? || to_set {
            self.kernel.notify(ino, ATTRIB);
        }
        Ok(0)
    }

    /// Clears the set-id bits, which do not outlive a change of owner or contents. Returns true if there were any.
    pub(crate) fn drop_set_id(&mut self, ino: Ino) -> CallResult<bool> {
        self.drop_symbolic_set_id(ino)?;
        let inode = self.inode(ino)?;
        let group = if inode.mode & 0o10 != 0 { S_ISGID } else { 0 };
        let drop = S_ISUID | group;
        let drops = !inode.is_directory() && inode.mode & drop != 0;
        if drops {
            self.fs_mut().inode_mut(ino)?.mode &= !drop;
        }
        Ok(drops)
    }
}

pub(crate) fn chmod(call: &mut Call<'_>, [path, mode, ..]: [u64; 6]) -> CallResult {
    fchmodat(call, [AT_FDCWD as u64, path, mode, 0, 0, 0])
}

pub(crate) fn fchmodat(call: &mut Call<'_>, [directory, path, mode, ..]: [u64; 6]) -> CallResult {
    let ino = call.lookup_at(directory, path, LookupMode::Follow)?;
    call.set_mode(ino, mode)
}

pub(crate) fn fchmod(call: &mut Call<'_>, [fd, mode, ..]: [u64; 6]) -> CallResult {
    let ino = call.file(fd as i32)?.ino;
    call.set_mode(ino, mode)
}

pub(crate) fn chown(call: &mut Call<'_>, [path, uid, gid, ..]: [u64; 6]) -> CallResult {
    fchownat(call, [AT_FDCWD as u64, path, uid, gid, 0, 0])
}

pub(crate) fn lchown(call: &mut Call<'_>, [path, uid, gid, ..]: [u64; 6]) -> CallResult {
    fchownat(call, [AT_FDCWD as u64, path, uid, gid, AT_SYMLINK_NOFOLLOW.into(), 0])
}

pub(crate) fn fchown(call: &mut Call<'_>, [fd, uid, gid, ..]: [u64; 6]) -> CallResult {
    let ino = call.file(fd as i32)?.ino;
    call.set_owner(ino, uid, gid)
}

pub(crate) fn fchownat(call: &mut Call<'_>, [directory, path, uid, gid, flags, _]: [u64; 6]) -> CallResult {
    let flags = flags as u32;
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let mode = if flags & AT_SYMLINK_NOFOLLOW != 0 { LookupMode::Keep } else { LookupMode::Follow };
    let ino = call.lookup_or_self(directory, path, mode, flags & AT_EMPTY_PATH != 0)?;
    call.set_owner(ino, uid, gid)
}

/// One of the two times to set.
#[derive(Clone, Copy)]
enum NewTime {
    Now,
    Omit,
    At(Time),
    /// Its nanoseconds are none.
    Wrong,
}

impl Call<'_> {
    /// Two `struct timespec`, access first; none means now.
    fn new_times(&mut self, address: u64) -> CallResult<[NewTime; 2]> {
        const NOW: i64 = 0x3fff_ffff;
        const OMIT: i64 = 0x3fff_fffe;
        if address == 0 {
            return Ok([NewTime::Now; 2]);
        }
        let mut times = [NewTime::Now; 2];
        for (i, time) in times.iter_mut().enumerate() {
            *time = match self.pair(address.wrapping_add(16 * i as u64))? {
                (_, NOW) => NewTime::Now,
                (_, OMIT) => NewTime::Omit,
                (seconds, n @ 0..1_000_000_000) => NewTime::At((seconds, n as u32)),
                _ => NewTime::Wrong,
            };
        }
        Ok(times)
    }

    /// Two `struct timeval`, access first; none means now.
    fn new_times_in_microseconds(&mut self, address: u64) -> CallResult<[NewTime; 2]> {
        let mut times = [NewTime::Now; 2];
        for (i, time) in times.iter_mut().enumerate().filter(|_| address != 0) {
            *time = match self.pair(address.wrapping_add(16 * i as u64))? {
                (seconds, n @ 0..1_000_000) => NewTime::At((seconds, n as u32 * 1000)),
                _ => return fail(EINVAL),
            };
        }
        Ok(times)
    }

    fn set_times(&mut self, ino: Ino, times: [NewTime; 2]) -> CallResult {
        let now = self.now();
        if times.iter().any(|t| matches!(t, NewTime::Wrong)) {
            return fail(EINVAL);
        }
        if matches!(self.inode(ino)?.node, FileNode::Special(_)) {
            return fail(EOPNOTSUPP);
        }
        let only_now = times.iter().all(|t| matches!(t, NewTime::Now));
        let may = self.uid_is(ino, UID)? || only_now && self.allows(ino, 2)?;
        if !may {
            return fail(if only_now { EACCES } else { EPERM });
        }
        let inode = self.fs_mut().inode_mut(ino)?;
        for (time, which) in times.into_iter().zip([ACCESSED, MODIFIED]) {
            match time {
                NewTime::Now => inode.set_time(which, now),
                NewTime::Omit | NewTime::Wrong => {}
                NewTime::At(time) => inode.set_time(which, time),
            }
        }
        inode.set_time(CHANGED, now);
        let event = match times {
            [NewTime::Omit, _] => MODIFY,
            [_, NewTime::Omit] => ACCESS,
            _ => ATTRIB,
        };
        self.kernel.notify(ino, event);
        Ok(0)
    }
}

pub(crate) fn utimensat(call: &mut Call<'_>, [directory, path, times, flags, ..]: [u64; 6]) -> CallResult {
    let flags = flags as u32;
    let times = call.new_times(times)?;
    if times.iter().all(|t| matches!(t, NewTime::Omit)) {
        return Ok(0);
    }
    if path == 0 && directory as i32 != AT_FDCWD {
        if flags != 0 {
            return fail(EINVAL);
        }
        let ino = call.file(directory as i32)?.ino;
        return call.set_times(ino, times);
    }
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let mode = if flags & AT_SYMLINK_NOFOLLOW != 0 { LookupMode::Keep } else { LookupMode::Follow };
    let ino = call.lookup_or_self(directory, path, mode, flags & AT_EMPTY_PATH != 0)?;
    call.set_times(ino, times)
}

pub(crate) fn utimes(call: &mut Call<'_>, [path, times, ..]: [u64; 6]) -> CallResult {
    futimesat(call, [AT_FDCWD as u64, path, times, 0, 0, 0])
}

pub(crate) fn futimesat(call: &mut Call<'_>, [directory, path, times, ..]: [u64; 6]) -> CallResult {
    let times = call.new_times_in_microseconds(times)?;
    if path == 0 && directory as i32 != AT_FDCWD {
        let ino = call.file(directory as i32)?.ino;
        return call.set_times(ino, times);
    }
    let ino = call.lookup_at(directory, path, LookupMode::Follow)?;
    call.set_times(ino, times)
}

pub(crate) fn utime(call: &mut Call<'_>, [path, times, ..]: [u64; 6]) -> CallResult {
    let times = match times {
        0 => [NewTime::Now; 2],
        _ => {
            let (accessed, modified) = call.pair(times)?;
            [NewTime::At((accessed, 0)), NewTime::At((modified, 0))]
        }
    };
    let ino = call.lookup_at(AT_FDCWD as u64, path, LookupMode::Follow)?;
    call.set_times(ino, times)
}

impl Call<'_> {
    fn set_size(&mut self, ino: Ino, len: u64) -> CallResult {
        let now = self.now();
        self.settle_size(ino)?;
        let size = self.inode(ino)?.size();
        if len > size {
            self.check_file_size(len)?;
        }
        if let FileNode::File(content) = &mut self.fs_mut().inode_mut(ino)?.node {
            content.resize(len);
        }
        self.fs_mut().touch(ino, now)?;
        let event = if self.drop_set_id(ino)? { MODIFY | ATTRIB } else { MODIFY };
        self.kernel.notify(ino, event);
        Ok(0)
    }
}

pub(crate) fn truncate(call: &mut Call<'_>, [path, len, ..]: [u64; 6]) -> CallResult {
    if (len as i64) < 0 {
        return fail(EINVAL);
    }
    let ino = call.lookup_at(AT_FDCWD as u64, path, LookupMode::Follow)?;
    match call.inode(ino)?.node {
        FileNode::Directory(_) => return fail(EISDIR),
        FileNode::File(_) => {}
        FileNode::Program(_) if call.inode(ino)?.allows(2) => {
            return unsupported("the content of a program's file");
        }
        FileNode::Program(_) => return fail(EACCES),
        _ => return fail(EINVAL),
    }
    if call.may(ino, 2)? { call.set_size(ino, len) } else { fail(EACCES) }
}

pub(crate) fn ftruncate(call: &mut Call<'_>, [fd, len, ..]: [u64; 6]) -> CallResult {
    if (len as i64) < 0 {
        return fail(EINVAL);
    }
    let file = call.file(fd as i32)?.clone();
    match call.inode(file.ino)?.node {
        FileNode::File(_) if file.writable() => call.set_size(file.ino, len),
        // The seals on standard input forbid every change.
        FileNode::Sealed(_) => fail(EPERM),
        _ => fail(EINVAL),
    }
}

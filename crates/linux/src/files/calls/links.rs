//! Handlers for names of files: links, symbolic links, removal.

use crate::env::world;
use crate::events::watches::{ATTRIB, CREATE};
use crate::files::inode::FileNode;
use crate::files::path::{AT_FDCWD, Last, LookupMode};
use crate::files::stat_object::CHANGED;
use crate::kernel::errno::{
    CallResult, EACCES, EINVAL, EISDIR, ENOENT, ENOSPC, ENOTDIR, EPERM, EXDEV, fail, unsupported,
};
use crate::kernel::state::Call;

const AT_REMOVEDIR: u32 = 0x200;
const AT_SYMLINK_FOLLOW: u32 = 0x400;
const AT_EMPTY_PATH: u32 = 0x1000;

pub(crate) fn unlink(call: &mut Call<'_>, [path, ..]: [u64; 6]) -> CallResult {
    call.remove_file(AT_FDCWD, path)
}

pub(crate) fn unlinkat(call: &mut Call<'_>, [directory, path, flags, ..]: [u64; 6]) -> CallResult {
    match flags as u32 {
        0 => call.remove_file(directory as i32, path),
        AT_REMOVEDIR => call.remove_directory(directory as i32, path),
        _ => fail(EINVAL),
    }
}

impl Call<'_> {
    fn remove_file(&mut self, directory: i32, path: u64) -> CallResult {
        let path = self.string(path)?;
        let place = self.entry(directory, &path)?;
        let Last::Name(_) = place.last else { return fail(EISDIR) };
        let (Some(ino), Some(index)) = (place.ino, place.index) else { return fail(ENOENT) };
        let is_directory = self.inode(ino)?.is_directory();
        if place.slash {
            return fail(if is_directory { EISDIR } else { ENOTDIR });
        }
        if !self.inode(place.parent)?.allows(3) {
            return fail(EACCES);
        }
        if is_directory {
            return fail(EISDIR);
        }
        let (ino, name) = self.take_entry(place.parent, index)?;
        self.kernel.notify_itself(ino, ATTRIB);
        self.end_entry(place.parent, ino, name)?;
        Ok(0)
    }
}

pub(crate) fn link(call: &mut Call<'_>, [from, to, ..]: [u64; 6]) -> CallResult {
    linkat(call, [AT_FDCWD as u64, from, AT_FDCWD as u64, to, 0, 0])
}

pub(crate) fn linkat(call: &mut Call<'_>, args: [u64; 6]) -> CallResult {
    let [from_directory, from, to_directory, to, flags, _] = args;
    let flags = flags as u32;
    if flags & !(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let mode = if flags & AT_SYMLINK_FOLLOW != 0 { LookupMode::Follow } else { LookupMode::Keep };
    if flags & AT_EMPTY_PATH != 0 {
        return unsupported("AT_EMPTY_PATH, whose meaning depends on the kernel's version");
    }
    let ino = call.lookup_at(from_directory, from, mode)?;
    let path = call.path(to)?;
    let place = call.new_place(to_directory as i32, &path, false)?;
    let Last::Name(name) = place.last else { return fail(ENOENT) };
    let (parent, inode) = (call.inode(place.parent)?, call.inode(ino)?);
    if parent.links == 0 {
        return fail(ENOENT);
    }
    if crate::files::inode::device(ino) != world::DEVICE_ROOT {
        return fail(EXDEV);
    }
    if !parent.allows(3) {
        return fail(EACCES);
    }
    if inode.is_directory() {
        return fail(EPERM);
    }
    if inode.links == 0 {
        return fail(ENOENT);
    }
    if call.fs().used_inodes() >= world::LIMIT_INODES {
        return fail(ENOSPC);
    }
    let now = call.now();
    let fs = call.fs_mut();
    fs.enter(place.parent, name.clone(), ino, now)?;
    fs.linked.insert(ino);
    let inode = fs.inode_mut(ino)?;
    inode.links += 1;
    inode.set_time(CHANGED, now);
    call.kernel.notify_itself(ino, ATTRIB);
    call.kernel.notify_entry(place.parent, &name, false, CREATE, 0);
    Ok(0)
}

pub(crate) fn symlink(call: &mut Call<'_>, [target, path, ..]: [u64; 6]) -> CallResult {
    symlinkat(call, [target, AT_FDCWD as u64, path, 0, 0, 0])
}

pub(crate) fn symlinkat(call: &mut Call<'_>, [target, directory, path, ..]: [u64; 6]) -> CallResult {
    let target = call.path(target)?;
    let path = call.path(path)?;
    let place = call.new_place(directory as i32, &path, false)?;
    call.create_file(place, FileNode::Link(target), 0o777)?;
    Ok(0)
}

pub(crate) fn readlink(call: &mut Call<'_>, [path, buffer, size, ..]: [u64; 6]) -> CallResult {
    readlinkat(call, [AT_FDCWD as u64, path, buffer, size, 0, 0])
}

pub(crate) fn readlinkat(call: &mut Call<'_>, [directory, path, buffer, size, ..]: [u64; 6]) -> CallResult {
    if size as i32 <= 0 {
        return fail(EINVAL);
    }
    let path = call.string(path)?;
    let empty = path.is_empty();
    let ino = match (empty, directory as i32) {
        (true, AT_FDCWD) => return fail(ENOENT),
        (true, fd) => call.any_file(fd)?.ino,
        _ => call.lookup(directory as i32, &path, LookupMode::Keep)?,
    };
    let FileNode::Link(target) = &call.inode(ino)?.node else {
        return fail(if empty { ENOENT } else { EINVAL });
    };
    let n = target.len().min(size as u32 as usize);
    let shown = target[..n].to_vec();
    call.guest.write(buffer, &shown)?;
    Ok(n as u64)
}

//! Handlers that make, remove and list directories, and set the working directory.

use cleave_memory::Byte;

use crate::events::watches::{ACCESS, DELETE};
use crate::files::fs::ROOT;
use crate::files::inode::{Directory, FileNode, Ino, Name, number};
use crate::files::path::{AT_FDCWD, Last, LookupMode};
use crate::files::stat_object::CHANGED;
use crate::kernel::errno::{CallResult, EACCES, EBUSY, EINVAL, ENOENT, ENOTDIR, ENOTEMPTY, ERANGE, fail};
use crate::kernel::state::Call;

pub(crate) fn mkdir(call: &mut Call<'_>, [path, mode, ..]: [u64; 6]) -> CallResult {
    mkdirat(call, [AT_FDCWD as u64, path, mode, 0, 0, 0])
}

pub(crate) fn mkdirat(call: &mut Call<'_>, [directory, path, mode, ..]: [u64; 6]) -> CallResult {
    let path = call.string(path)?;
    let place = call.new_place(directory as i32, &path, true)?;
    let node = FileNode::Directory(Directory { parent: place.parent, entries: Vec::new() });
    call.create_file(place, node, mode as u32 & 0o1777)?;
    Ok(0)
}

pub(crate) fn rmdir(call: &mut Call<'_>, [path, ..]: [u64; 6]) -> CallResult {
    call.remove_directory(AT_FDCWD, path)
}

impl Call<'_> {
    pub(crate) fn remove_directory(&mut self, directory: i32, path: u64) -> CallResult {
        let path = self.string(path)?;
        let place = self.entry(directory, &path)?;
        match place.last {
            Last::Dot => return fail(EINVAL),
            Last::DotDot => return fail(ENOTEMPTY),
            Last::Root => return fail(EBUSY),
            Last::Name(_) => {}
        }
        let (Some(ino), Some(index)) = (place.ino, place.index) else { return fail(ENOENT) };
        if !self.inode(place.parent)?.allows(3) {
            return fail(EACCES);
        }
        match &self.inode(ino)?.node {
            FileNode::Directory(d) if d.entries.is_empty() => {}
            FileNode::Directory(_) => return fail(ENOTEMPTY),
            _ => return fail(ENOTDIR),
        }
        let (ino, name) = self.take_entry(place.parent, index)?;
        self.end_entry(place.parent, ino, name)?;
        Ok(0)
    }

    /// Takes an entry out and counts the links of its inode down: its inode and name. It is to be reaped.
    pub(crate) fn take_entry(&mut self, parent: Ino, index: usize) -> CallResult<(Ino, Name)> {
        let now = self.now();
        let fs = self.fs_mut();
        let entry = fs.leave(parent, index, now)?;
        let inode = fs.inode_mut(entry.ino)?;
        inode.links = if inode.is_directory() { 0 } else { inode.links - 1 };
        inode.set_time(CHANGED, now);
        if inode.links == 0 {
            fs.left.insert(entry.ino, (parent, entry.name.clone()));
        }
        Ok((entry.ino, entry.name))
    }

    /// After [`Call::take_entry`]: an inode that has no link left and is not open ends, and the directory's watchers hear of it.
    pub(crate) fn end_entry(&mut self, parent: Ino, ino: Ino, name: Name) -> CallResult<()> {
        let directory = self.inode(ino)?.is_directory();
        self.reap(ino);
        self.kernel.notify_entry(parent, &name, directory, DELETE, 0);
        Ok(())
    }

    fn enter_directory(&mut self, ino: Ino) -> CallResult {
        let inode = self.inode(ino)?;
        if !inode.is_directory() {
            return fail(ENOTDIR);
        }
        if !inode.allows(1) {
            return fail(EACCES);
        }
        let old = std::mem::replace(&mut self.process_mut().cwd, ino);
        self.reap(old);
        Ok(0)
    }
}

pub(crate) fn chdir(call: &mut Call<'_>, [path, ..]: [u64; 6]) -> CallResult {
    let ino = call.lookup_at(AT_FDCWD as u64, path, LookupMode::Follow)?;
    call.enter_directory(ino)
}

pub(crate) fn fchdir(call: &mut Call<'_>, [fd, ..]: [u64; 6]) -> CallResult {
    let ino = call.any_file(fd as i32)?.ino;
    call.enter_directory(ino)
}

pub(crate) fn getcwd(call: &mut Call<'_>, [buffer, size, ..]: [u64; 6]) -> CallResult {
    let cwd = call.process().cwd;
    if call.inode(cwd)?.links == 0 {
        return fail(ENOENT);
    }
    let mut path = Vec::new();
    for mut name in call.fs().names_to(cwd, ENOENT)? {
        path.push(Byte::Known(b'/'));
        path.append(&mut name);
    }
    if path.is_empty() {
        path.push(Byte::Known(b'/'));
    }
    path.push(Byte::Known(0));
    if path.len() as u64 > size {
        return fail(ERANGE);
    }
    call.guest.write(buffer, &path)?;
    Ok(path.len() as u64)
}

/// The kind of an inode as directories tell it (`d_type`).
fn entry_type(kind: u32) -> u8 {
    (kind >> 12) as u8
}

pub(crate) fn getdents64(call: &mut Call<'_>, [fd, buffer, size, ..]: [u64; 6]) -> CallResult {
    let fd = fd as i32;
    let file = call.file(fd)?.clone();
    call.settle_entries(file.ino)?;
    let inode = call.inode(file.ino)?;
    let FileNode::Directory(directory) = &inode.node else { return fail(ENOTDIR) };
    if inode.links == 0 {
        return fail(ENOENT);
    }
    const DOT: Byte = Byte::Known(b'.');
    let parent = if file.ino == ROOT { ROOT } else { directory.parent };
    let first = [(vec![DOT], file.ino, u64::MAX), (vec![DOT, DOT], parent, u64::MAX)];
    let rest = directory.entries.iter().rev().filter(|e| e.age < file.read_down_to);
    let rest = rest.map(|e| (e.name.clone(), e.ino, e.age));
    let skip = file.position.min(2) as usize;
    let all: Vec<_> = first.into_iter().skip(skip).chain(rest).collect();
    let (mut position, mut down_to, mut done) = (file.position, file.read_down_to, 0);
    for (name, ino, age) in &all {
        let length = (19 + name.len() as u64 + 1).next_multiple_of(8);
        if done + length > u64::from(size as u32) {
            if done == 0 {
                // Watchers are told of the attempt.
                call.kernel.notify(file.ino, ACCESS);
                return fail(EINVAL);
            }
            break;
        }
        (position, down_to) = (position + 1, *age);
        let kind = call.inode(*ino)?.kind();
        let head = crate::kernel::user_memory::Record::default()
            .u64(number(*ino))
            .u64(position)
            .u16(length as u16)
            .u8(entry_type(kind))
            .into_bytes();
        let mut record: Vec<Byte> = head.into_iter().map(Byte::Known).collect();
        record.extend(name);
        record.resize(length as usize, Byte::Known(0));
        call.guest.write(buffer.wrapping_add(done), &record)?;
        done += length;
    }
    let file = call.file_mut(fd)?;
    (file.position, file.read_down_to) = (position, down_to);
    let ino = file.ino;
    call.kernel.notify(ino, ACCESS);
    Ok(done)
}

//! Handlers that open and close files, and make pipes.

use crate::env::world::UID;
use crate::events::watches::{ATTRIB, CREATE, MODIFY, OPEN};
use crate::files::content::Content;
use crate::files::descriptions::*;
use crate::files::inode::{FileNode, Ino, Name, S_IFDIR, S_IFIFO, S_IFLNK, S_IFREG, S_IFSOCK};
use crate::files::path::{AT_FDCWD, Last, LookupMode, ResolvedPath};
use crate::kernel::errno::{
    CallResult, EACCES, EEXIST, EINVAL, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, ENXIO, EOPNOTSUPP,
    EPERM, Fail, fail, unsupported,
};
use crate::kernel::state::Call;
use crate::processes::threads::{Opening, Progress};

pub(crate) fn open(call: &mut Call<'_>, [path, flags, mode, ..]: [u64; 6]) -> CallResult {
    openat(call, [AT_FDCWD as u64, path, flags, mode, 0, 0])
}

pub(crate) fn creat(call: &mut Call<'_>, [path, mode, ..]: [u64; 6]) -> CallResult {
    open(call, [path, u64::from(O_CREAT | O_WRONLY | O_TRUNC), mode, 0, 0, 0])
}

pub(crate) fn openat(call: &mut Call<'_>, [directory, path, flags, mode, ..]: [u64; 6]) -> CallResult {
    let mut flags = flags as u32;
    if let Some(opening) = call.progress().opening {
        return call.go_on_opening(opening, flags);
    }
    if flags & O_PATH != 0 {
        flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    }
    if flags & (O_CREAT | O_DIRECTORY) == O_CREAT | O_DIRECTORY {
        return fail(EINVAL);
    }
    if flags & O_TMPFILE != 0 && (flags & O_DIRECTORY == 0 || !matches!(flags & O_ACCMODE, O_WRONLY | O_RDWR))
    {
        return fail(EINVAL);
    }
    let path = call.string(path)?;
    if path.is_empty() {
        return fail(ENOENT);
    }
    call.process().free_descriptor(0)?;
    let (ino, modified) = call.open_inode(directory as i32, &path, flags, mode as u32)?;
    let kept =
        flags & !(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC | if flags & O_PATH != 0 { 0 } else { 0o400 });
    let large = if flags & O_PATH == 0 { O_LARGEFILE } else { 0 };
    let file = OpenFile::new(ino, kept | large);
    match &call.inode(ino)?.node {
        FileNode::Pipe(_) if flags & O_PATH == 0 => call.open_pipe(file, flags),
        _ => {
            let fd = call.install(file, 0, flags & O_CLOEXEC != 0)?;
            if flags & O_PATH == 0 {
                call.kernel.notify(ino, OPEN);
            }
            if modified != 0 {
                call.kernel.notify(ino, modified);
            }
            Ok(fd)
        }
    }
}

impl Call<'_> {
    /// Finds or makes the inode to open, with all checks. Also returns the further event that its watchers get before that of
    /// opening.
    fn open_inode(&mut self, directory: i32, path: &Name, flags: u32, mode: u32) -> CallResult<(Ino, u32)> {
        let lookup = match flags {
            f if f & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL => LookupMode::Entry,
            f if f & O_NOFOLLOW != 0 => LookupMode::Keep,
            _ => LookupMode::Follow,
        };
        if flags & O_CREAT == 0 {
            let ino = self.lookup(directory, path, lookup)?;
            return self.open_existing(ino, flags, mode);
        }
        let lookup = if lookup == LookupMode::Follow { LookupMode::Create } else { LookupMode::Entry };
        let place = self.walk(directory, path, lookup)?;
        if place.too_long {
            return fail(ENAMETOOLONG);
        }
        if place.slash && matches!(place.last, Last::Name(_)) {
            return fail(EISDIR);
        }
        let Some(ino) = place.ino else {
            let made = self.create_file(place, FileNode::File(Content::default()), mode);
            return made.map(|ino| (ino, 0));
        };
        if flags & O_EXCL != 0 {
            return fail(EEXIST);
        }
        if self.inode(ino)?.is_directory() {
            return fail(EISDIR);
        }
        self.open_existing(ino, flags, mode)
    }

    fn open_existing(&mut self, ino: Ino, flags: u32, mode: u32) -> CallResult<(Ino, u32)> {
        let inode = self.inode(ino)?;
        let kind = inode.kind();
        if flags & O_DIRECTORY != 0 && kind != S_IFDIR {
            return fail(ENOTDIR);
        }
        if flags & O_PATH != 0 {
            return Ok((ino, 0));
        }
        if flags & O_TMPFILE != 0 {
            return self.open_unnamed(ino, mode).map(|ino| (ino, 0));
        }
        let mut wanted = match flags & O_ACCMODE {
            0 => 4,
            O_WRONLY => 2,
            _ => 6,
        };
        if flags & O_TRUNC != 0 {
            wanted |= 2;
        }
        match kind {
            S_IFLNK => return fail(ELOOP),
            S_IFDIR if wanted & 2 != 0 => return fail(EISDIR),
            _ if !self.may(ino, wanted)? => return fail(EACCES),
            S_IFSOCK => return fail(ENXIO),
            _ => {}
        }
        if flags & O_NOATIME != 0 && !self.uid_is(ino, UID)? {
            return fail(EPERM);
        }
        if flags & O_DIRECT != 0 && kind == S_IFREG {
            return unsupported("O_DIRECT");
        }
        let changed = flags & (O_ACCMODE | O_TRUNC) != 0;
        if changed && matches!(self.inode(ino)?.node, FileNode::Program(_)) {
            return unsupported("the content of a program's file");
        }
        let mut modified = 0;
        if flags & O_TRUNC != 0 && kind == S_IFREG {
            let now = self.now();
            let inode = self.fs_mut().inode_mut(ino)?;
            inode.forget_size();
            if let FileNode::File(content) = &mut inode.node {
                content.resize(0);
            }
            self.fs_mut().touch(ino, now)?;
            modified = if self.drop_set_id(ino)? { MODIFY | ATTRIB } else { MODIFY };
        }
        self.settle_size(ino)?;
        Ok((ino, modified))
    }

    /// A file without a name, in the file system of a directory (`O_TMPFILE`).
    fn open_unnamed(&mut self, directory: Ino, mode: u32) -> CallResult<Ino> {
        if !self.inode(directory)?.allows(3) {
            return fail(EACCES);
        }
        let (now, umask) = (self.now(), self.process().umask);
        let fs = self.fs_mut();
        let ino = fs.create(directory, FileNode::File(Content::default()), mode & 0o7777 & !umask, now)?;
        fs.inode_mut(ino)?.links = 0;
        if !fs.inotifies.is_empty() {
            return unsupported("a file without a name beside an inotify");
        }
        Ok(ino)
    }

    /// Makes an inode where a path leads to nothing yet; the mask applies.
    pub(crate) fn create_file(&mut self, place: ResolvedPath, node: FileNode, mode: u32) -> CallResult<Ino> {
        let Last::Name(name) = place.last else { return fail(EEXIST) };
        let parent = self.inode(place.parent)?;
        // A directory that was removed has no room for names.
        if parent.links == 0 {
            return fail(ENOENT);
        }
        if !parent.allows(3) {
            return fail(EACCES);
        }
        let (now, umask) = (self.now(), self.process().umask);
        let mask = if matches!(node, FileNode::Link(_)) { 0 } else { umask };
        self.check_room(matches!(&node, FileNode::Link(t) if t.len() >= 128).into())?;
        let fs = self.fs_mut();
        let ino = fs.create(place.parent, node, mode & 0o7777 & !mask, now)?;
        fs.enter(place.parent, name.clone(), ino, now)?;
        let directory = self.inode(ino)?.is_directory();
        self.kernel.notify_entry(place.parent, &name, directory, CREATE, 0);
        Ok(ino)
    }

    /// Opens a named pipe: waits until its other end is opened, even if that is closed again at once.
    fn open_pipe(&mut self, file: OpenFile, flags: u32) -> CallResult {
        let (ino, reads, writes) = (file.ino, file.readable(), file.writable());
        let others = |test: fn(&OpenFile) -> bool| self.files().iter().any(|f| f.ino == ino && test(f));
        let alone = match flags & O_ACCMODE {
            0 => !others(OpenFile::writable),
            O_WRONLY => !others(OpenFile::readable),
            _ => false,
        };
        if alone && flags & O_NONBLOCK != 0 && flags & O_ACCMODE == O_WRONLY {
            return fail(ENXIO);
        }
        let mut seen = 0;
        if let FileNode::Pipe(pipe) = &mut self.fs_mut().inode_mut(ino)?.node {
            pipe.readers += u64::from(reads);
            pipe.writers += u64::from(writes);
            seen = if writes { pipe.readers } else { pipe.writers };
        }
        if !alone || flags & O_NONBLOCK != 0 {
            let file = OpenFile { writers_before: if alone { seen } else { 0 }, ..file };
            let fd = self.install(file, 0, flags & O_CLOEXEC != 0)?;
            self.kernel.notify(ino, OPEN);
            return Ok(fd);
        }
        let key = self.hold(file);
        self.kernel.note_return();
        self.wait_for_other_end(Opening { key, seen })
    }

    /// A signal that interrupts the wait ends the opening: if the call starts again, it begins anew.
    fn wait_for_other_end(&mut self, opening: Opening) -> CallResult {
        self.keep(Progress { opening: Some(opening), ..Progress::default() });
        let waits = self.wait(NOBODY_OPENS);
        if matches!(waits, Err(Fail::Errno(_))) {
            self.kernel.abandon(opening.key);
        }
        waits
    }

    fn go_on_opening(&mut self, opening: Opening, flags: u32) -> CallResult {
        let file = self.files().get(opening.key)?;
        let (ino, writes) = (file.ino, file.writable());
        let FileNode::Pipe(pipe) = &self.inode(ino)?.node else { return fail(ENXIO) };
        let opened = if writes { pipe.readers } else { pipe.writers };
        if opened == opening.seen {
            return self.wait_for_other_end(opening);
        }
        let fd = self.install_held(opening.key, 0, flags & O_CLOEXEC != 0)?;
        self.kernel.notify(ino, OPEN);
        Ok(fd)
    }
}

/// Why it waits for ever who opens a named pipe.
const NOBODY_OPENS: &str = "nobody else opens the other end of the named pipe";

pub(crate) fn close(call: &mut Call<'_>, [fd, ..]: [u64; 6]) -> CallResult {
    call.close(fd as i32).map(|()| 0)
}

pub(crate) fn close_range(call: &mut Call<'_>, [first, last, flags, ..]: [u64; 6]) -> CallResult {
    const CLOSE_RANGE_UNSHARE: u32 = 2;
    const CLOSE_RANGE_CLOEXEC: u32 = 4;
    let (first, last, flags) = (first as u32, last as u32, flags as u32);
    if flags & !(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC) != 0 || first > last {
        return fail(EINVAL);
    }
    for fd in first..=last.min(call.process().descriptor_end() as u32) {
        if flags & CLOSE_RANGE_CLOEXEC != 0 {
            call.process_mut().set_close_on_exec(fd as i32, true);
        } else if call.process().key(fd as i32).is_ok() {
            close(call, [u64::from(fd), 0, 0, 0, 0, 0])?;
        }
    }
    Ok(0)
}

pub(crate) fn pipe(call: &mut Call<'_>, [fds, ..]: [u64; 6]) -> CallResult {
    pipe2(call, [fds, 0, 0, 0, 0, 0])
}

pub(crate) fn pipe2(call: &mut Call<'_>, [fds, flags, ..]: [u64; 6]) -> CallResult {
    let flags = flags as u32;
    if flags & !(O_CLOEXEC | O_NONBLOCK | O_DIRECT) != 0 {
        return fail(EINVAL);
    }
    if flags & O_DIRECT != 0 {
        return unsupported("a pipe of packets");
    }
    let now = call.now();
    let ino = call.fs_mut().pipe(now);
    let (cloexec, kept) = (flags & O_CLOEXEC != 0, flags & O_NONBLOCK);
    let read = call.install(OpenFile::new(ino, kept), 0, cloexec)?;
    let write = match call.install(OpenFile::new(ino, kept | O_WRONLY), 0, cloexec) {
        Ok(write) => write,
        Err(error) => {
            close(call, [read, 0, 0, 0, 0, 0])?;
            return Err(error);
        }
    };
    call.put(fds, &[(read as u32).to_le_bytes(), (write as u32).to_le_bytes()].concat())?;
    Ok(0)
}

/// Makes a file, a named pipe or a socket by name; devices need privilege.
pub(crate) fn mknodat(call: &mut Call<'_>, [directory, path, mode, device, ..]: [u64; 6]) -> CallResult {
    use crate::files::inode::{S_IFBLK, S_IFCHR, S_IFMT};
    let mode = mode as u32;
    let node = match mode & S_IFMT {
        0 | S_IFREG => Some(FileNode::File(Content::default())),
        S_IFIFO => Some(FileNode::Pipe(Default::default())),
        S_IFSOCK => Some(FileNode::Socket),
        // Linux lets everybody make this one.
        S_IFCHR if device as u32 == 0 => return unsupported("the device 0:0"),
        S_IFCHR | S_IFBLK => None,
        S_IFDIR => return fail(EPERM),
        _ => return fail(EINVAL),
    };
    let path = call.string(path)?;
    let place = call.new_place(directory as i32, &path, false)?;
    match node {
        Some(node) => call.create_file(place, node, mode).map(|_| 0),
        None if !call.inode(place.parent)?.allows(3) => fail(EACCES),
        None => fail(EPERM),
    }
}

pub(crate) fn mknod(call: &mut Call<'_>, [path, mode, device, ..]: [u64; 6]) -> CallResult {
    mknodat(call, [AT_FDCWD as u64, path, mode, device, 0, 0])
}

impl Call<'_> {
    /// Resolves the path of something new: nothing may be there, and only directories may have slashes after their name.
    pub(crate) fn new_place(
        &mut self,
        directory: i32,
        path: &Name,
        slash_allowed: bool,
    ) -> CallResult<ResolvedPath> {
        let place = self.entry(directory, path)?;
        if place.ino.is_some() {
            return fail(EEXIST);
        }
        if place.slash && !slash_allowed {
            return fail(ENOENT);
        }
        Ok(place)
    }
}

/// Takes room for a part of a file, or gives it back.
pub(crate) fn fallocate(call: &mut Call<'_>, [fd, mode, offset, len, ..]: [u64; 6]) -> CallResult {
    const KEEP_SIZE: u32 = 1;
    const PUNCH_HOLE: u32 = 2;
    let (mode, offset, len) = (mode as u32, offset as i64, len as i64);
    let file = call.file(fd as i32)?.clone();
    if offset < 0 || len <= 0 {
        return fail(EINVAL);
    }
    // Kinds that some file system knows; each may, must or must not keep the size.
    let known = match mode & !KEEP_SIZE {
        0 | 0x10 | 0x40 => true,
        PUNCH_HOLE => mode & KEEP_SIZE != 0,
        8 | 0x20 => mode & KEEP_SIZE == 0,
        _ => false,
    };
    if !known {
        return fail(EOPNOTSUPP);
    }
    if !file.writable() {
        return fail(crate::kernel::errno::EBADF);
    }
    let node = &call.inode(file.ino)?.node;
    let content = match node {
        FileNode::File(content) | FileNode::Sealed(content) => content.clone(),
        FileNode::Directory(_) => return fail(EISDIR),
        FileNode::Pipe(_) | FileNode::Stream(_) => return fail(crate::kernel::errno::ESPIPE),
        _ => return fail(crate::kernel::errno::ENODEV),
    };
    let (offset, len) = (offset as u64, len as u64);
    let end = offset.checked_add(len).filter(|&e| e <= i64::MAX as u64);
    let Some(end) = end else { return fail(crate::kernel::errno::EFBIG) };
    if mode & !(KEEP_SIZE | PUNCH_HOLE) != 0 {
        return fail(EOPNOTSUPP);
    }
    if matches!(call.inode(file.ino)?.node, FileNode::Sealed(_)) {
        // No change: the range has its room already and keeps its bytes.
        return if mode & PUNCH_HOLE != 0 || end > content.len() { fail(EPERM) } else { Ok(0) };
    }
    if mode & PUNCH_HOLE == 0 {
        if mode & KEEP_SIZE == 0 && end > content.len() {
            call.check_file_size(end)?;
        }
        if len > crate::env::world::LIMIT_FILE_SIZE {
            return fail(crate::kernel::errno::ENOSPC);
        }
        call.check_room(content.pages_needed(offset, len))?;
    }
    let now = call.now();
    let fs = call.fs_mut();
    if let FileNode::File(content) = &mut fs.inode_mut(file.ino)?.node {
        if mode & PUNCH_HOLE != 0 {
            content.punch(offset, len);
        } else {
            content.allocate(offset, len);
            if mode & KEEP_SIZE == 0 && end > content.len() {
                content.resize(end);
            }
        }
    }
    fs.touch(file.ino, now)?;
    if call.drop_set_id(file.ino)? {
        call.kernel.notify(file.ino, ATTRIB);
    }
    call.kernel.notify(file.ino, MODIFY);
    Ok(0)
}

//! Descriptors: duplicates, flags, positions, devices' controls.

use crate::events::objects::Special;
use crate::files::descriptions::*;
use crate::files::inode::{Direction, FileNode};
use crate::kernel::errno::{CallResult, EAGAIN, EBADF, EINVAL, ENOTTY, ENXIO, ESPIPE, fail, unsupported};
use crate::kernel::state::Call;
use crate::processes::process::Descriptor;

pub(crate) fn dup(call: &mut Call<'_>, [fd, ..]: [u64; 6]) -> CallResult {
    call.duplicate(fd as i32, 0, false)
}

pub(crate) fn dup2(call: &mut Call<'_>, [from, to, ..]: [u64; 6]) -> CallResult {
    if from as i32 == to as i32 {
        call.process().key(from as i32)?;
        return Ok(u64::from(to as u32));
    }
    dup3(call, [from, to, 0, 0, 0, 0])
}

pub(crate) fn dup3(call: &mut Call<'_>, [from, to, flags, ..]: [u64; 6]) -> CallResult {
    if flags as u32 & !O_CLOEXEC != 0 || from as i32 == to as i32 {
        return fail(EINVAL);
    }
    if !call.process().within_limit(to as i32) {
        return fail(EBADF);
    }
    let file = call.process().key(from as i32)?;
    if call.process().key(to as i32).is_ok() {
        crate::files::calls::open::close(call, [to, 0, 0, 0, 0, 0])?;
    }
    let descriptor = Descriptor { file, close_on_exec: flags as u32 & O_CLOEXEC != 0 };
    call.install_again(to as u32 as usize, descriptor);
    Ok(u64::from(to as u32))
}

pub(crate) fn fcntl(call: &mut Call<'_>, [fd, command, argument, ..]: [u64; 6]) -> CallResult {
    const SETTABLE: u32 = O_APPEND | O_NONBLOCK | O_NOATIME | O_DIRECT | 0o20_000;
    let fd = fd as i32;
    let flags = call.any_file(fd)?.flags;
    let command = command as u32;
    if flags & O_PATH != 0 && !matches!(command, 0..=3 | 1030) {
        return fail(EBADF);
    }
    match command {
        0 => call.duplicate(fd, argument as i32, false),
        1030 => call.duplicate(fd, argument as i32, true),
        1 => Ok(call.process().descriptor(fd)?.close_on_exec.into()),
        2 => {
            call.process_mut().set_close_on_exec(fd, argument & 1 != 0);
            Ok(0)
        }
        3 => Ok(u64::from(flags)),
        4 if flags & O_PATH != 0 => fail(EBADF),
        4 => {
            let file = call.file_mut(fd)?;
            file.flags = flags & !SETTABLE | argument as u32 & SETTABLE;
            Ok(0)
        }
        5 | 36 => call.ask_for_lock(fd, argument, command == 36),
        6 | 7 => call.lock_part(fd, argument, false, command == 7),
        37 | 38 => call.lock_part(fd, argument, true, command == 38),
        1032 if matches!(call.file_node(fd)?, FileNode::Pipe(_) | FileNode::Stream(_)) => {
            Ok(crate::env::world::PIPE_SIZE as u64)
        }
        1031 | 1032 => {
            if matches!(call.file_node(fd)?, FileNode::Pipe(_) | FileNode::Stream(_)) {
                unsupported("F_SETPIPE_SZ")
            } else {
                fail(EBADF)
            }
        }
        1034 => match call.file_node(fd)? {
            FileNode::Sealed(_) => Ok(0xf),
            _ => fail(EINVAL),
        },
        8..=11 | 15 | 16 | 1024..=1026 => unsupported(format!("fcntl command {command}")),
        _ => fail(EINVAL),
    }
}

impl Call<'_> {
    fn duplicate(&mut self, fd: i32, least: i32, close_on_exec: bool) -> CallResult {
        let file = self.process().key(fd)?;
        if !self.process().within_limit(least) {
            return fail(EINVAL);
        }
        let new = self.process().free_descriptor(least as usize)?;
        self.install_again(new, Descriptor { file, close_on_exec });
        Ok(new as u64)
    }

    fn file_node(&self, fd: i32) -> CallResult<&FileNode> {
        let ino = self.file(fd)?.ino;
        Ok(&self.inode(ino)?.node)
    }
}

/// Locks of whole files: they belong to open file descriptions, so even one process can meet its own.
pub(crate) fn flock(call: &mut Call<'_>, [fd, operation, ..]: [u64; 6]) -> CallResult {
    const SHARED: u32 = 1;
    const EXCLUSIVE: u32 = 2;
    const NO_WAIT: u32 = 4;
    const UNLOCK: u32 = 8;
    let wanted = operation as u32 & !NO_WAIT;
    if !matches!(wanted, SHARED | EXCLUSIVE | UNLOCK) {
        return fail(EINVAL);
    }
    let key = call.process().key(fd as i32)?;
    let file = call.file(fd as i32)?;
    if wanted != UNLOCK && !file.readable() && !file.writable() {
        return fail(EBADF);
    }
    if matches!(call.inode(file.ino)?.node, FileNode::Special(_)) {
        return unsupported("a lock of what has no name, which others on the machine may hold");
    }
    if wanted == UNLOCK || wanted == file.lock {
        call.file_mut(fd as i32)?.lock = if wanted == UNLOCK { 0 } else { wanted };
        return Ok(0);
    }
    let others = call.files().by_key().filter(|&(k, f)| k != key && f.ino == file.ino);
    let meets = |lock: u32| lock == EXCLUSIVE || lock == SHARED && wanted == EXCLUSIVE;
    let held = others.into_iter().any(|(_, f)| meets(f.lock));
    if held && operation as u32 & NO_WAIT == 0 {
        return call.wait("somebody has locked the file who does not unlock it");
    }
    // The lock that was there is given up first, even if the new one cannot be had.
    call.file_mut(fd as i32)?.lock = if held { 0 } else { wanted };
    if held { fail(EAGAIN) } else { Ok(0) }
}

pub(crate) fn ioctl(call: &mut Call<'_>, [fd, request, argument, ..]: [u64; 6]) -> CallResult {
    const FIOCLEX: u32 = 0x5451;
    const FIONCLEX: u32 = 0x5450;
    const FIONBIO: u32 = 0x5421;
    const FIONREAD: u32 = 0x541b;
    let fd = fd as i32;
    let file = call.file(fd)?.clone();
    match request as u32 {
        FIOCLEX | FIONCLEX => {
            call.process_mut().set_close_on_exec(fd, request as u32 == FIOCLEX);
            Ok(0)
        }
        FIONBIO => {
            let on = call.word(argument, 4)? != 0;
            let flags = file.flags & !O_NONBLOCK | if on { O_NONBLOCK } else { 0 };
            call.file_mut(fd)?.flags = flags;
            Ok(0)
        }
        FIONREAD => {
            call.settle_size(file.ino)?;
            let file = call.settled_file(fd)?;
            let waiting = match &call.inode(file.ino)?.node {
                FileNode::File(c) | FileNode::Sealed(c) => c.len().wrapping_sub(file.position),
                FileNode::Pipe(held) => held.len() as u64,
                FileNode::Stream(_) => 0,
                FileNode::Terminal(Direction::Input(typed)) => typed.len().wrapping_sub(file.position),
                FileNode::Terminal(_) => return unsupported("FIONREAD of the terminal by an output"),
                FileNode::Special(Special::Inotify(inotify)) => inotify.len() as u64,
                FileNode::Endpoint(socket) => match socket.waiting_bytes() {
                    Some(waiting) => waiting as u64,
                    None => return fail(EINVAL),
                },
                FileNode::Program(_) => return unsupported("the content of a program's file"),
                _ => return fail(ENOTTY),
            };
            call.put(argument, &(waiting as u32).to_le_bytes())?;
            Ok(0)
        }
        request if call.inode(file.ino)?.is_terminal() => call.control_terminal(request, argument),
        // There is no other device.
        _ => fail(ENOTTY),
    }
}

pub(crate) fn lseek(call: &mut Call<'_>, [fd, offset, whence, ..]: [u64; 6]) -> CallResult {
    let fd = fd as i32;
    let (offset, whence) = (offset as i64, whence as u32);
    let file = if whence == 1 { call.settled_file(fd)? } else { call.file(fd)?.clone() };
    if whence > 1 {
        call.settle_size(file.ino)?;
    }
    let inode = call.inode(file.ino)?;
    let content = match &inode.node {
        FileNode::File(c) | FileNode::Sealed(c) => c,
        FileNode::Directory(_) => return call.seek_directory(fd, offset, whence),
        FileNode::Program(_) => return unsupported("the content of a program's file"),
        // Linux seeks there without moving.
        FileNode::Special(_) if whence <= 4 => return Ok(0),
        _ if whence > 4 => return fail(EINVAL),
        _ => return fail(ESPIPE),
    };
    let target = match whence {
        0 => Some(offset),
        1 => offset.checked_add(file.position as i64),
        2 => offset.checked_add(content.len() as i64),
        3 | 4 if offset < 0 => return fail(ENXIO),
        3 | 4 => match content.seek(offset as u64, whence == 3) {
            Some(at) => Some(at as i64),
            None => return fail(ENXIO),
        },
        _ => return fail(EINVAL),
    };
    match target {
        Some(target) if target >= 0 => {
            let file = call.file_mut(fd)?;
            (file.position, file.far) = (target as u64, None);
            Ok(target as u64)
        }
        Some(_) => fail(EINVAL),
        // Linux computes with wrap-around and finds a negative position.
        None => fail(EINVAL),
    }
}

impl Call<'_> {
    fn seek_directory(&mut self, fd: i32, offset: i64, whence: u32) -> CallResult {
        let file = self.file_mut(fd)?;
        let target = match whence {
            0 => offset,
            1 => offset.saturating_add(file.position as i64),
            _ => return fail(EINVAL),
        };
        if target < 0 {
            return fail(EINVAL);
        }
        if target as u64 != file.position {
            file.position = target as u64;
            file.read_down_to = u64::MAX;
            let ino = file.ino;
            // The entry that was last of those before the position.
            if let Some(before) = (target as u64).checked_sub(3) {
                let entries = &self.fs().directory(ino)?.entries;
                let entry = entries.iter().rev().nth(before as usize).or(entries.first());
                let age = entry.map_or(u64::MAX, |e| e.age);
                self.file_mut(fd)?.read_down_to = age;
            }
        }
        Ok(target as u64)
    }
}

/// Only checks the descriptor and the advice.
pub(crate) fn fadvise64(call: &mut Call<'_>, [fd, _, len, advice, ..]: [u64; 6]) -> CallResult {
    match call.file_node(fd as i32)? {
        FileNode::Pipe(_) | FileNode::Stream(_) | FileNode::Endpoint(_) => fail(ESPIPE),
        _ if (len as i64) < 0 || advice as u32 > 5 => fail(EINVAL),
        _ => Ok(0),
    }
}

/// All is stored as soon as it is written.
pub(crate) fn fsync(call: &mut Call<'_>, [fd, ..]: [u64; 6]) -> CallResult {
    let ino = call.file(fd as i32)?.ino;
    if call.inode(ino)?.has_positions() { Ok(0) } else { fail(EINVAL) }
}

pub(crate) fn syncfs(call: &mut Call<'_>, [fd, ..]: [u64; 6]) -> CallResult {
    call.file(fd as i32).map(|_| 0)
}

pub(crate) fn readahead(call: &mut Call<'_>, [fd, ..]: [u64; 6]) -> CallResult {
    let file = call.file(fd as i32)?;
    if !file.readable() {
        return fail(EBADF);
    }
    match call.file_node(fd as i32)? {
        FileNode::File(_) | FileNode::Sealed(_) => Ok(0),
        _ => fail(EINVAL),
    }
}

//! Handlers that read and write descriptors, with and without positions and lists of buffers.

use cleave_memory::Byte;

use crate::env::world;
use crate::events::watches::{ACCESS, ATTRIB, MODIFY};
use crate::files::descriptions::{O_APPEND, O_NONBLOCK, OpenFile};
use crate::files::inode::{Direction, FileNode, Ino, S_IFDIR, S_IFIFO, S_IFREG, Stream, device};
use crate::files::pipe::Pipe;
use crate::kernel::errno::{
    CallResult, EAGAIN, EBADF, EINVAL, EISDIR, ENOSPC, EPERM, EPIPE, ESPIPE, EXDEV, Fail, fail, unsupported,
};
use crate::kernel::state::Call;
use crate::kernel::user_memory::MAX_TRANSFER;
use crate::signals::state::SIGPIPE;

pub(crate) fn read(call: &mut Call<'_>, [fd, buffer, len, ..]: [u64; 6]) -> CallResult {
    let bytes = call.read_file(fd as i32, None, len)?;
    call.tell_of_access(fd, bytes.len() as u64, ACCESS)?;
    call.scatter(&[(buffer, len)], &bytes)
}

pub(crate) fn readv(call: &mut Call<'_>, [fd, vector, count, ..]: [u64; 6]) -> CallResult {
    call.check_readable(fd as i32)?;
    call.read_vector(fd as i32, None, vector, count)
}

pub(crate) fn pread(call: &mut Call<'_>, [fd, buffer, len, offset, ..]: [u64; 6]) -> CallResult {
    let offset = position(offset)?;
    let bytes = call.read_file(fd as i32, Some(offset), len)?;
    call.tell_of_access(fd, bytes.len() as u64, ACCESS)?;
    call.scatter(&[(buffer, len)], &bytes)
}

pub(crate) fn preadv(call: &mut Call<'_>, [fd, vector, count, offset, ..]: [u64; 6]) -> CallResult {
    let offset = position(offset)?;
    call.check_positions(fd as i32)?;
    call.check_readable(fd as i32)?;
    call.read_vector(fd as i32, Some(offset), vector, count)
}

pub(crate) fn write(call: &mut Call<'_>, [fd, buffer, len, ..]: [u64; 6]) -> CallResult {
    call.write_from(fd as i32, None, &[(buffer, len)])
}

pub(crate) fn writev(call: &mut Call<'_>, [fd, vector, count, ..]: [u64; 6]) -> CallResult {
    call.check_writable(fd as i32)?;
    let buffers = call.vector(vector, count, None)?;
    call.write_from(fd as i32, None, &buffers)
}

pub(crate) fn pwrite(call: &mut Call<'_>, [fd, buffer, len, offset, ..]: [u64; 6]) -> CallResult {
    let offset = position(offset)?;
    call.write_from(fd as i32, Some(offset), &[(buffer, len)])
}

pub(crate) fn pwritev(call: &mut Call<'_>, [fd, vector, count, offset, ..]: [u64; 6]) -> CallResult {
    let offset = position(offset)?;
    call.check_positions(fd as i32)?;
    call.check_writable(fd as i32)?;
    let buffers = call.vector(vector, count, None)?;
    call.write_from(fd as i32, Some(offset), &buffers)
}

fn position(offset: u64) -> CallResult {
    if offset > i64::MAX as u64 { fail(EINVAL) } else { Ok(offset) }
}

/// Copies within the kernel, from a file that can be mapped to anything.
pub(crate) fn sendfile(call: &mut Call<'_>, [out, from, offset, count, ..]: [u64; 6]) -> CallResult {
    let input = if offset == 0 { call.settled_file(from as i32)? } else { call.file(from as i32)?.clone() };
    if !input.readable() {
        return fail(EBADF);
    }
    let at = if offset == 0 { None } else { Some(position(call.long(offset)?)?) };
    let kind = call.inode(input.ino)?.kind();
    if at.is_some() && !call.inode(input.ino)?.has_positions() {
        return fail(ESPIPE);
    }
    call.check_span(&input, at, count)?;
    call.check_writable(out as i32)?;
    let target = call.file(out as i32)?;
    if target.flags & O_APPEND != 0 && call.inode(target.ino)?.kind() != S_IFIFO {
        return fail(EINVAL);
    }
    let start = at.unwrap_or(input.position);
    let output = call.settled_file(out as i32)?;
    call.check_span(&output, None, count)?;
    if matches!(call.inode(output.ino)?.node, FileNode::Pipe(_))
        && call.pipe_is_full(&output)?
        && output.flags & O_NONBLOCK != 0
    {
        return fail(EAGAIN);
    }
    if kind != S_IFREG {
        // Nothing can be had from a directory, and for a pipe from anything.
        let to_pipe = call.inode(output.ino)?.kind() == S_IFIFO;
        let nothing = count == 0 && (to_pipe || kind == S_IFDIR);
        if !nothing && to_pipe && kind == S_IFIFO {
            return unsupported("sending from a pipe to a pipe");
        }
        return if nothing { Ok(0) } else { fail(EINVAL) };
    }
    if input.ino == output.ino {
        return unsupported("sending a file to itself");
    }
    let bytes = call.read_file(from as i32, Some(start), count)?;
    let done = if bytes.is_empty() { 0 } else { call.write_file(out as i32, None, &bytes)? };
    call.tell_of_access(from, done, ACCESS)?;
    call.tell_of_access(out, done, MODIFY)?;
    if offset == 0 {
        call.file_mut(from as i32)?.position = start + done;
    } else {
        call.put(offset, &(start + done).to_le_bytes())?;
    }
    Ok(done)
}

pub(crate) fn copy_file_range(call: &mut Call<'_>, args: [u64; 6]) -> CallResult {
    let [from, from_offset, to, to_offset, count, flags] = args;
    if flags != 0 {
        return fail(EINVAL);
    }
    let (input, output) = (call.settled_file(from as i32)?, call.settled_file(to as i32)?);
    let mut place = |address: u64, file: &OpenFile| match address {
        0 => Ok(file.position),
        _ => call.long(address),
    };
    let (at, target) = (place(from_offset, &input)?, place(to_offset, &output)?);
    let kinds = [call.inode(input.ino)?.kind(), call.inode(output.ino)?.kind()];
    if kinds.contains(&S_IFDIR) {
        return fail(EISDIR);
    }
    if kinds != [S_IFREG; 2] {
        return fail(EINVAL);
    }
    if !input.readable() || !output.writable() || output.flags & O_APPEND != 0 {
        return fail(EBADF);
    }
    if device(input.ino) != device(output.ino) {
        return fail(EXDEV);
    }
    if at > i64::MAX as u64 || target > i64::MAX as u64 {
        return fail(EINVAL);
    }
    call.settle_size(input.ino)?;
    let left = call.inode(input.ino)?.size().saturating_sub(at);
    let count = count.min(left).min(MAX_TRANSFER);
    call.check_file_size(target.saturating_add(1))?;
    if input.ino == output.ino && at.max(target) < at.min(target).saturating_add(count) {
        return fail(EINVAL);
    }
    let bytes = call.read_file(from as i32, Some(at), count)?;
    let done = if bytes.is_empty() { 0 } else { call.write_file(to as i32, Some(target), &bytes)? };
    call.tell_of_access(from, done, ACCESS)?;
    call.tell_of_access(to, done, MODIFY)?;
    for (fd, address, position) in [(from, from_offset, at + done), (to, to_offset, target + done)] {
        match address {
            0 => call.file_mut(fd as i32)?.position = position,
            _ => call.put(address, &position.to_le_bytes())?,
        }
    }
    Ok(done)
}

impl Call<'_> {
    fn check_readable(&self, fd: i32) -> CallResult<()> {
        if self.file(fd)?.readable() { Ok(()) } else { fail(EBADF) }
    }

    fn check_positions(&self, fd: i32) -> CallResult<()> {
        let ino = self.file(fd)?.ino;
        if self.inode(ino)?.has_positions() { Ok(()) } else { fail(ESPIPE) }
    }

    fn check_writable(&self, fd: i32) -> CallResult<()> {
        if self.file(fd)?.writable() { Ok(()) } else { fail(EBADF) }
    }

    /// Fails where the length, or the position after it, is no signed number.
    fn check_span(&self, file: &OpenFile, at: Option<u64>, len: u64) -> CallResult<()> {
        let has_positions = self.inode(file.ino)?.has_positions();
        let start = if has_positions { at.unwrap_or(file.position) } else { 0 };
        if start.saturating_add(len) > i64::MAX as u64 { fail(EINVAL) } else { Ok(()) }
    }

    /// Puts the bytes that were read into the program's buffers.
    fn scatter(&mut self, buffers: &[(u64, u64)], bytes: &[Byte]) -> CallResult {
        let mut rest = bytes;
        for &(address, len) in buffers {
            let (now, later) = rest.split_at(rest.len().min(len as usize));
            if !now.is_empty() {
                self.guest.write(address, now)?;
            }
            rest = later;
        }
        Ok(bytes.len() as u64)
    }

    fn read_vector(&mut self, fd: i32, at: Option<u64>, vector: u64, count: u64) -> CallResult {
        let file = self.file(fd)?;
        let ino = file.ino;
        let enough = self.inode(ino)?.bytes_behind(at.unwrap_or(file.position));
        let buffers = self.vector(vector, count, enough)?;
        let total = buffers.iter().map(|b| b.1).sum();
        // Only a vector gets nothing, and no error, from a directory.
        let inode = self.inode(ino)?;
        if total == 0 && (inode.is_directory() || matches!(inode.node, FileNode::Special(_))) {
            return Ok(0);
        }
        let several = buffers.iter().filter(|b| b.1 > 0).count() > 1;
        if several && self.fs().inotifies.contains(&ino) {
            return unsupported("reading an inotify into several buffers");
        }
        let bytes = self.read_file(fd, at, total)?;
        // Linux reports such a read even if it reads nothing.
        self.kernel.notify(ino, ACCESS);
        self.scatter(&buffers, &bytes)
    }

    /// Reads at a position, or at the file's own, which moves on.
    fn read_file(&mut self, fd: i32, at: Option<u64>, len: u64) -> CallResult<Vec<Byte>> {
        let mut file = self.file(fd)?.clone();
        // The file may have grown since the seek behind its end.
        if at.is_none() && file.far.is_some() && self.inode(file.ino)?.size() >= file.position {
            file = self.settled_file(fd)?;
        }
        let inode = self.inode(file.ino)?;
        if at.is_some() && !inode.has_positions() {
            return fail(ESPIPE);
        }
        if !file.readable() {
            return fail(EBADF);
        }
        self.check_span(&file, at, len)?;
        let len = len.min(MAX_TRANSFER);
        self.settle_to_read(file.ino, at.unwrap_or(file.position), len)?;
        match &self.inode(file.ino)?.node {
            FileNode::Directory(_) => fail(EISDIR),
            FileNode::File(content) | FileNode::Sealed(content) => {
                let bytes = content.read(at.unwrap_or(file.position), len);
                if at.is_none() {
                    self.file_mut(fd)?.position += bytes.len() as u64;
                }
                Ok(bytes)
            }
            FileNode::Terminal(Direction::Input(typed)) => {
                let bytes = self.one_line(typed.read(file.position, len))?;
                self.file_mut(fd)?.position += bytes.len() as u64;
                Ok(bytes)
            }
            FileNode::Pipe(_) => self.read_pipe(&file, len),
            FileNode::Stream(_) | FileNode::Terminal(Direction::Output(_)) => {
                unsupported("reading standard output")
            }
            FileNode::Program(_) => unsupported("the content of a program's file"),
            FileNode::Special(_) => self.read_special(&file, len),
            FileNode::Endpoint(_) => self.read_socket(file.ino, file.flags & O_NONBLOCK != 0, len),
            FileNode::Link(_) | FileNode::Socket => fail(EINVAL),
            FileNode::Undecided(_) => {
                unsupported("an entry that was opened before it was decided what it is")
            }
        }
    }

    /// Prepares a read of a file whose length is an input. A small read takes one decision: the file has all of its bytes or not.
    /// If it has not, or more is wanted than there can be, the length is decided.
    fn settle_to_read(&mut self, ino: Ino, at: u64, len: u64) -> CallResult<()> {
        let inode = self.inode(ino)?;
        if len == 0 || inode.has_known_size() {
            return Ok(());
        }
        let end = at.saturating_add(len);
        if end <= inode.size() && self.reaches(ino, end)? {
            return Ok(());
        }
        self.settle_size(ino)
    }

    fn read_pipe(&mut self, file: &OpenFile, len: u64) -> CallResult<Vec<Byte>> {
        let writers = self.files().iter().any(|f| f.ino == file.ino && f.writable());
        let FileNode::Pipe(held) = &self.inode(file.ino)?.node else { return fail(EBADF) };
        if len == 0 || (held.is_empty() && !writers) {
            return Ok(Vec::new());
        }
        if held.is_empty() {
            if file.flags & O_NONBLOCK != 0 {
                self.kernel.give_way();
                return fail(EAGAIN);
            }
            return self.wait("the pipe is empty and nobody writes to it");
        }
        match &mut self.fs_mut().inode_mut(file.ino)?.node {
            FileNode::Pipe(held) => Ok(held.take(len as usize)),
            _ => fail(EBADF),
        }
    }

    /// Gathers the program's buffers and writes them.
    fn write_from(&mut self, fd: i32, at: Option<u64>, buffers: &[(u64, u64)]) -> CallResult {
        let file = if at.is_none() { self.settled_file(fd)? } else { self.file(fd)?.clone() };
        if at.is_some() && !self.inode(file.ino)?.has_positions() {
            return fail(ESPIPE);
        }
        self.check_writable(fd)?;
        let total = buffers.iter().fold(0u64, |sum, b| sum.saturating_add(b.1));
        self.check_span(&file, at, total)?;
        let mut bytes = Vec::new();
        for &(address, len) in buffers {
            let len = len.min(MAX_TRANSFER);
            if len > 0 {
                bytes.append(&mut self.guest.read(address, len)?);
            }
        }
        let written = self.write_file(fd, at, &bytes)?;
        self.tell_of_access(fd as u64, written, MODIFY)?;
        Ok(written)
    }

    /// Tells watchers of a file that bytes were read from it or written to it, if any were.
    fn tell_of_access(&mut self, fd: u64, bytes: u64, event: u32) -> CallResult<()> {
        if bytes > 0 && !self.fs().inotifies.is_empty() {
            let ino = self.file(fd as i32)?.ino;
            self.kernel.notify(ino, event);
        }
        Ok(())
    }

    /// Writes at a position, or at the file's own, which moves on.
    fn write_file(&mut self, fd: i32, at: Option<u64>, bytes: &[Byte]) -> CallResult {
        let file = self.file(fd)?.clone();
        match &self.inode(file.ino)?.node {
            FileNode::Stream(Stream::Out) | FileNode::Terminal(Direction::Output(Stream::Out)) => {
                self.kernel.stdout.append(bytes);
            }
            FileNode::Stream(Stream::Err) | FileNode::Terminal(Direction::Output(Stream::Err)) => {
                self.kernel.stderr.append(bytes);
            }
            FileNode::Terminal(Direction::Input(_)) => {
                return unsupported("writing to the terminal by standard input");
            }
            FileNode::Pipe(_) => return self.write_pipe(&file, bytes),
            FileNode::Special(_) => return self.write_special(&file, bytes),
            FileNode::Endpoint(_) => {
                return self.write_socket(file.ino, file.flags & O_NONBLOCK != 0, bytes);
            }
            // Nothing written moves nothing, not even to the end in append mode.
            FileNode::File(_) | FileNode::Sealed(_) if bytes.is_empty() => return Ok(0),
            FileNode::Sealed(_) => return fail(EPERM),
            FileNode::File(content) => {
                let position = match at {
                    _ if file.flags & O_APPEND != 0 => content.len(),
                    Some(at) => at,
                    None => file.position,
                };
                let written = self.write_content(file.ino, position, bytes)?;
                if at.is_none() {
                    self.file_mut(fd)?.position = position + written;
                }
                return Ok(written);
            }
            FileNode::Program(_) => return unsupported("the content of a program's file"),
            FileNode::Directory(_) | FileNode::Link(_) | FileNode::Socket | FileNode::Undecided(_) => {
                return fail(EBADF);
            }
        }
        Ok(bytes.len() as u64)
    }

    /// Writes as much as the limits allow.
    fn write_content(&mut self, ino: Ino, at: u64, bytes: &[Byte]) -> CallResult {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.check_file_size(at.saturating_add(1))?;
        let limit = self.file_size_limit();
        let mut n = (bytes.len() as u64).min(limit - at);
        let free = self.fs().total_pages().saturating_sub(self.fs().used_pages());
        if let FileNode::File(content) = &self.inode(ino)?.node {
            while n > 0 && content.pages_needed(at, n) > free {
                // Up to the start of the last page that the write touches.
                let last = (at + n - 1) / world::PAGE_SIZE * world::PAGE_SIZE;
                n = last.saturating_sub(at);
            }
        }
        if n == 0 {
            return fail(ENOSPC);
        }
        let (now, bytes) = (self.now(), &bytes[..n as usize]);
        if let FileNode::File(content) = &mut self.fs_mut().inode_mut(ino)?.node {
            content.write(at, bytes);
        }
        self.fs_mut().touch(ino, now)?;
        if self.drop_set_id(ino)? {
            self.kernel.notify(ino, ATTRIB);
        }
        Ok(n)
    }

    fn has_reader(&self, pipe: Ino) -> bool {
        self.files().iter().any(|f| f.ino == pipe && f.readable())
    }

    fn pipe(&self, ino: Ino) -> CallResult<&Pipe> {
        match &self.inode(ino)?.node {
            FileNode::Pipe(pipe) => Ok(pipe),
            _ => fail(EBADF),
        }
    }

    /// Returns true if a pipe takes nothing at all; it must have a reader.
    fn pipe_is_full(&mut self, file: &OpenFile) -> CallResult<bool> {
        if !self.has_reader(file.ino) {
            self.raise(SIGPIPE);
            return fail(EPIPE);
        }
        Ok(self.pipe(file.ino)?.is_full())
    }

    fn write_pipe(&mut self, file: &OpenFile, bytes: &[Byte]) -> CallResult {
        if bytes.is_empty() {
            return Ok(0);
        }
        /// Writes of at most this size happen at once or not at all.
        const ATOMIC: usize = 4096;
        let mut progress = self.progress();
        let goes_on = self.kernel.resumes();
        if progress.cut {
            return Ok(progress.written as u64);
        }
        let rest = &bytes[progress.written.min(bytes.len())..];
        if !self.has_reader(file.ino) {
            self.raise(SIGPIPE);
            return if progress.written > 0 { Ok(progress.written as u64) } else { fail(EPIPE) };
        }
        let fits = self.pipe(file.ino)?.takes(rest.len(), goes_on);
        let n = if fits < rest.len() && bytes.len() <= ATOMIC { 0 } else { fits };
        if let FileNode::Pipe(pipe) = &mut self.fs_mut().inode_mut(file.ino)?.node
            && n > 0
        {
            pipe.put(&rest[..n], goes_on);
        }
        progress.written += n;
        if n == rest.len() || n > 0 && file.flags & O_NONBLOCK != 0 {
            return Ok(progress.written as u64);
        }
        if file.flags & O_NONBLOCK != 0 {
            self.kernel.give_way();
            return fail(EAGAIN);
        }
        if n > 0 {
            self.kernel.note_return();
        }
        self.keep(progress);
        let waits = self.wait("the pipe is full and nobody reads from it");
        let done = progress.written > 0 && matches!(waits, Err(Fail::Errno(_)));
        if done { Ok(progress.written as u64) } else { waits }
    }
}

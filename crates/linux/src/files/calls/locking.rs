//! Calls that put locks on parts of files, and queries of their owners.

use std::rc::Rc;

use crate::files::locks::{LAST, Lock, Owner};
use crate::kernel::errno::{CallResult, EAGAIN, EBADF, EDEADLK, EINVAL, EOVERFLOW, fail};
use crate::kernel::state::{Call, Kernel};
use crate::kernel::user_memory::Record;
use crate::processes::threads::Progress;

impl Kernel {
    /// Returns true if the process `pid` waits, directly or through others, for a lock of `whom`.
    fn waits_for(&self, mut pid: u64, whom: u64) -> bool {
        for _ in 0..self.processes().len() {
            if pid == whom {
                return true;
            }
            let Some(next) = self.process_of(pid).and_then(awaited) else {
                return false;
            };
            pid = next;
        }
        false
    }
}

/// The process whose lock one of a process's threads waits for.
fn awaited(process: &crate::processes::process::Process) -> Option<u64> {
    process.each_thread().find_map(|(thread, _)| thread.progress?.awaits)
}

impl Call<'_> {
    /// The range that a `struct flock` names, without its owner's right to it; `None` for one that unlocks.
    fn range(&mut self, fd: i32, at: u64, owner: Owner) -> CallResult<(Lock, Option<bool>)> {
        let file = self.file(fd)?.clone();
        let (kind, whence) = (self.word(at, 2)?, self.word(at.wrapping_add(2), 2)?);
        let (start, len) = (self.long(at.wrapping_add(8))? as i64, self.long(at.wrapping_add(16))? as i64);
        let origin = match whence {
            0 => 0,
            1 => self.settled_file(fd)?.position as i64,
            2 => {
                self.settle_size(file.ino)?;
                self.inode(file.ino)?.size() as i64
            }
            _ => return fail(EINVAL),
        };
        let Some(start) = origin.checked_add(start) else { return fail(EOVERFLOW) };
        if start < 0 {
            return fail(EINVAL);
        }
        let (first, last) = match len {
            0 => (start, i64::MAX),
            1.. => match start.checked_add(len - 1) {
                Some(last) => (start, last),
                None => return fail(EOVERFLOW),
            },
            _ if start + len < 0 => return fail(EINVAL),
            _ => (start + len, start - 1),
        };
        let exclusive = match kind {
            0 => Some(false),
            1 => Some(true),
            2 => None,
            _ => return fail(EINVAL),
        };
        let exclusive_or_not = exclusive.unwrap_or(false);
        Ok((Lock { owner, first: first as u64, last: last as u64, exclusive: exclusive_or_not }, exclusive))
    }

    fn owner(&mut self, fd: i32, at: u64, of_file: bool) -> CallResult<Owner> {
        if !of_file {
            return Ok(Owner::Process(self.process().pid));
        }
        if self.word(at.wrapping_add(24), 4)? != 0 {
            return fail(EINVAL);
        }
        Ok(Owner::File(self.process().key(fd)?))
    }

    /// Says which lock would be in the way.
    pub(crate) fn ask_for_lock(&mut self, fd: i32, at: u64, of_file: bool) -> CallResult {
        let owner = self.owner(fd, at, of_file)?;
        let (wanted, kind) = self.range(fd, at, owner)?;
        if kind.is_none() {
            return fail(EINVAL);
        }
        let ino = self.file(fd)?.ino;
        let Some(there) = self.kernel.locks.conflict(ino, wanted) else {
            self.put(at, &2u16.to_le_bytes())?;
            return Ok(0);
        };
        let len = if there.last == LAST { 0 } else { there.last - there.first + 1 };
        let pid = match there.owner {
            Owner::Process(pid) => pid as u32,
            Owner::File(_) => u32::MAX,
        };
        self.put_record(at, Record::default().u16(there.exclusive.into()).u16(0))?;
        self.put_record(at.wrapping_add(8), Record::default().u64(there.first).u64(len).u32(pid))?;
        Ok(0)
    }

    /// Locks or unlocks a part of a file, and waits for that if it is to.
    pub(crate) fn lock_part(&mut self, fd: i32, at: u64, of_file: bool, waits: bool) -> CallResult {
        let owner = self.owner(fd, at, of_file)?;
        let (range, kind) = self.range(fd, at, owner)?;
        let file = self.file(fd)?.clone();
        if kind == Some(false) && !file.readable() || kind == Some(true) && !file.writable() {
            return fail(EBADF);
        }
        let in_the_way = kind.and_then(|_| self.kernel.locks.conflict(file.ino, range));
        let Some(there) = in_the_way else {
            Rc::make_mut(&mut self.kernel.locks).replace(file.ino, range, kind.is_some());
            return Ok(0);
        };
        if !waits {
            self.kernel.give_way();
            return fail(EAGAIN);
        }
        if let (Owner::Process(holder), Owner::Process(own)) = (there.owner, owner) {
            if self.kernel.waits_for(holder, own) {
                return fail(EDEADLK);
            }
            self.keep(Progress { awaits: Some(holder), ..self.progress() });
        }
        self.wait("somebody has locked the file who does not unlock it")
    }
}

//! The calls that show whether a stream is the terminal: the first of them decides it.

use std::rc::Rc;

use crate::calls::table::nr;
use crate::files::inode::Inode;
use crate::files::terminal::STREAMS;
use crate::kernel::errno::CallResult;
use crate::kernel::state::{Call, Kernel};

/// Calls that show if a descriptor is a terminal, and which of their arguments is the descriptor.
const SHOWING: &[(u64, usize)] = &[
    (nr::READ, 0),
    (nr::FSTAT, 0),
    (nr::LSEEK, 0),
    (nr::MMAP, 4),
    (nr::IOCTL, 0),
    (nr::PREAD64, 0),
    (nr::PWRITE64, 0),
    (nr::READV, 0),
    (nr::SENDFILE, 0),
    (nr::SENDFILE, 1),
    (nr::FSYNC, 0),
    (nr::FDATASYNC, 0),
    (nr::FTRUNCATE, 0),
    (nr::FCHMOD, 0),
    (nr::FCHOWN, 0),
    (nr::FSTATFS, 0),
    (nr::READAHEAD, 0),
    (nr::FADVISE64, 0),
    (nr::EPOLL_CTL, 2),
    (nr::NEWFSTATAT, 0),
    (nr::UTIMENSAT, 0),
    (nr::FALLOCATE, 0),
    (nr::PREADV, 0),
    (nr::PWRITEV, 0),
    (nr::COPY_FILE_RANGE, 0),
    (nr::COPY_FILE_RANGE, 2),
    (nr::STATX, 0),
];

impl Kernel {
    /// Returns true if a call shows the program that one of its descriptors is the terminal.
    pub fn shows_terminal(&self, nr: u64, args: &[u64; 6]) -> bool {
        let of_terminal = |at: usize| {
            let ino = self.file_of(args[at]);
            ino.and_then(|ino| self.fs.inode(ino)).is_ok_and(Inode::is_terminal)
        };
        self.terminal.is_some() && SHOWING.iter().any(|&(n, at)| n == nr && of_terminal(at))
    }
}

impl Call<'_> {
    /// Decides whether the descriptors of a call are the terminal, if the call shows it.
    pub(crate) fn settle_terminal(&mut self, nr: u64, args: &[u64; 6]) -> CallResult<()> {
        if self.kernel.terminal.is_none() {
            return Ok(());
        }
        for &(_, at) in SHOWING.iter().filter(|&&(n, _)| n == nr) {
            let Some(terminal) = &self.kernel.terminal else { return Ok(()) };
            let Ok(ino) = self.kernel.file_of(args[at]) else { continue };
            let Some(bit) = STREAMS.iter().position(|&stream| stream == ino) else { continue };
            let Some(is_terminal) = terminal.open[bit] else { continue };
            let is_terminal = self.guest.decide(is_terminal)?;
            if let Some(terminal) = self.kernel.terminal.as_mut().map(Rc::make_mut) {
                terminal.open[bit] = None;
            }
            if is_terminal {
                self.fs_mut().become_terminal(ino);
            }
        }
        Ok(())
    }
}

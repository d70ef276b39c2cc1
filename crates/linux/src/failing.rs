//! System calls that may fail at will: on files and pipes that the program opened itself, and `getcwd`. A call that fails so
//! has no effect.

use crate::errno::{EBADF, EFAULT, EIO};
use crate::fs::{STDERR, STDOUT};
use crate::kernel::Kernel;

/// What the kernel leaves in `rax` for a call that fails at will: an error of input or output.
pub const FAILED_CALL: u64 = i64::wrapping_neg(EIO.0 as i64) as u64;

/// The same for a call on a file descriptor that is not open for it.
pub const BAD_DESCRIPTOR: u64 = i64::wrapping_neg(EBADF.0 as i64) as u64;

/// The same for a call that is given a bad pointer.
pub const FAULTED_CALL: u64 = i64::wrapping_neg(EFAULT.0 as i64) as u64;

impl Kernel {
    /// Whether this call may fail at will: it reads, writes, closes, resizes, flushes or changes the mode of something that is
    /// there. Output to the standard streams never fails: it is what runs are compared by.
    pub fn may_fail(&self, nr: u64, args: [u64; 6]) -> bool {
        match nr {
            // chmod, fchmodat, truncate, getcwd
            90 | 268 | 76 | 79 => true,
            // read, write, close, pread64, pwrite64, readv, writev, fsync, fdatasync, ftruncate, fchmod, preadv, pwritev
            0 | 1 | 3 | 17..=20 | 74 | 75 | 77 | 91 | 295 | 296 => {
                let file = self.process.any_file(args[0] as i32);
                file.is_ok_and(|file| file.ino != STDOUT && file.ino != STDERR)
            }
            _ => false,
        }
    }
}

//! File descriptors that are not open: for system calls that have no other reason to fail with EBADF than a mistake.

use cleave_linux::{BAD_DESCRIPTOR, name_of};
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::stop::Stop;

/// System calls whose first argument is a descriptor, by their x86-64 numbers: read, write, close, lseek, pread64, pwrite64,
/// readv, writev, fsync, fdatasync, ftruncate, getdents64. Others, such as `fcntl` and `fstat`, also serve to find out if a
/// descriptor is open.
const ON_A_DESCRIPTOR: [u64; 12] = [0, 1, 3, 8, 17, 18, 19, 20, 74, 75, 77, 217];

impl Engine {
    /// Reports a system call whose `result` says that its descriptor is not open for it.
    ///
    /// # Errors
    /// The bug.
    pub(crate) fn check_descriptor(&self, nr: u64, descriptor: u64, result: u64) -> Result<(), Stop> {
        let wrong = result == BAD_DESCRIPTOR && ON_A_DESCRIPTOR.contains(&nr);
        if !wrong || !self.options.checks.has(Family::Descriptor) {
            return Ok(());
        }
        let (call, descriptor) = (name_of(nr), descriptor as i32);
        let what = format!("{call} on the file descriptor {descriptor}, which is not open for that");
        Err(Stop::bug(BugKind::Descriptor, what))
    }
}

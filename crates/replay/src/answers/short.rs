//! Reads and writes that move one byte although the program asked for more. The replayer executes them in the program's place, on
//! the program's own open file.
#![allow(unsafe_code)]

use crate::answers::guest::Task;
use cleave_linux::nr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Executes the one-byte call that [`cleave_linux::Kernel::shortened`] gave, on the real file; returns its result, or `None` if
/// the program's file cannot be opened.
pub(crate) fn one_byte(task: Task, number: u64, args: [u64; 6]) -> Option<u64> {
    let file = file_of(task, args[0])?;
    let (fd, offset) = (file.as_raw_fd(), args[3] as libc::off_t);
    let mut byte = [0u8];
    let reads = matches!(number, nr::READ | nr::PREAD64);
    if !reads && !task.reads_byte(args[1], &mut byte) {
        return Some(-i64::from(libc::EFAULT) as u64);
    }
    // SAFETY: one byte of ours is read or written.
    let moved = unsafe {
        match number {
            nr::READ => libc::read(fd, byte.as_mut_ptr().cast(), 1),
            nr::WRITE => libc::write(fd, byte.as_ptr().cast(), 1),
            nr::PREAD64 => libc::pread(fd, byte.as_mut_ptr().cast(), 1, offset),
            nr::PWRITE64 => libc::pwrite(fd, byte.as_ptr().cast(), 1, offset),
            _ => return None,
        }
    };
    if moved < 0 {
        let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
        return Some(-i64::from(errno) as u64);
    }
    if reads && moved == 1 && !task.writes_byte(args[1], byte) {
        return Some(-i64::from(libc::EFAULT) as u64);
    }
    Some(moved as u64)
}

/// The open file behind a descriptor of the program, with the same position and flags.
pub(crate) fn file_of(task: Task, fd: u64) -> Option<OwnedFd> {
    // SAFETY: plain system calls; the descriptors that they give are ours.
    unsafe {
        let process = libc::syscall(libc::SYS_pidfd_open, task.pid, 0);
        let process = (process >= 0).then(|| OwnedFd::from_raw_fd(process as i32))?;
        let file = libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), fd as i32, 0);
        (file >= 0).then(|| OwnedFd::from_raw_fd(file as i32))
    }
}

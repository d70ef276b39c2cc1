//! The files that a program reads: pipes that are filled before it starts, and files in memory.
#![allow(unsafe_code)]

use crate::{Error, Job, StdinKind};
use std::io::{Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// A pipe: the read end and the write end. Executed programs inherit neither.
pub(crate) fn pipe() -> Result<(OwnedFd, OwnedFd), Error> {
    let mut fds = [0; 2];
    // SAFETY: an array of two, which the call fills with open descriptors that are nobody else's.
    unsafe {
        if libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(Error::last("make a pipe"));
        }
        Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])))
    }
}

/// A descriptor from which the job's standard input can be read.
pub(crate) fn stdin(job: &Job) -> Result<OwnedFd, Error> {
    match job.stdin_kind {
        StdinKind::Pipe => stdin_pipe(&job.stdin),
        StdinKind::File => sealed_file(&job.stdin),
    }
}

/// A pipe filled with `bytes` before the program starts, so that no thread has to write to it during the run.
fn stdin_pipe(bytes: &[u8]) -> Result<OwnedFd, Error> {
    const USUAL: usize = 65_536;
    let (read, write) = pipe()?;
    if bytes.len() > USUAL {
        // SAFETY: changes the capacity of our own pipe.
        let size = unsafe { libc::fcntl(write.as_raw_fd(), libc::F_SETPIPE_SZ, bytes.len() as libc::c_int) };
        if size < 0 || (size as usize) < bytes.len() {
            let message = format!("a pipe does not hold its {} bytes of standard input", bytes.len());
            return Err(Error::BadJob(message));
        }
    }
    std::fs::File::from(write)
        .write_all(bytes)
        .map_err(|source| Error::System { step: "write standard input", source })?;
    Ok(read)
}

/// A file in memory whose contents can no longer be changed.
pub(crate) fn sealed_file(bytes: &[u8]) -> Result<OwnedFd, Error> {
    let failed = |source| Error::System { step: "write standard input", source };
    // SAFETY: a new file; the descriptor is nobody else's.
    let mut file = unsafe {
        let fd = libc::memfd_create(c"stdin".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
        if fd < 0 {
            return Err(Error::last("make standard input"));
        }
        std::fs::File::from_raw_fd(fd)
    };
    file.write_all(bytes).map_err(failed)?;
    file.rewind().map_err(failed)?;
    let seals = libc::F_SEAL_WRITE | libc::F_SEAL_GROW | libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL;
    // SAFETY: concerns our own file.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } != 0 {
        return Err(Error::last("protect standard input"));
    }
    Ok(file.into())
}

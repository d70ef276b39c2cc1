//! The listener of seccomp's user notification: receives the system calls of a program and sends the answers.
#![allow(unsafe_code)]

use crate::Error;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// A system call whose process waits for the answer.
pub(crate) struct Asked {
    /// The call's own id, valid as long as the process waits.
    pub(crate) id: u64,
    /// Id of the process or thread.
    pub(crate) pid: i32,
    pub(crate) number: u64,
    pub(crate) args: [u64; 6],
}

/// The descriptor from which calls are read.
pub(crate) struct Listener(OwnedFd);

impl Listener {
    pub(crate) fn new(fd: OwnedFd) -> Self {
        Listener(fd)
    }

    pub(crate) fn fd(&self) -> &OwnedFd {
        &self.0
    }

    /// The next call; `None` if its process was killed meanwhile. Call this when the descriptor is readable.
    pub(crate) fn receive(&self) -> Result<Option<Asked>, Error> {
        // SAFETY: any bytes are valid for the struct, and the kernel wants zeros; it fills in no more than it.
        let (got, call) = unsafe {
            let mut call = std::mem::zeroed::<libc::seccomp_notif>();
            let got = libc::ioctl(self.raw(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call);
            (got, call)
        };
        if got == 0 {
            let (number, args) = (call.data.nr as u32 as u64, call.data.args);
            return Ok(Some(Asked { id: call.id, pid: call.pid as i32, number, args }));
        }
        match std::io::Error::last_os_error().raw_os_error() {
            Some(libc::ENOENT | libc::EINTR | libc::EAGAIN) => Ok(None),
            _ => Err(Error::last("hear of a program's system calls")),
        }
    }

    /// Returns true if the process still waits; else its id may belong to another process by now.
    pub(crate) fn waits(&self, id: u64) -> bool {
        // SAFETY: the kernel reads one number.
        unsafe { libc::ioctl(self.raw(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const id) == 0 }
    }

    /// Lets the kernel execute the call.
    pub(crate) fn let_go_on(&self, id: u64) {
        let flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;
        self.respond(&libc::seccomp_notif_resp { id, val: 0, error: 0, flags });
    }

    /// Answers the call with a result, as the kernel leaves it in `rax`.
    pub(crate) fn answer(&self, id: u64, value: u64) {
        let (val, error) = match value as i64 {
            error @ -4095..0 => (0, error as i32),
            value => (value, 0),
        };
        self.respond(&libc::seccomp_notif_resp { id, val, error, flags: 0 });
    }

    fn respond(&self, response: &libc::seccomp_notif_resp) {
        // A process that was killed meanwhile needs no answer: an error means nothing.
        // SAFETY: the kernel reads the struct.
        unsafe { libc::ioctl(self.raw(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const *response) };
    }

    /// Gives the process a file, and answers the call with its new descriptor.
    pub(crate) fn give_file(&self, id: u64, file: &OwnedFd) -> Option<u64> {
        let given = libc::seccomp_notif_addfd {
            id,
            flags: 0,
            srcfd: file.as_raw_fd() as u32,
            newfd: 0,
            newfd_flags: libc::O_CLOEXEC as u32,
        };
        // SAFETY: the kernel reads the struct.
        let fd = unsafe { libc::ioctl(self.raw(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw const given) };
        let fd = u64::try_from(fd).ok();
        self.answer(id, fd.unwrap_or(-i64::from(libc::ENOENT) as u64));
        fd
    }

    /// Installs a file as the descriptor `at` of the process; `closes` means close on exec. Returns false on failure. The call
    /// still waits for its answer.
    pub(crate) fn place_file(&self, id: u64, file: &OwnedFd, at: RawFd, closes: bool) -> bool {
        let placed = libc::seccomp_notif_addfd {
            id,
            flags: libc::SECCOMP_ADDFD_FLAG_SETFD as u32,
            srcfd: file.as_raw_fd() as u32,
            newfd: at as u32,
            newfd_flags: if closes { libc::O_CLOEXEC as u32 } else { 0 },
        };
        // SAFETY: the kernel reads the struct.
        unsafe { libc::ioctl(self.raw(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw const placed) >= 0 }
    }

    fn raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

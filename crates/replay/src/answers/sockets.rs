//! Sockets exist only in the model. For each one, a real socket occupies an entry in the process's table of descriptors, so that
//! the model and the kernel number descriptors alike; no data goes through it.
#![allow(unsafe_code)]

use crate::answers::calls::Calls;
use crate::answers::guest::{Program, Task, known};
use crate::answers::short::file_of;
use cleave_linux::{Guest, Handed, Kernel, nr, succeeded};
use std::os::fd::{FromRawFd, OwnedFd};

impl Calls<'_> {
    /// Installs real sockets for those that a call has made in the model; returns false on failure.
    pub(crate) fn place_sockets(&self, number: u64, args: &[u64; 6], value: u64, task: Task) -> bool {
        if !succeeded(value) || self.is_closed() {
            return true;
        }
        let flags = match number {
            nr::SOCKET | nr::SOCKETPAIR => args[1],
            nr::ACCEPT => 0,
            nr::ACCEPT4 => args[3],
            _ => return true,
        };
        let closes = flags as i32 & libc::SOCK_CLOEXEC != 0;
        let place = |fd: u64| {
            stand_in().is_some_and(|file| self.listener.place_file(task.id, &file, fd as i32, closes))
        };
        if number != nr::SOCKETPAIR {
            return place(value);
        }
        let Ok(fds) = Program::new(task, &self.listener, true).read(args[3], 8) else { return false };
        let fd = |bytes: &[cleave_memory::Byte]| {
            bytes.iter().rev().fold(0, |fd, byte| fd << 8 | u64::from(known(byte)))
        };
        place(fd(&fds[..4])) && place(fd(&fds[4..]))
    }

    /// Keeps the real files that a call has sent, and installs those that it has received; returns false on failure.
    pub(crate) fn hand_on(&mut self, handed: &[Handed], task: Task) -> bool {
        if self.is_closed() {
            return true;
        }
        handed.iter().all(|&Handed { key, fd, sends, closes }| match sends {
            true => file_of(task, fd).map(|file| self.sent_files.insert(key, file)).is_some(),
            false => {
                let file = self.sent_files.get(&key);
                file.is_some_and(|file| self.listener.place_file(task.id, file, fd as i32, closes))
            }
        })
    }

    /// Returns true if the real kernel must execute a call after the model: it enters the name of a socket into a directory.
    pub(crate) fn is_real_too(&self, kernel: &Kernel, number: u64, args: &[u64; 6], value: u64) -> bool {
        number == nr::BIND && value == 0 && !self.is_closed() && kernel.has_path(args[0])
    }
}

/// A real socket that carries no data.
fn stand_in() -> Option<OwnedFd> {
    // SAFETY: the call makes a descriptor, which is ours alone, or fails.
    unsafe {
        let fd = libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
        (fd >= 0).then(|| OwnedFd::from_raw_fd(fd))
    }
}

//! Waiting for descriptors.
#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

/// Returns true if `fd` becomes readable, or its other end is closed, within `patience`.
pub(crate) fn readable(fd: &OwnedFd, patience: Duration) -> bool {
    let mut fds = [poll_entry(fd.as_raw_fd())];
    poll(&mut fds, patience);
    fds[0].revents != 0
}

/// An entry for [`poll`]; one with a negative number is ignored.
pub(crate) fn poll_entry(fd: i32) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

/// Waits until one of `fds` has an event, or until `patience`, rounded up to whole milliseconds, is over.
pub(crate) fn poll(fds: &mut [libc::pollfd], patience: Duration) {
    let milliseconds = patience.as_millis().saturating_add(1).min(i32::MAX as u128) as i32;
    // SAFETY: a slice with its length. On an error (a signal) the entries say that nothing is ready.
    unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, milliseconds) };
}

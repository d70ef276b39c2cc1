//! Captures the output of a run, with limits on time, memory and output. Called by [`crate::isolation::sandbox`] and [`crate::isolation::direct`].
#![allow(unsafe_code)]

use crate::answers::calls::{Calls, Stopped};
use crate::answers::poll::{poll, poll_entry};
use crate::{End, Error, Limits};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// A run in progress.
pub(crate) trait Handle {
    /// Becomes readable when the program has ended.
    fn done(&self) -> &OwnedFd;
    /// Memory of the process that uses most, in bytes.
    fn most_memory(&self) -> u64;
    /// Kills the run.
    fn kill(&self);
    /// Kills the processes that remain after the first one has ended. The status of the first one is known.
    fn kill_rest(&self);
}

/// Output of a run, and the reason if the replayer ended it.
#[derive(Default)]
pub(crate) struct Captured {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Set if the replayer ended the run.
    pub forced_end: Option<End>,
    /// The program makes processes and was ended for that reason: it must run again as a family.
    pub several: bool,
}

/// Collects output until the program has ended and its streams are closed; ends it at the limits. Meanwhile
/// serves its system calls.
pub(crate) fn run(
    handle: &dyn Handle,
    streams: [&OwnedFd; 2],
    limits: &Limits,
    mut calls: Option<&mut Calls<'_>>,
) -> Result<Captured, Error> {
    /// Time to wait after the end for a stream that a process outside of our reach holds open.
    const GRACE: Duration = Duration::from_secs(5);
    /// Interval between two checks of the memory in use; the first pages of a process need no check.
    const LOOK: Duration = Duration::from_millis(10);
    let mut deadline = Instant::now() + limits.wall;
    let mut look = Instant::now() + LOOK;
    let mut kept = [Vec::new(), Vec::new()];
    let mut open = [true; 2];
    let mut done = false;
    let mut forced_end = None;
    let mut several = false;
    let mut buffer = vec![0u8; 65_536];
    while !done || open[0] || open[1] {
        let now = Instant::now();
        if now >= deadline {
            if done || forced_end.is_some() {
                break;
            }
            forced_end = Some(End::TimedOut);
            handle.kill();
            deadline = now + GRACE;
        }
        if now >= look && !done && forced_end.is_none() {
            if handle.most_memory() > limits.memory {
                forced_end = Some(End::MemoryLimit);
                handle.kill();
                deadline = now + GRACE;
            }
            look = now + LOOK;
        }
        let watched = |yes: bool, fd: &OwnedFd| poll_entry(if yes { fd.as_raw_fd() } else { -1 });
        let asked = calls.as_ref().map_or(poll_entry(-1), |c| watched(!done, c.listener().fd()));
        let running = calls.as_ref().and_then(|c| c.end_of_running());
        let mut fds = [
            watched(open[0], streams[0]),
            watched(open[1], streams[1]),
            watched(!done, handle.done()),
            asked,
            running.map_or(poll_entry(-1), |end| watched(!done && forced_end.is_none(), end)),
        ];
        let next = if done || forced_end.is_some() { deadline } else { deadline.min(look) };
        poll(&mut fds, next.saturating_duration_since(Instant::now()));
        for i in 0..2 {
            if fds[i].revents == 0 {
                continue;
            }
            match read(streams[i], &mut buffer)? {
                0 => open[i] = false,
                n => {
                    let room = limits.output - kept[i].len();
                    kept[i].extend_from_slice(&buffer[..n.min(room)]);
                    if n > room && forced_end.is_none() {
                        forced_end = Some(End::OutputLimit);
                        handle.kill();
                        deadline = Instant::now() + GRACE;
                    }
                }
            }
        }
        let stopped = hear(&mut calls, fds[3].revents, fds[4].revents)?;
        if let Some(stopped) = stopped
            && forced_end.is_none()
        {
            match stopped {
                Stopped::End(end) => forced_end = Some(end),
                Stopped::Several => several = true,
                Stopped::Over => {}
            }
            if stopped == Stopped::Over {
                handle.kill_rest()
            } else {
                handle.kill()
            }
            deadline = Instant::now() + GRACE;
        }
        if fds[2].revents != 0 {
            done = true;
            deadline = Instant::now() + GRACE;
        }
    }
    let [stdout, stderr] = kept;
    Ok(Captured { stdout, stderr, forced_end, several })
}

/// Serves the program's calls, if the listener or the running process has an event.
fn hear(
    calls: &mut Option<&mut Calls<'_>>,
    listener: libc::c_short,
    running: libc::c_short,
) -> Result<Option<Stopped>, Error> {
    if listener & libc::POLLIN == 0 && listener != 0 {
        // No process is left that could make a call.
        *calls = None;
    }
    match calls {
        Some(calls) if listener != 0 => calls.serve(),
        Some(calls) if running != 0 => calls.running_has_ended(),
        _ => Ok(None),
    }
}

fn read(fd: &OwnedFd, buffer: &mut [u8]) -> Result<usize, Error> {
    loop {
        // SAFETY: reads into a live buffer of that length.
        let n = unsafe { libc::read(fd.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
        if n >= 0 {
            return Ok(n as usize);
        }
        if std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return Err(Error::last("read a program's output"));
        }
    }
}

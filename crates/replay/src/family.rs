//! Several native processes under one schedule: the model's. Each process stops at each of its system calls and is
//! answered when the model gives it the turn, so that one runs at a time and the order is the model's. What a call does, the
//! real kernel does: it is let go on as soon as the model says that it does not wait. What is in a pipe only the model
//! knows: a real pipe would fill and drain at other moments.

use crate::Error;
use crate::listener::{Asked, Listener};
use cleave_linux::Kernel;
use std::collections::{BTreeMap, VecDeque};
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// A process that was killed, or exits, is given this long to be gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often somebody looks whether a process that waits for an answer can end.
const STEP: Duration = Duration::from_millis(1);
/// The signals that end a process with a dump of its memory, as a set: SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU,
/// SIGXFSZ, SIGSYS.
const DUMPING: u64 = 0x4180_04fc;

/// A process, and how to hear of its end.
struct Member {
    /// The model's number.
    pid: u64,
    /// Readable when it has ended; none if it had before it could be opened.
    end: Option<OwnedFd>,
}

/// What there is to do for the process whose turn it is.
pub(crate) enum Turn {
    /// It has made this call.
    Call(Asked),
    /// The real kernel carries this call of it out already, and the model has still to do it.
    Flies(Asked),
    /// It gave up its turn by this call, which is answered now: by this result, or by the real kernel.
    Answer(Asked, Option<u64>),
}

/// The program's processes that live.
#[derive(Default)]
pub(crate) struct Family {
    /// By the machine's numbers.
    members: BTreeMap<i32, Member>,
    /// The model's numbers of processes that were made and have not called yet.
    unborn: VecDeque<u64>,
    /// Calls that wait until it is their process's turn, by the model's numbers.
    parked: BTreeMap<u64, Asked>,
    /// Calls that wait in the model, and that the real kernel carries out meanwhile: a named pipe is opened by two.
    flying: BTreeMap<u64, Asked>,
    /// Calls that are done, of processes that gave up their turn: with their results, or none for the real kernel's.
    held: BTreeMap<u64, (Asked, Option<u64>)>,
}

impl Family {
    /// A call came in; `first` is the model's number of the program's first process.
    pub(crate) fn park(&mut self, asked: Asked, first: u64) {
        let real = asked.pid;
        let unborn = &mut self.unborn;
        let member = self.members.entry(real).or_insert_with(|| {
            // Processes are made one after the other, and nobody is answered until the new one has called.
            Member { pid: unborn.pop_front().unwrap_or(first), end: open_process(real) }
        });
        self.parked.insert(member.pid, asked);
    }

    /// What there is to do for the process that runs, if it has called and a new process has too.
    pub(crate) fn next(&mut self, running: u64) -> Option<Turn> {
        if !self.unborn.is_empty() {
            return None;
        }
        if let Some((asked, result)) = self.held.remove(&running) {
            return Some(Turn::Answer(asked, result));
        }
        if let Some(asked) = self.flying.remove(&running) {
            return Some(Turn::Flies(asked));
        }
        self.parked.remove(&running).map(Turn::Call)
    }

    /// A process waits: its call is answered later.
    pub(crate) fn keep(&mut self, pid: u64, asked: Asked) {
        self.parked.insert(pid, asked);
    }

    /// A process waits, and the real kernel carries its call out meanwhile.
    pub(crate) fn fly(&mut self, pid: u64, asked: Asked) {
        self.flying.insert(pid, asked);
    }

    /// A process has given up its turn: its call is answered when it gets it again.
    pub(crate) fn hold(&mut self, pid: u64, asked: Asked, result: Option<u64>) {
        self.held.insert(pid, (asked, result));
    }

    /// There is a new process.
    pub(crate) fn born(&mut self, pid: u64) {
        self.unborn.push_back(pid);
    }

    /// Readable when this process ends, if its call is waited for.
    pub(crate) fn end_of(&self, running: u64) -> Option<&OwnedFd> {
        if !self.unborn.is_empty() || self.parked.contains_key(&running) {
            return None;
        }
        self.members.values().find(|member| member.pid == running)?.end.as_ref()
    }

    /// The signal that has ended a process whose parent has not asked for it; that of a fault where nothing is known.
    pub(crate) fn ended_by(&self, pid: u64) -> u32 {
        /// The exit code's place among the fields behind the process's name.
        const FIELD: usize = 49;
        let code = self.members.iter().find(|(_, member)| member.pid == pid).and_then(|(real, _)| {
            let stat = std::fs::read_to_string(format!("/proc/{real}/stat")).ok()?;
            stat[stat.rfind(')')? + 1..].split_whitespace().nth(FIELD)?.parse::<u32>().ok()
        });
        code.map(|code| code & 0x7f).filter(|signal| *signal != 0).unwrap_or(libc::SIGSEGV as u32)
    }

    /// Waits until the processes are gone that have ended in the model.
    ///
    /// # Errors
    /// [`Error::Lost`] if one does not end: it is where no signal reaches it.
    pub(crate) fn settle(&mut self, kernel: &Kernel, listener: &Listener) -> Result<(), Error> {
        let ended = self.members.extract_if(.., |_, member| !kernel.lives(member.pid));
        for (real, member) in ended {
            let held = self.held.remove(&member.pid).map(|(asked, _)| asked);
            let mut asked = self.parked.remove(&member.pid).or(held);
            self.flying.remove(&member.pid);
            let Some(end) = &member.end else { continue };
            let late = Instant::now() + PATIENCE;
            while !crate::poll::readable(end, if asked.is_some() { STEP } else { PATIENCE }) {
                if Instant::now() > late {
                    return Err(Error::Lost);
                }
                // Who waits for an answer dies at once of the other signals. These it takes itself, when the call returns.
                if pending(real) & DUMPING != 0
                    && let Some(asked) = asked.take()
                {
                    listener.answer(asked.id, -i64::from(libc::EINTR) as u64);
                }
            }
        }
        Ok(())
    }

    /// Waits until a process is stopped that a signal to itself stops.
    ///
    /// # Errors
    /// [`Error::Lost`] if it goes on.
    pub(crate) fn see_stopped(&self, pid: u64) -> Result<(), Error> {
        let real = self.members.iter().find(|(_, member)| member.pid == pid).map(|(real, _)| *real);
        let Some(real) = real else { return Ok(()) };
        let late = Instant::now() + PATIENCE;
        while state_of(real).is_some_and(|state| state != 'T') {
            if Instant::now() > late {
                return Err(Error::Lost);
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        Ok(())
    }
}

/// The signals that are pending for a process and not blocked, as a set; none where it is gone.
fn pending(real: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{real}/status")).unwrap_or_default();
    let set = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
    };
    (set("SigPnd:") | set("ShdPnd:")) & !set("SigBlk:")
}

/// A process's state as the kernel tells it; none if the process is gone.
fn state_of(real: i32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{real}/stat")).ok()?;
    stat[stat.rfind(')')? + 1..].trim_start().chars().next()
}

/// A descriptor that becomes readable when a process ends.
#[allow(unsafe_code)]
fn open_process(real: i32) -> Option<OwnedFd> {
    // SAFETY: the call makes a descriptor or fails; the descriptor is ours alone.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, real, 0);
        (fd >= 0).then(|| OwnedFd::from_raw_fd(fd as i32))
    }
}

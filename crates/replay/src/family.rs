//! Several native processes, or threads, under one schedule: the model's. Each stops at each of its system calls and is
//! answered when the model gives it the turn, so that one runs at a time and the order is the model's. What a call does, the
//! real kernel does: it is let go on as soon as the model says that it does not wait. What is in a pipe only the model
//! knows: a real pipe would fill and drain at other moments.

use crate::Error;
use crate::listener::{Asked, Listener};
use cleave_linux::Kernel;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::fd::{FromRawFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A process that was killed, or exits, is given this long to be gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often somebody looks whether a process that waits for an answer can end.
const STEP: Duration = Duration::from_millis(1);
/// The signals that end a process with a dump of its memory, as a set: SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU,
/// SIGXFSZ, SIGSYS.
const DUMPING: u64 = 0x4180_04fc;

/// A thread, and how to hear of the end of its process.
struct Member {
    /// The model's numbers of its process, and of itself.
    pid: u64,
    tid: u64,
    /// The machine's number of its process.
    leader: i32,
    /// Readable when its process has ended; none if it had before it could be opened.
    end: Option<Rc<OwnedFd>>,
}

/// A thread that was made and has not called yet.
struct Unborn {
    pid: u64,
    tid: u64,
    /// The machine's number of a thread of the same process; none of the first thread of a process.
    beside: Option<i32>,
}

/// What there is to do for the thread whose turn it is.
pub(crate) enum Turn {
    /// It has made this call.
    Call(Asked),
    /// The real kernel carries this call of it out already, and the model has still to do it.
    Flies(Asked),
    /// It gave up its turn by this call, which is answered now: by this result, or by the real kernel.
    Answer(Asked, Option<u64>),
}

/// The program's threads that live. A process of one thread is a thread.
#[derive(Default)]
pub(crate) struct Family {
    /// By the machine's numbers.
    members: BTreeMap<i32, Member>,
    /// Those that were made and have not called yet.
    unborn: VecDeque<Unborn>,
    /// Calls that wait until it is their thread's turn, by the model's numbers.
    parked: BTreeMap<u64, Asked>,
    /// Threads that have been at the point in front of the call that they wait in.
    passed: BTreeSet<u64>,
    /// Calls that wait in the model, and that the real kernel carries out meanwhile: a named pipe is opened by two.
    flying: BTreeMap<u64, Asked>,
    /// Calls that are done, of threads that gave up their turn: with their results, or none for the real kernel's.
    held: BTreeMap<u64, (Asked, Option<u64>)>,
}

impl Family {
    /// A call came in; `first` is the model's number of the program's first process.
    pub(crate) fn park(&mut self, asked: Asked, first: u64) {
        let real = asked.pid;
        let unborn = &mut self.unborn;
        // They are made one after the other, and nobody is answered until the new one has called.
        if !self.members.contains_key(&real) {
            let first = Unborn { pid: first, tid: first, beside: None };
            let Unborn { pid, tid, beside } = unborn.pop_front().unwrap_or(first);
            let beside = beside.and_then(|beside| self.members.get(&beside));
            let (leader, end) = match beside {
                Some(member) => (member.leader, member.end.clone()),
                None => (real, open_process(real).map(Rc::new)),
            };
            self.members.insert(real, Member { pid, tid, leader, end });
        }
        if let Some(member) = self.members.get(&real) {
            self.parked.insert(member.tid, asked);
        }
    }

    /// What there is to do for the thread that runs, if it has called and a new one has too.
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

    /// A thread waits: its call is answered later.
    pub(crate) fn keep(&mut self, tid: u64, asked: Asked) {
        self.parked.insert(tid, asked);
    }

    /// A thread waits in front of its call, which is no point any more.
    pub(crate) fn lets_pass(&mut self, tid: u64, asked: Asked) {
        self.passed.insert(tid);
        self.parked.insert(tid, asked);
    }

    /// The next call or access of a thread is no point.
    pub(crate) fn may_pass_next(&mut self, tid: u64) {
        self.passed.insert(tid);
    }

    /// Whether a thread has been at the point in front of its call or access.
    pub(crate) fn may_pass(&self, tid: u64) -> bool {
        self.passed.contains(&tid)
    }

    /// The thread makes its call.
    pub(crate) fn passes(&mut self, tid: u64) {
        self.passed.remove(&tid);
    }

    /// A process waits, and the real kernel carries its call out meanwhile.
    pub(crate) fn fly(&mut self, tid: u64, asked: Asked) {
        self.flying.insert(tid, asked);
    }

    /// A thread has given up its turn: its call is answered when it gets it again.
    pub(crate) fn hold(&mut self, tid: u64, asked: Asked, result: Option<u64>) {
        self.held.insert(tid, (asked, result));
    }

    /// There is a new process.
    pub(crate) fn born(&mut self, pid: u64) {
        self.unborn.push_back(Unborn { pid, tid: pid, beside: None });
    }

    /// There is a new thread of a process, made by the one with this number of the machine's.
    pub(crate) fn thread_born(&mut self, pid: u64, tid: u64, by: i32) {
        self.unborn.push_back(Unborn { pid, tid, beside: Some(by) });
    }

    /// The machine's number of a thread's process.
    pub(crate) fn leader(&self, real: i32) -> i32 {
        self.members.get(&real).map_or(real, |member| member.leader)
    }

    /// Readable when the process of this thread ends, if its call is waited for.
    pub(crate) fn end_of(&self, running: u64) -> Option<&OwnedFd> {
        if !self.unborn.is_empty() || self.parked.contains_key(&running) {
            return None;
        }
        self.members.values().find(|member| member.tid == running)?.end.as_deref()
    }

    /// The signal that has ended a process whose parent has not asked for it; that of a fault where nothing is known.
    pub(crate) fn ended_by(&self, pid: u64) -> u32 {
        /// The exit code's place among the fields behind the process's name.
        const FIELD: usize = 49;
        let code = self.members.values().find(|member| member.pid == pid).and_then(|member| {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", member.leader)).ok()?;
            stat[stat.rfind(')')? + 1..].split_whitespace().nth(FIELD)?.parse::<u32>().ok()
        });
        code.map(|code| code & 0x7f).filter(|signal| *signal != 0).unwrap_or(libc::SIGSEGV as u32)
    }

    /// Waits until the processes and threads are gone that have ended in the model.
    ///
    /// # Errors
    /// [`Error::Lost`] if one does not end: it is where no signal reaches it.
    pub(crate) fn settle(&mut self, kernel: &Kernel, listener: &Listener) -> Result<(), Error> {
        let ended = self.members.extract_if(.., |_, member| !kernel.thread_lives(member.pid, member.tid));
        for (real, member) in ended {
            let held = self.held.remove(&member.tid).map(|(asked, _)| asked);
            let mut asked = self.parked.remove(&member.tid).or(held);
            self.flying.remove(&member.tid);
            if kernel.lives(member.pid) {
                see_gone(real)?;
                continue;
            }
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

    /// Waits until a process is stopped that a signal to itself stops: the thread that did so stops.
    ///
    /// # Errors
    /// [`Error::Lost`] if it goes on.
    pub(crate) fn see_stopped(&self, tid: u64) -> Result<(), Error> {
        let real = self.members.iter().find(|(_, member)| member.tid == tid).map(|(real, _)| *real);
        let Some(real) = real else { return Ok(()) };
        let is_stopped = || state_of(real).is_none_or(|state| state == 'T');
        if soon(PATIENCE, Duration::from_micros(50), is_stopped) { Ok(()) } else { Err(Error::Lost) }
    }
}

/// Waits until a thread has ended whose process lives on: what it does at its end others see. The first thread of a process stays
/// as a shadow.
fn see_gone(real: i32) -> Result<(), Error> {
    let is_gone = || state_of(real).is_none_or(|state| matches!(state, 'Z' | 'X'));
    if soon(PATIENCE, Duration::from_micros(20), is_gone) { Ok(()) } else { Err(Error::Lost) }
}

/// Whether something comes about within so long; it is looked at again after each step.
fn soon(patience: Duration, step: Duration, is_so: impl Fn() -> bool) -> bool {
    let late = Instant::now() + patience;
    while !is_so() {
        if Instant::now() > late {
            return false;
        }
        std::thread::sleep(step);
    }
    true
}

/// Waits until a thread that was let go on waits for what it asked the real kernel for: whoever comes next may be refused because of that
/// (two locks that would wait for each other). Where that does not come, or cannot be seen, it goes on soon.
pub(crate) fn see_waiting(real: i32) {
    // Where it waits inside of the kernel; it waited for our answer before.
    let place = || std::fs::read_to_string(format!("/proc/{real}/wchan")).unwrap_or_default();
    let waits =
        || state_of(real).is_none_or(|state| matches!(state, 'S' | 'D') && !place().contains("seccomp"));
    soon(Duration::from_millis(500), Duration::from_micros(50), waits);
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

/// A thread's state as the kernel tells it; none if it is gone.
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

//! Several native processes or threads under the model's schedule. Each one stops at each of its system calls and is answered
//! when the model gives it the turn, so that one runs at a time and the order is the model's. The real kernel executes a call as
//! soon as the model says that it does not wait. Only the model knows the contents of pipes, because a real pipe would fill and
//! drain at other moments.

use crate::Error;
use crate::answers::listener::{Asked, Listener};
use cleave_linux::Kernel;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::fd::{FromRawFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Time limit for a process that was killed or exits to be gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// Interval between two checks if a process that waits for an answer can end.
const STEP: Duration = Duration::from_millis(1);
/// The signals that end a process with a core dump, as a set: SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
/// SIGXCPU, SIGXFSZ, SIGSYS.
const DUMPING: u64 = 0x4180_04fc;

/// A thread, and a descriptor for the end of its process.
struct Member {
    /// The model's numbers of its process and of itself.
    pid: u64,
    tid: u64,
    /// The machine's number of its process.
    leader: i32,
    /// Readable when its process has ended; `None` if it ended before it could be opened.
    end: Option<Rc<OwnedFd>>,
}

/// A thread that was made and has not made a call yet.
struct Unborn {
    pid: u64,
    tid: u64,
    /// The machine's number of a thread of the same process; `None` for the first thread of a process.
    beside: Option<i32>,
}

/// The next event of the thread that has the turn.
pub(crate) enum Turn {
    /// The thread has made this call.
    Call(Asked),
    /// The real kernel already executes this call of the thread; the model must still follow.
    Flies(Asked),
    /// The thread gave up its turn by this call; the call is answered now, with this result or by the real kernel.
    Answer(Asked, Option<u64>),
}

/// The living threads of the program. A process with one thread counts as one thread.
#[derive(Default)]
pub(crate) struct Family {
    /// Threads by the machine's numbers.
    members: BTreeMap<i32, Member>,
    /// Threads that were made and have not made a call yet, in order of creation.
    unborn: VecDeque<Unborn>,
    /// Calls that wait for their thread's turn, by the model's numbers.
    parked: BTreeMap<u64, Asked>,
    /// Threads that have passed the point before their pending call or access.
    passed: BTreeSet<u64>,
    /// Calls that wait in the model while the real kernel executes them; opening a named pipe, for example, needs two processes.
    flying: BTreeMap<u64, Asked>,
    /// Finished calls of threads that gave up their turn, with the result; `None` if the real kernel gives it.
    held: BTreeMap<u64, (Asked, Option<u64>)>,
}

impl Family {
    /// Stores a call that came in; `first` is the model's number of the program's first process.
    pub(crate) fn park(&mut self, asked: Asked, first: u64) {
        let real = asked.pid;
        let unborn = &mut self.unborn;
        // Threads are made one at a time, and no call is answered before the new thread has made one.
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

    /// The next event of the running thread; `None` before it and every new thread have made a call.
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

    /// Stores the call of a thread that waits; it is answered later.
    pub(crate) fn keep(&mut self, tid: u64, asked: Asked) {
        self.parked.insert(tid, asked);
    }

    /// Stores the call of a thread that waits before it. The call is no point any more.
    pub(crate) fn lets_pass(&mut self, tid: u64, asked: Asked) {
        self.passed.insert(tid);
        self.parked.insert(tid, asked);
    }

    /// Makes the next call or access of a thread no point.
    pub(crate) fn may_pass_next(&mut self, tid: u64) {
        self.passed.insert(tid);
    }

    /// Returns true if a thread has passed the point before its call or access.
    pub(crate) fn may_pass(&self, tid: u64) -> bool {
        self.passed.contains(&tid)
    }

    /// The thread makes its call or access; the next one is a point again.
    pub(crate) fn passes(&mut self, tid: u64) {
        self.passed.remove(&tid);
    }

    /// Stores the call of a thread that waits in the model while the real kernel executes the call.
    pub(crate) fn fly(&mut self, tid: u64, asked: Asked) {
        self.flying.insert(tid, asked);
    }

    /// Stores the call of a thread that gave up its turn; it is answered when the thread gets the turn again.
    pub(crate) fn hold(&mut self, tid: u64, asked: Asked, result: Option<u64>) {
        self.held.insert(tid, (asked, result));
    }

    /// Registers a new process.
    pub(crate) fn born(&mut self, pid: u64) {
        self.unborn.push_back(Unborn { pid, tid: pid, beside: None });
    }

    /// Registers a new thread of process `pid`, made by the thread with the machine's number `by`.
    pub(crate) fn thread_born(&mut self, pid: u64, tid: u64, by: i32) {
        self.unborn.push_back(Unborn { pid, tid, beside: Some(by) });
    }

    /// The machine's number of the process of a thread.
    pub(crate) fn leader(&self, real: i32) -> i32 {
        self.members.get(&real).map_or(real, |member| member.leader)
    }

    /// A descriptor that becomes readable when the process of this thread ends; `None` unless a call of the thread is awaited.
    pub(crate) fn end_of(&self, running: u64) -> Option<&OwnedFd> {
        if !self.unborn.is_empty() || self.parked.contains_key(&running) {
            return None;
        }
        self.members.values().find(|member| member.tid == running)?.end.as_deref()
    }

    /// The signal that ended a process whose parent has not waited for it yet; SIGSEGV if it cannot be read.
    pub(crate) fn ended_by(&self, pid: u64) -> u32 {
        /// Index of the exit code among the fields after the process's name.
        const FIELD: usize = 49;
        let code = self.members.values().find(|member| member.pid == pid).and_then(|member| {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", member.leader)).ok()?;
            stat[stat.rfind(')')? + 1..].split_whitespace().nth(FIELD)?.parse::<u32>().ok()
        });
        code.map(|code| code & 0x7f).filter(|signal| *signal != 0).unwrap_or(libc::SIGSEGV as u32)
    }

    /// Waits until all processes and threads that have ended in the model are gone.
    ///
    /// # Errors
    /// [`Error::Lost`] if one does not end, because no signal reaches it.
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
            while !crate::answers::poll::readable(end, if asked.is_some() { STEP } else { PATIENCE }) {
                if Instant::now() > late {
                    return Err(Error::Lost);
                }
                // A process that waits for an answer dies of other signals at once, but takes a dumping one only when its call
                // returns.
                if pending(real) & DUMPING != 0
                    && let Some(asked) = asked.take()
                {
                    listener.answer(asked.id, -i64::from(libc::EINTR) as u64);
                }
            }
        }
        Ok(())
    }

    /// Waits until a thread that has stopped its own process by a signal is stopped.
    ///
    /// # Errors
    /// [`Error::Lost`] if it does not stop.
    pub(crate) fn see_stopped(&self, tid: u64) -> Result<(), Error> {
        let real = self.members.iter().find(|(_, member)| member.tid == tid).map(|(real, _)| *real);
        let Some(real) = real else { return Ok(()) };
        let is_stopped = || state_of(real).is_none_or(|state| state == 'T');
        if soon(PATIENCE, Duration::from_micros(50), is_stopped) { Ok(()) } else { Err(Error::Lost) }
    }
}

/// Waits until a thread has ended whose process lives on, because other threads see the effects of its end. The first thread of a
/// process remains as a zombie.
fn see_gone(real: i32) -> Result<(), Error> {
    let is_gone = || state_of(real).is_none_or(|state| matches!(state, 'Z' | 'X'));
    if soon(PATIENCE, Duration::from_micros(20), is_gone) { Ok(()) } else { Err(Error::Lost) }
}

/// Checks a condition every `step`; returns true if it holds within `patience`.
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

/// Waits until a thread waits in the real kernel for the result of its call, because the result of the next thread's call may
/// depend on it (the kernel refuses one of two locks that would wait for each other). Returns after half a second in any case.
pub(crate) fn see_waiting(real: i32) {
    // The kernel function in which the thread waits. Before our answer it waited in one of seccomp's.
    let place = || std::fs::read_to_string(format!("/proc/{real}/wchan")).unwrap_or_default();
    let waits =
        || state_of(real).is_none_or(|state| matches!(state, 'S' | 'D') && !place().contains("seccomp"));
    soon(Duration::from_millis(500), Duration::from_micros(50), waits);
}

/// The signals that are pending for a process and not blocked, as a set; 0 if the process is gone.
fn pending(real: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{real}/status")).unwrap_or_default();
    let set = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
    };
    (set("SigPnd:") | set("ShdPnd:")) & !set("SigBlk:")
}

/// A thread's state letter in `/proc`; `None` if the thread is gone.
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

//! The process: descriptors, working directory, signals, mappings.

use std::collections::BTreeMap;
use std::rc::Rc;

use cleave_memory::Byte;

use crate::errno::{EBADF, EMFILE, Fail};
use crate::fs::ROOT;
use crate::inode::Ino;
use crate::life::{Life, News};
use crate::posix_timers::PosixTimers;
use crate::signals::{IGNORE, SIGCHLD, Signals};
use crate::world;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptor {
    /// Key of the open file description.
    pub(crate) file: u32,
    pub(crate) close_on_exec: bool,
}

/// What a call that waits keeps from one run to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// When its time is up, in nanoseconds on the kernel's clock.
    pub(crate) deadline: Option<u64>,
    /// Bytes that it has written.
    pub(crate) written: usize,
    /// It is to return with these: a signal has stopped its process.
    pub(crate) cut: bool,
    /// The process whose lock is in its way.
    pub(crate) awaits: Option<u64>,
    /// The named pipe that it opens.
    pub(crate) opening: Option<Opening>,
}

/// A named pipe that is being opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    /// The open file description, which has no descriptor yet.
    pub(crate) key: u32,
    /// How often its other end had been opened at the first try.
    pub(crate) seen: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) pid: u64,
    /// The pid of its parent.
    pub(crate) parent: u64,
    /// The process group, by the pid of the process that founded it.
    pub(crate) group: u64,
    /// The session, by the pid of the process that founded it.
    pub(crate) session: u64,
    pub(crate) life: Life,
    /// Its place in the queue for the turn, if it is in it: the lowest is first.
    pub(crate) ticket: Option<u64>,
    /// The signal that has stopped it.
    pub(crate) stopped: Option<u32>,
    /// What its parent can be told by `waitpid`, beside its end.
    pub(crate) news: Option<News>,
    /// What its parent gets when it ends; 0 for nothing.
    pub(crate) signal: u32,
    /// It has executed a program since it was made.
    pub(crate) executed: bool,
    /// It has ended and nobody will ask for that.
    pub(crate) buried: bool,
    descriptors: Vec<Option<Descriptor>>,
    pub(crate) cwd: Ino,
    pub(crate) umask: u32,
    pub(crate) signals: Signals,
    /// When its timer of real time goes off, in nanoseconds on the kernel's clock, and after how many again (0: never).
    pub(crate) real_timer: Option<(u64, u64)>,
    /// Timers of the processor's time, `ITIMER_VIRTUAL` and `ITIMER_PROF`: what they are set to, and their intervals. None of that
    /// time passes, so they never go off.
    pub(crate) processor_timers: [(u64, u64); 2],
    /// What the call at hand kept when it waited.
    pub(crate) progress: Option<Progress>,
    /// Mapped memory: address to size, in bytes.
    pub(crate) mappings: BTreeMap<u64, u64>,
    /// Of these, what is shared with the processes that it makes: address to the number of what is shared.
    pub(crate) shared: BTreeMap<u64, u64>,
    /// Limits by number: soft, hard. Few programs change them, and a process is copied often.
    pub(crate) limits: Rc<BTreeMap<u32, (u64, u64)>>,
    /// From 0 to 19; it never falls.
    pub(crate) niceness: u8,
    /// Name of the thread (`PR_SET_NAME`), NUL-padded.
    pub(crate) name: [Byte; 16],
}

impl Process {
    pub(crate) fn new() -> Process {
        let infinite = (world::INFINITY, world::INFINITY);
        let both = |n: u64| (n, n);
        let mut limits: BTreeMap<u32, (u64, u64)> = (0..16).map(|n| (n, infinite)).collect();
        limits.extend([
            (0, world::LIMIT_CPU),
            (1, both(world::LIMIT_FILE_SIZE)),
            (3, (world::LIMIT_STACK, world::INFINITY)),
            (4, both(1)),
            (6, both(world::LIMIT_PROCESSES)),
            (7, both(world::LIMIT_OPEN_FILES)),
            (8, both(0)),
            (9, both(world::LIMIT_ADDRESS_SPACE)),
            (13, both(0)),
            (14, both(0)),
        ]);
        let standard = |file| Some(Descriptor { file, close_on_exec: false });
        Process {
            pid: world::PID,
            parent: world::PARENT_PID,
            group: world::PID,
            session: world::PID,
            life: Life::Ready,
            ticket: None,
            stopped: None,
            news: None,
            signal: SIGCHLD,
            executed: false,
            buried: false,
            descriptors: (0..3).map(standard).collect(),
            cwd: ROOT,
            umask: world::UMASK,
            signals: Signals::new(),
            real_timer: None,
            processor_timers: [(0, 0); 2],
            progress: None,
            mappings: BTreeMap::new(),
            shared: BTreeMap::new(),
            limits: Rc::new(limits),
            niceness: 0,
            name: b"program\0\0\0\0\0\0\0\0\0".map(Byte::Known),
        }
    }

    /// Whether it has not ended.
    pub(crate) fn lives(&self) -> bool {
        !matches!(self.life, Life::Ended(_))
    }

    /// When it waits no longer, if there is such a moment and no signal has stopped it.
    pub(crate) fn waits_until(&self) -> Option<u64> {
        match self.life {
            Life::Waits { until, .. } if self.stopped.is_none() => until,
            _ => None,
        }
    }

    /// Makes a copy of a process its child, which sends this signal when it ends.
    pub(crate) fn become_child(&mut self, pid: u64, signal: u32) {
        (self.parent, self.pid, self.signal) = (self.pid, pid, signal);
        (self.life, self.progress, self.real_timer) = (Life::Ready, None, None);
        self.processor_timers = [(0, 0); 2];
        self.signals.forget(u64::MAX);
        self.signals.timers = PosixTimers::new();
        (self.stopped, self.news, self.executed) = (None, None, false);
    }

    /// Whether children of it that end leave nothing to ask for.
    pub(crate) fn forgets_children(&self) -> bool {
        const SA_NOCLDWAIT: u64 = 2;
        let action = self.signals.action(SIGCHLD);
        action.handler == IGNORE || action.flags & SA_NOCLDWAIT != 0
    }

    /// All its descriptors, lowest first.
    pub(crate) fn descriptors(&self) -> impl Iterator<Item = Descriptor> {
        self.descriptors.iter().flatten().copied()
    }

    pub(crate) fn forget_descriptors(&mut self) {
        self.descriptors.clear();
    }

    /// Another program runs, in a thread of this name: no signal is caught any more, and there is no memory but its own. What
    /// is ignored or blocked stays so, and what is pending.
    pub(crate) fn execute(&mut self, name: [Byte; 16]) {
        self.signals.execute();
        self.mappings.clear();
        self.shared.clear();
        (self.name, self.executed) = (name, true);
    }

    /// The key of a descriptor's open file description.
    pub(crate) fn key(&self, fd: i32) -> Result<u32, Fail> {
        Ok(self.descriptor(fd)?.file)
    }

    pub(crate) fn descriptor(&self, fd: i32) -> Result<Descriptor, Fail> {
        let slot = usize::try_from(fd).ok().and_then(|fd| self.descriptors.get(fd));
        slot.copied().flatten().ok_or(Fail::Errno(EBADF))
    }

    pub(crate) fn set_close_on_exec(&mut self, fd: i32, on: bool) {
        let slot = usize::try_from(fd).ok().and_then(|fd| self.descriptors.get_mut(fd));
        if let Some(Some(descriptor)) = slot {
            descriptor.close_on_exec = on;
        }
    }

    /// How many descriptors there may be.
    fn descriptor_limit(&self) -> usize {
        self.limits.get(&7).map_or(0, |l| l.0.min(1 << 20) as usize)
    }

    /// The lowest free descriptor of at least `least`.
    pub(crate) fn free_descriptor(&self, least: usize) -> Result<usize, Fail> {
        let mut fd = least;
        while self.descriptors.get(fd).is_some_and(Option::is_some) {
            fd += 1;
        }
        if fd < self.descriptor_limit() { Ok(fd) } else { Err(Fail::Errno(EMFILE)) }
    }

    pub(crate) fn within_limit(&self, fd: i32) -> bool {
        usize::try_from(fd).is_ok_and(|fd| fd < self.descriptor_limit())
    }

    /// Puts a descriptor at `fd`, or takes it away. Who holds what is counted by the caller: see [`Call`].
    pub(crate) fn set(&mut self, fd: usize, descriptor: Option<Descriptor>) {
        if self.descriptors.len() <= fd {
            self.descriptors.resize(fd + 1, None);
        }
        self.descriptors[fd] = descriptor;
    }

    /// The highest descriptor ever used, plus one.
    pub(crate) fn descriptor_end(&self) -> usize {
        self.descriptors.len()
    }
}

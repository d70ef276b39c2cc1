//! The process: descriptors, working directory, signals, mappings.

use std::collections::BTreeMap;
use std::rc::Rc;

use cleave_memory::Byte;

use crate::env::world;
use crate::files::fs::ROOT;
use crate::files::inode::{Ino, Stream};
use crate::kernel::errno::{EBADF, EMFILE, Fail};
use crate::memory::mappings::{FileMapping, Mappings, SharedMapping};
use crate::processes::status::{Life, News, Status};
use crate::processes::threads::{Progress, Thread, Waiting};
use crate::signals::state::{IGNORE, Own, SIGCHLD, Signals};
use crate::time::posix_timers::PosixTimers;

/// A descriptor of a stream in which numbers wait for their text, and its destination; see `calls.rs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WaitingStream {
    pub(crate) fd: i32,
    pub(crate) stream: Stream,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Descriptor {
    /// Key of the open file description.
    pub(crate) file: u32,
    pub(crate) close_on_exec: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Process {
    pub(crate) pid: u64,
    /// The pid of its parent.
    pub(crate) parent: u64,
    /// The process group, by the pid of the process that founded it.
    pub(crate) group: u64,
    /// The session, by the pid of the process that founded it.
    pub(crate) session: u64,
    /// The thread that runs, or would if the process did.
    pub(crate) thread: Thread,
    /// Its other threads by number, once there were any.
    pub(crate) threads: Option<Rc<BTreeMap<u64, Waiting>>>,
    /// Its end, if it has ended and its parent has not asked for that yet.
    pub(crate) ended: Option<Status>,
    /// The signal that has stopped it.
    pub(crate) stopped: Option<u32>,
    /// News for its parent's `waitpid`, beside its end.
    pub(crate) news: Option<News>,
    /// The signal that its parent gets when it ends; 0 for none.
    pub(crate) signal: u32,
    /// It has executed a program since it was made.
    pub(crate) executed: bool,
    /// It has ended and its parent will not ask for that.
    pub(crate) buried: bool,
    descriptors: Vec<Option<Descriptor>>,
    pub(crate) cwd: Ino,
    pub(crate) umask: u32,
    pub(crate) signals: Signals,
    /// When its timer of real time goes off, in nanoseconds on the kernel's clock, and after how many again (0: never).
    pub(crate) real_timer: Option<(u64, u64)>,
    /// Timers of the processor's time, `ITIMER_VIRTUAL` and `ITIMER_PROF`: their values and their intervals. None of that time
    /// passes, so they never go off.
    pub(crate) processor_timers: [(u64, u64); 2],
    /// Mapped memory: address to size, in bytes.
    pub(crate) mappings: Mappings,
    /// Of these, the mappings shared with the processes that it makes, each as a whole, by its address.
    pub(crate) shared: BTreeMap<u64, SharedMapping>,
    /// The mappings of files, by their addresses.
    pub(crate) file_mappings: BTreeMap<u64, FileMapping>,
    /// Streams of the C library in which numbers wait, by the addresses of their `FILE`s.
    pub(crate) waiting: BTreeMap<u64, WaitingStream>,
    /// Limits by number: soft, hard. Few programs change them, and a process is copied often.
    pub(crate) limits: Rc<BTreeMap<u32, (u64, u64)>>,
    /// From 0 to 19; it never falls.
    pub(crate) niceness: u8,
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
            thread: Thread::new(world::PID, b"program\0\0\0\0\0\0\0\0\0".map(Byte::Known)),
            threads: None,
            ended: None,
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
            mappings: Mappings::default(),
            shared: BTreeMap::new(),
            file_mappings: BTreeMap::new(),
            waiting: BTreeMap::new(),
            limits: Rc::new(limits),
            niceness: 0,
        }
    }

    /// Returns true if it has not ended.
    pub(crate) fn lives(&self) -> bool {
        self.ended.is_none()
    }

    /// Makes a copy of a process its child, which sends this signal when it ends. Of its threads there is the one that runs.
    pub(crate) fn become_child(&mut self, pid: u64, signal: u32) {
        (self.parent, self.pid, self.signal) = (self.pid, pid, signal);
        (self.thread.life, self.thread.progress, self.real_timer) = (Life::Ready, None, None);
        (self.thread.tid, self.thread.cleared, self.threads) = (pid, 0, None);
        self.processor_timers = [(0, 0); 2];
        self.signals.own.elsewhere = 0;
        self.signals.forget(u64::MAX);
        self.signals.timers = PosixTimers::new();
        (self.stopped, self.news, self.executed) = (None, None, false);
    }

    /// Returns true if children of it that end leave nothing to ask for.
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

    /// Another program runs, in a thread of this name: no signal is caught any more, and there is no memory but its own. Signals
    /// that are ignored, blocked or pending stay so.
    pub(crate) fn execute(&mut self, name: [Byte; 16]) {
        self.signals.execute();
        self.mappings.clear();
        self.shared.clear();
        self.waiting.clear();
        (self.thread.tid, self.thread.cleared, self.threads) = (self.pid, 0, None);
        self.signals.own.elsewhere = 0;
        (self.thread.name, self.executed) = (name, true);
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

    /// Maximum number of descriptors.
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

    /// Puts a descriptor at `fd`, or takes it away. The caller counts the references: see [`Call`].
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

impl Process {
    /// Its threads with their signals: the one that runs, then the others, by number. None of it has ended but perhaps the
    /// first of these.
    pub(crate) fn each_thread(&self) -> impl Iterator<Item = (&Thread, &Own)> {
        let others = self.threads.iter().flat_map(|threads| threads.values());
        std::iter::once((&self.thread, &self.signals.own)).chain(others.map(|w| (&w.thread, &w.own)))
    }

    /// The signals of one of its threads that lives.
    pub(crate) fn own_of_mut(&mut self, tid: u64) -> Option<&mut Own> {
        if self.thread.tid == tid {
            return (self.thread.life != Life::Ended).then_some(&mut self.signals.own);
        }
        let threads = Rc::make_mut(self.threads.as_mut()?);
        threads.get_mut(&tid).map(|waiting| &mut waiting.own)
    }

    /// Returns true if it has a thread of this number that lives.
    pub(crate) fn has_thread(&self, tid: u64) -> bool {
        self.lives() && self.each_thread().any(|(t, _)| t.tid == tid && t.life != Life::Ended)
    }

    /// The signals that all of its living threads block.
    pub(crate) fn blocked_by_all(&self) -> u64 {
        let living = self.each_thread().filter(|(t, _)| t.life != Life::Ended);
        living.fold(u64::MAX, |blocked, (_, own)| blocked & own.blocked)
    }

    /// Says of each thread which signals to the process others take: the thread with the lowest number that does not block
    /// one takes it, so the first thread before all others, as on Linux.
    pub(crate) fn share_signals(&mut self) {
        if self.threads.is_none() {
            self.signals.own.elsewhere = 0;
            return;
        }
        let mut all: Vec<(u64, u64)> = self
            .each_thread()
            .filter(|(t, _)| t.life != Life::Ended)
            .map(|(t, own)| (t.tid, own.blocked))
            .collect();
        all.sort_unstable();
        let mut taken = 0;
        for (tid, blocked) in all {
            if let Some(own) = self.own_of_mut(tid) {
                own.elsewhere = taken;
            }
            taken |= !blocked;
        }
    }

    /// The signals of a set are not pending any more, for whomever they were.
    pub(crate) fn forget_signals(&mut self, set: u64) {
        self.signals.forget(set);
        for waiting in self.threads.iter_mut().flat_map(|threads| Rc::make_mut(threads).values_mut()) {
            waiting.own.forget(set);
        }
    }

    /// Progress of the calls in which its threads wait.
    pub(crate) fn each_progress_mut(&mut self) -> impl Iterator<Item = &mut Progress> {
        let others = self.threads.iter_mut().flat_map(|threads| Rc::make_mut(threads).values_mut());
        let others = others.filter_map(|waiting| waiting.thread.progress.as_mut());
        self.thread.progress.as_mut().into_iter().chain(others)
    }

    /// Returns true if a child has its memory, so that none of its threads goes on.
    pub(crate) fn lends(&self) -> bool {
        self.each_thread().any(|(thread, _)| matches!(thread.life, Life::Lends { .. }))
    }

    /// Lets another of its threads be the one that runs.
    pub(crate) fn change_thread(&mut self, tid: u64) {
        if tid == self.thread.tid {
            return;
        }
        let Some(threads) = self.threads.as_mut().map(Rc::make_mut) else { return };
        let Some(next) = threads.remove(&tid) else { return };
        let thread = std::mem::replace(&mut self.thread, next.thread);
        let own = std::mem::replace(&mut self.signals.own, next.own);
        if thread.life != Life::Ended {
            threads.insert(thread.tid, Waiting { thread, own });
        }
    }
}

//! The model's world for a native program: what its system calls find is what the model of the kernel says.
//!
//! The kernel hands calls to us (seccomp's user notification). The model runs along: it gets each call with the
//! program's memory, so that it knows what files, descriptors and clocks there are. In a sandbox with namespaces
//! the real kernel carries the calls out; only where the world shows ([`shows_world`]: clocks, ids, inode
//! numbers and times of files, the machine) the program gets the model's answer. Without namespaces the model answers
//! all, and no call of the program reaches the machine.

use crate::guest::{Program, Task};
use crate::listener::Listener;
use crate::request::TEST_PATH;
use crate::{End, Error, Job, Limits, stdin};
use cleave_linux::{FAILED_CALL, Kernel, Stop, is_modelled, world};

/// Calls that never need the model: memory, signals, processes, and the end.
const REAL: &[i64] = &[
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_munmap,
    libc::SYS_brk,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_mincore,
    libc::SYS_madvise,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_mlockall,
    libc::SYS_munlockall,
    libc::SYS_membarrier,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_getitimer,
    libc::SYS_setitimer,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_sched_yield,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_sendmsg,
];

/// The same for numbers that other machines than x86-64 do not have: fork, vfork, pause, alarm, arch_prctl.
const REAL_HERE: &[u64] = &[57, 58, 34, 37, 158];

/// Numbers of x86-64 that are looked at here.
mod nr {
    pub(super) const OPEN: u64 = 2;
    pub(super) const READ: u64 = 0;
    pub(super) const CLOSE: u64 = 3;
    pub(super) const KILL: u64 = 62;
    pub(super) const TKILL: u64 = 200;
    pub(super) const TGKILL: u64 = 234;
    pub(super) const OPENAT: u64 = 257;
    pub(super) const PRLIMIT: u64 = 302;
    pub(super) const PRCTL: u64 = 157;
    pub(super) const GETRANDOM: u64 = 318;
    pub(super) const SET_TID_ADDRESS: u64 = 218;
}

/// The calls that the kernel is to hand to us where it carries out most of them itself.
pub(crate) fn asked() -> impl Iterator<Item = u32> {
    const NUMBERS: u64 = 512;
    let real = |n: u64| REAL.contains(&(n as i64)) || REAL_HERE.contains(&n);
    (0..NUMBERS).filter(move |&n| is_modelled(n) && !real(n)).map(|n| n as u32)
}

/// Whether a call shows the world that the program is in, and not only what it did itself.
fn shows_world(number: u64, args: &[u64; 6]) -> bool {
    match number {
        // stat, fstat, lstat, newfstatat, statx, statfs, fstatfs, getdents64
        4..=6 | 262 | 332 | 137 | 138 | 217 => true,
        // chown, fchown, lchown, fchownat: to the only id there is; extended attributes: there are none
        92..=94 | 260 | 191..=196 => true,
        // nanosleep, clock_nanosleep; poll, select, pselect6, ppoll; clocks, times, rusage
        35 | 230 | 7 | 23 | 270 | 271 | 96 | 98 | 100 | 201 | 228 | 229 => true,
        // ids of process, user and group, looked at and set
        39 | 186 | 110 | 102 | 104 | 107 | 108 | 111 | 115 | 118 | 120 | 121 | 124 => true,
        105 | 106 | 113 | 114 | 117 | 119 | 122 | 123 => true,
        // uname, sysinfo, getrandom, getcpu, getpriority, sched_getscheduler, sched_getaffinity
        63 | 99 | 318 | 309 | 140 | 145 | 204 => true,
        // Limits that are read; those that are set hold for the real process.
        97 => true,
        nr::PRLIMIT => args[2] == 0,
        // The name of the thread
        nr::PRCTL => args[0] as u32 == libc::PR_GET_NAME as u32,
        _ => false,
    }
}

/// Whether an answer is the same for each process, child or not: it is the machine's.
fn of_machine(number: u64) -> bool {
    matches!(number, 63 | 96 | 99 | 201 | 228 | 229 | 318)
}

/// The most random bytes that the model makes at once.
const MOST_RANDOM: u64 = 1 << 20;

/// What becomes of a call.
enum Answer {
    /// The real kernel carries it out.
    Continue,
    /// This is its result, or the negated error number.
    Value(u64),
    /// The program gets this file.
    File,
    /// It would wait until its time is up.
    Wait,
    /// Nobody can say; the program ends.
    End,
}

/// The model's kernel as it stands before a job's program.
pub(crate) fn kernel_of(job: &Job) -> Result<Kernel, Error> {
    Kernel::concrete(&job.stdin, &job.files, &job.refused)
        .map_err(|_| Error::BadJob("it has more files than the model holds".into()))
}

/// The calls of one run.
pub(crate) struct Calls<'a> {
    listener: Listener,
    kernel: Kernel,
    /// The model answers all calls.
    closed: bool,
    limits: &'a Limits,
    job: &'a Job,
    /// The program's first process; none before its first call.
    main: Option<Task>,
    /// The descriptor that the test's file has, in a closed run.
    test_fd: Option<u64>,
    /// How many of the calls that may fail there were, as far as the job knows.
    maybe_failed: usize,
}

impl<'a> Calls<'a> {
    pub(crate) fn new(
        listener: Listener,
        kernel: Kernel,
        closed: bool,
        job: &'a Job,
        limits: &'a Limits,
    ) -> Self {
        Calls { listener, kernel, closed, limits, job, main: None, test_fd: None, maybe_failed: 0 }
    }

    pub(crate) fn listener(&self) -> &Listener {
        &self.listener
    }

    /// What the model wrote down as output, where it did all the writing.
    pub(crate) fn output(&self) -> Option<[Vec<u8>; 2]> {
        let known = |bytes: Vec<cleave_memory::Byte>| bytes.iter().map(crate::guest::known).collect();
        self.closed.then(|| [known(self.kernel.stdout()), known(self.kernel.stderr())])
    }

    /// Serves one call, if one is there. Gives an end where the program cannot go on.
    pub(crate) fn serve(&mut self) -> Result<Option<End>, Error> {
        let Some(call) = self.listener.receive()? else { return Ok(None) };
        let task = Task { pid: call.pid, id: call.id };
        let main = *self.main.get_or_insert(task);
        let (number, args) = (call.number, call.args);
        if main.id == call.id && !crate::guest::hide_auxiliary(task, &self.listener)? {
            // It was killed meanwhile.
            return Ok(None);
        }
        let answer = if main.pid == task.pid {
            self.answer_main(number, args, task)
        } else if of_machine(number) {
            self.ask_model(number, args, task, true)
        } else {
            Answer::Continue
        };
        match answer {
            Answer::Continue => self.listener.let_go_on(call.id),
            Answer::Value(value) => self.listener.answer(call.id, value),
            Answer::File => {
                let file = stdin::sealed_file(self.job.ktest.as_deref().unwrap_or_default())?;
                self.test_fd = self.listener.give_file(call.id, &file);
            }
            Answer::Wait => return Ok(Some(End::TimedOut)),
            Answer::End => return Ok(Some(End::Signaled(libc::SIGSYS))),
        }
        let (out, err) = self.kernel.written();
        let over = self.closed && out.max(err) > self.limits.output;
        Ok(over.then_some(End::OutputLimit))
    }

    fn answer_main(&mut self, number: u64, args: [u64; 6], task: Task) -> Answer {
        if self.closed
            && let Some(answer) = self.answer_closed(number, &args, task)
        {
            return answer;
        }
        if self.maybe_failed < self.job.failing.len() && self.kernel.may_fail(number, args) {
            self.maybe_failed += 1;
            if self.job.failing[self.maybe_failed - 1] {
                return Answer::Value(FAILED_CALL);
            }
        }
        if number == nr::SET_TID_ADDRESS && !self.closed {
            return Answer::Continue;
        }
        self.ask_model(number, args, task, self.closed || shows_world(number, &args))
    }

    /// What the model cannot know in a closed run: the test's file, and signals to the program itself.
    fn answer_closed(&mut self, number: u64, args: &[u64; 6], task: Task) -> Option<Answer> {
        let is_test = |fd| self.test_fd == Some(fd);
        match number {
            nr::OPEN | nr::OPENAT if self.job.ktest.is_some() => {
                let path = if number == nr::OPEN { args[0] } else { args[1] };
                let mut program = Program::new(task, &self.listener, false);
                program.holds_text(path, TEST_PATH).then_some(Answer::File)
            }
            nr::READ if is_test(args[0]) => Some(Answer::Continue),
            nr::CLOSE if is_test(args[0]) => {
                self.test_fd = None;
                Some(Answer::Continue)
            }
            nr::KILL | nr::TKILL | nr::TGKILL => {
                let (target, signal) =
                    if number == nr::TGKILL { (args[1], args[2]) } else { (args[0], args[1]) };
                let own = world::PID as i32;
                let to_itself = match target as i32 {
                    t if t == own => true,
                    0 => number == nr::KILL,
                    t => number == nr::KILL && t == -own,
                };
                to_itself.then(|| Answer::Value(crate::guest::send_signal(task, signal)))
            }
            _ => None,
        }
    }

    /// Lets the model do the call. What it writes goes to the program where it answers.
    fn ask_model(&mut self, number: u64, args: [u64; 6], task: Task, answers: bool) -> Answer {
        if number == nr::GETRANDOM && args[1] > MOST_RANDOM {
            return if self.closed { Answer::End } else { Answer::Continue };
        }
        let mut kernel = self.kernel.clone();
        let mut program = Program::new(task, &self.listener, !answers);
        let result = kernel.syscall(number, args, &mut program);
        if let Ok(value) = result {
            self.kernel = kernel;
            // The real files refuse nothing.
            let refused = !self.job.refused.is_empty() && value as i64 == -i64::from(libc::EACCES);
            return if answers || refused { Answer::Value(value) } else { Answer::Continue };
        }
        match result {
            Err(Stop::Fault { .. }) if answers => Answer::Value(-i64::from(libc::EFAULT) as u64),
            Err(Stop::Deadlock(_)) if self.closed => Answer::Wait,
            _ if self.closed => Answer::End,
            _ => Answer::Continue,
        }
    }
}

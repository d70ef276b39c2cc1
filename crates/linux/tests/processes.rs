//! Several processes of the model against those of this machine. Random sequences of `fork`, pipes, waiting, signals, groups,
//! locks and ends run on both, call by call: the native processes take their turns as the model's schedule says. A call that
//! waits in the model must sleep natively; then it is interrupted there, and made again when its turn comes.
//!
//! The native processes have a PID namespace of their own, so that their numbers are the model's. Without root there is
//! none; then the test says so and passes.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::path::Path;
use std::time::{Duration, Instant};

use cleave_linux::{AfterCall, Condition, Kernel, KernelSpec, Next, Status, Stop, name_of};
use cleave_memory::Byte;

use crate::common::{self, BASE, FakeGuest, Random};

/// Processes of a sequence, the first included.
const MOST: usize = 10;
/// Offsets in a process's memory.
const PATH: i64 = 0;
const OUT: i64 = 0x100;
const INFO: i64 = 0x180;
const OUT_END: i64 = 0x400;
const PATTERN: i64 = 0x1000;
const READ: i64 = 0x12000;
const MEMORY: usize = 0x23000;

/// Numbers for what is no plain system call.
const EXIT: i64 = -1;
const FORK: i64 = 57;

#[derive(Clone, Copy, Debug)]
enum Arg {
    Number(i64),
    At(i64),
}
use Arg::{At, Number as N};

#[derive(Clone, Debug)]
struct Plan {
    nr: i64,
    args: Vec<Arg>,
    /// Texts that are put at [`PATH`] and at [`OUT`] before.
    path: &'static str,
    words: Vec<i64>,
    /// Bytes that the native write has written so far.
    written: i64,
    /// The native process is in the call: opening a named pipe is not interrupted, for its other end sees it.
    under_way: bool,
}

impl Plan {
    fn place(&self, base: i64) -> [i64; 6] {
        let mut all = [0; 6];
        for (slot, arg) in all.iter_mut().zip(&self.args) {
            *slot = match *arg {
                N(n) => n,
                At(offset) => base + offset,
            };
        }
        all
    }
}

fn fd(r: &mut Random) -> i64 {
    r.of(&[3, 3, 4, 4, 5, 6, 7, 8, 20])
}

/// A process, a group, or something that is neither.
fn pid(r: &mut Random, born: usize) -> i64 {
    let known = 2 + r.below(born as u64) as i64;
    match r.below(10) {
        0 => 0,
        1 => 1,
        2 => 90,
        3 => -known,
        _ => known,
    }
}

const SIGNALS: [i64; 12] = [0, 15, 9, 19, 19, 20, 18, 18, 18, 17, 13, 10];

fn size(r: &mut Random) -> i64 {
    r.of(&[1, 3, 10, 100, 1000, 4000, 4095, 4096, 8192, 65_536])
}

/// A random call, where `born` processes were made so far.
fn plan(r: &mut Random, born: usize) -> Plan {
    let (mut path, mut words) = ("f", Vec::new());
    let (out, pattern, read) = (At(OUT), At(PATTERN), At(READ));
    let (any, other) = (pid(r, born), pid(r, born));
    let (nr, args) = match r.below(60) {
        0..=5 if born < MOST => (FORK, vec![]),
        6..=9 => (EXIT, vec![N(r.of(&[0, 1, 7, 255]))]),
        10..=16 => {
            let options = r.of(&[0, 0, 0, 1, 2, 8, 10, 3, 11, 0x4000_0000, 4]);
            (61, vec![N(r.of(&[-1, -1, 0, any])), out, N(options), N(0)])
        }
        17..=19 => {
            let options = r.of(&[4, 4, 5, 2, 6, 8, 14, 15, 0x0100_0004, 0x0100_0005, 0]);
            let kind = r.of(&[0, 1, 2]);
            (247, vec![N(kind), N(any), At(INFO), N(options), N(0)])
        }
        20..=23 => (293, vec![out, N(r.of(&[0, 0, 0, 2048]))]),
        24..=29 => (0, vec![N(fd(r)), read, N(size(r))]),
        30..=35 => (1, vec![N(fd(r)), pattern, N(size(r))]),
        36..=38 => (3, vec![N(fd(r))]),
        39 => (33, vec![N(fd(r)), N(fd(r))]),
        40..=44 => (62, vec![N(r.of(&[any, other, -1])), N(r.of(&SIGNALS))]),
        45 => {
            words = vec![r.of(&[0, 1]), 0, 0, 0];
            (13, vec![N(r.of(&[17, 13, 15, 10, 20])), out, At(INFO), N(8)])
        }
        46 => {
            words = vec![r.of(&[0, 1 << 14, 1 << 9 | 1 << 19, 1 << 16])];
            (14, vec![N(r.of(&[0, 1, 2])), out, At(INFO), N(8)])
        }
        47 | 48 => (109, vec![N(r.of(&[0, 0, any])), N(r.of(&[0, 0, 2, other]))]),
        49 => (112, vec![]),
        50 => (r.of(&[121, 124]), vec![N(2 + r.below(born as u64 + 1) as i64)]),
        51 => (110, vec![]),
        52 => (r.of(&[34, 24, 24]), vec![]),
        53 | 54 => {
            path = r.of(&["f", "g"]);
            let flags = r.of(&[0, 1, 2, 0o4000, 0o4001]);
            (2, vec![At(PATH), N(flags), N(0)])
        }
        55 => {
            path = "a";
            (2, vec![At(PATH), N(0o102), N(0o644)])
        }
        56 | 57 => (73, vec![N(fd(r)), N(r.of(&[1, 2, 5, 6, 8]))]),
        58 => {
            let kind = r.of(&[0, 1, 1, 2]);
            words = vec![kind, r.of(&[0, 0, 5, 10]), r.of(&[0, 5, 10, 1]), 0];
            (72, vec![N(fd(r)), N(r.of(&[5, 6, 6, 6, 7, 7])), out])
        }
        _ => {
            let entry = |r: &mut Random| fd(r) | r.of(&[1, 4, 5]) << 32;
            words = (0..2).map(|_| entry(r)).collect();
            (7, vec![out, N(2), N(r.of(&[0, -1]))])
        }
    };
    Plan { nr, args, path, words, written: 0, under_way: false }
}

/// A command to a native process, and its answer.
#[repr(C)]
struct Slot {
    nr: i64,
    args: [i64; 6],
    result: i64,
    memory: [u8; MEMORY],
}

/// State that the native processes share with the test.
#[repr(C)]
struct Shared {
    slots: [Slot; MOST],
}

/// Descriptors of each process's control pipe and answers, in all native processes.
const fn command_fd(slot: usize) -> i32 {
    900 + 2 * slot as i32
}
const fn answer_fd(slot: usize) -> i32 {
    901 + 2 * slot as i32
}

extern "C" fn nothing(_: i32) {}

/// The life of a native process: does what it is told.
unsafe fn serve(shared: *mut Shared, mut me: usize) -> ! {
    loop {
        let mut byte = 0u8;
        // SAFETY: plain system calls on memory that is there; commands come from the test.
        unsafe {
            if libc::read(command_fd(me), (&raw mut byte).cast(), 1) != 1 {
                continue;
            }
            let slot = &mut (*shared).slots[me];
            // The slot is used anew once the parent of a new process has answered.
            let ([a, b, c, d, e, f], nr) = (slot.args, slot.nr);
            let result = match nr {
                EXIT => libc::_exit(a as i32),
                FORK => libc::syscall(libc::SYS_fork),
                nr => libc::syscall(nr, a, b, c, d, e, f),
            };
            if nr == FORK && result == 0 {
                me = a as usize;
                continue;
            }
            slot.result = if result < 0 { -i64::from(*libc::__errno_location()) } else { result };
            while libc::write(answer_fd(me), (&raw const byte).cast(), 1) != 1 {}
        }
    }
}

/// The native side: the test's ends of the pipes, and the namespace's first process.
struct Native {
    shared: *mut Shared,
    commands: [i32; MOST],
    answers: [i32; MOST],
    init: i32,
    proc: String,
}

fn check(step: bool, what: &str) -> Result<(), String> {
    if step { Ok(()) } else { Err(format!("set-up: {what}: {}", std::io::Error::last_os_error())) }
}

impl Native {
    /// Gives the calling thread namespaces, and starts the first two processes in them, in `directory`.
    fn start(directory: &Path) -> Result<Native, String> {
        let c = |s: &str| CString::new(s).unwrap();
        let (target, none) = (c(directory.to_str().unwrap()), std::ptr::null());
        // SAFETY: plain system calls; the child calls nothing that could need a lock.
        unsafe {
            let apart = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_FS;
            check(libc::unshare(apart) == 0, "unshare")?;
            let private = libc::MS_REC | libc::MS_PRIVATE;
            check(libc::mount(none, c("/").as_ptr(), none, private, std::ptr::null()) == 0, "private")?;
            let (protection, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
            let length = std::mem::size_of::<Shared>();
            let shared = libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0);
            check(shared != libc::MAP_FAILED, "mmap")?;
            let shared = shared.cast::<Shared>();
            for slot in &mut (*shared).slots {
                fill_pattern(&mut slot.memory);
            }
            let mut pipes = [[[0; 2]; 2]; MOST];
            for pipe in pipes.as_flattened_mut() {
                check(libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) == 0, "pipe")?;
            }
            let proc = c("proc");
            let init = libc::fork();
            check(init >= 0, "fork")?;
            if init == 0 {
                let mounted = libc::mount(proc.as_ptr(), target.as_ptr(), proc.as_ptr(), 0, none.cast());
                let program = if mounted == 0 { libc::fork() } else { -1 };
                if program < 0 {
                    libc::_exit(1);
                }
                if program == 0 {
                    become_program(&pipes);
                    serve(shared, 0);
                }
                loop {
                    libc::waitpid(-1, std::ptr::null_mut(), 0);
                    if *libc::__errno_location() == libc::ECHILD {
                        libc::usleep(200);
                    }
                }
            }
            for [command, answer] in pipes {
                libc::close(command[0]);
                libc::close(answer[1]);
            }
            let proc = format!("/proc/{init}/root{}", directory.display());
            let commands = pipes.map(|p| p[0][1]);
            let answers = pipes.map(|p| p[1][0]);
            Ok(Native { shared, commands, answers, init, proc })
        }
    }

    fn slot(&mut self, i: usize) -> &mut Slot {
        // SAFETY: the process of the slot is not running a command while the test looks.
        unsafe { &mut (*self.shared).slots[i] }
    }

    fn base(&mut self, i: usize) -> i64 {
        self.slot(i).memory.as_ptr() as i64
    }

    fn tell(&mut self, i: usize, nr: i64, args: [i64; 6]) {
        (self.slot(i).nr, self.slot(i).args) = (nr, args);
        // SAFETY: writes one byte to a pipe of the test.
        let sent = unsafe { libc::write(self.commands[i], b"!".as_ptr().cast(), 1) };
        assert_eq!(sent, 1);
    }

    /// Returns true if an answer is there within this number of milliseconds.
    fn has_answer(&self, i: usize, milliseconds: i32) -> bool {
        let mut watched = libc::pollfd { fd: self.answers[i], events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry.
        unsafe { libc::poll(&raw mut watched, 1, milliseconds) == 1 }
    }

    fn answer(&mut self, i: usize) -> Result<i64, String> {
        if !self.has_answer(i, 5000) {
            return Err(format!("natively process {} does not answer: {}", i + 2, self.letter(i)));
        }
        let mut byte = 0u8;
        // SAFETY: reads one byte.
        let got = unsafe { libc::read(self.answers[i], (&raw mut byte).cast(), 1) };
        assert_eq!(got, 1);
        Ok(self.slot(i).result)
    }

    /// The state of a process as `/proc` has it; `-` where there is none.
    fn letter(&self, i: usize) -> char {
        let stat = std::fs::read_to_string(format!("{}/{}/stat", self.proc, i + 2)).unwrap_or_default();
        stat.rsplit(") ").next().and_then(|s| s.chars().next()).unwrap_or('-')
    }

    /// Waits until a process is natively what it is in the model.
    fn becomes(&self, i: usize, condition: Condition) -> Result<(), String> {
        let fits = |c: char| match condition {
            Condition::Lives => matches!(c, 'R' | 'S' | 'D'),
            Condition::Stopped => c == 'T',
            Condition::Ended => c == 'Z',
            Condition::Gone => c == '-',
        };
        let start = Instant::now();
        while !fits(self.letter(i)) {
            if start.elapsed() > Duration::from_secs(5) {
                return Err(format!("process {}: natively {}, model {condition:?}", i + 2, self.letter(i)));
            }
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Waits until a process sleeps in the call that it was told to make, or has answered.
    fn sleeps(&mut self, i: usize) -> Result<(), String> {
        let start = Instant::now();
        while self.letter(i) != 'S' && !self.has_answer(i, 0) {
            if start.elapsed() > Duration::from_secs(5) {
                return Err(format!("process {} neither sleeps nor answers", i + 2));
            }
        }
        Ok(())
    }

    /// Interrupts a process that sleeps: what its call gives then.
    fn interrupted(&mut self, i: usize) -> Result<i64, String> {
        let outside = self.outside(i)?;
        if !self.has_answer(i, 0) {
            // SAFETY: a signal to a process of ours.
            unsafe { libc::kill(outside, 64) };
        }
        self.answer(i)
    }

    /// A process's number outside of its namespace.
    fn outside(&mut self, i: usize) -> Result<i32, String> {
        let mut todo = vec![self.init];
        while let Some(pid) = todo.pop() {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let numbers = status.lines().find(|l| l.starts_with("NSpid:")).unwrap_or("");
            if numbers.split_whitespace().last() == Some(&(i + 2).to_string()) {
                return Ok(pid);
            }
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            todo.extend(
                children.unwrap_or_default().split_whitespace().filter_map(|w| w.parse::<i32>().ok()),
            );
        }
        Err(format!("process {} is not to be found", i + 2))
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: ends the namespace and gives back what the test has of it.
        unsafe {
            libc::kill(self.init, libc::SIGKILL);
            libc::waitpid(self.init, std::ptr::null_mut(), 0);
            for fd in self.commands.iter().chain(&self.answers) {
                libc::close(*fd);
            }
            libc::munmap(self.shared.cast(), std::mem::size_of::<Shared>());
        }
    }
}

/// Makes the calling process what a program is at its start.
unsafe fn become_program(pipes: &[[[i32; 2]; 2]; MOST]) {
    // SAFETY: plain system calls.
    unsafe {
        let wide = libc::rlimit { rlim_cur: 1024, rlim_max: 1024 };
        libc::setrlimit(libc::RLIMIT_NOFILE, &raw const wide);
        libc::setsid();
        for (i, [command, answer]) in pipes.iter().enumerate() {
            libc::dup2(command[0], command_fd(i));
            libc::dup2(answer[1], answer_fd(i));
        }
        libc::syscall(libc::SYS_close_range, 3, 899, 0);
        libc::syscall(libc::SYS_close_range, 900 + 2 * MOST as u32, u32::MAX, 0);
        let limit = libc::rlimit { rlim_cur: 64, rlim_max: 1024 };
        libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        libc::sigaction(64, &raw const action, std::ptr::null_mut());
        for signal in 1..32 {
            let default = [0u64; 4];
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), std::ptr::null::<u64>(), 8);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

fn fill_pattern(memory: &mut [u8]) {
    for (i, byte) in memory[PATTERN as usize..READ as usize].iter_mut().enumerate() {
        *byte = (i * 7 + i / 251) as u8;
    }
}

/// A process as the test sees it.
struct Twin {
    guest: FakeGuest,
    /// The call that it waits in.
    waiting: Option<Plan>,
    /// The plan that the native process has still to answer: it was stopped in between.
    owed: Option<(Plan, i64)>,
}

impl Twin {
    fn new() -> Twin {
        let mut guest = FakeGuest::new(MEMORY);
        let mut memory = vec![0; MEMORY];
        fill_pattern(&mut memory);
        guest.set(0, &memory);
        Twin { guest, waiting: None, owed: None }
    }
}

/// One sequence, on both.
struct Duel {
    kernel: Kernel,
    native: Native,
    twins: Vec<Twin>,
    log: Vec<String>,
}

impl Duel {
    /// The message for a difference, with the steps before it.
    fn differ(&self, what: &str) -> String {
        let length = std::env::var("CLEAVE_HISTORY").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
        format!("{}\n{what}", self.log[self.log.len().saturating_sub(length)..].join("\n"))
    }

    fn fill(&mut self, i: usize, plan: &Plan) {
        let mut low = vec![0; OUT_END as usize];
        low[..plan.path.len()].copy_from_slice(plan.path.as_bytes());
        for (k, word) in plan.words.iter().enumerate() {
            low[OUT as usize + 8 * k..][..8].copy_from_slice(&word.to_le_bytes());
        }
        self.twins[i].guest.set(0, &low);
        self.native.slot(i).memory[..low.len()].copy_from_slice(&low);
    }

    /// The native call, which has to return as the model's did.
    fn same(&mut self, i: usize, plan: &Plan, found: i64, told: bool) -> Result<(), String> {
        if !told {
            self.tell(i, plan);
        }
        let result = self.native.answer(i).map_err(|e| self.differ(&e))?;
        let result = if result > 0 { result + plan.written } else { result };
        if result != found {
            return Err(self.differ(&format!("kernel {result}, model {found}")));
        }
        let read = if plan.nr == 0 { found.max(0) as usize } else { 0 };
        for (from, len) in [(0, OUT_END as usize), (READ as usize, read)] {
            let model = self.twins[i].guest.get(from, len);
            let native = &self.native.slot(i).memory[from..from + len];
            // Natively the user is another.
            let user = if plan.nr == 247 { INFO as usize + 20..INFO as usize + 24 } else { 0..0 };
            if let Some(at) = (0..len).find(|&k| native[k] != model[k] && !user.contains(&(from + k))) {
                let what =
                    format!("memory differs at {:#x}: kernel {}, model {}", from + at, native[at], model[at]);
                return Err(self.differ(&what));
            }
        }
        Ok(())
    }

    fn tell(&mut self, i: usize, plan: &Plan) {
        let base = self.native.base(i);
        let mut args = plan.place(base);
        if plan.nr == 1 {
            args[1] += plan.written;
            args[2] -= plan.written;
        }
        if plan.nr == FORK {
            args[0] = self.twins.len() as i64;
        }
        self.native.tell(i, plan.nr, args);
    }

    /// A random call. Nobody is stopped who opens a named pipe: natively the call begins anew when the process may go on, in
    /// the model when it has the turn.
    fn choose(&self, r: &mut Random) -> Plan {
        let opening = self.twins.iter().any(|t| t.waiting.as_ref().is_some_and(|p| p.under_way));
        loop {
            let plan = plan(r, self.twins.len());
            let stops = plan.nr == 62 && matches!(plan.args[1], N(19 | 20));
            if !(opening && stops) {
                return plan;
            }
        }
    }

    /// One call of the process that runs; `false` where the program is over, or waits for ever.
    fn step(&mut self, r: &mut Random) -> Result<bool, String> {
        let i = (self.kernel.running() - 2) as usize;
        if let Some((plan, found)) = self.twins[i].owed.take() {
            self.same(i, &plan, found, true)?;
        }
        let mut plan = match self.twins[i].waiting.take() {
            Some(plan) => plan,
            None => {
                let plan = self.choose(r);
                self.fill(i, &plan);
                plan
            }
        };
        self.log.push(format!("{}: {} {:?} {:?}", i + 2, name_of(plan.nr as u64), plan.args, plan.words));
        if plan.nr == EXIT {
            self.tell(i, &plan);
            let N(status) = plan.args[0] else { return Ok(false) };
            return self.ended(Status::Exited(Byte::Known(status as u8)));
        }
        let args = plan.place(BASE as i64);
        let found = self.kernel.syscall(plan.nr as u64, args.map(|a| a as u64), &mut self.twins[i].guest);
        match found.map(|v| v as i64) {
            Ok(found) => {
                self.log.push(format!("  = {found}"));
                match self.kernel.condition(i as u64 + 2) {
                    Condition::Stopped => {
                        self.tell(i, &plan);
                        self.twins[i].owed = Some((plan, found));
                    }
                    _ => self.same(i, &plan, found, plan.under_way)?,
                }
                self.after()
            }
            Err(Stop::Wait(wait)) => {
                self.log.push(format!("  waits: {}", wait.why));
                self.waits(i, &mut plan)?;
                self.twins[i].waiting = Some(plan);
                let next = self.kernel.schedule(&wait);
                Ok(self.goes_on(&next))
            }
            Err(Stop::Signal(signal)) => {
                self.tell(i, &plan);
                self.ended(Status::Killed(signal as u32))
            }
            Err(stop) => Err(self.differ(&format!("{stop:?}"))),
        }
    }

    /// The native call must wait too.
    fn waits(&mut self, i: usize, plan: &mut Plan) -> Result<(), String> {
        if !plan.under_way {
            self.tell(i, plan);
        }
        self.native.sleeps(i).map_err(|e| self.differ(&e))?;
        if plan.nr == 2 {
            plan.under_way = true;
            return match self.native.has_answer(i, 0) {
                true => Err(self.differ("natively it returns")),
                false => Ok(()),
            };
        }
        match self.native.interrupted(i).map_err(|e| self.differ(&e))? {
            -4 => Ok(()),
            written @ 1.. if plan.nr == 1 => {
                plan.written += written;
                Ok(())
            }
            result => Err(self.differ(&format!("natively it returns {result}"))),
        }
    }

    fn after(&mut self) -> Result<bool, String> {
        match self.kernel.take_after_call() {
            AfterCall::Nothing | AfterCall::BornThread { .. } => {}
            AfterCall::Born { .. } => self.twins.push(Twin::new()),
            AfterCall::GivesWay => {
                let next = self.kernel.turn();
                return Ok(self.goes_on(&next));
            }
        }
        Ok(true)
    }

    fn ended(&mut self, status: Status) -> Result<bool, String> {
        if !self.kernel.has_several() {
            return Ok(false);
        }
        self.log.push(format!("  ends: {status:?}"));
        self.kernel.end_running(status);
        let next = self.kernel.turn();
        Ok(self.goes_on(&next))
    }

    fn goes_on(&mut self, next: &Next) -> bool {
        self.log.push(format!("  then {next:?}, process {}", self.kernel.running()));
        matches!(next, Next::Again)
    }

    fn conditions(&mut self, before: &mut Vec<Condition>) -> Result<(), String> {
        before.resize(self.twins.len(), Condition::Lives);
        for (i, known) in before.iter_mut().enumerate() {
            let now = self.kernel.condition(i as u64 + 2);
            if *known != now || now == Condition::Stopped {
                self.native.becomes(i, now).map_err(|e| self.differ(&e))?;
                *known = now;
            }
        }
        Ok(())
    }
}

fn compare(seed: u64, steps: usize, directory: &Path) -> Result<usize, String> {
    let work = directory.join(seed.to_string());
    let proc = directory.join("proc");
    std::fs::create_dir_all(&work)
        .and_then(|()| std::fs::create_dir_all(&proc))
        .map_err(|e| e.to_string())?;
    for name in ["f", "g"] {
        let name = CString::new(work.join(name).to_str().unwrap()).unwrap();
        // SAFETY: a path.
        check(unsafe { libc::mkfifo(name.as_ptr(), 0o644) } == 0, "mkfifo")?;
    }
    // SAFETY: the thread has a working directory of its own after this.
    let moved = unsafe {
        let path = CString::new(work.to_str().unwrap()).unwrap();
        libc::unshare(libc::CLONE_FS) == 0 && libc::chdir(path.as_ptr()) == 0
    };
    check(moved, "unshare")?;
    let native = Native::start(&proc)?;
    let mut duel = Duel {
        kernel: Kernel::new(&KernelSpec::default()),
        native,
        twins: vec![Twin::new()],
        log: Vec::new(),
    };
    for name in ["f", "g"] {
        let path = duel.twins[0].guest.text(0, name) as i64;
        let made = common::call(&mut duel.kernel, &mut duel.twins[0].guest, 133, &[path, 0o010_644, 0]);
        assert_eq!(made, Ok(0));
    }
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut known = Vec::new();
    for step in 0..steps {
        let goes_on = duel.step(&mut r).map_err(|e| format!("seed {seed}: {e}"))?;
        duel.conditions(&mut known).map_err(|e| format!("seed {seed}: {e}"))?;
        if !goes_on {
            return Ok(step + 1);
        }
    }
    Ok(steps)
}

#[test]
fn random_calls_of_several_processes_do_on_the_model_what_they_do_on_linux() {
    // SAFETY: has no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("not root: there is no namespace to compare with");
        return;
    }
    let sequences = std::env::var("CLEAVE_SEQUENCES").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let first = std::env::var("CLEAVE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let directory = tempfile::tempdir().unwrap();
    let mut calls = 0;
    for seed in first..first + sequences {
        let path = directory.path().to_path_buf();
        let outcome = std::thread::spawn(move || compare(seed, 150, &path)).join().unwrap();
        match outcome {
            Err(e) if e.starts_with("set-up: unshare") => {
                eprintln!("there is no namespace to compare with: {e}");
                return;
            }
            outcome => calls += outcome.unwrap_or_else(|e| panic!("{e}")),
        }
    }
    assert!(sequences < 20 || calls as u64 > 10 * sequences, "{calls} calls in {sequences} sequences");
}

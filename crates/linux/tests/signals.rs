//! Signals on the model against the kernel of this machine: the same random calls on both call the same handlers, in the same
//! order, under the same masks, with the same `siginfo_t`. The native side is a process of its own.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::SeqCst};

use cleave_linux::{Kernel, KernelSpec, Next, Stop};

use crate::common::{BASE, FakeGuest, Random};

/// Signals that sequences use; above 33, those that queue.
const SIGNALS: [u64; 14] = [1, 10, 12, 13, 14, 15, 17, 18, 23, 28, 34, 35, 36, 64];
const SIGALRM: u64 = 14;
const STACK: u64 = 1 << 16;
/// Number of calls of handlers that act themselves in a step.
const NESTED: u64 = 3;
const STEPS: usize = 60;
/// Words of a line of the log.
const LINE: usize = 8;
const LINES: usize = 4000;
type Line = [u64; LINE];

impl Random {
    fn signal(&mut self) -> u64 {
        self.of(&SIGNALS)
    }
    fn set(&mut self) -> u64 {
        (0..self.below(5)).fold(0, |set, _| set | bit(self.signal()))
    }
}

fn bit(signal: u64) -> u64 {
    1 << (signal - 1)
}

/// Actions of a step; numbers are arguments as the calls have them.
#[derive(Clone, Copy, Debug)]
enum Act {
    Nothing,
    /// Signal, handler (0, 1, or 2 for the test's), flags, mask.
    Action(u64, u64, u64, u64),
    Block(u64, u64),
    Pending,
    Kill(u64),
    ToThread(u64),
    /// Signal, code, value.
    Queue(u64, i32, u64),
    /// Takes a signal of a set without waiting.
    Take(u64),
    /// Sets the alternate stack: flags and size; or asks for it.
    Stack(Option<(u32, u64)>),
    /// Blocks SIGALRM, lets it come soon, and waits: 0 `rt_sigsuspend`, 1 `rt_sigtimedwait`, 2 `ppoll`, with this mask or set.
    Alarm(u64, u64),
    /// Waits with this mask for what is pending: 0 `rt_sigsuspend`, 2 `ppoll` without patience.
    Wait(u64, u64),
}

fn act(r: &mut Random, nested: bool) -> Act {
    match r.below(if nested { 12 } else { 24 }) {
        0..=1 => Act::Kill(r.signal()),
        2..=3 => Act::ToThread(r.signal()),
        4 => Act::Queue(r.signal(), r.of(&[-1, -1, -2, -60, 0]), r.below(1 << 40)),
        5 => Act::Block(r.below(4), r.set()),
        6 => Act::Pending,
        7 => Act::Take(r.set()),
        8 => Act::Stack(None),
        9 => Act::Stack(Some((
            r.of(&[0, 0, 1, 2, 4, 1 << 31, 1 << 31 | 1]),
            r.of(&[STACK, STACK, STACK, 1000]),
        ))),
        10 | 11 if nested => Act::Nothing,
        10..=15 => {
            let flags = [0x4, 0x0800_0000, 0x1000_0000, 0x4000_0000, 0x8000_0000, 1, 2];
            let flags = flags.into_iter().filter(|_| r.below(3) == 0).sum();
            Act::Action(r.signal(), r.of(&[0, 1, 2, 2, 2, 2, 2]), flags, r.set())
        }
        16..=18 => Act::Block(r.below(3), r.set()),
        19 | 20 => Act::Wait(r.of(&[0, 2]), r.set()),
        21 => Act::Alarm(r.below(3), r.set()),
        _ => Act::Kill(r.signal()),
    }
}

#[derive(Clone, Copy)]
struct Step {
    act: Act,
    nested: [Act; NESTED as usize],
    /// The model would end there, or wait for ever.
    skipped: bool,
}

fn steps(seed: u64) -> Vec<Step> {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let step = |r: &mut Random| Step {
        act: act(r, false),
        nested: std::array::from_fn(|_| if r.below(2) == 0 { Act::Nothing } else { act(r, true) }),
        skipped: false,
    };
    (0..STEPS).map(|_| step(&mut r)).collect()
}

/// A system to make calls on: the model or the machine. Results are as the kernel leaves them in `rax`.
trait Machine {
    /// One call. Words that it reads are at `input`, and what it writes comes back in the words.
    fn call(&mut self, nr: i64, args: [Arg; 5], words: &mut [u64; 16]) -> Result<i64, Stop>;
    fn log(&mut self, line: Line);
    /// An address in the alternate stack's memory.
    fn stack(&self) -> u64;
    /// The handler, as an address: the one that is told of the signal, or the other.
    fn handler(&self, told: bool) -> u64;
    fn own(&self) -> u64;
}

#[derive(Clone, Copy)]
enum Arg {
    N(u64),
    /// The address of a word.
    W(u64),
}
use Arg::{N, W};

/// Performs an act and logs what comes of it.
fn perform(m: &mut impl Machine, number: u64, act: Act) -> Result<(), Stop> {
    let mut words = [0u64; 16];
    let own = N(m.own());
    let result = match act {
        Act::Nothing => return Ok(()),
        Act::Action(signal, handler, flags, mask) => {
            let handler = if handler == 2 { m.handler(flags & 4 != 0) } else { handler };
            words[..4].copy_from_slice(&[handler, flags | 0x0400_0000, restorer(), mask]);
            let result = m.call(13, [N(signal), W(0), W(4), N(8), N(0)], &mut words)?;
            (words[0], words[2], words[6]) = (0, 0, 0);
            words[4] =
                if [false, true].iter().any(|&told| words[4] == m.handler(told)) { 2 } else { words[4] };
            result
        }
        Act::Block(how, set) => {
            words[0] = set;
            m.call(14, [N(how), W(0), W(1), N(8), N(0)], &mut words)?
        }
        Act::Pending => m.call(127, [W(0), N(8), N(0), N(0), N(0)], &mut words)?,
        Act::Kill(signal) => m.call(62, [own, N(signal), N(0), N(0), N(0)], &mut words)?,
        Act::ToThread(signal) => m.call(200, [own, N(signal), N(0), N(0), N(0)], &mut words)?,
        Act::Queue(signal, code, value) => {
            (words[0], words[1], words[3]) = (77, code as u32 as u64, value);
            m.call(129, [own, N(signal), W(0), N(0), N(0)], &mut words)?
        }
        Act::Take(set) => {
            words[0] = set;
            let result = m.call(128, [W(0), W(3), W(1), N(8), N(0)], &mut words)?;
            hide(&mut words[3..], m.own());
            result
        }
        Act::Stack(None) => m.call(131, [N(0), W(0), N(0), N(0), N(0)], &mut words)?,
        Act::Stack(Some((flags, size))) => {
            words[..3].copy_from_slice(&[m.stack(), flags.into(), size]);
            m.call(131, [W(0), W(3), N(0), N(0), N(0)], &mut words)?
        }
        Act::Alarm(how, set) => {
            words[0] = bit(SIGALRM);
            m.call(14, [N(0), W(0), N(0), N(8), N(0)], &mut words)?;
            words = [0, 0, 0, 500, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            m.call(38, [N(0), W(0), N(0), N(0), N(0)], &mut words)?;
            let result = wait(m, how, set, 20_000_000, &mut words);
            let mut left = [0; 16];
            m.call(36, [N(0), W(0), N(0), N(0), N(0)], &mut left)?;
            if left[2..4] != [0, 0] && m.own() == 2 {
                // Something else has ended the wait: natively nobody knows whether the alarm had come.
                return Err(Stop::Unsupported("an alarm that has not come".into()));
            }
            let mut off = [0; 16];
            m.call(38, [N(0), W(0), N(0), N(0), N(0)], &mut off)?;
            result?
        }
        Act::Wait(how, set) => wait(m, how, set, 0, &mut words)?,
    };
    for at in [0, 3] {
        if matches!(act, Act::Stack(_)) {
            words[at] = if words[at] == m.stack() { 1 } else { words[at] };
            // Only four bytes of the flags are written.
            words[at + 1] &= 0xffff_ffff;
        }
    }
    m.log([0, number, result as u64, words[1], words[3], words[4], words[5], words[6]]);
    Ok(())
}

fn wait(m: &mut impl Machine, how: u64, set: u64, patience: u64, words: &mut [u64; 16]) -> Result<i64, Stop> {
    *words = [0; 16];
    (words[0], words[2]) = (set, patience);
    let result = match how {
        0 => m.call(130, [W(0), N(8), N(0), N(0), N(0)], words),
        1 => {
            words[0] = set | bit(SIGALRM);
            m.call(128, [W(0), W(3), W(1), N(8), N(0)], words)
        }
        _ => m.call(271, [N(0), N(0), W(1), W(0), N(8)], words),
    }?;
    // The remaining time depends on the machine.
    (words[1], words[2]) = (0, 0);
    hide(&mut words[3..], m.own());
    Ok(result)
}

/// Leaves of a `siginfo_t` what must agree: signal, code, own process, value.
fn hide(info: &mut [u64], own: u64) {
    let own = info[2] as u32 as u64 == own && own != 0;
    info[2] = own.into();
    info[4..].fill(0);
}

/// Actions of a handler: number `n` of its step.
fn handle(
    m: &mut impl Machine,
    steps: &[Step],
    step: u64,
    n: u64,
    signal: u64,
    info: &[u64],
    mask: u64,
) -> Result<(), Stop> {
    let mut info: [u64; 16] = std::array::from_fn(|i| info.get(i).copied().unwrap_or(0));
    hide(&mut info, m.own());
    let mut words = [0; 16];
    m.call(14, [N(0), N(0), W(0), N(8), N(0)], &mut words)?;
    let blocked = words[0];
    m.call(131, [N(0), W(0), N(0), N(0), N(0)], &mut words)?;
    m.log([
        1,
        signal,
        info[0],
        info[1] as u32 as u64,
        info[3],
        mask,
        blocked,
        words[1] & 0xffff_ffff | info[2] << 32,
    ]);
    if n < NESTED {
        perform(m, step, steps[step as usize].nested[n as usize])?;
    }
    Ok(())
}

// ---- the model

const WORDS_AT: u64 = BASE;
const INFO_AT: u64 = BASE + 0x400;
const CONTEXT_AT: u64 = BASE + 0x600;

struct Model<'a> {
    kernel: Kernel,
    guest: FakeGuest,
    steps: &'a [Step],
    step: u64,
    handled: u64,
    log: Vec<Line>,
}

impl Model<'_> {
    /// Calls the handlers that are due, the last of them first.
    fn handlers(&mut self) -> Result<(), Stop> {
        let mut due = Vec::new();
        while let Some(delivery) = self.kernel.deliver()? {
            due.push(delivery);
        }
        for delivery in due.into_iter().rev() {
            self.kernel.tell_handler(INFO_AT, CONTEXT_AT, &mut self.guest)?;
            let bytes = self.guest.get(0x400, 128);
            let bytes = if delivery.tells { bytes } else { vec![0; 128] };
            let info: Vec<u64> =
                bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
            let mask = u64::from_le_bytes(self.guest.get(0x600 + 296, 8).try_into().unwrap());
            let (steps, step, n) = (self.steps, self.step, self.handled);
            self.handled += 1;
            handle(self, steps, step, n, delivery.signal.into(), &info, mask)?;
            self.kernel.tell_handler(INFO_AT, CONTEXT_AT, &mut self.guest)?;
            self.kernel.signal_return(CONTEXT_AT, &mut self.guest)?;
            self.handlers()?;
        }
        Ok(())
    }
}

impl Machine for Model<'_> {
    fn call(&mut self, nr: i64, args: [Arg; 5], words: &mut [u64; 16]) -> Result<i64, Stop> {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.guest.set(0, &bytes);
        let mut all = [0; 6];
        for (to, arg) in all.iter_mut().zip(args) {
            *to = match arg {
                N(n) => n,
                W(i) => WORDS_AT + 8 * i,
            };
        }
        let result = loop {
            match self.kernel.syscall(nr as u64, all, &mut self.guest) {
                Err(Stop::Wait(wait)) if self.kernel.schedule(&wait) == Next::Again => {}
                result => break result? as i64,
            }
        };
        let bytes = self.guest.get(0, 128);
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap());
        }
        self.handlers()?;
        Ok(result)
    }
    fn log(&mut self, line: Line) {
        self.log.push(line);
    }
    fn stack(&self) -> u64 {
        0x7000_0000
    }
    fn handler(&self, told: bool) -> u64 {
        0x5000_0000 + u64::from(told)
    }
    fn own(&self) -> u64 {
        2
    }
}

/// Performs the steps on the model; those that end the process, or wait for ever, are taken back and marked.
fn on_the_model(steps: &mut [Step]) -> Vec<Line> {
    let plan = steps.to_vec();
    let mut model = Model {
        kernel: Kernel::new(&KernelSpec::default()),
        guest: FakeGuest::new(0x1000),
        steps: &plan,
        step: 0,
        handled: 0,
        log: Vec::new(),
    };
    for (i, step) in steps.iter_mut().enumerate() {
        let before = (model.kernel.clone(), model.log.len());
        (model.step, model.handled) = (i as u64, 0);
        if perform(&mut model, i as u64, step.act).is_err() {
            step.skipped = true;
            model.kernel = before.0;
            model.log.truncate(before.1);
        }
    }
    model.log
}

// ---- the machine

static LOG: AtomicPtr<u64> = AtomicPtr::new(std::ptr::null_mut());
static PLAN: AtomicPtr<Step> = AtomicPtr::new(std::ptr::null_mut());
static STEP: AtomicU64 = AtomicU64::new(0);
static HANDLED: AtomicU64 = AtomicU64::new(0);
static ALTERNATE: AtomicUsize = AtomicUsize::new(0);

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".globl cleave_test_restorer",
    "cleave_test_restorer:",
    "mov $15, %eax",
    "syscall",
    options(att_syntax)
);

unsafe extern "C" {
    fn cleave_test_restorer();
}

fn restorer() -> u64 {
    cleave_test_restorer as *const () as u64
}

struct Native;

impl Machine for Native {
    fn call(&mut self, nr: i64, args: [Arg; 5], words: &mut [u64; 16]) -> Result<i64, Stop> {
        let at = words.as_mut_ptr();
        let [a, b, c, d, e] = args.map(|arg| match arg {
            N(n) => n,
            W(i) => at as u64 + 8 * i,
        });
        // SAFETY: pointers lead to the words, which are as large as any of these calls needs.
        let result = unsafe { libc::syscall(nr, a, b, c, d, e) };
        Ok(if result < 0 {
            -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap())
        } else {
            result
        })
    }
    fn log(&mut self, line: Line) {
        let log = LOG.load(SeqCst);
        // SAFETY: the log has room for LINES lines behind its first word, which counts them; nobody else writes.
        unsafe {
            let count = log.read_volatile() as usize;
            if count < LINES {
                log.add(1 + LINE * count).cast::<Line>().write_volatile(line);
                log.write_volatile(count as u64 + 1);
            }
        }
    }
    fn stack(&self) -> u64 {
        ALTERNATE.load(SeqCst) as u64
    }
    fn handler(&self, told: bool) -> u64 {
        if told { on_told_signal as *const () as u64 } else { on_signal as *const () as u64 }
    }
    fn own(&self) -> u64 {
        // SAFETY: has no preconditions.
        unsafe { libc::getpid() as u64 }
    }
}

extern "C" fn on_signal(signal: libc::c_int, _: *const [u64; 16], context: *const u64) {
    on_told_signal(signal, &raw const NOTHING, context);
}

/// The arguments of a handler that gets none.
static NOTHING: [u64; 16] = [0; 16];

extern "C" fn on_told_signal(signal: libc::c_int, info: *const [u64; 16], context: *const u64) {
    let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
    let n = HANDLED.fetch_add(1, SeqCst);
    let step = STEP.load(SeqCst);
    // SAFETY: the plan outlives the child's steps; the kernel gives a `siginfo_t` and a `ucontext_t`, whose mask is at
    // byte 296; errno is the thread's own.
    unsafe {
        let steps = std::slice::from_raw_parts(PLAN.load(SeqCst), STEPS);
        let mask = context.add(37).read();
        let _ = handle(&mut Native, steps, step, n, signal as u64, &*info, mask);
        *libc::__errno_location() = errno;
    }
}

/// Performs the steps in a process of its own; its log.
fn on_the_machine(steps: &mut [Step]) -> Vec<Line> {
    let size = 8 * (1 + LINE * LINES);
    // SAFETY: new memory; the child makes no allocation and ends by `_exit`.
    unsafe {
        let map = |len, flags| {
            let all = libc::PROT_READ | libc::PROT_WRITE;
            let at = libc::mmap(std::ptr::null_mut(), len, all, flags | libc::MAP_ANONYMOUS, -1, 0);
            assert_ne!(at, libc::MAP_FAILED);
            at
        };
        let log = map(size, libc::MAP_SHARED).cast::<u64>();
        let stack = map(STACK as usize, libc::MAP_PRIVATE);
        LOG.store(log, SeqCst);
        PLAN.store(steps.as_mut_ptr(), SeqCst);
        ALTERNATE.store(stack as usize, SeqCst);
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            // The test runner's settings differ from the model's start.
            let none = libc::sigaltstack(
                &libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: 2, ss_size: 0 },
                std::ptr::null_mut(),
            );
            for signal in SIGNALS {
                let mut words = [0u64; 16];
                let _ = Native.call(13, [N(signal), W(0), N(0), N(8), N(0)], &mut words);
            }
            let mut words = [0u64; 16];
            let _ = Native.call(14, [N(2), W(0), N(0), N(8), N(0)], &mut words);
            for (i, step) in steps.iter().enumerate().filter(|(_, step)| !step.skipped) {
                STEP.store(i as u64, SeqCst);
                HANDLED.store(0, SeqCst);
                let _ = perform(&mut Native, i as u64, step.act);
            }
            libc::_exit(none);
        }
        let mut status = 0;
        libc::waitpid(child, &raw mut status, 0);
        let lines = log.read_volatile() as usize;
        let lines = (0..lines).map(|i| log.add(1 + LINE * i).cast::<Line>().read()).collect();
        libc::munmap(log.cast(), size);
        libc::munmap(stack, STACK as usize);
        assert_eq!(status, 0, "the native process ends by itself");
        lines
    }
}

#[test]
fn random_signals_do_on_the_model_what_they_do_on_linux() {
    let number = |name| std::env::var(name).ok().and_then(|n: String| n.parse::<u64>().ok());
    let (count, first) = (number("CLEAVE_SEQUENCES").unwrap_or(300), number("CLEAVE_SEED").unwrap_or(1));
    let mut handled = 0;
    for seed in first..first + count {
        let mut steps = steps(seed);
        let model = on_the_model(&mut steps);
        let native = on_the_machine(&mut steps);
        handled += model.iter().filter(|line| line[0] == 1).count();
        if let Some(at) = (0..model.len().max(native.len())).find(|&i| model.get(i) != native.get(i)) {
            let history: Vec<String> =
                native[..at.min(native.len())].iter().map(|line| format!("{line:x?}")).collect();
            let step =
                model.get(at).or(native.get(at)).map_or(0, |line| if line[0] == 0 { line[1] } else { 0 });
            let acts: Vec<String> = steps
                .iter()
                .enumerate()
                .filter(|(_, s)| !s.skipped)
                .map(|(i, s)| format!("{i:x}: {:x?} {:x?}", s.act, s.nested))
                .collect();
            panic!(
                "seed {seed}, step {step:x}: native {:x?}, model {:x?}\n{}\n{}",
                native.get(at),
                model.get(at),
                history[history.len().saturating_sub(12)..].join("\n"),
                acts.join("\n")
            );
        }
    }
    assert!(handled as u64 > count, "handlers run: {handled}");
}

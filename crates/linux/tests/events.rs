//! Descriptors that wait, on the model against the kernel of this machine: the same random calls on `eventfd`, `timerfd`, `signalfd`,
//! pipes, `epoll` and `poll` give the same results. The native side is a process of its own.
#![allow(unsafe_code)]

use cleave_linux::{Kernel, KernelSpec, Next, Stop, world};

use crate::common::{BASE, FakeGuest, Random, call};

const STEPS: usize = 120;
/// Nanoseconds that are too long for a native process to wait.
const FAR: u64 = 500_000_000_000;
const WORDS: usize = 16;
/// The number of this process, natively another than in the model.
const OWN: i64 = i64::MIN;
/// An argument is the address of the words, or of so many bytes behind it.
const AT: i64 = i64::MIN + 1000;
/// A word is the number of this process, or its seconds since 1970 less 2500.
const OWN_WORD: u64 = 1 << 63;
const PAST_WORD: u64 = OWN_WORD + 1;
/// Seconds between the rings of a timer: it has rung three times since then.
const INTERVAL: u64 = 1000;

impl Random {
    fn descriptor(&mut self) -> i64 {
        self.of(&[3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 10, 11, 12, 1, 99])
    }

    fn timer(&mut self) -> i64 {
        self.of(&[0, 0, 1, 1, 2, 3, 4, 77])
    }
}

/// Mostly the `epoll` of the beginning.
fn set(r: &mut Random) -> i64 {
    if r.below(4) == 0 { r.descriptor() } else { 3 }
}

#[derive(Clone, Copy, Debug)]
struct Step {
    nr: i64,
    args: [i64; 5],
    words: [u64; WORDS],
    /// The model would wait for ever, or cannot do it.
    skipped: bool,
}

impl Step {
    /// Its words, for a process with this number at this time.
    fn given(&self, own: u64, now: u64) -> [u64; WORDS] {
        self.words.map(|word| match word {
            OWN_WORD => own,
            PAST_WORD => now - 5 * INTERVAL / 2,
            word => word,
        })
    }
}

/// An argument of a process with this number, whose words are here.
fn placed(arg: i64, own: i64, at: i64) -> i64 {
    match arg {
        OWN => own,
        AT.. if arg < AT + 1000 => at + (arg - AT),
        arg => arg,
    }
}

/// The first steps: an `epoll` at 3, a counter, a timer, a `signalfd`, a pipe at 7 and 8.
fn beginning() -> [Step; 5] {
    let every = [u64::MAX; WORDS];
    [
        (291, [0; 5]),
        (290, [0, 0o4000, 0, 0, 0]),
        (283, [1, 0o4000, 0, 0, 0]),
        (289, [-1, AT, 8, 0o4000, 0]),
        (293, [AT, 0o4000, 0, 0, 0]),
    ]
    .map(|(nr, args)| Step { nr, args, words: every, skipped: false })
}

fn step(r: &mut Random) -> Step {
    const SECOND: u64 = 1_000_000_000;
    let mut words = [0u64; WORDS];
    let flags = r.of(&[0o4000, 0o4000, 0, 0o2_000_000, 3]);
    let signals = [10u64, 12, 14, 34, 35];
    let (nr, args) = match r.below(54) {
        0 | 1 => (290, vec![r.of(&[0, 0, 1, 5]), flags | r.of(&[0, 1])]),
        2 => (283, vec![r.of(&[0, 1, 1, 7, 3]), flags & !1]),
        3 | 4 => {
            // Off, past, or far away: interval, then value.
            let (absolute, value) = r.of(&[(0, [0, 0]), (1, [0, 1]), (1, [0, 1]), (0, [1000, 0])]);
            words[..4].copy_from_slice(&[0, r.of(&[0, 0, SECOND]), value[0], value[1]]);
            (286, vec![r.descriptor(), absolute, AT, 0])
        }
        5 | 6 => {
            words[0] = signals.iter().filter(|_| r.below(2) == 0).fold(0, |set, s| set | 1 << (s - 1));
            (289, vec![r.of(&[-1, -1, -1, 3, 5]), AT, 8, flags & !1])
        }
        7..=9 => (62, vec![OWN, r.of(&signals) as i64]),
        10..=13 => (0, vec![r.descriptor(), AT, r.of(&[8, 128, 128, 4])]),
        14..=16 => {
            words[0] = r.of(&[1, 2, 7, u64::MAX, u64::MAX - 1, u64::MAX - 3]);
            (1, vec![r.descriptor(), AT, r.of(&[8, 8, 8, 4])])
        }
        17 | 18 => (293, vec![AT, flags & !1]),
        19 => (291, vec![flags & !0o4001]),
        20..=24 => {
            let events = r.of(&[1u64, 4, 5, 0x11, 1 << 30 | 1, 0]);
            let data = r.below(1 << 50);
            (words[0], words[1]) = (events | data << 32, data >> 32);
            (233, vec![set(r), r.of(&[1, 1, 1, 1, 2, 3, 9]), r.descriptor(), AT])
        }
        25..=28 => (232, vec![set(r), AT, r.of(&[1, 2, 8, 8, 0]), r.of(&[0, 0, 0, 8])]),
        29 | 30 => {
            for word in &mut words[..4] {
                *word = r.descriptor() as u64 | r.of(&[1u64, 4, 5]) << 32;
            }
            (7, vec![AT, 4, r.of(&[0, 0, 8])])
        }
        31 => (3, vec![r.descriptor().max(4)]),
        34..=36 => {
            let kind = r.of(&[0u64, 0, 0, 1, 2, 4, 4, 3]);
            words[0] = r.below(1 << 40);
            words[1] = r.of(&signals) | kind << 32;
            words[2] = r.of(&[OWN_WORD, OWN_WORD, OWN_WORD, 77]);
            (222, vec![r.of(&[0, 1, 7, 11, 0, 4, 77]), r.of(&[AT, AT, AT, 0]), AT + 64])
        }
        37..=41 => {
            let (absolute, value, repeats) = r.of(&[
                (0, [0, 0], 1),
                (1, [0, 1], 0),
                (1, [PAST_WORD, 0], 1),
                (0, [3000, 0], 1),
                (0, [0, SECOND], 0),
            ]);
            words[..4].copy_from_slice(&[r.below(2) * repeats * INTERVAL, 0, value[0], value[1]]);
            (223, vec![r.timer(), absolute, r.of(&[AT, AT, AT, AT, 0]), r.of(&[0, AT + 64])])
        }
        42 | 43 => (224, vec![r.timer(), AT]),
        44 | 45 => (225, vec![r.timer()]),
        46 => (226, vec![r.timer()]),
        47 => {
            // The action of a signal: ignored, or the default.
            words[..4].copy_from_slice(&[r.below(2), 0, 0, 0]);
            (13, vec![r.of(&signals) as i64, r.of(&[AT, AT, AT, 0]), r.of(&[0, AT + 64]), 8])
        }
        48 | 49 => {
            words[0] = 1 << (r.of(&signals) - 1);
            (14, vec![r.of(&[0, 0, 1, 1, 2]), AT, AT + 64, 8])
        }
        50 => (127, vec![AT, 8]),
        51..=53 => {
            words[0] = signals.iter().filter(|_| r.below(2) == 0).fold(0, |set, s| set | 1 << (s - 1));
            (128, vec![AT, r.of(&[AT, AT, 0]), AT + 64, 8])
        }
        32 => (32, vec![r.descriptor()]),
        _ => (r.of(&[72, 8]), vec![r.descriptor(), r.of(&[3, 0]), 0]),
    };
    let mut all = [0; 5];
    all[..args.len()].copy_from_slice(&args);
    Step { nr, args: all, words, skipped: false }
}

/// The words that must agree after a call.
fn view(step: &Step, result: i64, mut words: [u64; WORDS], own: u64) -> [u64; WORDS] {
    // A `signalfd_siginfo`: who sent it, as a number and as a user.
    if step.nr == 0 && result == 128 {
        let sender = words[1] >> 32;
        words[1] = words[1] & 0xffff_ffff | u64::from(sender == own) << 32;
        words[2] &= 0xffff_ffff << 32;
    }
    // A `siginfo_t` of one that was sent: by whom. Four of its bytes are nobody's.
    if step.nr == 128 && result > 0 && step.args[1] != 0 {
        words[1] &= 0xffff_ffff;
        if matches!(words[1] as i32, 0 | -6) {
            words[2] = u64::from(words[2] & 0xffff_ffff == own);
        }
    }
    // The thread of a timer.
    if step.nr == 222 && words[2] == own {
        words[2] = OWN_WORD;
    }
    if step.words[2] == PAST_WORD {
        words[2] = PAST_WORD;
    }
    // The remaining time of a timer, up to the next ten seconds.
    let left = match step.nr {
        223 => (step.args[3] - AT) as usize / 8 + 3,
        224 => 3,
        _ => return words,
    };
    if result == 0 && (step.nr == 224 || step.args[3] != 0) {
        // More than that is the time of another clock.
        let tens = (words[left - 1] * 1000 + words[left] / 1_000_000).div_ceil(10_000);
        (words[left - 1], words[left]) = (tens.min(INTERVAL), 0);
    }
    words
}

fn on_the_model(steps: &mut [Step]) -> Vec<(i64, [u64; WORDS])> {
    let mut kernel = Kernel::new(&KernelSpec::default());
    let mut guest = FakeGuest::new(0x400);
    guest.set(0x200, &u64::MAX.to_le_bytes());
    call(&mut kernel, &mut guest, 14, &[2, BASE as i64 + 0x200, 0, 8]).unwrap();
    let mut results = Vec::new();
    for step in steps {
        let before = kernel.clone();
        let words = step.given(2, world::START_SECONDS as u64);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        guest.set(0, &bytes);
        let place = |arg: i64| placed(arg, 2, BASE as i64);
        let [a, b, c, d, e] = step.args.map(|arg| place(arg) as u64);
        let result = loop {
            match kernel.syscall(step.nr as u64, [a, b, c, d, e, 0], &mut guest) {
                // Nobody waits natively for what is far away.
                Err(Stop::Wait(wait))
                    if wait.until.is_some_and(|until| until < FAR)
                        && kernel.schedule(&wait) == Next::Again => {}
                result => break result,
            }
        };
        match result {
            Ok(result) => {
                let result = result as i64;
                let bytes = guest.get(0, 8 * WORDS);
                let mut words = [0; WORDS];
                for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
                    *word = u64::from_le_bytes(bytes.try_into().unwrap());
                }
                results.push((result, view(step, result, words, 2)));
            }
            Err(_) => {
                step.skipped = true;
                kernel = before;
                results.push((0, [0; WORDS]));
            }
        }
    }
    results
}

fn on_the_machine(steps: &[Step]) -> Vec<(i64, [u64; WORDS])> {
    type Line = (i64, [u64; WORDS]);
    let size = std::mem::size_of::<Line>() * steps.len();
    // SAFETY: new memory; the child makes no allocation and ends by `_exit`. Pointers of calls lead to its words, of which no call
    // of the plan takes more than there are.
    unsafe {
        let (all, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        let log = libc::mmap(std::ptr::null_mut(), size, all, shared, -1, 0);
        assert_ne!(log, libc::MAP_FAILED);
        let log = log.cast::<Line>();
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0);
            // Standard output is a pipe that has room, as in the model.
            let mut pipe = [0; 2];
            libc::pipe(pipe.as_mut_ptr());
            libc::dup2(pipe[1], 1);
            libc::dup2(pipe[0], 200);
            libc::syscall(libc::SYS_close_range, 3, 199, 0);
            let every = u64::MAX;
            libc::syscall(libc::SYS_rt_sigprocmask, 2, &raw const every, 0, 8);
            let limit = libc::rlimit { rlim_cur: 64, rlim_max: 4096 };
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
            let own = libc::getpid();
            for (i, step) in steps.iter().enumerate().filter(|(_, step)| !step.skipped) {
                let mut words = step.given(own as u64, libc::time(std::ptr::null_mut()) as u64);
                let at = words.as_mut_ptr() as i64;
                let [a, b, c, d, e] = step.args.map(|arg| placed(arg, own.into(), at));
                let result = libc::syscall(step.nr, a, b, c, d, e);
                let result = if result < 0 { -i64::from(*libc::__errno_location()) } else { result };
                if step.nr == 223 {
                    // The moment that has come is seen.
                    libc::usleep(50);
                }
                log.add(i).write_volatile((result, view(step, result, words, own as u64)));
            }
            libc::_exit(0);
        }
        let mut status = 0;
        for _ in 0..600 {
            if libc::waitpid(child, &raw mut status, libc::WNOHANG) != 0 {
                break;
            }
            libc::usleep(5000);
            status = -1;
        }
        if status == -1 {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, &raw mut status, 0);
        }
        let lines = (0..steps.len()).map(|i| log.add(i).read()).collect();
        libc::munmap(log.cast(), size);
        lines
    }
}

#[test]
fn random_calls_on_descriptors_that_wait_do_on_the_model_what_they_do_on_linux() {
    let number = |name| std::env::var(name).ok().and_then(|n: String| n.parse::<u64>().ok());
    let (count, first) = (number("CLEAVE_SEQUENCES").unwrap_or(300), number("CLEAVE_SEED").unwrap_or(1));
    let mut told = 0;
    for seed in first..first + count {
        let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut steps: Vec<Step> = beginning().into_iter().chain((5..STEPS).map(|_| step(&mut r))).collect();
        let model = on_the_model(&mut steps);
        let native = on_the_machine(&steps);
        told += steps.iter().zip(&model).filter(|(step, result)| step.nr == 232 && result.0 > 0).count();
        if let Some(i) = (0..STEPS).find(|&i| model[i] != native[i]) {
            let line = |i: usize| {
                format!(
                    "{i}: {} {:x?} {:x?} = {}",
                    steps[i].nr,
                    steps[i].args,
                    &steps[i].words[..4],
                    native[i].0
                )
            };
            let history: Vec<String> = (0..=i).filter(|&i| !steps[i].skipped).map(line).collect();
            panic!(
                "seed {seed}: native {:x?}, model {:x?}\n{}",
                native[i],
                model[i],
                history[history.len().saturating_sub(40)..].join("\n")
            );
        }
    }
    assert!(told as u64 > count, "events are told of: {told}");
}

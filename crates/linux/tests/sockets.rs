//! Sockets on the model against the kernel of this machine: the same random calls on sockets of `AF_UNIX`, `AF_INET` and `AF_INET6`
//! give the same results. The native side is a process of its own, in a network of its own.
#![allow(unsafe_code)]

use cleave_linux::{Kernel, KernelSpec, Next, Stop};

use crate::common::{BASE, FakeGuest, Random, call};

const SIZE: usize = 640;
/// Arguments from here on are addresses of the call's bytes: the call's bytes, from this one on.
const AT: i64 = i64::MIN;
/// Places of the arguments: an address that is given, one that comes back, its length, data, a `struct msghdr`, its buffer.
const GIVEN: i64 = AT;
const NAME: i64 = AT + 112;
const NAME_LEN: i64 = AT + 224;
const DATA: i64 = AT + 228;
const HEADER: i64 = AT + 320;
const VECTOR: i64 = AT + 384;
const POLLED: i64 = AT + 416;
/// Two of `struct mmsghdr`.
const MANY: i64 = AT + 448;
const NO_TIME: i64 = AT + 576;
/// Offsets of the pointers among the bytes.
const POINTERS: [i64; 8] = [HEADER, HEADER + 16, VECTOR, VECTOR + 16, MANY, MANY + 16, MANY + 64, MANY + 80];
/// Ports that the kernel gives away.
const FREE: std::ops::RangeInclusive<u16> = 32_768..=60_999;

#[derive(Clone, Copy)]
struct Step {
    nr: i64,
    args: [i64; 6],
    bytes: [u8; SIZE],
    /// The model would wait for ever, or cannot do it.
    skipped: bool,
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown =
            self.args.map(|a| if a < AT + SIZE as i64 { format!("@{}", a - AT) } else { a.to_string() });
        write!(f, "{} ({})", self.nr, shown.join(", "))?;
        if self.nr == 7 {
            let entries = self.bytes[(POLLED - AT) as usize..].chunks(8).take(4);
            write!(
                f,
                " {:?}",
                entries.map(|e| (e[0], u16::from_le_bytes([e[4], e[5]]))).collect::<Vec<_>>()
            )?;
        }
        if self.args.contains(&GIVEN) {
            write!(f, " to {}", self.bytes[..32].escape_ascii())?;
        }
        Ok(())
    }
}

/// Families of sockets in a sequence.
#[derive(Clone, Copy, PartialEq)]
enum About {
    Unix,
    Inet,
    Inet6,
    All,
}

impl Random {
    fn fd(&mut self) -> i64 {
        self.of(&[3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 11, 1, 99])
    }

    fn family(&mut self, about: About) -> i64 {
        match about {
            About::Unix => 1,
            About::Inet => 2,
            About::Inet6 => self.of(&[10, 10, 2]),
            About::All => self.of(&[1, 2, 10]),
        }
    }
}

/// Writes an address into the bytes; its length.
fn address(r: &mut Random, about: About, bytes: &mut [u8; SIZE]) -> i64 {
    let family = r.family(about);
    bytes[..2].copy_from_slice(&(family as u16).to_le_bytes());
    let exact = match family {
        1 => {
            let name = r.of::<&[u8]>(&[b"a\0", b"a\0", b"b\0", b"\0x", b"\0x", b"\0yy", b"c\0", b""]);
            bytes[2..2 + name.len()].copy_from_slice(name);
            2 + name.len()
        }
        2 => {
            let ip = r.of(&[
                [127, 0, 0, 1],
                [127, 0, 0, 1],
                [127, 0, 0, 1],
                [0, 0, 0, 0],
                [127, 0, 0, 2],
                [10, 0, 0, 1],
            ]);
            bytes[2..4].copy_from_slice(&r.of(&[5001u16, 5001, 5001, 5002, 0]).to_be_bytes());
            bytes[4..8].copy_from_slice(&ip);
            16
        }
        _ => {
            bytes[2..4].copy_from_slice(&r.of(&[5001u16, 5001, 5001, 5002, 0]).to_be_bytes());
            match r.below(4) {
                0 => {}
                1 => {
                    bytes[18..20].copy_from_slice(&[255; 2]);
                    bytes[20..24].copy_from_slice(&[127, 0, 0, 1]);
                }
                _ => bytes[23] = 1,
            }
            28
        }
    };
    match r.below(40) {
        0 => bytes[0] = 77,
        1 => return r.of(&[0, 1, 2, 5, 14, 129, -1]),
        _ => {}
    }
    exact as i64
}

fn put(bytes: &mut [u8; SIZE], at: i64, value: &[u8]) {
    let at = (at - AT) as usize;
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// A `struct msghdr` for `n` bytes in two parts, with room for a name or without.
fn put_header(bytes: &mut [u8; SIZE], at: i64, name: bool, name_len: u32, n: i64) {
    let words = [if name { NAME } else { 0 }, name_len.into(), VECTOR, 2, 0, 0, 0];
    let words: Vec<u8> = words.iter().flat_map(|w: &i64| w.to_le_bytes()).collect();
    put(bytes, at, &words);
    let vector = [DATA, n / 2, DATA + n / 2, n - n / 2];
    put(bytes, VECTOR, &vector.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
}

/// Two messages, each in one part of the same vector.
fn put_many(bytes: &mut [u8; SIZE], name: bool, name_len: u32, n: i64) {
    put_header(bytes, MANY, name, name_len, n);
    put_header(bytes, MANY + 64, name, name_len, n);
}

/// A call that sends or receives: its number and arguments.
fn transfer(r: &mut Random, about: About, bytes: &mut [u8; SIZE], kind: u64) -> (i64, Vec<i64>) {
    let len = r.of(&[0u32, 2, 5, 16, 28, 110, 110, 110]);
    let n = r.of(&[0, 1, 3, 8, 64]);
    let send = r.of(&[0, 0, 0, 0x4000, 0x40]);
    let receive = r.of(&[0x40, 0x40, 0, 2, 0x20, 0x22, 0x100]);
    match kind {
        31..=34 => (44, vec![r.fd(), DATA, n, send, 0, 0]),
        35 | 36 => {
            let to = address(r, about, bytes);
            (44, vec![r.fd(), DATA, n, send, GIVEN, to])
        }
        37..=39 => (45, vec![r.fd(), DATA, n, receive, r.of(&[NAME, 0]), NAME_LEN]),
        40 => {
            put_header(bytes, HEADER, false, 0, n);
            (46, vec![r.fd(), HEADER, send])
        }
        41 | 42 => {
            put_header(bytes, HEADER, r.below(2) == 0, len, n);
            (47, vec![r.fd(), HEADER, receive])
        }
        43 | 44 => (1, vec![r.fd(), DATA, n]),
        45 | 46 => (0, vec![r.fd(), DATA, n]),
        60 => {
            put_many(bytes, false, 0, n);
            (307, vec![r.fd(), MANY, r.of(&[0, 1, 2, 2]), send])
        }
        _ => {
            put_many(bytes, r.below(2) == 0, len, n);
            let patience = r.of(&[0, 0, NO_TIME]);
            (299, vec![r.fd(), MANY, r.of(&[0, 1, 2, 2]), receive | r.of(&[0, 0x1_0000]), patience])
        }
    }
}

fn step(r: &mut Random, about: About, carries: i64) -> Step {
    let mut bytes = [0u8; SIZE];
    let kind = r.of(&[carries, carries, carries, carries, 1, 2, 5]);
    let kind = if about == About::Unix || kind != 5 { kind } else { 1 };
    let flags = r.of(&[0o4000, 0o4000, 0o4000, 0, 0o2_004_000]);
    let len = r.of(&[0u32, 2, 5, 16, 28, 110, 110, 110]);
    put(&mut bytes, NAME_LEN, &len.to_le_bytes());
    let text: Vec<u8> = (0..64).map(|_| b'a' + r.below(26) as u8).collect();
    put(&mut bytes, DATA, &text);
    let (nr, args) = match r.below(62) {
        0..=4 => (41, vec![r.family(about), kind | flags, r.of(&[0, 0, 0, 0, 0, 1, 6, 17])]),
        5 | 6 => (53, vec![1, r.of(&[carries, 1, 2, 5]) | flags, 0, DATA]),
        7..=11 => {
            let n = address(r, about, &mut bytes);
            (49, vec![r.fd(), GIVEN, n])
        }
        12..=15 => (50, vec![r.fd(), r.of(&[0, 1, 5])]),
        16..=22 => {
            let n = address(r, about, &mut bytes);
            // Linux does not answer to what asks for port 0 over IPv6.
            if bytes[0] == 10 && bytes[2..4] == [0, 0] {
                bytes[2] = 0x14;
            }
            (42, vec![r.fd(), GIVEN, n])
        }
        23..=27 => (288, vec![r.fd(), r.of(&[NAME, 0]), NAME_LEN, r.of(&[0o4000, 0])]),
        28 => (51, vec![r.fd(), NAME, NAME_LEN]),
        29 => (52, vec![r.fd(), NAME, NAME_LEN]),
        30 => (48, vec![r.fd(), r.of(&[0, 1, 1, 2, 3])]),
        kind @ (31..=46 | 60..) => transfer(r, about, &mut bytes, kind),
        47..=49 => (3, vec![r.fd().max(3)]),
        50 => (32, vec![r.fd().max(3)]),
        51 | 52 => {
            for i in 0..4 {
                let entry = (r.fd() as u64 | r.of(&[1u64, 4, 5, 0x2005, 0x345]) << 32).to_le_bytes();
                put(&mut bytes, POLLED + 8 * i, &entry);
            }
            (7, vec![POLLED, 4, 0])
        }
        53 => {
            put(&mut bytes, NAME_LEN, &r.of(&[4u32, 4, 2, 8]).to_le_bytes());
            (55, vec![r.fd(), 1, r.of(&[3, 4, 4, 4, 30, 39, 38, 2]), NAME, NAME_LEN])
        }
        54 => {
            put(&mut bytes, NAME, &r.of(&[0u32, 1, 1, 7]).to_le_bytes());
            (54, vec![r.fd(), 1, r.of(&[2, 2, 9, 6]), NAME, r.of(&[4, 4, 3])])
        }
        // Bytes written to standard output stay natively in its pipe.
        55 => (16, vec![r.fd().max(3), 0x541b, NAME]),
        56 => (r.of(&[72, 8]), vec![r.fd().max(3), r.of(&[3, 0]), 0]),
        57 => {
            let path = r.of(&[b"a", b"b"]);
            put(&mut bytes, DATA, &[path[0], 0]);
            (87, vec![DATA])
        }
        58 => {
            put(&mut bytes, NAME, &1u32.to_le_bytes());
            (54, vec![r.fd(), 41, 26, NAME, 4])
        }
        _ => (295, vec![r.fd(), VECTOR, 0, 0]),
    };
    let mut all = [0; 6];
    all[..args.len()].copy_from_slice(&args);
    Step { nr, args: all, bytes, skipped: false }
}

/// The first steps: a socket that listens, a connection of two, and a third that is free.
fn beginning(r: &mut Random, about: About, carries: i64) -> Vec<Step> {
    let family = r.family(about);
    let mut bytes = [0u8; SIZE];
    bytes[..2].copy_from_slice(&(family as u16).to_le_bytes());
    let len = match family {
        1 => {
            bytes[2..4].copy_from_slice(r.of(&[b"a\0", b"\0x"]));
            4
        }
        2 => {
            bytes[2..8].copy_from_slice(&[0x13, 0x89, 127, 0, 0, 1]);
            16
        }
        _ => {
            bytes[2..4].copy_from_slice(&[0x13, 0x89]);
            bytes[23] = 1;
            28
        }
    };
    let kind = if family == 1 || carries != 5 { carries } else { 1 } | 0o4000;
    let one = |nr, args: [i64; 4]| {
        let [a, b, c, d] = args;
        Step { nr, args: [a, b, c, d, 0, 0], bytes, skipped: false }
    };
    let mut steps = vec![
        one(41, [family, kind, 0, 0]),
        one(49, [3, GIVEN, len, 0]),
        one(50, [3, 1, 0, 0]),
        one(41, [family, kind, 0, 0]),
        one(42, [4, GIVEN, len, 0]),
        one(42, [4, GIVEN, len, 0]),
        one(288, [3, 0, 0, 0o4000]),
        one(41, [family, kind, 0, 0]),
    ];
    steps.truncate(r.of(&[0, 8, 8, 8, 4, 3]));
    steps
}

/// The bytes that must agree after a call: all but ports and names that the kernel chose.
fn view(mut bytes: [u8; SIZE], place: u64) -> [u8; SIZE] {
    // Addresses of the process itself.
    for at in POINTERS.map(|at| (at - AT) as usize) {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[at..at + 8]);
        let word = u64::from_le_bytes(word);
        let relative = if word == 0 { 0 } else { word.wrapping_sub(place) };
        bytes[at..at + 8].copy_from_slice(&relative.to_le_bytes());
    }
    let at = (NAME - AT) as usize;
    let name = &mut bytes[at..at + 28];
    match name[0] {
        2 | 10 if FREE.contains(&u16::from_be_bytes([name[2], name[3]])) => name[2..4].fill(0xee),
        // There may have been room for a part of it.
        1 if name[2] == 0 => {
            name[3..8].iter_mut().take_while(|b| b.is_ascii_hexdigit()).for_each(|b| *b = b'0');
        }
        _ => {}
    }
    bytes
}

/// Puts the place of the bytes into what points into them.
fn placed(step: &Step, place: u64) -> ([i64; 6], [u8; SIZE]) {
    let point = |arg: i64| {
        if arg < AT + SIZE as i64 { (place as i64).wrapping_add(arg.wrapping_sub(AT)) } else { arg }
    };
    let mut bytes = step.bytes;
    for at in POINTERS.map(|at| (at - AT) as usize) {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[at..at + 8]);
        bytes[at..at + 8].copy_from_slice(&point(i64::from_le_bytes(word)).to_le_bytes());
    }
    (step.args.map(point), bytes)
}

type Line = (i64, [u8; SIZE]);

fn on_the_model(steps: &mut [Step]) -> Vec<Line> {
    let mut kernel = Kernel::new(&KernelSpec::default());
    let mut guest = FakeGuest::new(0x1000);
    guest.set(0x800, &u64::MAX.to_le_bytes());
    call(&mut kernel, &mut guest, 14, &[2, BASE as i64 + 0x800, 0, 8]).unwrap();
    let mut results = Vec::new();
    for step in steps {
        let before = kernel.clone();
        let (args, bytes) = placed(step, BASE);
        guest.set(0, &bytes);
        let args = args.map(|arg| arg as u64);
        let result = loop {
            match kernel.syscall(step.nr as u64, args, &mut guest) {
                Err(Stop::Wait(wait)) if wait.until.is_none() && kernel.schedule(&wait) == Next::Again => {}
                result => break result,
            }
        };
        match result {
            Ok(result) => {
                let bytes = guest.get(0, SIZE).try_into().unwrap();
                results.push((result as i64, view(bytes, BASE)));
            }
            Err(_) => {
                step.skipped = true;
                kernel = before;
                results.push((0, [0; SIZE]));
            }
        }
    }
    results
}

/// A network of the process's own, with nothing but this machine in it.
fn enter_network() -> bool {
    // SAFETY: system calls that read a struct of ours at most.
    unsafe {
        if libc::unshare(libc::CLONE_NEWNET) != 0
            && libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) != 0
        {
            return false;
        }
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0);
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request) == 0
    }
}

fn on_the_machine(steps: &[Step]) -> Option<Vec<Line>> {
    let size = std::mem::size_of::<Line>() * steps.len();
    let folder = tempfile::tempdir().unwrap();
    let path = std::ffi::CString::new(folder.path().to_str().unwrap()).unwrap();
    // SAFETY: new memory; the child makes no allocation and ends by `_exit`. Pointers of calls lead to its bytes, of which no call
    // of the plan takes more than there are.
    unsafe {
        let (all, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        let log = libc::mmap(std::ptr::null_mut(), size, all, shared, -1, 0);
        assert_ne!(log, libc::MAP_FAILED);
        let log = log.cast::<Line>();
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            let every = u64::MAX;
            libc::syscall(libc::SYS_rt_sigprocmask, 2, &raw const every, 0, 8);
            if !enter_network() || libc::chdir(path.as_ptr()) != 0 {
                libc::_exit(3);
            }
            libc::umask(0o022);
            // Standard output is a pipe that has room, as in the model.
            let mut pipe = [0; 2];
            libc::pipe(pipe.as_mut_ptr());
            libc::dup2(pipe[1], 1);
            libc::dup2(pipe[0], 200);
            libc::syscall(libc::SYS_close_range, 3, 199, 0);
            let limit = libc::rlimit { rlim_cur: 64, rlim_max: 4096 };
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
            let mut room = [0u8; SIZE];
            for (i, step) in steps.iter().enumerate().filter(|(_, step)| !step.skipped) {
                let place = room.as_mut_ptr() as u64;
                let (args, bytes) = placed(step, place);
                room.copy_from_slice(&bytes);
                let [a, b, c, d, e, f] = args;
                let result = libc::syscall(step.nr, a, b, c, d, e, f);
                let result = if result < 0 { -i64::from(*libc::__errno_location()) } else { result };
                if step.nr == 41 && result >= 0 {
                    // Written bytes arrive at once, as in the model, and not when something else was acknowledged.
                    let on = 1;
                    libc::setsockopt(
                        result as i32,
                        libc::IPPROTO_TCP,
                        libc::TCP_NODELAY,
                        (&raw const on).cast(),
                        4,
                    );
                }
                log.add(i).write_volatile((result, view(room, place)));
            }
            libc::_exit(0);
        }
        let mut status = 0;
        let mut ended = false;
        for _ in 0..2000 {
            ended = libc::waitpid(child, &raw mut status, libc::WNOHANG) != 0;
            if ended {
                break;
            }
            libc::usleep(2000);
        }
        if !ended {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, &raw mut status, 0);
        }
        let lines = (0..steps.len()).map(|i| log.add(i).read()).collect();
        libc::munmap(log.cast(), size);
        (!ended || libc::WEXITSTATUS(status) != 3).then_some(lines)
    }
}

/// The step at which a sequence first differs, and its result on the model and natively.
fn difference(steps: &mut [Step]) -> Option<(usize, Line, Line)> {
    let model = on_the_model(steps);
    let native = on_the_machine(steps)?;
    (0..steps.len()).find(|&i| model[i] != native[i]).map(|i| (i, model[i], native[i]))
}

/// Ends the test with a short sequence that differs.
fn report(seed: u64, mut steps: Vec<Step>) -> ! {
    let whole = steps.clone();
    let mut at = steps.len();
    while at > 0 {
        at -= 1;
        let mut fewer = steps.clone();
        fewer.remove(at);
        fewer.iter_mut().for_each(|step| step.skipped = false);
        if let Some((last, ..)) = difference(&mut fewer) {
            fewer.truncate(last + 1);
            steps = fewer;
            at = at.min(steps.len());
        }
    }
    let found = difference(&mut steps);
    let Some((_, model, native)) = found else {
        panic!("seed {seed}: differs at one time and not at another\n{whole:?}");
    };
    let differ: Vec<(usize, u8, u8)> =
        (0..SIZE).map(|b| (b, native.1[b], model.1[b])).filter(|(_, n, m)| n != m).collect();
    let lines = on_the_machine(&steps).unwrap_or_default();
    let history = steps.iter().zip(lines).filter(|(step, _)| !step.skipped);
    let history: Vec<String> = history.map(|(step, line)| format!("{step:?} = {}", line.0)).collect();
    panic!(
        "seed {seed}: native {}, model {}, bytes (at, native, model) {differ:?}\n{}",
        native.0,
        model.0,
        history.join("\n")
    );
}

#[test]
fn random_calls_on_sockets_do_on_the_model_what_they_do_on_linux() {
    let number = |name| std::env::var(name).ok().and_then(|n: String| n.parse::<u64>().ok());
    let (count, first) = (number("CLEAVE_SEQUENCES").unwrap_or(300), number("CLEAVE_SEED").unwrap_or(1));
    let length = number("CLEAVE_HISTORY").unwrap_or(100) as usize;
    let (mut accepted, mut received) = (0, 0);
    for seed in first..first + count {
        let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let about = r.of(&[About::Unix, About::Unix, About::Inet, About::Inet, About::Inet6, About::All]);
        let carries = r.of(&[1, 1, 1, 2, 2, if about == About::Unix { 5 } else { 1 }]);
        let mut steps = beginning(&mut r, about, carries);
        while steps.len() < length {
            steps.push(step(&mut r, about, carries));
        }
        let model = on_the_model(&mut steps);
        let Some(native) = on_the_machine(&steps) else {
            eprintln!("this machine gives no network of its own: nothing is compared");
            return;
        };
        let count = |numbers: &[i64], least: i64| {
            let done = steps.iter().zip(&model).filter(|(s, m)| numbers.contains(&s.nr) && m.0 >= least);
            done.count()
        };
        accepted += count(&[288], 0);
        received += count(&[0, 45, 47, 299], 1);
        if model != native {
            report(seed, steps);
        }
    }
    assert!(accepted as u64 > count / 4, "connections are accepted: {accepted}");
    assert!(received as u64 > count / 2, "bytes are received: {received}");
}

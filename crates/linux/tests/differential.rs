//! The model against the kernel of this machine: the same random calls on both, in a world made like the
//! replay's (an own mount, root and identity for one thread), give the same results, errors and memory.
//! Without root there is no such world; then the test says so and passes.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::CString;

use cleave_linux::env::StdinSpec;
use cleave_linux::{Kernel, KernelSpec, Stop, name_of, world};

use crate::common::{self, BASE, FakeGuest, Random};

const ARENA: usize = 0x5000;
const PATH_1: i64 = 0;
const PATH_2: i64 = 0x400;
const WORDS: i64 = 0x800;
const BUFFER: i64 = 0x1000;
const STDIN: &[u8] = b"line 1\nline 2\n";

/// An argument of a call: a number, or an offset in the arena.
#[derive(Clone, Copy, Debug)]
enum Arg {
    Number(i64),
    At(i64),
}
use Arg::{At, Number as N};

/// One call to make, with what is put into the arena before.
struct Plan {
    nr: i64,
    args: Vec<Arg>,
    paths: [String; 2],
    /// Pointers for a vector: offset and length.
    vector: Vec<(i64, i64)>,
    words: Vec<i64>,
}

const PATHS: &[&str] = &[
    "a", "b", "c", "d", "e", "l", "m", "a", "b", "d", "d/a", "d/b", "d/e", "e/a", "e/d", "d/e/a", "d/e/d",
    "d/l", "l/a", "l/", "l/.", "m/..", "../a", "./b", "a/", "d/", "e/", "d/e/", "a/.", "d/.", "d/..", "/",
    ".", "..", "", "//a", "/d/b", "/e/d/a", "none/x", "d//a", "./", "../", "/..", "d/e/..", "a/b", "l/b",
    "new/",
];

fn path(r: &mut Random) -> String {
    match r.below(60) {
        0 => "n".repeat(255),
        1 => "n".repeat(256),
        2 => format!("d/{}", "n".repeat(256)),
        _ => r.of(PATHS).to_string(),
    }
}

fn fd(r: &mut Random) -> i64 {
    r.of(&[-1, 0, 1, 2, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8, 63, 64, 100])
}

fn at(r: &mut Random) -> i64 {
    if r.below(2) == 0 { -100 } else { fd(r) }
}

fn mode(r: &mut Random) -> i64 {
    r.of(&[0o644, 0o755, 0o755, 0o777, 0o700, 0o600, 0o7777, 0o6711, 0o2755, 0o4644, 0o500, 0o300, 0o400, 0])
}

fn open_flags(r: &mut Random) -> i64 {
    let mut flags = r.of(&[0, 0, 1, 2, 2, 3]);
    for (flag, chance) in [
        (libc::O_CREAT, 2),
        (libc::O_EXCL, 6),
        (libc::O_TRUNC, 5),
        (libc::O_APPEND, 6),
        (libc::O_NONBLOCK, 4),
        (libc::O_DIRECTORY, 7),
        (libc::O_NOFOLLOW, 6),
        (libc::O_CLOEXEC, 3),
        (libc::O_PATH, 20),
    ] {
        if r.below(chance) == 0 {
            flags |= flag;
        }
    }
    flags.into()
}

fn offset(r: &mut Random) -> i64 {
    r.of(&[0, 0, 1, 5, 7, 100, 1000, 4095, 4096, 5000, 10_000, -1, -5, -4096, i64::MAX])
}

fn small(r: &mut Random) -> i64 {
    r.of(&[0, 1, 3, 8, 24, 40, 100, 512, 4000])
}

/// A random call.
fn plan(r: &mut Random) -> Plan {
    let paths = [path(r), path(r)];
    let mut vector = Vec::new();
    let mut words = Vec::new();
    let (p, q, b, w) = (At(PATH_1), At(PATH_2), At(BUFFER), At(WORDS));
    let (nr, args) = match r.below(66) {
        0..=6 => (257, vec![N(at(r)), p, N(open_flags(r)), N(mode(r))]),
        7 => (2, vec![p, N(open_flags(r)), N(mode(r))]),
        8 | 9 => (3, vec![N(fd(r))]),
        10 | 11 => (0, vec![N(fd(r)), b, N(small(r))]),
        12..=15 => (1, vec![N(fd(r)), b, N(small(r))]),
        16 | 17 => (8, vec![N(fd(r)), N(offset(r)), N(r.of(&[0, 0, 1, 2, 3, 4, 5]))]),
        18 => (17, vec![N(fd(r)), b, N(small(r)), N(offset(r))]),
        19 => (18, vec![N(fd(r)), b, N(small(r)), N(r.of(&[0, 3, 4096, 9000, -1]))]),
        20 => (r.of(&[4, 6]), vec![p, b]),
        21 | 22 => (5, vec![N(fd(r)), b]),
        23 => (262, vec![N(at(r)), p, b, N(r.of(&[0, 0x100, 0x1000, 0x1100, 0x800, 1]))]),
        24 => (r.of(&[19, 20]), {
            vector = (0..r.below(4)).map(|i| (BUFFER + 700 * i as i64, r.of(&[0, 1, 10, 600]))).collect();
            vec![N(fd(r)), w, N(vector.len() as i64)]
        }),
        25..=27 => (r.of(&[83, 83, 258]), vec![]),
        28 => (84, vec![p]),
        29 | 30 => (263, vec![N(at(r)), p, N(r.of(&[0, 0, 0, 0x200, 0x200, 1]))]),
        31..=35 => (316, vec![N(at(r)), p, N(at(r)), q, N(r.of(&[0, 0, 0, 0, 1, 2, 2, 3, 8]))]),
        36 | 37 => (265, vec![N(at(r)), p, N(at(r)), q, N(r.of(&[0, 0, 0x400, 0x1000, 2]))]),
        38 | 39 => (266, vec![p, N(at(r)), q]),
        40 => (267, vec![N(at(r)), p, b, N(small(r) - 1)]),
        41 => (80, vec![p]),
        42 => (81, vec![N(fd(r))]),
        43 => (79, vec![b, N(r.of(&[0, 1, 2, 4, 1000]))]),
        44 | 45 => (217, vec![N(fd(r)), b, N(r.of(&[10, 24, 60, 100, 300, 4000]))]),
        46 => (268, vec![N(at(r)), p, N(mode(r))]),
        47 => (91, vec![N(fd(r)), N(mode(r))]),
        48 => (260, {
            let id = |r: &mut Random| r.of(&[-1, 1000, 1000, 0, 5]);
            vec![N(at(r)), p, N(id(r)), N(id(r)), N(r.of(&[0, 0x100, 0x1000, 3]))]
        }),
        49 => (76, vec![p, N(offset(r).min(20_000))]),
        50 => (77, vec![N(fd(r)), N(offset(r).min(20_000))]),
        51 => (r.of(&[32, 33, 292]), vec![N(fd(r)), N(fd(r)), N(r.of(&[0, 0, libc::O_CLOEXEC as i64]))]),
        52 => (72, vec![N(fd(r)), N(r.of(&[0, 1, 2, 3, 4, 1030, 99])), N(r.of(&[0, 1, 5, 1024, 2048]))]),
        53 => (439, vec![N(at(r)), p, N(r.of(&[0, 1, 2, 4, 7, 8])), N(r.of(&[0, 0x100, 0x200, 0x1000]))]),
        54 => (95, vec![N(mode(r))]),
        55 => (293, vec![w, N(r.of(&[0, libc::O_NONBLOCK as i64, libc::O_CLOEXEC as i64, 1]))]),
        n => rarer(n, r, &mut words),
    };
    let args = match nr {
        83 => vec![p, N(mode(r))],
        258 => vec![N(at(r)), p, N(mode(r))],
        137 => vec![p, b],
        138 => vec![N(fd(r)), b],
        _ => args,
    };
    Plan { nr, args, paths, vector, words }
}

/// The number and arguments of a random call of the rest of the list. What its arguments point to goes into `words`.
fn rarer(n: u64, r: &mut Random, words: &mut Vec<i64>) -> (i64, Vec<Arg>) {
    let (p, b, w) = (At(PATH_1), At(BUFFER), At(WORDS));
    match n {
        56 => (259, {
            let kind = r.of(&[0, 0o100_000, 0o010_000, 0o140_000, 0o020_000, 0o040_000, 0o110_000]);
            vec![N(at(r)), p, N(kind | mode(r)), N(0)]
        }),
        57 => (7, {
            *words = (0..3).map(|_| fd(r) & 0xffff_ffff | r.of(&[1, 4, 5, 0x145]) << 32).collect();
            vec![w, N(3), N(0)]
        }),
        58 => (280, {
            let n = |r: &mut Random| r.of(&[0, 5, 0x3fff_ffff, 0x3fff_fffe, 1_000_000_000, -1]);
            *words = vec![100, n(r), 200, n(r)];
            let times = if r.below(3) == 0 { N(0) } else { w };
            vec![N(at(r)), p, times, N(r.of(&[0, 0x100, 0x1000, 1]))]
        }),
        59 => (285, vec![N(fd(r)), N(r.of(&[0, 0, 1, 2, 3, 8])), N(offset(r)), N(r.of(&[0, 1, 4096, 9000]))]),
        60 => (326, {
            *words = vec![r.of(&[0, 3, 5000]), r.of(&[0, 3, 5000])];
            let place = |r: &mut Random, at| if r.below(2) == 0 { N(0) } else { At(at) };
            vec![N(fd(r)), place(r, WORDS), N(fd(r)), place(r, WORDS + 8), N(small(r)), N(0)]
        }),
        61 => (40, {
            *words = vec![r.of(&[0, 3, 5000])];
            vec![N(fd(r)), N(fd(r)), if r.below(2) == 0 { N(0) } else { w }, N(small(r))]
        }),
        62 => match r.below(3) {
            0 => (73, vec![N(fd(r)), N(r.of(&[1, 2, 3, 5, 6, 8]))]),
            1 => (r.of(&[74, 306]), vec![N(fd(r))]),
            _ => (16, vec![N(fd(r)), N(r.of(&[0x541b, 0x5401, 0x5413, 0x5451, 0x5450])), w]),
        },
        63 => (r.of(&[137, 138]), vec![if r.below(2) == 0 { p } else { N(fd(r)) }, b]),
        64 => (221, vec![N(fd(r)), N(0), N(r.of(&[0, 100, -1])), N(r.of(&[0, 2, 5, 6]))]),
        _ => (r.of(&[113, 114, 117]), {
            let id = |r: &mut Random| r.of(&[-1, 1000, 1000, 0, 5]);
            vec![N(id(r)), N(id(r)), N(1000)]
        }),
    }
}

/// The part of the memory that must agree after a call, made comparable: devices, times and the like are left out.
fn view(nr: i64, result: i64, arena: &[u8]) -> Vec<u8> {
    let mut arena = arena.to_vec();
    arena[WORDS as usize + 0x200..BUFFER as usize].fill(0);
    let b = BUFFER as usize;
    match nr {
        4..=6 | 262 if result == 0 => {
            let mode = u32::from_le_bytes(arena[b + 24..b + 28].try_into().unwrap());
            arena[b..b + 8].fill(0);
            // Pipes, what has no file system and standard input are numbered by the whole machine, and owned by whoever made them.
            if matches!(mode & 0o170_000, 0 | 0o010_000) || arena[b + 16] == 0 && mode == 0o100_777 {
                arena[b + 8..b + 16].fill(0);
                arena[b + 28..b + 36].fill(0);
            }
            arena[b + 72..b + 120].fill(0);
        }
        // The reader decides how much of the output it has taken.
        16 => arena[WORDS as usize..WORDS as usize + 8].fill(0),
        137 | 138 if result == 0 => arena[b + 56..b + 64].fill(0),
        217 if result > 0 => {
            let mut at = b;
            while at < b + result as usize {
                let length = u16::from_le_bytes([arena[at + 16], arena[at + 17]]) as usize;
                arena[at + 8..at + 16].fill(0);
                // The kernel does not clear what pads a record.
                let end = arena[at + 19..].iter().position(|&c| c == 0).unwrap();
                arena[at + 19 + end..at + length].fill(0);
                at += length;
            }
        }
        _ => {}
    }
    arena
}

/// Number of calls before a difference that are shown.
fn history_length() -> usize {
    std::env::var("CLEAVE_HISTORY").ok().and_then(|n| n.parse().ok()).unwrap_or(40)
}

fn check(step: bool, what: &str) -> Result<(), String> {
    if step { Ok(()) } else { Err(format!("{what}: {}", std::io::Error::last_os_error())) }
}

/// Gives the calling thread a world of its own; `directory` is where its root is mounted.
fn enter_world(directory: &std::path::Path) -> Result<(), String> {
    let c = |s: &str| CString::new(s).unwrap();
    let target = c(directory.to_str().unwrap());
    // SAFETY: plain system calls; all but the limits concern this thread alone once it has its own tables.
    unsafe {
        let apart = libc::CLONE_NEWNS | libc::CLONE_FS | libc::CLONE_FILES;
        check(libc::unshare(apart) == 0, "unshare")?;
        let wide = libc::rlimit { rlim_cur: 4096, rlim_max: 4096 };
        check(libc::setrlimit(libc::RLIMIT_NOFILE, &wide) == 0, "limit")?;
        let flags = libc::MS_REC | libc::MS_PRIVATE;
        check(
            libc::mount(std::ptr::null(), c("/").as_ptr(), std::ptr::null(), flags, std::ptr::null()) == 0,
            "private",
        )?;
        let (tmpfs, options) = (c("tmpfs"), c("size=16777216,nr_inodes=4096,mode=0755,uid=1000,gid=1000"));
        let flags = libc::MS_NOSUID | libc::MS_NODEV;
        let done =
            libc::mount(tmpfs.as_ptr(), target.as_ptr(), tmpfs.as_ptr(), flags, options.as_ptr().cast());
        check(done == 0, "mount")?;
        check(libc::chroot(target.as_ptr()) == 0 && libc::chdir(c("/").as_ptr()) == 0, "chroot")?;
        let stdin = libc::memfd_create(c("stdin").as_ptr(), libc::MFD_ALLOW_SEALING);
        libc::write(stdin, STDIN.as_ptr().cast(), STDIN.len());
        libc::lseek(stdin, 0, libc::SEEK_SET);
        check(libc::fcntl(stdin, libc::F_ADD_SEALS, 0xf) == 0, "seal")?;
        let mut pipes = [[0; 2]; 2];
        for pipe in &mut pipes {
            check(libc::pipe(pipe.as_mut_ptr()) == 0, "pipe")?;
            libc::fcntl(pipe[1], libc::F_SETPIPE_SZ, 1 << 20);
        }
        // The ends that are read are kept open, out of the program's sight but below its limit of files.
        let keep =
            [libc::fcntl(pipes[0][0], libc::F_DUPFD, 900), libc::fcntl(pipes[1][0], libc::F_DUPFD, 901)];
        check(keep.iter().all(|&k| k >= 900), "keep")?;
        for (fd, to) in [(stdin, 0), (pipes[0][1], 1), (pipes[1][1], 2)] {
            check(libc::dup3(fd, to, 0) == to, "dup")?;
        }
        libc::syscall(libc::SYS_close_range, 3, 899, 0);
        libc::syscall(libc::SYS_close_range, 902, u32::MAX, 0);
        libc::umask(0o022);
        let dropped = libc::syscall(libc::SYS_setgroups, 0, std::ptr::null::<u32>()) == 0
            && libc::syscall(libc::SYS_setresgid, 1000, 1000, 1000) == 0
            && libc::syscall(libc::SYS_setresuid, 1000, 1000, 1000) == 0;
        check(dropped, "identity")?;
        let limit = libc::rlimit { rlim_cur: 64, rlim_max: 4096 };
        check(libc::setrlimit(libc::RLIMIT_NOFILE, &limit) == 0, "limit")
    }
}

fn is_directory(fd: Arg) -> bool {
    let N(fd) = fd else { return false };
    // SAFETY: writes one struct.
    unsafe {
        let mut stat = std::mem::zeroed::<libc::stat>();
        libc::fstat(fd as i32, &raw mut stat) == 0 && stat.st_mode & libc::S_IFMT == libc::S_IFDIR
    }
}

/// Writes what a call's arguments point to into both memories.
fn fill_arenas(plan: &Plan, step: usize, real: &mut [u8], guest: &mut FakeGuest) {
    let fill: Vec<u8> = (0..ARENA - BUFFER as usize).map(|i| (i + step) as u8).collect();
    real[..BUFFER as usize].fill(0);
    real[BUFFER as usize..].copy_from_slice(&fill);
    for (at, path) in [PATH_1, PATH_2].into_iter().zip(&plan.paths) {
        real[at as usize..][..path.len()].copy_from_slice(path.as_bytes());
    }
    for (i, word) in plan.words.iter().enumerate() {
        real[WORDS as usize + 8 * i..][..8].copy_from_slice(&word.to_le_bytes());
    }
    guest.set(0, real);
    let base = real.as_ptr() as i64;
    for (i, &(offset, len)) in plan.vector.iter().enumerate() {
        let at = WORDS as usize + 16 * i;
        for (at, theirs, ours) in [(at, base + offset, BASE as i64 + offset), (at + 8, len, len)] {
            real[at..at + 8].copy_from_slice(&theirs.to_le_bytes());
            guest.set(at, &ours.to_le_bytes());
        }
    }
}

/// A random call about an `inotify`, which is at 3 mostly.
fn plan_of_watches(r: &mut Random) -> Plan {
    let paths =
        [r.of(&[".", ".", "a", "b", "c", "d", "d", "e", "d/e", "d/a", "l", "none/x"]).into(), path(r)];
    let fd = N(r.of(&[3, 3, 3, 3, 3, 3, 4, 5]));
    let (nr, args) = match r.below(20) {
        0 => (if r.below(8) == 0 { 294 } else { 255 }, vec![N(r.of(&[0o4000, 0o2_004_000, 1])), N(1)]),
        1..=9 => {
            // The watched events, mostly all, and flags.
            let events = r.of(&[0xfff, 0xfff, 0xfff, 0xfff, 0x2, 0x3c4, 0x101, 0, 0x1000]);
            let flags =
                r.of(&[0, 0, 0, 0, 1 << 24, 1 << 25, 1 << 26, 1 << 28, 1 << 29, 3 << 28, 1 << 30, 1 << 31]);
            (254, vec![fd, At(PATH_1), N(events | flags)])
        }
        10 => (255, vec![fd, N(r.of(&[1, 2, 3, 4, 5, 0, -1, 9]))]),
        11 => (7, vec![At(WORDS), N(1), N(0)]),
        _ => (0, vec![fd, At(BUFFER), N(r.of(&[15, 16, 31, 32, 40, 100, 512, 4000, 4000]))]),
    };
    let words = if nr == 7 { vec![3 | 1 << 32] } else { Vec::new() };
    Plan { nr, args, paths, vector: Vec::new(), words }
}

/// The call of a step; none where it would take the first `inotify` away.
fn plan_step(r: &mut Random, step: usize, watched: bool) -> Option<Plan> {
    if !watched {
        return Some(plan(r));
    }
    let mut plan = if step < 2 || r.below(4) == 0 { plan_of_watches(r) } else { plan(r) };
    match step {
        0 => (plan.nr, plan.args) = (294, vec![N(0o4000)]),
        1 => {
            (plan.nr, plan.args) = (254, vec![N(3), At(PATH_1), N(0xfff)]);
            plan.paths[0] = ".".into();
        }
        _ => {}
    }
    let closes = matches!(plan.nr, 3 | 33 | 292) && plan.args.iter().take(2).any(|a| matches!(a, N(3)));
    (!closes).then_some(plan)
}

/// The events in bytes that were read from an `inotify`: where the cookie of each stands.
fn cookies(bytes: &[u8]) -> Vec<usize> {
    let mut all = Vec::new();
    let mut at = 0;
    while at + 16 <= bytes.len() {
        all.push(at + 8);
        at += 16 + u32::from_le_bytes(bytes[at + 12..at + 16].try_into().unwrap()) as usize;
    }
    all
}

/// Makes the numbers of renames that the two kernels tell of the same: which they are is each kernel's own, but not which
/// are the same.
fn match_cookies(known: &mut BTreeMap<u32, u32>, native: &mut [u8], model: &[u8]) {
    if cookies(native) != cookies(model) {
        return;
    }
    for at in cookies(model) {
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (theirs, ours) = (number(native), number(model));
        let matched = if theirs == 0 { 0 } else { *known.entry(theirs).or_insert(ours) };
        native[at..at + 4].copy_from_slice(&matched.to_le_bytes());
    }
}

/// The events that were read, as `watch event cookie name`.
fn events(mut bytes: &[u8]) -> String {
    let mut all = Vec::new();
    while let Some((head, rest)) = bytes.split_at_checked(16) {
        let word = |i: usize| u32::from_le_bytes(head[4 * i..4 * i + 4].try_into().unwrap());
        let (name, after) = rest.split_at(rest.len().min(word(3) as usize));
        let name = String::from_utf8_lossy(name).trim_end_matches('\0').to_string();
        all.push(format!("{} {:#x} {} {name:.8}", word(0), word(1), word(2)));
        bytes = after;
    }
    all.join("; ")
}

/// The native and the model's result of a read of events.
fn both_events(real: &[u8], guest: &FakeGuest, result: i64, found: i64) -> String {
    let b = BUFFER as usize;
    let (native, model) = (&real[b..b + result as usize], guest.get(b, found.max(0) as usize));
    format!("\nof the kernel: {}\nof the model: {}", events(native), events(&model))
}

/// Runs a sequence on both; what differs, if anything does. Files may be watched meanwhile; how many events were read.
fn compare(seed: u64, length: usize, directory: &std::path::Path, watched: bool) -> Result<usize, String> {
    enter_world(directory).map_err(|e| format!("set-up: {e}"))?;
    let mut kernel =
        Kernel::new(&KernelSpec { stdin: StdinSpec::Concrete(STDIN.to_vec()), ..KernelSpec::default() });
    let mut guest = FakeGuest::new(ARENA);
    let mut real = vec![0u8; ARENA];
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut log = Vec::new();
    let (mut renames, mut told) = (BTreeMap::new(), 0);
    for step in 0..length {
        let Some(plan) = plan_step(&mut r, step, watched) else { continue };
        fill_arenas(&plan, step, &mut real, &mut guest);
        let base = real.as_ptr() as i64;
        if plan.nr == libc::SYS_lseek && !matches!(plan.args[1..], [N(0), N(0)]) && is_directory(plan.args[0])
        {
            // Positions in directories are each kernel's own.
            continue;
        }
        if let (libc::SYS_getdents64, N(fd)) = (plan.nr, plan.args[0]) {
            // From the start: what one sees of changes made while reading is each kernel's own.
            let _ = common::call(&mut kernel, &mut guest, libc::SYS_lseek, &[fd, 0, 0]);
            // SAFETY: concerns a descriptor of this thread.
            unsafe { libc::lseek(fd as i32, 0, libc::SEEK_SET) };
        }
        let place = |base: i64| {
            plan.args.iter().map(move |a| match a {
                N(n) => *n,
                At(o) => base + o,
            })
        };
        let ours: Vec<i64> = place(BASE as i64).collect();
        let before = kernel.clone();
        let found = common::call(&mut kernel, &mut guest, plan.nr, &ours);
        let line = format!("{} {:?} {:?} {:?}", name_of(plan.nr as u64), plan.args, plan.paths, plan.words);
        let found = match found {
            Ok(found) => found,
            // It would wait for ever, or kill.
            Err(Stop::Unsupported(_) | Stop::Wait(_) | Stop::Signal(_)) => {
                kernel = before;
                continue;
            }
            Err(stop) => return Err(format!("seed {seed}: {line}: {stop:?}")),
        };
        let mut theirs = [0; 6];
        place(base).zip(&mut theirs).for_each(|(from, to)| *to = from);
        let [a, b, c, d, e, f] = theirs;
        // SAFETY: pointers lead into the arena, and no call of the plan is given more room than is there.
        let result = unsafe { libc::syscall(plan.nr, a, b, c, d, e, f) };
        let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
        let result = if result < 0 { -i64::from(errno) } else { result };
        log.push(format!("{line} = {result}"));
        let reads_events =
            matches!((plan.nr, plan.args[0]), (0, N(fd)) if result > 0 && kernel.is_inotify(fd as u64));
        let both = if reads_events { both_events(&real, &guest, result, found) } else { String::new() };
        if result != found {
            let history = log[log.len().saturating_sub(history_length())..].join("\n");
            return Err(format!(
                "seed {seed} step {step}: {line}: kernel {result}, model {found}\n{history}{both}"
            ));
        }
        for (i, &(offset, _)) in plan.vector.iter().enumerate() {
            guest.set(WORDS as usize + 16 * i, &(base + offset).to_le_bytes());
        }
        if reads_events {
            let b = BUFFER as usize;
            let model = guest.get(b, result as usize);
            match_cookies(&mut renames, &mut real[b..b + result as usize], &model);
            told += cookies(&model).len();
        }
        let (native, model) = (view(plan.nr, result, &real), view(plan.nr, result, &guest.get(0, ARENA)));
        if let Some(i) = (0..ARENA).find(|&i| native[i] != model[i]) {
            let (from, to) = (i & !7, (i & !7) + 8);
            let history = log[log.len().saturating_sub(history_length())..].join("\n");
            return Err(format!(
                "seed {seed} step {step}: {line} = {result}: memory differs at {i:#x}: kernel {:x?}, model {:x?}\n{history}{both}",
                &native[from..to],
                &model[from..to]
            ));
        }
    }
    Ok(told)
}

/// Compares many sequences; how many events of files were told of.
fn compare_many(watched: bool) -> usize {
    // SAFETY: has no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("not root: there is no world to compare with");
        return usize::MAX;
    }
    assert_eq!(world::UID, 1000, "enter_world uses the world's ids");
    let sequences = std::env::var("CLEAVE_SEQUENCES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let first = std::env::var("CLEAVE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let directory = tempfile::tempdir().unwrap();
    let mut told = 0;
    for seed in first..first + sequences {
        let path = directory.path().to_path_buf();
        match std::thread::spawn(move || compare(seed, 400, &path, watched)).join().unwrap() {
            Err(e) if e.starts_with("set-up: unshare") => {
                eprintln!("there is no world to compare with: {e}");
                return usize::MAX;
            }
            outcome => told += outcome.unwrap_or_else(|e| panic!("{e}")),
        }
    }
    told / sequences as usize
}

#[test]
fn random_calls_do_on_the_model_what_they_do_on_linux() {
    compare_many(false);
}

#[test]
fn what_random_calls_do_to_files_is_told_to_watchers_as_on_linux() {
    let told = compare_many(true);
    assert!(told >= 5, "events told of in a sequence: {told}");
}

#[test]
fn mincore_says_what_linux_says_of_pages_that_are_there_and_of_others() {
    const PAGE: i64 = 4096;
    let mut kernel = Kernel::new(&KernelSpec::default());
    let mut guest = FakeGuest::new(3 * PAGE as usize);
    // SAFETY: a mapping of our own; its last page, which is given back, is not touched.
    let real = unsafe {
        let (all, flags) = (4 * PAGE as usize, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let real = libc::mmap(std::ptr::null_mut(), all, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        assert_ne!(real, libc::MAP_FAILED);
        assert_eq!(libc::munmap(real.add(3 * PAGE as usize), PAGE as usize), 0);
        std::slice::from_raw_parts_mut(real.cast::<u8>(), 3 * PAGE as usize)
    };
    let (base, told) = (real.as_ptr() as i64, 16);
    let places =
        [At(0), At(PAGE), At(2 * PAGE), At(3 * PAGE), At(1), N(0), N(PAGE), N(1), N(-PAGE), N(1 << 47)];
    for (place, len) in places
        .iter()
        .flat_map(|&p| [0, 1, PAGE, PAGE + 1, 2 * PAGE, 3 * PAGE, 4 * PAGE, -1, 1 << 47].map(|len| (p, len)))
    {
        // Every page is touched: what is there is in memory.
        real.fill(7);
        guest.set(0, real);
        let at = |base: i64| match place {
            N(n) => n,
            At(offset) => base + offset,
        };
        let arguments = [at(BASE as i64), len, BASE as i64 + told];
        let found = common::call(&mut kernel, &mut guest, libc::SYS_mincore, &arguments).unwrap();
        // SAFETY: at most as many bytes are written as there are pages, which is few.
        let result = unsafe { libc::syscall(libc::SYS_mincore, at(base), len, base + told) };
        let result = if result < 0 {
            -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap())
        } else {
            result
        };
        assert_eq!(found, result, "{place:?} {len}");
        assert_eq!(guest.get(0, 64), real[..64], "{place:?} {len}");
    }
}

#[test]
fn niceness_rises_and_never_falls_as_natively() {
    // A thread has its own niceness. Without an identity of root it has no privilege to lower it.
    let ran = std::thread::spawn(|| {
        let native = |nr: i64, args: [i64; 3]| {
            // SAFETY: none of these calls looks at memory.
            let result = unsafe { libc::syscall(nr, args[0], args[1], args[2]) };
            if result < 0 {
                -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap())
            } else {
                result
            }
        };
        native(libc::SYS_setresuid, [65534, 65534, 65534]);
        let base = 20 - native(libc::SYS_getpriority, [0, 0, 0]);
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the structure is ours.
        unsafe { libc::getrlimit(libc::RLIMIT_NICE, &raw mut limit) };
        if limit.rlim_cur != 0 {
            eprintln!("not compared: this machine lets everybody lower the niceness");
            return;
        }
        let (mut guest, mut random) = (FakeGuest::new(0x1000), Random(7));
        let mut kernel = Kernel::new(&KernelSpec::default());
        let mut model = |nr: i64, args: [i64; 3]| common::call(&mut kernel, &mut guest, nr, &args).unwrap();
        // So that both begin at the same niceness.
        model(libc::SYS_setpriority, [0, 0, base]);
        for round in 0..2000 {
            // Small steps at first: the most niceness is the end of the way.
            let niceness = random.of(&[-30, -20, -1, 0, round / 200, base + round / 200, 19, 40]);
            let niceness = if round < 1900 { niceness.min(base + round / 200) } else { niceness };
            let args = [random.of(&[0, 0, 0, 3, 9]), 0, niceness];
            for nr in [libc::SYS_setpriority, libc::SYS_getpriority] {
                assert_eq!(model(nr, args), native(nr, args), "{nr} {args:?} in round {round}");
            }
        }
    });
    ran.join().unwrap();
}

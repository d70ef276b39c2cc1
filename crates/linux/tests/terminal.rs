//! The model's terminal against a pseudoterminal of this machine: the same calls give the same results and memory. Where no
//! pseudoterminal can be had, the tests say so and pass.
#![allow(unsafe_code)]

use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use cleave_linux::env::StdinSpec;
use cleave_linux::{Kernel, KernelSpec, KnownFiles, Stop, name_of, world};
use cleave_memory::Byte;

use crate::common::{BASE, FakeGuest, Random, call, known};

const TYPED: &[u8] = b"one\n\nthree words here\nlast";
/// Bytes of memory that calls may use, of which the model has a copy.
const ARENA: usize = 0x400;
const TCGETS: i64 = 0x5401;

/// The terminal's side for programs, opened to read and write, to write, and to write.
struct Pair {
    master: std::fs::File,
    streams: [OwnedFd; 3],
}

fn pair() -> Option<Pair> {
    // SAFETY: the calls make descriptors that are ours alone; the name's buffer is as long as they are told.
    unsafe {
        let master = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
        if master < 0 {
            return None;
        }
        let master = std::fs::File::from_raw_fd(master);
        let mut name = [0; 64];
        let fd = master.as_raw_fd();
        if libc::grantpt(fd) != 0
            || libc::unlockpt(fd) != 0
            || libc::ptsname_r(fd, name.as_mut_ptr(), name.len()) != 0
        {
            return None;
        }
        let open = |flags: i32| {
            let fd = libc::open(name.as_ptr(), flags | libc::O_NOCTTY | libc::O_CLOEXEC);
            (fd >= 0).then(|| OwnedFd::from_raw_fd(fd))
        };
        let streams = [open(libc::O_RDWR)?, open(libc::O_WRONLY)?, open(libc::O_WRONLY)?];
        let [rows, columns] = world::TERMINAL_SIZE;
        let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        (libc::ioctl(fd, libc::TIOCSWINSZ, &raw const size) == 0).then_some(Pair { master, streams })
    }
}

/// Both worlds, or a word about why there is only one.
fn worlds(test: &str) -> Option<(Pair, Kernel, FakeGuest)> {
    let Some(mut pair) = pair() else {
        eprintln!("{test}: no pseudoterminal can be had here, so the model is not compared with one");
        return None;
    };
    // The two ends of the last line: one end of input behind the bytes, one by itself.
    pair.master.write_all(&[TYPED, &[4, 4]].concat()).unwrap();
    let kernel = Kernel::concrete(TYPED, &KnownFiles { terminal: 7, ..KnownFiles::default() }).unwrap();
    Some((pair, kernel, FakeGuest::new(ARENA)))
}

/// Makes a call in both worlds, of which the first argument (or the one given) is a stream, and compares results and memory. A
/// number from 2^32 on is a place in the arena.
fn compare(
    pair: &Pair,
    kernel: &mut Kernel,
    guest: &mut FakeGuest,
    nr: i64,
    stream: usize,
    args: &[i64],
) -> i64 {
    let mut arena = known(&guest.memory);
    let place =
        |base: i64| args.iter().map(|&arg| if arg >= AT { arg - AT + base } else { arg }).collect::<Vec<_>>();
    let mut real = place(arena.as_mut_ptr() as i64);
    real[stream] = pair.streams[args[stream] as usize].as_raw_fd().into();
    real.resize(6, 0);
    // SAFETY: pointers lie in the arena, and no call of these tests moves more bytes than lie behind them.
    let result = unsafe { libc::syscall(nr, real[0], real[1], real[2], real[3], real[4], real[5]) };
    let result =
        if result < 0 { -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap()) } else { result };
    let what = format!("{} {args:x?}", name_of(nr as u64));
    assert_eq!(call(kernel, guest, nr, &place(BASE as i64)), Ok(result), "{what}");
    assert_eq!(known(&guest.memory), arena, "{what}: memory");
    result
}

const AT: i64 = 1 << 32;

#[test]
fn settings_that_are_changed_are_those_of_a_pseudoterminal() {
    let Some((pair, mut kernel, mut guest)) = worlds("settings") else { return };
    let seed = std::env::var("CLEAVE_TERMINAL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let mut random = Random(seed);
    for stream in 0..3 {
        compare(&pair, &mut kernel, &mut guest, libc::SYS_ioctl, 0, &[stream, TCGETS, AT]);
    }
    for _ in 0..200 {
        // Speeds and the line discipline stay: other ones are another machine's.
        let at = random.of(&[0, 1, 4, 5, 8, 9, 12, 13, 17, 18, 22, 25, 30, 35]);
        let value = random.below(256) as u8;
        let value = if at == 8 { value & 0xf0 | 0xf } else { value };
        guest.memory[at] = Byte::Known(value);
        let request = TCGETS + 1 + random.below(3) as i64;
        // A terminal that is stopped keeps what waits for its output to be done.
        guest.memory[1] = Byte::Known(known(&guest.memory[1..2])[0] & !4);
        compare(&pair, &mut kernel, &mut guest, libc::SYS_ioctl, 0, &[stream_of(&mut random), request, AT]);
        compare(&pair, &mut kernel, &mut guest, libc::SYS_ioctl, 0, &[stream_of(&mut random), TCGETS, AT]);
    }
}

fn stream_of(random: &mut Random) -> i64 {
    random.below(3) as i64
}

#[test]
fn controls_and_positions_are_those_of_a_pseudoterminal() {
    let Some((pair, mut kernel, mut guest)) = worlds("controls") else { return };
    let size = guest.set(0x40, &[30, 0, 100, 0, 1, 0, 2, 0]);
    assert_eq!(size, BASE + 0x40);
    let ioctls =
        [0x5413, 0x5414, 0x5413, 0x5409, 0x540a, 0x540c, 0x540d, 0x5411, 0x5421, 0x5451, 0x5450, 0x9409];
    for request in ioctls {
        let argument = if request == 0x540a { 7 } else { AT + 0x40 };
        for stream in 0..3 {
            compare(&pair, &mut kernel, &mut guest, libc::SYS_ioctl, 0, &[stream, request, argument]);
        }
    }
    let flush_wrongly = [0, 0x540b, 9];
    compare(&pair, &mut kernel, &mut guest, libc::SYS_ioctl, 0, &flush_wrongly);
    for (nr, args) in [
        (libc::SYS_lseek, &[0, 0, 0][..]),
        (libc::SYS_lseek, &[1, 5, 2]),
        (libc::SYS_pread64, &[0, AT, 4, 0]),
        (libc::SYS_pwrite64, &[1, AT, 4, 0]),
        (libc::SYS_fsync, &[0]),
        (libc::SYS_fsync, &[1]),
        (libc::SYS_ftruncate, &[0, 1]),
        (libc::SYS_ftruncate, &[1, 1]),
        (libc::SYS_fadvise64, &[0, 0, 10, 2]),
        (libc::SYS_fadvise64, &[1, 0, 10, 2]),
        (libc::SYS_readahead, &[0, 0, 10]),
        (libc::SYS_fallocate, &[1, 0, 0, 10]),
        (libc::SYS_fallocate, &[0, 0, 0, 10]),
        (libc::SYS_fcntl, &[0, 1032]),
        (libc::SYS_fcntl, &[1, 1032]),
        (libc::SYS_fcntl, &[0, 1034]),
        (libc::SYS_read, &[1, AT, 4]),
        (libc::SYS_flock, &[0, 2]),
        (libc::SYS_flock, &[0, 8]),
    ] {
        // The model has no reading of an output, and says so.
        if nr != libc::SYS_read {
            compare(&pair, &mut kernel, &mut guest, nr, 0, args);
        } else {
            assert_eq!(call(&mut kernel, &mut guest, nr, &[1, BASE as i64, 4]), Ok(-9));
        }
    }
}

#[test]
fn a_read_gives_one_line_as_a_pseudoterminal_does() {
    let Some((pair, mut kernel, mut guest)) = worlds("lines") else { return };
    let mut lengths = Vec::new();
    // The whole first line, an empty one, a part of a line, the rest of it, the last line, the end.
    for len in [100, 100, 7, 100, 100, 100] {
        lengths.push(compare(&pair, &mut kernel, &mut guest, libc::SYS_read, 0, &[0, AT, len]));
    }
    assert_eq!(lengths, [4, 1, 7, 10, 4, 0]);
}

#[test]
fn the_metadata_are_those_of_a_pseudoterminal() {
    let Some((pair, mut kernel, mut guest)) = worlds("metadata") else { return };
    for (stream, fd) in pair.streams.iter().enumerate() {
        // SAFETY: the structure is plain numbers, which the call writes.
        let real: libc::stat = unsafe {
            let mut real = std::mem::zeroed();
            assert_eq!(libc::fstat(fd.as_raw_fd(), &raw mut real), 0);
            real
        };
        assert_eq!(call(&mut kernel, &mut guest, libc::SYS_fstat, &[stream as i64, BASE as i64]), Ok(0));
        let word =
            |at: usize, len: usize| guest.get(at, len).iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
        assert_eq!(word(24, 4) & 0o170_000, u64::from(real.st_mode) & 0o170_000);
        assert_eq!((word(16, 8), word(48, 8)), (real.st_nlink, real.st_size as u64));
        assert_eq!((word(56, 8), word(64, 8)), (real.st_blksize as u64, real.st_blocks as u64));
        // The first of all pseudoterminals, and the one that the machine gave.
        assert_eq!(word(40, 8) >> 8, libc::major(real.st_rdev).into());
    }
}

#[test]
fn each_stream_is_decided_by_the_first_call_that_shows_it() {
    let spec = KernelSpec { stdin: StdinSpec::Symbolic(4), terminal: true, ..KernelSpec::default() };
    let decided = |script: &[bool], nr: i64, args: &[i64]| {
        let mut guest = FakeGuest::new(ARENA);
        let mut kernel = Kernel::new(&spec);
        kernel.make_files(&mut guest).unwrap();
        assert_eq!(guest.inputs[0], ("terminal".to_string(), 1));
        guest.script = script.to_vec();
        let first = call(&mut kernel, &mut guest, nr, args);
        // A second look at the same stream decides nothing.
        guest.script.clear();
        let again = call(&mut kernel, &mut guest, libc::SYS_lseek, &[args[0], 0, 1]);
        (first, again)
    };
    let at = BASE as i64;
    let show = [0, TCGETS, at];
    assert!(matches!(decided(&[], libc::SYS_ioctl, &show).0, Err(Stop::Decide(_))));
    assert_eq!(decided(&[true], libc::SYS_ioctl, &show), (Ok(0), Ok(-29)));
    assert_eq!(decided(&[false], libc::SYS_ioctl, &show), (Ok(-25), Ok(0)));
    // A write looks the same, so standard output is decided by the call behind it.
    let (written, later) = decided(&[], libc::SYS_write, &[1, at, 1]);
    assert!(written == Ok(1) && matches!(later, Err(Stop::Decide(_))), "{written:?} {later:?}");
    // Input that is no terminal is read at once; from a terminal each byte but the last may end the line.
    assert_eq!(decided(&[false], libc::SYS_read, &[0, at, 4]).0, Ok(4));
    assert_eq!(decided(&[true, false, true], libc::SYS_read, &[0, at, 4]).0, Ok(2));
    assert_eq!(decided(&[true, false, false, false], libc::SYS_read, &[0, at, 4]).0, Ok(4));
}

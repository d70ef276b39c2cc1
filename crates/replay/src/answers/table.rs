//! The treatment of each system call: the calls that are handed to the replayer, and those that the model answers. The table of
//! `cleave-linux` has what follows from a call's number alone.

use cleave_linux::{Kernel, NUMBERS, Traits, call_is, is_modelled, nr};

/// A report of a thread (runtime/threads.c). No kernel has this call.
pub(crate) const SCHEDULE: u64 = 0x63_6c65;

/// Calls that the kernel hands to the replayer in a sandbox with namespaces, for a program with one process or with several.
pub(crate) fn asked(several: bool) -> impl Iterator<Item = u32> {
    let real = move |n| call_is(n, Traits::NATIVE) || !several && call_is(n, Traits::NATIVE_ALONE);
    let asked = move |&n: &u64| is_modelled(n) && !real(n) || call_is(n, Traits::SIGNALS);
    (0..NUMBERS as u64).filter(asked).chain([SCHEDULE]).map(|n| n as u32)
}

/// Returns true if the result of a call depends on the world, and not only on the program's own earlier calls.
pub(crate) fn shows_world(number: u64, args: &[u64; 6]) -> bool {
    match number {
        // A limit that is set applies to the real process.
        nr::PRLIMIT64 => args[2] == 0,
        // The name of the thread
        nr::PRCTL => args[0] as u32 == libc::PR_GET_NAME as u32,
        _ => call_is(number, Traits::WORLD),
    }
}

/// Returns true if the machine's kernel may execute a call of a program without namespaces: it concerns the program's own
/// signals, or a descriptor that the replayer gave to it. No other call may continue there.
pub(crate) fn may_reach_machine(number: u64, args: &[u64; 6]) -> bool {
    match number {
        nr::PPOLL => args[1] == 0,
        _ => call_is(number, Traits::OWN),
    }
}

/// Returns true if other processes see that a call waits: the opening of a named pipe wakes the other end, and the kernel refuses
/// a lock whose holder waits in turn.
pub(crate) fn shows_before_its_end(number: u64, args: &[u64; 6]) -> bool {
    match number {
        nr::OPEN | nr::OPENAT | nr::CREAT => true,
        nr::FCNTL => matches!(args[1] as i32, libc::F_SETLKW | libc::F_OFD_SETLKW),
        _ => false,
    }
}

/// Returns true if a call concerns a socket: sockets exist only in the model, and the real process has others in their place.
pub(crate) fn is_of_sockets(number: u64, args: &[u64; 6], kernel: &Kernel) -> bool {
    /// `fcntl` commands that the real kernel executes: duplicates, and close on exec.
    const REAL_COMMANDS: [u64; 5] = [0, 1, 2, 1030, 1031];
    const FIOCLEX: u64 = 0x5451;
    const FIONCLEX: u64 = 0x5450;
    match number {
        nr::READ | nr::WRITE | nr::READV | nr::WRITEV | nr::SENDFILE => kernel.is_socket(args[0]),
        nr::FCNTL => kernel.is_socket(args[0]) && !REAL_COMMANDS.contains(&args[1]),
        nr::IOCTL => kernel.is_socket(args[0]) && ![FIOCLEX, FIONCLEX].contains(&args[1]),
        _ => call_is(number, Traits::SOCKETS),
    }
}

/// Returns true if only the model executes a call: one that puts data into a pipe, takes them out, or asks for their number, one
/// that shows the terminal, or one that waits for a word of shared memory.
pub(crate) fn is_the_models(number: u64, args: &[u64; 6], kernel: &Kernel) -> bool {
    is_of_sockets(number, args, kernel)
        || kernel.shows_terminal(number, args)
        || match number {
            nr::READ | nr::WRITE | nr::IOCTL | nr::READV | nr::WRITEV => kernel.is_pipe(args[0]),
            nr::SENDFILE => kernel.is_pipe(args[0]),
            nr::FUTEX => true,
            _ => false,
        }
}

//! The values of their arguments that system calls distinguish. A symbolic argument is decided no further than that.

/// The part of an argument that a call looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The whole value.
    Whole,
    /// This number of its low bits.
    Low(u8),
    /// Its low 32 bits as a number; all numbers above this one are the same error.
    UpTo(u8),
}

/// The call that ends a thread, and with the last one the process: `exit`.
pub const EXIT: u64 = 60;
/// `futex`, whose first argument is the address that is waited for.
pub const FUTEX: u64 = 202;
/// The calls of which other threads see nothing: those about memory, signals' masks, time and the thread itself, and `futex`.
pub const UNSEEN: [u64; 21] =
    [9, 10, 11, 12, 13, 14, 24, 25, 28, 39, 56, 60, 96, 131, 186, 201, 202, 218, 228, 273, 324];
/// The call that gives up the turn: `sched_yield`.
pub const SCHED_YIELD: u64 = 24;
/// The calls that end the process: `exit` and `exit_group`. Nothing of the process depends on their argument.
pub const EXITS: [u64; 2] = [60, 231];

/// The calls that may give memory back: `munmap`, `mremap`, `execve`, `execveat`.
pub const GIVES_MEMORY_BACK: [u64; 4] = [11, 25, 59, 322];

/// The calls whose third argument is a length of a transfer: `read`, `write`, `pread64` and `pwrite64`.
pub const TRANSFERS: [u64; 4] = [0, 1, 17, 18];

/// The part of the `i`-th argument, from 0, that the call with this x86-64 number looks at.
pub fn argument(nr: u64, i: usize) -> Argument {
    match (nr, i) {
        // The signal of rt_sigaction, kill, tkill, tgkill.
        (13, 0) | (62 | 200, 1) | (234, 2) => Argument::UpTo(64),
        // Modes of open, mkdir, creat, chmod, fchmod, openat, mkdirat, fchmodat: permissions.
        (2 | 257, 2 | 3) if (nr == 2) == (i == 2) => Argument::Low(12),
        (83 | 85 | 90 | 91, 1) | (258 | 268, 2) => Argument::Low(12),
        // umask.
        (95, 0) => Argument::Low(9),
        _ => Argument::Whole,
    }
}

//! The treatment of each system call: tables of the calls that are handed to the replayer, and of those that the model answers.

use crate::signals;
use cleave_linux::{Kernel, is_modelled};

/// Calls that never need the model: the process's own memory.
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
    libc::SYS_set_robust_list,
    libc::SYS_clone3,
    libc::SYS_execve,
    libc::SYS_execveat,
];

/// The same for `arch_prctl`, a number that only x86-64 has.
const REAL_HERE: &[u64] = &[158];

/// Calls that need the model only if there are several processes: the end, waiting for others, and scheduling.
const ALONE: &[i64] = &[
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_sched_yield,
    libc::SYS_futex,
];

/// Call numbers of x86-64 used here.
pub(crate) mod nr {
    /// A report of a thread (runtime/threads.c). No kernel has this call.
    pub(crate) const SCHEDULE: u64 = 0x63_6c65;
    pub(crate) const EXIT: u64 = 60;
    pub(crate) const EXIT_GROUP: u64 = 231;
    pub(crate) const OPEN: u64 = 2;
    pub(crate) const READ: u64 = 0;
    pub(crate) const RT_SIGRETURN: u64 = 15;
    pub(crate) const CLOSE: u64 = 3;
    pub(crate) const KILL: u64 = 62;
    pub(crate) const TKILL: u64 = 200;
    pub(crate) const SIGQUEUE: u64 = 129;
    pub(crate) const TGKILL: u64 = 234;
    pub(crate) const OPENAT: u64 = 257;
    pub(crate) const PSELECT: u64 = 270;
    pub(crate) const PPOLL: u64 = 271;
    pub(crate) const EPOLL_PWAIT: u64 = 281;
    pub(crate) const EPOLL_PWAIT2: u64 = 441;
    pub(crate) const PRLIMIT: u64 = 302;
    pub(crate) const PRCTL: u64 = 157;
    pub(crate) const GETRANDOM: u64 = 318;
    pub(crate) const WAIT4: u64 = 61;
    pub(crate) const CLONE: u64 = 56;
    pub(crate) const FORK: u64 = 57;
    pub(crate) const VFORK: u64 = 58;
    pub(crate) const WRITE: u64 = 1;
    pub(crate) const WRITEV: u64 = 20;
    pub(crate) const CREAT: u64 = 85;
    pub(crate) const IOCTL: u64 = 16;
    pub(crate) const FCNTL: u64 = 72;
    pub(crate) const FUTEX: u64 = 202;
    pub(crate) const READV: u64 = 19;
    pub(crate) const SENDFILE: u64 = 40;
    pub(crate) const WAITID: u64 = 247;
    pub(crate) const SET_TID_ADDRESS: u64 = 218;
    pub(crate) const SOCKET: u64 = 41;
    pub(crate) const ACCEPT: u64 = 43;
    pub(crate) const BIND: u64 = 49;
    pub(crate) const SOCKETPAIR: u64 = 53;
    pub(crate) const GETSOCKOPT: u64 = 55;
    pub(crate) const ACCEPT4: u64 = 288;
    pub(crate) const RECVMMSG: u64 = 299;
    pub(crate) const SENDMMSG: u64 = 307;
    pub(crate) const EXECVE: u64 = 59;
    pub(crate) const EXECVEAT: u64 = 322;
}

/// Calls that the kernel hands to the replayer in a sandbox with namespaces, for a program with one process or with several.
pub(crate) fn asked(several: bool) -> impl Iterator<Item = u32> {
    const NUMBERS: u64 = 512;
    let among = |n: u64, list: &[i64]| list.contains(&(n as i64));
    let real = move |n| among(n, REAL) || REAL_HERE.contains(&n) || !several && among(n, ALONE);
    let asked = move |&n: &u64| is_modelled(n) && !real(n) || signals::concerns(n);
    (0..NUMBERS).filter(asked).chain([nr::SCHEDULE]).map(|n| n as u32)
}

/// Returns true if the result of a call depends on the world, and not only on the program's own earlier calls.
pub(crate) fn shows_world(number: u64, args: &[u64; 6]) -> bool {
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
        // epoll_wait, epoll_pwait, epoll_pwait2; timerfd_settime, timerfd_gettime
        232 | 281 | 441 | 286 | 287 => true,
        // getitimer, alarm, setitimer; timer_create, timer_settime, timer_gettime, timer_getoverrun, timer_delete
        36..=38 | 222..=226 => true,
        // uname, sysinfo, getrandom, getcpu, getpriority, setpriority, sched_getscheduler, sched_getaffinity
        63 | 99 | 318 | 309 | 140 | 141 | 145 | 204 => true,
        // Limits that are read; a limit that is set applies to the real process.
        97 => true,
        nr::PRLIMIT => args[2] == 0,
        // The name of the thread
        nr::PRCTL => args[0] as u32 == libc::PR_GET_NAME as u32,
        _ => false,
    }
}

/// Returns true if the machine's kernel may execute a call of a program without namespaces: it concerns the program's own
/// signals, or a descriptor that the replayer gave to it. No other call may continue there.
pub(crate) fn may_reach_machine(number: u64, args: &[u64; 6]) -> bool {
    match number {
        // rt_sigaction, rt_sigprocmask, rt_sigreturn, pause; rt_sigpending, rt_sigtimedwait, rt_sigsuspend, sigaltstack
        13..=15 | 34 | 127 | 128 | 130 | 131 => true,
        nr::READ | nr::CLOSE => true,
        nr::PPOLL => args[1] == 0,
        _ => false,
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
        nr::SOCKET..=nr::GETSOCKOPT | nr::ACCEPT4 | nr::RECVMMSG | nr::SENDMMSG => true,
        _ => false,
    }
}

/// Returns true if only the model executes a call: one that puts data into a pipe, takes them out, or asks for their number, or
/// one that waits for a word of shared memory.
pub(crate) fn is_the_models(number: u64, args: &[u64; 6], kernel: &Kernel) -> bool {
    is_of_sockets(number, args, kernel)
        || match number {
            nr::READ | nr::WRITE | nr::IOCTL | nr::READV | nr::WRITEV => kernel.is_pipe(args[0]),
            nr::SENDFILE => kernel.is_pipe(args[0]),
            nr::FUTEX => true,
            _ => false,
        }
}

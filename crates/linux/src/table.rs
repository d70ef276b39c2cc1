//! Which handler answers which system call.

use crate::calls::*;
use crate::errno::{CallResult, EACCES, ENOENT, EPERM, Errno};
use crate::kernel::Call;

/// Answers one call.
pub(crate) type Handler = fn(&mut Call<'_>, [u64; 6]) -> CallResult;

macro_rules! handlers {
    ($($number:pat => $handler:path,)*) => {
        /// The handler of a call, by its x86-64 number; `None` where the call is not modelled.
        pub(crate) fn handler(number: u64) -> Option<Handler> {
            Some(match number {
                $($number => $handler,)*
                _ => return None,
            })
        }
    };
}

/// Whether a call that fails so would have been done for an ordinary user of Linux: sockets, System V's objects, message
/// queues, `ptrace`, locked memory, namespaces; programs that are in no model of a file system.
pub(crate) fn made_up(number: u64, errno: Errno) -> bool {
    match number {
        29 | 41 | 64 | 68 | 101 | 149 | 151 | 240 | 272 | 308 => errno == EPERM,
        59 | 322 => errno == ENOENT || errno == EACCES,
        _ => false,
    }
}

handlers! {
    0 => io::read,
    1 => io::write,
    2 => open::open,
    3 => open::close,
    4 => stat::stat,
    5 => stat::fstat,
    6 => stat::lstat,
    7 => descriptors::poll,
    8 => descriptors::lseek,
    9 => memory::mmap,
    10 => memory::mprotect,
    11 => memory::munmap,
    12 => memory::brk,
    13 => signals::rt_sigaction,
    14 => signals::rt_sigprocmask,
    16 => descriptors::ioctl,
    17 => io::pread,
    18 => io::pwrite,
    19 => io::readv,
    20 => io::writev,
    21 => stat::access,
    22 => open::pipe,
    23 => descriptors::select,
    24 => process::sched_yield,
    25 => memory::mremap,
    26 => memory::msync,
    27 => memory::mincore,
    28 => memory::madvise,
    29 | 64 | 68 | 240 => misc::refused, // shmget, semget, msgget, mq_open
    32 => descriptors::dup,
    33 => descriptors::dup2,
    34 => signals::pause,
    35 => time::nanosleep,
    36 => signals::getitimer,
    37 => signals::alarm,
    38 => signals::setitimer,
    39 | 186 => identity::getpid, // getpid, gettid
    40 => io::sendfile,
    41 => misc::socket,
    42..=52 | 54 | 55 | 288 | 299 | 307 => misc::not_a_socket, // connect to getpeername, [gs]etsockopt, ...
    56 => process::clone,
    57..=58 => process::fork,
    59 => process::execve,
    60 | 231 => process::exit, // exit, exit_group
    61 => process::wait4,
    62 => signals::kill,
    63 => misc::uname,
    72 => descriptors::fcntl,
    73 => descriptors::flock,
    74 | 75 => descriptors::fsync, // fsync, fdatasync
    76 => attributes::truncate,
    77 => attributes::ftruncate,
    79 => directories::getcwd,
    80 => directories::chdir,
    81 => directories::fchdir,
    82 => rename::rename,
    83 => directories::mkdir,
    84 => directories::rmdir,
    85 => open::creat,
    86 => links::link,
    87 => links::unlink,
    88 => links::symlink,
    89 => links::readlink,
    90 => attributes::chmod,
    91 => attributes::fchmod,
    92 => attributes::chown,
    93 => attributes::fchown,
    94 => attributes::lchown,
    95 => misc::umask,
    96 => time::gettimeofday,
    97 => process::getrlimit,
    98 => process::getrusage,
    99 => misc::sysinfo,
    100 => time::times,
    101 | 103 | 155 | 161 | 163 | 165..=170 => misc::refused, // ptrace, syslog, pivot_root, chroot, mount, ...
    102 | 107 => identity::getuid, // getuid, geteuid
    104 | 108 => identity::getgid, // getgid, getegid
    105 => identity::setuid,
    106 => identity::setgid,
    109 => identity::setpgid,
    110 => identity::getppid,
    111 => identity::getpgrp,
    112 => identity::setsid,
    113 => identity::setreuid,
    114 => identity::setregid,
    115 => identity::getgroups,
    116 => signals::not_permitted, // setgroups
    117 => identity::setresuid,
    118 => identity::getresuid,
    119 => identity::setresgid,
    120 => identity::getresgid,
    121 | 124 => identity::getpgid, // getpgid, getsid
    122 => identity::setfsuid,
    123 => identity::setfsgid,
    127 => signals::rt_sigpending,
    128 => signals::rt_sigtimedwait,
    130 => signals::rt_sigsuspend,
    131 => signals::sigaltstack,
    132 => attributes::utime,
    133 => open::mknod,
    137 => stat::statfs,
    138 => stat::fstatfs,
    140 => process::getpriority,
    141 => process::setpriority,
    145 => process::sched_getscheduler,
    146 | 147 => process::sched_priority_bound,
    149 | 151 => memory::mlock, // mlock, mlockall
    150 | 152 => memory::munlock,
    157 => process::prctl,
    158 => process::arch_prctl,
    160 => process::setrlimit,
    162 => misc::sync,
    164 => misc::refused, // settimeofday
    187 => descriptors::readahead,
    191 => stat::getxattr,
    192 => stat::lgetxattr,
    193 => stat::fgetxattr,
    194 => stat::listxattr,
    195 => stat::llistxattr,
    196 => stat::flistxattr,
    200 => signals::tkill,
    201 => time::time,
    202 => descriptors::futex,
    203 => process::sched_setaffinity,
    204 => process::sched_getaffinity,
    217 => directories::getdents64,
    218 => process::set_tid_address,
    221 => descriptors::fadvise64,
    227 => misc::refused, // clock_settime
    228 => time::clock_gettime,
    229 => time::clock_getres,
    230 => time::clock_nanosleep,
    234 => signals::tgkill,
    235 => attributes::utimes,
    247 => process::waitid,
    257 => open::openat,
    258 => directories::mkdirat,
    259 => open::mknodat,
    260 => attributes::fchownat,
    261 => attributes::futimesat,
    262 => stat::newfstatat,
    263 => links::unlinkat,
    264 => rename::renameat,
    265 => links::linkat,
    266 => links::symlinkat,
    267 => links::readlinkat,
    268 => attributes::fchmodat,
    269 => stat::faccessat,
    270 => descriptors::pselect6,
    271 => descriptors::ppoll,
    272 | 308 => misc::refused, // unshare, setns
    273 => process::set_robust_list,
    280 => attributes::utimensat,
    285 => open::fallocate,
    292 => descriptors::dup3,
    293 => open::pipe2,
    295 => io::preadv,
    296 => io::pwritev,
    302 => process::prlimit64,
    306 => descriptors::syncfs,
    309 => misc::getcpu,
    316 => rename::renameat2,
    318 => misc::getrandom,
    319 => memory::memfd_create,
    322 => process::execveat,
    324 => memory::membarrier,
    326 => io::copy_file_range,
    332 => stat::statx,
    435 => process::not_implemented, // clone3
    436 => open::close_range,
    439 => stat::faccessat2,
}

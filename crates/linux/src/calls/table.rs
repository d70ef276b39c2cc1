//! The table of the system calls of x86-64, a row a call. A row has, in this order,
//!
//! - the number, the constant in [`nr`] that stands for it, and the name;
//! - behind `=>` the handler. A call without a handler is not modelled;
//! - behind `is` its properties ([`Traits`]);
//! - behind `argument` the place of an argument, and the part of it that the call looks at;
//! - behind `invented` the errors with which only the model fails: sockets of other families, System V's objects, message queues,
//!   `ptrace`, locked memory, namespaces; programs that are in no model of a file system;
//! - behind `fails` the errors that its manual page names (section 2), rising, for `--fail-calls`. They befall a correct call
//!   of an ordinary user: no room, no memory, no descriptors, an interrupted wait, a device or a permission that went away.
//!   Errors that follow from the call itself (a bad descriptor, a name that does not exist) come from the model anyway.

use crate::calls::machine;
use crate::calls::row::{Argument, Of, SystemCall, Traits};
use crate::events::{counter_calls as events, epoll_calls as epoll, inotify_calls as inotify, poll_calls};
use crate::files::calls::{attributes, descriptors, directories, io, links, open, rename, stat};
use crate::kernel::errno::{
    EACCES, EADDRINUSE, EAGAIN, EBUSY, ECONNABORTED, ECONNREFUSED, ECONNRESET, EDQUOT, EINTR, EINVAL, EIO,
    EMFILE, EMLINK, ENETUNREACH, ENFILE, ENOBUFS, ENOENT, ENOLCK, ENOMEM, ENOSPC, EOPNOTSUPP, EPERM, EROFS,
    ETIMEDOUT, EXDEV,
};
use crate::memory::calls as memory;
use crate::processes::calls::{children, execute, futex, identity, process};
use crate::signals::calls as signals;
use crate::sockets::calls::{batches, messages, options, sockets};
use crate::time::{clock_calls as time, timer_calls as timers};

macro_rules! or {
    ($default:expr,) => {
        $default
    };
    ($default:expr, $given:expr) => {
        $given
    };
}

macro_rules! system_calls {
    ($($number:literal $constant:ident $name:literal $(=> $handler:path)? $(, is $($of:ident)+)?
        $(, argument $i:literal $part:ident($most:literal))? $(, invented $($invented:ident)+)?
        $(, fails $object:ident $({ $field:ident: $value:literal })?: $($errno:ident)+)?;)*) => {
        /// Numbers of system calls of x86-64, by their names.
        pub mod nr {
            $(
                #[doc = concat!("`", $name, "`")]
                pub const $constant: u64 = $number;
            )*
        }

        /// All system calls, by their numbers, rising.
        static CALLS: &[SystemCall] = &[$(SystemCall {
            name: $name,
            handler: or!(None, $(Some($handler))?),
            traits: Traits(0 $($(| Traits::$of.0)+)?),
            argument: or!(None, $(Some(($i, Argument::$part($most))))?),
            invented: &[$($($invented),+)?],
            failures: or!(None, $(Some((Of::$object $({ $field: $value })?, &[$($errno),+])))?),
        }),*];

        /// Numbers and properties of all calls.
        const PROPERTIES: &[(u64, Traits)] = &[$(($number, Traits(0 $($(| Traits::$of.0)+)?))),*];
    };
}

/// One more than the greatest number of a call that [`call`] finds.
pub const NUMBERS: usize = 512;

/// The place of each call in the table, plus one; zero for numbers of no call.
static PLACES: [u16; NUMBERS] = {
    let mut places = [0; NUMBERS];
    let mut i = 0;
    while i < PROPERTIES.len() {
        let number = PROPERTIES[i].0 as usize;
        assert!(i == 0 || PROPERTIES[i - 1].0 < PROPERTIES[i].0, "the numbers rise");
        i += 1;
        places[number] = i as u16;
    }
    places
};

/// The call with this x86-64 number.
pub(crate) fn call(number: u64) -> Option<&'static SystemCall> {
    let place = *PLACES.get(usize::try_from(number).ok()?)?;
    CALLS.get(usize::from(place).checked_sub(1)?)
}

/// The calls with a property.
const fn numbers_of<const N: usize>(property: Traits) -> [u64; N] {
    let mut numbers = [0; N];
    let (mut i, mut found) = (0, 0);
    while i < PROPERTIES.len() {
        if PROPERTIES[i].1.has(property) {
            numbers[found] = PROPERTIES[i].0;
            found += 1;
        }
        i += 1;
    }
    assert!(found == N, "the number of calls with the property");
    numbers
}

/// The call that ends a thread, and with the last one the process: `exit`.
pub const EXIT: u64 = nr::EXIT;
/// `futex`, whose first argument is the address that is waited for.
pub const FUTEX: u64 = nr::FUTEX;
/// The call that gives up the turn: `sched_yield`.
pub const SCHED_YIELD: u64 = nr::SCHED_YIELD;
/// The calls of [`Traits::UNSEEN`].
pub const UNSEEN: [u64; 21] = numbers_of(Traits::UNSEEN);
/// The calls of [`Traits::ENDS`].
pub const EXITS: [u64; 2] = numbers_of(Traits::ENDS);
/// The calls of [`Traits::GIVES_BACK`].
pub const GIVES_MEMORY_BACK: [u64; 4] = numbers_of(Traits::GIVES_BACK);
/// The calls of [`Traits::TRANSFERS`].
pub const TRANSFERS: [u64; 4] = numbers_of(Traits::TRANSFERS);

/// Returns true if the call with this number has a property.
pub fn call_is(number: u64, property: Traits) -> bool {
    call(number).is_some_and(|call| call.traits.has(property))
}

/// Returns true if the model knows the call with this number.
pub fn is_modelled(number: u64) -> bool {
    call(number).is_some_and(|call| call.handler.is_some())
}

/// The name of the call with this number, or `unknown`.
pub fn name_of(number: u64) -> &'static str {
    call(number).map_or("unknown", |call| call.name)
}

/// The part of the `i`-th argument, from 0, that the call with this number looks at.
pub fn argument(number: u64, i: usize) -> Argument {
    match call(number).and_then(|call| call.argument) {
        Some((place, part)) if place == i => part,
        _ => Argument::Whole,
    }
}

system_calls! {
      0 READ "read" => io::read, is TRANSFERS QUIET KLEE_OPEN OWN, fails Descriptor: EINTR EIO;
      1 WRITE "write" => io::write, is TRANSFERS QUIET KLEE_OPEN, fails Descriptor: EINTR EIO ENOSPC EDQUOT;
      2 OPEN "open" => open::open, argument 2 Low(12),
        fails Opened { flags: 1 }: EINTR ENOMEM EACCES ENFILE EMFILE ENOSPC EROFS EDQUOT;
      3 CLOSE "close" => open::close, is KLEE_OPEN OWN, fails Descriptor: EINTR EIO ENOSPC EDQUOT;
      4 STAT "stat" => stat::stat, is WORLD, fails Paths: ENOMEM EACCES;
      5 FSTAT "fstat" => stat::fstat, is WORLD, fails Descriptor: ENOMEM;
      6 LSTAT "lstat" => stat::lstat, is WORLD, fails Paths: ENOMEM EACCES;
      7 POLL "poll" => poll_calls::poll, is WORLD, fails Paths: EINTR ENOMEM;
      8 LSEEK "lseek" => descriptors::lseek, is QUIET;
      9 MMAP "mmap" => memory::mmap, is UNSEEN NATIVE;
     10 MPROTECT "mprotect" => memory::mprotect, is UNSEEN NATIVE;
     11 MUNMAP "munmap" => memory::munmap, is UNSEEN GIVES_BACK NATIVE;
     12 BRK "brk" => memory::brk, is UNSEEN NATIVE;
     13 RT_SIGACTION "rt_sigaction" => signals::rt_sigaction, is UNSEEN SIGNALS OWN, argument 0 UpTo(64);
     14 RT_SIGPROCMASK "rt_sigprocmask" => signals::rt_sigprocmask, is UNSEEN QUIET SIGNALS OWN;
     15 RT_SIGRETURN "rt_sigreturn", is SIGNALS OWN;
     16 IOCTL "ioctl" => descriptors::ioctl, is QUIET;
     17 PREAD64 "pread64" => io::pread, is TRANSFERS QUIET KLEE_OPEN, fails Descriptor: EINTR EIO;
     18 PWRITE64 "pwrite64" => io::pwrite, is TRANSFERS QUIET KLEE_OPEN,
        fails Descriptor: EINTR EIO ENOSPC EDQUOT;
     19 READV "readv" => io::readv, is QUIET KLEE_OPEN, fails Descriptor: EINTR EIO;
     20 WRITEV "writev" => io::writev, is QUIET KLEE_OPEN, fails Descriptor: EINTR EIO ENOSPC EDQUOT;
     21 ACCESS "access" => stat::access, fails Paths: EIO ENOMEM EACCES;
     22 PIPE "pipe" => open::pipe, fails Paths: ENFILE EMFILE;
     23 SELECT "select" => poll_calls::select, is WORLD, fails Paths: EINTR ENOMEM;
     24 SCHED_YIELD "sched_yield" => process::sched_yield, is UNSEEN QUIET NATIVE_ALONE;
     25 MREMAP "mremap" => memory::mremap, is UNSEEN GIVES_BACK NATIVE;
     26 MSYNC "msync" => memory::msync, is NATIVE;
     27 MINCORE "mincore" => memory::mincore, is NATIVE;
     28 MADVISE "madvise" => memory::madvise, is UNSEEN NATIVE;
     29 SHMGET "shmget" => machine::refused, invented EPERM;
     30 SHMAT "shmat" => machine::no_object, invented EINVAL;
     31 SHMCTL "shmctl" => machine::no_object, invented EINVAL;
     32 DUP "dup" => descriptors::dup, fails Descriptor: EMFILE;
     33 DUP2 "dup2" => descriptors::dup2, fails Descriptor: EINTR EBUSY EMFILE;
     34 PAUSE "pause" => signals::pause, is SIGNALS OWN;
     35 NANOSLEEP "nanosleep" => time::nanosleep, is WORLD, fails Time { left: 1 }: EINTR;
     36 GETITIMER "getitimer" => timers::getitimer, is WORLD;
     37 ALARM "alarm" => timers::alarm, is WORLD;
     38 SETITIMER "setitimer" => timers::setitimer, is WORLD;
     39 GETPID "getpid" => identity::getpid, is UNSEEN QUIET WORLD;
     40 SENDFILE "sendfile" => io::sendfile, fails Descriptor: EIO ENOMEM;
     41 SOCKET "socket" => sockets::socket, is SOCKETS, invented EPERM,
        fails Paths: ENOMEM ENFILE EMFILE ENOBUFS;
     42 CONNECT "connect" => sockets::connect, is SOCKETS,
        fails Socket: EINTR EACCES ENETUNREACH ETIMEDOUT ECONNREFUSED;
     43 ACCEPT "accept" => sockets::accept, is SOCKETS,
        fails Socket: EPERM EINTR ENOMEM ENFILE EMFILE ECONNABORTED ENOBUFS;
     44 SENDTO "sendto" => messages::sendto, is SOCKETS, fails Socket: EINTR ENOMEM ECONNRESET ENOBUFS;
     45 RECVFROM "recvfrom" => messages::recvfrom, is SOCKETS, fails Socket: EINTR ENOMEM ECONNRESET;
     46 SENDMSG "sendmsg" => messages::sendmsg, is SOCKETS, fails Socket: EINTR ENOMEM ECONNRESET ENOBUFS;
     47 RECVMSG "recvmsg" => messages::recvmsg, is SOCKETS, fails Socket: EINTR ENOMEM ECONNRESET;
     48 SHUTDOWN "shutdown" => sockets::shutdown, is SOCKETS;
     49 BIND "bind" => sockets::bind, is SOCKETS, fails Socket: ENOMEM EACCES EADDRINUSE;
     50 LISTEN "listen" => sockets::listen, is SOCKETS, fails Socket: EADDRINUSE;
     51 GETSOCKNAME "getsockname" => sockets::getsockname, is SOCKETS, fails Socket: ENOBUFS;
     52 GETPEERNAME "getpeername" => sockets::getpeername, is SOCKETS, fails Socket: ENOBUFS;
     53 SOCKETPAIR "socketpair" => sockets::socketpair, is SOCKETS, fails Paths: ENOMEM ENFILE EMFILE ENOBUFS;
     54 SETSOCKOPT "setsockopt" => options::setsockopt, is SOCKETS;
     55 GETSOCKOPT "getsockopt" => options::getsockopt, is SOCKETS;
     56 CLONE "clone" => children::clone, is UNSEEN;
     57 FORK "fork" => children::fork;
     58 VFORK "vfork" => children::vfork;
     59 EXECVE "execve" => execute::execve, is GIVES_BACK NATIVE, invented ENOENT EACCES;
     60 EXIT "exit" => process::exit, is UNSEEN ENDS NATIVE_ALONE;
     61 WAIT4 "wait4" => children::wait4, is NATIVE_ALONE;
     62 KILL "kill" => signals::kill, is SIGNALS SENDS, argument 1 UpTo(64);
     63 UNAME "uname" => machine::uname, is WORLD MACHINE;
     64 SEMGET "semget" => machine::refused, invented EPERM;
     65 SEMOP "semop" => machine::no_object, invented EINVAL;
     66 SEMCTL "semctl" => machine::no_object, invented EINVAL;
     67 SHMDT "shmdt" => machine::no_object, invented EINVAL;
     68 MSGGET "msgget" => machine::refused, invented EPERM;
     69 MSGSND "msgsnd" => machine::no_object, invented EINVAL;
     70 MSGRCV "msgrcv" => machine::no_object, invented EINVAL;
     71 MSGCTL "msgctl" => machine::no_object, invented EINVAL;
     72 FCNTL "fcntl" => descriptors::fcntl, fails Command: EINTR EAGAIN EMFILE ENOLCK;
     73 FLOCK "flock" => descriptors::flock, fails Descriptor: EINTR ENOLCK;
     74 FSYNC "fsync" => descriptors::fsync, is KLEE_OPEN, fails Descriptor: EINTR EIO ENOSPC EDQUOT;
     75 FDATASYNC "fdatasync" => descriptors::fsync, is KLEE_OPEN, fails Descriptor: EINTR EIO ENOSPC EDQUOT;
     76 TRUNCATE "truncate" => attributes::truncate, is KLEE, fails Paths: EINTR EIO EACCES EROFS;
     77 FTRUNCATE "ftruncate" => attributes::ftruncate, is KLEE_OPEN, fails Descriptor: EINTR EIO;
     78 GETDENTS "getdents";
     79 GETCWD "getcwd" => directories::getcwd, is KLEE, fails Paths: ENOENT ENOMEM EACCES;
     80 CHDIR "chdir" => directories::chdir, fails Paths: EIO ENOMEM EACCES;
     81 FCHDIR "fchdir" => directories::fchdir, fails Descriptor: EACCES;
     82 RENAME "rename" => rename::rename, fails Paths: EPERM ENOMEM EACCES EBUSY EXDEV ENOSPC EROFS EDQUOT;
     83 MKDIR "mkdir" => directories::mkdir, argument 1 Low(12),
        fails Paths: ENOMEM EACCES ENOSPC EROFS EDQUOT;
     84 RMDIR "rmdir" => directories::rmdir, fails Paths: EPERM ENOMEM EACCES EBUSY EROFS;
     85 CREAT "creat" => open::creat, argument 1 Low(12),
        fails Paths: EINTR ENOMEM EACCES ENFILE EMFILE ENOSPC EROFS EDQUOT;
     86 LINK "link" => links::link, fails Paths: EPERM EIO ENOMEM EACCES EXDEV ENOSPC EROFS EMLINK EDQUOT;
     87 UNLINK "unlink" => links::unlink, fails Paths: EPERM EIO ENOMEM EACCES EBUSY EROFS;
     88 SYMLINK "symlink" => links::symlink, fails Paths: EPERM EIO ENOMEM EACCES ENOSPC EROFS EDQUOT;
     89 READLINK "readlink" => links::readlink, fails Paths: EIO ENOMEM EACCES;
     90 CHMOD "chmod" => attributes::chmod, is KLEE, argument 1 Low(12),
        fails Paths: EPERM EIO ENOMEM EACCES EROFS;
     91 FCHMOD "fchmod" => attributes::fchmod, is KLEE_OPEN, argument 1 Low(12),
        fails Descriptor: EPERM EIO EROFS;
     92 CHOWN "chown" => attributes::chown, is WORLD, fails Paths: EPERM EIO ENOMEM EACCES EROFS;
     93 FCHOWN "fchown" => attributes::fchown, is WORLD, fails Descriptor: EPERM EIO EROFS;
     94 LCHOWN "lchown" => attributes::lchown, is WORLD, fails Paths: EPERM EIO ENOMEM EACCES EROFS;
     95 UMASK "umask" => machine::umask, argument 0 Low(9);
     96 GETTIMEOFDAY "gettimeofday" => time::gettimeofday, is UNSEEN WORLD MACHINE;
     97 GETRLIMIT "getrlimit" => process::getrlimit, is WORLD;
     98 GETRUSAGE "getrusage" => process::getrusage, is WORLD;
     99 SYSINFO "sysinfo" => machine::sysinfo, is WORLD MACHINE;
    100 TIMES "times" => time::times, is WORLD;
    101 PTRACE "ptrace" => machine::refused, invented EPERM;
    102 GETUID "getuid" => identity::getuid, is WORLD;
    103 SYSLOG "syslog" => machine::refused;
    104 GETGID "getgid" => identity::getgid, is WORLD;
    105 SETUID "setuid" => identity::setuid, is WORLD;
    106 SETGID "setgid" => identity::setgid, is WORLD;
    107 GETEUID "geteuid" => identity::getuid, is WORLD;
    108 GETEGID "getegid" => identity::getgid, is WORLD;
    109 SETPGID "setpgid" => identity::setpgid;
    110 GETPPID "getppid" => identity::getppid, is WORLD;
    111 GETPGRP "getpgrp" => identity::getpgrp, is WORLD;
    112 SETSID "setsid" => identity::setsid;
    113 SETREUID "setreuid" => identity::setreuid, is WORLD;
    114 SETREGID "setregid" => identity::setregid, is WORLD;
    115 GETGROUPS "getgroups" => identity::getgroups, is WORLD;
    116 SETGROUPS "setgroups" => signals::not_permitted;
    117 SETRESUID "setresuid" => identity::setresuid, is WORLD;
    118 GETRESUID "getresuid" => identity::getresuid, is WORLD;
    119 SETRESGID "setresgid" => identity::setresgid, is WORLD;
    120 GETRESGID "getresgid" => identity::getresgid, is WORLD;
    121 GETPGID "getpgid" => identity::getpgid, is WORLD;
    122 SETFSUID "setfsuid" => identity::setfsuid, is WORLD;
    123 SETFSGID "setfsgid" => identity::setfsgid, is WORLD;
    124 GETSID "getsid" => identity::getsid, is WORLD;
    125 CAPGET "capget";
    126 CAPSET "capset";
    127 RT_SIGPENDING "rt_sigpending" => signals::rt_sigpending, is SIGNALS OWN;
    128 RT_SIGTIMEDWAIT "rt_sigtimedwait" => signals::rt_sigtimedwait, is SIGNALS OWN;
    129 RT_SIGQUEUEINFO "rt_sigqueueinfo" => signals::rt_sigqueueinfo, is SIGNALS SENDS;
    130 RT_SIGSUSPEND "rt_sigsuspend" => signals::rt_sigsuspend, is SIGNALS OWN;
    131 SIGALTSTACK "sigaltstack" => signals::sigaltstack, is UNSEEN SIGNALS OWN;
    132 UTIME "utime" => attributes::utime, fails Paths: EPERM EACCES EROFS;
    133 MKNOD "mknod" => open::mknod, fails Paths: ENOMEM EACCES ENOSPC EROFS EDQUOT;
    134 USELIB "uselib";
    135 PERSONALITY "personality";
    136 USTAT "ustat";
    137 STATFS "statfs" => stat::statfs, is WORLD, fails Paths: EINTR EIO ENOMEM EACCES;
    138 FSTATFS "fstatfs" => stat::fstatfs, is WORLD, fails Descriptor: EINTR EIO ENOMEM;
    139 SYSFS "sysfs";
    140 GETPRIORITY "getpriority" => process::getpriority, is WORLD;
    141 SETPRIORITY "setpriority" => process::setpriority, is WORLD;
    142 SCHED_SETPARAM "sched_setparam";
    143 SCHED_GETPARAM "sched_getparam";
    144 SCHED_SETSCHEDULER "sched_setscheduler";
    145 SCHED_GETSCHEDULER "sched_getscheduler" => process::sched_getscheduler, is WORLD;
    146 SCHED_GET_PRIORITY_MAX "sched_get_priority_max" => process::sched_priority_bound;
    147 SCHED_GET_PRIORITY_MIN "sched_get_priority_min" => process::sched_priority_bound;
    148 SCHED_RR_GET_INTERVAL "sched_rr_get_interval";
    149 MLOCK "mlock" => memory::mlock, is NATIVE, invented EPERM;
    150 MUNLOCK "munlock" => memory::munlock, is NATIVE;
    151 MLOCKALL "mlockall" => memory::mlock, is NATIVE, invented EPERM;
    152 MUNLOCKALL "munlockall" => memory::munlock, is NATIVE;
    153 VHANGUP "vhangup";
    154 MODIFY_LDT "modify_ldt";
    155 PIVOT_ROOT "pivot_root" => machine::refused;
    156 _SYSCTL "_sysctl";
    157 PRCTL "prctl" => process::prctl;
    158 ARCH_PRCTL "arch_prctl" => process::arch_prctl, is NATIVE;
    159 ADJTIMEX "adjtimex";
    160 SETRLIMIT "setrlimit" => process::setrlimit;
    161 CHROOT "chroot" => machine::refused;
    162 SYNC "sync" => machine::sync;
    163 ACCT "acct" => machine::refused;
    164 SETTIMEOFDAY "settimeofday" => machine::refused;
    165 MOUNT "mount" => machine::refused;
    166 UMOUNT2 "umount2" => machine::refused;
    167 SWAPON "swapon" => machine::refused;
    168 SWAPOFF "swapoff" => machine::refused;
    169 REBOOT "reboot" => machine::refused;
    170 SETHOSTNAME "sethostname" => machine::refused;
    171 SETDOMAINNAME "setdomainname";
    172 IOPL "iopl";
    173 IOPERM "ioperm";
    174 CREATE_MODULE "create_module";
    175 INIT_MODULE "init_module";
    176 DELETE_MODULE "delete_module";
    177 GET_KERNEL_SYMS "get_kernel_syms";
    178 QUERY_MODULE "query_module";
    179 QUOTACTL "quotactl";
    180 NFSSERVCTL "nfsservctl";
    181 GETPMSG "getpmsg";
    182 PUTPMSG "putpmsg";
    183 AFS_SYSCALL "afs_syscall";
    184 TUXCALL "tuxcall";
    185 SECURITY "security";
    186 GETTID "gettid" => identity::gettid, is UNSEEN QUIET WORLD;
    187 READAHEAD "readahead" => descriptors::readahead;
    188 SETXATTR "setxattr";
    189 LSETXATTR "lsetxattr";
    190 FSETXATTR "fsetxattr";
    191 GETXATTR "getxattr" => stat::getxattr, is WORLD;
    192 LGETXATTR "lgetxattr" => stat::lgetxattr, is WORLD;
    193 FGETXATTR "fgetxattr" => stat::fgetxattr, is WORLD;
    194 LISTXATTR "listxattr" => stat::listxattr, is WORLD;
    195 LLISTXATTR "llistxattr" => stat::llistxattr, is WORLD;
    196 FLISTXATTR "flistxattr" => stat::flistxattr, is WORLD;
    197 REMOVEXATTR "removexattr";
    198 LREMOVEXATTR "lremovexattr";
    199 FREMOVEXATTR "fremovexattr";
    200 TKILL "tkill" => signals::tkill, is SIGNALS SENDS, argument 1 UpTo(64);
    201 TIME "time" => time::time, is UNSEEN WORLD MACHINE;
    202 FUTEX "futex" => futex::futex, is UNSEEN NATIVE_ALONE;
    203 SCHED_SETAFFINITY "sched_setaffinity" => process::sched_setaffinity;
    204 SCHED_GETAFFINITY "sched_getaffinity" => process::sched_getaffinity, is WORLD;
    205 SET_THREAD_AREA "set_thread_area";
    206 IO_SETUP "io_setup";
    207 IO_DESTROY "io_destroy";
    208 IO_GETEVENTS "io_getevents";
    209 IO_SUBMIT "io_submit";
    210 IO_CANCEL "io_cancel";
    211 GET_THREAD_AREA "get_thread_area";
    212 LOOKUP_DCOOKIE "lookup_dcookie";
    213 EPOLL_CREATE "epoll_create" => epoll::epoll_create, fails Paths: ENOMEM ENFILE EMFILE;
    214 EPOLL_CTL_OLD "epoll_ctl_old";
    215 EPOLL_WAIT_OLD "epoll_wait_old";
    216 REMAP_FILE_PAGES "remap_file_pages";
    217 GETDENTS64 "getdents64" => directories::getdents64, is WORLD, fails Descriptor: ENOENT;
    218 SET_TID_ADDRESS "set_tid_address" => process::set_tid_address, is UNSEEN;
    219 RESTART_SYSCALL "restart_syscall";
    220 SEMTIMEDOP "semtimedop" => machine::no_object, invented EINVAL;
    221 FADVISE64 "fadvise64" => descriptors::fadvise64;
    222 TIMER_CREATE "timer_create" => timers::timer_create, is WORLD, fails Paths: EAGAIN ENOMEM;
    223 TIMER_SETTIME "timer_settime" => timers::timer_settime, is WORLD;
    224 TIMER_GETTIME "timer_gettime" => timers::timer_gettime, is WORLD;
    225 TIMER_GETOVERRUN "timer_getoverrun" => timers::timer_getoverrun, is WORLD;
    226 TIMER_DELETE "timer_delete" => timers::timer_delete, is WORLD;
    227 CLOCK_SETTIME "clock_settime" => machine::refused;
    228 CLOCK_GETTIME "clock_gettime" => time::clock_gettime, is UNSEEN WORLD MACHINE;
    229 CLOCK_GETRES "clock_getres" => time::clock_getres, is WORLD MACHINE;
    230 CLOCK_NANOSLEEP "clock_nanosleep" => time::clock_nanosleep, is WORLD, fails Time { left: 3 }: EINTR;
    231 EXIT_GROUP "exit_group" => process::exit, is ENDS NATIVE_ALONE;
    232 EPOLL_WAIT "epoll_wait" => epoll::epoll_wait, is WORLD, fails Descriptor: EINTR;
    233 EPOLL_CTL "epoll_ctl" => epoll::epoll_ctl, fails Descriptor: ENOMEM;
    234 TGKILL "tgkill" => signals::tgkill, is SIGNALS SENDS, argument 2 UpTo(64);
    235 UTIMES "utimes" => attributes::utimes, fails Paths: EPERM EACCES EROFS;
    236 VSERVER "vserver";
    237 MBIND "mbind";
    238 SET_MEMPOLICY "set_mempolicy";
    239 GET_MEMPOLICY "get_mempolicy";
    240 MQ_OPEN "mq_open" => machine::refused, invented EPERM;
    241 MQ_UNLINK "mq_unlink";
    242 MQ_TIMEDSEND "mq_timedsend";
    243 MQ_TIMEDRECEIVE "mq_timedreceive";
    244 MQ_NOTIFY "mq_notify";
    245 MQ_GETSETATTR "mq_getsetattr";
    246 KEXEC_LOAD "kexec_load";
    247 WAITID "waitid" => children::waitid, is NATIVE_ALONE;
    248 ADD_KEY "add_key";
    249 REQUEST_KEY "request_key";
    250 KEYCTL "keyctl";
    251 IOPRIO_SET "ioprio_set";
    252 IOPRIO_GET "ioprio_get";
    253 INOTIFY_INIT "inotify_init" => inotify::inotify_init, fails Paths: ENOMEM ENFILE EMFILE;
    254 INOTIFY_ADD_WATCH "inotify_add_watch" => inotify::inotify_add_watch,
        fails Paths: ENOMEM EACCES ENOSPC;
    255 INOTIFY_RM_WATCH "inotify_rm_watch" => inotify::inotify_rm_watch;
    256 MIGRATE_PAGES "migrate_pages";
    257 OPENAT "openat" => open::openat, argument 3 Low(12),
        fails Opened { flags: 2 }: EINTR ENOMEM EACCES ENFILE EMFILE ENOSPC EROFS EDQUOT;
    258 MKDIRAT "mkdirat" => directories::mkdirat, argument 2 Low(12),
        fails Paths: ENOMEM EACCES ENOSPC EROFS EDQUOT;
    259 MKNODAT "mknodat" => open::mknodat, fails Paths: ENOMEM EACCES ENOSPC EROFS EDQUOT;
    260 FCHOWNAT "fchownat" => attributes::fchownat, is WORLD, fails Paths: EPERM EIO ENOMEM EACCES EROFS;
    261 FUTIMESAT "futimesat" => attributes::futimesat, fails Paths: EPERM EACCES EROFS;
    262 NEWFSTATAT "newfstatat" => stat::newfstatat, is WORLD, fails Paths: ENOMEM EACCES;
    263 UNLINKAT "unlinkat" => links::unlinkat, fails Paths: EPERM EIO ENOMEM EACCES EBUSY EROFS;
    264 RENAMEAT "renameat" => rename::renameat,
        fails Paths: EPERM ENOMEM EACCES EBUSY EXDEV ENOSPC EROFS EDQUOT;
    265 LINKAT "linkat" => links::linkat,
        fails Paths: EPERM EIO ENOMEM EACCES EXDEV ENOSPC EROFS EMLINK EDQUOT;
    266 SYMLINKAT "symlinkat" => links::symlinkat, fails Paths: EPERM EIO ENOMEM EACCES ENOSPC EROFS EDQUOT;
    267 READLINKAT "readlinkat" => links::readlinkat, fails Paths: EIO ENOMEM EACCES;
    268 FCHMODAT "fchmodat" => attributes::fchmodat, is KLEE, argument 2 Low(12),
        fails Paths: EPERM EIO ENOMEM EACCES EROFS;
    269 FACCESSAT "faccessat" => stat::faccessat, fails Paths: EIO ENOMEM EACCES;
    270 PSELECT6 "pselect6" => poll_calls::pselect6, is WORLD, fails Paths: EINTR ENOMEM;
    271 PPOLL "ppoll" => poll_calls::ppoll, is WORLD, fails Paths: EINTR ENOMEM;
    272 UNSHARE "unshare" => machine::refused, invented EPERM;
    273 SET_ROBUST_LIST "set_robust_list" => process::set_robust_list, is UNSEEN NATIVE;
    274 GET_ROBUST_LIST "get_robust_list";
    275 SPLICE "splice";
    276 TEE "tee";
    277 SYNC_FILE_RANGE "sync_file_range";
    278 VMSPLICE "vmsplice";
    279 MOVE_PAGES "move_pages";
    280 UTIMENSAT "utimensat" => attributes::utimensat, fails Paths: EPERM EACCES EROFS;
    281 EPOLL_PWAIT "epoll_pwait" => epoll::epoll_pwait, is WORLD, fails Descriptor: EINTR;
    282 SIGNALFD "signalfd" => events::signalfd;
    283 TIMERFD_CREATE "timerfd_create" => events::timerfd_create, fails Paths: ENOMEM ENFILE EMFILE;
    284 EVENTFD "eventfd" => events::eventfd, fails Paths: ENOMEM ENFILE EMFILE;
    285 FALLOCATE "fallocate" => open::fallocate, fails Descriptor: EINTR EIO ENOSPC EOPNOTSUPP;
    286 TIMERFD_SETTIME "timerfd_settime" => events::timerfd_settime, is WORLD;
    287 TIMERFD_GETTIME "timerfd_gettime" => events::timerfd_gettime, is WORLD;
    288 ACCEPT4 "accept4" => sockets::accept4, is SOCKETS,
        fails Socket: EPERM EINTR ENOMEM ENFILE EMFILE ECONNABORTED ENOBUFS;
    289 SIGNALFD4 "signalfd4" => events::signalfd4;
    290 EVENTFD2 "eventfd2" => events::eventfd2, fails Paths: ENOMEM ENFILE EMFILE;
    291 EPOLL_CREATE1 "epoll_create1" => epoll::epoll_create1, fails Paths: ENOMEM ENFILE EMFILE;
    292 DUP3 "dup3" => descriptors::dup3, fails Descriptor: EINTR EBUSY EMFILE;
    293 PIPE2 "pipe2" => open::pipe2, fails Paths: ENFILE EMFILE;
    294 INOTIFY_INIT1 "inotify_init1" => inotify::inotify_init1, fails Paths: ENOMEM ENFILE EMFILE;
    295 PREADV "preadv" => io::preadv, is KLEE_OPEN, fails Descriptor: EINTR EIO;
    296 PWRITEV "pwritev" => io::pwritev, is KLEE_OPEN, fails Descriptor: EINTR EIO ENOSPC EDQUOT;
    297 RT_TGSIGQUEUEINFO "rt_tgsigqueueinfo" => signals::rt_tgsigqueueinfo, is SIGNALS SENDS;
    298 PERF_EVENT_OPEN "perf_event_open";
    299 RECVMMSG "recvmmsg" => batches::recvmmsg, is SOCKETS, fails Socket: EINTR ENOMEM ECONNRESET;
    300 FANOTIFY_INIT "fanotify_init";
    301 FANOTIFY_MARK "fanotify_mark";
    302 PRLIMIT64 "prlimit64" => process::prlimit64;
    303 NAME_TO_HANDLE_AT "name_to_handle_at";
    304 OPEN_BY_HANDLE_AT "open_by_handle_at";
    305 CLOCK_ADJTIME "clock_adjtime";
    306 SYNCFS "syncfs" => descriptors::syncfs;
    307 SENDMMSG "sendmmsg" => batches::sendmmsg, is SOCKETS, fails Socket: EINTR ENOMEM ECONNRESET ENOBUFS;
    308 SETNS "setns" => machine::refused, invented EPERM;
    309 GETCPU "getcpu" => machine::getcpu, is WORLD;
    310 PROCESS_VM_READV "process_vm_readv";
    311 PROCESS_VM_WRITEV "process_vm_writev";
    312 KCMP "kcmp";
    313 FINIT_MODULE "finit_module";
    314 SCHED_SETATTR "sched_setattr";
    315 SCHED_GETATTR "sched_getattr";
    316 RENAMEAT2 "renameat2" => rename::renameat2,
        fails Paths: EPERM ENOMEM EACCES EBUSY EXDEV ENOSPC EROFS EDQUOT;
    317 SECCOMP "seccomp";
    318 GETRANDOM "getrandom" => machine::getrandom, is WORLD MACHINE;
    319 MEMFD_CREATE "memfd_create" => memory::memfd_create, fails Paths: ENOMEM ENFILE EMFILE;
    320 KEXEC_FILE_LOAD "kexec_file_load";
    321 BPF "bpf";
    322 EXECVEAT "execveat" => execute::execveat, is GIVES_BACK NATIVE, invented ENOENT EACCES;
    323 USERFAULTFD "userfaultfd";
    324 MEMBARRIER "membarrier" => memory::membarrier, is UNSEEN NATIVE;
    325 MLOCK2 "mlock2";
    326 COPY_FILE_RANGE "copy_file_range" => io::copy_file_range,
        fails Descriptor: EIO ENOMEM EXDEV ENOSPC EOPNOTSUPP;
    327 PREADV2 "preadv2";
    328 PWRITEV2 "pwritev2";
    329 PKEY_MPROTECT "pkey_mprotect";
    330 PKEY_ALLOC "pkey_alloc";
    331 PKEY_FREE "pkey_free";
    332 STATX "statx" => stat::statx, is WORLD, fails Paths: ENOMEM EACCES;
    333 IO_PGETEVENTS "io_pgetevents";
    334 RSEQ "rseq";
    424 PIDFD_SEND_SIGNAL "pidfd_send_signal";
    425 IO_URING_SETUP "io_uring_setup";
    426 IO_URING_ENTER "io_uring_enter";
    427 IO_URING_REGISTER "io_uring_register";
    428 OPEN_TREE "open_tree";
    429 MOVE_MOUNT "move_mount";
    430 FSOPEN "fsopen";
    431 FSCONFIG "fsconfig";
    432 FSMOUNT "fsmount";
    433 FSPICK "fspick";
    434 PIDFD_OPEN "pidfd_open";
    435 CLONE3 "clone3" => process::not_implemented, is NATIVE;
    436 CLOSE_RANGE "close_range" => open::close_range;
    437 OPENAT2 "openat2";
    438 PIDFD_GETFD "pidfd_getfd";
    439 FACCESSAT2 "faccessat2" => stat::faccessat2, fails Paths: EIO ENOMEM EACCES;
    440 PROCESS_MADVISE "process_madvise";
    441 EPOLL_PWAIT2 "epoll_pwait2" => epoll::epoll_pwait2, is WORLD, fails Descriptor: EINTR;
    442 MOUNT_SETATTR "mount_setattr";
    443 QUOTACTL_FD "quotactl_fd";
    444 LANDLOCK_CREATE_RULESET "landlock_create_ruleset";
    445 LANDLOCK_ADD_RULE "landlock_add_rule";
    446 LANDLOCK_RESTRICT_SELF "landlock_restrict_self";
    447 MEMFD_SECRET "memfd_secret";
    448 PROCESS_MRELEASE "process_mrelease";
    449 FUTEX_WAITV "futex_waitv";
    450 SET_MEMPOLICY_HOME_NODE "set_mempolicy_home_node";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_rise_and_fit_a_byte_and_each_call_that_fails_is_modelled() {
        for call in CALLS {
            let Some((_, errors)) = call.failures else { continue };
            assert!(errors.windows(2).all(|w| w[0].0 < w[1].0), "{}: {errors:?}", call.name);
            assert!(errors.iter().all(|e| (1..=255).contains(&e.0) && !e.name().is_empty()), "{}", call.name);
            assert!(call.handler.is_some(), "{}", call.name);
        }
    }

    #[test]
    fn each_call_is_found_by_its_number() {
        for (row, &(number, traits)) in CALLS.iter().zip(PROPERTIES) {
            assert_eq!(call(number).map(|found| (found.name, found.traits)), Some((row.name, traits)));
        }
        assert_eq!(name_of(NUMBERS as u64), "unknown");
    }
}

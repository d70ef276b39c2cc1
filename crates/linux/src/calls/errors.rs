//! Errors with which system calls fail at will: one line a call, as the manual pages name them (section 2).
//!
//! The table has only errors that befall a correct call of an ordinary user: no room, no memory, no descriptors, an interrupted
//! wait, a device or a permission that went away. Errors that follow from the call itself (a bad descriptor, a name that does not
//! exist) come from the model anyway.

use crate::kernel::errno::{
    EACCES, EADDRINUSE, EAGAIN, EBUSY, ECONNABORTED, ECONNREFUSED, ECONNRESET, EDQUOT, EINTR, EIO, EMFILE,
    EMLINK, ENETUNREACH, ENFILE, ENOBUFS, ENOENT, ENOLCK, ENOMEM, ENOSPC, EOPNOTSUPP, EPERM, EROFS,
    ETIMEDOUT, EXDEV, Errno,
};

/// The calls that fail at will, and their errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failures {
    /// Those on files that the program opened itself, with an error of input or output, as KLEE's `--max-fail`.
    #[default]
    Klee,
    /// Those that would succeed, with each error that their manual pages name.
    Named,
}

impl Failures {
    /// The least byte that means an error or one above it.
    pub fn least_byte(self, errno: Errno) -> u8 {
        match self {
            Failures::Klee => 1,
            Failures::Named => u8::try_from(errno.0).unwrap_or(u8::MAX),
        }
    }

    /// The error that a byte of a test means: the greatest whose least byte it reaches.
    pub fn chosen(self, errors: &[Errno], byte: u8) -> Option<Errno> {
        errors.iter().rev().find(|&&errno| byte >= self.least_byte(errno)).copied()
    }
}

/// Object of a call, which decides which of its errors can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Paths, or nothing.
    Paths,
    /// A file that is opened, with these flags.
    Opened {
        /// Index of the argument with the flags.
        flags: usize,
    },
    /// The descriptor in the first argument.
    Descriptor,
    /// The descriptor in the first argument, for a command of `fcntl`.
    Command,
    /// The socket in the first argument: some errors are those of the internet, or of connections.
    Socket,
    /// A length of time; the remaining time goes to where this argument points.
    Time {
        /// Index of the argument. The one before it points to the time that is asked for.
        left: usize,
    },
}

macro_rules! failures {
    ($($number:pat => $of:expr, [$($errno:ident),* $(,)?];)*) => {
        /// Object of a call, and the errors that its manual page names, rising; by its x86-64 number.
        pub(crate) fn named(number: u64) -> Option<(Of, &'static [Errno])> {
            Some(match number {
                $($number => ($of, &[$($errno),*]),)*
                _ => return None,
            })
        }
    };
}

failures! {
    0 | 17 | 19 | 295 => Of::Descriptor, [EINTR, EIO]; // read, pread64, readv, preadv
    1 | 18 | 20 | 296 => Of::Descriptor, [EINTR, EIO, ENOSPC, EDQUOT]; // write, pwrite64, writev, pwritev
    2 => Of::Opened { flags: 1 }, [EINTR, ENOMEM, EACCES, ENFILE, EMFILE, ENOSPC, EROFS, EDQUOT]; // open
    3 => Of::Descriptor, [EINTR, EIO, ENOSPC, EDQUOT]; // close
    4 | 6 | 262 | 332 => Of::Paths, [ENOMEM, EACCES]; // stat, lstat, newfstatat, statx
    5 => Of::Descriptor, [ENOMEM]; // fstat
    7 | 23 | 270 | 271 => Of::Paths, [EINTR, ENOMEM]; // poll, select, pselect6, ppoll
    21 | 269 | 439 => Of::Paths, [EIO, ENOMEM, EACCES]; // access, faccessat, faccessat2
    22 | 293 => Of::Paths, [ENFILE, EMFILE]; // pipe, pipe2
    32 => Of::Descriptor, [EMFILE]; // dup
    33 | 292 => Of::Descriptor, [EINTR, EBUSY, EMFILE]; // dup2, dup3
    35 => Of::Time { left: 1 }, [EINTR]; // nanosleep
    40 => Of::Descriptor, [EIO, ENOMEM]; // sendfile
    41 | 53 => Of::Paths, [ENOMEM, ENFILE, EMFILE, ENOBUFS]; // socket, socketpair
    42 => Of::Socket, [EINTR, EACCES, ENETUNREACH, ETIMEDOUT, ECONNREFUSED]; // connect
    43 | 288 => Of::Socket, [EPERM, EINTR, ENOMEM, ENFILE, EMFILE, ECONNABORTED, ENOBUFS]; // accept, accept4
    44 | 46 | 307 => Of::Socket, [EINTR, ENOMEM, ECONNRESET, ENOBUFS]; // sendto, sendmsg, sendmmsg
    45 | 47 | 299 => Of::Socket, [EINTR, ENOMEM, ECONNRESET]; // recvfrom, recvmsg, recvmmsg
    49 => Of::Socket, [ENOMEM, EACCES, EADDRINUSE]; // bind
    50 => Of::Socket, [EADDRINUSE]; // listen
    51 | 52 => Of::Socket, [ENOBUFS]; // getsockname, getpeername
    72 => Of::Command, [EINTR, EAGAIN, EMFILE, ENOLCK]; // fcntl
    73 => Of::Descriptor, [EINTR, ENOLCK]; // flock
    74 | 75 => Of::Descriptor, [EINTR, EIO, ENOSPC, EDQUOT]; // fsync, fdatasync
    76 => Of::Paths, [EINTR, EIO, EACCES, EROFS]; // truncate
    77 => Of::Descriptor, [EINTR, EIO]; // ftruncate
    79 => Of::Paths, [ENOENT, ENOMEM, EACCES]; // getcwd
    80 => Of::Paths, [EIO, ENOMEM, EACCES]; // chdir
    81 => Of::Descriptor, [EACCES]; // fchdir
    82 | 264 | 316 => Of::Paths, [EPERM, ENOMEM, EACCES, EBUSY, EXDEV, ENOSPC, EROFS, EDQUOT]; // rename, renameat, renameat2
    83 | 258 => Of::Paths, [ENOMEM, EACCES, ENOSPC, EROFS, EDQUOT]; // mkdir, mkdirat
    84 => Of::Paths, [EPERM, ENOMEM, EACCES, EBUSY, EROFS]; // rmdir
    85 => Of::Paths, [EINTR, ENOMEM, EACCES, ENFILE, EMFILE, ENOSPC, EROFS, EDQUOT]; // creat
    86 | 265 => Of::Paths, [EPERM, EIO, ENOMEM, EACCES, EXDEV, ENOSPC, EROFS, EMLINK, EDQUOT]; // link, linkat
    87 | 263 => Of::Paths, [EPERM, EIO, ENOMEM, EACCES, EBUSY, EROFS]; // unlink, unlinkat
    88 | 266 => Of::Paths, [EPERM, EIO, ENOMEM, EACCES, ENOSPC, EROFS, EDQUOT]; // symlink, symlinkat
    89 | 267 => Of::Paths, [EIO, ENOMEM, EACCES]; // readlink, readlinkat
    90 | 92 | 94 | 260 | 268 => Of::Paths, [EPERM, EIO, ENOMEM, EACCES, EROFS]; // chmod, chown, lchown, fchownat, fchmodat
    91 | 93 => Of::Descriptor, [EPERM, EIO, EROFS]; // fchmod, fchown
    132 | 235 | 261 | 280 => Of::Paths, [EPERM, EACCES, EROFS]; // utime, utimes, futimesat, utimensat
    133 | 259 => Of::Paths, [ENOMEM, EACCES, ENOSPC, EROFS, EDQUOT]; // mknod, mknodat
    137 => Of::Paths, [EINTR, EIO, ENOMEM, EACCES]; // statfs
    138 => Of::Descriptor, [EINTR, EIO, ENOMEM]; // fstatfs
    213 | 291 => Of::Paths, [ENOMEM, ENFILE, EMFILE]; // epoll_create, epoll_create1
    217 => Of::Descriptor, [ENOENT]; // getdents64
    222 => Of::Paths, [EAGAIN, ENOMEM]; // timer_create
    230 => Of::Time { left: 3 }, [EINTR]; // clock_nanosleep
    232 | 281 | 441 => Of::Descriptor, [EINTR]; // epoll_wait, epoll_pwait, epoll_pwait2
    233 => Of::Descriptor, [ENOMEM]; // epoll_ctl
    253 | 294 => Of::Paths, [ENOMEM, ENFILE, EMFILE]; // inotify_init, inotify_init1
    254 => Of::Paths, [ENOMEM, EACCES, ENOSPC]; // inotify_add_watch
    257 => Of::Opened { flags: 2 }, [EINTR, ENOMEM, EACCES, ENFILE, EMFILE, ENOSPC, EROFS, EDQUOT]; // openat
    283 | 284 | 290 => Of::Paths, [ENOMEM, ENFILE, EMFILE]; // timerfd_create, eventfd, eventfd2
    285 => Of::Descriptor, [EINTR, EIO, ENOSPC, EOPNOTSUPP]; // fallocate
    319 => Of::Paths, [ENOMEM, ENFILE, EMFILE]; // memfd_create
    326 => Of::Descriptor, [EIO, ENOMEM, EXDEV, ENOSPC, EOPNOTSUPP]; // copy_file_range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_rise_and_fit_a_byte_and_each_call_is_modelled() {
        for (number, (_, errors)) in (0..512).filter_map(|n| Some((n, named(n)?))) {
            assert!(errors.windows(2).all(|w| w[0].0 < w[1].0), "{number}: {errors:?}");
            assert!(errors.iter().all(|e| (1..=255).contains(&e.0) && !e.name().is_empty()), "{number}");
            assert!(crate::is_modelled(number), "{number}");
        }
    }
}

//! Error numbers, and the failures of a call.

use crate::kernel::guest::Stop;

/// An error number of x86-64 Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

/// Why a call gives no plain result: an error for the program, or the end of its run for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fail {
    Errno(Errno),
    Stop(Stop),
}

/// The error of a call that a signal interrupts and that may start again: never seen by the program.
pub(crate) const ERESTART: Errno = Errno(512);

/// Result of a part of a call.
pub(crate) type CallResult<T = u64> = Result<T, Fail>;

impl From<Errno> for Fail {
    fn from(e: Errno) -> Fail {
        Fail::Errno(e)
    }
}

impl From<Stop> for Fail {
    fn from(s: Stop) -> Fail {
        Fail::Stop(s)
    }
}

/// A call that fails with this error.
pub(crate) fn fail<T>(e: Errno) -> CallResult<T> {
    Err(Fail::Errno(e))
}

/// A call that is not modelled in this respect.
pub(crate) fn unsupported<T>(what: impl Into<String>) -> CallResult<T> {
    Err(Fail::Stop(Stop::Unsupported(what.into())))
}

macro_rules! errnos {
    ($($name:ident = $value:literal),* $(,)?) => {
        $(pub(crate) const $name: Errno = Errno($value);)*

        impl Errno {
            /// Its name; empty for one that the model never answers.
            pub fn name(self) -> &'static str {
                match self {
                    $($name => stringify!($name),)*
                    _ => "",
                }
            }
        }
    };
}

errnos! {
    EPERM = 1, ENOENT = 2, ESRCH = 3, EINTR = 4, EIO = 5, ENXIO = 6, E2BIG = 7, ENOEXEC = 8, EBADF = 9, ECHILD = 10, EAGAIN = 11, ENOMEM = 12, EACCES = 13, EFAULT = 14,
    EBUSY = 16, EEXIST = 17, EXDEV = 18, ENODEV = 19, ENOTDIR = 20, EISDIR = 21, EINVAL = 22, ENFILE = 23, EMFILE = 24, ENOTTY = 25,
    EFBIG = 27, ENOSPC = 28, ESPIPE = 29, EROFS = 30, EMLINK = 31, EPIPE = 32, EDOM = 33, ERANGE = 34, EDEADLK = 35, ENAMETOOLONG = 36,
    ENOLCK = 37, ENOSYS = 38, ENOTEMPTY = 39, ELOOP = 40, EOVERFLOW = 75, ENOTSOCK = 88, EDESTADDRREQ = 89, EMSGSIZE = 90,
    EPROTOTYPE = 91, ENOPROTOOPT = 92, EPROTONOSUPPORT = 93, ESOCKTNOSUPPORT = 94, EOPNOTSUPP = 95, EAFNOSUPPORT = 97,
    EADDRINUSE = 98, EADDRNOTAVAIL = 99, ENETUNREACH = 101, ECONNABORTED = 103, ECONNRESET = 104, ENOBUFS = 105, EISCONN = 106,
    ENOTCONN = 107, ETIMEDOUT = 110, ECONNREFUSED = 111, EINPROGRESS = 115, EDQUOT = 122,
}

//! The columns of the table of system calls: what a row says about its call.

use crate::kernel::errno::{CallResult, Errno};
use crate::kernel::state::Call;

/// Answers one call.
pub(crate) type Handler = fn(&mut Call<'_>, [u64; 6]) -> CallResult;

/// A system call of x86-64.
pub(crate) struct SystemCall {
    pub(crate) name: &'static str,
    /// None where the call is not modelled.
    pub(crate) handler: Option<Handler>,
    pub(crate) traits: Traits,
    /// The argument of which the call looks at a part only, by its place from 0, and the part.
    pub(crate) argument: Option<(usize, Argument)>,
    /// Errors with which the call fails here, and would have succeeded for an ordinary user of Linux.
    pub(crate) invented: &'static [Errno],
    /// The errors that its manual page names, rising, and the object that decides which of them can happen.
    pub(crate) failures: Option<(Of, &'static [Errno])>,
}

/// The part of an argument that a call looks at. A symbolic argument is decided no further than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The whole value.
    Whole,
    /// This number of its low bits.
    Low(u8),
    /// Its low 32 bits as a number; all numbers above this one are the same error.
    UpTo(u8),
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

/// Properties that some calls have in common, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits(pub(crate) u16);

impl Traits {
    /// Other threads see nothing of it: it is about memory, the mask of signals, time or the thread itself, or it is `futex`.
    pub const UNSEEN: Traits = Traits(1 << 0);
    /// It ends the process. Nothing of the process depends on its argument.
    pub const ENDS: Traits = Traits(1 << 1);
    /// It may give memory back.
    pub const GIVES_BACK: Traits = Traits(1 << 2);
    /// Its third argument is a length of a transfer.
    pub const TRANSFERS: Traits = Traits(1 << 3);
    /// It tells a program nothing of the effects of others.
    pub const QUIET: Traits = Traits(1 << 4);
    /// KLEE lets it fail.
    pub const KLEE: Traits = Traits(1 << 5);
    /// KLEE lets it fail on a descriptor that the program opened itself.
    pub const KLEE_OPEN: Traits = Traits(1 << 6);
    /// It concerns signals only. In a native replay both the real kernel and the model execute it.
    pub const SIGNALS: Traits = Traits(1 << 7);
    /// It sends a signal to a process by its number.
    pub const SENDS: Traits = Traits(1 << 8);
    /// It is about sockets alone. They exist only in the model.
    pub const SOCKETS: Traits = Traits(1 << 9);
    /// Its result depends on the world, and not only on the program's own earlier calls.
    pub const WORLD: Traits = Traits(1 << 10);
    /// It tells of the machine or the clock: the model answers it also to threads whose creation it did not see.
    pub const MACHINE: Traits = Traits(1 << 11);
    /// A native replay never needs the model for it.
    pub const NATIVE: Traits = Traits(1 << 12);
    /// A native replay needs the model for it only if there are several processes: ends, waiting for others, scheduling.
    pub const NATIVE_ALONE: Traits = Traits(1 << 13);
    /// It concerns the program's own signals or descriptors: the machine's kernel may execute it for a replay without namespaces.
    pub const OWN: Traits = Traits(1 << 14);

    /// Returns true if each property of `of` is among these.
    pub const fn has(self, of: Traits) -> bool {
        self.0 & of.0 == of.0
    }
}
